"""Superelements taken back: from ∂J/∂ of what a far span has become to ∂J/∂ of its own matrices.

With the bars of Ψ, Φ, Ω² and of everything computed from them, and all modes (X, Λ) of the span between its masts,

    δφ_k = Σ_{j≠k} x_j x_jᵀ(δK − λ_k δM) φ_k/(λ_k − λ_j) − ½ φ_k φ_kᵀ δM φ_k,   δλ_k = φ_kᵀ(δK − λ_k δM) φ_k     (1)

The static answers beyond the band are Ritz vectors ρ of what K⁻¹ load has outside of the modes; they depend on that
space alone, and within it obey (1) too. Modes that share a frequency have no derivative of their own: such pairs are
left out, which is exact where nothing tells them apart.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import scipy.linalg

from panhead.line.superelements import SuperSpan, dense_matrices, moved, static_answers

_ONE = 1e-9  # relative difference of two λ that are one


@dataclass(slots=True)
class SuperBars:
    """∂J/∂ of a superelement, lanes last."""

    masts: np.ndarray  #: (3, 2 b, 2 b, L) of M, C, K between the masts
    follows: np.ndarray  #: (n, 2 b, L)
    modes: np.ndarray  #: (n, k, L)
    momentum: np.ndarray  #: (k, n, L)
    stiffness: np.ndarray  #: (k, L)
    dampings: np.ndarray  #: (k, k, L)
    mass: np.ndarray  #: (k, 2 b, L)
    drag: np.ndarray  #: (k, 2 b, L)

    @classmethod
    def of(cls, span: SuperSpan, lanes: int) -> SuperBars:
        """Nothing yet."""
        size = span.mass.shape[1]
        shapes = [getattr(span, f.name).shape for f in fields(cls)[1:]]
        return cls(np.zeros((3, size, size, lanes)), *(np.zeros((*shape, lanes)) for shape in shapes))

    def lane(self, k: int) -> SuperBars:
        """One of them, without the axis of lanes."""
        return SuperBars(*(getattr(self, f.name)[..., k] for f in fields(self)))

    def add(self, other: SuperBars) -> None:
        for f in fields(self):
            getattr(self, f.name)[...] += getattr(other, f.name)


def widened(wide: SuperSpan, narrow: SuperSpan, bars: SuperBars) -> SuperBars:
    """From the bars of a span with a narrower band to those of the one it was found from, all by sums T = ``turn``."""
    M = np.eye(wide.stiffness.size)
    turn = wide.momentum @ narrow.modes  # Φᵀ M Φ T
    turn_bar = wide.modes.T @ bars.modes + wide.momentum @ bars.momentum.T
    turn_bar += wide.dampings @ turn @ (bars.dampings + bars.dampings.T)
    turn_bar += wide.mass @ bars.mass.T + wide.drag @ bars.drag.T
    load = moved(wide.whole)
    K_bar, _, load_bar = _modes_back(
        np.diag(wide.stiffness), M, wide.mass[:, load], narrow, turn, turn_bar, bars.stiffness
    )
    mass_bar = turn @ bars.mass
    mass_bar[:, load] += load_bar
    return SuperBars(
        masts=bars.masts,
        follows=bars.follows,
        modes=bars.modes @ turn.T,
        momentum=turn @ bars.momentum,
        stiffness=np.diag(K_bar).copy(),
        dampings=turn @ bars.dampings @ turn.T,
        mass=mass_bar,
        drag=turn @ bars.drag,
    )


def _modes_back(
    K: np.ndarray, M: np.ndarray, load: np.ndarray, span: SuperSpan, both: np.ndarray, bar: np.ndarray,
    by_omega2: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:  # fmt: skip
    """∂J/∂K, M and load of ``superelements._modes``, which gave ``both``: span.within modes, then static answers."""
    k = span.within
    phi, rho, lam, kappa = both[:, :k], both[:, k:], span.stiffness[:k], span.stiffness[k:]
    K_bar, M_bar, load_bar, phi_bar = np.zeros_like(K), np.zeros_like(M), np.zeros_like(load), bar[:, :k].copy()
    if rho.shape[1]:
        Y, Z = static_answers(K, M, load, phi)
        size = np.sqrt(np.einsum("ik,ik->k", Z, Z)) + 1e-300
        W = np.linalg.lstsq(Z / size, rho, rcond=1e-9)[0] / size[:, None]
        B, own = _pencil(rho.T @ bar[:, k:], kappa, kappa, by_omega2[k:])
        G = -B * kappa - 0.5 * np.diag(own)
        K_bar += rho @ B @ rho.T
        M_bar += rho @ G @ rho.T
        Z_bar = (bar[:, k:] + K @ rho @ (B + B.T) + M @ rho @ (G + G.T)) @ W.T
        A_bar, MY = -phi.T @ Z_bar, M @ Y
        Y_bar = Z_bar + M @ (phi @ A_bar)
        phi_bar += MY @ A_bar.T - Z_bar @ (phi.T @ MY).T
        M_bar += phi @ A_bar @ Y.T
        load_bar = np.linalg.solve(K, Y_bar)
        K_bar -= load_bar @ Y.T
    every, X = scipy.linalg.eigh(K, M)
    X[:, :k] = phi  # the same but for signs
    B, own = _pencil(X.T @ phi_bar, every, lam, by_omega2[:k])
    K_bar += (X @ B) @ phi.T
    M_bar -= (X @ (B * lam)) @ phi.T + 0.5 * (phi * own) @ phi.T
    return K_bar, M_bar, load_bar


def _pencil(Q: np.ndarray, every: np.ndarray, lam: np.ndarray, bar: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The factors of eq. (1) from Q = Xᵀ φ̄ (n, k): B_jk = Q_jk/(λ_k − λ_j), on the own one λ̄_k; and Q_kk."""
    k = Q.shape[1]
    gap = lam[None, :] - every[:, None]
    one = np.abs(gap) < _ONE * np.abs(lam)[None, :]
    B = np.where(one, 0.0, Q / np.where(one, 1.0, gap))
    own = np.arange(k)  # the first k of all modes are those kept
    B[own, own] = bar
    return B, Q[own, own]


