"""Cost functions of optimal control: weighted squares of expressions, running and at the end.

    J = Σ ½ w (y(T) − r)² + Σ ∫ ½ w (y − r)² dt                 [Pappalardo20, eqs (24)–(26)]

with the integral by the trapezoidal rule on the grid of steps, eq. (38). An expression may hold
coordinates, rates, controls, time, parameters, and through ``Multiplier`` the constraint forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np

from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """½ ``weight`` (y − r)², integrated over time or taken at the end.

    ``of`` is an expression, or the name of a coordinate, ``rate NAME``, an output, a control or a constraint (whose
    multiplier is meant). ``reference`` is a number, an expression of time, or "mean": then only the
    deviation from the run's own mean costs, and the mean is free.
    """

    of: Any
    weight: float
    reference: Any = 0.0
    when: Literal["running", "end"] = "running"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise ModelError(f"a cost term's weight must be finite and ≥ 0, got {self.weight!r}")
        if self.reference == "mean" and self.when == "end":
            raise ModelError("a cost term at the end cannot use reference='mean'; give a value")

    @property
    def mean_free(self) -> bool:
        """True if the reference is the run's own mean."""
        return isinstance(self.reference, str) and self.reference == "mean"


@final
@dataclass(frozen=True, slots=True)
class Weights:
    """The cost of sampled deviations d (N + 1, ny): arrays prepared once per problem."""

    time: np.ndarray  # (N + 1,) trapezoidal weights [s]
    running: np.ndarray  # (ny,) weight of each running term, zero for the others
    end: np.ndarray  # (ny,)
    mean_free: np.ndarray  # (ny,) bool

    def deviations(self, y: np.ndarray) -> np.ndarray:
        """y − r, with the mean removed where the reference is "mean"."""
        mean = self.time @ y / self.time.sum()
        return y - np.where(self.mean_free, mean, 0.0)

    def cost(self, y: np.ndarray) -> float:
        """J."""
        return float(self.parts(y).sum())

    def parts(self, y: np.ndarray) -> np.ndarray:
        """The share of each term in J, (ny,)."""
        d = self.deviations(y)
        return 0.5 * self.running * (self.time @ d**2) + 0.5 * self.end * d[-1] ** 2

    def adjoint(self, y: np.ndarray) -> np.ndarray:
        """∂J/∂y (N + 1, ny). The mean drops out: deviations from it sum to zero."""
        d = self.deviations(y)
        y_bar = self.time[:, None] * self.running * d
        y_bar[-1] += self.end * d[-1]
        return y_bar
