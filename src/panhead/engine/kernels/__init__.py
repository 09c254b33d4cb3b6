"""Compiled kernels: Numba only, arrays in, ``out`` last."""
