"""Numba kernels of wheel–rail contact."""
