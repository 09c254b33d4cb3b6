"""Cross-validation: every passage predicted from the others.

Without the rows of a passage the Gauss–Newton step from the maximum is

    z₋ = ẑ − (J₋ᵀJ₋ + I)⁻¹ (J₋ᵀr₋ + ẑ)

The passage is then run with these parameters; only its clock is fitted to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panhead.explore.calibration.map_estimate import MapEstimate
from panhead.explore.calibration.misfit import Misfit

_TWICE = 2  # Gauss–Newton steps of a clock


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One passage left out of the fit."""

    passage: int
    fitted: float  #: root mean square of the whitened residual with it in the fit
    predicted: float  #: and predicted from the others
    prior: float  #: and with the prior values
    moved: float  #: how far the parameters move without it, in posterior standard deviations (root mean square)


def rows_of(misfit: Misfit, passage: int) -> np.ndarray:
    """Mask of the residuals of a passage."""
    return np.concatenate([np.full(t.data.size, t.passage == passage) for t in misfit.traces])


def leave_each_out(misfit: Misfit, estimate: MapEstimate) -> list[LeftOut]:
    """All passages one by one; none if there is only one."""
    count = len(misfit.models)
    if count < 2:
        return []
    n, zero = len(misfit.coordinates), np.zeros(misfit.size)
    return [_left_out(misfit, estimate, k, n, zero) for k in range(count)]


def _left_out(misfit: Misfit, estimate: MapEstimate, passage: int, n: int, zero: np.ndarray) -> LeftOut:
    mine = rows_of(misfit, passage)
    J, r, z = estimate.J[~mine], estimate.r[~mine], estimate.z
    there = z - np.linalg.solve(J.T @ J + np.eye(z.size), J.T @ r + z)
    alone = misfit.only([passage])
    spread = np.sqrt(np.diag(np.linalg.inv(estimate.hessian)))[:n]
    moved = float(np.sqrt(np.mean(((there - z)[:n] / spread) ** 2)))
    fitted = float(np.sqrt(np.mean(estimate.r[mine] ** 2)))
    return LeftOut(passage, fitted, predicted_rms(alone, there), predicted_rms(alone, zero), moved)


def predicted_rms(alone: Misfit, z: np.ndarray) -> float:
    """Root mean square of the whitened residual at given parameters, with the clocks fitted."""
    n, series = len(alone.coordinates), alone.series(z)
    there, fixed = z.copy(), _Frozen(alone, series)
    for _ in range(_TWICE):
        r, J = fixed.residuals(there)
        step = np.linalg.solve(J.T @ J + np.eye(J.shape[1]), J.T @ r + there[n:])
        there[n:] -= step
    return float(np.sqrt(np.mean(fixed.residuals(there)[0] ** 2)))


class _Frozen:
    """Residuals as functions of the clocks alone."""

    def __init__(self, misfit: Misfit, series: Sequence[object]) -> None:
        self.misfit, self.series = misfit, series

    def residuals(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        parts, rates = [], []
        for trace in self.misfit.traces:
            value, rate = self.misfit.difference(trace, z, self.series)  # type: ignore[arg-type]
            parts.append(self.misfit.whiten(trace, value))
            row = np.zeros((trace.data.size, self.misfit.clocks.size))
            if trace.clock >= 0:
                row[:, trace.clock] = self.misfit.whiten(trace, rate) * self.misfit.clocks[trace.clock]
            rates.append(row)
        return np.concatenate(parts), np.concatenate(rates)
