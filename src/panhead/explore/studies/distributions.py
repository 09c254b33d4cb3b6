"""Distributions of one number: from a uniform share 0 < p < 1 to a value, x = F⁻¹(p)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import in_unit, split_quantity

Quantity = float | str  #: a number, or text with a unit

#: kind → the numbers it needs
_NEEDS = {
    "normal": ("mean", "deviation"),
    "uniform": ("low", "high"),
    "triangular": ("low", "mode", "high"),
    "truncated": ("mean", "deviation", "low", "high"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Distribution:
    """normal (mean, deviation), uniform (low, high), triangular (low, mode, high), truncated normal (all but mode)."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    kind: Literal["normal", "uniform", "triangular", "truncated"] = "normal"
    mean: Quantity | None = None
    deviation: Quantity | None = None  #: standard deviation; of "truncated": before truncation
    low: Quantity | None = None
    high: Quantity | None = None
    mode: Quantity | None = None  #: most likely value

    def __post_init__(self) -> None:
        given = {name for name in ("mean", "deviation", "low", "high", "mode") if getattr(self, name) is not None}
        needed = set(_NEEDS[self.kind])
        if given != needed:
            missing, odd = sorted(needed - given), sorted(given - needed)
            wrong = f"give {', '.join(missing)}" if missing else f"{', '.join(odd)} does not belong to it"
            raise ModelError(f"distribution {self.kind!r}: {wrong}")
        n, _ = self.numbers()
        if self.kind in ("normal", "truncated") and not n["deviation"] > 0:
            raise ModelError(f"distribution {self.kind!r}: deviation must be > 0, got {self.deviation!r}")
        if self.kind != "normal" and not n["low"] < n["high"]:
            raise ModelError(f"distribution {self.kind!r}: low {self.low!r} must lie below high {self.high!r}")
        if self.kind == "triangular" and not n["low"] <= n["mode"] <= n["high"]:
            raise ModelError(f"distribution 'triangular': mode {self.mode!r} must lie between low and high")

    def numbers(self, symbol: str | None = None) -> tuple[dict[str, float], str]:
        """Parameters of the distribution and their unit; in SI units of ``symbol`` if that is given."""
        return _numbers(self, symbol)

    def values(self, p: np.ndarray, symbol: str | None = None) -> np.ndarray:
        """F⁻¹(p), shape of p."""
        from scipy.special import ndtr, ndtri

        n, _ = self.numbers(symbol)
        if self.kind == "uniform":
            return n["low"] + (n["high"] - n["low"]) * p
        if self.kind == "triangular":
            width, rise = n["high"] - n["low"], n["mode"] - n["low"]
            below = p * width <= rise
            left = n["low"] + np.sqrt(p * width * rise)
            right = n["high"] - np.sqrt((1 - p) * width * (width - rise))
            return np.where(below, left, right)
        if self.kind == "truncated":
            ends = [ndtr((n[end] - n["mean"]) / n["deviation"]) for end in ("low", "high")]
            cut = n["mean"] + n["deviation"] * ndtri(ends[0] + (ends[1] - ends[0]) * p)
            return np.clip(cut, n["low"], n["high"])
        return np.asarray(n["mean"] + n["deviation"] * ndtri(p))


@lru_cache(256)
def _numbers(of: Distribution, symbol: str | None) -> tuple[dict[str, float], str]:
    given = {name: getattr(of, name) for name in _NEEDS[of.kind]}
    if symbol is not None:
        return {name: in_unit(value, symbol) for name, value in given.items()}, symbol
    return in_one_unit(f"distribution {of.kind!r}", given)


def in_one_unit(what: str, given: dict[str, Quantity]) -> tuple[dict[str, float], str]:
    """Numbers and the unit they share; ModelError if they are written in several."""
    split = {name: split_quantity(value) for name, value in given.items()}
    units = {unit for number, unit in split.values() if number or unit} or {""}  # nothing needs no unit
    if len(units) > 1:
        raise ModelError(f"{what}: write all its numbers in the same unit, got {', '.join(map(repr, sorted(units)))}")
    numbers = {name: number for name, (number, _) in split.items()}
    wrong = [name for name, number in numbers.items() if not math.isfinite(number)]
    if wrong:
        raise ModelError(f"{what}: {wrong[0]} must be finite, got {given[wrong[0]]!r}")
    return numbers, units.pop()
