"""Catalogue of wires: contact wires, messengers, stitch wires and dropper ropes by name.

EI = E A²/(4π n) of n equal strands, as in ``wires.Wire``;  EA = E A
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from panhead.errors import ModelError, alternatives, require_positive
from panhead.files import library, parse
from panhead.files.units import KilogramsPerMetre, Metres, Newtons, Pascals, PerSecond, Seconds, SquareMetres
from panhead.railway.line.wires import PerKelvin, Wire


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueWire:
    """One wire of the catalogue, as its maker or a standard lists it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    area: SquareMetres  #: metallic cross-section, nominal if nothing else is known [m²]
    mass_per_length: KilogramsPerMetre
    modulus: Pascals  #: Young's modulus E; of a strand that of the rope [Pa]
    expansion: PerKelvin = 17e-6  #: thermal expansion α [1/K]
    strands: int = 1  #: number of wires in the strand; 1 is solid
    diameter: Metres | None = None  #: what wind sees; None: of a round wire of that area [m]
    strength: Newtons | None = None  #: smallest breaking load; None: not known here [N]
    source: str  #: where each number comes from

    def __post_init__(self) -> None:
        require_positive(self, "area", "mass_per_length", "modulus", "expansion", "strands")
        for name in ("diameter", "strength"):
            if getattr(self, name) is not None:
                require_positive(self, name)

    def under(self, tension: Newtons, mass_damping: PerSecond, stiffness_damping: Seconds) -> Wire:
        """The wire under a tension, with the damping of its line."""
        return Wire(
            tension=tension,
            mass_per_length=self.mass_per_length,
            area=self.area,
            strands=self.strands,
            bending_stiffness=self.modulus * self.area**2 / (4.0 * math.pi * self.strands),
            axial_stiffness=self.modulus * self.area,
            expansion=self.expansion,
            diameter=self.diameter,
            mass_damping=mass_damping,
            stiffness_damping=stiffness_damping,
        )


@functools.cache
def wire_catalogue() -> Mapping[str, CatalogueWire]:
    """Every shipped wire by its name."""
    return wires_from(parse.read_toml(library.shipped("wires")["wires"]), source="wires.toml")


def wires_from(raw: Mapping[str, Any], *, source: object) -> dict[str, CatalogueWire]:
    """Wires of a table name → properties."""
    return {name: parse.build(CatalogueWire, table, source=f"{source}: {name}") for name, table in raw.items()}


def find_wire(name: str, own: Mapping[str, CatalogueWire]) -> CatalogueWire:
    """A wire by its name: one of ``own``, or of the shipped catalogue."""
    known = {**wire_catalogue(), **own}
    if name not in known:
        raise ModelError(f"wire: {name!r} is not in the catalogue of wires; {alternatives(name, known)}")
    return known[name]
