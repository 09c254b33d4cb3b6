"""Superelements (Craig–Bampton) of spans far from any pantograph [Craig68]: two masts and low-frequency modes.

With q_b the coordinates at the masts and q_i those between them, droppers taut,

    q_i = Ψ q_b + Φ η,   Ψ = −K_ii⁻¹ K_ib,   K_ii Φ = M_ii Φ Ω²,   Φᵀ M_ii Φ = 1,   Ω ≤ 2π band

Statics are exact (Ψ is the static response to the masts), and so is every frequency far below the band. The modes η
are coupled with the masts through inertia and damping only,

    η̈ + c η̇ + Ω² η + m q̈_b + d q̇_b = 0,   m = Φᵀ (M_ib + M_ii Ψ),   d = Φᵀ (C_ib + C_ii Ψ)

c is the diagonal of Φᵀ C_ii Φ: damping that couples modes is neglected, and in a step
(``runs/linear/step/superelement``) the part of d that is not α m. Droppers that are slack at rest are neglected, too,
unless they are bilateral.

A narrower band needs no second reduction: its modes and static responses are combinations of those of a wider one, Φ T.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy.linalg

from panhead.railway.line.span_matrices import SpanBlocks

WIDEST = 30.0  #: band that is found from the span itself; narrower ones are found from this one [Hz]
_SAME = 1e-12  # share of a shape that others do not have, below which it is theirs
_RATES = np.array([[0.0], [1.0], [1.0]])  # which of u, v, a are rates
_LINKS = ("station", "dof_top", "dof_bottom", "dof_top_y", "dof_bottom_y", "nz", "ny")


@dataclass(frozen=True, slots=True)
class Superelement:
    """One span of one tension length reduced to its masts and its modes."""

    whole: SpanBlocks  #: all stations
    blocks: SpanBlocks  #: the two masts
    follows: np.ndarray  #: Ψ (n, 2 b), n coordinates between the masts, b at each of them
    modes: np.ndarray  #: Φ (n, k)
    within: int  #: how many of them are modes of the band, the first ones; the others are static answers
    momentum: np.ndarray  #: Φᵀ M_ii (k, n): what of a motion is in each mode
    stiffness: np.ndarray  #: Ω² (k,) [1/s²]
    dampings: np.ndarray  #: Φᵀ C_ii Φ (k, k) [1/s]
    mass: np.ndarray  #: m (k, 2 b)
    drag: np.ndarray  #: d (k, 2 b)

    @property
    def damping(self) -> np.ndarray:
        """c (k,) [1/s]."""
        return np.diag(self.dampings)

    def modal_coordinates(self, q: np.ndarray) -> np.ndarray:
        """η (…, k) of a motion q (…, stations, b) of all stations."""
        inner = q[..., 1:-1, :].reshape(*q.shape[:-2], -1)
        return np.asarray((inner - _masts(q) @ self.follows.T) @ self.momentum.T)

    def change_band(self, other: Superelement, eta: np.ndarray) -> np.ndarray:
        """η (…, k) = Φᵀ M_ii Φ′ η′ of the modes η′ (…, l) of the same span with another band; a wider one takes all.

        Not mode by mode: the last of either are static responses, which represent everything beyond their own band.
        """
        return np.asarray(eta if other is self else (eta @ other.modes.T) @ self.momentum.T)

    def relative(self, eta: np.ndarray, q: np.ndarray) -> np.ndarray:
        """η, η̇, η̈ (3, k) of η and the rates η̇ + m q̇_b, η̈ + m q̈_b, in which the masts have their part; q (3, …, b)."""
        return np.asarray(eta - _RATES * (_masts(q) @ self.mass.T))

    def absolute(self, eta: np.ndarray, q: np.ndarray) -> np.ndarray:
        """Inverse of ``relative``."""
        return np.asarray(eta + _RATES * (_masts(q) @ self.mass.T))

    def inner_motion(self, masts: np.ndarray, eta: np.ndarray) -> np.ndarray:
        """The motion (…, stations, b) between the masts from that of the masts (…, 2, b) and η (…, k)."""
        inner = _masts(masts) @ self.follows.T + eta @ self.modes.T
        return np.asarray(inner.reshape(*inner.shape[:-1], -1, masts.shape[-1]))


def superelement(whole: SpanBlocks, band: float, *, bilateral: bool) -> Superelement:
    """Reduce a span; band: the highest frequency kept [Hz], bilateral: whether droppers push as well."""
    (M, C, K), inner, masts = dense_matrices(whole, bilateral=bilateral)
    on = inner - whole.active.shape[1]
    part = lambda A, rows, columns: A[np.ix_(rows, columns)]
    psi = -np.linalg.solve(part(K, inner, inner), part(K, inner, masts))
    basis = np.zeros((M.shape[0], masts.size))
    basis[masts, np.arange(masts.size)] = 1.0
    basis[inner] = psi
    omega2, phi, within = _modes(
        part(K, inner, inner), part(M, inner, inner), (M[inner] @ basis)[:, free_coordinates(whole)], band
    )
    follows, modes, momentum = (np.zeros((whole.active[1:-1].size, k)) for k in (masts.size, *phi.shape[1:] * 2))
    follows[on], modes[on], momentum[on] = psi, phi, part(M, inner, inner) @ phi
    return Superelement(
        whole=whole,
        blocks=_between_masts(whole, [basis.T @ A @ basis for A in (M, C, K)]),
        follows=follows,
        modes=modes,
        within=within,
        momentum=momentum.T,
        stiffness=omega2,
        dampings=phi.T @ part(C, inner, inner) @ phi,
        mass=phi.T @ M[inner] @ basis,
        drag=phi.T @ C[inner] @ basis,
    )


def narrow_band(span: Superelement, band: float) -> Superelement:
    """Superelement of the same span with a narrower band [Hz]."""
    load = span.mass[:, free_coordinates(span.whole)]
    omega2, turn, within = _modes(np.diag(span.stiffness), np.eye(span.stiffness.size), load, band)
    return replace(
        span,
        modes=span.modes @ turn,
        within=within,
        momentum=turn.T @ span.momentum,
        stiffness=omega2,
        dampings=turn.T @ span.dampings @ turn,
        mass=turn.T @ span.mass,
        drag=turn.T @ span.drag,
    )


def dense_matrices(whole: SpanBlocks, *, bilateral: bool) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """M, C, K of all stations with taut droppers, the coordinates that exist between the masts, and those at them."""
    M, C, K = (_dense(*whole.matrices[k : k + 2]) for k in (0, 2, 4))
    _tie_droppers(whole, C, K, bilateral=bilateral)
    b = whole.active.shape[1]
    return [M, C, K], b + np.flatnonzero(whole.active[1:-1]), np.r_[:b, M.shape[0] - b : M.shape[0]]


def free_coordinates(whole: SpanBlocks) -> np.ndarray:
    """Free coordinates among those at both masts."""
    return np.flatnonzero(np.r_[whole.active[0] & ~whole.left.fixed, whole.active[-1] & ~whole.right.fixed])


def static_responses(K: np.ndarray, M: np.ndarray, load: np.ndarray, phi: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Static responses K⁻¹ ``load``, and their part outside the modes Φ."""
    answer = np.linalg.solve(K, load)
    return answer, answer - phi @ (phi.T @ (M @ answer))


