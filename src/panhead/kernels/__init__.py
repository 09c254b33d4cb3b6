"""Numba kernels: arrays and scalars in, ``out`` last. They know nothing of descriptions."""
