"""Section insulators in the contact wire, and neutral sections between two of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files.units import Kilograms, Metres, NewtonSquareMetres

Let = tuple[float, float, float, float, float, float]  #: from, to [m], mass [kg/m], EI [N·m²], depth, ramp [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class InsulatorKind:
    """A stiff, heavy segment of the contact wire whose runners lie ``depth`` below the wire.

    The runners come down over ``ramp`` at both ends by 3ξ² − 2ξ³. Mass and EI add to the wire's; its tension stays.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    length: Metres  #: length of the insulator [m]
    mass: Kilograms  #: mass in addition to the wire [kg]
    bending_stiffness: NewtonSquareMetres = 0.0  #: bending stiffness EI in addition to the wire [N·m²]
    depth: Metres = 0.0  #: depth of the runners below the wire [m]
    ramp: Metres = 0.2  #: length over which the runners descend [m]

    def __post_init__(self) -> None:
        require_positive(self, "length", "ramp")
        require_not_negative(self, "mass", "bending_stiffness", "depth")
        if 2.0 * self.ramp > self.length:
            raise ModelError(
                f"InsulatorKind: two ramps of {self.ramp:g} m exceed its length of {self.length:g} m; shorten ramp"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionInsulator:
    """A section insulator at its place."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    position: Metres  #: position of its middle from the first mast of the tension length [m]
    kind: InsulatorKind  #: data of the insulator

    def __post_init__(self) -> None:
        require_positive(self, "position")


@dataclass(frozen=True, slots=True, kw_only=True)
class NeutralSection:
    """A part of the contact wire without voltage between two insulators; both lie inside it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    start: Metres  #: from the first mast of the tension length [m]
    end: Metres  #: end of the section [m]
    kind: InsulatorKind  #: data of the insulators at its ends

    def __post_init__(self) -> None:
        require_not_negative(self, "start")
        if self.end - self.start < 2.0 * self.kind.length:
            raise ModelError(
                f"NeutralSection: from {self.start:g} to {self.end:g} m there is no room for two insulators of "
                f"{self.kind.length:g} m; lengthen the section, or use shorter insulators"
            )

    def insulators(self) -> tuple[SectionInsulator, SectionInsulator]:
        """The insulators at both ends."""
        half = 0.5 * self.kind.length
        return (
            SectionInsulator(position=self.start + half, kind=self.kind),
            SectionInsulator(position=self.end - half, kind=self.kind),
        )


def insulators_in_span(pieces: tuple[SectionInsulator, ...], start: float, length: float) -> tuple[Let, ...]:
    """Insulators in a span that begins at ``start``, measured from there; one over a mast belongs to both spans."""
    found = []
    for piece in pieces:
        kind, begin = piece.kind, round(piece.position - 0.5 * piece.kind.length - start, 6)
        end = round(begin + kind.length, 6)
        if begin < length and end > 0.0:
            found.append((begin, end, kind.mass / kind.length, kind.bending_stiffness, kind.depth, kind.ramp))
    return tuple(found)


def insulator_marks(pieces: tuple[Let, ...], length: float) -> list[float]:
    """Places where stations are needed: the ends of an insulator and of its ramps."""
    places = [x for a, b, _, _, _, ramp in pieces for x in (a, a + ramp, b - ramp, b)]
    return [x for x in places if 0.0 < x < length]


def runner_depth(pieces: tuple[Let, ...], x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Depth of the running surface below the wire, and its slope, at stations x."""
    z, z_x = np.zeros((2, x.size))
    for begin, end, _, _, depth, ramp in pieces:
        for xi, sign in (((x - begin) / ramp, 1.0), ((end - x) / ramp, -1.0)):
            here = (xi >= 0.0) & (x <= 0.5 * (begin + end)) if sign > 0 else (xi >= 0.0) & (x > 0.5 * (begin + end))
            t = np.clip(xi, 0.0, 1.0)
            z += np.where(here, depth * t * t * (3.0 - 2.0 * t), 0.0)
            z_x += np.where(here, sign * depth * 6.0 * t * (1.0 - t) / ramp, 0.0)
    return z, z_x
