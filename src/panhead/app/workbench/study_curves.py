"""Curves of a study as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess.criteria import shown_unit
from panhead.explore.studies.sample_index import unit_as_written

if TYPE_CHECKING:
    import xarray as xr

_SHOWN = ("deviation", "mean_force", "actual_max", "actual_min", "uplift")


def curves(index: xr.Dataset) -> list[dict[str, Any]]:
    """Assessed quantities of the first pantograph over the varied input, or over the sample number."""
    if "value" not in index or not index.sizes["sample"]:
        return []
    one = index.sizes["varied"] == 1 and np.isfinite(index["number"].to_numpy()).all()
    x = index["number"].to_numpy()[:, 0] if one else index["sample"].to_numpy().astype(float)
    unit = unit_as_written(index["input"].to_numpy()[0, 0]) if one else ""
    label = f"{index['varied'].to_numpy()[0]} ({unit or '1'})" if one else "sample number"
    order, keys = np.argsort(x, kind="stable"), [str(k) for k in index["criterion"].to_numpy()]
    found = []
    for key in (k for k in _SHOWN if k in keys):
        c = keys.index(key)
        shown, scale = shown_unit(str(index["criterion_unit"].to_numpy()[c]))
        y, limit = (scale * index[name].to_numpy()[:, 0, c][order] for name in ("value", "limit"))
        curve = {"key": key, "name": str(index["criterion_name"].to_numpy()[c]), "unit": shown, "label": label}
        finite = lambda values: [float(f"{v:.6g}") if np.isfinite(v) else None for v in values]
        found.append(curve | {"x": finite(x[order]), "y": finite(y), "limit": finite(limit)})
    return found
