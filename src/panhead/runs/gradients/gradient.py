"""``gradient``: the exact derivative of a judged number by every parameter asked for, for the price of a few runs."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.errors import ModelError, alternatives
from panhead.runs.description import Run
from panhead.runs.gradients.families import FAMILIES
from panhead.runs.gradients.line import line_slopes
from panhead.runs.gradients.numbers import number
from panhead.runs.gradients.slopes import Slopes
from panhead.runs.lifting import wants_mean_force
from panhead.runs.resolve import resolve
from panhead.runs.solvers.linear.adjoint import RunTape, record, slopes

if TYPE_CHECKING:
    import xarray as xr


def gradient(run: Run, of: str = "deviation", wrt: Sequence[str] | str = "*", *, pantograph: int = 0) -> xr.Dataset:
    """∂(number)/∂(parameter) for every parameter of the families ``wrt`` (names or patterns such as "dropper.*").

    ``of``: mean_force, deviation, statistical_max, statistical_min, actual_max, actual_min or uplift. The dataset has
    one variable for each family over the names of its parameters, in SI units; ``value`` is the number itself.
    """
    import xarray as xr

    named = [wrt] if isinstance(wrt, str) else list(wrt)
    chosen = _chosen(named)
    refuse(run)
    tape = record(resolve(run))
    wanted = number(tape, of, pantograph)
    slope, back = slopes(tape, wanted.wanted)
    whole = Slopes(tape, slope, back, line_slopes(tape, slope, back))
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    for name in chosen:
        family = FAMILIES[name]
        pairs = list(family.of(whole))
        if not pairs and name in named:
            raise ModelError(f"gradient: nothing in this run is a {name!r} ({family.about}); leave it out")
        coords[f"{name}.names"] = (f"{name}.names", np.array([p for p, _ in pairs], dtype=str))
        unit = f"{wanted.unit}/({family.unit})"
        attrs = {"units": unit, "long_name": f"∂({of})/∂({family.about})"}
        variables[name] = (f"{name}.names", np.array([v for _, v in pairs]), attrs)
    coords |= {"time": ("step", tape.times), "mass": ("mass", np.array(_masses(tape), dtype=str))}
    variables["control"] = (
        ("step", "mass"), slope.uplift, {"units": wanted.unit + "/N", "long_name": f"∂({of})/∂(lifting force)"}
    )  # fmt: skip
    return xr.Dataset(variables, coords, {"of": of, "value": wanted.value, "units": wanted.unit})


def refuse(run: Run) -> None:
    """ModelError for a run that cannot be taken back, with the remedy."""
    if run.solver != "linear":
        raise ModelError(f'gradient: solver {run.solver!r} cannot be taken back; take solver = "linear"')
    if run.vehicle is not None:
        raise ModelError("gradient: a run on a vehicle cannot be taken back; leave `vehicle` out, or give its `roof`")
    if wants_mean_force(run):
        raise ModelError("gradient: with mean_force the static force is found by runs; give that static_force instead")


def _masses(tape: RunTape) -> list[str]:
    model = tape.session.model
    pairs = zip(model.names, model.pantographs, strict=True)
    return [f"{name}, stage {k + 1}" for name, p in pairs for k in range(len(p.stages))]


def _chosen(wrt: Sequence[str]) -> list[str]:
    found = []
    for pattern in wrt:
        names = fnmatch.filter(FAMILIES, pattern)
        if not names:
            raise ModelError(f"gradient: no parameter is called {pattern!r}; {alternatives(pattern, FAMILIES)}")
        found += names
    return list(dict.fromkeys(found))
