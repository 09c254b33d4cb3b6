"""Highest speed of a run: a study of the form "limit" over the speed, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from panhead.explore.studies import limit_search
from panhead.explore.studies.sample_plan import Plan
from panhead.explore.studies.study_description import Study, Vary

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, slots=True)
class HighestSpeed:
    """Highest speed at which every limit is met [km/h]."""

    base: str
    met: float | None  #: highest speed computed at which all are met; None: none
    missed: float | None  #: the next one, at which one is missed; None: none was
    low: float | None  #: up to here they are met by more than the numerical error; None: not known
    high: float | None  #: from here on one is missed by more than that
    decided_by: str  #: criterion that is missed first


def highest_speed(
    base: str, folder: Path, *, first: float, last: float, steps: int = 4, error: float = 0.05, workers: int = 1
) -> HighestSpeed:
    """Search the highest speed of a base run between ``first`` and ``last`` [km/h], to ``error`` of that range."""
    from panhead.explore.studies.run_study import conduct_into, verdicts
    from panhead.explore.studies.sample_worker import local_workers

    vary = Vary(input="speed", first=f"{first:g} km/h", last=f"{last:g} km/h", steps=steps)
    plan = Plan.of("highest-speed", Study(base=base, form="limit", vary=(vary,), error=error))
    index = conduct_into(plan, folder, local_workers(workers), shown=str(folder)).index
    found = limit_search.bracket(plan, *verdicts(index))
    bar = limit_search.numerical_range(index, found)
    low, high = (None, None) if bar is None else (bar.met_to, bar.missed_from)
    return HighestSpeed(base, found.low, found.high, low, high, _first_missed(index, found))


def _first_missed(index: xr.Dataset, found: limit_search.Bracket) -> str:
    """Name of a criterion that the first failing sample misses."""
    if found.high is None:
        return ""
    at = [k for k, x in enumerate(index["number"].to_numpy()[:, 0]) if x == found.high]
    missed = index["failed"].to_numpy()[at[0]].max(axis=0) > 0 if at else []
    names = [str(n) for n, bad in zip(index["criterion_name"].to_numpy(), missed, strict=False) if bad]
    return names[0] if names else "failed run"
