"""Rotations: pure functions of numbers or symbolic expressions."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

Quaternion = tuple[float, float, float, float]


def matrix_of(e: Any) -> list[list[Any]]:
    """R_WB from Euler parameters e = (e0, e1, e2, e3) of unit length, three rows.

    R = (2 e0² − 1) I + 2 (ē ēᵀ + e0 ẽ)                             [Nikravesh88, eq. (6.19)], in the
    quadratic form whose every term has degree two.
    """
    a, b, c, d = (e[i] for i in range(4))
    return [
        [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
        [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
        [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
    ]


def product(e: Any, f: Any) -> list[Any]:
    """Euler parameters of the turn f after the turn e, f written in the axes that e has turned: R = R(e) R(f)."""
    a, b, c, d = (e[i] for i in range(4))
    p, q, r, s = (f[i] for i in range(4))
    return [
        a * p - b * q - c * r - d * s,
        a * q + b * p + c * s - d * r,
        a * r - b * s + c * p + d * q,
        a * s + b * r - c * q + d * p,
    ]


def spin_matrix(e: Any) -> Any:
    """L(e), (3, 4), as an expression: the angular velocity in the body's axes is w_WB_B = 2 L ė."""
    a, b, c, d = (e[i] for i in range(4))
    rows = [[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]]
    return ca.vertcat(*(ca.horzcat(*row) for row in rows))


def quaternion_of(R: np.ndarray) -> Quaternion:
    """Euler parameters of a rotation matrix, by the largest of the four so that no division is by little."""
    squares = np.array([1 + np.trace(R), *(1 + 2 * np.diag(R) - np.trace(R))])
    k = int(squares.argmax())
    e = np.zeros(4)
    e[k] = np.sqrt(squares[k]) / 2
    if k == 0:
        e[1:] = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * e[0])
    else:
        i, j, m = k - 1, k % 3, (k + 1) % 3
        e[0] = (R[m, j] - R[j, m]) / (4 * e[k])
        e[1 + j] = (R[i, j] + R[j, i]) / (4 * e[k])
        e[1 + m] = (R[i, m] + R[m, i]) / (4 * e[k])
    return tuple(float(x) for x in e)  # type: ignore[return-value]


def about(axis: Any, angle: float) -> Quaternion:
    """Euler parameters of a turn about an axis [rad]."""
    n = np.asarray(axis, dtype=float)
    n = n / np.linalg.norm(n)
    return tuple(float(x) for x in (np.cos(angle / 2), *(np.sin(angle / 2) * n)))  # type: ignore[return-value]


def rates_of(e: Any, spin: Any) -> np.ndarray:
    """ė from the angular velocity in the body's axes: ė = ½ Lᵀ w_WB_B."""
    a, b, c, d = e
    L = np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])
    return 0.5 * L.T @ np.asarray(spin, dtype=float)
