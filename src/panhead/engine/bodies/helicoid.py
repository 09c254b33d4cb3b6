"""Helicoidal interpolation between two beam sections: its strains, and places along it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from panhead.engine.laws.casadi_columns import hermite
from panhead.engine.roles import Expression
from panhead.engine.rotations import matrix_of, product

_SMALL = 0.04  # sin² of half the angle below which series serve
_TERMS = 12  # of them: 0.04¹² is rounding


def twist_between(q: Expression) -> Expression:
    """d = log(H_A⁻¹ H_B), (6,): the stretch-shear and the turn of a uniform helicoid from section A to B.

    q (14,) holds p_A, e_A, p_B, e_B with Euler parameters e. With e = ē_A e_B = (cos θ/2, s), s = n sin θ/2, and the
    axes half-way, R_m from e_A + e_B:

        d_turn = 2 a s,   d_along = a u − (a − 1)/|s|² s (s·u),   u = R_mᵀ (p_B − p_A),   a = (θ/2) / sin (θ/2)

    It depends on what lies between the sections alone: no rigid motion and no history changes it [Sonneville14].
    """
    p_A, e_A, p_B, e_B = q[:3], q[3:7], q[7:10], q[10:14]
    turn = product([e_A[0], -e_A[1], -e_A[2], -e_A[3]], e_B)
    s = ca.vertcat(*turn[1:])
    a, b = _half_angle(ca.sumsqr(s), turn[0])
    middle = (e_A + e_B) / ca.norm_2(e_A + e_B)
    u = _axes(middle).T @ (p_B - p_A)
    return ca.vertcat(a * u - b * s * ca.dot(s, u), 2 * a * s)


def _half_angle(x: Expression, cosine: Expression) -> tuple[Expression, Expression]:
    """a = (θ/2)/sin(θ/2) and (a − 1)/x with x = sin²(θ/2); smooth at zero, up to a full turn."""
    numbers = np.cumprod([1.0] + [(2 * k - 1) ** 2 / (2 * k * (2 * k + 1)) for k in range(1, _TERMS + 1)])
    series: Any = 0.0
    for c in numbers[:0:-1]:
        series = series * x + c
    small = ca.logic_and(x < _SMALL, cosine > 0)
    safe = ca.if_else(small, 0.5, x)
    root = ca.sqrt(safe)
    a = ca.atan2(root, ca.if_else(small, 0.5, cosine)) / root
    return ca.if_else(small, 1 + x * series, a), ca.if_else(small, series, (a - 1) / safe)


def _axes(e: Expression) -> Expression:
    return ca.vertcat(*(ca.horzcat(*row) for row in matrix_of(e)))


def axes_of(e: Expression) -> Expression:
    """R_WS of a section with Euler parameters e, as an expression: x along the beam."""
    return _axes(e)


def ends(q: Expression) -> Expression:
    """(r, r′)₀₁ of the axis, (3, 4): positions, and the sections' normals as slopes."""
    return ca.horzcat(q[:3], _axes(q[3:7])[:, 0], q[7:10], _axes(q[10:14])[:, 0])


def place(x: Expression, length: Expression, q: Expression) -> Expression:
    """r at x of an element: a cubic with continuous slope at the nodes, for sliders, loads and inertia."""
    return ends(q) @ hermite(x, length)


def attitude(share: Expression, e_A: Expression, e_B: Expression) -> Expression:
    """Euler parameters between two sections, the shares of both at length one; equal turns to the third order."""
    e = (1 - share) * e_A + share * e_B
    return e / ca.norm_2(e)


_TWIST: list[ca.Function] = []


def rest_twist(p: Sequence[np.ndarray], e: Sequence[np.ndarray], k: int) -> np.ndarray:
    """``twist_between`` the sections k and k + 1 of a beam at rest, in numbers (6,)."""
    if not _TWIST:
        q = ca.SX.sym("q", 14)
        _TWIST.append(ca.Function("twist", [q], [twist_between(q)]))
    return np.array(_TWIST[0](np.concatenate([p[k], e[k], p[k + 1], e[k + 1]])))[:, 0]
