"""Track geometry: straights, curves with cant, clothoid transitions, irregular rails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files.units import Metres
from panhead.railway.vehicle.kernels.track_frame import TrackArrays
from panhead.railway.vehicle.rail_irregularities import Irregularity

_STEP = 0.5  # of the line's nodes [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrackSection:
    """A stretch of track: straight, a curve of constant radius, or a transition between neighbours.

    In a transition curvature and cant change linearly along the track: a clothoid.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    length: Metres  #: [m]
    radius: Metres | None = None  #: > 0 to the left, < 0 to the right; None: straight [m]
    cant: Metres = 0.0  #: height of the outer rail above the inner rail [m]
    transition: bool = False  #: curvature and cant vary linearly between the neighbouring sections

    def __post_init__(self) -> None:
        require_positive(self, "length")
        require_not_negative(self, "cant")
        require_finite(self, "radius")
        if self.radius is not None and abs(self.radius) < 50.0:
            raise ModelError(f"Section: a radius of {self.radius:g} m is too small for a railway; give a larger one")
        if self.transition and (self.radius is not None or self.cant):
            raise ModelError("Section: a transition takes radius and cant from its neighbours")
        if self.radius is None and self.cant:
            raise ModelError(f"Section: a straight cannot have cant, got {self.cant:g} m; remove cant")

    @property
    def curvature(self) -> float:
        """[1/m], > 0 to the left."""
        return 0.0 if self.radius is None else 1.0 / self.radius


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A track from s = 0 to its length; it starts along x at the origin of the world.

    The inner rail keeps its level in curves: the middle of the track rises by half the cant.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str = "straight"
    sections: tuple[TrackSection, ...] = (TrackSection(length=1000.0),)
    """Straight, curved and transition sections in order."""
    irregularity: Irregularity | None = None  #: track irregularity; None: none
    rail_distance: Metres = 1.5  #: distance between the centres of the rail heads [m]

    def __post_init__(self) -> None:
        require_positive(self, "rail_distance")
        if not self.sections:
            raise ModelError(f"Track {self.name!r}: needs at least one section")
        for k, (one, two) in enumerate(zip(self.sections, self.sections[1:], strict=False), 1):
            if one.transition and two.transition:
                raise ModelError(f"Track {self.name!r}: sections {k} and {k + 1} are both transitions")
            if not (one.transition or two.transition) and (one.radius, one.cant) != (two.radius, two.cant):
                raise ModelError(
                    f"Track {self.name!r}: curvature or cant jumps from section {k} to {k + 1}; put a "
                    "section with transition = true between them"
                )
        for k, section in enumerate(self.sections, 1):
            if section.cant >= 0.2 * self.rail_distance:
                raise ModelError(
                    f"Track {self.name!r}: a cant of {section.cant:g} m in section {k} is too large; reduce it"
                )

    @property
    def length(self) -> float:
        """[m]."""
        return float(sum(section.length for section in self.sections))

    def corners(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Ends of sections (n,) [m], and curvature [1/m] and roll [rad] there, linear in between."""
        place, bend, roll = [0.0], [], []
        for k, section in enumerate(self.sections):
            before, after = (self.sections[max(k - 1, 0)], self.sections[min(k + 1, len(self.sections) - 1)])
            ends = (before, after) if section.transition else (section, section)
            for end in ends:
                bend.append(0.0 if end.transition else end.curvature)
                roll.append(0.0 if end.transition else self._roll(end))
            place += [place[-1] + section.length] * 2
        return np.array(place[:-1]), np.array(bend), np.array(roll)

    def _roll(self, section: TrackSection) -> float:
        return -math.copysign(math.asin(section.cant / self.rail_distance), section.curvature)

    def arrays(self) -> TrackArrays:
        """For the kernels of ``panhead.railway.vehicle.kernels.track_frame``."""
        count = math.ceil(self.length / _STEP) + 1
        s = np.linspace(0.0, self.length, count)
        step = float(s[1])
        place, bend, roll = self.corners()
        bend_at, roll_at = np.interp(s, place, bend), np.interp(s, place, roll)
        heading, x, y = _integrate(s, place, bend)
        height = 0.5 * self.rail_distance * np.abs(np.sin(roll_at))
        slope = lambda f: np.gradient(f, step)
        line = np.column_stack(
            [
                *(x, np.cos(heading), y, np.sin(heading), height, slope(height)),
                *(heading, bend_at, roll_at, slope(roll_at)),
            ]
        )
        rough_step, rough = self._irregularity_arrays()
        return TrackArrays(
            length=self.length, step=step, line=np.ascontiguousarray(line), rough_step=rough_step, rough=rough
        )

    def _irregularity_arrays(self) -> tuple[float, np.ndarray]:
        if self.irregularity is None:
            return self.length, np.zeros((2, 8))
        x, values = self.irregularity.rails(self.length, 0.5 * self.rail_distance)
        from scipy.interpolate import CubicSpline  # half a second, and most runs have no track

        slopes = CubicSpline(x, values, axis=1)(x, 1)
        rough = np.stack([values, slopes], axis=1).reshape(8, -1).T
        return float(x[1]), np.ascontiguousarray(rough)


def _integrate(s: np.ndarray, place: np.ndarray, bend: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Heading, x, y at s: ∫κ exactly (κ is linear between corners), ∫cos and ∫sin by Gauss's rule."""
    # corners in pairs, place 0 ≤ … : heading at each corner, then a parabola from the last one
    area = np.concatenate([[0.0], np.cumsum(0.5 * (bend[1:] + bend[:-1]) * np.diff(place))])

    def heading(at: np.ndarray) -> np.ndarray:
        k = np.clip(np.searchsorted(place, at, side="right") - 1, 0, len(place) - 2)
        d = at - place[k]
        wide = np.maximum(place[k + 1] - place[k], 1e-300)
        rate = np.where(place[k + 1] > place[k], (bend[k + 1] - bend[k]) / wide, 0.0)
        return np.asarray(area[k] + bend[k] * d + 0.5 * rate * d * d)

    node, weight = np.polynomial.legendre.leggauss(4)
    half = 0.5 * np.diff(s)
    at = heading((0.5 * (s[1:] + s[:-1]))[:, None] + half[:, None] * node)
    add = lambda f: np.concatenate([[0.0], np.cumsum((f * weight).sum(axis=1) * half)])
    return heading(s), add(np.cos(at)), add(np.sin(at))
