"""Two strings and droppers: the static shape of a tension length by finite differences, without ``railway/line``.

    H (z₋ − 2 z + z₊)/h = h μ g √(1 + z′²) ± N,    N = max(0, k (z_m − z_c − L₀))

No bending, no beams, no elements of the package: nodes every ``h``, weights at nodes, droppers upright between nodes.
The weight along the arc is found by repetition, slack droppers are dropped until none is left that pushes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import spsolve

_GRAVITY = 9.81


@dataclass(frozen=True, slots=True)
class HungStrings:
    """A tension length: places and heights in metres, forces in newtons."""

    h: float  #: distance of nodes
    masts: np.ndarray  #: (m,) places
    messenger: np.ndarray  #: (m,) heights at the masts
    contact_ends: tuple[float, float]  #: heights at the two anchors
    droppers: np.ndarray  #: (d,) places
    lengths: np.ndarray  #: (d,) unstretched; NaN: found from ``heights``
    heights: np.ndarray  #: (d,) of the contact wire at the droppers, as drawn
    tensions: tuple[float, float]  #: contact, messenger
    masses: tuple[float, float]  #: per length
    lift: np.ndarray  #: (m,) of the steady arms on the contact wire, less their weight
    stiffness: float = 1e5  #: of a dropper

    @property
    def x(self) -> np.ndarray:
        """Places of the nodes."""
        return self.masts[0] + self.h * np.arange(round(float(np.ptp(self.masts)) / self.h) + 1)

    def node(self, place: np.ndarray) -> np.ndarray:
        """Numbers of the nodes nearest to places."""
        return np.rint((place - self.masts[0]) / self.h).astype(int)


def hang(s: HungStrings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Height of the contact wire at the nodes, unstretched lengths and dropper forces."""
    if np.isnan(s.lengths).any():
        s = replace(s, lengths=_lengths_for_heights(s))
    z = _balance(s)
    at, n = s.node(s.droppers), s.x.size
    force = s.stiffness * np.maximum(0.0, z[n + at] - z[at] - s.lengths)
    return z[:n], s.lengths, force


def lie_sideways(s: HungStrings, force: np.ndarray, contact: np.ndarray, messenger: np.ndarray) -> np.ndarray:
    """Lateral place of the contact wire at the nodes: droppers that lean pull the wires together with N/L.

    contact, messenger (m,): lateral places at the masts.
    """
    n, at, masts = s.x.size, s.node(s.droppers), s.node(s.masts)
    k = force / s.lengths
    top, bottom = n + at, at
    rows, columns = np.concatenate([top, top, bottom, bottom]), np.concatenate([top, bottom, top, bottom])
    K = sp.block_diag([_string(n, s.tensions[0], s.h), _string(n, s.tensions[1], s.h)]).tocsr()
    K = K + sp.csr_matrix((np.concatenate([k, -k, -k, k]), (rows, columns)), shape=K.shape)
    held, values = np.concatenate([masts, n + masts]), np.concatenate([contact, messenger])
    return _held(K, np.zeros(2 * n), held, values)[:n]


def _string(n: int, tension: float, h: float) -> sp.csr_matrix:
    ones = np.ones(n)
    return sp.diags([-ones[1:], 2.0 * ones, -ones[1:]], [-1, 0, 1], format="csr") * (tension / h)


def _load(z: np.ndarray, mass: float, h: float) -> np.ndarray:
    return -h * mass * _GRAVITY * np.sqrt(1.0 + np.gradient(z, h) ** 2)


def _balance(s: HungStrings) -> np.ndarray:
    """Heights of the nodes of both strings, contact wire first."""
    n, at, masts = s.x.size, s.node(s.droppers), s.node(s.masts)
    K = sp.block_diag([_string(n, s.tensions[0], s.h), _string(n, s.tensions[1], s.h)]).tolil()
    held = np.concatenate([[0, n - 1], n + masts])
    values = np.concatenate([s.contact_ends, s.messenger])
    z = np.concatenate([np.interp(s.x, s.masts[[0, -1]], s.contact_ends), np.interp(s.x, s.masts, s.messenger)])
    K = K.tocsr()
    taut, free = np.ones(at.size, bool), np.setdiff1d(np.arange(2 * n), held)
    for _ in range(60):
        before = taut.copy()
        f = np.concatenate([_load(z[:n], s.masses[0], s.h), _load(z[n:], s.masses[1], s.h)])
        np.add.at(f, masts, s.lift)
        k = s.stiffness * taut
        top, bottom = n + at, at
        rows = np.concatenate([top, top, bottom, bottom])
        columns = np.concatenate([top, bottom, top, bottom])
        A = K + sp.csr_matrix((np.concatenate([k, -k, -k, k]), (rows, columns)), shape=K.shape)
        np.add.at(f, top, k * s.lengths)
        np.add.at(f, bottom, -k * s.lengths)
        new = np.zeros(2 * n)
        new[held] = values
        new[free] = spsolve(A[free][:, free].tocsc(), f[free] - A[free][:, held] @ values)
        moved, z = float(np.abs(new - z).max()), new
        taut = z[n + at] - z[at] > s.lengths
        if moved < 1e-8 and (taut == before).all():
            return z
    raise RuntimeError("the strings do not come to rest")


def _lengths_for_heights(s: HungStrings) -> np.ndarray:
    """Lengths at which the contact wire has its drawn heights: each dropper carries what the wire needs there."""
    n, at, masts = s.x.size, s.node(s.droppers), s.node(s.masts)
    fixed = np.concatenate([[0], at, [n - 1]])
    values = np.concatenate([s.contact_ends[:1], s.heights, s.contact_ends[1:]])
    contact = np.interp(s.x, s.x[fixed], values)
    for _ in range(20):
        f = _load(contact, s.masses[0], s.h)
        np.add.at(f, masts, s.lift)
        contact = _held(_string(n, s.tensions[0], s.h), f, fixed, values)
    N = (_string(n, s.tensions[0], s.h) @ contact - f)[at]  # what holds it there
    z = np.interp(s.x, s.masts, s.messenger)
    for _ in range(20):
        f = _load(z, s.masses[1], s.h)
        np.add.at(f, at, -N)
        z = _held(_string(n, s.tensions[1], s.h), f, masts, s.messenger)
    return np.asarray(z[at] - contact[at] - N / s.stiffness)


def _held(K: sp.csr_matrix, f: np.ndarray, held: np.ndarray, values: np.ndarray) -> np.ndarray:
    z = np.zeros(f.size)
    free = np.setdiff1d(np.arange(f.size), held)
    z[held] = values
    z[free] = spsolve(K[free][:, free].tocsc(), f[free] - K[free][:, held] @ values)
    return z
