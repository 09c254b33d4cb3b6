"""Error bars: what a repeat on another step and mesh tells of every number, and what it cannot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.criteria import Criterion
from panhead.assess.filters import low_pass, sampling_step
from panhead.assess.site import judged_window

if TYPE_CHECKING:
    import xarray as xr

SAFETY: Final = 1.25  #: of an error bar, where the order of the method is known [Roache94]
ORDER: Final = 2  #: of every method that runs under a line
#: curves that differ by more than this share of σ are not of one motion: their numbers agree, if they do, by chance
ALIKE: Final = 0.5
_EVENTS: Final = ("contact_loss", "arcing")
_GIVEN: Final = ("wave_speed_ratio", "judged_spans")


@dataclass(frozen=True, slots=True)
class CurveDifference:
    """How far the filtered force of a run and of its repeat are apart in the judged part."""

    deviation: float  #: of the difference [N]
    largest: float  #: difference [N]
    share: float  #: deviation of the difference over that of the run's force

    @property
    def alike(self) -> bool:
        """Whether both runs show the same motion."""
        return self.share <= ALIKE


def with_error_bars(criteria: Sequence[Criterion], repeat: Sequence[Criterion], *, ratio: float) -> list[Criterion]:
    """The same criteria with the error bar that a repeat with ``ratio`` times the step and element length tells.

        ± F |x(h) − x(r h)| / |r^p − 1|,   p = 2, F = 1.25                         [Roache94]

    since x(r h) − x(h) ≈ (r^p − 1) e(h). Losses of contact are events, which have no order: theirs is the whole
    difference. What is given and not computed has none.
    """
    other = {c.key: c.value for c in repeat}
    return [replace(c, error=_bar(c, other[c.key], ratio)) if c.key in other else c for c in criteria]


def _bar(c: Criterion, other: float, ratio: float) -> float | None:
    if c.key in _GIVEN or not np.isfinite(c.value) or not np.isfinite(other):
        return None
    share = 1.0 if c.key in _EVENTS else SAFETY / abs(ratio**ORDER - 1.0)
    return share * abs(c.value - other)


def curve_difference(one: xr.Dataset, repeat: xr.Dataset) -> CurveDifference:
    """Of one pantograph, on the samples of whichever is coarser."""
    curves = [(of["time"].to_numpy(), _filtered(of)) for of in (one, repeat)]
    grid = max((times for times, _ in curves), key=sampling_step)
    begin, end = judged_window(one)
    grid = grid[(grid >= begin) & (grid <= end)]
    ours, theirs = (np.interp(grid, times, force) for times, force in curves)
    apart, sigma = ours - theirs, float(ours.std())
    deviation = float(apart.std())
    return CurveDifference(deviation, float(np.abs(apart).max()), deviation / sigma if sigma > 0 else 0.0)


def _filtered(one: xr.Dataset) -> np.ndarray:
    times = one["time"].to_numpy()
    return low_pass(one["contact_force"].to_numpy(), sampling_step(times))


def widened(criteria: Sequence[Criterion], apart: CurveDifference) -> Iterator[Criterion]:
    """The criteria with bars at least as wide as curves that are not alike leave open.

    |σ − σ′| ≤ σ(F − F′),   |max F − max F′| ≤ max |F − F′|
    """
    mean = next((c.value for c in criteria if c.key == "mean_force"), np.inf)
    known = {
        "deviation": apart.deviation,
        "deviation_ratio": apart.deviation / mean if mean > 0 else np.inf,
        "statistical_max": 3.0 * apart.deviation,
        "statistical_min": 3.0 * apart.deviation,
        "actual_max": apart.largest,
        "actual_min": apart.largest,
    }
    for c in criteria:
        least = known.get(c.key, apart.deviation if c.key.startswith("deviation_") and c.unit == "N" else 0.0)
        yield c if c.error is None else replace(c, error=max(c.error, least))


def doubt(name: str, apart: CurveDifference) -> str:
    """What to say of curves that are not alike."""
    return (
        f"pantograph {name!r}: the force and that of its repeat on another step and mesh differ by "
        f"{apart.deviation:.3g} N rms, {100 * apart.share:.0f} % of its deviation: mesh or step decide the answer. "
        "Halve numerics.element_length and numerics.step until they agree"
    )
