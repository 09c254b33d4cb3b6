"""Unknown parameters of a calibration as coordinates x with a standard normal prior.

A parameter p with prior value p₀ and standard deviation s is

    p = p₀ exp(s x)   (s relative: log-normal, stays positive)      p = p₀ + s x   (s in its unit: normal)
"""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panhead.errors import ModelError, alternatives
from panhead.explore.calibration.calibration_description import UnknownParameter
from panhead.explore.designs.parameters import CHANGEABLE
from panhead.explore.designs.problem import ChangedParts
from panhead.files.units import in_unit
from panhead.runs.gradients.parameter_families import FAMILIES

_LARGEST = 1.0  # relative standard deviation of a prior


@dataclass(frozen=True, slots=True)
class UnknownCoordinate:
    """One unknown: the parameters of a family that change alike."""

    family: str
    names: tuple[str, ...]
    base: tuple[float, ...]  #: prior values, in the order of the names
    scale: float  #: s
    relative: bool

    @property
    def title(self) -> str:
        """Family and names."""
        names = self.names[0] if len(self.names) == 1 else f"{self.names[0]} and {len(self.names) - 1} more"
        return f"{self.family} ({names})"

    @property
    def unit(self) -> str:
        """SI unit of the parameter."""
        return FAMILIES[self.family].unit

    def values(self, x: float) -> list[float]:
        """Values of the parameters at x."""
        return [p * float(np.exp(self.scale * x)) if self.relative else p + self.scale * x for p in self.base]

    def slopes(self, x: float) -> list[float]:
        """dp/dx of each parameter."""
        return [self.scale * p if self.relative else self.scale for p in self.values(x)]


def coordinates_of(unknowns: Sequence[UnknownParameter], parts: ChangedParts) -> list[UnknownCoordinate]:
    """Coordinates of every unknown; ModelError for a parameter that is unknown twice, or absent."""
    found: list[UnknownCoordinate] = []
    seen: set[tuple[str, str]] = set()
    for unknown in unknowns:
        one = _coordinate(unknown, parts)
        twice = next((name for name in one.names if (one.family, name) in seen), None)
        if twice is not None:
            raise ModelError(f"unknowns: {one.family} of {twice!r} is unknown twice; narrow one of the patterns")
        seen |= {(one.family, name) for name in one.names}
        found.append(one)
    return found


def _coordinate(unknown: UnknownParameter, parts: ChangedParts) -> UnknownCoordinate:
    if unknown.parameter not in CHANGEABLE:
        raise ModelError(
            f"unknowns: {unknown.parameter!r} cannot be calibrated; {alternatives(unknown.parameter, CHANGEABLE)}"
        )
    values = parts.values(unknown.parameter)
    names = fnmatch.filter(values, unknown.names)
    if not names:
        raise ModelError(
            f"unknowns: no {unknown.parameter} is called {unknown.names!r}; {alternatives(unknown.names, values)}"
        )
    base = tuple(values[name] for name in names)
    scale, relative = _spread(unknown)
    if relative and min(base) <= 0.0:
        raise ModelError(
            f"unknowns: {unknown.parameter} of {names[int(np.argmin(base))]!r} is {min(base):g}, of which no share can "
            f"be given; give `within` in {FAMILIES[unknown.parameter].unit}"
        )
    return UnknownCoordinate(unknown.parameter, tuple(names), base, scale, relative)


def _spread(unknown: UnknownParameter) -> tuple[float, bool]:
    """Standard deviation of the prior, and whether it is relative."""
    given = unknown.within
    try:
        if isinstance(given, str) and given.strip().endswith("%"):
            spread, relative = float(given.strip().removesuffix("%")) / 100.0, True
        else:
            spread, relative = in_unit(given, FAMILIES[unknown.parameter].unit), False
    except ValueError as error:
        raise ModelError(f"unknowns: within of {unknown.parameter}: {error}") from None
    if not spread > 0.0 or (relative and spread > _LARGEST):
        raise ModelError(
            f"unknowns: within of {unknown.parameter} must be positive and at most {100 * _LARGEST:g} %, got {given!r}"
        )
    return spread, relative


def parts_at(parts: ChangedParts, coordinates: Sequence[UnknownCoordinate], x: np.ndarray) -> ChangedParts:
    """The parts with every unknown put in."""
    for family in dict.fromkeys(c.family for c in coordinates):
        values = parts.values(family)
        for one, at in zip(coordinates, x, strict=True):
            if one.family == family:
                values |= dict(zip(one.names, one.values(float(at)), strict=True))
        parts = parts.put(family, values)
    return parts
