"""Relative velocities of touching bodies as rows over their coordinates, and what impulses do to them.

Each contact has six rows: along its normal, along two tangents, relative turning about the normal and about the
tangents. A rigid body has the coordinates x, y, z and Euler parameters e; its angular velocity in the world is
w = 2 R L(e) ė. Unknowns (q, lam) are ordered by component, one behind the other: what no equation couples.
"""

import math
from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.convex_shapes import rotation

ROWS = 6


class ContactMaps(NamedTuple):
    """Rows of n contacts."""

    W: np.ndarray  # (n, 6, 14): γ = W v over the seven coordinates of both bodies
    B: np.ndarray  # (n, 6, ·): what unit impulses change in the components of both bodies
    column: np.ndarray  # (n, 2) place of the bodies' coordinates among the ordered unknowns, −1: ground
    segment: np.ndarray  # (n, 2, 2) begin and length of their components; length 0: the same component, or ground


@part()
def _spin_map(q, R, out):
    """out (3, 4) = 2 R L(e): angular velocity in the world from ė; q (7,), R (3, 3) room."""
    rotation(q[3:7], R)
    a, b, c, d = q[3], q[4], q[5], q[6]
    for i in range(3):
        x, y, z = 2.0 * R[i, 0], 2.0 * R[i, 1], 2.0 * R[i, 2]
        out[i, 0] = -x * b - y * c - z * d
        out[i, 1] = x * a - y * d + z * c
        out[i, 2] = x * d + y * a - z * b
        out[i, 3] = -x * c + y * b + z * a


@part()
def _directions(n, out):
    """out (3, 3): n (3,) and two directions across it."""
    k = 0
    for i in range(1, 3):
        if abs(n[i]) < abs(n[k]):
            k = i
    x0, x1, x2 = -n[0] * n[k], -n[1] * n[k], -n[2] * n[k]
    if k == 0:
        x0 += 1.0
    elif k == 1:
        x1 += 1.0
    else:
        x2 += 1.0
    length = math.sqrt(x0 * x0 + x1 * x1 + x2 * x2)
    x0, x1, x2 = x0 / length, x1 / length, x2 / length
    out[0, 0], out[0, 1], out[0, 2] = n[0], n[1], n[2]
    out[1, 0], out[1, 1], out[1, 2] = x0, x1, x2
    out[2, 0] = n[1] * x2 - n[2] * x1
    out[2, 1] = n[2] * x0 - n[0] * x2
    out[2, 2] = n[0] * x1 - n[1] * x0


@whole
def add_maps(bodies, arms, normals, first_q, q, room, W):
    """W (n, 6, 14) of contacts between ``bodies`` (n, 2), −1 the ground, with arms (n, 2, 3) in the world; at q.

    room (4, 4): rotation and spin map. The second body counts positive.
    """
    R, spin, axes = room[0, :3, :3], room[1, :3, :4], room[2, :3, :3]
    for i in range(bodies.shape[0]):
        _directions(normals[i], axes)
        for side in range(2):
            if bodies[i, side] < 0:
                for r in range(ROWS):
                    for k in range(7):
                        W[i, r, 7 * side + k] = 0.0
                continue
            k = first_q[bodies[i, side]]
            _spin_map(q[k : k + 7], R, spin)
            sign, arm = (1.0 if side == 1 else -1.0), arms[i, side]
            for r in range(3):
                d = axes[r]
                m0 = arm[1] * d[2] - arm[2] * d[1]
                m1 = arm[2] * d[0] - arm[0] * d[2]
                m2 = arm[0] * d[1] - arm[1] * d[0]
                for c in range(3):
                    W[i, r, 7 * side + c] = sign * d[c]
                    W[i, 3 + r, 7 * side + c] = 0.0
                for c in range(4):
                    W[i, r, 7 * side + 3 + c] = sign * (m0 * spin[0, c] + m1 * spin[1, c] + m2 * spin[2, c])
                    W[i, 3 + r, 7 * side + 3 + c] = sign * (d[0] * spin[0, c] + d[1] * spin[1, c] + d[2] * spin[2, c])


@whole
def add_responses(F, maps, inverse, begin, component, start):
    """maps.B = A⁻¹ Fᵀ, component by component.

    F (n, 6, 14): where impulses act; inverse: A⁻¹ of all components, row by row, from begin[c] on; component
    (unknowns,) of each ordered unknown, start (components + 1,) its first unknown.
    """
    for i in range(F.shape[0]):
        for r in range(ROWS):
            for k in range(maps.B.shape[2]):
                maps.B[i, r, k] = 0.0
        for side in range(2):
            column = maps.column[i, side]
            if column < 0:
                continue
            c = component[column]
            size, local = start[c + 1] - start[c], column - start[c]
            offset = maps.segment[i, 0, 1] if side == 1 and maps.segment[i, 1, 1] > 0 else 0
            for row in range(size):
                at = begin[c] + row * size + local
                for r in range(ROWS):
                    s = 0.0
                    for k in range(7):
                        s += inverse[at + k] * F[i, r, 7 * side + k]
                    maps.B[i, r, offset + row] += s


@part()
def relative_velocity(maps, i, r, x):
    """γ = W x of row r of contact i."""
    y = 0.0
    for side in range(2):
        column = maps.column[i, side]
        if column >= 0:
            for k in range(7):
                y += maps.W[i, r, 7 * side + k] * x[column + k]
    return y


@part()
def change(maps, i, r, impulse, x):
    """x += B impulse of row r of contact i."""
    at = 0
    for side in range(2):
        begin, length = maps.segment[i, side, 0], maps.segment[i, side, 1]
        for k in range(length):
            x[begin + k] += impulse * maps.B[i, r, at + k]
        at += length


@part()
def coupling(maps, i, r, s):
    """What a unit impulse in row s changes in row r of the same contact."""
    y = 0.0
    for side in range(2):
        column = maps.column[i, side]
        if column < 0:
            continue
        at = 0
        for other in range(2):
            begin, length = maps.segment[i, other, 0], maps.segment[i, other, 1]
            if begin <= column < begin + length:
                for k in range(7):
                    y += maps.W[i, r, 7 * side + k] * maps.B[i, s, at + column - begin + k]
            at += length
    return y


@whole
def velocities(maps, x, out):
    """out (n, 6) = γ of all contacts."""
    for i in range(out.shape[0]):
        for r in range(ROWS):
            out[i, r] = relative_velocity(maps, i, r, x)
