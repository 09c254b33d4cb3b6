"""What a result was computed from and with, at the end of every page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from panhead.report.page import Block, Table

if TYPE_CHECKING:
    import xarray as xr


def blocks(dataset: xr.Dataset) -> list[Block]:
    """A table of versions, machine and input hash; nothing if the dataset does not know them."""
    attrs = dataset.attrs
    rows = [[word, str(attrs[key])] for key, word in _WORDS.items() if key in attrs]
    if "versions" in attrs:
        found = json.loads(attrs["versions"])
        rows.append(["Versions", ", ".join(f"{name} {number}" for name, number in found.items())])
    note = "The exact inputs are inside result.nc; panhead run result.nc computes it again."
    return [Table("", ["Item", "Value"], rows, note=note)] if rows else []


_WORDS = {
    "created": "Computed",
    "cpu": "Processor",
    "system": "System",
    "input_sha256": "Hash of the inputs",
}
