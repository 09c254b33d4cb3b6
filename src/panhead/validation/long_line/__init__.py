"""Long line in a moving window."""
