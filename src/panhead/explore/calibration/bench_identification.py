"""Identification of a lumped pantograph from a frequency response of its head.

The chain of n masses on the roof, with Z(ω) = K + iω C − ω² M, answers a force on the head with the receptance

    R(ω) = e₁ᵀ Z⁻¹ e₁,        ∂R/∂p = −wᵀ (∂Z/∂p) w,   w = Z⁻¹ e₁                                  [Ewins00, chapter 2]

All 3n parameters are found as logarithms by least squares on relative errors, from several starts, with this exact
derivative. Their covariance is s² (JᵀJ)⁻¹ with the scatter s of the fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from panhead.errors import ModelError, NotConverged

STARTS: Final = 8  #: random ones, beside those made of a model with a mass less
_QUANTILE: Final = 1.6448536269514722  # of 90 %
_FARTHEST: Final = 30.0  # logarithm of a parameter that means something
_ALIKE: Final = 1.02  # starts that end so near the best cost have found the same
_WHITE: Final = 4.0  # standard deviations of the correlation of neighbours beyond which so few masses are doubted


@dataclass(frozen=True, slots=True)
class BenchModel:
    """Masses, stiffnesses and dampings of a chain, head first, each with its standard deviation (relative)."""

    mass: np.ndarray  #: (n,) [kg]
    stiffness: np.ndarray  #: (n,) [N/m]
    damping: np.ndarray  #: (n,) [N·s/m]
    covariance: np.ndarray  #: (3n, 3n) of the logarithms of mass, stiffness, damping
    scatter: float  #: relative standard deviation s of the measured response
    neighbours: float  #: correlation of neighbouring residuals
    found: int  #: starts that ended here
    residual: np.ndarray  #: (frequencies,) complex, relative

    def deviation(self, k: int) -> float:
        """Relative standard deviation of the k-th of mass, stiffness, damping."""
        return float(np.sqrt(self.covariance[k, k]))

    def interval(self, k: int) -> tuple[float, float]:
        """90 % interval of the k-th parameter."""
        value, s = np.concatenate([self.mass, self.stiffness, self.damping])[k], self.deviation(k)
        return float(value * np.exp(-_QUANTILE * s)), float(value * np.exp(_QUANTILE * s))

    @property
    def doubts(self) -> list[str]:
        """Why the model is not to be trusted."""
        found = []
        if abs(self.neighbours) * np.sqrt(2.0 * self.residual.size) > _WHITE:
            found.append(
                f"The residual is not noise (correlation of neighbours {self.neighbours:+.2f}): "
                f"{self.mass.size} masses with linear springs and dampers do not describe this head; try more masses, "
                "or another amplitude."
            )
        n = self.mass.size
        words = [f"{what} {i + 1}" for what in ("mass", "stiffness", "damping") for i in range(n)]
        loose = [words[k] for k in range(3 * n) if self.deviation(k) > 0.5]
        if loose:
            found.append(f"Not determined by this test: {', '.join(loose)} (known to no better than 50 %).")
        return found


def receptance(p: np.ndarray, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """R (m,) and ∂R/∂ log p (m, 3n) of a chain with p = mass, stiffness, damping (3n,)."""
    m, k, c = np.split(p, 3)
    n = m.size
    each = np.zeros((n, n, n))  # spring i between mass i and the next, or the roof
    for i in range(n):
        each[i, i, i] = 1.0
        if i + 1 < n:
            each[i, i + 1, i + 1] = 1.0
            each[i, i, i + 1] = each[i, i + 1, i] = -1.0
    s = 1j * omega
    Z = (s**2)[:, None, None] * np.diag(m) + np.einsum("fi,ijk->fjk", k + s[:, None] * c, each)
    w = np.linalg.solve(Z, np.broadcast_to(np.eye(n)[:, :1], (omega.size, n, 1)))[:, :, 0]
    springs = np.einsum("fj,ijk,fk->fi", w, each, w)
    by = np.concatenate([-(s**2)[:, None] * w**2 * m, -springs * k, -s[:, None] * springs * c], axis=1)
    return w[:, 0], by


def identify(frequencies: np.ndarray, response: np.ndarray, masses: int, *, seed: int = 0) -> BenchModel:
    """Chain of masses whose receptance is nearest to a measured one; frequencies (m,) [Hz], response (m,) [m/N]."""
    from scipy.optimize import least_squares

    omega = 2.0 * np.pi * frequencies
    count = np.unique(frequencies).size
    if count < 3 * masses:
        raise ModelError(f"identify: {count} frequencies are too few for {3 * masses} parameters; measure at more")

    def residual(x: np.ndarray) -> np.ndarray:
        e = receptance(np.exp(x), omega)[0] / response - 1.0
        return np.concatenate([e.real, e.imag])

    def slope(x: np.ndarray) -> np.ndarray:
        J = receptance(np.exp(x), omega)[1] / response[:, None]
        return np.concatenate([J.real, J.imag])

    rng, ends = np.random.default_rng(seed), []
    for x in _starts(frequencies, response, masses, rng):
        with np.errstate(all="ignore"):  # a start that runs away is no end
            try:
                end = least_squares(residual, x, jac=slope, method="lm", max_nfev=150)
            except (np.linalg.LinAlgError, ValueError):
                continue
        if np.isfinite(end.cost) and np.abs(end.x).max() < _FARTHEST:
            ends.append(end)
    best = min(ends, key=lambda end: float(end.cost), default=None)
    if best is None:
        raise NotConverged("identify: no start converged; check the columns and units of the response")
    return _model(best, ends, masses)


def _model(best, ends: list, masses: int) -> BenchModel:  # type: ignore[no-untyped-def, type-arg]
    freedoms = best.fun.size - 3 * masses
    s2 = 2.0 * float(best.cost) / max(1, freedoms)
    covariance = s2 * np.linalg.pinv(best.jac.T @ best.jac)
    half = best.fun.size // 2
    e = best.fun[:half] + 1j * best.fun[half:]
    neighbours = float((e[1:] * e[:-1].conj()).real.sum() / max(float((np.abs(e) ** 2).sum()), 1e-300))
    m, k, c = np.split(np.exp(best.x), 3)
    found = sum(float(end.cost) <= _ALIKE * float(best.cost) + 1e-18 for end in ends)
    return BenchModel(m, k, c, covariance, float(np.sqrt(s2)), neighbours, found, e)


def _starts(
    frequencies: np.ndarray, response: np.ndarray, masses: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Random starts, and the best model of one mass less with each of its masses cut in two."""
    for _ in range(STARTS):
        yield _start(2.0 * np.pi * frequencies, response, masses, rng)
    if masses == 1:
        return
    less = identify(frequencies, response, masses - 1)
    for i in range(masses - 1):
        for share, factor in ((0.5, 3.0), (0.5, 30.0), (0.9, 10.0), (0.1, 10.0)):
            m = np.insert(less.mass, i, share * less.mass[i])
            m[i + 1] = (1.0 - share) * less.mass[i]
            k = np.insert(less.stiffness, i, factor * less.stiffness.max())
            c = np.insert(less.damping, i, 0.1 * np.sqrt(k[i] * m[i]))
            yield np.log(np.concatenate([m, k, c]))


def _start(omega: np.ndarray, response: np.ndarray, masses: int, rng: np.random.Generator) -> np.ndarray:
    """Random start about the static stiffness and the mass at high frequency."""
    low, high = int(np.argmin(omega)), int(np.argmax(omega))
    k0 = 1.0 / abs(response[low])
    m0 = max(1.0 / (omega[high] ** 2 * abs(response[high])), 1e-3)
    m = m0 * np.exp(rng.normal(0.3, 0.6, masses))
    k = k0 * np.exp(rng.normal(1.0, 1.5, masses))
    c = 2.0 * np.exp(rng.normal(np.log(0.1), 1.0, masses)) * np.sqrt(k * m)
    return np.log(np.concatenate([m, k, c]))
