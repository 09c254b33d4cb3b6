"""The simple pendulum: IFToMM benchmark A01."""
