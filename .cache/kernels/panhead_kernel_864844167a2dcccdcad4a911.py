"""Generated from a derived mechanism; do not edit."""
from math import (acos, acosh, asin, asinh, atan, atan2, atanh, ceil, copysign, cos, cosh, erf, exp, expm1,
    floor, fmod, log, log1p, sin, sinh, sqrt, tan, tanh)
from numba import cfunc, types

@cfunc(types.void(types.float64, types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1], types.float64[::1]), cache=True, error_model='numpy')
def mass_and_force(t, x, u, w, w_dot, p, out):
    w0 = p[0]
    w1 = p[1]
    w1 = sqrt(w1)
    w2 = p[4]
    w3 = p[6]
    w2 = w2 / w3
    w1 = w1 * w2
    w1 = w1 * w1
    w0 = w0 + w1
    w1 = p[2]
    w1 = sqrt(w1)
    w3 = p[5]
    w4 = p[7]
    w5 = w[0]
    w6 = sin(w5)
    w6 = w4 * w6
    w7 = w3 + w6
    w7 = w2 * w7
    w8 = w7 / w4
    w8 = w1 * w8
    w9 = w8 * w8
    w0 = w0 + w9
    w9 = p[3]
    w9 = sqrt(w9)
    w3 = w3 - w6
    w7 = w7 / w3
    w6 = w9 * w7
    w10 = w6 * w6
    w0 = w0 + w10
    out[0] = w0
    w0 = u[0]
    w10 = p[8]
    w11 = x[1]
    w10 = w10 * w11
    w0 = w0 - w10
    w5 = cos(w5)
    w10 = w_dot[0]
    w5 = w5 * w10
    w5 = w4 * w5
    w2 = w2 * w5
    w4 = w2 / w4
    w1 = w1 * w4
    w8 = w8 * w1
    w2 = w2 / w3
    w7 = w7 / w3
    w7 = w7 * w5
    w2 = w2 + w7
    w9 = w9 * w2
    w6 = w6 * w9
    w8 = w8 + w6
    w8 = w8 * w11
    w0 = w0 - w8
    out[1] = w0
