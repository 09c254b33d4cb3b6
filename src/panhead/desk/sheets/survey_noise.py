"""Noise of a survey: standard deviation and correlation length.

    cov(eᵢ, eⱼ) = σ² exp(−|xᵢ − xⱼ|/ℓ)   in one pass of the train, 0 between passes

Error bars for independent errors (ℓ = 0) are too short by about √(1 + 2ℓ/Δx). σ and ℓ are estimated from the residual
by restricted maximum likelihood, which accounts for the fitted parameters [Patterson71].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

_SURE: Final = 6.63  # twice the gain of log-likelihood that chance reaches in one survey of a hundred
_REACH: Final = (0.1, 30.0)  # shortest and longest ℓ looked for, in distances of samples and in metres
_FINEST: Final = 1e-5  # least deviation of a height [m]: below it a survey is taken for exact
_FREE: Final = 1.0  # how far a length may be off while the noise is estimated [m]: the drawing says nothing there


@dataclass(frozen=True, slots=True)
class SurveyNoise:
    """Errors of the heights of one tension length."""

    deviation: float  #: σ [m]
    length: float = 0.0  #: ℓ [m]; 0: every place on its own


def whitening_matrix(x: np.ndarray, passes: np.ndarray, length: float) -> sp.csr_matrix:
    """W (n, n) with W C Wᵀ = 1, for samples in the order of x: each less what the one before it in its pass tells."""
    n = x.size
    if length <= 0.0:
        return sp.identity(n, format="csr")
    order = np.lexsort((x, passes))
    step = np.where(np.diff(passes[order]) == 0, np.diff(x[order]), np.inf)
    step[step <= 0.0] = np.inf  # one place read twice: each on its own
    alike, own = np.exp(-step / length), 1.0 / np.sqrt(-np.expm1(-2.0 * step / length))
    rows = np.concatenate([order, order[1:]])
    columns = np.concatenate([order, order[:-1]])
    return sp.csr_matrix((np.concatenate([[1.0], own, -alike * own]), (rows, columns)), shape=(n, n))


def estimate(x: np.ndarray, passes: np.ndarray, G: np.ndarray, residual: np.ndarray) -> SurveyNoise:
    """σ and ℓ of the noise in ``residual`` = G δ + noise, δ unknown; ℓ = 0 unless chance alone would hardly show it."""
    independent = _likelihood(x, passes, G, residual, 0.0)
    spacing = np.diff(np.unique(x))
    bounds = np.log([_REACH[0] * float(np.median(spacing)), _REACH[1]])
    told = lambda log: -_likelihood(x, passes, G, residual, float(np.exp(log)))[0]
    found = minimize_scalar(told, bounds=bounds, method="bounded", options={"xatol": 0.01})
    if 2.0 * (-found.fun - independent[0]) < _SURE:
        return SurveyNoise(independent[1])
    length = float(np.exp(found.x))
    return SurveyNoise(_likelihood(x, passes, G, residual, length)[1], length)


def _likelihood(
    x: np.ndarray, passes: np.ndarray, G: np.ndarray, residual: np.ndarray, length: float
) -> tuple[float, float]:
    """The restricted log-likelihood but for a constant, at the σ that is best for this ℓ; and that σ [m]."""
    W = whitening_matrix(x, passes, length)
    H, y = W @ G, W @ residual
    scale = max(float(y @ y) / y.size, _FINEST**2) / _FREE**2
    normal = H.T @ H
    free = normal + scale * np.eye(normal.shape[0])
    freedoms = y.size - float(np.trace(np.linalg.solve(free, normal)))
    left = float(y @ y - (b := H.T @ y) @ np.linalg.solve(free, b))
    variance = max(left / freedoms, _FINEST**2)
    log = np.log(W.diagonal()).sum() - 0.5 * np.linalg.slogdet(free)[1]
    return float(log - 0.5 * freedoms * np.log(variance)), float(np.sqrt(variance))
