"""ANCF cables and beams in large deflection."""
