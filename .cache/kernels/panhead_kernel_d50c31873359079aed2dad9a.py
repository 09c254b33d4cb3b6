"""Generated from a derived mechanism; do not edit."""
from math import (acos, acosh, asin, asinh, atan, atan2, atanh, ceil, copysign, cos, cosh, erf, exp, expm1,
    floor, fmod, log, log1p, sin, sinh, sqrt, tan, tanh)
from numba import cfunc, types

@cfunc(types.void(types.float64, types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1]), cache=True, error_model='numpy')
def factor_and_force(t, x, u, w, p, out):
    w0 = p[0]
    w0 = sqrt(w0)
    out[0] = w0
    w0 = p[1]
    w0 = sqrt(w0)
    w1 = p[4]
    w2 = p[6]
    w1 = w1 / w2
    w0 = w0 * w1
    out[1] = w0
    w0 = p[2]
    w0 = sqrt(w0)
    w2 = p[5]
    w3 = p[7]
    w4 = w[0]
    w4 = sin(w4)
    w4 = w3 * w4
    w5 = w2 + w4
    w1 = w1 * w5
    w3 = w1 / w3
    w0 = w0 * w3
    out[2] = w0
    w0 = p[3]
    w0 = sqrt(w0)
    w2 = w2 - w4
    w1 = w1 / w2
    w0 = w0 * w1
    out[3] = w0
    w0 = u[0]
    w1 = p[8]
    w2 = x[1]
    w1 = w1 * w2
    w0 = w0 - w1
    out[4] = w0
