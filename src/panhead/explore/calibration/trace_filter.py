"""Filter of traces that are fitted: a windowed sinc, as rows of weights at any instants.

    d(τ) = ∫ w(τ − t) y(t) dt,   w(u) = 2 f_c sinc(2 f_c u) cos²(π u/2T),   |u| ≤ T = 4/(2 f_c),   ∫ w = 1

Filtered samples 1/(2 f_c) apart hold all of the band, and white noise in y leaves them all but uncorrelated.
Derivatives of a filtered trace use those of w: its acceleration is ∫ ẅ(τ − t) y(t) dt, its slope by a shift of τ is
exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy.sparse as sp

_LOBES = 4  # of the sinc on each side
_KNOTS = 800  # of the spline that holds the kernel


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """A low-pass filter of a cut-off frequency [Hz]."""

    cutoff: float

    @property
    def reach(self) -> float:
        """Half of the length of the kernel [s]."""
        return 0.5 * _LOBES / self.cutoff

    @property
    def spacing(self) -> float:
        """Time between independent samples [s]."""
        return 0.5 / self.cutoff

    def rows(self, at: np.ndarray, times: np.ndarray, derivative: int = 0) -> sp.csr_array:
        """Weights (len(at), len(times)) of equally spaced samples that give the filtered trace, or a derivative."""
        step = float(times[1] - times[0])
        first = np.ceil((at - self.reach - times[0]) / step).astype(int)
        count = int(2.0 * self.reach / step) + 1
        column = first[:, None] + np.arange(count)[None]
        u = (at[:, None] - times[0]) - column * step
        inside = (np.abs(u) <= self.reach) & (column >= 0) & (column < times.size)
        values = _kernel(derivative)(2.0 * self.cutoff * u[inside]) * (2.0 * self.cutoff) ** (derivative + 1) * step
        row = np.broadcast_to(np.arange(at.size)[:, None], column.shape)[inside]
        return sp.csr_array((values, (row, column[inside])), shape=(at.size, times.size))

    def noise_gain(self, step: float) -> float:
        """Standard deviation of filtered samples over that of white noise in samples a step [s] apart."""
        times = np.arange(-self.reach, self.reach + step, step)
        return float(np.linalg.norm(self.rows(np.zeros(1), times).toarray()))


@lru_cache
def _kernel(derivative: int):  # type: ignore[no-untyped-def]
    """The kernel of f_c = ½ as a quintic spline, whose derivatives are smooth to the third."""
    from scipy.interpolate import make_interp_spline

    u = np.linspace(-_LOBES, _LOBES, 2 * _KNOTS + 1)
    spline = make_interp_spline(u, np.sinc(u) * np.cos(0.5 * np.pi * u / _LOBES) ** 2, k=5)
    whole = spline.integrate(-_LOBES, _LOBES)
    one = spline.derivative(derivative) if derivative else spline
    return lambda x: one(x) / whole
