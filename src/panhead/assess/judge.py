"""Assessment of pantograph runs: limits by supply and edition, verdict stored in the result."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess import limits
from panhead.assess.assessment_inputs import judged_samples, judged_window, site_of
from panhead.assess.criteria import DEFAULT_EDITION, Criterion, group_verdicts, overall
from panhead.assess.error_bars import Repeat, curve_difference, difference_warning, with_error_bars
from panhead.assess.filters import low_pass, sampling_step
from panhead.assess.judged_section import section_warnings, settled_quantities, without_partial_spans
from panhead.assess.quantities import (
    JudgedPart,
    Site,
    contact_quantities,
    force_quantities,
    line_quantities,
    loss_quantities,
    without_lag,
)
from panhead.assess.ride_outcome import verdict_of_ride
from panhead.errors import ModelError
from panhead.files.units import MetresPerSecond, Seconds
from panhead.files.variants import VARIANT, separate

if TYPE_CHECKING:
    import xarray as xr

#: variant → pantograph → its criteria; the variant is "" where a result has none
Judgement = dict[str, dict[str, list[Criterion]]]


def assess(
    force: np.ndarray,
    times: np.ndarray,
    speed: MetresPerSecond,
    *,
    site: Site = Site(),  # noqa: B008  frozen: shared without harm
    window: tuple[Seconds, Seconds] | None = None,
    edition: str = DEFAULT_EDITION,
    zero_phase: bool = False,
) -> list[Criterion]:
    """Assess one pantograph's contact force (samples,) [N] at equally spaced times (samples,) [s].

    The force comes unfiltered; the filter of EN 50317 runs over the whole record, then ``window``
    (first and last assessed time) is cut out. Losses of contact are counted unfiltered.
    """
    force, times = np.asarray(force, float), np.asarray(times, float)
    step = sampling_step(times)
    if force.shape != times.shape or not np.isfinite(force).all():
        raise ModelError(f"assess: force {force.shape} must be finite, one for each time {times.shape}")
    table = limits.read(edition)
    if site.supply not in limits.SUPPLIES:
        raise ModelError(f"assess: supply must be one of {', '.join(limits.SUPPLIES)} (given {site.supply!r})")
    judged = _inside(times, window)
    part = JudgedPart(times[judged], None if site.contact_place is None else site.contact_place[judged])
    filtered = low_pass(force, step, zero_phase=zero_phase)
    quantities = [
        *force_quantities(force[judged], filtered[judged], step, part, without_lag(force, step)[judged]),
        *settled_quantities(filtered, judged, site),
        *loss_quantities(force[judged], part, speed),
        *line_quantities(site, speed),
        *contact_quantities(site, judged, part),
    ]
    return without_partial_spans([c for q in quantities for c in _compare_with_limits(q, table, speed, site.supply)])


def _inside(times: np.ndarray, window: tuple[float, float] | None) -> np.ndarray:
    if window is None:
        return np.ones(times.size, bool)
    judged = judged_samples(times, window)
    if judged.sum() < 4:
        raise ModelError(
            f"assess: fewer than four samples lie in the assessed window {window} s; "
            f"the record runs from {times[0]:.6g} to {times[-1]:.6g} s"
        )
    return judged


def _compare_with_limits(found: Criterion, table: limits.Edition, speed: float, supply: str) -> Iterator[Criterion]:
    """Compare a quantity with its limits: one criterion per limit, or one for information if there is none."""
    gaps = [gap for gap in table.gaps(speed, supply) if gap.quantity == found.key]
    lacking = [next((gap.words(table.name) for gap in gaps if gap.bound == end), "") for end in ("upper", "lower")]
    found = replace(found, note="; ".join(filter(None, (found.note, *lacking))))
    limited = found.limit is not None
    if limited:
        yield found
    for limit in table.limits_of(found.key, speed, supply):
        name = found.name
        key = found.key
        if limited:
            key, name = f"{key}_{limit.bound}", f"{name}, lower limit"
        limited = True
        yield replace(
            found,
            key=key,
            name=name,
            limit=limit.at(speed),
            bound=limit.bound,
            clause=limit.clause,
            standing=limit.status,
        )
    if not limited:
        yield found


def judge(dataset: xr.Dataset) -> xr.Dataset:
    """Return the result with its assessment: attributes ``criteria`` (JSON), ``verdict``, the worst of all, and
    ``verdicts`` (JSON), the worst of each group.

    Warnings about the assessed section are stored in the attribute ``section_warnings`` (JSON). A reference model is
    assessed by the ranges in the attribute ``reference`` as well: attribute ``reference_criteria`` (JSON).
    """
    held = {str(name).partition("@")[0] for name in dataset.variables}  # "name@variant" belongs to one variant
    for needed in ("contact_force", "time"):
        if needed not in held:
            raise ModelError(f"judge: the result has no {needed!r}; only a pantograph run can be assessed")
    ones = separate(dataset)
    found = {name: _criteria(one) for name, one in ones.items()}
    said = [
        f"{variant}: {words}" if variant else words
        for variant, one in ones.items()
        for k, criteria in enumerate(found[variant].values())
        for words in section_warnings(one.isel(pantograph=k), criteria)
    ]
    judged = store(dataset, found).assign_attrs(doubts=json.dumps(said, ensure_ascii=False))
    ranges = str(dataset.attrs.get("reference", ""))
    if not ranges or VARIANT in dataset.coords:
        return judged
    beside = {"": _criteria(dataset.assign_attrs(edition=ranges))}
    return judged.assign_attrs(reference_criteria=json.dumps(_plain(beside), ensure_ascii=False))


def judgement(dataset: xr.Dataset) -> Judgement:
    """Criteria stored in an assessed result."""
    if "criteria" not in dataset.attrs:
        raise ModelError("the result has not been assessed; call panhead.assess.judge(result) first")
    return _from_plain(dataset.attrs["criteria"])


def reference_judgement(dataset: xr.Dataset) -> Judgement:
    """Criteria of a reference model by the ranges it is checked by, without error bars; empty for any other run."""
    stored = dataset.attrs.get("reference_criteria", "")
    return _from_plain(stored) if stored and VARIANT not in dataset.coords else {}


def _from_plain(text: str) -> Judgement:
    return {
        variant: {name: [Criterion(**c) for c in criteria] for name, criteria in found.items()}
        for variant, found in json.loads(text).items()
    }


def _plain(found: Judgement) -> dict[str, dict[str, list[dict[str, Any]]]]:
    return {
        variant: {name: [dataclasses.asdict(c) for c in criteria] for name, criteria in of.items()}
        for variant, of in found.items()
    }


def add_error_bars(
    result: xr.Dataset, repeat: xr.Dataset, *, ratio: float, coarser: xr.Dataset | None = None
) -> xr.Dataset:
    """Add error bars to an assessed result from its assessed repeat, with ``ratio`` times the step and element length.

    With a finer repeat a second one, ``coarser`` with twice of both, shows the observed order. If the curves differ
    too much, the attribute ``doubts`` (JSON) says so and the bars are the whole difference.
    """
    found, ones = judgement(result), separate(result)
    said: list[str] = json.loads(str(result.attrs.get("doubts", "[]")))
    others = [(judgement(of), separate(of), r) for of, r in ((repeat, ratio), (coarser, 2.0)) if of is not None]
    for variant, one in ones.items():
        for k, (name, criteria) in enumerate(found[variant].items()):
            mine = one.isel(pantograph=k)
            repeats = [
                Repeat(r, of[variant][name], curve_difference(mine, parts[variant].isel(pantograph=k)))
                for of, parts, r in others
            ]
            found[variant][name] = with_error_bars(criteria, *repeats)
            apart, whose = repeats[0].difference, f"{variant}: {name}" if variant else name
            said += [] if apart.alike else [difference_warning(whose, apart, ratio)]
    return store(result, found).assign_attrs(doubts=json.dumps(said, ensure_ascii=False))


def store(dataset: xr.Dataset, found: Judgement) -> xr.Dataset:
    """Write an assessment into the attributes of a result."""
    every = [c for of in found.values() for criteria in of.values() for c in criteria]
    verdict = verdict_of_ride(dataset, overall(every))
    groups = {name: verdict_of_ride(dataset, one) for name, one in group_verdicts(every).items()}
    return dataset.assign_attrs(
        criteria=json.dumps(_plain(found), ensure_ascii=False), verdict=verdict, verdicts=json.dumps(groups)
    )


def _criteria(one: xr.Dataset) -> dict[str, list[Criterion]]:
    """Assess every pantograph of one variant with the limits of its supply and edition."""
    attrs, times = one.attrs, one["time"].to_numpy()
    return {
        str(mine["pantograph"].item()): assess(
            _with_static_start(mine),
            times,
            float(attrs["speed"]),
            site=site_of(mine),
            window=judged_window(mine),
            edition=str(attrs.get("edition", DEFAULT_EDITION)),
        )
        for mine in (one.isel(pantograph=k) for k in range(one.sizes["pantograph"]))
    }


def _with_static_start(one: xr.Dataset) -> np.ndarray:
    """Contact force (n,) [N] with the static force as its first sample where the run started at rest.

    A filter starts in the steady state of its first sample. The force at the first instant of a moving load contains
    v² times the curvature of the wire, which is no steady state.
    """
    force = one["contact_force"].to_numpy().copy()
    if "static_force" in one and np.isfinite(one["static_force"]):
        force[0] = float(one["static_force"])
    return np.asarray(force)
