"""The judgement: every quantity the standards ask for, beside its limit, with a verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from panhead.assess import limits
from panhead.assess.filters import low_pass, sampling_step
from panhead.assess.losses import contact_losses
from panhead.assess.statistics import BANDS, force_statistics
from panhead.errors import ModelError
from panhead.files.units import Metres, MetresPerSecond, Seconds

Verdict = Literal["met", "not met", "undecided", "for information"]
DEFAULT_EDITION: Final = "en50367-2012"
_SHOWN: Final = {"N": ("N", 1.0), "m": ("mm", 1e3), "1": ("%", 100.0), "m/s": ("km/h", 3.6)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One quantity, its limit if it has one, and what follows. Values in SI units."""

    key: str  #: stable name for programs, e.g. "actual_max"
    name: str  #: for people
    value: float
    unit: str
    limit: float | None = None
    bound: Literal["upper", "lower"] = "upper"
    error: float | None = None  #: numerical error bar, ± [unit]
    clause: str = ""
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """Met, not met, or undecided where the error bar straddles the limit."""
        if self.limit is None:
            return "for information"
        room = self.limit - self.value if self.bound == "upper" else self.value - self.limit
        if self.error is not None and abs(room) < self.error:
            return "undecided"
        return "met" if room >= 0 else "not met"  # NaN is not met

    def shown(self) -> tuple[float, float | None, float | None, str]:
        """Value, limit, error bar and unit as engineers write them (mm, %, km/h)."""
        unit, scale = _SHOWN.get(self.unit, (self.unit, 1.0))
        limit, error = (None if x is None else x * scale for x in (self.limit, self.error))
        return self.value * scale, limit, error, unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What a judgement needs to know besides the force; what is not given is not judged."""

    supply: str = "25 kV AC"  #: one of panhead.assess.limits.SUPPLIES
    uplift: np.ndarray | None = None  #: (supports,) largest uplift at each support judged [m]
    uplift_space: Metres | None = None  #: free space for uplift at the supports
    contact_height: np.ndarray | None = None  #: (samples,) height of the contact point [m]
    wave_speed: MetresPerSecond | None = None  #: of the contact wire, √(T/μ)


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
    """Judge one pantograph's contact force (samples,) [N] at equally spaced times (samples,) [s].

    The force comes unfiltered; the filter of EN 50317 runs over the whole record, then ``window``
    (first and last moment judged) is cut out. Losses of contact are counted unfiltered.
    """
    force, times = np.asarray(force, float), np.asarray(times, float)
    step = sampling_step(times)
    if force.shape != times.shape or not np.isfinite(force).all():
        raise ModelError(f"assess: force {force.shape} must be finite, one for each time {times.shape}")
    table = limits.read(edition)
    if site.supply not in limits.SUPPLIES:
        raise ModelError(f"assess: supply must be one of {', '.join(limits.SUPPLIES)} (given {site.supply!r})")
    judged = _judged(times, window)
    filtered = low_pass(force, step, zero_phase=zero_phase)[judged]
    quantities = [
        *_force_quantities(force[judged], filtered, step),
        *_loss_quantities(force[judged], times[judged], speed),
        *_line_quantities(site, speed, judged),
    ]
    return [c for q in quantities for c in _against(q, table, speed, site.supply)]


def _judged(times: np.ndarray, window: tuple[float, float] | None) -> np.ndarray:
    if window is None:
        return np.ones(times.size, bool)
    slack = 1e-9 * abs(times[-1] - times[0])
    judged = (times >= window[0] - slack) & (times <= window[1] + slack)
    if judged.sum() < 4:
        raise ModelError(
            f"assess: fewer than four samples lie in the judged window {window} s; "
            f"the record runs from {times[0]:.6g} to {times[-1]:.6g} s"
        )
    return judged


def _force_quantities(raw: np.ndarray, filtered: np.ndarray, step: float) -> Iterator[Criterion]:
    found = force_statistics(raw, filtered, step)
    named = {
        "mean_force": ("mean contact force", found.mean),
        "deviation": ("standard deviation, 0–20 Hz filter", found.deviation),
        "statistical_max": ("statistical maximum, mean + 3σ", found.statistical_max),
        "statistical_min": ("statistical minimum, mean − 3σ", found.statistical_min),
        "actual_max": ("actual maximum", found.actual_max),
        "actual_min": ("actual minimum", found.actual_min),
    }
    for key, (name, value) in named.items():
        yield Criterion(key=key, name=name, value=value, unit="N")
    ratio = found.deviation / found.mean if found.mean > 0 else np.inf
    yield Criterion(key="deviation_ratio", name="standard deviation over mean", value=ratio, unit="1")
    for low, high in BANDS:
        yield Criterion(
            key=f"deviation_{low:.0f}_{high:.0f}",
            unit="N",
            name=f"standard deviation in {low:.0f}–{high:.0f} Hz",
            value=found.band_deviation[low, high],
        )


def _loss_quantities(raw: np.ndarray, times: np.ndarray, speed: float) -> Iterator[Criterion]:
    lost = contact_losses(raw, times, speed)
    seen = f"{lost.count} losses, {1e3 * lost.total:.3g} ms, {lost.length:.3g} m in all" if lost.count else "no loss"
    yield Criterion(key="contact_loss", name="time without contact", value=lost.share, unit="1", note=seen)
    yield Criterion(
        key="arcing", name="arcing NQ, estimated", value=lost.arcing, unit="1", note="every loss counted as an arc"
    )


def _line_quantities(site: Site, speed: float, judged: np.ndarray) -> Iterator[Criterion]:
    if site.uplift is not None and np.size(site.uplift):
        uplift = float(np.max(site.uplift))
        yield Criterion(key="uplift", name="largest uplift at a support", value=uplift, unit="m")
        if site.uplift_space is not None:
            yield Criterion(
                key="uplift_space_factor",
                name="space for uplift over uplift",
                unit="",
                value=site.uplift_space / uplift if uplift > 0 else np.inf,
                note=f"space {1e3 * site.uplift_space:.4g} mm",
            )
    if site.contact_height is not None:
        height = np.asarray(site.contact_height, float)[judged]
        yield Criterion(
            key="amplitude",
            name="vertical amplitude of the contact point",
            unit="m",
            value=float(height.max() - height.min()),
        )
    if site.wave_speed is not None:
        yield Criterion(
            key="wave_speed_ratio",
            name="speed over wave speed",
            unit="1",
            value=speed / site.wave_speed,
            note=f"wave speed {3.6 * site.wave_speed:.4g} km/h",
        )


def _against(found: Criterion, table: limits.Edition, speed: float, supply: str) -> Iterator[Criterion]:
    """The quantity beside its limits: once for each, or for information if it has none."""
    limited = False
    lacking = [table.lacks(found.key, bound, supply) for bound in ("upper", "lower")]
    told = [
        m.words(table.name) for m in lacking if m is not None and table.find(m.quantity, m.bound, speed, supply) is None
    ]
    found = replace(found, note=_joined(found.note, *told))
    for bound in ("upper", "lower"):
        limit = table.find(found.key, bound, speed, supply)
        if limit is None:
            continue
        note = found.note if limit.status == "quoted" else _joined(found.note, "limit to be checked in the text")
        name = found.name
        key = found.key
        if limited:
            key, name = f"{key}_{bound}", f"{name}, lower limit"
        limited = True
        yield replace(
            found, key=key, name=name, limit=limit.at(speed), bound=limit.bound, clause=limit.clause, note=note
        )
    if not limited:
        yield found


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def with_error_bars(criteria: Sequence[Criterion], repeat: Sequence[Criterion]) -> list[Criterion]:
    """The same criteria with ± |value − value of the coarser or finer repeat| as error bar.

    Against a repeat with twice the step it bounds the error of the finer run for any method of
    order p ≥ 1, since |x(2h) − x(h)| ≈ (2^p − 1) e(h); against half the step it is (1 − 2^−p) e(h).
    """
    other = {c.key: c.value for c in repeat}
    return [replace(c, error=abs(c.value - other[c.key])) if c.key in other else c for c in criteria]


def overall(criteria: Sequence[Criterion]) -> Verdict:
    """The worst verdict of all that have a limit."""
    seen = {c.verdict for c in criteria}
    order: tuple[Verdict, ...] = ("not met", "undecided", "met")
    return next((v for v in order if v in seen), "for information")
