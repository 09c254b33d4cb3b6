"""How deep a rigid wheel stands in a rigid rail, smooth where contact points jump or merge.

In the mirrored frame of one wheel, see ``wheel_rail_contact``. The point of the wheel circle u that is deepest in the
rail, at the angle β where n·∂r_w/∂β = 0, is δ(u) deep; depths of all circles are blended over ε       [Arnold98]:

    g = ε ln ∫ exp(δ(u)/ε) du/ℓ,   w(u) ∝ exp(δ(u)/ε),   ∫ w du = 1,   ℓ = √(2π ε/κ₀)
    ∂g/∂(p, θ) = −∫ w (n, r × n) du

For ε → 0 it is the depth of the deepest point. At a point where the profiles part like κ₀ u²/2 it is that depth for
any ε. δ is stationary in β and in the rail's coordinate, so neither enters the derivatives.
"""

from __future__ import annotations

import math

from panhead.engine.jit.compiler import whole
from panhead.engine.kernels.hertz import bounded_below
from panhead.railway.vehicle.kernels.wheel_rail import FLATTEST
from panhead.railway.vehicle.kernels.wheel_rail_contact import axle_frame, curve

#: columns of a circle that carries: weight, u, r, normal, curvatures; how many columns
(WEIGHT, U, RX, RY, RZ, NY, NZ, CURV_X, CURV_Y) = range(9)
CIRCLE = 9
#: entries of a blended contact: depth; ∫ w n; ∫ w r × n; mean of u
(G, FY, FZ, MX, MY, MZ, MEAN_U) = range(7)
BLENDED = 7
_USUAL = 3.0  # κ₀, the sum of the curvatures of new profiles on the tread [1/m]
_SHARPEST = 80.0  # sum of curvatures that the quadrature resolves, that of a flange root on a rail's corner [1/m]
_SHARE = 1.0  # of the width √(ε/κ) of the sharpest peak between two points of the quadrature
_DEEP = 30.0  # circles shallower than the deepest by so many ε weigh nothing
_ROUGH = 2e-5  # error of the coarse depths [m]


@whole
def parts_of(blend, wide):
    """Number of circles of the quadrature in a step of the wheel's scan, ``wide`` [m]."""
    return math.ceil(wide / (_SHARE * math.sqrt(blend / _SHARPEST)))


@whole
def _describe_circle(geometry, pose, u, s, out):
    """Write the deepest point of a wheel circle to out (CIRCLE,), its depth as weight; returns the rail's coordinate.

    s is a guess of that.
    """
    y_c, z_c, a_x, a_y, a_z = pose
    c, d_y, d_z, i_y, i_z = axle_frame(a_x, a_y, a_z)
    eta, rho, eta_u, rho_u, eta_uu, rho_uu = curve(geometry.wheel, geometry.wheel_start, geometry.wheel_step, u)
    tan = rho_u * a_x / (eta_u * c)
    for _ in range(20):  # Newton's method for the foot on the rail, β by the normal there: a_x is small
        cb = 1.0 / math.sqrt(1.0 + tan * tan)
        sb = tan * cb
        r_y = eta * a_y + rho * (cb * d_y + sb * i_y)
        r_z = eta * a_z + rho * (cb * d_z + sb * i_z)
        Y, Z, Y_s, Z_s, Y_ss, Z_ss = curve(geometry.rail, geometry.rail_start, geometry.rail_step, s)
        off_y, off_z = y_c + r_y - Y, z_c + r_z - Z
        ds = (Y_s * off_y + Z_s * off_z) / (Y_s * Y_s + Z_s * Z_s - Y_ss * off_y - Z_ss * off_z)
        before = tan
        tan = (-Z_s * i_y + Y_s * i_z) / (-Z_s * d_y + Y_s * d_z)
        if abs(ds) < 1e-12 and abs(tan - before) < 1e-11:
            break
        s += max(-2e-3, min(2e-3, ds))
    size = math.sqrt(Y_s * Y_s + Z_s * Z_s)
    n_y, n_z = -Z_s / size, Y_s / size
    wide = math.sqrt(eta_u * eta_u + rho_u * rho_u)
    k_w = (rho_u * eta_uu - eta_u * rho_uu) / (wide * wide * wide)
    k_r = (Z_s * Y_ss - Y_s * Z_ss) / (size * size * size)
    out[WEIGHT], out[U] = -(n_y * off_y + n_z * off_z), u
    out[RX], out[RY], out[RZ] = eta * a_x + rho * sb * c, r_y, r_z
    out[NY], out[NZ] = n_y, n_z
    out[CURV_X], out[CURV_Y] = 0.5 * eta_u / (wide * rho), bounded_below(0.5 * (k_w + k_r), FLATTEST)
    return s


