"""Equations as tables of elements: what bodies and joints, and mechanisms of positions, become behind the seam."""
