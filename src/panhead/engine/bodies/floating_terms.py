"""Energies of a flexible body in a floating frame, from inertia invariants summed once over its nodes.

They are written as sums over shapes and pairs of shapes. Each kind of summand is a law of its own with few
coordinates, so that bodies with any number of shapes share the same compiled functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.roles import Effort, Expression, Frame, Symbols, Terms, numbers
from panhead.engine.rotations import matrix_of, spin_matrix
from panhead.engine.structures import ReducedStructure

RIGID = 7  #: coordinates of the frame: p_WB and Euler parameters
_UPPER = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # the six entries of an inertia


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Invariants:
    """Inertia invariants of the kinetic energy, summed over nodes; c_j = x_j + Φ_j w, Φ and Ψ the shapes of node j.

    S(w) = Σ m_j c_j                     = S0 + S1 w
    J(w) = Σ m_j (c_j·c_j I − c_j c_jᵀ) + μ_j = J0 + Σ J1_l w_l + Σ Σ J2_lm w_l w_m
    H(w) = Σ m_j c̃_j Φ_j + μ_j Ψ_j       = H0 + Σ H1_l w_l
    M    = Σ m_j Φ_jᵀ Φ_j + Ψ_jᵀ μ_j Ψ_j
    """

    mass: float  #: [kg]
    S0: np.ndarray  # (3,)
    S1: np.ndarray  # (3, k)
    J0: np.ndarray  # (3, 3)
    J1: np.ndarray  # (k, 3, 3)
    J2: np.ndarray  # (k, k, 3, 3), symmetric in the first two
    H0: np.ndarray  # (3, k)
    H1: np.ndarray  # (k, k, 3): Σ m φ_l × φ_m, skew in l and m
    M: np.ndarray  # (k, k)

    @staticmethod
    def of(structure: ReducedStructure) -> Invariants:
        """Sums over the nodes."""
        m, x, phi = structure.nodal_mass, structure.points, structure.displacements
        mu, psi = structure.nodal_inertia, structure.rotations
        mixed = np.einsum("j,ja,jbl->lab", m, x, phi)
        both = np.tensordot(m[:, None, None] * phi, phi, axes=(0, 0)).transpose(1, 3, 0, 2)
        known = structure.consistent
        return Invariants(
            mass=float(m.sum()),
            S0=m @ x,
            S1=known.S1 if known else np.einsum("j,jal->al", m, phi),
            J0=known.J0 if known else _inertia(np.einsum("j,ja,jb->ab", m, x, x)) + mu.sum(axis=0),
            J1=_inertia(mixed) + _inertia(np.swapaxes(mixed, -1, -2)),
            J2=(_inertia(both) + _inertia(np.swapaxes(both, -1, -2))) / 2,
            H0=known.H0 if known else _moment(mixed).T + np.einsum("jab,jbl->al", mu, psi),
            H1=_moment(both),
            M=structure.modal_mass,
        )

    def of_frame(self) -> dict[str, float]:
        """Numbers of the undeformed body."""
        return {"mass": self.mass} | numbers("S0", self.S0) | numbers("J0", _six(self.J0))

    def of_shape(self, l: int) -> dict[str, float]:
        """Numbers of what one shape alone adds."""
        return (
            {"M": float(self.M[l, l])}
            | numbers("S1", self.S1[:, l])
            | numbers("J1", _six(self.J1[l]))
            | numbers("J2", _six(self.J2[l, l]))
            | numbers("H0", self.H0[:, l])
        )

    def of_pair(self, l: int, m: int) -> dict[str, float]:
        """Numbers of what two different shapes add together."""
        second = numbers("J2", _six(self.J2[l, m])) | numbers("H1", self.H1[l, m])
        return {"M": float(self.M[l, m])} | second


def _six(J: np.ndarray) -> np.ndarray:
    return J[tuple(np.array(_UPPER).T)]


def _inertia(x: np.ndarray) -> np.ndarray:
    """tr(x) I − x of second moments x (…, 3, 3), which need not be symmetric."""
    return np.trace(x, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - x


def _moment(x: np.ndarray) -> np.ndarray:
    """Σ m a × b from the products Σ m a bᵀ, (…, 3, 3) → (…, 3)."""
    pairs = ((1, 2), (2, 0), (0, 1))
    return np.stack([x[..., i, j] - x[..., j, i] for i, j in pairs], axis=-1)


def rotation(e: Expression) -> Expression:
    """R_WB, (3, 3)."""
    return ca.vertcat(*(ca.horzcat(*row) for row in matrix_of(e)))


def small_turn(theta: Expression) -> Expression:
    """An exactly orthogonal matrix that agrees with I + θ̃ to first order   [Ambrosio11, eq. (16)].

    A = (I − θ̃/2)⁻¹ (I + θ̃/2): Euler parameters proportional to (1, θ/2), a turn by 2 arctan(|θ|/2).
    """
    half = theta / 2
    return rotation(ca.vertcat(1, half)) / (1 + ca.sumsqr(half))


def floating_frame(s: Symbols) -> Frame:
    """p = p_WB + R (x + Φ w),   axes R A(Ψ w); then the offset of the marker  [Ambrosio11, eqs (15), (16)]."""
    w, k = s.q[RIGID:], s.q.numel() - RIGID
    shape = ca.reshape(s.vector("shape", 6 * k), k, 6).T
    moved = shape @ w
    body = Frame(s.q[:3], rotation(s.q[3:RIGID]))
    node = body.shifted(s.vector("x") + moved[:3], small_turn(moved[3:]))
    return node.shifted(s.vector("p"), ca.reshape(s.vector("R", 9), 3, 3).T)


def frame_terms(s: Symbols) -> Terms:
    """The undeformed body: T = ½ m ṗ·ṗ + ṗ·R (ω × S0) + ½ ωᵀ J0 ω,  V = −g·(m p + R S0); q = (p, e)."""
    p, e, v, m, S0 = s.own_q[:3], s.own_q[3:], s.own_v[:3], s.p["mass"], s.vector("S0")
    R, omega, gravity = rotation(e), _spin(e, s.own_v[3:]), s.vector("gravity")
    coupled = ca.dot(R.T @ v, ca.cross(omega, S0)) + ca.dot(omega, _symmetric(s, "J0") @ omega) / 2
    return Terms(
        kinetic=0.5 * m * ca.sumsqr(v) + coupled,
        potential=-m * ca.dot(gravity, p) - ca.dot(R.T @ gravity, S0),
        constraint=ca.sumsqr(e) - 1,
    )


def shape_terms(s: Symbols) -> Terms:
    """Terms contributed by shape l; q = (p, e, w_l).

    T = ½ M ẇ² + ṗ·R (ω × S1 w + S1 ẇ) + ½ ωᵀ (J1 w + J2 w²) ω + ωᵀ H0 ẇ
    V = ½ K w² − g·R S1 w,   damping −C ẇ
    """
    e, w, rate, S1 = s.own_q[3:RIGID], s.own_q[RIGID], s.own_v[RIGID], s.vector("S1")
    R, omega = rotation(e), _spin(e, s.own_v[3:RIGID])
    J = _symmetric(s, "J1") * w + _symmetric(s, "J2") * w**2
    coupled = ca.dot(R.T @ s.own_v[:3], ca.cross(omega, S1) * w + S1 * rate)
    turning = ca.dot(omega, J @ omega) / 2 + ca.dot(omega, s.vector("H0")) * rate
    return Terms(
        kinetic=s.p["M"] * rate**2 / 2 + coupled + turning,
        potential=s.p["K"] * w**2 / 2 - ca.dot(R.T @ s.vector("gravity"), S1) * w,
        efforts=(Effort(-s.p["C"] * rate, rate, "dissipated"),),
    )


def pair_terms(s: Symbols) -> Terms:
    """Terms contributed by the pair of shapes l and m; q = (e, w_l, w_m).

    T = M ẇ_l ẇ_m + ωᵀ J2 ω w_l w_m + ωᵀ H1 (w_l ẇ_m − w_m ẇ_l),   V = K w_l w_m
    The last part of T is the spin of nodes that swing on ellipses.
    """
    omega, J2 = _spin(s.own_q[:4], s.own_v[:4]), _symmetric(s, "J2")
    (a, b), (u, v) = ca.vertsplit(s.own_q[4:]), ca.vertsplit(s.own_v[4:])
    turning = ca.dot(omega, J2 @ omega) * a * b + ca.dot(omega, s.vector("H1")) * (a * v - b * u)
    return Terms(kinetic=s.p["M"] * u * v + turning, potential=s.p["K"] * a * b)


def damping_terms(s: Symbols) -> Terms:
    """Damping forces −C ẇ that couple shapes; q = w."""
    k = s.own_q.numel()
    C: Expression = ca.reshape(s.vector("C", k * k), k, k)
    return Terms(efforts=(Effort(-C @ s.own_v, s.own_v, "dissipated"),))


def pairs_of(k: int) -> Iterator[tuple[int, int]]:
    """Every two different shapes once."""
    return ((i, j) for i in range(k) for j in range(i + 1, k))


def _spin(e: Expression, rates: Expression) -> Expression:
    return 2 * spin_matrix(e) @ rates


def _symmetric(s: Symbols, name: str) -> Expression:
    """An inertia from its six numbers, (3, 3)."""
    J = ca.SX(3, 3)
    for n, (i, j) in enumerate(_UPPER):
        J[i, j] = J[j, i] = s.p[f"{name}.{n}"]
    return J
