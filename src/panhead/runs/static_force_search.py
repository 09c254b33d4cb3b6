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

from panhead.assess.criteria import DEFAULT_EDITION
from panhead.assess.limits import Edition
from panhead.assess.limits import read as read_limits
from panhead.errors import ModelError, NotConverged
from panhead.files.units import MetresPerSecond
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs.description import OnTrain, Run

if TYPE_CHECKING:
    import xarray as xr

TOLERANCE = 1e-3  #: of the mean asked for
_MAX_RUNS = 8  # runs
_BELOW_LIMIT = 2e-3  # share by which a force "at the limit" stays below it: twice the tolerance of the search


def wants_mean_force(run: Run) -> bool:
    """True if the mean force of a pantograph is requested."""
    return any(p.mean_force is not None for p in run.train)


def with_limit_forces(run: Run) -> Run:
    """Run with numbers in place of ``mean_force = "upper limit"``: the limit at its (highest) speed and supply."""
    if not any(isinstance(p.mean_force, str) for p in run.train):
        return run
    from panhead.runs.resolve import resolve_line

    speed = max((v for _, v in run.speed_table), default=0.0) if run.speed is None else run.speed
    force = upper_mean_force(run.standard, speed, resolve_line(run).supply)
    train = (replace(p, mean_force=force) if isinstance(p.mean_force, str) else p for p in run.train)
    return replace(run, train=tuple(train))


def upper_mean_force(standard: str | Edition, speed: MetresPerSecond, supply: str) -> float:
    """Mean contact force [N] two thousandths below the upper limit of a standard, or of the default edition."""
    tables = (standard if isinstance(standard, Edition) else read_limits(standard), read_limits(DEFAULT_EDITION))
    found = next(filter(None, (table.find("mean_force", "upper", speed, supply) for table in tables)), None)
    if found is None:
        raise ModelError(
            f'train: mean_force = "upper limit", but {tables[0].name} limits no mean force at {3.6 * speed:.4g} km/h, '
            f"{supply}; give a force"
        )
    return (1.0 - _BELOW_LIMIT) * found.at(speed)


def with_mean_forces(run: Run, means: Callable[[Run], np.ndarray]) -> Run:
    """Run with the static forces that give the requested mean forces; ``means`` simulates it and returns them (np,)
    [N]."""
    run = with_limit_forces(run)
    asked = np.array([np.nan if p.mean_force is None else float(p.mean_force) for p in run.train])
    wanted = np.isfinite(asked)
    force = np.array([_static_force(p) if wanted[k] else np.nan for k, p in enumerate(run.train)])
    slope, before = np.ones(asked.size), (force, np.full(asked.size, np.nan))
    for _ in range(_MAX_RUNS):
        for asked_of, needed in zip(asked[wanted], force[wanted], strict=True):
            if needed <= 0.0:
                raise ModelError(
                    f"train: mean_force: a mean of {asked_of:.4g} N would need a static force of {needed:.4g} N; "
                    "ask for more, or give the pantograph less aerodynamic uplift"
                )
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
    asked, names = with_limit_forces(asked), map(str, result["pantograph"].to_numpy())
    rows = zip(names, asked.train, found.train, means_of(result), strict=True)
    return [
        f"{name}: a static force of {_static_force(new):.4g} N gives a mean of {mean:.4g} N "
        f"({p.mean_force:.4g} N requested)"
        for name, p, new, mean in rows
        if p.mean_force is not None
    ]
