"""Numbers of a line beside what any line has (``data/ranges/line.toml``): a slipped unit is a factor of a thousand.

Single keys are compared as they are written. What several of them decide is compared as well, for a wire of horizontal
tension H, mass per length μ and section A:

    c = √(H/μ),   σ = H/A,   ρ = μ/A,   E = EA/A,   ε = H/EA,   EI / (E_Cu A_Cu²/4π) with A_Cu = μ/ρ_Cu
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar, Final

from panhead.errors import FileError, ModelError
from panhead.files import library
from panhead.files.inventory import stated
from panhead.files.units import to_si
from panhead.line.assumptions import wires_of
from panhead.line.description import Line
from panhead.line.parts import Support
from panhead.line.wires import MATERIALS, Wire

_COPPER: Final = MATERIALS["copper"]
_SHOWN: Final = {"Pa": ("N/mm²", 1e-6), "N*m**2": ("N·m²", 1.0), "kg/m**3": ("kg/m³", 1.0), "degC": ("°C", 1.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlausibleRange:
    """Between what a number lies, and who says so."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    low: float | str
    high: float | str
    source: str
    key: tuple[str, ...] = ()  #: ends of paths; * is any one part
    quantity: str = ""  #: or what it follows from

    def __post_init__(self) -> None:
        if bool(self.key) == bool(self.quantity):
            raise ModelError("PlausibleRange: give key or quantity, one of them")

    def holds(self, path: str) -> bool:
        """Whether it is meant for the key of this path, numbers of items left out."""
        return any(fnmatchcase(f".{path}", f"*.{key}") for key in self.key)

    def ends(self, unit: str) -> tuple[float, float]:
        """Both in the SI unit."""
        low, high = (to_si(x, unit) if isinstance(x, str) else x for x in (self.low, self.high))
        return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class PlausibleRanges:
    """A file of them."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    range: tuple[PlausibleRange, ...]


@dataclass(frozen=True, slots=True)
class Implausible:
    """A number of a line that no line has."""

    place: str  #: path in the file of the line
    words: str
    remedy: str
    value: float  #: SI
    limit: float  #: SI
    unit: str
    source: str


@dataclass(frozen=True, slots=True)
class Derived:
    """What follows from several numbers of one part."""

    place: str
    quantity: str
    value: float
    unit: str


@functools.cache
def ranges() -> tuple[PlausibleRange, ...]:
    """Those that are shipped."""
    return library.read(PlausibleRanges, "ranges", "line").range


def implausible(line: Line) -> Iterator[Implausible]:
    """Every number of a line outside its range; each key once, at its first place."""
    seen: set[str] = set()
    for path, value, unit in stated(line):
        if not unit:
            continue
        plain = ".".join(part for part in path.split(".") if not part.isdigit())
        row = next((r for r in ranges() if r.holds(plain)), None)
        numbers = [x for x in (value if isinstance(value, list) else [value]) if isinstance(x, int | float)]
        if row is None or plain in seen:
            continue
        key = path.rpartition(".")[2]
        found = next(filter(None, (_outside(row, path, key, float(x), unit) for x in numbers)), None)
        if found is not None:
            seen.add(plain)
            yield found
    for derived in (*_of_wires(line), *_of_rails(line), *_of_masts(line)):
        row = next((r for r in ranges() if r.quantity == derived.quantity), None)
        if row is None:
            raise FileError("data/ranges/line.toml", f"has no range of {derived.quantity!r}")
        found = _outside(row, derived.place, derived.quantity, derived.value, derived.unit)
        if found is not None:
            yield found


def _outside(row: PlausibleRange, place: str, what: str, value: float, unit: str) -> Implausible | None:
    low, high = row.ends(unit)
    if value == 0.0 or low <= value <= high:
        return None
    limit, side = (low, "less") if value < low else (high, "more")
    words = f"{what} {shown(value, unit)}, {side} than the {shown(limit, unit)} that lines have ({row.source})"
    return Implausible(place, words, "look at the unit of the numbers it follows from", value, limit, unit, row.source)


def shown(value: float, unit: str) -> str:
    """As an engineer writes it."""
    name, factor = _SHOWN.get(unit, (unit, 1.0))
    return f"{value * factor:.4g} {name}".strip()


def _of_wires(line: Line) -> Iterator[Derived]:
    for place, wire in wires_of(line):
        if not wire.tension > 0.0:
            continue
        own = " of the contact wire" if place.endswith(".contact") else " of the wire"
        yield Derived(place, f"wave speed{own}", wire.wave_speed, "m/s")
        yield Derived(place, "mass per length of the wire", wire.mu, "kg/m")
        copper = wire.mu / _COPPER.density
        solid = _COPPER.modulus * copper**2 / (4.0 * math.pi)
        what = f"bending stiffness{own} over that of a solid copper wire of the same mass"
        yield Derived(place, what, wire.EI / solid, "")
        if wire.diameter is not None:
            width = math.sqrt(4.0 * copper / math.pi)
            yield Derived(place, "width of the wire over that of its mass in copper", wire.diameter / width, "")
        if math.isfinite(wire.EA):
            yield Derived(place, "strain, tension over axial stiffness", wire.tension / wire.EA, "")
        yield from _of_section(place, own, wire)


def _of_section(place: str, own: str, wire: Wire) -> Iterator[Derived]:
    if wire.area is None:
        return
    yield Derived(place, f"stress{own}", wire.tension / wire.area, "Pa")
    yield Derived(place, "density, mass per length over area", wire.mu / wire.area, "kg/m**3")
    if math.isfinite(wire.EA):
        yield Derived(place, "modulus, axial stiffness over area", wire.EA / wire.area, "Pa")


def _of_rails(line: Line) -> Iterator[Derived]:
    for number, length in enumerate(line.tension_lengths, 1):
        rail, place = (length.wires or line.wires).contact, "wires.contact"
        if rail.tension > 0.0:
            continue
        spans = [line.span_kinds[span.kind] if span.kind else span for span in length.spans]
        yield Derived(place, "mass per length of the rail", rail.mu, "kg/m")
        yield Derived(place, "bending stiffness of the rail", rail.EI, "N*m**2")
        if rail.diameter is not None:
            yield Derived(place, "diameter of the rail", rail.diameter, "m")
        if line.support.contact_stiffness > 0.0:
            weight = rail.mu * line.gravity * max(float(span.length or 0.0) for span in spans)
            what = "sinking of the rail at a support, weight of a span over its stiffness"
            yield Derived("support.contact_stiffness", what, weight / line.support.contact_stiffness, "m")
        for k, joint in enumerate(length.rail_joints, 1):
            place = f"tension_lengths.{number}.rail_joints.{k}"
            ratio = joint.bending_stiffness / rail.EI
            yield Derived(place, "bending stiffness of a joint over that of its rail", ratio, "")


def _of_masts(line: Line) -> Iterator[Derived]:
    for _, height in line.height_profile:
        yield Derived("height_profile", "height of the contact wire", height, "m")
    masts = [mast for length in line.tension_lengths for mast in length.masts]
    supports = {"support": line.support} | {f"support_kinds.{name}": s for name, s in line.support_kinds.items()}
    supports |= {f"masts.{m.at}.support": m.support for m in masts if isinstance(m.support, Support)}
    for place, support in supports.items():
        yield Derived(f"{place}.stagger", "stagger of the support", abs(support.stagger), "m")
        if line.wires.contact.tension > 0.0:
            what, held = "stiffness of the support under a contact wire", support.contact_stiffness
            yield Derived(f"{place}.contact_stiffness", what, held, "N/m")
