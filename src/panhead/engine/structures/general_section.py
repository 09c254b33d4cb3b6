"""Cross-sections by their 6 × 6 stiffness and inertia: coupled, offset from the axis, of any material."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.structures.sections import BeamMaterial, Section
from panhead.errors import ModelError

Matrix6 = tuple[tuple[float, ...], ...]

_SYMMETRIC = 1e-9  # largest difference of a matrix and its transpose, against its largest entry
_RIGID = 1e-9  # the same of an inertia and that of a rigid slab


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralSection:
    """A cross-section by two symmetric matrices, both about the axis of the beam [Hodges06].

        (F, M) = C (γ, κ),   γ = (stretch, shear along y, along z),   κ = (twist, bending about y, about z)
        T = ½ (v, w)ᵀ I (v, w) per length,   I = [[m 1, −m c̃], [m c̃, J]]

    x runs along the beam. C may couple everything (bend and twist, stretch and bend), as codes that analyse sections
    (VABS, BECAS, ANBA4) give it. I is that of a rigid slab: mass m at c = (0, c_y, c_z), moments J about the axis.
    """

    stiffness: Matrix6  #: C [N, N·m, N·m²]
    inertia: Matrix6  #: I [kg/m, kg, kg·m]

    def __post_init__(self) -> None:
        for name in ("stiffness", "inertia"):
            try:
                matrix = np.array(getattr(self, name), dtype=float)
            except (TypeError, ValueError):
                raise ModelError(f"GeneralSection: {name} must be a 6 × 6 matrix of numbers") from None
            if matrix.shape != (6, 6) or not np.isfinite(matrix).all():
                raise ModelError(f"GeneralSection: {name} must be finite and 6 × 6, got shape {matrix.shape}")
            object.__setattr__(self, name, _rows(matrix))
            _require_positive_definite(name, matrix)
        if not self.mass > 0:
            raise ModelError(f"GeneralSection: mass per length must be > 0, got {self.mass!r}")
        wrong = np.abs(np.array(self.inertia) - _slab(self.mass, self.centre, self.moments))
        if wrong.max() > _RIGID * np.abs(self.inertia).max():
            i, j = (int(k) + 1 for k in np.unravel_index(wrong.argmax(), (6, 6)))
            raise ModelError(
                f"GeneralSection: the inertia is not that of a rigid section, row {i} and column {j}: it must be "
                "[[m 1, −m c̃], [m c̃, J]] with c = (0, c_y, c_z); build it with GeneralSection.inertia_of"
            )

    @property
    def mass(self) -> float:
        """m per length [kg/m]."""
        return self.inertia[0][0]

    @property
    def centre(self) -> tuple[float, float]:
        """(c_y, c_z) of the centre of mass from the axis [m]."""
        return (self.inertia[2][3] / self.mass, self.inertia[0][4] / self.mass)

    @property
    def moments(self) -> np.ndarray:
        """J about the axis, (3, 3) [kg·m]."""
        return np.array(self.inertia)[3:, 3:]

    @property
    def central_moments(self) -> np.ndarray:
        """J − m c̃ᵀ c̃ about the centre of mass, (3, 3) [kg·m]."""
        c = _cross(self.centre)
        return np.asarray(self.moments - self.mass * c.T @ c)

    @classmethod
    def of(
        cls,
        section: Section,
        material: BeamMaterial,
        *,
        offset: tuple[float, float] = (0.0, 0.0),
        angle: float = 0.0,
        rotary: np.ndarray | None = None,
    ) -> GeneralSection:
        """A homogeneous section whose centroid stands at ``offset`` (y, z) of the axis, turned by ``angle`` [rad].

            C = Tᵀ diag(EA, GA_y, GA_z, GJ_t, EI_y, EI_z) T,   γ_c = γ + κ × c

        ``rotary`` is ρI about the centroid in the axes of the section, (3, 3) [kg·m]; None: ρ (I_y + I_z, I_y, I_z).
        """
        E, G, s = material.young, material.shear, section
        C = np.diag([E * s.area, *(G * A for A in s.shear_areas), G * s.torsion, E * s.inertia_y, E * s.inertia_z])
        J = material.density * np.diag([s.inertia_y + s.inertia_z, s.inertia_y, s.inertia_z])
        if rotary is not None:
            J = np.asarray(rotary, dtype=float)
        R = np.array([[1, 0, 0], [0, np.cos(angle), np.sin(angle)], [0, -np.sin(angle), np.cos(angle)]])
        T = np.block([[R, -R @ _cross(offset)], [np.zeros((3, 3)), R]])
        return cls(
            stiffness=_rows(T.T @ C @ T),
            inertia=cls.inertia_of(material.density * s.area, centre=offset, rotary=R.T @ J @ R),
        )

    @staticmethod
    def inertia_of(mass: float, *, centre: tuple[float, float] = (0.0, 0.0), rotary: np.ndarray) -> Matrix6:
        """I of a mass per length [kg/m] at ``centre`` (y, z) [m] with its own ``rotary`` ρI about it, (3, 3) [kg·m]."""
        J = np.asarray(rotary, dtype=float)
        if J.shape != (3, 3):
            raise ModelError(f"GeneralSection: rotary must be 3 × 3, got shape {J.shape}")
        c = _cross(centre)
        return _rows(_slab(mass, centre, J + mass * c.T @ c))

    def element_stiffness(self, length: float) -> np.ndarray:
        """C* of an element of uniform strain, (6, 6), exact where a shear force bends a straight element linearly.

        C*⁻¹ = C⁻¹ + L²/12 Xᵀ C⁻¹ X,   X (F, M) = (0, e_x × F)     [MacNeal78], for any C
        """
        S = np.linalg.inv(np.array(self.stiffness))
        X = np.zeros((6, 6))
        X[4, 2], X[5, 1] = -1.0, 1.0
        return np.asarray(np.linalg.inv(S + length**2 / 12 * X.T @ S @ X))


def _rows(matrix: np.ndarray) -> Matrix6:
    return tuple(tuple(map(float, row)) for row in (matrix + matrix.T) / 2)


def _cross(centre: tuple[float, float]) -> np.ndarray:
    """c̃ of c = (0, y, z)."""
    y, z = centre
    return np.array([[0.0, -z, y], [z, 0.0, 0.0], [-y, 0.0, 0.0]])


def _slab(mass: float, centre: tuple[float, float], moments: np.ndarray) -> np.ndarray:
    coupling = mass * _cross(centre)
    return np.block([[mass * np.eye(3), -coupling], [coupling, moments]])


def _require_positive_definite(name: str, matrix: np.ndarray) -> None:
    scale = np.sqrt(np.abs(np.diag(matrix))) + np.finfo(float).tiny
    unit = matrix / np.outer(scale, scale)  # entries of like size: forces and moments have other units
    if np.abs(unit - unit.T).max() > _SYMMETRIC * np.abs(unit).max():
        i, j = (int(k) + 1 for k in np.unravel_index(np.abs(unit - unit.T).argmax(), (6, 6)))
        raise ModelError(f"GeneralSection: {name} is not symmetric, row {i} and column {j}")
    least = float(np.linalg.eigvalsh(unit)[0])
    if not least > 0:
        raise ModelError(
            f"GeneralSection: {name} must be positive definite, its least eigenvalue is {least:.3g} (scaled)"
        )
