"""Plausibility ranges: compare numbers with published ranges to find wrong units (data/ranges, with sources).

Single keys are compared as written (``implausible_keys``), derived quantities by their name
(``implausible_quantities``).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, ClassVar, Final

from panhead.errors import FileError, ModelError
from panhead.files import library
from panhead.files.inventory import stated_fields
from panhead.files.units import to_si

_SHOWN: Final = {"Pa": ("N/mm²", 1e-6), "N*m**2": ("N·m²", 1.0), "kg/m**3": ("kg/m³", 1.0), "degC": ("°C", 1.0)}
_THOUSANDS: Final = 1e4  # from where on newtons are kilonewtons


@dataclass(frozen=True, slots=True, kw_only=True)
class PlausibleRange:
    """Plausible range of one key or derived quantity, with its source."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    low: float | str
    high: float | str
    source: str
    key: tuple[str, ...] = ()  #: ends of paths; * is any part
    quantity: str = ""  #: or the name of what follows from several keys

    def __post_init__(self) -> None:
        if bool(self.key) == bool(self.quantity):
            raise ModelError("PlausibleRange: give either key or quantity")

    def holds(self, path: str) -> bool:
        """Return whether the range applies to the key of this path (indices of items left out)."""
        return any(fnmatchcase(f".{path}", f"*.{key}") for key in self.key)

    def ends(self, unit: str) -> tuple[float, float]:
        """Both ends in the SI unit."""
        low, high = (to_si(x, unit) if isinstance(x, str) else x for x in (self.low, self.high))
        return low, high


@dataclass(frozen=True, slots=True, kw_only=True)
class PlausibleRanges:
    """A file of plausible ranges."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    range: tuple[PlausibleRange, ...]


@dataclass(frozen=True, slots=True)
class Derived:
    """A quantity derived from several numbers of one part."""

    place: str
    quantity: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Implausible:
    """A number outside its plausible range."""

    place: str  #: path in the file
    words: str
    remedy: str
    value: float  #: SI
    limit: float  #: SI
    unit: str
    source: str


@functools.cache
def read_ranges(name: str) -> tuple[PlausibleRange, ...]:
    """Read the shipped ranges for lines, pantographs or runs."""
    return library.read(PlausibleRanges, "ranges", name).range


def implausible_keys(name: str, description: Any) -> Iterator[Implausible]:
    """Find every key with a unit whose number is outside its range; each key once, at its first occurrence."""
    seen: set[str] = set()
    for path, value, unit in stated_fields(description):
        plain = ".".join(part for part in path.split(".") if not part.isdigit())
        row = next((r for r in read_ranges(name) if r.holds(plain)), None) if unit else None
        if row is None or plain in seen:
            continue
        numbers = [float(x) for x in (value if isinstance(value, list) else [value]) if isinstance(x, int | float)]
        key = path.rpartition(".")[2]
        found = next(filter(None, (_outside(row, path, key, x, unit, name) for x in numbers)), None)
        if found is not None:
            seen.add(plain)
            yield found


def implausible_quantities(name: str, values: Iterable[Derived]) -> Iterator[Implausible]:
    """Find every derived quantity outside its range."""
    for one in values:
        row = next((r for r in read_ranges(name) if r.quantity == one.quantity), None)
        if row is None:
            raise FileError(f"data/ranges/{name}.toml", f"has no range for {one.quantity!r}")
        found = _outside(row, one.place, one.quantity, one.value, one.unit, name)
        if found is not None:
            yield found


def _outside(row: PlausibleRange, place: str, what: str, value: float, unit: str, kind: str) -> Implausible | None:
    low, high = row.ends(unit)
    if value == 0.0 or low <= value <= high:
        return None
    limit, side = (low, "below the plausible minimum") if value < low else (high, "above the plausible maximum")
    words = f"{what} {_to_text(value, unit)} is {side} of {_to_text(limit, unit)} for a {kind}"
    remedy = "check its unit" if row.key else "check the units of the numbers it is derived from"
    return Implausible(place, words, remedy, value, limit, unit, row.source)


def _to_text(value: float, unit: str) -> str:
    """Format a value with its unit as engineers write it."""
    name, factor = _SHOWN.get(unit, (unit, 1.0))
    if name.startswith("N") and abs(value * factor) >= _THOUSANDS:
        name, factor = f"k{name}", 1e-3 * factor
    return f"{value * factor:.4g} {name}".strip()
