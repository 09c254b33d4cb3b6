"""Variants of a run side by side: what the judge has found of each, and what print tells of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.assess.criteria import Criterion, Verdict, overall
from panhead.assess.judge import judgement
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class VariantNumbers:
    """One pantograph of one variant in numbers; forces in N, NaN where there is none."""

    variant: str  #: "" where the run has no variants
    pantograph: str
    criteria: tuple[Criterion, ...]
    raw_deviation: float  #: of the force as computed
    estimate_deviation: float
    """Of the lumped estimate that leaves out the actuator, by which laws in print are judged:
    F = −m₁ (ÿ₁ + g) − k (y₁ − y₂ − l) − c (ẏ₁ − ẏ₂)                       [Pappalardo16, eq. (27)]"""
    published: tuple[float, float]  #: mean and deviation in print
    actuator_force: float  #: the largest, either way
    actuator_power: float  #: the largest, either way [W]
    actuator_energy: float  #: taken out over the run [J]

    def value(self, key: str) -> float:
        """The value of a criterion, such as ``mean_force``; NaN if it was not looked at."""
        return next((c.value for c in self.criteria if c.key == key), np.nan)

    @property
    def verdict(self) -> Verdict:
        """The worst of all criteria that have a limit."""
        return overall(self.criteria)


def compare(dataset: xr.Dataset) -> list[VariantNumbers]:
    """Every pantograph of every variant of a judged result, in the order they were run."""
    found = judgement(dataset)
    published = _published(dataset)
    return [
        _numbers(one.isel(pantograph=k), variant, str(name), found[variant][str(name)], published)
        for variant, one in separate(dataset).items()
        for k, name in enumerate(one["pantograph"].to_numpy())
    ]


def _published(dataset: xr.Dataset) -> dict[str, tuple[float, float]]:
    if "published" not in dataset:
        return {}
    rows = np.abs(dataset["published"].to_numpy())  # print may count a pressing force negative
    names = map(str, dataset["variant"].to_numpy())
    return {name: (float(a), float(b)) for name, (a, b) in zip(names, rows, strict=True)}


def _numbers(
    one: xr.Dataset,
    variant: str,
    pantograph: str,
    criteria: list[Criterion],
    published: dict[str, tuple[float, float]],
) -> VariantNumbers:
    t = one["time"].to_numpy()
    attrs = one.attrs
    now = (t >= attrs.get("judged_from", t[0]) - 1e-9) & (t <= attrs.get("judged_to", t[-1]) + 1e-9)
    curve = lambda name: one[name].to_numpy() if name in one else np.zeros(t.size)
    estimate = curve("force_estimate") - curve("actuator_force")
    power = curve("actuator_power")
    return VariantNumbers(
        variant=variant,
        pantograph=pantograph,
        criteria=tuple(criteria),
        raw_deviation=float(one["contact_force"].to_numpy()[now].std()),
        estimate_deviation=float(estimate[now].std()) if "force_estimate" in one else np.nan,
        published=published.get(variant, (np.nan, np.nan)),
        actuator_force=float(np.abs(curve("actuator_force")).max()),
        actuator_power=float(np.abs(power).max()),
        actuator_energy=-float(np.trapezoid(power, t)),
    )
