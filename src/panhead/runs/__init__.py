"""Simulation of pantographs under an overhead line: run description, solvers, results."""
