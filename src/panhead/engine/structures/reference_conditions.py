"""Reference conditions of a floating frame: which motion of the nodes counts as deformation.

B u = 0 with B (6, N). Any shape x is brought to them by the rigid motion it lacks: x − R (B R)⁻¹ B x.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final

import numpy as np

from panhead.engine.structures.structure import Structure
from panhead.errors import ModelError

#: Two principal moments closer than this share leave their axes undefined.
_EQUAL = 1e-6


class Reference(Protocol):
    """Reference conditions: an origin, and six conditions on the displacements."""

    @property
    def words(self) -> str:
        """Name in results, such as "mean axes"."""
        ...

    def origin(self, structure: Structure) -> np.ndarray:
        """Origin of the frame in the undeformed body, (3,) [m]."""
        ...

    def conditions(self, structure: Structure) -> np.ndarray:
        """B, (6, N)."""
        ...


@final
@dataclass(frozen=True, slots=True)
class MeanAxes:
    """Least kinetic energy of deformation: Σ m_j δ_j = 0, Σ m_j b̃_j δ_j + μ_j θ_j = 0    [Ambrosio11, eqs (5), (7)].

    Linearised about the undeformed body, so that B = RᵀM. The frame's origin is the centre of mass.
    """

    @property
    def words(self) -> str:
        return "mean axes"

    def origin(self, structure: Structure) -> np.ndarray:
        return structure.centre

    def conditions(self, structure: Structure) -> np.ndarray:
        R = structure.rigid_motions(structure.centre)
        return np.asarray((structure.mass_matrix() @ R).T)


@final
@dataclass(frozen=True, slots=True)
class BodyFixed:
    """The frame rides on one place, or on three: the first does not move, the second stays on its line from the first,
    the third in the plane of the three.
    """

    places: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.places) not in (1, 3) or isinstance(self.places, str):
            raise ModelError(f"BodyFixed: give one place or three, got {self.places!r}")

    @property
    def words(self) -> str:
        return f"body-fixed at {', '.join(self.places)}"

    def origin(self, structure: Structure) -> np.ndarray:
        return structure.motion(self.places[0])[0]

    def conditions(self, structure: Structure) -> np.ndarray:
        motions = [structure.motion(place) for place in self.places]
        if len(motions) == 1:
            return np.asarray(motions[0][1].toarray())
        (a, A), (b, B), (c, C) = motions
        e1 = b - a
        e3 = np.cross(e1, c - a)
        if not np.linalg.norm(e3) > _EQUAL * np.linalg.norm(e1) * np.linalg.norm(c - a):
            raise ModelError(f"BodyFixed: the places {', '.join(self.places)} lie on one line")
        e1, e3 = e1 / np.linalg.norm(e1), e3 / np.linalg.norm(e3)
        across = np.array([np.cross(e3, e1), e3])
        return np.vstack([A[:3].toarray(), across @ B[:3].toarray(), e3[None] @ C[:3].toarray()])


@final
@dataclass(frozen=True, slots=True)
class PrincipalAxes:
    """The frame follows the centre of mass and the principal axes of inertia of the deformed body.

        Σ m_j δ_j = 0 ,   e_aᵀ δJ e_b = 0 ,   δJ = Σ −m_j (δ_j b_jᵀ + b_j δ_jᵀ) + θ̃_j μ_j − μ_j θ̃_j

    linearised; e_a are the principal axes of the undeformed body, which may lie askew to the frame.
    """

    @property
    def words(self) -> str:
        return "principal axes"

    def origin(self, structure: Structure) -> np.ndarray:
        return structure.centre

    def conditions(self, structure: Structure) -> np.ndarray:
        moments, E = np.linalg.eigh(structure.inertia)
        if np.diff(moments).min() < _EQUAL * moments[2]:
            raise ModelError(
                f"PrincipalAxes: two principal moments of {structure.name!r} are equal "
                f"({', '.join(f'{x:g}' for x in moments)} kg·m²), so that their axes are not defined; use "
                "MeanAxes"
            )
        n, d, m = len(structure.points), structure.per_node, structure.nodal_mass
        b = (structure.points - structure.centre) @ E
        B = np.zeros((6, n, d))
        B[:3, :, :3] = m[None, :, None] * np.eye(3)[:, None, :]
        mu = np.einsum("pa,jpq,qb->jab", E, structure.nodal_inertia, E)
        for row, (p, q) in enumerate(((0, 1), (1, 2), (2, 0))):
            B[3 + row, :, :3] = -m[:, None] * (b[:, [q]] * E[:, p] + b[:, [p]] * E[:, q])
            if d == 6:
                for axis in range(3):
                    turn = np.cross(np.eye(3)[axis], np.eye(3)).T  # ẽ of the principal axis
                    change = turn @ mu - mu @ turn
                    B[3 + row, :, 3:] += change[:, p, q, None] * E[:, axis]
        return B.reshape(6, n * d)


def change_reference(X: np.ndarray, R: np.ndarray, B: np.ndarray) -> np.ndarray:
    """X − R (B R)⁻¹ B X: the same deformations seen from the frame that B defines, (N, k)."""
    BR = B @ R
    scale = np.abs(B) @ np.abs(R)
    if not np.linalg.cond(BR / np.maximum(np.abs(scale).max(axis=1, keepdims=True), 1e-300)) < 1e12:
        raise ModelError("the reference conditions do not fix the frame: use a place with rotations, or three places")
    return np.asarray(X - R @ np.linalg.solve(BR, B @ X))
