"""Panhead: flexible multibody dynamics, and railway current collection on top of it."""

__version__ = "0.1.0"