def _modes(K: np.ndarray, M: np.ndarray, load: np.ndarray, band: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Ω² and Φ: modes up to the band, then static corrections from K⁻¹ ``load``; and the number in the band."""
    omega2, phi = scipy.linalg.eigh(K, M, subset_by_value=(0.0, (2.0 * np.pi * band) ** 2))
    size_of = lambda x: np.einsum("ik,ij,jk->k", x, M, x, optimize=True)
    answer, rest = static_responses(K, M, load, phi)
    rest = rest[:, size_of(rest) > _SAME * size_of(answer)]
    rest /= np.sqrt(size_of(rest))
    size, turn = np.linalg.eigh(rest.T @ M @ rest)
    kept = size > _SAME * size.max(initial=0.0)
    rest = rest @ (turn[:, kept] / np.sqrt(size[kept]))
    higher, turn = np.linalg.eigh(rest.T @ K @ rest)
    return np.concatenate([omega2, higher]), np.concatenate([phi, rest @ turn], axis=1), omega2.size


def _masts(q: np.ndarray) -> np.ndarray:
    """(…, 2 b): the first and the last station of q (…, stations, b)."""
    return np.concatenate([q[..., 0, :], q[..., -1, :]], axis=-1)


def _dense(diag: np.ndarray, off: np.ndarray) -> np.ndarray:
    """Dense form of a block-tridiagonal matrix."""
    n, b, _ = diag.shape
    full, here = np.zeros((n, b, n, b)), np.arange(n)
    full[here, :, here] = diag
    full[here[:-1], :, here[1:]] = off
    full[here[1:], :, here[:-1]] = off.transpose(0, 2, 1)
    return full.reshape(n * b, n * b)


def tied_droppers(whole: SpanBlocks, *, bilateral: bool) -> Iterator[tuple[int, int, np.ndarray]]:
    """Number, station and elongation e (b,) of every dropper that is a spring of a superelement: it pulls at rest."""
    links = whole.links
    for n in np.flatnonzero((links["static_tension"] > 0.0) | bilateral):
        station, top, bottom, top_y, bottom_y, nz, ny = (links[name][n] for name in _LINKS)
        e = np.zeros(whole.active.shape[1])
        np.add.at(e, [top, bottom, top_y, bottom_y], [nz, -nz, ny, -ny])
        yield int(n), int(station), e


def _tie_droppers(whole: SpanBlocks, C: np.ndarray, K: np.ndarray, *, bilateral: bool) -> None:
    """Add droppers that pull at rest, as springs and dampers."""
    b, links = whole.active.shape[1], whole.links
    for n, station, e in tied_droppers(whole, bilateral=bilateral):
        k, c = links["stiffness"][n], links["damping"][n]
        here = slice(station * b, station * b + b)
        K[here, here] += k * np.outer(e, e)
        C[here, here] += c * np.outer(e, e)


def _between_masts(whole: SpanBlocks, matrices: list[np.ndarray]) -> SpanBlocks:
    """The span as two stations with M, C, K (2 b, 2 b) between them."""
    b, ends = whole.active.shape[1], [0, -1]
    blocks = []
    for A in matrices:
        cut = A.reshape(2, b, 2, b)
        blocks += [np.stack([cut[0, :, 0], cut[1, :, 1]]), cut[:1, :, 1].copy()]
    strung = whole.strung
    return replace(
        whole,
        strung=replace(
            strung,
            mesh=replace(strung.mesh, x=strung.mesh.x[ends]),
            shape={role: values[ends] for role, values in strung.shape.items()},
        ),
        matrices=tuple(blocks),
        active=whole.active[ends],
        links={name: values[:0] for name, values in whole.links.items()},
    )
