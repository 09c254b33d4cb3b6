"""The page of a co-simulation: models side by side, limits, deformations by mode, and whether to trust the coupling.

It reads what ``panhead.run.solvers.coupled.compared`` writes, and the attributes speed, start, judged_from, wave_speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.assess import contact_losses, force_statistics, low_pass

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True)
class Judged:
    """One model in numbers; of the force to 20 Hz where nothing else is said."""

    name: str
    mean: float  #: [N]
    deviation: float  #: of the force as computed [N]
    filtered: float  #: [N]
    largest: float  #: [N]
    smallest: float  #: [N]
    loss: float  #: share of the time without contact
    moment: float  #: on the lower arm [N·m]
    iterations: float  #: mean, of an exchange step
    energy_error: float  #: largest [J]
    distance: float  #: largest, from the run in one piece [N]; NaN: not computed
    change: float | None = None  #: of the deviation to 20 Hz against the first model


def judged(dataset: xr.Dataset) -> list[Judged]:
    """Every model, the first being what the others are measured by."""
    t = dataset["time"].to_numpy()
    now = t >= float(dataset.attrs["judged_from"]) - 1e-9
    found: list[Judged] = []
    for name in dataset["model"].to_numpy():
        one = dataset.sel(model=name)
        F, step = one["contact_force"].to_numpy(), float(t[1] - t[0])
        of = force_statistics(F[now], low_pass(F, step)[now], step)
        lost = contact_losses(F[now], t[now], float(dataset.attrs["speed"]))
        found.append(
            Judged(
                name=str(name),
                mean=of.mean,
                deviation=float(F[now].std()),
                filtered=of.deviation,
                largest=of.actual_max,
                smallest=of.actual_min,
                loss=lost.share,
                moment=float(one["moment"]),
                iterations=float(one["iterations"].to_numpy()[1:].mean()),
                energy_error=float(np.abs(one["interface_energy_error"]).max()),
                distance=float(one["distance_max"]),
                change=of.deviation / found[0].filtered - 1 if found else None,
            )
        )
    return found
