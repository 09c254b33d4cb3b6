"""Objectives of gradients: their value, and their cotangents with respect to the records of a run.

The filter of EN 50317 is linear, F̂ = H F, so that ∂J/∂F = Hᵀ ∂J/∂F̂; an extreme depends on the sample that attains it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from panhead.assess.assessment_inputs import judged_samples
from panhead.assess.filters import low_pass, low_pass_transposed
from panhead.assess.statistics import OF_FILTERED, OF_RAW, Statistic, band
from panhead.errors import ModelError, alternatives
from panhead.runs.linear.step.adjoint_arrays import OutputCotangents
from panhead.runs.linear.tape_outputs import Peaks
from panhead.runs.resolve import ResolvedRun

Weights = Mapping[str, np.ndarray]  #: weights on time series, by name
_BAND = re.compile(r"deviation_([0-9.]+)_([0-9.]+)")
_DROPPER = {"dropper_max": (1.0, 0.0), "dropper_min": (0.0, 1.0), "dropper_range": (1.0, -1.0)}  # of most and least
OBJECTIVES = (
    *OF_FILTERED,
    "deviation_LOW_HIGH",
    *OF_RAW,
    "uplift",
    "uplift SUPPORT",
    *(f"{k} DROPPER" for k in _DROPPER),
)
"""Of which gradients exist; words in capitals stand for a band in Hz and for names in the line."""
_KNOWN = f"Known: {', '.join(OBJECTIVES)}"
SERIES = ("contact_force", "contact_height", "support_uplift", "dropper_force")  #: that may carry weights


class Recorded(Protocol):
    """Taped run of any solver."""

    @property
    def model(self) -> ResolvedRun: ...
    @property
    def step(self) -> float: ...
    @property
    def seen(self) -> np.ndarray: ...
    @property
    def force(self) -> np.ndarray: ...
    @property
    def support(self) -> np.ndarray: ...
    @property
    def dropper(self) -> np.ndarray: ...
    @property
    def series(self) -> tuple[np.ndarray, ...]: ...
    def support_names(self) -> list[str]: ...
    def support_masts(self) -> np.ndarray: ...
    def dropper_names(self) -> list[str]: ...
    @property
    def highest(self) -> Peaks: ...
    @property
    def pulls(self) -> Peaks: ...
    def zero_seed(self) -> OutputCotangents: ...


@dataclass(frozen=True, slots=True)
class Objective:
    """Objective of a run and its direct cotangents."""

    name: str
    value: float
    unit: str
    wanted: OutputCotangents


def objective(tape: Recorded, of: str | Weights, pantograph: int = 0) -> Objective:
    """Objective by its key (``OBJECTIVES``), or weighted sum of time series."""
    if isinstance(of, Mapping):
        return weighted_sum(tape, of)
    if not isinstance(of, str):
        raise ModelError(
            f"gradient: `of` must be the name of an objective or weights of time series, got {of!r}; {_KNOWN}"
        )
    check_objective(of)
    kind, _, name = of.partition(" ")
    if kind == "uplift":
        return _uplift(tape, name)
    if kind in _DROPPER:
        return _dropper(tape, kind, name)
    return _of_force(tape, of, pantograph)


def check_objective(of: str) -> None:
    """ModelError unless this objective exists."""
    kind, _, name = of.partition(" ")
    if of in OF_FILTERED or of in OF_RAW or kind == "uplift" or (kind in _DROPPER and name):
        return
    found = _BAND.fullmatch(of)
    if found is None:
        raise ModelError(f"gradient: {of!r} is not an objective; {alternatives(of, OBJECTIVES)}")
    try:
        low, high = map(float, found.groups())
    except ValueError:
        raise ModelError(f"gradient: {of!r} is not a frequency band; write deviation_0_5 for 0–5 Hz") from None
    if not low < high:
        raise ModelError(f"gradient: {of!r} is a band from {low:g} Hz to {high:g} Hz; give the lower frequency first")


def _of_force(tape: Recorded, of: str, pantograph: int) -> Objective:
    model, h = tape.model, tape.step
    if pantograph not in range(len(model.names)):
        raise ModelError(
            f"gradient: there is no pantograph {pantograph}; they are numbered 0 to {len(model.names) - 1}"
        )
    wires = tape.force.shape[1] // len(model.names)
    mine = slice(pantograph * wires, (pantograph + 1) * wires)
    force, judged = tape.force[:, mine].sum(axis=1), judged_rows(model, tape.seen, pantograph)
    bar, wanted = np.zeros(len(force)), tape.zero_seed()
    if of in OF_FILTERED:
        statistic, series = OF_FILTERED[of], low_pass(force, h)[judged]
        bar[judged] = statistic.cotangent(series)
        bar = low_pass_transposed(bar, h)
    else:
        statistic, series = _raw(of, h), force[judged]
        bar[judged] = statistic.cotangent(series)
    wanted.force[:, mine] = bar[:, None]
    return Objective(
        of, statistic.value(series), "1" if of in ("deviation_ratio", "contact_loss_smooth") else "N", wanted
    )


def _raw(of: str, h: float) -> Statistic:
    if of in OF_RAW:
        return OF_RAW[of]
    found = _BAND.fullmatch(of)
    assert found is not None  # check_objective has seen to that
    return band(h, *map(float, found.groups()))


def judged_rows(model: ResolvedRun, times: np.ndarray, pantograph: int) -> np.ndarray:
    """Mask of the rows of a pantograph, at these times, that are assessed, bool."""
    return judged_samples(times, model.judged_times(pantograph))


def _uplift(tape: Recorded, name: str) -> Objective:
    """Largest uplift at a support, or at any assessed one, at the time it occurs."""
    names = tape.support_names()
    if name:
        chosen = np.arange(len(names)) == _index_of(name, names, "support")
    else:
        x = tape.model.strung.layout.mast_x[tape.support_masts()]
        first, last = tape.model.judged
        chosen = (x >= first - 1e-6) & (x <= last + 1e-6)
    top = tape.highest
    k = int(np.argmax(np.where(chosen, top.most, -np.inf)))
    wanted = tape.zero_seed()
    wanted = wanted._replace(support=add_entries(wanted.support, [top.most_at[k]], k, [1.0]))
    return Objective(f"uplift {name}".strip(), float(top.most[k]), "m", wanted)


def add_entries(table: Any, rows: Sequence[int], column: int, values: Sequence[float]) -> Any:
    """Table of cotangents, dense or sparse, with values added in some rows of one column."""
    if not sp.issparse(table):
        np.add.at(table, (rows, column), values)
        return table
    return table + sp.csr_array((values, (rows, [column] * len(rows))), shape=table.shape)


def _dropper(tape: Recorded, kind: str, name: str) -> Objective:
    """Largest, least, or range of the force of a dropper in the whole run."""
    k, pulls = _index_of(name, tape.dropper_names(), "dropper"), tape.pulls
    by_most, by_least = _DROPPER[kind]
    value = by_most * float(pulls.most[k]) + by_least * float(pulls.least[k])
    wanted = tape.zero_seed()
    rows, values = [int(pulls.most_at[k]), int(pulls.least_at[k])], [by_most, by_least]
    return Objective(
        f"{kind} {name}", value, "N", wanted._replace(dropper=add_entries(wanted.dropper, rows, k, values))
    )


def _index_of(name: str, names: Sequence[str], what: str) -> int:
    if name not in names:
        raise ModelError(f"gradient: no {what} is called {name!r}; {alternatives(name, names)}")
    return list(names).index(name)


def weighted_sum(tape: Recorded, weights: Weights, unit: str = "1") -> Objective:
    """Weighted sum Σ weight · series over all steps; each weight is (steps, columns) or (steps,) for the only
    column."""
    if not weights:
        raise ModelError(f"gradient: no weights given; give weights of {', '.join(SERIES)}")
    wanted, value = tape.zero_seed(), 0.0
    wires = tape.force.shape[1] // len(tape.model.names)
    for name, given in weights.items():
        if name not in SERIES:
            raise ModelError(f"gradient: no time series is called {name!r}; {alternatives(name, SERIES)}")
        place, series = wanted[SERIES.index(name)], np.nan_to_num(tape.series[SERIES.index(name)])
        if place.shape != series.shape or not place.shape[1]:
            raise ModelError(
                f"gradient: {name} is not stored for a run this long; shorten the run, or use an extreme value as "
                "objective"
            )
        weight = np.asarray(given, float).reshape(len(given), -1)
        weight = (
            np.repeat(weight, wires, axis=1) if name.startswith("contact") and weight.shape != place.shape else weight
        )
        if weight.shape != place.shape or not np.isfinite(weight).all():
            rows = (len(tape.force), place.shape[1] // (wires if name.startswith("contact") else 1))
            raise ModelError(f"gradient: weights of {name} must be finite and of shape {rows}, got {np.shape(given)}")
        own = sp.csr_array(weight) if sp.issparse(place) else weight
        wanted = wanted._replace(**{wanted._fields[SERIES.index(name)]: own})
        value += float((weight * series).sum())
    return Objective("weighted sum", value, unit, wanted)
