"""Reduced structure: the data a floating frame needs, independent of the reduction method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np

from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """One column of the modal matrix, described in words."""

    words: str  #: "free–free vibration", "static correction: knee, force along z" …
    frequency: float  #: √(xᵀK x / xᵀM x) / 2π [Hz], x free of rigid motion


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Attachment place: a node, or the mean motion of several."""

    point: np.ndarray  # (3,) undeformed, in the body's frame [m]
    shape: np.ndarray  # (6, k): displacement [m] and small rotation [rad] per unit of each coordinate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistentInertia:
    """Inertia of a body with a consistent mass matrix about its undeformed shape; R are its rigid motions."""

    S1: np.ndarray  # (3, k) R_tᵀ M X
    H0: np.ndarray  # (3, k) R_rᵀ M X
    J0: np.ndarray  # (3, 3) R_rᵀ M R_r
    M: np.ndarray  # (k, k) Xᵀ M X


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ReducedStructure:
    """u' = X w: displacements relative to the frame by k coordinates w       [Ambrosio11, eqs (10)–(14)].

    The mass is diagonal: node j carries m_j and the rotary inertia μ_j. Where ``consistent`` is given, everything
    about the undeformed shape (frequencies, coupling with the frame) is of the consistent mass matrix, and the masses
    of the nodes serve only for what changes with the deformation.
    """

    name: str
    points: np.ndarray  # (n, 3) undeformed nodes in the body's frame [m]
    nodal_mass: np.ndarray  # (n,) m_j [kg]
    nodal_inertia: np.ndarray  # (n, 3, 3) μ_j [kg·m²]
    displacements: np.ndarray  # (n, 3, k) of the nodes per unit of each coordinate
    rotations: np.ndarray  # (n, 3, k) of the nodes [rad]; zeros where nodes cannot turn
    stiffness: np.ndarray  # (k, k) XᵀK X
    damping: np.ndarray  # (k, k)
    modes: tuple[Mode, ...]  #: k of them
    places: Mapping[str, Place] = field(default_factory=dict)
    reference: str = "mean axes"  #: which conditions tie the frame to the body
    origin: np.ndarray = field(default_factory=lambda: np.zeros(3))  # of the frame in the structure's axes [m]
    notes: tuple[str, ...] = ()  #: what was removed or dropped on the way
    consistent: ConsistentInertia | None = None
    expansion: np.ndarray | None = None  # (N, k) X: coordinates of the given matrices per unit of w

    def __post_init__(self) -> None:
        n, k = len(self.points), len(self.modes)
        wanted = {
            "points": (n, 3), "nodal_mass": (n,), "nodal_inertia": (n, 3, 3), "displacements": (n, 3, k),
            "rotations": (n, 3, k), "stiffness": (k, k), "damping": (k, k),
        }  # fmt: skip
        for name, shape in wanted.items():
            value = getattr(self, name)
            if np.shape(value) != shape or not np.isfinite(value).all():
                raise ModelError(
                    f"ReducedStructure {self.name!r}: {name} must be finite and of shape {shape}, got {np.shape(value)}"
                )

    @property
    def table(self) -> str:
        """Return a table of the removed and the kept modes, a line each."""
        kept = [f"{mode.frequency:10.3f} Hz  {mode.words}" for mode in self.modes]
        return "\n".join([*(f"{'':>13}  {note}" for note in self.notes), *kept])

    @property
    def mass(self) -> float:
        """Mass of the whole body [kg]."""
        return float(self.nodal_mass.sum())

    @property
    def modal_mass(self) -> np.ndarray:
        """XᵀM X, (k, k)."""
        if self.consistent is not None:
            return self.consistent.M
        phi, psi = self.displacements, self.rotations
        moved = np.tensordot(self.nodal_mass[:, None, None] * phi, phi, axes=((0, 1), (0, 1)))
        turned = np.tensordot(self.nodal_inertia @ psi, psi, axes=((0, 1), (0, 1)))
        return np.asarray(moved + turned)
