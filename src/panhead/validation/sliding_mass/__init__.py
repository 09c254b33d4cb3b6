"""A mass that slides along a cable."""
