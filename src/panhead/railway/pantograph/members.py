"""Flexible members of a pantograph: a forked arm of tubes, straight tubes, a head as a beam with end masses.

rear
  ╲ knee ─────────── stem ─────────── fork ╱ left
   ●─────────────────────────────────●────<          42 elements, 43 nodes
                                           ╲ right
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import ceil, pi, sqrt
from typing import Any, ClassVar, final

import numpy as np

from panhead.engine.roles import Triple
from panhead.engine.structures import BeamMaterial, JointMass, Member, Section, Structure, frame
from panhead.errors import ModelError, require_not_negative, require_positive

_STEM, _BRANCH, _BRACKET = 10, 4, 6  # pieces of two elements; elements of the bracket
_TUBE_ELEMENTS = 10


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ForkedArm:
    """An arm of round tubes: a bracket, a stem that changes along its length, and two branches."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    young: float  #: E [Pa]
    poisson: float
    density: float  #: ρ [kg/m³]
    mean_area: float  #: as printed [m²]
    rear: Triple  #: end of the bracket [m]
    knee: Triple  #: [m]
    left: Triple  #: end of the left branch [m]
    fork: float  #: x of the fork on the line of the stem [m]
    stem_areas: tuple[float, float]  #: at the knee and at the fork [m²]
    stem_diameters: Triple  #: at the knee, half-way, at the fork [m]
    branch_areas: tuple[float, float]  #: at the fork and at the end [m²]
    branch_diameters: tuple[float, float]  #: [m]
    bracket_area: float  #: [m²]
    bracket_diameter: float  #: [m]
    damping: float  #: ratio of every mode
    about_z: Triple  #: printed frequencies of bending to either side [Hz]
    about_y: tuple[float, float]  #: up and down [Hz]
    opening: float  #: of the fork [Hz]

    def __post_init__(self) -> None:
        require_positive(self, "young", "density", "bracket_area", "bracket_diameter")
        require_not_negative(self, "damping")
        if not self.knee[0] < self.fork < self.left[0]:
            raise ModelError(f"ForkedArm: the fork must lie between knee and ends, got x = {self.fork!r}")

    @property
    def places(self) -> tuple[str, ...]:
        """Names of its joints."""
        return ("rear", "knee", "left", "right")

    def structure(self) -> Structure:
        """42 beam elements between 43 nodes; the joints are its places."""
        joints: dict[str, Triple] = {"rear": self.rear, "knee": self.knee}
        steel = BeamMaterial(young=self.young, poisson=self.poisson, density=self.density)
        bracket = tube(self.bracket_area, self.bracket_diameter)
        members = [Member(begin="rear", end="knee", section=bracket, material=steel, elements=_BRACKET)]
        fork = (self.fork, 0.0, 0.0)
        right = (self.left[0], -self.left[1], self.left[2])
        paths = [
            ("knee", "fork", fork, self._stem()),
            ("fork", "left", self.left, self._branch()),
            ("fork", "right", right, self._branch()),
        ]
        for begin, end, point, sections in paths:
            members += _segments(joints, (begin, end), point, sections, steel)
        return frame("top arm", joints=joints, members=tuple(members))

    def _stem(self) -> list[Section]:
        a, (d0, d1, d2) = self.stem_areas, self.stem_diameters
        return [
            tube(a[0] + (a[1] - a[0]) * s, d0 * (1 - s) * (1 - 2 * s) + d1 * 4 * s * (1 - s) + d2 * s * (2 * s - 1))
            for s in (np.arange(_STEM) + 0.5) / _STEM
        ]

    def _branch(self) -> list[Section]:
        a, d = self.branch_areas, self.branch_diameters
        return [tube(a[0] + (a[1] - a[0]) * s, d[0] + (d[1] - d[0]) * s) for s in (np.arange(_BRANCH) + 0.5) / _BRANCH]


def _segments(
    joints: dict[str, Triple], ends: tuple[str, str], point: Triple, sections: list[Section], material: BeamMaterial
) -> list[Member]:
    """Divide a straight path into segments of two elements, each of one section; new nodes are added on the way."""
    begin, end = ends
    start, last, members = np.array(joints[begin]), begin, []
    for k, section in enumerate(sections, 1):
        name = end if k == len(sections) else f"{end} {k}"
        x, y, z = start + (np.array(point) - start) * k / len(sections)
        joints[name] = (float(x), float(y), float(z))
        members.append(Member(begin=last, end=name, section=section, material=material, elements=2))
        last = name
    return members


