"""Difference between the curves of a run and of its repeat with another step and mesh."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from panhead.assess.assessment_inputs import judged_window
from panhead.assess.filters import low_pass, sampling_step
from panhead.assess.statistics import BANDS, band_deviation

if TYPE_CHECKING:
    import xarray as xr

#: curves that differ by more than this share of σ are not of one motion: their numbers agree, if they do, by chance
MAX_RELATIVE_DIFFERENCE: Final = 0.5
_MEAN_BESIDE = 0.003  # share of the force's difference that counts as one of the means: two means may agree by chance


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
    filtered, raw = ([at(of, values(of)) for of in both] for values in (_filter, _raw))
    apart, sigma = filtered[0] - filtered[1], float(filtered[0].std())
    force = float(apart.std())
    heights = [at(of, of["contact_z"].to_numpy()) for of in both if "contact_z" in of]
    return CurveDifference(
        force=force,
        mean=float(np.hypot(apart.mean(), _MEAN_BESIDE * force)),
        slow=band_deviation(raw[0] - raw[1], sampling_step(grid), *BANDS[0]),
        share=force / sigma if sigma > 0 else 0.0,
        height=float((heights[0] - heights[1]).std()) if len(heights) == 2 else np.nan,
        uplift=_uplift(one, repeat),
    )


def _raw(one: xr.Dataset) -> np.ndarray:
    return np.asarray(one["contact_force"].to_numpy())


def _filter(one: xr.Dataset) -> np.ndarray:
    return low_pass(_raw(one), sampling_step(one["time"].to_numpy()))


def _uplift(one: xr.Dataset, repeat: xr.Dataset) -> float:
    """Root mean square over the assessed supports: a single one may agree by chance."""
    if "support_uplift" not in one or one["support_uplift"].shape != repeat["support_uplift"].shape:
        return np.nan
    judged = one["support_judged"].to_numpy() > 0 if "support_judged" in one else slice(None)
    apart = (one["support_uplift"].to_numpy() - repeat["support_uplift"].to_numpy())[judged]
    return float(np.sqrt(np.mean(apart**2))) if apart.size else np.nan
