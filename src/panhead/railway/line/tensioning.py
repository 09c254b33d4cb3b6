"""Tensioning of a tension length: balance weights or fixed ends, under temperature change and ice.

Balanced: weights on a wheel keep H; the wheel rubs, so that a wire that shortens pulls with (1 + r) H and one that
grows with (1 − r) H, r the friction. Weights travel α ΔT times the length to the point where the wires are tied; where
their travel ends, the wire is fixed for the rest of ΔT.

Fixed: the length stays, and with it, for spans l of parabolic sag under the load q [Kiessling18, ch. 4],

    H − EA q² l²/24H²  =  H₀ − EA q₀² l²/24H₀² − EA α ΔT,      l² = Σ l³/Σ l  (the equivalent span)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from panhead.errors import ModelError, require_not_negative
from panhead.files.units import Dimensionless, Metres


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensioning:
    """Tensioning devices at the ends of a tension length."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    kind: Literal["balanced", "fixed"] = "balanced"
    """balanced: weights keep the tension; fixed: wires are fixed at both ends."""
    friction: Dimensionless = 0.0  #: friction r of the pulleys, as a fraction of the tension
    travel: Metres | None = None
    """Travel of the wire at the pulley in each direction from the position as erected [m]; None: unlimited."""
    devices: Literal["both", "start", "end"] = "both"  #: ends with weights; the other end is fixed

    def __post_init__(self) -> None:
        require_not_negative(self, "friction")
        if self.friction >= 1.0:
            raise ModelError(
                f"Tensioning: friction is a fraction of the tension and must be below 1, got {self.friction:g}"
            )
        if self.travel is not None:
            require_not_negative(self, "travel")

    def longest(self, lengths: Sequence[float], midpoint: int | None) -> float:
        """Distance from the midpoint anchor to the farther wheel [m]; lengths: of the spans."""
        total = sum(lengths)
        if self.devices != "both":
            return total
        tied = 0.5 * total if midpoint is None else sum(lengths[:midpoint])
        return max(tied, total - tied)


def equivalent_span(lengths: Sequence[float]) -> float:
    """Equivalent span √(Σ l³/Σ l) [m]."""
    return math.sqrt(sum(x**3 for x in lengths) / sum(lengths))


def change_of_state(tension: float, *, EA: float, strain: float, loads: tuple[float, float], span: float) -> float:
    """H of a fixed wire after its free length has grown by ``strain`` = α ΔT and its load from loads[0] to loads[1].

    tension: H₀ [N]; loads [N/m]; span: the equivalent one [m]. Without a load it is H₀ − EA α ΔT, ≤ 0: slack.
    """
    before, after = (EA * (q * span) ** 2 / 24.0 for q in loads)
    constant = tension - before / tension**2 - EA * strain
    if after == 0.0:
        return constant
    high = max(constant, 0.0) + after ** (1.0 / 3.0) + 1.0

    def missing(H: float) -> float:
        return H**3 - constant * H**2 - after

    from scipy.optimize import brentq  # most lines have no wire with fixed ends, and it takes long to load

    return float(brentq(missing, 0.0, 2.0 * high, xtol=1e-9, rtol=1e-14))
