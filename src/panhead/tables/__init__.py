"""Equations as tables of elements: what bodies and joints, and mechanisms written as positions, become behind the seam."""
