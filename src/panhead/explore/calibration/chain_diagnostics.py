"""Diagnostics of Markov chains: split R̂ and effective sample size.

    R̂² = ((n − 1)/n W + B/n)/W      ESS = m n/(1 + 2 Σ ρ_t)                         [Gelman13, sections 11.4, 11.5]

over chains cut in halves, with the sum of autocorrelations ended where a pair of them is no longer positive.
"""

from __future__ import annotations

import numpy as np


def split_r_hat(draws: np.ndarray) -> float:
    """R̂ of one coordinate, draws (chains, n)."""
    halves = _halves(draws)
    n = halves.shape[1]
    within = float(halves.var(axis=1, ddof=1).mean())
    between = n * float(halves.mean(axis=1).var(ddof=1))
    return float(np.sqrt(((n - 1) / n * within + between / n) / within)) if within > 0.0 else 1.0


def effective_size(draws: np.ndarray) -> float:
    """Number of independent draws that would tell the mean as well, draws (chains, n)."""
    halves = _halves(draws)
    m, n = halves.shape
    within = float(halves.var(axis=1, ddof=1).mean())
    total = (n - 1) / n * within + float(halves.mean(axis=1).var(ddof=1))
    if total <= 0.0:
        return float(m * n)
    centred = halves - halves.mean(axis=1, keepdims=True)
    covariance = np.array([(centred[:, : n - t] * centred[:, t:]).sum(axis=1).mean() / n for t in range(n - 1)])
    rho = 1.0 - (within - covariance * n / (n - 1)) / total
    tau, t = 1.0, 1
    while t + 1 < rho.size and rho[t] + rho[t + 1] > 0.0:
        tau += 2.0 * float(rho[t] + rho[t + 1])
        t += 2
    return float(m * n / max(tau, 1.0 / np.log10(max(10.0, m * n))))


def _halves(draws: np.ndarray) -> np.ndarray:
    n = draws.shape[1] // 2
    return np.concatenate([draws[:, :n], draws[:, -n:]])