def span_back(span: SuperSpan, bars: SuperBars, *, bilateral: bool) -> list[np.ndarray]:
    """∂J/∂ of M, C, K (N, N) of all stations, droppers in C and K, from the bars of the widest superelement."""
    (M, C, K), inner, masts = dense_matrices(span.whole, bilateral=bilateral)
    on = inner - masts.size // 2
    psi, phi = span.follows[on], span.modes[on]
    part = lambda A, rows, columns: A[np.ix_(rows, columns)]
    E = np.zeros((M.shape[0], masts.size))
    E[masts, np.arange(masts.size)], E[inner] = 1.0, psi
    M_bar, C_bar, K_bar = (E @ bar @ E.T for bar in bars.masts)
    E_bar = sum(A @ E @ (bar + bar.T) for A, bar in zip((M, C, K), bars.masts, strict=True))
    mom = bars.momentum.T[on]
    MI, CI = part(M, inner, inner), part(C, inner, inner)
    phi_bar = bars.modes[on] + MI @ mom + CI @ phi @ (bars.dampings + bars.dampings.T)
    phi_bar += (M[inner] @ E) @ bars.mass.T + (C[inner] @ E) @ bars.drag.T
    M_bar[np.ix_(inner, inner)] += mom @ phi.T
    C_bar[np.ix_(inner, inner)] += phi @ bars.dampings @ phi.T
    M_bar[inner] += phi @ bars.mass @ E.T
    C_bar[inner] += phi @ bars.drag @ E.T
    E_bar += M[inner].T @ (phi @ bars.mass) + C[inner].T @ (phi @ bars.drag)
    load = moved(span.whole)
    KI = part(K, inner, inner)
    K_more, M_more, load_bar = _modes_back(KI, MI, (M[inner] @ E)[:, load], span, phi, phi_bar, bars.stiffness)
    K_bar[np.ix_(inner, inner)] += K_more
    M_bar[np.ix_(inner, inner)] += M_more
    M_bar[inner] += load_bar @ E[:, load].T
    E_bar[:, load] += M[inner].T @ load_bar
    g = np.linalg.solve(KI, E_bar[inner] + bars.follows[on])
    K_bar[np.ix_(inner, masts)] -= g
    K_bar[np.ix_(inner, inner)] -= g @ psi.T
    return [M_bar, C_bar, K_bar]
