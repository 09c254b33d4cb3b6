"""Slider-cranks: an elastic rod, and one in space."""
