"""Wires and beams that bend far."""
