"""Comparison of the variants of a run: contact force figures of each, relative to the first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.assess.assessment_inputs import judged_window
from panhead.assess.criteria import Verdict, overall
from panhead.assess.judge import judgement
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VariantFigures:
    """Contact force figures of one pantograph of one variant, over the assessed section."""

    variant: str
    pantograph: str
    verdict: Verdict
    mean: float  #: of the force as computed [N]
    deviation: float  #: of the force as computed [N]
    filtered: float  #: deviation of the force to 20 Hz [N]
    largest: float  #: to 20 Hz [N]
    smallest: float  #: to 20 Hz [N]
    loss: float  #: share of the time without contact
    estimate: float | None  #: deviation of the lumped estimate without the actuator [N]
    published: tuple[float, float] | None  #: mean and deviation in print, sizes [N]
    first: VariantFigures | None  #: what it is measured by; None: it is the first itself

    @property
    def moved(self) -> float | None:
        """Relative change of the mean from the first variant."""
        return None if self.first is None else self.mean / self.first.mean - 1.0

    @property
    def change(self) -> float | None:
        """Relative change of the deviation to 20 Hz from the first variant."""
        return None if self.first is None else self.filtered / self.first.filtered - 1.0

    @property
    def cut(self) -> float | None:
        """Relative reduction of the unfiltered deviation from the first variant."""
        return None if self.first is None else 1.0 - self.deviation / self.first.deviation

    @property
    def estimate_cut(self) -> float | None:
        """Relative reduction of the deviation of the lumped estimate, with which published control laws are
        compared."""
        if self.first is None or self.estimate is None or self.first.estimate is None:
            return None
        return 1.0 - self.estimate / self.first.estimate

    @property
    def published_cut(self) -> float | None:
        """Relative reduction of the published deviation."""
        if self.first is None or self.published is None or self.first.published is None:
            return None
        return 1.0 - self.published[1] / self.first.published[1]


def side_by_side(dataset: xr.Dataset) -> list[VariantFigures]:
    """Figures of every variant and pantograph of an assessed result, in order."""
    found: list[VariantFigures] = []
    criteria = judgement(dataset)
    firsts: dict[int, VariantFigures] = {}
    for variant, whole in separate(dataset).items():
        for k, name in enumerate(map(str, whole["pantograph"].to_numpy())):
            one = whole.isel(pantograph=k)
            values = {c.key: c.value for c in criteria[variant][name]}
            force = judged_part(one, "contact_force")
            figures = VariantFigures(
                variant=variant,
                pantograph=name,
                verdict=overall(criteria[variant][name]),
                mean=float(force.mean()),
                deviation=float(force.std()),
                filtered=values["deviation"],
                largest=values["actual_max"],
                smallest=values["actual_min"],
                loss=values["contact_loss"],
                estimate=_estimate(one),
                published=_reference_rows(one),
                first=firsts.get(k),
            )
            firsts.setdefault(k, figures)
            found.append(figures)
    return found


def judged_part(one: xr.Dataset, name: str) -> np.ndarray:
    """Curve of one pantograph over the assessed section, (n,)."""
    begin, end = judged_window(one)
    return one[name].sel(time=slice(begin - 1e-9, end + 1e-9)).to_numpy()


def _estimate(one: xr.Dataset) -> float | None:
    """Deviation of the lumped force estimate [N]; it has no actuator term, as in published comparisons.

    F = −m₁ (ÿ₁ + g) − k (y₁ − y₂ − l) − c (ẏ₁ − ẏ₂)                         [Pappalardo16, eq. (27)]
    """
    if "force_estimate" not in one:
        return None
    return float((judged_part(one, "force_estimate") - judged_part(one, "actuator_force")).std())


def _reference_rows(one: xr.Dataset) -> tuple[float, float] | None:
    if "published" not in one or not np.isfinite(one["published"]).all():
        return None
    mean, deviation = (float(abs(x)) for x in one["published"].to_numpy())
    return mean, deviation
