"""Optimal control of any ``System``: costs, exact gradients by the discrete adjoint, descent, direct transcription."""
