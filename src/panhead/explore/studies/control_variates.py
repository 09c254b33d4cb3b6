"""Gradients as control variates: linear prediction of each assessed quantity from the scattered inputs.

With y₀ and g, the quantity and its gradient for the line as drawn, the control variate of a sample with deviations Δ is

    c = y₀ + g · Δ

Its distribution follows from that of Δ alone, without any run: here from 2¹⁶ draws. Where y and c are correlated, the
known distribution of c sharpens the estimates of y (``answers``); otherwise it changes nothing. An input without a
gradient is left out of c, which remains a valid control variate.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.errors import PanheadError
from panhead.explore.studies.answers import judged_criteria
from panhead.explore.studies.intervals import DRAWS, LEVELS
from panhead.explore.studies.sample_plan import Plan, Sample
from panhead.files.units import in_unit

if TYPE_CHECKING:
    import xarray as xr

OF = (
    "mean_force",
    "deviation",
    "deviation_ratio",
    "statistical_max",
    "statistical_min",
    "actual_max",
    "actual_min",
    "uplift",
)
#: part that scatters → family of parameters, and what follows a place's name in it
_PARTS = {
    "dropper length": ("dropper.length", ""),
    "contact height": ("support.height", ""),
    "stagger": ("support.stagger", ""),
    "contact tension": ("wire.tension", ", contact"),
    "messenger tension": ("wire.tension", ", messenger"),
}
_CHUNK = 1 << 12
FEWEST = 64  #: samples: with fewer, what bends away from the tangent leaves intervals too short


@dataclass(frozen=True, slots=True)
class Tangent:
    """One assessed quantity and its gradient for the line as drawn."""

    value: float
    inputs: np.ndarray  #: (varied,) by each varied input, in SI units
    places: tuple[np.ndarray, ...]  #: by the errors at every place of each part that scatters


def with_controls(plan: Plan, index: xr.Dataset, folder: Path, *, compute: bool) -> xr.Dataset:
    """The index, of a tolerance study of 64 samples or more with its controls; ``compute``: take missing gradients."""
    if not _has_enough_samples(plan) or "value" not in index or index.sizes["sample"] < FEWEST:
        return index
    return with_control_variates(plan, index, folder, compute=compute)


def wants_controls(plan: Plan, folder: Path) -> bool:
    """True if a study can use gradients and has not computed them yet."""
    return _has_enough_samples(plan) and not _path(plan, folder).exists()


def _has_enough_samples(plan: Plan) -> bool:
    return plan.study.form == "tolerance" and plan.study.samples >= FEWEST


def _path(plan: Plan, folder: Path) -> Path:
    return folder / f"tangents-{plan.key(_middle(plan))}.json"


def with_control_variates(plan: Plan, index: xr.Dataset, folder: Path, *, compute: bool) -> xr.Dataset:
    """The index with ``control`` (sample, criterion) and its distribution; unchanged where there is no gradient.

    ``control_mean``, ``control_deviation``, ``control_quantiles`` and ``control_share``, the probability that it lies
    above the limit, are of its distribution; ``control_missed`` tells where one of them misses its limit, and
    ``control_missed_share`` how likely that is. Gradients are kept in the folder; ``compute``: they are taken
    if they are not there.
    """
    keys = [str(k) for k in index["criterion"].to_numpy()]
    taken = tangents(plan, folder, list(OF), compute=compute)
    found = {key: taken[of] for key in keys if (of := quantity_of(key, keys)) in taken}
    if not found:
        return index
    samples, drawn = plan.samples(), _draw_controls(plan, found)
    mine = [samples[n] for n in index["sample"].to_numpy()]
    empty = lambda *shape: np.full(shape, np.nan)
    control, quantiles, mean, deviation, share = (empty(*n, len(keys)) for n in ((len(mine),), (3,), (), (), ()))
    counted = judged_criteria(index)
    missed, missed_draws = np.zeros(len(mine), bool), np.zeros(DRAWS, bool)
    away, errors = _deviations(plan, mine), _errors(plan, np.array([s.shares for s in mine]))
    for key, tangent in found.items():
        c, draws = keys.index(key), drawn[key]
        limits = index["limit"].to_numpy()[:, 0, c]
        known = limits[np.isfinite(limits)]
        control[:, c] = tangent.value + away @ tangent.inputs
        control[:, c] += sum(e @ g for e, g in zip(errors, tangent.places, strict=True))
        mean[c], deviation[c], quantiles[:, c] = draws.mean(), draws.std(), np.quantile(draws, LEVELS)
        share[c] = (draws > known[0]).mean() if known.size else np.nan
        if known.size and counted[c]:
            lower = str(index["criterion_bound"].to_numpy()[c]) == "lower"
            missed |= (control[:, c] < known[0]) if lower else (control[:, c] > known[0])
            missed_draws |= (draws < known[0]) if lower else (draws > known[0])
    return index.assign(
        control=(("sample", "criterion"), control), control_mean=("criterion", mean),
        control_deviation=("criterion", deviation),
        control_quantiles=(("level", "criterion"), quantiles), control_share=("criterion", share),
        control_missed=("sample", missed.astype(np.int8)), control_missed_share=float(missed_draws.mean()),
    )  # fmt: skip


def quantity_of(key: str, keys: Sequence[str]) -> str:
    """The quantity that a criterion judges; one with two limits is judged twice: "mean_force", "mean_force_lower"."""
    base = key.removesuffix("_lower").removesuffix("_upper")
    return base if base in keys else key


def tangents(plan: Plan, folder: Path, keys: list[str], *, compute: bool) -> dict[str, Tangent]:
    """Gradient of each quantity at the nominal line, from the folder or computed now; none if not differentiable."""
    from panhead.files.atomic_files import write_atomic

    path = _path(plan, folder)
    if not path.exists():
        if not compute:
            return {}
        write_atomic(path, json.dumps({key: _plain(t) for key, t in _mid_gradients(plan, keys)}, indent=1).encode())
    raw = json.loads(path.read_text(encoding="utf-8"))
    array = lambda x: np.array(x, dtype=float)
    return {k: Tangent(t["value"], array(t["inputs"]), tuple(map(array, t["places"]))) for k, t in raw.items()}


def _plain(t: Tangent) -> dict[str, Any]:
    return {"value": t.value, "inputs": t.inputs.tolist(), "places": [p.tolist() for p in t.places]}


def _mid_gradients(plan: Plan, keys: list[str]) -> Iterator[tuple[str, Tangent]]:
    """Gradients at the middle of every distribution, under the line as drawn; one run, then one sweep back for each."""
    from panhead.runs.gradients.gradient import gradient_of, tape_for_gradient

    try:
        run = plan.run_of(_middle(plan), built=False)
        if plan.built is not None:
            run = replace(run, line=plan.built.drawn, line_changes={})
        families = {_family(v.input)[0] for v in plan.study.vary} | {_PARTS[s.of][0] for s in plan.study.scatter}
        wanted = sorted(families - {""})
        if not wanted:
            return
        tape = tape_for_gradient(run)
    except PanheadError:
        return
    for key in keys:
        try:
            found = gradient_of(tape, key, wanted)
        except PanheadError:  # of a number that this run does not have
            continue
        slopes = {
            family: dict(zip(map(str, found[f"{family}.names"].to_numpy()), found[family].to_numpy(), strict=True))
            for family in wanted
        }
        places = () if plan.built is None else plan.built.at
        at = tuple(
            np.array([slopes[_PARTS[s.of][0]].get(name + _PARTS[s.of][1], 0.0) for name in p.names])
            for s, p in zip(plan.study.scatter, places, strict=True)
        )
        yield (
            key,
            Tangent(float(found.attrs["value"]), np.array([_slope(v.input, slopes) for v in plan.study.vary]), at),
        )


def _family(name: str) -> tuple[str, int]:
    """The family of a varied input and the number of its pantograph; "" if no gradient is known of it."""
    if name == "speed":
        return "speed", 0
    found = re.fullmatch(r"train\.(\d+)\.changes\.static_force", name)
    return ("pantograph.static_force", int(found[1])) if found else ("", 0)


def _slope(name: str, slopes: Mapping[str, Mapping[str, float]]) -> float:
    family, number = _family(name)
    values = list(slopes.get(family, {}).values())
    return float(values[number]) if number < len(values) else 0.0


_UNITS = {"speed": "m/s", "pantograph.static_force": "N", "": ""}


def _middle(plan: Plan) -> Sample:
    """Every varied input at its median, the line as drawn."""
    from panhead.explore.studies.sampling import draw_value

    return Sample(-1, tuple(draw_value(v, 0.5) for v in plan.study.vary))


def _deviations(plan: Plan, samples: Sequence[Sample]) -> np.ndarray:
    """Deviation of each varied input from its median, (n, varied) in SI units; 0 where it has no gradient."""
    away = np.zeros((len(samples), len(plan.study.vary)))
    for k, (v, middle) in enumerate(zip(plan.study.vary, _middle(plan).values, strict=True)):
        unit = _UNITS[_family(v.input)[0]]
        if unit:
            away[:, k] = np.array([in_unit(s.values[k], unit) for s in samples]) - in_unit(middle, unit)
    return away


def _errors(plan: Plan, shares: np.ndarray) -> list[np.ndarray]:
    """Errors of every part that scatters, each (n, places), from uniform shares (n, dimension)."""
    return [] if plan.built is None else plan.built.many_errors(shares)


def _draw_controls(plan: Plan, found: Mapping[str, Tangent]) -> dict[str, np.ndarray]:
    """Draws of every control, (2¹⁶,), from the study's seed and no sample of it."""
    rng = np.random.default_rng([plan.study.seed, 1])
    dimension = 0 if plan.built is None else plan.built.dimension
    rows: dict[str, list[np.ndarray]] = {key: [] for key in found}
    middle = _middle(plan).values
    for _ in range(DRAWS // _CHUNK):
        away = np.zeros((_CHUNK, len(middle)))
        for k, v in enumerate(plan.study.vary):
            unit, law = _UNITS[_family(v.input)[0]], v.distribution
            if unit and law is not None:
                away[:, k] = law.values(rng.random(_CHUNK), unit) - in_unit(middle[k], unit)
        errors = _errors(plan, rng.random((_CHUNK, dimension)))
        for key, t in found.items():
            one = t.value + away @ t.inputs
            rows[key].append(one + sum(e @ g for e, g in zip(errors, t.places, strict=True)))
    return {key: np.concatenate(parts) for key, parts in rows.items()}
