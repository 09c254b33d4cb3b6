"""Maximum a posteriori by Levenberg–Marquardt steps on the whitened residuals.

    (JᵀJ + I + λ diag(JᵀJ + I)) p = −(Jᵀ r + z)                                    [Nocedal06, section 10.3]

Steps use one-sided differences; where they have become small the Jacobian is centred, noise is estimated again, the
gradient Jᵀ r is replaced by the exact one of backward sweeps, and the search ends once the decrement pᵀ(JᵀJ + I)p is
far below one: then the maximum is known to a small part of its own uncertainty, whatever the differences are worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from panhead.engine.jobs import ignore_progress
from panhead.errors import NotConverged, PanheadError
from panhead.explore.calibration.evaluations import Evaluations
from panhead.explore.calibration.misfit import Misfit

_DECREMENT = 1e-3
_LARGEST = 3.0  # length of a step in standard deviations of the prior
_DAMPINGS = 8


@dataclass(frozen=True, slots=True)
class MapEstimate:
    """The maximum of the posterior and what is known around it."""

    z: np.ndarray  #: (size,)
    r: np.ndarray  #: whitened residuals
    J: np.ndarray  #: their Jacobian, by central differences
    iterations: int
    decrement: float  #: pᵀHp of the last step
    gradient_error: float  #: largest |Jᵀr − ∇½|r|²|/|J| with the exact gradient: the step it would make, in deviations
    history: tuple[float, ...]  #: φ after every step
    noise: dict[tuple[int, str], float]

    @property
    def hessian(self) -> np.ndarray:
        """JᵀJ + I."""
        return self.J.T @ self.J + np.eye(self.z.size)


def maximise(
    misfit: Misfit,
    iterations: int,
    told: Callable[[float, str], None] = ignore_progress,
    evaluations: Evaluations | None = None,
    *,
    start: np.ndarray | None = None,
    exact: bool = True,
) -> MapEstimate:
    """Search the maximum from the prior values; ``exact``: end it on the gradient of backward sweeps."""
    known = Evaluations(misfit) if evaluations is None else evaluations
    z = np.zeros(misfit.size) if start is None else start.copy()
    history, damping, decrement, final, error = [], 1e-3, np.inf, False, np.nan
    misfit.estimate_noise(z, known.series(z), 0)
    for number in range(1, iterations + 1):
        told(min(0.95, number / iterations), f"iteration {number}, decrement {decrement:.2g}")
        series = known.series(z)
        misfit.estimate_noise(z, series, misfit.size)
        r, J = misfit.residuals(z, series), known.jacobian(z, central=final)
        H, g = J.T @ J + np.eye(z.size), J.T @ r + z
        if final and exact:
            g, error = _exact_gradient(misfit, z, r, J)
        p, damping = _step(misfit, known, z, (H, g), damping)
        decrement = float(p @ H @ p)
        history.append(0.5 * float(r @ r + z @ z))
        if final and decrement < 10.0 * _DECREMENT:
            break
        z = z + p
        final = decrement < 30.0 * _DECREMENT
    else:
        if decrement > 1.0:
            raise NotConverged(
                f"calibration: after {iterations} iterations a step is still {np.sqrt(decrement):.2g} standard "
                "deviations; give more `iterations`, tighter priors, or fewer unknowns"
            )
        series = known.series(z)
        r, J = misfit.residuals(z, series), known.jacobian(z, central=True)
        error = _exact_gradient(misfit, z, r, J)[1] if exact else np.nan
    return MapEstimate(z, r, J, number, decrement, error, tuple(history), dict(misfit.noise))


def _step(
    misfit: Misfit, known: Evaluations, z: np.ndarray, model: tuple[np.ndarray, np.ndarray], damping: float
) -> tuple[np.ndarray, float]:
    """A damped step that lowers φ, and the damping for the next one."""
    H, g = model
    r = misfit.residuals(z, known.series(z))
    now = 0.5 * float(r @ r + z @ z)
    for _ in range(_DAMPINGS):
        p = -np.linalg.solve(H + damping * np.diag(np.diag(H)), g)
        p *= min(1.0, _LARGEST / max(float(np.abs(p).max()), 1e-300))
        if float(p @ H @ p) < _DECREMENT:  # below this the noise of the differences decides
            return p, damping
        try:
            there = misfit.residuals(z + p, known.series(z + p))
            after = 0.5 * float(there @ there + (z + p) @ (z + p))
        except PanheadError:  # a run that cannot be computed: shorten the step
            after = np.inf
        if after < now:
            return p, max(1e-6, 0.2 * damping)
        damping *= 8.0
    return np.zeros(z.size), damping


def _exact_gradient(misfit: Misfit, z: np.ndarray, r: np.ndarray, J: np.ndarray) -> tuple[np.ndarray, float]:
    """∇φ by backward sweeps, and the largest difference of Jᵀr from it, over the length of the column of J."""
    exact = misfit.potential_and_gradient(z)[1]
    away = np.abs(J.T @ r + z - exact) / np.maximum(np.linalg.norm(J, axis=0), 1e-300)
    return exact, float(away.max())
