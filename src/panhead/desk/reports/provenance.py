"""Provenance of a result as a block of its page: versions, machine, hash of the inputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from panhead.desk.reports.page import Block, PageTable

if TYPE_CHECKING:
    import xarray as xr

_ORIGIN: Final = {"created": "Computed", "cpu": "Processor", "system": "System", "input_sha256": "Hash of the inputs"}


def origin(dataset: xr.Dataset) -> list[Block]:
    """A table of versions, machine and input hash; nothing if the dataset does not know them."""
    attrs = dataset.attrs
    rows = [[word, str(attrs[key])] for key, word in _ORIGIN.items() if key in attrs]
    if "versions" in attrs:
        found = json.loads(attrs["versions"])
        rows.append(["Versions", ", ".join(f"{name} {version}" for name, version in found.items())])
    note = "result.nc contains the exact inputs; “panhead run result.nc” repeats the run."
    return [PageTable("", ["Item", "Value"], rows, note=note)] if rows else []
