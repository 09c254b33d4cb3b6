"""Four-bars in a row: IFToMM benchmark A02 and longer rows."""
