"""Reduced matrices of another code: motions of the interfaces and fixed-interface modes, taken as they are."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import scipy.linalg

from panhead.engine.structures.damping import Damping
from panhead.engine.structures.matrices import from_matrices
from panhead.engine.structures.reduced_structure import ReducedStructure
from panhead.engine.structures.reduction import consistent_inertia, describe_reduction
from panhead.engine.structures.reference_conditions import BodyFixed, MeanAxes, Reference, change_reference
from panhead.engine.structures.structure import STRAINED, Structure
from panhead.errors import ModelError

_NOTE = (
    "given Craig–Bampton matrices: what changes with the deformation is computed with masses at the interface nodes, "
    "without fixed-interface modes"
)


def from_craig_bampton(
    name: str,
    *,
    points: np.ndarray,
    stiffness: np.ndarray,
    mass: np.ndarray,
    places: Mapping[str, tuple[int, ...]] | None = None,
    reference: Reference | None = None,
    damping: Damping | float = 0.0,
) -> ReducedStructure:
    """A body from reduced matrices (6 b + m, 6 b + m)                                   [Craig68].

    Coordinates are six motions of each of the b interface nodes ``points`` (b, 3), then m fixed-interface modes η. A
    rigid motion moves the nodes and leaves η = 0. All deformations are kept; ``places`` names nodes, and without it
    they are "0", "1" …. ``reference`` is MeanAxes (also if none is given) or BodyFixed.
    """
    reference = MeanAxes() if reference is None else reference
    if not isinstance(reference, MeanAxes | BodyFixed):
        raise ModelError(f"from_craig_bampton {name!r}: the reference must be MeanAxes or BodyFixed")
    K, M = (np.asarray(x, dtype=float) for x in (stiffness, mass))
    points = np.asarray(points, dtype=float)
    n, N = 6 * len(points), len(K)
    if K.ndim != 2 or K.shape != M.shape or K.shape != (N, N) or n > N or not n:
        raise ModelError(
            f"from_craig_bampton {name!r}: stiffness {K.shape} and mass {M.shape} must be square and alike, with six "
            f"rows for each of the {len(points)} nodes before the modes"
        )
    named = dict(places) if places else {str(j): (j,) for j in range(len(points))}
    nodes = _interface(name, points, K, M, named)
    origin = reference.origin(nodes)
    R = np.vstack([nodes.rigid_motions(origin), np.zeros((N - n, 6))])
    _require_free(name, K, R)
    X, omega = _deformations(name, K, M, R)
    B = (M @ R).T if isinstance(reference, MeanAxes) else np.hstack([reference.conditions(nodes), np.zeros((6, N - n))])
    X = change_reference(X, R, B)
    return describe_reduction(
        nodes, X, omega, reference, words=("given reduction",) * len(omega), notes=(_NOTE,), damping=damping,
        consistent=consistent_inertia(M, X, R),
    )  # fmt: skip


def _interface(
    name: str, points: np.ndarray, K: np.ndarray, M: np.ndarray, places: Mapping[str, tuple[int, ...]]
) -> Structure:
    """The interface nodes alone: K condensed statically, and M_bb, which has the mass of the whole body."""
    n = 6 * len(points)
    Kb = K[:n, :n] - K[:n, n:] @ np.linalg.lstsq(K[n:, n:], K[n:, :n], rcond=None)[0] if len(K) > n else K
    return from_matrices(name, points=points, stiffness=(Kb + Kb.T) / 2, mass=M[:n, :n], places=places)


def _require_free(name: str, K: np.ndarray, R: np.ndarray) -> None:
    d = np.sqrt(np.abs(np.diag(K)))  # |K_ij| ≤ d_i d_j
    share = np.abs(K @ R) / np.maximum(np.outer(d, (d[:, None] * np.abs(R)).max(axis=0)), np.finfo(float).tiny)
    if share.max() > STRAINED:
        row = int(share.max(axis=1).argmax())
        raise ModelError(
            f"from_craig_bampton {name!r}: a rigid motion of the nodes with modes at rest produces forces, largest in "
            f"row {row}; give node coordinates first, in basic axes, then fixed-interface modes of the free body"
        )


def _deformations(name: str, K: np.ndarray, M: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shapes free of rigid motion, XᵀM X = 1, and ω [rad/s]."""
    Z = scipy.linalg.null_space((M @ R).T / np.linalg.norm(M @ R, axis=0)[:, None])
    try:
        squares, V = scipy.linalg.eigh(Z.T @ K @ Z, Z.T @ M @ Z)
    except np.linalg.LinAlgError:
        raise ModelError(f"from_craig_bampton {name!r}: the mass is not positive definite") from None
    if not squares[0] > 0:
        raise ModelError(f"from_craig_bampton {name!r}: a deformation has no stiffness (ω² = {squares[0]:.3g} 1/s²)")
    return Z @ V, np.sqrt(squares)
