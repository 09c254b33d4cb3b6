"""Kilometres of line in a moving window."""
