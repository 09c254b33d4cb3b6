"""Planar catenary of ANCF cables, against the linear line."""
