"""Reference models of EN 50318 beside the ranges that a simulation of them must fall into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from panhead.assess import limits
from panhead.assess.criteria import Criterion, quantity_of
from panhead.assess.judge import judgement, reference_judgement

if TYPE_CHECKING:
    import xarray as xr

Criteria = dict[str, list[Criterion]]  #: by pantograph


def with_bars_of(judged: xr.Dataset, barred: xr.Dataset) -> dict[str, list[Criterion]]:
    """Criteria of a result judged anew, with the error bars of the first judgement; by pantograph."""
    return _with_bars(judgement(judged)[""], judgement(barred)[""])


def _with_bars(judged: Criteria, barred: Criteria) -> Criteria:
    known = {name: {c.key: c.error for c in of} for name, of in barred.items()}
    return {
        name: [replace(c, error=known[name].get(c.key, known[name].get(quantity_of(c.key)))) for c in of]
        for name, of in judged.items()
    }


def of_a_standard(c: Criterion) -> bool:
    """True if the limit comes from a standard and not from the pantograph."""
    return c.limit is not None and c.standing != "described"


def reference_criteria(dataset: xr.Dataset) -> dict[str, list[Criterion]]:
    """Criteria by the ranges of the reference model that a run says it is, by pantograph; empty where none apply.

    Ranges are given at single speeds: at others none applies.
    """
    judged = reference_judgement(dataset)
    if not judged:
        return {}
    barred = _with_bars(judged[""], judgement(dataset)[""])
    found = {name: [c for c in of if of_a_standard(c)] for name, of in barred.items()}
    return found if any(found.values()) else {}


def reference_name(dataset: xr.Dataset) -> str:
    """Standard whose reference model a run is."""
    return limits.read(str(dataset.attrs["reference"])).name


def by_quantity(criteria: Sequence[Criterion]) -> dict[str, list[Criterion]]:
    """Both ends of every range together."""
    found: dict[str, list[Criterion]] = {}
    for c in criteria:
        found.setdefault(quantity_of(c.key), []).append(c)
    return found
