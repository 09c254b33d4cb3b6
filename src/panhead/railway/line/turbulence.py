"""Turbulent wind: gusts in time and along the track from a spectrum, a coherence and a seed.

Spectra of the speed along the wind, f S_u/σ_u² with X = f L/U (one-sided, f in Hz) [Karman48, Davenport61]:

    von Kármán   4 X/(1 + 70.8 X²)^{5/6}
    Davenport    ⅔ X²/(1 + X²)^{4/3},   X = f · 1200 m/U

upward, with σ_w = ``vertical`` σ_u and a quarter of L: 4 X (1 + 755.2 X²)/(1 + 283.2 X²)^{11/6}. Two places Δx apart
have the coherence exp(−C f Δx/U) in amplitude.

A seed defines one wind: a function of the place on the line and of the time since the start, independent of the run. It
is a sum of harmonics whose frequencies f_k depend on the seed alone, one in each band of ``EDGES``, from 0 to 10 Hz:

    u(x, t) = Σ_k σ_k (a_k(x) cos 2π f_k t + b_k(x) sin 2π f_k t),    σ_k² = ∫ S_u df over the band,

a_k and b_k normal, with variance 1. Components slower than a run are nearly constant in it, and included. Along the
line a_k and b_k are Markov chains, a(x + Δx) = ρ a(x) + √(1 − ρ²) ξ with ρ = exp(−C f_k Δx/U), drawn every ``SPACING``
from x = 0 on. Between these places, and between the instants ``INTERVAL`` apart, speeds change linearly.

The load on a wire follows quasi-steadily,

    p_y = ρ c_d d U u,    p_z = ½ ρ c_d d U w,    with the damping  ρ c_d d U  sideways and half of it upwards.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import scipy.sparse as sp

from panhead.engine.laws.hermite import shape
from panhead.railway.line.conditions import Wind, drag_rate
from panhead.railway.line.line_matrices import LinearLine, parts_of
from panhead.railway.line.span_mesh import wire_of

INTERVAL = 0.05  #: between instants at which speeds are drawn: gusts go up to 10 Hz [s]
SPACING = 1.0  #: between places at which they are drawn [m]
_FINEST, _RATIO, _HALVINGS = 5e-3, 0.01, 12  # Hz; of Δf to f where that is wider; bands that halve below the finest
_BANDS = round(float(np.arcsinh(0.5 / INTERVAL * _RATIO / _FINEST)) / _RATIO)
_WIDE = _FINEST / _RATIO * np.sinh(_RATIO * np.arange(1, _BANDS + 1))  # Δf² = finest² + (ratio f)²
#: of the bands of frequencies, one harmonic in each [Hz]
EDGES = np.concatenate([[0.0], _FINEST * 0.5 ** np.arange(_HALVINGS, 0, -1), _WIDE])
_DAVENPORT = 1200.0  # m
_ROWS = 64  # instants in one product of matrices: always as many, so that no bit depends on how long a run is


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


def gust_speeds(wind: Wind, places: range, instants: range) -> tuple[np.ndarray, np.ndarray]:
    """u along the wind and w upwards, each (instants, places) [m/s].

    Places are counted from x = 0 in steps of ``SPACING``, instants from t = 0 in steps of ``INTERVAL``.
    """
    f, waves = _harmonics(wind, places)
    begin = instants.start // _ROWS * _ROWS
    found = np.zeros((2, -(-(instants.stop - begin) // _ROWS) * _ROWS, waves.shape[2]))
    for first in range(0, found.shape[1], _ROWS):
        turned = np.outer(2.0 * np.pi * INTERVAL * np.arange(begin + first, begin + first + _ROWS), f)
        turning = np.concatenate([np.cos(turned), np.sin(turned)], axis=1)
        for way in range(1 + (wind.vertical > 0.0)):
            np.matmul(turning, waves[way], out=found[way, first : first + _ROWS])
    kept = slice(instants.start - begin, instants.stop - begin, instants.step)
    return found[0, kept], found[1, kept]


def _harmonics(wind: Wind, places: range) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies (k,) [Hz] and σ a, σ b at the places, along the wind and upwards: (2, 2k, places) [m/s]."""
    rng = np.random.default_rng(wind.seed)
    f = EDGES[:-1] + rng.random(EDGES.size - 1) * np.diff(EDGES)
    fades = np.tile(wind.decay * f * SPACING / abs(wind.speed), 2)
    rho, fresh = np.exp(-fades), np.sqrt(-np.expm1(-2.0 * fades))
    chain = rng.standard_normal((places.stop, 2, 2 * f.size))  # place by place: a longer line goes on in the same wind
    for here, there in pairwise(chain):
        there *= fresh
        there += rho * here
    found = chain[places.start :: places.step]
    found *= np.tile(np.sqrt(_band_variances(wind)), 2)
    return f, found.transpose(1, 2, 0)


def _band_variances(wind: Wind) -> np.ndarray:
    """∫ S df over every band, along the wind and upwards: (2, k) [m²/s²]."""
    node, weight = np.polynomial.legendre.leggauss(8)
    half = 0.5 * np.diff(EDGES)[:, None]
    return np.array([(S * weight * half).sum(axis=1) for S in spectra(wind, EDGES[:-1, None] + half * (1.0 + node))])


def gust_places(linear: LinearLine) -> range:
    """Places whose gust speeds load a part of a line."""
    return range(int(linear.x[0] / SPACING), int(linear.x[-1] / SPACING) + 2)


def gust_loads(linear: LinearLine, wind: Wind) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Loads on the coordinates of a line with lateral motion per u and per w at its places; (ns · b, places) each.

    ∫ N p dx over every element, by two points of Gauß in each stretch of ``SPACING``; linear: of a line in the wind.
    """
    b, n, places, side = linear.b, linear.ns * linear.b, gust_places(linear), float(np.sign(wind.speed))
    parts = parts_of(linear.source, linear.first_span, linear.stop_span)
    entries: dict[int, list[np.ndarray]] = {0: [], 2: []}
    for part in parts:
        e = part.start + np.arange(part.stop - part.start - 1)
        ell = linear.x[e + 1] - linear.x[e]
        for xi, weight in _points(float(ell.max())):
            place = (linear.x[e] + xi * ell) / SPACING - places.start
            left = place.astype(int)
            share = place - left
            for role in part.blocks.strung.mesh.wires:
                dof = linear.numbering.dof(part.piece.index, role)
                rate = drag_rate(wire_of(part.blocks.strung.mesh.plan, role), wind)
                for way, factor in ((2, side), (0, 0.5)):
                    p = factor * weight * rate * ell
                    for k, N in enumerate(shape(xi, ell)):
                        row = (e + (k >> 1)) * b + dof + way + (k & 1)
                        entries[way].append(np.stack([row, left, p * N * (1.0 - share)]))
                        entries[way].append(np.stack([row, left + 1, p * N * share]))
    held = sp.diags(linear.active.ravel().astype(float))
    found = []
    for way in (2, 0):
        row, column, value = np.concatenate(entries[way], axis=1)
        found.append(held @ sp.csr_matrix((value, (row.astype(int), column.astype(int))), shape=(n, len(places))))
    return found[0].tocsr(), found[1].tocsr()


def _points(longest: float) -> list[tuple[float, float]]:
    """Integration points and weights of an element, as fractions of its length."""
    stretches = max(1, int(np.ceil(longest / SPACING)))
    node, weight = np.polynomial.legendre.leggauss(2)
    return [((k + 0.5 + 0.5 * z) / stretches, 0.5 * w / stretches)
            for k in range(stretches) for z, w in zip(node, weight, strict=True)]  # fmt: skip
