"""Self-contained run: every named file replaced by its content, also in variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from panhead.files.embed import with_embedded_files
from panhead.runs.description import Run, Variant

_NAMING = {
    "line",
    "standard",
    "reference",
    "pantograph",
    "vehicle",
    "profile",
    "spectrum",
    "linkage",
}  # keys that may name a file


def run_with_contents(run: Run) -> Run:
    """Replace every name of a line, pantograph, vehicle, profile or table of limits in a run by its content."""
    variants = tuple(_variant(run, v) for v in run.variants)
    return replace(with_embedded_files(run), variants=variants)


def _variant(run: Run, variant: Variant) -> Variant:
    """Variant with the fields that name something given whole, not merged into those of the run."""
    naming = [key for key, change in variant.changes.items() if _names({key: change})]
    if not naming:
        return variant
    alone = with_embedded_files(run.variant(variant))
    return replace(
        variant,
        changes={**variant.changes, **{key: getattr(alone, key) for key in naming}},
        without=tuple(dict.fromkeys((*variant.without, *naming))),
    )


def _names(changes: Any) -> bool:
    if isinstance(changes, Mapping):
        return any((key in _NAMING and isinstance(x, str)) or _names(x) for key, x in changes.items())
    return isinstance(changes, list | tuple) and any(map(_names, changes))
