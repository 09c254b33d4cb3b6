"""Rail vehicle on irregular track and through a curve."""
