"""Contact points of a wheel on a rail: profiles as splines, the four contact equations, initial guesses.

Everything here happens in the mirrored frame of one wheel, x forward, y from the middle of the
track outward, z up; a right wheel is its left one seen in a mirror. The wheel is a surface of
revolution about the axle direction a, the rail a cylinder along x:

    r_w(u, β) = c + η(u) a + ρ(u) d(β),   d = cos β d₀ + sin β i,     i ∥ e_x − a_x a,  d₀ ⊥ a, e_x
    r_r(s, x) = x e_x + Y(s) e_y + Z(s) e_z,                         n_r = −Z′ e_y + Y′ e_z

Contact equations of [Pappalardo16]:  t₁ʳ·Δ = 0,  t₂ʳ·Δ = 0,  t₁ʷ·n_r = 0,  t₂ʷ·n_r = 0,  Δ = r_w − r_r.
A root is a point where the distance from wheel to rail is stationary: a contact where it has a
minimum, the saddle between two contacts where it has a maximum.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import whole

CONTACTS = 4  #: most contacts of a wheel that are looked at
# columns of a contact's record
(U, BETA, S, RX, RY, RZ, NY, NZ, DEPTH, CURV_X, CURV_Y, RADIUS, SHARE) = range(13)
(FORCE_N, FORCE_X, FORCE_Y, SPIN_M, CREEP_X, CREEP_Y, CREEP_SPIN, AXIS_A, AXIS_B, RATE) = range(13, 23)
(SEED_U, SEED_S, SADDLE) = range(23, 26)  # scratch of the search
RECORD = 26
_FAR = 1e3  # a distance beyond every profile [m]


class Geometry(NamedTuple):
    """Profiles in their places, as arrays."""

    wheel: np.ndarray  #: (n, 8) cubics of η and ρ over u, uniform knots
    wheel_start: float  #: first knot [m]
    wheel_step: float  #: [m]
    wheel_scan: np.ndarray  #: (m, 4) u, η, ρ, dρ/dη of the coarse scan
    rail: np.ndarray  #: (n, 8) cubics of Y and Z over s
    rail_start: float
    rail_step: float
    rail_scan: np.ndarray  #: (m, 6) s, Y, Z, unit tangent (2), curvature
    tip: float  #: u up to which a wheel stands on its flange's tip: derailed [m]
    window: np.ndarray  #: (ny, nr, 3) first and last row of the wheel's scan, row of the rail's beside it
    touch: np.ndarray  #: (ny, nr) height of the tape circle's centre when the wheel touches [m]
    grid: np.ndarray  #: (4,) of the table: first y, step, first roll, step
    lever: float  #: from the wheelset's middle to the tape circle [m]


@whole
def curve(c, start, step, x):
    """Two cubics and their first and second derivatives at x; the end cubics go on outside."""
    i = int((x - start) / step)
    i = max(0, min(c.shape[0] - 1, i))
    t = x - (start + i * step)
    return (
        c[i, 0] + t * (c[i, 1] + t * (c[i, 2] + t * c[i, 3])),
        c[i, 4] + t * (c[i, 5] + t * (c[i, 6] + t * c[i, 7])),
        c[i, 1] + t * (2.0 * c[i, 2] + 3.0 * t * c[i, 3]),
        c[i, 5] + t * (2.0 * c[i, 6] + 3.0 * t * c[i, 7]),
        2.0 * c[i, 2] + 6.0 * t * c[i, 3],
        2.0 * c[i, 6] + 6.0 * t * c[i, 7],
    )


@whole
def axle_frame(a_x, a_y, a_z):
    """√(1 − a_x²), and the y, z components of d₀ and of i."""
    c = math.sqrt(1.0 - a_x * a_x)
    return c, a_z / c, -a_y / c, -a_x * a_y / c, -a_x * a_z / c


@whole
def outline(eta, rho, slope, pose):
    """y, z of the point of a wheel circle that is on the wheel's outline seen along x.

    There the normal has no x component: sin β = a_x ρ′/(η′ √(1 − a_x²)).
    """
    y_c, z_c, a_x, a_y, a_z = pose
    c, d_y, d_z, i_y, i_z = axle_frame(a_x, a_y, a_z)
    sb = max(-0.9, min(0.9, slope * a_x / c))
    cb = math.sqrt(1.0 - sb * sb)
    return (y_c + eta * a_y + rho * (cb * d_y + sb * i_y), z_c + eta * a_z + rho * (cb * d_z + sb * i_z))


@whole
def solve_contact(geometry, pose, u, s):
    """Newton's method on the four contact equations from (u, s): (converged, u, β, s).

    pose = (y, z of the wheelset's centre, axle direction). x enters the first equation alone,
    x = x of r_w, and is left to the end; the other three are solved together.
    """
    y_c, z_c, a_x, a_y, a_z = pose
    c, d_y, d_z, i_y, i_z = axle_frame(a_x, a_y, a_z)
    beta = 0.0
    for k in range(25):
        eta, rho, eta_u, rho_u, eta_uu, rho_uu = curve(geometry.wheel, geometry.wheel_start, geometry.wheel_step, u)
        Y, Z, Y_s, Z_s, Y_ss, Z_ss = curve(geometry.rail, geometry.rail_start, geometry.rail_step, s)
        if k == 0:  # the outline's β is a root of the last equation for its own normal
            beta = math.asin(max(-0.9, min(0.9, rho_u * a_x / (eta_u * c))))
        sb, cb = math.sin(beta), math.cos(beta)
        D_y, D_z = cb * d_y + sb * i_y, cb * d_z + sb * i_z  # d
        P_y, P_z = cb * i_y - sb * d_y, cb * i_z - sb * d_z  # d_β
        x_y, x_z = y_c + eta * a_y + rho * D_y - Y, z_c + eta * a_z + rho * D_z - Z  # Δ
        t_y, t_z = eta_u * a_y + rho_u * D_y, eta_u * a_z + rho_u * D_z  # t₁ʷ
        f1 = Y_s * x_y + Z_s * x_z
        f2 = -Z_s * t_y + Y_s * t_z
        f3 = rho * (-Z_s * P_y + Y_s * P_z)
        j11 = Y_s * t_y + Z_s * t_z
        j12 = rho * (Y_s * P_y + Z_s * P_z)
        j13 = Y_ss * x_y + Z_ss * x_z - Y_s * Y_s - Z_s * Z_s
        n_d = -Z_s * D_y + Y_s * D_z
        j21 = eta_uu * (-Z_s * a_y + Y_s * a_z) + rho_uu * n_d
        j22 = rho_u * (-Z_s * P_y + Y_s * P_z)
        j23 = -Z_ss * t_y + Y_ss * t_z
        j32 = -rho * n_d
        j33 = rho * (-Z_ss * P_y + Y_ss * P_z)
        # third row's first entry equals j22
        m1 = j22 * j33 - j23 * j32
        m2 = j21 * j33 - j23 * j22
        m3 = j21 * j32 - j22 * j22
        det = j11 * m1 - j12 * m2 + j13 * m3
        if det == 0.0 or not math.isfinite(det):
            return False, u, beta, s
        e2, e3 = f2 * j33 - j23 * f3, f2 * j32 - j22 * f3
        du = (f1 * m1 - j12 * e2 + j13 * e3) / det
        db = (j11 * e2 - f1 * m2 + j13 * (j21 * f3 - f2 * j22)) / det
        ds = (j11 * (j22 * f3 - f2 * j32) - j12 * (j21 * f3 - f2 * j22) + f1 * m3) / det
        big = max(abs(du), abs(ds))
        shrink = 1.0 if big < 2e-3 else 2e-3 / big  # not out of the neighbourhood in one leap
        u -= shrink * du
        beta -= shrink * db
        s -= shrink * ds
        if big < 1e-7 and abs(db) < 1e-6:  # quadratic: the next step would be below 1e-11 m
            return True, u, beta, s
    return False, u, beta, s


@whole
def gap_at(geometry, pose, u, s):
    """Distance of the outline's point u from the rail (> 0: apart) and its foot s, from a guess of s."""
    eta, rho, eta_u, rho_u, _, _ = curve(geometry.wheel, geometry.wheel_start, geometry.wheel_step, u)
    y, z = outline(eta, rho, rho_u / eta_u, pose)
    for _ in range(12):
        Y, Z, Y_s, Z_s, Y_ss, Z_ss = curve(geometry.rail, geometry.rail_start, geometry.rail_step, s)
        f = Y_s * (y - Y) + Z_s * (z - Z)
        ds = f / (Y_s * Y_s + Z_s * Z_s - Y_ss * (y - Y) - Z_ss * (z - Z))
        s += max(-2e-3, min(2e-3, ds))
        if abs(ds) < 1e-12:
            break
    Y, Z, Y_s, Z_s, _, _ = curve(geometry.rail, geometry.rail_start, geometry.rail_step, s)
    return (-Z_s * (y - Y) + Y_s * (z - Z)) / math.sqrt(Y_s * Y_s + Z_s * Z_s), s


@whole
def squeeze(geometry, pose, u, s, width, sign):
    """The extremum of the distance within u ± width by golden sections; sign +1 minimum, −1 maximum."""
    g = 0.6180339887498949
    low, high = u - width, u + width
    x1, x2 = high - g * (high - low), low + g * (high - low)
    f1, s = gap_at(geometry, pose, x1, s)
    f2, s = gap_at(geometry, pose, x2, s)
    for _ in range(40):
        if sign * f1 < sign * f2:
            high, x2, f2 = x2, x1, f1
            x1 = high - g * (high - low)
            f1, s = gap_at(geometry, pose, x1, s)
        else:
            low, x1, f1 = x1, x2, f2
            x2 = low + g * (high - low)
            f2, s = gap_at(geometry, pose, x2, s)
    return 0.5 * (low + high), s


@whole
def scan(geometry, pose, margin, first, last, foot, records):
    """Coarse minima of the distance below ``margin`` [m]: their number, and where in the records.

    Walks along the wheel's outline, rows first to last, with the foot on the rail beside it, at first
    row ``foot``. SEED_U, SEED_S of a record are u and s of a minimum, SADDLE the u of the highest
    point between it and the next.
    """
    W, R = geometry.wheel_scan, geometry.rail_scan
    y_c, z_c, a_x, a_y, a_z = pose
    c, d_y, d_z, i_y, i_z = axle_frame(a_x, a_y, a_z)
    turn = a_x / c
    end = R.shape[0] - 1
    h = R[1, 0] - R[0, 0]
    count, j = 0, foot
    d0, d1 = _FAR, _FAR  # distances of the two points before
    u1, s1 = 0.0, 0.0
    top, top_u = -_FAR, 0.0  # highest point since the last minimum
    for i in range(first, last + 2):
        d2, u2, s2 = _FAR, 0.0, 0.0
        if i <= last:
            eta, rho = W[i, 1], W[i, 2]  # as in ``outline``
            sb = max(-0.9, min(0.9, W[i, 3] * turn))
            cb = math.sqrt(1.0 - sb * sb)
            y = y_c + eta * a_y + rho * (cb * d_y + sb * i_y)
            z = z_c + eta * a_z + rho * (cb * d_z + sb * i_z)
            turned = 0
            while True:
                x_y, x_z = y - R[j, 1], z - R[j, 2]
                tau = R[j, 3] * x_y + R[j, 4] * x_z
                if tau > 0.5 * h and j < end and turned >= 0:
                    j += 1
                    turned = 1
                elif tau < -0.5 * h and j > 0 and turned <= 0:
                    j -= 1
                    turned = -1
                else:
                    break
            u2, s2 = W[i, 0], R[j, 0] + tau
            if abs(tau) < 2.0 * h:
                d2 = -R[j, 4] * x_y + R[j, 3] * x_z + 0.5 * R[j, 5] * tau * tau
        if d1 <= d0 and d1 < d2 and d1 < margin and d0 < _FAR and d2 < _FAR:
            if count > 0:
                records[count - 1, SADDLE] = top_u
            if count < CONTACTS:
                shift = 0.5 * (d0 - d2) / (d0 - 2.0 * d1 + d2)  # vertex of the parabola
                du = shift * (W[1, 0] - W[0, 0])
                records[count, SEED_U], records[count, SEED_S] = u1 + du, s1 + du
                records[count, SADDLE] = math.nan
                count += 1
                top = -_FAR
        if d2 < _FAR and d2 > top:
            top, top_u = d2, u2
        d0, d1, u1, s1 = d1, d2, u2, s2
    return count


@whole
def describe(geometry, pose, u, beta, s, record):
    """Write place, normal, depth, curvatures and rolling radius of a root into a record (RECORD,)."""
    y_c, z_c, a_x, a_y, a_z = pose
    c, d_y, d_z, i_y, i_z = axle_frame(a_x, a_y, a_z)
    eta, rho, eta_u, rho_u, eta_uu, rho_uu = curve(geometry.wheel, geometry.wheel_start, geometry.wheel_step, u)
    Y, Z, Y_s, Z_s, Y_ss, Z_ss = curve(geometry.rail, geometry.rail_start, geometry.rail_step, s)
    sb, cb = math.sin(beta), math.cos(beta)
    r_y = eta * a_y + rho * (cb * d_y + sb * i_y)
    r_z = eta * a_z + rho * (cb * d_z + sb * i_z)
    size = math.sqrt(Y_s * Y_s + Z_s * Z_s)
    n_y, n_z = -Z_s / size, Y_s / size
    w = math.sqrt(eta_u * eta_u + rho_u * rho_u)
    k_w = (rho_u * eta_uu - eta_u * rho_uu) / (w * w * w)
    k_r = (Z_s * Y_ss - Y_s * Z_ss) / (size * size * size)
    record[U], record[BETA], record[S] = u, beta, s
    record[RX], record[RY], record[RZ] = eta * a_x + rho * sb * c, r_y, r_z
    record[NY], record[NZ] = n_y, n_z
    record[DEPTH] = -(n_y * (y_c + r_y - Y) + n_z * (z_c + r_z - Z))
    record[CURV_X] = 0.5 * eta_u / (w * rho)
    record[CURV_Y] = 0.5 * (k_w + k_r)
    record[RADIUS] = rho
    record[SHARE] = 1.0