def tube(area: float, diameter: float) -> Section:
    """A round tube by its area [m²] and outer diameter [m]: wall = (d − √(d² − 4 A / π)) / 2."""
    hollow = diameter**2 - 4 * area / pi
    if not hollow >= 0:
        raise ModelError(f"a tube of {diameter:g} m diameter cannot have an area of {area:g} m²; make it wider")
    return Section.tube(diameter=diameter, thickness=(diameter - sqrt(hollow)) / 2)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StraightTube:
    """A round tube along the body's x axis with a fitting at either end; area = mass / (ρ L)."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    member: str  #: body of the table
    stations: tuple[float, ...]  #: x where joints, springs and moments take hold, from end to end [m]
    young: float  #: E [Pa]
    poisson: float
    density: float  #: ρ [kg/m³]
    diameter: float  #: outer [m]
    mass: float  #: of the tube without fittings [kg]
    end_mass: float  #: of either fitting [kg]
    end_inertia: float  #: of either fitting about the axis [kg·m²]
    damping: float  #: ratio of every mode

    def __post_init__(self) -> None:
        require_positive(self, "young", "density", "diameter", "mass")
        require_not_negative(self, "damping", "end_mass", "end_inertia")
        if len(self.stations) < 2 or any(a >= b for a, b in pairwise(self.stations)):
            raise ModelError(f"StraightTube {self.member!r}: stations must increase, got {self.stations!r}")

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the stations."""
        return tuple(f"station {k}" for k in range(1, len(self.stations) + 1))

    def structure(self) -> Structure:
        """Elements of at most a tenth of its length, two or more between stations, which are its places."""
        length = self.stations[-1] - self.stations[0]
        section = tube(self.mass / (self.density * length), self.diameter)
        material = BeamMaterial(young=self.young, poisson=self.poisson, density=self.density)
        joints: dict[str, Triple] = {name: (x, 0.0, 0.0) for name, x in zip(self.places, self.stations, strict=True)}
        members = [
            Member(begin=a, end=b, section=section, material=material,
                elements=max(2, ceil(_TUBE_ELEMENTS * (joints[b][0] - joints[a][0]) / length - 1e-9)))
            for a, b in pairwise(self.places)
        ]  # fmt: skip
        ends = (self.places[0], self.places[-1])
        lumps = [JointMass(at=end, mass=self.end_mass, inertia=(self.end_inertia, 0.0, 0.0)) for end in ends]
        return frame(self.member, joints=joints, members=tuple(members), lumps=tuple(lumps))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StripBeam:
    """A head as a straight beam along y with a lumped mass at either end."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    area: float  #: [m²]
    young: float  #: E [Pa]
    poisson: float
    density: float  #: ρ [kg/m³]
    half_length: float  #: [m]
    inertia_up: float  #: bending up and down [m⁴]
    inertia_along: float  #: bending along the track [m⁴]
    torsion: float  #: [m⁴]
    suspension: float  #: y of the springs [m]
    end_mass: float  #: [kg]
    end_inertia: Triple  #: [kg·m²]
    spread: float  #: rotary inertia about y per length [kg·m]
    damping: float  #: ratio of every mode
    about_x: tuple[float, float]  #: printed frequencies of bending up and down [Hz]
    about_z: tuple[float]  #: along the track [Hz]
    torsional: tuple[float, float]  #: [Hz]
    stretching: float  #: along itself [Hz]

    def __post_init__(self) -> None:
        require_positive(self, "young", "density", "suspension", "end_mass")
        require_not_negative(self, "damping", "spread")
        if not self.half_length > self.suspension:
            raise ModelError(
                f"StripBeam: springs at {self.suspension!r} m lie beyond its ends at {self.half_length!r} m; move them"
            )

    @property
    def places(self) -> tuple[str, ...]:
        """Names of the springs' places and of the middle."""
        return ("right", "middle", "left")

    def structure(self) -> Structure:
        """Twelve beam elements; "left" and "right" are over the springs, "middle" between them."""
        s, end = self.suspension, self.half_length
        names = ("right end", "right", "right half", "middle", "left half", "left", "left end")
        places = np.array([-end, -s, -s / 2, 0.0, s / 2, s, end])
        material = BeamMaterial(young=self.young, poisson=self.poisson, density=self.density)
        section = Section(area=self.area, inertia_y=self.inertia_up, inertia_z=self.inertia_along, torsion=self.torsion)
        members = [Member(begin=a, end=b, section=section, material=material, elements=2) for a, b in pairwise(names)]
        gaps = np.concatenate([[0.0], np.diff(places), [0.0]])
        share = self.spread * (gaps[:-1] + gaps[1:]) / 2
        lumps = [JointMass(at=name, inertia=(0.0, float(x), 0.0)) for name, x in zip(names, share, strict=True)]
        lumps += [
            JointMass(at=name, mass=self.end_mass, inertia=self.end_inertia) for name in ("right end", "left end")
        ]
        joints: dict[str, Triple] = {name: (0.0, float(y), 0.0) for name, y in zip(names, places, strict=True)}
        return frame("head", joints=joints, members=tuple(members), lumps=tuple(lumps))
