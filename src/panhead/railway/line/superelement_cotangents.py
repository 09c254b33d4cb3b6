"""Adjoint of superelements: from the cotangents of a reduced span to those of its full matrices.

With the cotangents of Ψ, Φ, Ω² and of everything computed from them, and all modes (X, Λ) of the span with fixed masts,

    δφ_k = Σ_{j≠k} x_j x_jᵀ(δK − λ_k δM) φ_k/(λ_k − λ_j) − ½ φ_k φ_kᵀ δM φ_k,   δλ_k = φ_kᵀ(δK − λ_k δM) φ_k     (1)

The static responses beyond the band are Ritz vectors ρ of the part of K⁻¹ load that is orthogonal to the modes; they
depend on that space alone, and satisfy (1) within it, too. Modes with equal frequencies have no derivative of their
own: such pairs are left out, which is exact if the objective does not distinguish them.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import scipy.linalg

from panhead.railway.line.superelements import Superelement, dense_matrices, free_coordinates, static_responses

_ONE = 1e-9  # relative difference of two λ that are one


@dataclass(slots=True)
class SuperelementCotangents:
    """Cotangents of a superelement, lanes last."""

    masts: np.ndarray  #: (3, 2 b, 2 b, L) of M, C, K between the masts
    follows: np.ndarray  #: (n, 2 b, L)
    modes: np.ndarray  #: (n, k, L)
    momentum: np.ndarray  #: (k, n, L)
    stiffness: np.ndarray  #: (k, L)
    dampings: np.ndarray  #: (k, k, L)
    mass: np.ndarray  #: (k, 2 b, L)
    drag: np.ndarray  #: (k, 2 b, L)

    @classmethod
    def of(cls, span: Superelement, lanes: int) -> SuperelementCotangents:
        """Zero cotangents."""
        size = span.mass.shape[1]
        shapes = [getattr(span, f.name).shape for f in fields(cls)[1:]]
        return cls(np.zeros((3, size, size, lanes)), *(np.zeros((*shape, lanes)) for shape in shapes))

    def lane(self, k: int | slice) -> SuperelementCotangents:
        """Cotangents of one lane, without the axis of lanes; or of several."""
        return SuperelementCotangents(*(getattr(self, f.name)[..., k] for f in fields(self)))

    def any(self) -> bool:
        """Return whether any cotangent is not zero."""
        return any(getattr(self, f.name).any() for f in fields(self))

    def add(self, other: SuperelementCotangents) -> None:
        for f in fields(self):
            getattr(self, f.name)[...] += getattr(other, f.name)


class ModesAdjoint:
    """Adjoint of ``superelements._modes`` for any number of J: terms of the span alone are computed once."""

    def __init__(self, K: np.ndarray, M: np.ndarray, load: np.ndarray, span: Superelement, both: np.ndarray) -> None:
        """both: what was found, span.within modes, then static answers."""
        k = self.k = span.within
        self.K, self.M, self.load, self.factor = K, M, load, scipy.linalg.cho_factor(K)
        self.phi, self.rho, self.lam, self.kappa = both[:, :k], both[:, k:], span.stiffness[:k], span.stiffness[k:]
        self.every, self.X = scipy.linalg.eigh(K, M)
        self.X[:, :k] = self.phi  # the same but for signs
        if self.rho.shape[1]:
            self.Y, Z = static_responses(K, M, load, self.phi)
            size = np.sqrt(np.einsum("ik,ik->k", Z, Z)) + 1e-300
            self.W = np.linalg.lstsq(Z / size, self.rho, rcond=1e-9)[0] / size[:, None]

    def solve(self, x: np.ndarray) -> np.ndarray:
        """K⁻¹ x."""
        return np.asarray(scipy.linalg.cho_solve(self.factor, x))

    def back(self, bar: np.ndarray, by_omega2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """∂J/∂K, M and load from that of the modes and static answers, and of Ω²."""
        k, K, M, phi, rho = self.k, self.K, self.M, self.phi, self.rho
        K_bar, M_bar = np.zeros_like(K), np.zeros_like(M)
        load_bar, phi_bar = np.zeros_like(self.load), bar[:, :k].copy()
        if rho.shape[1]:
            B, own = _pencil(rho.T @ bar[:, k:], self.kappa, self.kappa, by_omega2[k:])
            G = -B * self.kappa - 0.5 * np.diag(own)
            K_bar += rho @ B @ rho.T
            M_bar += rho @ G @ rho.T
            Z_bar = (bar[:, k:] + K @ rho @ (B + B.T) + M @ rho @ (G + G.T)) @ self.W.T
            A_bar, MY = -phi.T @ Z_bar, M @ self.Y
            Y_bar = Z_bar + M @ (phi @ A_bar)
            phi_bar += MY @ A_bar.T - Z_bar @ (phi.T @ MY).T
            M_bar += phi @ A_bar @ self.Y.T
            load_bar = self.solve(Y_bar)
            K_bar -= load_bar @ self.Y.T
        B, own = _pencil(self.X.T @ phi_bar, self.every, self.lam, by_omega2[:k])
        K_bar += (self.X @ B) @ phi.T
        M_bar -= (self.X @ (B * self.lam)) @ phi.T + 0.5 * (phi * own) @ phi.T
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


class NarrowBandAdjoint:
    """From the bars of a span with a narrower band to those of the one it was found from, all by sums T = ``turn``."""

    def __init__(self, wide: Superelement, narrow: Superelement) -> None:
        self.wide, self.narrow = wide, narrow
        self.load, self.turn = free_coordinates(wide.whole), wide.momentum @ narrow.modes  # Φᵀ M Φ T
        K, M = np.diag(wide.stiffness), np.eye(wide.stiffness.size)
        self.modes = ModesAdjoint(K, M, wide.mass[:, self.load], narrow, self.turn)

    def back(self, bars: SuperelementCotangents) -> SuperelementCotangents:
        """Cotangents of the wider one; bars: without lanes."""
        wide, turn = self.wide, self.turn
        turn_bar = wide.modes.T @ bars.modes + wide.momentum @ bars.momentum.T
        turn_bar += wide.dampings @ turn @ (bars.dampings + bars.dampings.T)
        turn_bar += wide.mass @ bars.mass.T + wide.drag @ bars.drag.T
        K_bar, _, load_bar = self.modes.back(turn_bar, bars.stiffness)
        mass_bar = turn @ bars.mass
        mass_bar[:, self.load] += load_bar
        return SuperelementCotangents(
            masts=bars.masts,
            follows=bars.follows,
            modes=bars.modes @ turn.T,
            momentum=turn @ bars.momentum,
            stiffness=np.diag(K_bar).copy(),
            dampings=turn @ bars.dampings @ turn.T,
            mass=mass_bar,
            drag=turn @ bars.drag,
        )


class WideBandAdjoint:
    """Adjoint of a span's widest superelement, back to the matrices of all its stations."""

    def __init__(self, span: Superelement, *, bilateral: bool) -> None:
        self.span = span
        self.matrices, self.inner, self.masts = dense_matrices(span.whole, bilateral=bilateral)
        self.on = self.inner - self.masts.size // 2
        self.psi, self.phi = span.follows[self.on], span.modes[self.on]
        M, C, K = self.matrices
        E = np.zeros((M.shape[0], self.masts.size))
        E[self.masts, np.arange(self.masts.size)], E[self.inner] = 1.0, self.psi
        self.E, self.load, self.within = E, free_coordinates(span.whole), np.ix_(self.inner, self.inner)
        self.MI, self.CI, self.KI = (A[self.within] for A in (M, C, K))
        self.ME, self.CE = M[self.inner] @ E, C[self.inner] @ E
        self.modes = ModesAdjoint(self.KI, self.MI, self.ME[:, self.load], span, self.phi)

    def back(self, bars: SuperelementCotangents) -> list[np.ndarray]:
        """∂J/∂ of M, C, K (N, N) of all stations, droppers in C and K; bars: without lanes."""
        (M, C, K), inner, E, phi = self.matrices, self.inner, self.E, self.phi
        M_bar, C_bar, K_bar = (E @ bar @ E.T for bar in bars.masts)
        E_bar = sum(A @ E @ (bar + bar.T) for A, bar in zip((M, C, K), bars.masts, strict=True))
        mom = bars.momentum.T[self.on]
        phi_bar = bars.modes[self.on] + self.MI @ mom + self.CI @ phi @ (bars.dampings + bars.dampings.T)
        phi_bar += self.ME @ bars.mass.T + self.CE @ bars.drag.T
        M_bar[inner] += phi @ bars.mass @ E.T
        C_bar[inner] += phi @ bars.drag @ E.T
        E_bar += M[inner].T @ (phi @ bars.mass) + C[inner].T @ (phi @ bars.drag)
        K_more, M_more, load_bar = self.modes.back(phi_bar, bars.stiffness)
        M_bar[inner] += load_bar @ E[:, self.load].T
        E_bar[:, self.load] += M[inner].T @ load_bar
        g = self.modes.solve(E_bar[inner] + bars.follows[self.on])
        K_bar[np.ix_(inner, self.masts)] -= g
        M_bar[self.within] += M_more + mom @ phi.T
        C_bar[self.within] += phi @ bars.dampings @ phi.T
        K_bar[self.within] += K_more - g @ self.psi.T
        return [M_bar, C_bar, K_bar]
