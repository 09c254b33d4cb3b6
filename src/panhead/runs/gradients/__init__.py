"""Gradients through a whole run: derivatives of an objective by every parameter of line, pantographs and train."""
