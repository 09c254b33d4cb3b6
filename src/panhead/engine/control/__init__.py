"""Optimal control on the seam: costs, exact gradients by the discrete adjoint, descent, transcription."""
