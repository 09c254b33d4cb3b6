"""Pantographs under a line: one description of a run, its solvers and what they give."""
