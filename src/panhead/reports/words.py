"""Numbers and units as a reader wants them, and where a result comes from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from panhead.assess.number_text import brief, number, value_and_bar, with_bar
from panhead.reports.page import Block, PageTable

if TYPE_CHECKING:
    import xarray as xr

__all__ = ["brief", "long_name", "number", "origin", "percent", "unit_of", "unit_text", "value_and_bar", "with_bar"]

_ORIGIN: Final = {"created": "Computed", "cpu": "Processor", "system": "System", "input_sha256": "Hash of the inputs"}


def percent(share: float | None, digits: int = 1) -> str:
    """A change with its sign, "–" if there is none to tell."""
    if share is None:
        return "–"
    text = f"{100 * share:+.{digits}f}"
    return text.replace("-", "−") if float(text) else text[1:]  # nothing has no sign


def unit_text(unit: str) -> str:
    """A unit as it is printed: ``m/s**2`` becomes m/s², nothing becomes 1.

    >>> unit_text("N*m/rad**2")
    'N·m/rad²'
    """
    text = unit.replace("degC", "°C").replace("**2", "²").replace("**3", "³").replace("**4", "⁴").replace("*", "·")
    return text or "1"


def long_name(dataset: xr.Dataset, name: str) -> str:
    """What a variable is called in words."""
    return str(dataset[name].attrs.get("long_name", name.replace("_", " ")))


def unit_of(dataset: xr.Dataset, name: str) -> str:
    """The unit of a variable as it is printed."""
    return unit_text(str(dataset[name].attrs.get("units", "")))


def origin(dataset: xr.Dataset) -> list[Block]:
    """A table of versions, machine and input hash; nothing if the dataset does not know them."""
    attrs = dataset.attrs
    rows = [[word, str(attrs[key])] for key, word in _ORIGIN.items() if key in attrs]
    if "versions" in attrs:
        found = json.loads(attrs["versions"])
        rows.append(["Versions", ", ".join(f"{name} {version}" for name, version in found.items())])
    note = "The exact inputs are inside result.nc; panhead run result.nc computes it again."
    return [PageTable("", ["Item", "Value"], rows, note=note)] if rows else []
