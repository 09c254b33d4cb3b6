"""Quantities that the standards require, with the position and time of their worst value."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from panhead.assess.criteria import Criterion
from panhead.assess.filters import low_pass
from panhead.assess.loss_of_contact import contact_losses
from panhead.assess.statistics import BANDS, force_statistics
from panhead.files.units import Metres, MetresPerSecond


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Assessment inputs besides the force; quantities whose input is missing are not assessed."""

    supply: str = "25 kV AC"  #: one of panhead.assess.limits.SUPPLIES
    uplift: np.ndarray | None = None  #: (supports,) largest uplift at each support judged [m]
    uplift_place: np.ndarray | None = None  #: (supports,) where they are along the track [m]
    uplift_time: np.ndarray | None = None  #: (supports,) when each uplift was largest [s]
    uplift_space: Metres | None = None  #: free space for uplift at the supports
    contact_place: np.ndarray | None = None  #: (samples,) of the contact point along the track [m]
    mast_place: np.ndarray | None = None  #: (masts,) of every mast along the track, rising [m]
    contact_height: np.ndarray | None = None  #: (samples,) of the contact point, without designed gradients [m]
    contact_span: np.ndarray | None = None  #: (samples,) number of the span it is in; −1: not judged; None: one span
    contact_across: np.ndarray | None = None  #: (samples,) of the contact point from the head's middle [m]
    working_width: Metres | None = None  #: part of the head on which the wire may run
    wave_speed: MetresPerSecond | None = None  #: of the contact wire, √(T/μ)


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """Times and positions of the assessed section of a record, (samples,)."""

    times: np.ndarray  #: [s]
    places: np.ndarray | None  #: [m]

    def with_place(self, found: Criterion, index: int | np.intp) -> Criterion:
        """Return the criterion with position and time of its worst sample."""
        place = None if self.places is None else float(self.places[index])
        return replace(found, place=place, time=float(self.times[index]))


def without_lag(force: np.ndarray, step: float) -> np.ndarray:
    """Filtered force without the 31 ms lag of a causal filter; a short record is left as it is."""
    return low_pass(force, step, zero_phase=True) if force.size > 12 else force


def force_quantities(
    raw: np.ndarray, filtered: np.ndarray, step: float, part: JudgedPart, smooth: np.ndarray
) -> Iterator[Criterion]:
    """Statistics of the force filtered by EN 50317; ``smooth`` is the zero-phase filtered force, for positions."""
    found = force_statistics(raw, filtered, step)
    named = {
        "mean_force": ("mean contact force", found.mean),
        "deviation": ("standard deviation, 0–20 Hz filter", found.deviation),
        "statistical_max": ("statistical maximum, mean + 3σ", found.statistical_max),
        "statistical_min": ("statistical minimum, mean − 3σ", found.statistical_min),
        "actual_max": ("actual maximum", found.actual_max),
        "actual_min": ("actual minimum", found.actual_min),
    }
    worst = {"actual_max": np.argmax(smooth), "actual_min": np.argmin(smooth)}
    for key, (name, value) in named.items():
        one = Criterion(key=key, name=name, value=value, unit="N")
        yield part.with_place(one, worst[key]) if key in worst else one
    yield Criterion(key="deviation_ratio", name="standard deviation over mean", value=found.deviation_ratio, unit="1")
    for low, high in BANDS:
        yield Criterion(
            key=f"deviation_{low:.0f}_{high:.0f}",
            unit="N",
            name=f"standard deviation in {low:.0f}–{high:.0f} Hz",
            value=found.band_deviation[low, high],
            note="of the unfiltered force, by its spectrum",
        )


def loss_quantities(raw: np.ndarray, part: JudgedPart, speed: float) -> Iterator[Criterion]:
    """Contact losses of the unfiltered force; the position is that of the longest."""
    lost = contact_losses(raw, part.times, speed)
    seen = f"{lost.count} losses, {1e3 * lost.total:.3g} ms, {lost.length:.3g} m in all" if lost.count else "no loss"
    share = Criterion(key="contact_loss", name="time without contact", value=lost.share, unit="1", note=seen)
    if lost.count:
        share = part.with_place(share, np.searchsorted(part.times, lost.starts[lost.durations.argmax()]))
    yield share
    yield Criterion(
        key="arcing", name="arcing NQ, estimated", value=lost.arcing, unit="1", note="every loss counted as an arc"
    )


def line_quantities(site: Site, speed: float) -> Iterator[Criterion]:
    """Uplift at the supports, and speed relative to the wave speed."""
    if site.uplift is not None:
        passed = np.size(site.uplift) > 0
        worst, none = int(np.argmax(site.uplift)) if passed else 0, "" if passed else "no support is assessed"
        uplift = float(site.uplift[worst]) if passed else np.nan
        place, time = (
            float(x[worst]) if passed and x is not None else None for x in (site.uplift_place, site.uplift_time)
        )
        found = Criterion(key="uplift", name="largest uplift at a support", value=uplift, unit="m", unjudged=none)
        yield replace(found, place=place, time=time)
        if site.uplift_space is not None:
            yield Criterion(
                key="uplift_space_factor",
                name="space for uplift over uplift",
                unit="",
                value=np.inf if uplift <= 0 else site.uplift_space / uplift,
                unjudged=none,
                place=place,
                time=time,
                note=f"space {1e3 * site.uplift_space:.4g} mm",
            )
    if site.wave_speed is not None:
        yield Criterion(
            key="wave_speed_ratio",
            name="speed over wave speed",
            unit="1",
            value=speed / site.wave_speed,
            note=f"wave speed {3.6 * site.wave_speed:.4g} km/h",
        )


def contact_quantities(site: Site, judged: np.ndarray, part: JudgedPart) -> Iterator[Criterion]:
    """Range of the contact point: vertical within a span, and lateral on the head."""
    if site.contact_height is not None:
        spans = np.zeros(judged.size, int) if site.contact_span is None else site.contact_span
        yield from _amplitude(np.asarray(site.contact_height, float)[judged], spans[judged], part)
    if site.contact_across is not None and site.working_width is not None:
        away, limit = np.abs(np.asarray(site.contact_across, float)[judged]), 0.5 * site.working_width
        found = Criterion(
            key="lateral",
            name="contact point, distance from the middle of the head",
            value=float(away.max()),
            unit="m",
            limit=limit,
            clause="working width of the pan-head",
            standing="described",
            note=f"margin {1e3 * (limit - away.max()):.4g} mm",
        )
        yield part.with_place(found, away.argmax())


def _amplitude(height: np.ndarray, spans: np.ndarray, part: JudgedPart) -> Iterator[Criterion]:
    """Vertical range of the contact point within one span, largest over all spans; overlaps are left out."""
    numbers, counts = np.unique(spans[spans >= 0], return_counts=True)
    overlaps = bool((spans < 0).any())
    # the last sample stands on the next mast
    known = numbers[counts > 2] if overlaps or (counts > 2).any() else numbers
    named = Criterion(key="amplitude", name="vertical amplitude of the contact point", unit="m", value=np.nan)
    if not known.size:
        yield replace(named, unjudged="only spans in overlaps are assessed")
        return
    ranges = [float(np.ptp(height[spans == k])) for k in known]
    worst = int(np.argmax(ranges))
    left = "; overlaps left out" if overlaps else ""
    found = replace(
        named,
        value=ranges[worst],
        note=f"within a span, largest of {known.size}, above the line through the span's supports{left}",
    )
    yield part.with_place(found, np.where(spans == known[worst], height, -np.inf).argmax())
