"""Directional derivative ``jvp``: change of several objectives along one direction of parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.errors import ModelError, alternatives
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import families_of, objective_cotangents, tape_for_gradient
from panhead.runs.gradients.objectives import Weights, objective

if TYPE_CHECKING:
    import xarray as xr

Direction = Mapping[str, float] | Sequence[float] | np.ndarray
"""Of one family: by name, all others stay; or a number for each, in the order of ``gradient``. SI units."""


def jvp(
    run: Run, of: Sequence[str | Weights] | str, along: Mapping[str, Direction], *, pantograph: int = 0
) -> xr.Dataset:
    """dJ/dε = Σ ∂J/∂p · δp of parameters p + ε δp, for every objective J of ``of`` (as in ``gradient``).

    ``along``: family → δp, e.g. {"dropper.length": {"T1, span 2, dropper 3": 0.001}, "speed": [1.0]}. The dataset has
    ``derivative`` and ``value`` over the objectives. One backward sweep serves all objectives (eight in the lanes of a
    register; of cables one by one) and is contracted with the direction, so that the cost grows with the number of
    objectives and not with that of parameters.
    """
    import xarray as xr

    wishes = [of] if isinstance(of, str) else list(of)
    if not wishes or not along:
        raise ModelError("jvp: give at least one objective in `of` and one family of parameters in `along`")
    tape = tape_for_gradient(run)
    families = families_of(tape)
    for name in along:
        if name not in families:
            raise ModelError(f"jvp: no parameter is called {name!r}; {alternatives(name, families)}")
    numbers = [objective(tape, one, pantograph) for one in wishes]
    backs = objective_cotangents(tape, [n.wanted for n in numbers])
    found = [sum(_along(name, dict(families[name].of(s)), d) for name, d in along.items()) for s, _, _ in backs]
    coords: dict[str, Any] = {
        "of": np.array([n.name for n in numbers], dtype=str),
        "unit": ("of", np.array([n.unit for n in numbers], dtype=str)),
    }
    told = {"derivative": "derivative along the direction, in the number's unit", "value": "the number itself"}
    values = {"derivative": np.array(found), "value": np.array([n.value for n in numbers])}
    variables = {name: ("of", x, {"long_name": told[name]}) for name, x in values.items()}
    return xr.Dataset(variables, coords, {"kinks": int(tape.kinks.sum())})


def _along(family: str, slopes: Mapping[str, float], direction: Direction) -> float:
    """Σ ∂J/∂p · δp over a family; parameters that stay need no derivative."""
    if not isinstance(direction, Mapping):
        try:
            given = np.asarray(direction, float)
        except (TypeError, ValueError):
            raise ModelError(
                f"jvp: the direction of {family!r} must be numbers or a table name → number, got {direction!r}"
            ) from None
        if given.shape != (len(slopes),):
            raise ModelError(
                f"jvp: {family!r} has {len(slopes)} parameters in this run, got a direction of shape {given.shape}"
            )
        direction = dict(zip(slopes, given.tolist(), strict=True))
    for name, change in direction.items():
        if name not in slopes:
            raise ModelError(f"jvp: no {family!r} is called {name!r}; {alternatives(name, slopes)}")
        if not (isinstance(change, Real) and np.isfinite(change)):
            raise ModelError(f"jvp: {family!r} of {name!r} must change by a finite number, got {change!r}")
    return float(sum(slopes[name] * change for name, change in direction.items() if change))
