"""Stresses of a flexible body from its deformation, by a matrix of the code that made its finite elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.bodies.floating_body import FloatingBody
from panhead.engine.structures.structure import STRAINED, rigid_force_share, rigid_motions
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StressRecovery:
    """Stresses, strains or section forces that are linear in the displacements of a floating body: σ = S u = S X w.

    S (r, N) has a column for each coordinate of the matrices the body was made from: node by node, of a given
    Craig–Bampton reduction the interface nodes and then its modes. As a sensor it gives a variable for each row.
    The stresses are those of the shapes in X: static loads at interfaces are exact, others as far as modes were kept.
    """

    body: FloatingBody
    matrix: np.ndarray  # S (r, N) [Pa/m, Pa/rad]
    rows: tuple[str, ...]  #: what each row of S is: words of letters, digits and _
    unit: str = "Pa"

    def __post_init__(self) -> None:
        structure = self.body.structure
        X = structure.expansion
        if X is None:
            raise ModelError(
                f"StressRecovery of {self.body.name!r}: structure {structure.name!r} does not tell its shapes by "
                "coordinates; make it with reduce_structure or from_craig_bampton"
            )
        S = np.asarray(self.matrix, dtype=float)
        if S.shape != (len(self.rows), len(X)) or not np.isfinite(S).all():
            raise ModelError(
                f"StressRecovery of {self.body.name!r}: the matrix must be finite and of shape "
                f"({len(self.rows)}, {len(X)}), rows by coordinates of {structure.name!r}; got {S.shape}"
            )
        wrong = [row for row in self.rows if not f"x{row}".isidentifier()]
        if wrong or len(set(self.rows)) < len(self.rows):
            raise ModelError(
                f"StressRecovery of {self.body.name!r}: rows must have names of their own, of letters, digits and _; "
                f"got {wrong[0] if wrong else 'one name twice'!r}"
            )
        self._require_rest(S, len(X))

    def _require_rest(self, S: np.ndarray, size: int) -> None:
        """ModelError if a rigid motion has stresses: coordinates in another order, or in other axes."""
        points = self.body.structure.points
        per_node = 3 if size == 3 * len(points) else 6
        R = np.zeros((size, 6))
        R[: per_node * len(points)] = rigid_motions(points, per_node, np.zeros(3))
        share = rigid_force_share(S, R)
        if share.max(initial=0.0) > STRAINED:
            row = self.rows[int(share.argmax())]
            raise ModelError(
                f"StressRecovery of {self.body.name!r}: row {row!r} gives stress under a rigid motion; its columns "
                "must have the order and axes of the body's matrices"
            )

    def values(self, w: np.ndarray) -> np.ndarray:
        """σ (n, r) of deformations w (n, k)."""
        return np.asarray(w @ (np.asarray(self.matrix, dtype=float) @ self.body.structure.expansion).T)
