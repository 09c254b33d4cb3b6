"""Search for the static force that gives a requested mean contact force.

Of the force that lifts a pantograph its own springs take a part, since the wire yields and the frame rises: with k of
the lowest spring and ⟨z⟩ its mean stretch, F_m = F_static + F_aerodynamic − k ⟨z⟩. How far the wire yields is what the
run finds out, so the static force is found by runs: the secant rule, whose first slope is one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from panhead.errors import ModelError, NotConverged
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs.description import OnTrain, Run

if TYPE_CHECKING:
    import xarray as xr

TOLERANCE = 1e-3  #: of the mean asked for
_MAX_RUNS = 8  # runs


def wants_mean_force(run: Run) -> bool:
    """True if the mean force of a pantograph is requested."""
    return any(p.mean_force is not None for p in run.train)


def with_mean_forces(run: Run, means: Callable[[Run], np.ndarray]) -> Run:
    """Run with the static forces that give the requested mean forces; ``means`` simulates it and returns them (np,)
    [N]."""
    asked = np.array([np.nan if p.mean_force is None else p.mean_force for p in run.train])
    wanted = np.isfinite(asked)
    force = np.array([_static_force(p) if wanted[k] else np.nan for k, p in enumerate(run.train)])
    slope, before = np.ones(asked.size), (force, np.full(asked.size, np.nan))
    for _ in range(_MAX_RUNS):
        tried = _with_force(run, force)
        found = means(tried)
        if np.all(np.abs(found - asked)[wanted] <= TOLERANCE * asked[wanted]):
            return tried
        change = (found - before[1]) / np.where(force == before[0], np.nan, force - before[0])
        slope = np.where(np.isfinite(change) & (change > 0.1), change, slope)
        before, force = (force, found), force + (asked - found) / slope
    raise NotConverged(
        f"train: no static force found that gives the requested mean_force: after {_MAX_RUNS} runs the mean contact "
        f"forces are {_join_values(found[wanted])} N instead of {_join_values(asked[wanted])} N. Give "
        "static_force instead"
    )


def static_forces(run: Run) -> np.ndarray:
    """Static forces that ``with_mean_forces`` put into a run, (np,) [N]; nan: not requested."""
    found = (p.changes.get("static_force") for p in run.train)
    return np.array([f if isinstance(f, float) else np.nan for f in found])


def means_of(result: xr.Dataset) -> np.ndarray:
    """Assessed mean contact force of every pantograph, (np,) [N]."""
    from panhead.assess.judge import judge, judgement

    (found,) = judgement(judge(result)).values()
    return np.array([next(c.value for c in criteria if c.key == "mean_force") for criteria in found.values()])


def _static_force(p: OnTrain) -> float:
    pantograph = resolve_pantograph(p.pantograph, p.changes)
    force = getattr(pantograph, "static_force", None)
    if force is None:
        raise ModelError(
            f"train: mean_force needs a pantograph with a static_force to adjust, and {pantograph.name!r} has none; "
            "remove mean_force, or give the pantograph a static_force to start from"
        )
    return float(force)


def _with_force(run: Run, force: np.ndarray) -> Run:
    train = [
        p if p.mean_force is None else replace(p, mean_force=None, changes={**p.changes, "static_force": float(f)})
        for p, f in zip(run.train, force, strict=True)
    ]
    return replace(run, train=tuple(train))


def _join_values(values: np.ndarray) -> str:
    return ", ".join(f"{x:.4g}" for x in values)


def search_report(asked: Run, found: Run, result: xr.Dataset) -> list[str]:
    """Requested and found mean forces in words."""
    names = map(str, result["pantograph"].to_numpy())
    rows = zip(names, asked.train, found.train, means_of(result), strict=True)
    return [
        f"{name}: a static force of {_static_force(new):.4g} N gives a mean of {mean:.4g} N "
        f"({p.mean_force:.4g} N requested)"
        for name, p, new, mean in rows
        if p.mean_force is not None
    ]
