"""The highest value of one input at which every limit is met.

The range is first looked through at equal steps, since a line may fail at one speed and comply at a higher one; then
the interval above the highest value that complies is cut into four, again and again, until it is as short as asked.
Always four, however many workers there are: the same study gives the same samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from panhead.studies.distributions import in_one_unit
from panhead.studies.sampling import listed, written

if TYPE_CHECKING:
    from panhead.studies.plan import Plan, Sample

_CUTS = 4


@dataclass(frozen=True, slots=True)
class Bracket:
    """Between which values the limit lies, as numbers in the unit of the study."""

    low: float | None  #: highest value seen at which all limits are met
    high: float | None  #: the next value above it, which fails
    unit: str
    missed: tuple[float, ...] = ()  #: values below ``low`` at which a limit is missed


def ends(plan: Plan) -> list[Sample]:
    """The samples of the first look."""
    from panhead.studies.plan import Sample

    return [Sample(k, (value,)) for k, value in enumerate(listed(plan.study.vary[0]))]


def bracket(plan: Plan, values: np.ndarray, met: np.ndarray) -> Bracket:
    """Where the limit lies by what is known: values (n,) and whether each meets all limits (n,)."""
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
    from panhead.studies.plan import Sample

    vary = plan.study.vary[0]
    assert vary.first is not None
    assert vary.last is not None
    ends_, unit = in_one_unit("vary", {"first": vary.first, "last": vary.last})
    if found.low is None or found.high is None:
        return []
    if found.high - found.low <= plan.study.error * abs(ends_["last"] - ends_["first"]):
        return []
    inside = np.linspace(found.low, found.high, _CUTS + 1)[1:-1]
    return [Sample(known + k, (written(x, unit),)) for k, x in enumerate(inside)]
