"""Finite-element structure: stiffness, nodal masses, and attachment places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np
import scipy.sparse as sp

from panhead.errors import ModelError, require_one_of

#: How far K may be from Kᵀ, as a share of its largest entry: files keep eight digits or more.
_UNSYMMETRIC = 1e-7
#: Force that a rigid motion may leave in a row of K, as a share of what the row's entries sum to.
STRAINED = 1e-6
#: Below this share of the largest, a moment of a group of nodes tells no rotation.
_FLAT = 1e-9


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """Nodes with masses, joined by a stiffness; free in space.

    T = ½ Σⱼ m_j δ̇_j·δ̇_j + θ̇_jᵀ μ_j θ̇_j ,   V = ½ uᵀK u                [Ambrosio11, eq. (2)]

    Coordinates u run node by node: three displacements δ [m], and for nodes that turn three small rotations θ [rad].
    """

    name: str
    points: np.ndarray  # (n, 3) undeformed nodes [m]
    stiffness: sp.csr_array  # (N, N) K, N = 3 n or 6 n
    nodal_mass: np.ndarray  # (n,) m_j [kg]
    nodal_inertia: np.ndarray  # (n, 3, 3) μ_j about the node [kg·m²]; zeros where nodes do not turn
    places: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  #: one node, or a group
    consistent_mass: sp.csr_array | None = None  # (N, N), where the elements are known
    notes: tuple[str, ...] = ()  #: what was changed on the way
    mass_model: Literal["diagonal", "consistent"] = "diagonal"  #: which mass vibrations and inertia are computed with

    def __post_init__(self) -> None:
        require_one_of(self, ("diagonal", "consistent"), "mass_model")
        if self.mass_model == "consistent" and self.consistent_mass is None:
            raise ModelError(f"Structure {self.name!r}: mass_model is consistent, but no consistent_mass is given")
        _check_sizes(self)
        _check_mass(self)
        _check_stiffness(self)
        for place in self.places:
            self.motion(place)
        _check_inertia(self)

    @property
    def per_node(self) -> int:
        """Coordinates of a node: 3, or 6 if it turns."""
        return self.stiffness.shape[0] // len(self.points)

    @property
    def mass(self) -> float:
        """m = Σⱼ m_j [kg]."""
        return float(self.nodal_mass.sum())

    @property
    def centre(self) -> np.ndarray:
        """Σⱼ m_j x_j / m, (3,) [m]."""
        return np.asarray(self.nodal_mass @ self.points / self.mass)

    @property
    def inertia(self) -> np.ndarray:
        """J = Σⱼ m_j b̃_jᵀ b̃_j + μ_j about the centre of mass, (3, 3) [kg·m²]."""
        R = self.rigid_motions(self.centre)[:, 3:]
        whole = self.per_node == 6 or self.mass_model == "consistent"
        turned = np.zeros((3, 3)) if whole else self.nodal_inertia.sum(axis=0)
        return np.asarray(R.T @ (self.mass_matrix() @ R)) + turned

    def mass_matrix(self) -> sp.csr_array:
        """M, (N, N): m_j and μ_j along the diagonal, or the consistent one."""
        if self.mass_model == "consistent" and self.consistent_mass is not None:
            return self.consistent_mass
        d, n = self.per_node, len(self.points)
        blocks = np.zeros((n, d, d))
        blocks[:, :3, :3] = self.nodal_mass[:, None, None] * np.eye(3)
        if d == 6:
            blocks[:, 3:, 3:] = self.nodal_inertia
        return sp.csr_array(sp.bsr_array((blocks, np.arange(n), np.arange(n + 1))))

    def rigid_motions(self, about: np.ndarray) -> np.ndarray:
        """R: three displacements and three small rotations about a point, (N, 6)."""
        return rigid_motions(self.points, self.per_node, about)

    def motion(self, place: str) -> tuple[np.ndarray, sp.csr_array]:
        """Point (3,) and the matrix P (6, N) that gives a place's displacement and rotation from u.

        The mean motion of a group is the rigid one that leaves least kinetic energy: P = (RᵀM R)⁻¹ RᵀM. A single
        node that does not turn has three rows of zeros: it keeps the axes of the frame.
        """
        if place not in self.places:
            raise ModelError(f"Structure {self.name!r}: no place {place!r}; known: {', '.join(self.places) or 'none'}")
        nodes, d = np.array(self.places[place], dtype=int), self.per_node
        columns = (d * nodes[:, None] + np.arange(d)).ravel()
        if len(nodes) == 1:
            point, local = self.points[nodes[0]], np.eye(6, d)
        else:
            point, local = self._mean_motion(place, nodes)
        i, j = np.nonzero(local)
        shape = (6, self.stiffness.shape[0])
        return point, sp.csr_array((local[i, j], (i, columns[j])), shape=shape)

    def _mean_motion(self, place: str, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        m, d = self.nodal_mass[nodes], self.per_node
        if not m.sum() > 0:
            raise ModelError(f"Structure {self.name!r}: the nodes of place {place!r} have no mass")
        point = m @ self.points[nodes] / m.sum()
        R = rigid_motions(self.points[nodes], d, point)
        W = sp.block_diag(
            [
                sp.block_diag([sp.coo_array(part) for part in (m[k] * np.eye(3), self.nodal_inertia[j])[: d // 3]])
                for k, j in enumerate(nodes)
            ]
        )
        gram = R.T @ (W @ R)
        moments = np.linalg.eigvalsh(gram[3:, 3:])
        if not moments[0] > _FLAT * moments[2]:
            raise ModelError(
                f"Structure {self.name!r}: the nodes of place {place!r} lie on a line, so that rotation about "
                "it is undefined; add a node off the line"
            )
        return point, np.linalg.solve(gram, (W @ R).T)


def rigid_motions(points: np.ndarray, per_node: int, about: np.ndarray) -> np.ndarray:
    """δ_j = d + φ × (x_j − x_o), θ_j = φ for unit d and φ, (n·per_node, 6)."""
    b = points - about
    R = np.zeros((len(points), per_node, 6))
    R[:, :3, :3] = np.eye(3)
    for axis in range(3):
        R[:, :3, 3 + axis] = np.cross(np.eye(3)[axis], b)
    if per_node == 6:
        R[:, 3:, 3:] = np.eye(3)
    return R.reshape(-1, 6)


def rigid_force_share(K: sp.csr_array | np.ndarray, R: np.ndarray) -> np.ndarray:
    """Largest force of a rigid motion in each row of K, as a share of what the entries of the row sum to, (N,).

    Motions count by the largest force their entries sum to, so that rounding where a row has no entry is no force.
    """
    left, scale = np.abs(K @ R), abs(K) @ np.abs(R)
    size = np.maximum(scale.max(axis=0), np.finfo(float).tiny)
    whole = np.maximum((scale / size).max(axis=1), np.finfo(float).tiny)
    return np.asarray((left / size).max(axis=1) / whole)


def _check_sizes(s: Structure) -> None:
    n = len(s.points)
    wanted: dict[str, tuple[int, ...]] = {
        "points": (n, 3), "nodal_mass": (n,), "nodal_inertia": (n, 3, 3)
    }  # fmt: skip
    for name, shape in wanted.items():
        value = getattr(s, name)
        if np.shape(value) != shape or not np.isfinite(value).all():
            raise ModelError(f"Structure {s.name!r}: {name} must be finite and of shape {shape}, got {np.shape(value)}")
    for name in ("stiffness", "consistent_mass"):
        value = getattr(s, name)
        if value is not None and value.shape not in ((3 * n, 3 * n), (6 * n, 6 * n)):
            raise ModelError(
                f"Structure {s.name!r}: {name} of {n} nodes must be {3 * n} × {3 * n}, or {6 * n} × {6 * n} where "
                f"nodes turn, got {' × '.join(map(str, value.shape))}"
            )
    for place, nodes in s.places.items():
        wrong = [j for j in nodes if not 0 <= j < n]
        if wrong or not nodes:
            raise ModelError(
                f"Structure {s.name!r}: place {place!r} names the nodes {wrong or 'none'}; nodes are 0 … {n - 1}"
            )


def _check_mass(s: Structure) -> None:
    if s.nodal_mass.min() < 0 or not s.nodal_mass.sum() > 0:
        j = int(s.nodal_mass.argmin())
        raise ModelError(f"Structure {s.name!r}: masses must be ≥ 0 and not all 0, node {j} has {s.nodal_mass[j]:g} kg")
    least = np.linalg.eigvalsh(s.nodal_inertia).min(axis=1)
    j = int(least.argmin())
    if least[j] < -1e-12 * np.abs(s.nodal_inertia).max():
        raise ModelError(f"Structure {s.name!r}: the rotary inertia of node {j} is not positive: {least[j]:g} kg·m²")


def _check_stiffness(s: Structure) -> None:
    K = s.stiffness
    if not np.isfinite(K.data).all():
        raise ModelError(f"Structure {s.name!r}: the stiffness has entries that are not finite")
    largest = float(np.abs(K.data).max(initial=0.0))
    gap = sp.coo_array(abs(K - K.T))
    if gap.nnz and gap.data.max() > _UNSYMMETRIC * largest:
        k = int(gap.data.argmax())
        i, j = int(gap.row[k]), int(gap.col[k])
        raise ModelError(
            f"Structure {s.name!r}: the stiffness is not symmetric, row {i} and column {j}: "
            f"{K[i, j]:g} against {K[j, i]:g}"
        )
    share = rigid_force_share(K, s.rigid_motions(s.centre))
    if share.max() > STRAINED:
        row = int(share.argmax())
        raise ModelError(
            f"Structure {s.name!r}: a rigid-body motion produces forces, largest in row {row} (node "
            f"{row // s.per_node}, coordinate {row % s.per_node}); the body must be free: remove supports "
            "from the stiffness, and check that rows are ordered node by node"
        )


def _check_inertia(s: Structure) -> None:
    moments = np.linalg.eigvalsh(s.inertia)
    if not moments[0] > _FLAT * moments[2]:
        raise ModelError(
            f"Structure {s.name!r}: no inertia about one axis ({moments[0]:g} kg·m²): its nodes lie on a line and have "
            "none of their own; give them rotary inertia"
        )
