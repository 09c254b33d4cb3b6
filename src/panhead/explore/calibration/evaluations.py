"""Evaluations of a calibration: what was computed last is kept in memory, every Jacobian and draw on disk.

A search that is repeated takes the same steps, so that it goes on from where it was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from panhead.explore.calibration.misfit import Misfit
from panhead.explore.calibration.passage_model import RunSeries
from panhead.runs.checkpoints.evaluation_cache import EvaluationCache

STEP = 0.02  #: of differences, in standard deviations of the prior
_CACHED = 4  # points whose records are kept


class Evaluations:
    """Runs, Jacobians and gradients of a misfit by the point at which they were computed."""

    def __init__(self, misfit: Misfit, caches: dict[str, EvaluationCache] | None = None) -> None:
        self.misfit, self._caches = misfit, caches or {}
        self._series: dict[bytes, list[RunSeries]] = {}

    def series(self, z: np.ndarray) -> Sequence[RunSeries]:
        """Records of every passage at z."""
        key = z[: len(self.misfit.coordinates)].tobytes()
        if key not in self._series:
            self._series[key] = self.misfit.series(z)
            while len(self._series) > _CACHED:
                self._series.pop(next(iter(self._series)))
        return self._series[key]

    def jacobian(self, z: np.ndarray, *, central: bool) -> np.ndarray:
        """∂r/∂z at z, saved without the noise it was divided by."""
        scale = np.concatenate([np.full(t.data.size, self.misfit.sigma(t)) for t in self.misfit.traces])[:, None]
        name = "central" if central else "one-sided"

        def compute() -> np.ndarray:
            return np.ravel(self.misfit.jacobian(z, self.series(z), STEP, central=central) * scale)

        found = self._at(name, z, compute)
        return found.reshape(scale.size, -1) / scale

    def potential_and_gradient(self, z: np.ndarray) -> tuple[float, np.ndarray]:
        """φ and ∇φ, exact."""

        def compute() -> np.ndarray:
            value, slope = self.misfit.potential_and_gradient(z)
            return np.concatenate([[value], slope])

        found = self._at("gradient", z, compute)
        return float(found[0]), found[1:]

    def potential(self, z: np.ndarray) -> float:
        """φ."""
        return float(self._at("potential", z, lambda: np.array([self.misfit.potential(z)]))[0])

    def _at(self, name: str, z: np.ndarray, compute: Callable[[], np.ndarray]) -> np.ndarray:
        cache = self._caches.get(name)
        return compute() if cache is None else cache.at(z, compute)
