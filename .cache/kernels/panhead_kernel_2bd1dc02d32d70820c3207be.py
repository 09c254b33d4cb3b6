"""Generated from a derived mechanism; do not edit."""
from math import (acos, acosh, asin, asinh, atan, atan2, atanh, ceil, copysign, cos, cosh, erf, exp, expm1,
    floor, fmod, log, log1p, sin, sinh, sqrt, tan, tanh)
from numba import cfunc, types

@cfunc(types.void(types.float64, types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1]), cache=True, error_model='numpy')
def terms(t, x, u, p, out):
    w0 = p[0]
    out[0] = w0
    w1 = 0.0
    out[1] = w1
    out[2] = w1
    out[3] = w0
    out[4] = w1
    w2 = p[2]
    w0 = w0 * w2
    w0 = -w0
    out[5] = w0
    w0 = x[0]
    w2 = w0 * w0
    w3 = x[1]
    w4 = w3 * w3
    w2 = w2 + w4
    w4 = p[1]
    w5 = w4 * w4
    w2 = w2 - w5
    w5 = w4 + w4
    w2 = w2 / w5
    out[6] = w2
    out[7] = w1
    w0 = w0 / w4
    out[8] = w0
    w3 = w3 / w4
    out[9] = w3
    w3 = x[2]
    w4 = w3 + w3
    w3 = w3 * w4
    w4 = x[3]
    w0 = w4 + w4
    w4 = w4 * w0
    w3 = w3 + w4
    w3 = w3 / w5
    w3 = -w3
    out[10] = w3