@whole
def _coarse(geometry, pose, i, j):
    """Depth of the outline's point i of the scan, to some 1e-5 m, and the row of the rail's scan beside it.

    Minus infinity where the rail has no foot for it.
    """
    W, R = geometry.wheel_scan, geometry.rail_scan
    y_c, z_c, a_x, a_y, a_z = pose
    c, d_y, d_z, i_y, i_z = axle_frame(a_x, a_y, a_z)
    sb = max(-0.9, min(0.9, W[i, 3] * a_x / c))
    cb = math.sqrt(1.0 - sb * sb)
    y = y_c + W[i, 1] * a_y + W[i, 2] * (cb * d_y + sb * i_y)
    z = z_c + W[i, 1] * a_z + W[i, 2] * (cb * d_z + sb * i_z)
    h, end, turned = R[1, 0] - R[0, 0], R.shape[0] - 1, 0
    while True:
        tau = R[j, 3] * (y - R[j, 1]) + R[j, 4] * (z - R[j, 2])
        if tau > 0.5 * h and j < end and turned >= 0:
            j, turned = j + 1, 1
        elif tau < -0.5 * h and j > 0 and turned <= 0:
            j, turned = j - 1, -1
        else:
            break
    if abs(tau) > 2.0 * h:
        return -math.inf, j
    return R[j, 4] * (y - R[j, 1]) - R[j, 3] * (z - R[j, 2]) - 0.5 * R[j, 5] * tau * tau, j


@whole
def blended_contact(geometry, pose, blend, depths, feet, circles, out):
    """Write the blended contact of a wheel to out (BLENDED,) and its circles; their number, 0 if it misses the rail.

    blend ε [m]; depths, feet: room for the scan of the wheel, (m,) each; circles (m parts, CIRCLE).
    """
    W = geometry.wheel_scan
    deepest, j = -math.inf, 0
    for i in range(W.shape[0]):
        depths[i], j = _coarse(geometry, pose, i, j)
        feet[i] = geometry.rail_scan[j, 0]
        deepest = max(deepest, depths[i])
    if deepest == -math.inf:
        return 0
    wide = W[1, 0] - W[0, 0]
    parts = parts_of(blend, wide)
    step = wide / parts
    least = deepest - _DEEP * blend - _ROUGH
    count = 0
    for i in range(W.shape[0] - 1):
        if max(depths[i], depths[i + 1]) < least or min(depths[i], depths[i + 1]) == -math.inf:
            continue
        s = feet[i] - step
        for k in range(parts):
            s = _describe_circle(geometry, pose, W[i, 0] + k * step, s + step, circles[count])
            count += 1
    _blend(blend, step, circles, count, out)
    return count


@whole
def _blend(blend, step, circles, count, out):
    """Turn the depths of circles into weights, and add them up in out (BLENDED,)."""
    deepest, total = -math.inf, 0.0
    for i in range(count):
        deepest = max(deepest, circles[i, WEIGHT])
    for i in range(count):
        circles[i, WEIGHT] = math.exp((circles[i, WEIGHT] - deepest) / blend)
        total += circles[i, WEIGHT]
    out[G] = deepest + blend * math.log(total * step / math.sqrt(2.0 * math.pi * blend / _USUAL))
    for k in range(1, BLENDED):
        out[k] = 0.0
    for i in range(count):
        c = circles[i]
        c[WEIGHT] /= total
        w = c[WEIGHT]
        out[FY] += w * c[NY]
        out[FZ] += w * c[NZ]
        out[MX] += w * (c[RY] * c[NZ] - c[RZ] * c[NY])
        out[MY] -= w * c[RX] * c[NZ]
        out[MZ] += w * c[RX] * c[NY]
        out[MEAN_U] += w * c[U]
