"""Track alignment under a line: curves, cant and gradients, piecewise linear between track points.

In axes that go with the track (x along it, y to the left, z away from the plane of the rails) a taut wire is pushed
towards the inside of a curve by its tension H times the curvature κ, as it is bowed by its weight:

    EI y⁗ − H y″ = H κ_y + μ g sin φ + f_y,    EI z⁗ − H z″ = H κ_z − μ g cos φ + f_z
    κ_y = κ cos φ,   κ_z = κ sin φ + di/dx,   tan φ = cant over the distance of the rails

so that between two supports l apart it stands κ l²/8 inside its chord, and every support takes H κ l more [Kiessling18,
ch. 4]. Neglected: that x is shorter inside a curve (by y/R), and ½ i² beside 1 on a gradient i.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Final

import numpy as np

from panhead.errors import ModelError, require_finite
from panhead.files.units import Dimensionless, Metres

RAILS: Final = 1.5  #: between the middles of two rails of standard gauge [m]
_TIGHTEST: Final = 20.0  # of a curve [m]
_MOST_CANT: Final = 0.3  # m
_STEEPEST: Final = 0.2  # gradient

Corner = tuple[float, float, float, float]  #: x [m], κ [1/m], φ [rad], di/dx from here on [1/m]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackPoint:
    """The track at one place; between two places curvature, cant and gradient change linearly (a transition)."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    at: Metres  #: position along the line [m]
    radius: Metres | None = None  #: + to the left, − to the right; None: straight [m]
    cant: Metres = 0.0  #: height of the outer rail; on straight track + leans to the left [m]
    gradient: Dimensionless = 0.0  #: rise over distance, + uphill

    def __post_init__(self) -> None:
        require_finite(self, "at", "radius", "cant", "gradient")
        if self.radius is not None and abs(self.radius) < _TIGHTEST:
            raise ModelError(f"TrackPoint at {self.at:g} m: radius {self.radius:g} m must be at least {_TIGHTEST:g} m")
        if abs(self.cant) > _MOST_CANT:
            raise ModelError(f"TrackPoint at {self.at:g} m: cant {self.cant:g} m must be at most {_MOST_CANT:g} m")
        if abs(self.gradient) > _STEEPEST:
            raise ModelError(f"TrackPoint at {self.at:g} m: gradient {self.gradient:g} must be at most {_STEEPEST:g}")

    @property
    def curvature(self) -> float:
        """κ = 1/R, + to the left [1/m]."""
        return 0.0 if self.radius is None else 1.0 / self.radius

    @property
    def tilt(self) -> float:
        """Roll angle φ of the track about its direction, + leans to the left [rad]: towards the inside of a curve."""
        side = -1.0 if self.radius is not None and self.radius < 0.0 else 1.0
        return side * math.asin(self.cant / RAILS)


def check_alignment(points: Sequence[TrackPoint]) -> None:
    """Raise ModelError unless the places increase."""
    for a, b in pairwise(points):
        if b.at <= a.at:
            raise ModelError(f"alignment: places must increase, but {b.at:g} m follows {a.at:g} m")


def tilt_at(points: Sequence[TrackPoint], x: float) -> float:
    """φ at x [rad]."""
    return float(np.interp(x, [p.at for p in points], [p.tilt for p in points])) if points else 0.0


def corners_between(points: Sequence[TrackPoint], start: float, length: float) -> tuple[Corner, ...]:
    """Track points under a span that begins at ``start``, x from there; empty if the track is straight and level.

    Equal stretches of track give equal points.
    """
    if not points:
        return ()
    at = np.array([p.at for p in points])
    inside = [float(x - start) for x in at if 1e-6 < x - start < length - 1e-6]
    places = [0.0, *(round(x, 6) for x in inside), round(length, 6)]
    x = start + np.array(places)
    kappa = np.interp(x, at, [p.curvature for p in points])
    phi = np.interp(x, at, [p.tilt for p in points])
    grade = np.interp(x, at, [p.gradient for p in points])
    bend = np.append(np.diff(grade) / np.diff(x), 0.0)
    if not (kappa.any() or phi.any() or np.abs(bend).max() > 1e-12):
        return ()
    rounded = (tuple(round(float(v), 12) for v in values) for values in (kappa, phi, bend))
    return tuple(zip(places, *rounded, strict=True))


def curvature_and_tilt(corners: Sequence[Corner], x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """κ_z, κ_y [1/m] and φ [rad] at places x inside a span (middles of elements)."""
    place, kappa, phi, bend = (np.array(column) for column in zip(*corners, strict=True))
    k, tilt = np.interp(x, place, kappa), np.interp(x, place, phi)
    vertical = bend[np.clip(np.searchsorted(place, x, side="right") - 1, 0, place.size - 1)]
    return k * np.sin(tilt) + vertical, k * np.cos(tilt), tilt
