"""Generated from a derived mechanism; do not edit."""
from math import (acos, acosh, asin, asinh, atan, atan2, atanh, ceil, copysign, cos, cosh, erf, exp, expm1,
    floor, fmod, log, log1p, sin, sinh, sqrt, tan, tanh)
from numba import cfunc, types

@cfunc(types.void(types.float64, types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1]), cache=True, error_model='numpy')
def powers(t, x, u, p, a, lam, out):
    w0 = 0.0
    out[0] = w0
    out[1] = w0
    out[2] = w0
