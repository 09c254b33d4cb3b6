"""Gusts along a line: speeds that vary in time and along the track, drawn from a spectrum with a coherence, by a seed.

Spectra of the speed along the wind, f S_u/σ_u² with X = f L/U (one-sided, f in Hz) [Karman48, Davenport61]:

    von Kármán   4 X/(1 + 70.8 X²)^{5/6}
    Davenport    ⅔ X²/(1 + X²)^{4/3},   X = f · 1200 m/U

upward, with σ_w = ``vertical`` σ_u and a quarter of L: 4 X (1 + 755.2 X²)/(1 + 283.2 X²)^{11/6}. Two places Δx apart
have the coherence exp(−C f Δx/U) in amplitude. Along a line that is a Markov chain at every frequency, so it is drawn
place by place: z(x + Δx) = ρ z(x) + √(1 − ρ²) ξ with complex normal ξ. The load on a wire follows quasi-steadily,

    p_y = ρ c_d d U u,    p_z = ½ ρ c_d d U w,    with the damping  ρ c_d d U  sideways and half of it upwards.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from panhead.line.conditions import Wind
from panhead.line.linear import LinearLine, parts_of
from panhead.line.mesh import AIR

INTERVAL = 0.05  #: between samples of the gusts: they go up to 10 Hz [s]
SPACING = 5.0  #: between places at which they are drawn [m]
_DAVENPORT = 1200.0  # m


def spectra(wind: Wind, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """S_u and S_w at frequencies f > 0 [m²/s]."""
    U = abs(wind.speed)
    variance = (wind.intensity * U) ** 2
    if wind.spectrum == "davenport":
        X = f * _DAVENPORT / U
        S_u = variance * 2.0 / 3.0 * X**2 / (1.0 + X**2) ** (4.0 / 3.0) / f
    else:
        X = f * wind.length_scale / U
        S_u = variance * 4.0 * X / (1.0 + 70.8 * X**2) ** (5.0 / 6.0) / f
    X = 0.25 * f * wind.length_scale / U
    S_w = variance * wind.vertical**2 * 4.0 * X * (1.0 + 755.2 * X**2) / (1.0 + 283.2 * X**2) ** (11.0 / 6.0) / f
    return S_u, S_w


def draw_gusts(wind: Wind, x: np.ndarray, samples: int, interval: float = INTERVAL) -> tuple[np.ndarray, np.ndarray]:
    """u along the wind and w upwards, each (samples, places) [m/s], at places x; the same seed, the same gusts."""
    f = np.fft.rfftfreq(samples, interval)[1:]
    step = f[0]
    rng, found = np.random.default_rng(wind.seed), []
    for S in spectra(wind, f):
        z = np.empty((f.size, x.size), dtype=complex)
        for k in range(x.size):
            xi = (rng.standard_normal(f.size) + 1j * rng.standard_normal(f.size)) / np.sqrt(2.0)
            rho = np.exp(-wind.decay * f * (x[k] - x[k - 1]) / abs(wind.speed)) if k else np.zeros_like(f)
            z[:, k] = xi if k == 0 else rho * z[:, k - 1] + np.sqrt(1.0 - rho**2) * xi
        series = np.zeros((samples // 2 + 1, x.size), dtype=complex)
        series[1 : f.size + 1] = 0.5 * samples * np.sqrt(2.0 * S * step)[:, None] * z
        found.append(np.fft.irfft(series, samples, axis=0))
    return found[0], found[1]


def gust_places(linear: LinearLine) -> np.ndarray:
    """Where gusts are drawn along a window [m]."""
    length = float(linear.x[-1] - linear.x[0])
    return np.asarray(np.linspace(linear.x[0], linear.x[-1], max(2, round(length / SPACING) + 1)))


def gust_loads(linear: LinearLine, places: np.ndarray, side: float) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Loads on the coordinates of a line with lateral motion per u and per w at the places; (ns · b, places) each.

    side: sign of the mean speed. Each element takes the speed at its middle.
    """
    b, n = linear.b, linear.ns * linear.b
    parts, _, _ = parts_of(linear.source, linear.first_span, linear.stop_span)
    entries: dict[int, list[np.ndarray]] = {0: [], 2: []}
    for part in parts:
        e = part.start + np.arange(part.stop - part.start - 1)
        ell, middle = linear.x[e + 1] - linear.x[e], 0.5 * (linear.x[e] + linear.x[e + 1])
        right = np.clip(np.searchsorted(places, middle), 1, places.size - 1)
        share = (middle - places[right - 1]) / (places[right] - places[right - 1])
        for role, table in part.blocks.strung.mesh.wires.items():
            dof = linear.numbering.dof(part.piece.index, role)
            for way, factor in ((2, side), (0, 0.5)):
                p = factor * table[:, AIR] * ell
                ends = ((e, 0, 0.5 * p), (e, 1, p * ell / 12), (e + 1, 0, 0.5 * p), (e + 1, 1, -p * ell / 12))
                for station, slope, value in ends:
                    row = station * b + dof + way + slope
                    entries[way].append(np.stack([row, right - 1, value * (1 - share)]))
                    entries[way].append(np.stack([row, right, value * share]))
    held = sp.diags(linear.active.ravel().astype(float))
    found = []
    for way in (2, 0):
        row, column, value = np.concatenate(entries[way], axis=1)
        found.append(held @ sp.csr_matrix((value, (row.astype(int), column.astype(int))), shape=(n, places.size)))
    return found[0].tocsr(), found[1].tocsr()
