"""Gradients through a whole run: ∂ of a judged number by every parameter of line, pantographs and train."""
