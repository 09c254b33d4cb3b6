"""Search for the highest value of one input at which the contact quality is met.

The range is first looked through at equal steps, since a line may fail at one speed and comply at a higher one; then
the interval above the highest value that complies is cut into four, again and again, until it is as short as asked.
Always four, however many workers there are: the same study gives the same samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from panhead.explore.studies.answers import judged_criteria
from panhead.explore.studies.distributions import in_one_unit
from panhead.explore.studies.sampling import listed_values, with_unit

if TYPE_CHECKING:
    import xarray as xr

    from panhead.explore.studies.sample_plan import Plan, Sample

_CUTS = 4


@dataclass(frozen=True, slots=True)
class Bracket:
    """Interval that contains the limit, as numbers in the unit of the study."""

    low: float | None  #: highest value seen at which all limits are met
    high: float | None  #: the next value above it, which fails
    unit: str
    missed: tuple[float, ...] = ()  #: values below ``low`` at which a limit is missed


def ends(plan: Plan) -> list[Sample]:
    """The samples of the first look."""
    from panhead.explore.studies.sample_plan import Sample

    return [Sample(k, (value,)) for k, value in enumerate(listed_values(plan.study.vary[0]))]


def bracket(plan: Plan, values: np.ndarray, met: np.ndarray) -> Bracket:
    """Bracket of the limit from values (n,) and whether each meets all limits (n,)."""
    vary = plan.study.vary[0]
    assert vary.first is not None
    assert vary.last is not None
    _, unit = in_one_unit("vary", {"first": vary.first, "last": vary.last})
    order = np.argsort(values)
    x, ok = values[order], met[order]
    if not ok.any():
        return Bracket(None, float(x[0]), unit)
    last = int(np.flatnonzero(ok)[-1])
    high = float(x[last + 1]) if last + 1 < x.size else None
    return Bracket(float(x[last]), high, unit, tuple(float(v) for v in x[:last][~ok[:last]]))


def next_samples(plan: Plan, known: int, found: Bracket) -> list[Sample]:
    """The samples that shorten the bracket; none if it is short enough or there is no turn."""
    from panhead.explore.studies.sample_plan import Sample

    vary = plan.study.vary[0]
    assert vary.first is not None
    assert vary.last is not None
    ends_, unit = in_one_unit("vary", {"first": vary.first, "last": vary.last})
    if found.low is None or found.high is None:
        return []
    if found.high - found.low <= plan.study.error * abs(ends_["last"] - ends_["first"]):
        return []
    inside = np.linspace(found.low, found.high, _CUTS + 1)[1:-1]
    return [Sample(known + k, (with_unit(x, unit),)) for k, x in enumerate(inside)]


@dataclass(frozen=True, slots=True)
class NumericalRange:
    """Uncertainty of the limit from the numerical error of the runs, as numbers in the unit of the study."""

    met_to: float | None  #: up to here every limit is met by more than its error bar; None: nowhere
    missed_from: float | None  #: from here on one is missed by more than its error bar; None: nowhere
    criterion: str  #: that decides
    error: float  #: its error bar, in its unit
    unit: str  #: SI


def numerical_range(index: xr.Dataset, found: Bracket) -> NumericalRange | None:
    """Range of the limit within the error bars of the runs; None if these are unknown.

    A criterion with the margin r to its limit and the error bar e is certainly met where r ≥ e and certainly not met
    where r < −e; between samples r is linear. The bars are those of the samples on either side of the limit.
    """
    order = np.argsort(index["number"].to_numpy()[:, 0], kind="stable")
    x = index["number"].to_numpy()[order, 0]
    value, limits, bars = (index[name].to_numpy()[order] for name in ("value", "limit", "error"))
    known = np.isfinite(bars).any(axis=(1, 2))
    if not known.any() or found.low is None or found.high is None:
        return None
    sign = np.where(index["criterion_bound"].to_numpy() == "lower", -1.0, 1.0)
    room = np.where(np.isfinite(limits) & judged_criteria(index), sign * (limits - value), np.inf)
    room[index["verdict"].to_numpy()[order] == "failed"] = -np.inf
    error = np.nan_to_num(np.fmax.reduce(bars[known], axis=0), nan=0.0)
    at = int(np.flatnonzero(x == found.high)[0])
    which = np.unravel_index(int(np.argmin(room[at])), room[at].shape)
    low = _crossing_place(x[:at][::-1], (room - error)[:at][::-1])
    beyond = -(room + error)[at - 1 :].reshape(len(x) - at + 1, -1)
    reached = [place for column in beyond.T if (place := _crossing_place(x[at - 1 :], column)) is not None]
    text = lambda name: str(index[name].to_numpy()[which[1]])
    return NumericalRange(
        low, min(reached, default=None), text("criterion_name"), float(error[which]), text("criterion_unit")
    )


def _crossing_place(x: np.ndarray, room: np.ndarray) -> float | None:
    """The first place along x (n,) from which on all rooms (n, …) are positive; straight between the two samples."""
    room = room.reshape(len(x), -1)
    first = next((k for k in range(len(x)) if (room[k] >= 0.0).all()), None)
    if first is None or first == 0:
        return None if first is None else float(x[0])
    a, b = room[first - 1], room[first]
    short = (a < 0.0) & np.isfinite(a) & np.isfinite(b)
    share = max((float(-a[k] / (b[k] - a[k])) for k in np.flatnonzero(short)), default=1.0)
    return float(x[first - 1] + share * (x[first] - x[first - 1]))
