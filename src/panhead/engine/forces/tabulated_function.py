"""Tabulated functions: monotone cubic interpolation with a continuous slope."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
import scipy.interpolate

from panhead.engine.laws.hermite import interpolate
from panhead.engine.roles import Expression, Symbols
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True)
class Table:
    """A curve through points (x, y), without overshoot between them and straight beyond the ends [Fritsch84].

    Called with an expression it gives the curve as an expression, so that it can be the course of a force in
    time; ``Table(((0, 0), (2, 1)))(t)``. Its slope is continuous, its curvature jumps at the points.
    """

    points: tuple[tuple[float, float], ...]

    def __post_init__(self) -> None:
        x = np.array(self.points, dtype=float)
        if x.ndim != 2 or x.shape[0] < 2 or x.shape[1] != 2 or not np.isfinite(x).all():
            raise ModelError(f"Table: points must be two or more finite pairs, got {self.points!r}")
        if not (np.diff(x[:, 0]) > 0).all():
            k = int((np.diff(x[:, 0]) > 0).argmin())
            raise ModelError(
                f"Table: abscissae must increase from point to point; {self.points[k]} is followed by "
                f"{self.points[k + 1]}"
            )

    @property
    def corners(self) -> tuple[float, ...]:
        """Abscissae at which the curvature jumps."""
        return tuple(float(x) for x, _ in self.points)

    def knots(self) -> np.ndarray:
        """x, y and dy/dx of every point, (points, 3)."""
        x, y = np.array(self.points, dtype=float).T
        slopes = scipy.interpolate.PchipInterpolator(x, y).derivative()(x)
        return np.column_stack([x, y, slopes])

    def __call__(self, x: Expression) -> Expression:
        return curve(x, self.knots())


def numbers_of(name: str, table: Table) -> dict[str, float]:
    """The knots as numbers of a row: name.x.0, name.y.0, name.d.0, name.x.1 …"""
    return {
        f"{name}.{what}.{k}": float(value)
        for k, knot in enumerate(table.knots())
        for what, value in zip("xyd", knot, strict=True)
    }


def knots_of(s: Symbols, name: str, count: int) -> list[list[Expression]]:
    """The knots of a table with ``count`` points among the numbers of a row."""
    return [[s.p[f"{name}.{what}.{k}"] for what in "xyd"] for k in range(count)]


def curve(x: Expression, knots: object) -> Expression:
    """y(x)."""
    return _sum_of_intervals(x, knots, _cubic, lambda y, d, r: d * r, first=True)


def area(x: Expression, knots: object) -> Expression:
    """∫ y dx from the first point to x."""
    return _sum_of_intervals(x, knots, _piece_area, lambda y, d, r: r * (y + 0.5 * d * r), first=False)


def _sum_of_intervals(x, knots, piece, straight, *, first):  # type: ignore[no-untyped-def]
    """Sum over all intervals, each at its own clamped x: at any x only one of them has a slope.

    The order of the arguments of fmin and fmax settles which one at a knot.
    """
    rows = list(knots)
    (x0, y0, d0), (xn, yn, dn) = rows[0], rows[-1]
    total = (y0 if first else 0.0) + straight(y0, d0, ca.fmin(x - x0, 0))
    total += straight(yn, dn, ca.fmax(0, x - xn))
    for (xa, ya, da), (xb, yb, db) in itertools.pairwise(rows):
        h = xb - xa
        z = (ca.fmax(xa, ca.fmin(x, xb)) - xa) / h
        total += piece(z, h, ya, da, yb, db)
    return total


def _cubic(z, h, ya, da, yb, db):  # type: ignore[no-untyped-def]
    """The cubic with ends ya, yb and slopes da, db, less ya."""
    return interpolate(z, h, 0.0, da, yb - ya, db)


def _piece_area(z, h, ya, da, yb, db):  # type: ignore[no-untyped-def]
    rise = z**3 * (1 - z / 2) * (yb - ya)
    left, right = z * z * (6 - 8 * z + 3 * z * z) / 12, z**3 * (4 - 3 * z) / 12
    return h * (ya * z + rise + h * (left * da - right * db))
