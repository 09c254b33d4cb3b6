"""Generated from a derived mechanism; do not edit."""
from math import (acos, acosh, asin, asinh, atan, atan2, atanh, ceil, copysign, cos, cosh, erf, exp, expm1,
    floor, fmod, log, log1p, sin, sinh, sqrt, tan, tanh)
from numba import cfunc, types

@cfunc(types.void(types.float64, types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1]), cache=True, error_model='numpy')
def factor_and_force(t, x, u, w, p, out):
    w0 = p[4]
    w1 = p[2]
    w1 = w1 * w1
    w0 = w0 * w1
    w1 = p[6]
    w0 = w0 + w1
    w0 = sqrt(w0)
    out[0] = w0
    w0 = 0.0
    out[1] = w0
    w0 = p[5]
    w0 = sqrt(w0)
    w1 = p[0]
    w2 = x[0]
    w3 = sin(w2)
    w3 = w1 * w3
    w4 = p[3]
    w5 = x[1]
    w5 = w2 + w5
    w6 = sin(w5)
    w6 = w4 * w6
    w3 = w3 + w6
    w3 = w0 * w3
    w3 = -w3
    out[2] = w3
    w6 = w0 * w6
    w6 = -w6
    out[3] = w6
    w2 = cos(w2)
    w1 = w1 * w2
    w5 = cos(w5)
    w4 = w4 * w5
    w1 = w1 + w4
    w1 = w0 * w1
    out[4] = w1
    w0 = w0 * w4
    out[5] = w0
    w0 = p[7]
    w0 = sqrt(w0)
    out[6] = w0
    out[7] = w0
    w0 = u[0]
    out[8] = w0
    w0 = u[1]
    out[9] = w0
