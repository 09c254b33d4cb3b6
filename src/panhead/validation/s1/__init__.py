"""Multibody CX pantograph under a line of cables."""
