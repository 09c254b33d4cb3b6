"""Wheel and rail profiles as smooth curves, from analytic segments or measured points.

wheel                                    rail (left one, seen from behind)
    z: growth of the radius                     z up
──── tread ──── root ╲ flange             ___________  top, z = 0
  y to the field side                    (           )     y to the field side
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from panhead.errors import ModelError, label, require_finite, require_not_negative, require_positive
from panhead.files import library
from panhead.files.units import Metres

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline  # loaded where it is used: most runs have no wheels

_KNOT = 0.5e-3  # distance of the splines' knots [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """z = z₀ ± √(R² − (y − y₀)²): the upper half of a circle, the lower one if hollow."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    radius: float
    y: float  #: y₀
    z: float  #: z₀
    hollow: bool = False

    def __post_init__(self) -> None:
        require_positive(self, "radius")
        require_finite(self, "y", "z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePiece:
    """A stretch of a profile: z as a polynomial of y, lowest power first, or an arc of a circle."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    start: float  #: first y, in the profile's scale
    end: float
    polynomial: tuple[float, ...] = ()
    arc: Arc | None = None

    def __post_init__(self) -> None:
        require_finite(self, "start", "end")
        if not self.end > self.start:
            raise ModelError(f"Piece: end {self.end:g} must lie beyond start {self.start:g}")
        if bool(self.polynomial) == (self.arc is not None):
            raise ModelError(f"Piece from {self.start:g} to {self.end:g}: give either a polynomial or an arc")
        if self.arc and max(abs(y - self.arc.y) for y in (self.start, self.end)) > self.arc.radius:
            raise ModelError(
                f"Piece from {self.start:g} to {self.end:g}: leaves its circle of radius "
                f"{self.arc.radius:g} about y = {self.arc.y:g}"
            )

    def points(self, count: int) -> np.ndarray:
        """(count, 2) points y, z; on an arc at equal angles, for its ends may be steep."""
        if self.arc is None:
            y = np.linspace(self.start, self.end, count)
            return np.column_stack([y, np.polynomial.polynomial.polyval(y, self.polynomial)])
        arc = self.arc
        low, high = (math.asin((y - arc.y) / arc.radius) for y in (self.start, self.end))
        angle = np.linspace(low, high, count)
        sign = -1.0 if arc.hollow else 1.0
        return np.column_stack([arc.y + arc.radius * np.sin(angle), arc.z + sign * arc.radius * np.cos(angle)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """A wheel's or rail's cross-section, as pieces or as points, from small to large y.

    ``smoothing`` is a wavelength: shorter ripples along the profile are smoothed away. A ripple of
    exactly this wavelength is halved, one of twice the wavelength loses 6 %, one of four times 0.4 %.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    kind: Literal["wheel", "rail"]
    pieces: tuple[ProfilePiece, ...] = ()
    points: tuple[tuple[float, float], ...] = ()  #: y, z in ``scale``
    scale: Metres = 1.0  #: what one unit of pieces and points is [m]
    symmetric: bool = False  #: only the half y > 0 is given
    smoothing: Metres = 0.004  #: [m]
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_positive(self, "scale")
        require_not_negative(self, "smoothing")
        if bool(self.pieces) == bool(self.points):
            raise ModelError(f"{label(self)}: give either pieces or points")
        for one, two in zip(self.pieces, self.pieces[1:], strict=False):
            self._require_joined(one, two)
        if self.points:
            self._require_usable_points()

    def _require_joined(self, one: ProfilePiece, two: ProfilePiece) -> None:
        gap = two.points(2)[0] - one.points(2)[-1]
        if np.abs(gap).max() * self.scale > 2e-5:
            raise ModelError(
                f"{label(self)}: pieces ending at {one.end:g} and beginning at {two.start:g} are "
                f"{np.hypot(*gap):.3g} apart; make them meet"
            )

    def _require_usable_points(self) -> None:
        points = np.array(self.points, dtype=float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 10:
            raise ModelError(f"{label(self)}: needs at least 10 points (y, z)")
        if not np.isfinite(points).all():
            raise ModelError(f"{label(self)}: point {_first_not_finite(points)} is not finite")
        steps = np.hypot(*np.diff(points, axis=0).T)
        if not steps.min() > 0.0:
            raise ModelError(f"{label(self)}: point {int(steps.argmin()) + 2} repeats the one before")
        if points[-1, 0] <= points[0, 0]:
            raise ModelError(f"{label(self)}: points must run from the gauge side to the field side")

    def outline(self) -> np.ndarray:
        """(n, 2) points y, z [m] along the profile, dense if it is analytic, else as given."""
        if self.points:
            outline = np.array(self.points, dtype=float)
        else:
            each = [p.points(2 + int((p.end - p.start) * self.scale / 2e-5)) for p in self.pieces]
            outline = np.vstack([each[0], *(p[1:] for p in each[1:])])
        if self.symmetric:
            mirrored = outline[::-1] * (-1.0, 1.0)
            outline = np.vstack([mirrored[:-1] if outline[0, 0] == 0.0 else mirrored, outline])
        return outline * self.scale

    def curve(self) -> Curve:
        """The smooth curve through the profile."""
        return smooth_curve(self.outline(), self.smoothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """A plane curve of two C2 cubic splines over (nearly) its arc length, from 0 to ``length``."""

    y: CubicSpline
    z: CubicSpline
    length: float  #: [m]

    def at(self, s: np.ndarray) -> np.ndarray:
        """(n, 2) points."""
        return np.column_stack([self.y(s), self.z(s)])

    def slopes(self, s: np.ndarray) -> np.ndarray:
        """(n, 2) derivatives along s."""
        return np.column_stack([self.y(s, 1), self.z(s, 1)])

    def curvature(self, s: np.ndarray) -> np.ndarray:
        """(n,) curvature, positive where the curve bulges to larger z [1/m]."""
        (y1, z1), (y2, z2) = self.slopes(s).T, (self.y(s, 2), self.z(s, 2))
        return (z1 * y2 - y1 * z2) / np.hypot(y1, z1) ** 3

    def cubics(self) -> tuple[np.ndarray, float]:
        """(n, 8) coefficients of both splines, rising powers, and the knots' distance, for kernels."""
        step = float(self.y.x[1] - self.y.x[0])
        return np.ascontiguousarray(np.hstack([self.y.c[::-1].T, self.z.c[::-1].T])), step

    def moved(self, *, angle: float = 0.0, y: float = 0.0, z: float = 0.0) -> Curve:
        """Return the curve rotated counter-clockwise by ``angle`` [rad] about the origin, then shifted."""
        c, s = math.cos(angle), math.sin(angle)
        x, (p, q) = self.y.x, (self.y(self.y.x), self.z(self.y.x))
        return Curve(y=_spline(x, c * p - s * q + y), z=_spline(x, s * p + c * q + z), length=self.length)


def read_profile(source: str | Path) -> Profile:
    """Read a profile by its shipped name or from a TOML file."""
    return library.read(Profile, "profiles", source)


def smooth_curve(points: np.ndarray, wavelength: float) -> Curve:
    """The smooth curve along points (n, 2) [m]: smoothing splines over the chord length.

    Each coordinate minimises ∫ (f − p)² ds + (wavelength/2π)⁴ ∫ f″² ds.
    """
    from scipy.interpolate import make_smoothing_spline

    chord = _chord(points)
    if wavelength > 0.0:
        even = np.linspace(0.0, chord[-1], max(len(points), int(chord[-1] / 1e-4)) + 1)
        # as dense as the points, so that no detail is lost before smoothing
        dense = np.column_stack([np.interp(even, chord, points[:, k]) for k in range(2)])
        weight = np.full(len(even), even[1])
        lam = (wavelength / (2.0 * math.pi)) ** 4
        points = np.column_stack([make_smoothing_spline(even, dense[:, k], w=weight, lam=lam)(even) for k in range(2)])
        chord = _chord(points)
    knots = np.linspace(0.0, chord[-1], max(8, round(chord[-1] / _KNOT)) + 1)
    through = _spline(chord, points)(knots)
    return Curve(y=_spline(knots, through[:, 0]), z=_spline(knots, through[:, 1]), length=float(chord[-1]))


def _spline(x: np.ndarray, values: np.ndarray) -> CubicSpline:
    from scipy.interpolate import CubicSpline

    return CubicSpline(x, values)


def _chord(points: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))])


def _first_not_finite(points: np.ndarray) -> int:
    return int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0]) + 1
