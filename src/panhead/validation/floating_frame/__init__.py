"""Flexible bodies in floating frames."""
