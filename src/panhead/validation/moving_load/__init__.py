"""Loads that run along strings, beams and cables."""
