"""Lump a consistent mass matrix at the nodes: mass, centre and inertia are preserved, deviations are reported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from panhead.engine.structures.structure import rigid_motions
from panhead.errors import ModelError

#: Differences below this share are rounding and not worth a word.
_ROUNDING = 1e-9
#: Directions in which the nodes spread less than this share carry no moment of mass.
_FLAT = 1e-10
#: The same for second moments; the next is tried where a thin direction would ask for negative masses.
_SPREADS = (1e-10, 1e-5, 1e-2)


@final
@dataclass(frozen=True, slots=True)
class DiagonalMass:
    """m_j and μ_j of the nodes, and how far they are from the mass they came from."""

    nodal_mass: np.ndarray  # (n,) [kg]
    nodal_inertia: np.ndarray  # (n, 3, 3) [kg·m²]
    centre_moved: float  #: by how much the centre of mass moved [m]
    inertia_changed: float  #: largest change of a moment or product of inertia, as a share of the largest

    @property
    def words(self) -> str:
        moved = f"centre moved by {self.centre_moved:.2g} m" if self.centre_moved else "centre kept"
        changed = f"inertia changed by {100 * self.inertia_changed:.2g} %"
        return f"mass at the nodes: mass kept, {moved}, {changed if self.inertia_changed else 'inertia kept'}"


def lumped_mass(mass: sp.csr_array, points: np.ndarray) -> DiagonalMass:
    """Masses and rotary inertias at the nodes from a consistent mass (N, N), N = 3 n or 6 n.

    Row sums where all are positive, else diagonal entries scaled to the whole mass [Hinton76], then

        m_j ← m_j (1 + p(x_j)) ,   p quadratic, least, so that Σ m_j, Σ m_j x_j, Σ m_j x_j x_jᵀ are those of the body
        μ_j = D B_j D ,   B_j the diagonal blocks of rotation, D symmetric, so that Σ μ_j is the inertia still lacking
    """
    n = len(points)
    d = mass.shape[0] // n
    R = rigid_motions(points, d, np.zeros(3))
    G = np.asarray(R.T @ (mass @ R))
    total, centre = _mass_and_centre(G)
    b = points - centre
    J = G[3:, 3:] - total * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    B = _turning_blocks(mass, n, d)
    m = _match_moments(_row_sum_masses(mass, n, d, total), b, total, _moments(J - B.sum(axis=0)))
    centre_now = m @ b / total
    lacking = J - _inertia(m, b)
    mu = _scale_blocks(B, lacking)
    scale = np.abs(J).max()
    return DiagonalMass(
        nodal_mass=m,
        nodal_inertia=mu,
        centre_moved=_drop_rounding(float(np.linalg.norm(centre_now)), float(np.ptp(points, axis=0).max())),
        inertia_changed=_drop_rounding(float(np.abs(lacking - mu.sum(axis=0)).max() / scale), 1.0),
    )


def _mass_and_centre(G: np.ndarray) -> tuple[float, np.ndarray]:
    """Mass and centre from RᵀM R, which must be that of a rigid body."""
    total = float(np.trace(G[:3, :3])) / 3
    if not total > 0 or np.abs(G[:3, :3] - total * np.eye(3)).max() > 1e-6 * total:
        raise ModelError(
            "the mass matrix is not that of a body: its total mass along x, y and z is "
            f"{', '.join(f'{x:g}' for x in np.diag(G)[:3])} kg; order rows node by node, in SI units"
        )
    first = G[:3, 3:]  # m c̃ᵀ: rotation about an axis moves the centre
    return total, np.array([first[1, 2], first[2, 0], first[0, 1]]) / total


def _row_sum_masses(mass: sp.csr_array, n: int, d: int, total: float) -> np.ndarray:
    """Row sums, or scaled diagonals where a row sum is not positive; mean of the three directions."""
    along = rigid_motions(np.zeros((n, 3)), d, np.zeros(3))[:, :3]
    rows = np.asarray(mass @ along).reshape(n, d, 3)
    m = np.einsum("jaa->j", rows[:, :3]) / 3
    if not m.min() > 0:
        m = mass.diagonal().reshape(n, d)[:, :3].sum(axis=1)
    if m.min() < 0:
        raise ModelError(f"node {int(m.argmin())} has a negative mass on the diagonal")
    return np.asarray(m * total / m.sum())


def _match_moments(m: np.ndarray, b: np.ndarray, total: float, second: np.ndarray) -> np.ndarray:
    """m_j (1 + p(b_j)): mass and centre exact, second moments as far as nodes can have them without negative masses."""
    size = np.sqrt(m @ (b**2).sum(axis=1) / total)
    z = b / size
    linear = np.hstack([np.ones((len(b), 1)), z])
    gram = linear.T @ (m[:, None] * linear)
    wanted = np.array([total, 0.0, 0.0, 0.0])
    shifted = m * (1 + linear @ scipy.linalg.lstsq(gram, wanted - linear.T @ m, cond=_FLAT)[0])
    m = shifted if shifted.min() >= 0 else m
    pairs = np.array([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)])
    Q = z[:, pairs[:, 0]] * z[:, pairs[:, 1]]
    short = second[pairs[:, 0], pairs[:, 1]] / size**2 - m @ Q
    gram = linear.T @ (m[:, None] * linear)
    Q = Q - linear @ scipy.linalg.lstsq(gram, linear.T @ (m[:, None] * Q), cond=_FLAT)[0]
    for spread in _SPREADS:
        step = scipy.linalg.lstsq(Q.T @ (m[:, None] * Q), short, cond=spread)[0]
        mended = m * (1 + Q @ step)
        if mended.min() >= 0:
            return np.asarray(mended)
    return m


def _moments(J: np.ndarray) -> np.ndarray:
    """∫ x xᵀ dm from the inertia, (3, 3)."""
    return np.asarray(0.5 * np.trace(J) * np.eye(3) - J)


def _inertia(m: np.ndarray, b: np.ndarray) -> np.ndarray:
    second = np.einsum("j,ja,jb->ab", m, b, b)
    return np.asarray(np.trace(second) * np.eye(3) - second)


def _turning_blocks(mass: sp.csr_array, n: int, d: int) -> np.ndarray:
    """Diagonal blocks of the rotations, (n, 3, 3)."""
    if d == 3:
        return np.zeros((n, 3, 3))
    blocks = np.empty((n, 3, 3))
    for a, b in np.ndindex(3, 3):
        blocks[:, a, b] = mass.diagonal(b - a)[3 + min(a, b) :: 6][:n]
    return blocks


def _scale_blocks(B: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """D B_j D with D Σ B_j D = wanted, or as near as inertias that are not negative can be, (n, 3, 3)."""
    whole = B.sum(axis=0)
    if not np.linalg.eigvalsh(whole)[0] > 0:
        return np.zeros_like(B)
    root = _root(whole)
    inverse = np.linalg.inv(root)
    D = inverse @ _root(root @ wanted @ root) @ inverse
    return np.asarray(D @ B @ D)


def _root(S: np.ndarray) -> np.ndarray:
    values, V = np.linalg.eigh(0.5 * (S + S.T))
    return np.asarray((V * np.sqrt(values.clip(min=0.0))) @ V.T)


def _drop_rounding(value: float, scale: float) -> float:
    return value if value > _ROUNDING * scale else 0.0
