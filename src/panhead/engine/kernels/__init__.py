"""Kernels: Numba only, arrays in, ``out`` last."""
