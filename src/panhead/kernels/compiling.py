"""How kernels are compiled."""

from numba import njit

#: For functions that only kernels call: without an entrance from Python, which takes long to compile where
#: many arrays are handed over.
inner = njit(cache=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)
