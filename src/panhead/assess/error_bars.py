"""Error bars of every criterion from repeats with another step and mesh.

A repeat with r times the step and the element length shows the error of a *curve*; its size is

    E = |F(h) − F(r h)| / |r² − 1|                                                          [Roache94]

in the root mean square, since force curves converge with second order. Its effect on a quantity q depends on the
shape of the error, which a coarser repeat does not show. With a coarser repeat q gets the error bar c_q E, where c_q is
the ratio that 95 % of the quantities of a random set of runs did not exceed. A finer repeat shows the shape as well:
the difference of q itself is used, times 1.25 if three meshes show the order and times 3 if they do not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.assessment_inputs import judged_window
from panhead.assess.criteria import Criterion, quantity_of
from panhead.assess.filters import low_pass, sampling_step
from panhead.assess.statistics import BANDS, band_deviation

if TYPE_CHECKING:
    import xarray as xr


TWO_MESHES, THREE_MESHES = 3.0, 1.25  #: factors of safety; the smaller one where the order has been observed [Roache94]
ORDER: Final = 2  #: of every method that runs under a line
ORDERS: Final = (1.0, 3.5)  #: between them the order of the curves counts as observed
UNSEEN: Final = 0.1  #: share of the error of a curve that a finer repeat does not see, by the training draw
#: curves that differ by more than this share of σ are not of one motion: their numbers agree, if they do, by chance
MAX_RELATIVE_DIFFERENCE: Final = 0.5
_MEAN_BESIDE = 0.003  # share of the force's difference that counts as one of the means: two means may agree by chance
_EVENTS: Final = ("contact_loss", "arcing")
_GIVEN: Final = ("wave_speed_ratio", "judged_spans")


@dataclass(frozen=True, slots=True)
class ErrorShare:
    """Sensitivity of a criterion to the error of a curve."""

    curve: str  #: a field of ``CurveDifference``
    most: float  #: c_q: 95 % of the numbers of the training draw felt less of it (validation case ``error-bars``)


SHARES: Final[Mapping[str, ErrorShare]] = {
    "mean_force": ErrorShare("mean", 2.7),
    "deviation": ErrorShare("force", 0.21),
    "deviation_ratio": ErrorShare("force", 0.21),
    "statistical_max": ErrorShare("force", 0.63),
    "statistical_min": ErrorShare("force", 0.63),
    "actual_max": ErrorShare("force", 1.1),
    "actual_min": ErrorShare("force", 1.1),
    "deviation_0_2": ErrorShare("slow", 2.1),
    "deviation_0_5": ErrorShare("force", 0.22),
    "deviation_5_20": ErrorShare("force", 0.26),
    "deviation_0_20": ErrorShare("force", 0.21),
    "uplift": ErrorShare("uplift", 2.8),
    "uplift_space_factor": ErrorShare("uplift", 2.8),
    "amplitude": ErrorShare("height", 5.7),
}


@dataclass(frozen=True, slots=True)
class Repeat:
    """Assessed repeat of one pantograph, compared with its run."""

    ratio: float  #: its step and element length over those of the run
    criteria: Sequence[Criterion]
    difference: CurveDifference

    @property
    def scale(self) -> float:
        """Error of a number or curve of the run over its difference to the repeat; at least 1 if they are not alike."""
        if self.difference.alike:
            return 1.0 / abs(self.ratio**ORDER - 1.0)
        return max(1.0, 1.0 / (1.0 - self.ratio**ORDER))


def with_error_bars(criteria: Sequence[Criterion], repeat: Repeat, coarser: Repeat | None = None) -> list[Criterion]:
    """Return the criteria with error bars from a repeat, or from a finer and a ``coarser`` one where there are both.

    Losses of contact are events without an order of convergence: their bar is the whole difference. Inputs have none.
    """
    other = {c.key: c.value for c in repeat.criteria}
    values = {c.key: c.value for c in criteria}
    observed = coarser is not None and order_is_observed(repeat, coarser)
    return [
        replace(c, error=_bar(c, other[c.key], values, repeat, observed)) if c.key in other else c for c in criteria
    ]


def order_is_observed(finer: Repeat, coarser: Repeat) -> bool:
    """True if the difference of the curves decreases from mesh to mesh at the expected order."""
    ratio = coarser.difference.force / finer.difference.force if finer.difference.force > 0 else np.inf
    return finer.difference.alike and ORDERS[0] <= np.log2(ratio) <= ORDERS[1]


def _bar(c: Criterion, other: float, values: Mapping[str, float], repeat: Repeat, observed: bool) -> float | None:
    if c.key in _GIVEN or not np.isfinite(c.value) or not np.isfinite(other):
        return None
    difference = abs(c.value - other)
    if c.key in _EVENTS:
        return difference
    felt = _curve_sensitivity(c, values, repeat.difference)
    if repeat.ratio < 1.0:
        factor = THREE_MESHES if observed else TWO_MESHES
        return repeat.scale * (factor * difference + (UNSEEN if repeat.difference.alike else 1.0) * (felt or 0.0))
    return repeat.scale * (TWO_MESHES * difference if felt is None else felt)


def _curve_sensitivity(c: Criterion, values: Mapping[str, float], difference: CurveDifference) -> float | None:
    """c_q times the difference of the curves; None if the criterion depends on no known curve."""
    share = SHARES.get(quantity_of(c.key))
    if share is None:
        return None
    size = float(getattr(difference, share.curve))
    if c.key.startswith("deviation_ratio"):  # in the unit of the criterion
        size = size / values["mean_force"] if values["mean_force"] > 0 else np.inf
    elif c.key.startswith("uplift_space_factor"):
        size = size * c.value / values["uplift"] if values["uplift"] > 0 else np.inf
    return None if np.isnan(size) else share.most * size


def difference_warning(name: str, apart: CurveDifference, ratio: float) -> str:
    """Warning for curves of a run and of its repeat with ``ratio`` times its step and element length."""
    return (
        f"pantograph {name!r}: with {ratio:g} times the step and element length the contact force differs by "
        f"{apart.force:.3g} N rms, {100 * apart.share:.0f} % of its standard deviation, so the error bars are the "
        "whole difference. Halve numerics.element_length and numerics.step until both runs agree"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CurveDifference:
    """Differences of one pantograph over the assessed section; root mean squares."""

    force: float  #: deviation of the difference of the filtered forces [N]
    mean: float  #: difference of the means, and a little of ``force`` [N]
    slow: float  #: deviation of the difference of the forces in 0–2 Hz [N]
    share: float  #: ``force`` over the deviation of the run's force
    height: float = np.nan  #: deviation of the difference of the heights of the contact points [m]
    uplift: float = np.nan  #: of the largest uplifts at the judged supports [m]

    @property
    def alike(self) -> bool:
        """True if both runs show the same motion."""
        return self.share <= MAX_RELATIVE_DIFFERENCE


def curve_difference(one: xr.Dataset, repeat: xr.Dataset) -> CurveDifference:
    """Difference of two runs of one pantograph, on the samples of the coarser one."""
    both = (one, repeat)
    grid = max((of["time"].to_numpy() for of in both), key=sampling_step)
    begin, end = judged_window(one)
    grid = grid[(grid >= begin) & (grid <= end)]
    at = lambda of, values: np.interp(grid, of["time"].to_numpy(), values)
    raw = [of["contact_force"].to_numpy() for of in both]
    whole = [low_pass(force, sampling_step(of["time"].to_numpy())) for of, force in zip(both, raw, strict=True)]
    filtered, unfiltered = ([at(of, x) for of, x in zip(both, forces, strict=True)] for forces in (whole, raw))
    apart, sigma = filtered[0] - filtered[1], float(filtered[0].std())
    force = float(apart.std())
    heights = [at(of, of["contact_z"].to_numpy()) for of in both if "contact_z" in of]
    return CurveDifference(
        force=force,
        mean=float(np.hypot(apart.mean(), _MEAN_BESIDE * force)),
        slow=band_deviation(unfiltered[0] - unfiltered[1], sampling_step(grid), *BANDS[0]),
        share=force / sigma if sigma > 0 else 0.0,
        height=float((heights[0] - heights[1]).std()) if len(heights) == 2 else np.nan,
        uplift=_uplift(one, repeat),
    )


def _uplift(one: xr.Dataset, repeat: xr.Dataset) -> float:
    """Root mean square over the assessed supports: a single one may agree by chance."""
    if "support_uplift" not in one or one["support_uplift"].shape != repeat["support_uplift"].shape:
        return np.nan
    judged = one["support_judged"].to_numpy() > 0 if "support_judged" in one else slice(None)
    apart = (one["support_uplift"].to_numpy() - repeat["support_uplift"].to_numpy())[judged]
    return float(np.sqrt(np.mean(apart**2))) if apart.size else np.nan
