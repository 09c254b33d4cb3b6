"""Function ``gradient``: exact derivatives of an objective by any parameters, at the cost of a few runs."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.errors import ModelError, alternatives
from panhead.runs.capabilities import require
from panhead.runs.description import Run
from panhead.runs.gradients.line_gradient import LineCotangents, line_slopes
from panhead.runs.gradients.objectives import SERIES, Weights, check_objective, objective
from panhead.runs.gradients.parameter_families import FAMILIES
from panhead.runs.gradients.run_cotangents import ParameterFamily, Slopes
from panhead.runs.linear.backward import LANES, backpropagate
from panhead.runs.linear.backward_lanes import AdjointResult
from panhead.runs.linear.step.adjoint_arrays import OutputCotangents
from panhead.runs.linear.taped_run import RunTape, tape_run
from panhead.runs.resolve import capability_query, resolve

if TYPE_CHECKING:
    import xarray as xr

    from panhead.runs.cables.cables_tape import CableTape

_DIFFERENTIABLE = {"linear": "taped", "cables": "cable-taped"}  # solver → path of its gradients
_FEW = 4  # objectives that go back in a register half as wide, in two thirds of the time


def gradient(
    run: Run, of: str | Weights = "deviation", wrt: Sequence[str] | str = "*", *, pantograph: int = 0
) -> xr.Dataset:
    """Gradient ∂(objective)/∂(parameter) for every parameter of the families ``wrt`` (names or patterns such as
    "dropper.*").

    ``of``: mean_force, deviation, deviation_ratio, deviation_0_5 (σ in any band, Hz), statistical_max, statistical_min,
    actual_max, actual_min, smooth_max, smooth_min, contact_loss_smooth, uplift, "uplift SUPPORT", "dropper_range
    DROPPER" (also dropper_max, dropper_min), or weights on time series ({"contact_force": (steps, pantographs)}). The
    dataset has one variable for each family over the names of its parameters, in SI units; ``value`` is the number
    itself, ``kinks`` the number of steps at a kink, and ``kink_share`` of a family their share of its gradient.
    With ``conditions`` the parameters are those of the line in that weather: its tensions then, droppers as cut.
    """
    if isinstance(of, str):
        check_objective(of)  # before anything is computed
    return gradient_of(tape_for_gradient(run), of, wrt, pantograph=pantograph)


def vjp(run: Run, weights: Weights, wrt: Sequence[str] | str = "*") -> xr.Dataset:
    """Vector–Jacobian product: weights on time series times ∂(time series)/∂(parameters), by one backward sweep.

    ``weights``: "contact_force", "contact_height" (steps, pantographs), "support_uplift" (steps, supports),
    "dropper_force" (steps, droppers).
    """
    if not isinstance(weights, Mapping) or not weights:
        raise ModelError(
            f"vjp: weights must be a table of time series ({', '.join(SERIES)}), got {weights!r}; for an objective use "
            "gradient"
        )
    return gradient(run, weights, wrt)


def tape_for_gradient(run: Run) -> RunTape | CableTape:
    """Tape of a run, from which any number of gradients can be taken."""
    refuse(run)
    if run.solver == "linear":
        return tape_run(resolve(run))
    from panhead.runs.cables.cables_adjoint import record as record_cables  # bodies and joints take long to load

    return record_cables(resolve(run))


def gradient_of(
    tape: RunTape | CableTape, of: str | Weights = "deviation", wrt: Sequence[str] | str = "*", *, pantograph: int = 0
) -> xr.Dataset:
    """Gradient of a run that is already taped."""
    import xarray as xr

    named = list(wrt) if isinstance(wrt, Sequence) and not isinstance(wrt, str) else [wrt]
    families = families_of(tape)
    chosen = chosen_families(named, families)
    wanted = objective(tape, of, pantograph)
    ((whole, at_kinks, push),) = objective_cotangents(tape, [wanted.wanted])
    variables: dict[str, Any] = {}
    coords: dict[str, Any] = {}
    for name in chosen:
        family = families[name]
        pairs = list(family.of(whole))
        if not pairs and name in named:
            raise ModelError(f"gradient: this run has no {name!r} ({family.about}); remove it from `wrt`")
        coords[f"{name}.names"] = (f"{name}.names", np.array([p for p, _ in pairs], dtype=str))
        values = np.array([v for _, v in pairs])
        attrs = {
            "units": f"{wanted.unit}/({family.unit})",
            "long_name": f"∂({wanted.name})/∂({family.about})",
            "kink_share": _share([v for _, v in family.of(at_kinks)], values),
        }
        variables[name] = (f"{name}.names", values, attrs)
    coords |= {"time": ("step", tape.times), "mass": ("mass", np.array(_masses(tape), dtype=str))}
    about = {"units": wanted.unit + "/N", "long_name": f"∂({wanted.name})/∂(lifting force)"}
    variables["control"] = (("step", "mass"), push, about)
    facts = {"of": wanted.name, "value": wanted.value, "units": wanted.unit, "kinks": int(tape.kinks.sum())}
    if tape.model.run.conditions is not None:
        facts["line"] = "as it hangs in the conditions of the run: tensions of that day, droppers as they were cut"
    return xr.Dataset(variables, coords, facts)


def families_of(tape: RunTape | CableTape) -> Mapping[str, ParameterFamily]:
    """Parameter families that a run can be differentiated by."""
    if isinstance(tape, RunTape):
        return FAMILIES
    from panhead.runs.gradients.cable_families import CABLE_FAMILIES

    return CABLE_FAMILIES


def objective_cotangents(
    tape: RunTape | CableTape, wanted: Sequence[OutputCotangents]
) -> list[tuple[Any, Any, np.ndarray]]:
    """Backward sweep for every objective: total ∂J/∂, contribution of steps at kinks, and ∂J/∂ of a force on every
    mass."""
    if isinstance(tape, RunTape):
        lanes = _FEW if len(wanted) <= _FEW else LANES
        return [_of_linear(tape, back) for back in backpropagate(tape, wanted, lanes=lanes)]
    from panhead.runs.gradients.cable_families import backpropagate_cables

    return [backpropagate_cables(tape, one) for one in wanted]


def _of_linear(tape: RunTape, back: AdjointResult) -> tuple[Slopes, Slopes, np.ndarray]:
    nothing = np.zeros_like(back.first)
    given = LineCotangents(tape, [back.smooth, back.kinked], back.first), LineCotangents(tape, [back.kinked], nothing)
    whole, at_kinks = map(Slopes, given, line_slopes(tape, given))
    return whole, at_kinks, whole.slope.uplift


def _share(part: Sequence[float], whole: np.ndarray) -> float:
    """Σ |part| / Σ |whole|; 0 if the whole is zero."""
    total = float(np.abs(whole).sum())
    return float(np.abs(part).sum()) / total if total else 0.0


def refuse(run: Run) -> None:
    """ModelError for a run that is not differentiable, with the remedy."""
    if not isinstance(run, Run):
        raise ModelError(f"gradient: expected a run, got {run!r}; read one by name or file with ph.read_run")
    if run.solver not in _DIFFERENTIABLE:
        raise ModelError(f"gradient: solver {run.solver!r} is not differentiable; use solver 'linear' or 'cables'")
    require(capability_query(run), _DIFFERENTIABLE[run.solver])


def _masses(tape: RunTape | CableTape) -> list[str]:
    if not isinstance(tape, RunTape):
        return list(tape.masses())
    model = tape.session.model
    pairs = zip(model.names, model.pantographs, strict=True)
    return [f"{name}, stage {k + 1}" for name, p in pairs for k in range(len(p.stages))]


def chosen_families(wrt: Sequence[str], families: Mapping[str, ParameterFamily] = FAMILIES) -> list[str]:
    """Families that match names or patterns; ModelError lists the existing ones."""
    found = []
    if not all(isinstance(pattern, str) for pattern in wrt):
        raise ModelError(f"gradient: `wrt` must be names of parameters, got {wrt!r}; {alternatives('', families)}")
    for pattern in wrt:
        names = fnmatch.filter(families, pattern)
        if not names:
            raise ModelError(f"gradient: no parameter is called {pattern!r}; {alternatives(pattern, families)}")
        found += names
    return list(dict.fromkeys(found))
