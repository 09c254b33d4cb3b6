"""Families of runs and better designs: studies and designs."""
