"""Statics, modes and motion of any System: what knows the seam and nothing else."""
