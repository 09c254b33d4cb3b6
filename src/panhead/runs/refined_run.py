"""Run with a coarser or finer step and mesh, for error bars."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from panhead.engine.jobs import ErrorBars
from panhead.files import parse
from panhead.files.variants import separate
from panhead.runs.description import Numerics, Run, Variant

if TYPE_CHECKING:
    import xarray as xr

#: step and element length of a repeat over those of the run; its cost is 1/ratio² of the run's
RATIOS: Mapping[str, float] = {"coarser": 2.0, "finer": 0.5}
#: repeats of each kind of error bars; three meshes tell whether the order is observed
REPEATS: Mapping[str, tuple[ErrorBars, ...]] = {"coarser": ("coarser",), "finer": ("finer", "coarser")}


def with_other_mesh(run: Run, result: xr.Dataset, kind: str) -> Run:
    """The run with step and elements doubled ("coarser") or halved ("finer"); nothing is searched again.

    A variant with numbers of its own for them gets its own doubled or halved.
    """
    found = {name: one.attrs.get("control") for name, one in separate(result).items()}
    variants = tuple(_settled_law(_on_other_mesh(run, v, kind), found.get(v.name)) for v in run.variants)
    law, numbers = run.control, found.get("")
    if law is not None and law.search is not None and numbers is not None:
        law = law.at(json.loads(numbers))
    return replace(run, numerics=_other_mesh(run.numerics, kind), variants=variants, control=law)


def _other_mesh(n: Numerics, kind: str) -> Numerics:
    factor = RATIOS[kind]
    return replace(n, step=factor * n.step, element_length=factor * n.element_length, coarse=True)


def _on_other_mesh(run: Run, variant: Variant, kind: str) -> Variant:
    if "numerics" not in variant.changes and "numerics" not in variant.without:
        return variant
    other = parse.to_plain(_other_mesh(run.variant(variant).numerics, kind))
    return replace(variant, changes={**variant.changes, "numerics": other})


def _settled_law(variant: Variant, found: str | None) -> Variant:
    """Variant with the control parameters that its search found."""
    control: dict[str, Any] = dict(variant.changes.get("control", {}))
    if found is None or control.pop("search", None) is None:
        return variant
    control["parameters"] = json.loads(found)
    return replace(variant, changes={**variant.changes, "control": control})
