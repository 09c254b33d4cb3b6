"""Residuals after a fit: whether noise explains them, or the model is wrong.

Whitened residuals of a true model are independent and standard normal. Their sum of squares is then χ² (where the
noise is given), and the Ljung–Box sum of their autocorrelations,

    Q = n (n + 2) Σ_{k ≤ m} ρ_k²/(n − k),                                                             [Ljung78]

is χ² with m freedoms. Where either is beyond what chance does once in a thousand fits, the model error dominates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panhead.explore.calibration.map_estimate import MapEstimate
from panhead.explore.calibration.misfit import Misfit
from panhead.explore.calibration.passage_model import FittedTrace, RunSeries

_CHANCE = 1e-3
_LAGS = 20


@dataclass(frozen=True, slots=True)
class TraceResidual:
    """Residual of one trace and its tests."""

    trace: FittedTrace
    computed: np.ndarray  #: (m,) in its unit
    whitened: np.ndarray  #: (m,)
    sigma: float  #: noise, given or estimated
    chi_square: float | None  #: |r|²/m; None: the noise was estimated
    chance_chi: float | None  #: of so large a χ²
    chance_white: float | None  #: of so large a Q; None: a single number
    lag_one: float | None  #: autocorrelation of neighbours

    @property
    def trusted(self) -> bool:
        """True if noise explains the residual."""
        return all(p is None or p > _CHANCE for p in (self.chance_chi, self.chance_white))


def trace_residuals(
    misfit: Misfit, estimate: MapEstimate, series: Sequence[RunSeries], *, fitted: bool = True
) -> list[TraceResidual]:
    """Residuals of all traces; ``fitted``: freedoms that the fit took are taken off."""
    taken = estimate.z.size / max(1, estimate.r.size) if fitted else 0.0
    found = []
    for trace in misfit.traces:
        difference = misfit.difference(trace, estimate.z, series)[0]
        r = misfit.whiten(trace, difference)
        found.append(_tested(trace, difference, r, misfit.sigma(trace), r.size * (1.0 - taken)))
    return found


def _tested(trace: FittedTrace, difference: np.ndarray, r: np.ndarray, sigma: float, freedoms: float) -> TraceResidual:
    from scipy.special import gammaincc

    squares = float(r @ r)
    given = trace.noise is not None
    chance_chi = float(gammaincc(0.5 * max(freedoms, 0.5), 0.5 * squares)) if given else None
    chance, lag = (None, None) if r.size <= _LAGS else _ljung_box(r)
    chi = squares / max(freedoms, 0.5) if given else None
    return TraceResidual(trace, trace.data + difference, r, sigma, chi, chance_chi, chance, lag)


def _ljung_box(r: np.ndarray) -> tuple[float, float]:
    """Chance of so large a Q, and the autocorrelation of neighbours."""
    from scipy.special import gammaincc

    n, lags = r.size, min(_LAGS, r.size // 5)
    c = r - r.mean()
    rho = np.array([c[: n - k] @ c[k:] for k in range(1, lags + 1)]) / float(c @ c)
    Q = n * (n + 2.0) * float(np.sum(rho**2 / (n - np.arange(1, lags + 1))))
    return float(gammaincc(0.5 * lags, 0.5 * Q)), float(rho[0])


def distrust(residuals: Sequence[TraceResidual]) -> list[str]:
    """Sentences on traces whose residual noise does not explain."""
    found = []
    for one in residuals:
        if one.trusted:
            continue
        why = []
        if one.chance_chi is not None and one.chance_chi <= _CHANCE:
            why.append(f"its residual is {np.sqrt(one.chi_square or 0.0):.2g} times the noise")
        if one.chance_white is not None and one.chance_white <= _CHANCE:
            why.append(f"its residual is not noise (autocorrelation of neighbours {one.lag_one:+.2f})")
        found.append(f"{one.trace.channel.source}, {one.trace.channel.title}: {', '.join(why)}.")
    return found


def residual_spectrum(one: TraceResidual) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies [Hz] and power of the whitened residual, mean 1 for white noise of the estimated size."""
    at = one.trace.instants
    step = float(np.median(np.diff(at)))
    slots = np.rint((at - at[0]) / step).astype(int)
    even = np.zeros(int(slots[-1]) + 1)
    even[slots] = one.whitened
    power = np.abs(np.fft.rfft(even)) ** 2 / max(1, one.whitened.size)
    return np.fft.rfftfreq(even.size, step), power
