"""Model-order reduction: free–free vibration modes with static corrections, or Craig–Bampton.

Either way the final shapes are free of rigid motion, xᵀM x = 1, xᵀK x = ω², and are brought to the frame at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from panhead.engine.structures.damping import Damping, ModalRatios
from panhead.engine.structures.flexibility import clamped_flexibility, free, vibrations
from panhead.engine.structures.reduced_structure import ConsistentInertia, Mode, Place, ReducedStructure
from panhead.engine.structures.reference_conditions import MeanAxes, Reference, change_reference
from panhead.engine.structures.structure import Structure
from panhead.errors import ModelError

#: Loads for which static corrections can be made, in the order of a place's displacement and rotation.
FORCES = ("force along x", "force along y", "force along z")
MOMENTS = ("moment about x", "moment about y", "moment about z")
#: A shape is dropped if what it adds to the others is less than this share of it (√ of the strain energy):
#: differences of displacements that large are lost in the rounding of a slender body's stiffness.
_DEPENDENT = 1e-4
_MOTIONS = (*(f"motion along {a}" for a in "xyz"), *(f"turn about {a}" for a in "xyz"))
_RIGID = "rigid-body motions 1 … 6: removed, the floating frame carries them"


@final
@dataclass(frozen=True, slots=True)
class _Shapes:
    """Columns with unit modal mass and diagonal stiffness."""

    X: np.ndarray  # (N, k)
    omega: np.ndarray  # (k,) [rad/s]
    words: tuple[str, ...]
    notes: tuple[str, ...]


def reduce_structure(
    structure: Structure,
    *,
    interfaces: tuple[str, ...] = (),
    modes: int = 10,
    corrections: tuple[str, ...] = FORCES + MOMENTS,
    method: Literal["free-free", "craig-bampton"] = "free-free",
    reference: Reference | None = None,
    damping: Damping | float = 0.0,
) -> ReducedStructure:
    """Reduce a structure: u = X w, XᵀM X = 1, XᵀK X = Λ          [Ambrosio11, eqs (10)–(13)].

    ``interfaces`` are the places where joints and forces act. "free-free" takes ``modes`` vibrations of the free body
    and, for each interface and each of ``corrections``, the deflection under that unit load balanced by inertia.
    "craig-bampton" takes ``modes`` vibrations with the interfaces held, and one shape for each of their motions.
    ``reference`` are mean axes unless told otherwise; a number as ``damping`` is a ratio for all coordinates.
    """
    reference = MeanAxes() if reference is None else reference
    if modes < 0 or (modes == 0 and not interfaces):
        raise ModelError(f"reduced {structure.name!r}: modes must be > 0, got {modes}")
    twice = {place for place in interfaces if interfaces.count(place) > 1}
    if twice:
        raise ModelError(f"reduced {structure.name!r}: among the interfaces {', '.join(sorted(twice))} is named twice")
    if method == "free-free":
        shapes = _free_free(structure, interfaces, modes, corrections)
    elif method == "craig-bampton":
        shapes = _craig_bampton(structure, interfaces, modes)
    else:
        raise ModelError(f"reduced {structure.name!r}: method is 'free-free' or 'craig-bampton', got {method!r}")
    return _reduced_structure(structure, shapes, reference, damping)


def _free_free(structure: Structure, interfaces: tuple[str, ...], modes: int, corrections: tuple[str, ...]) -> _Shapes:
    A, M = free(structure), structure.mass_matrix()
    Phi, squares = vibrations(A, modes)
    F, labels = _loads(structure, interfaces, corrections)
    S = A.apply(F)
    energy = np.einsum("ai,ai->i", F, S)  # of the whole deflection, for scale
    S = S - Phi @ (Phi.T @ (M @ S))
    extra = _diagonalise(structure, S, labels, energy)
    # what little was left has been made large: its rounding along the vibrations too
    X = extra.X - Phi @ (Phi.T @ (M @ extra.X))
    told = tuple(f"static correction, mostly {word}" for word in extra.words)
    vibrating = tuple(f"free–free vibration {k + 1}" for k in range(modes))
    return _Shapes(
        X=np.hstack([Phi, X]),
        omega=np.concatenate([np.sqrt(squares), extra.omega]),
        words=vibrating + told,
        notes=(_RIGID, *extra.notes),
    )


def _craig_bampton(structure: Structure, interfaces: tuple[str, ...], modes: int) -> _Shapes:
    """Fixed-interface vibrations and constraint shapes                                   [Craig68]."""
    if not interfaces:
        raise ModelError(
            f"reduced {structure.name!r}: Craig and Bampton's method needs interfaces; name the places "
            "where it is connected"
        )
    C = sp.csr_array(sp.vstack([structure.motion(place)[1] for place in interfaces]))
    moving = np.flatnonzero(np.diff(C.indptr))  # a single node of a solid does not turn
    names = [f"{place}, {what}" for place in interfaces for what in _MOTIONS]
    A, Psi = clamped_flexibility(structure, C[moving])
    Phi, _ = vibrations(A, modes)
    X = np.hstack([Phi, Psi])
    labels = [f"vibration {k + 1} with interfaces held" for k in range(modes)]
    labels += [names[row] for row in moving]
    M, R = structure.mass_matrix(), structure.rigid_motions(structure.centre)
    K = structure.stiffness
    size = np.einsum("ai,ai->i", X, M @ X)
    X = change_reference(X, R, (M @ R).T)
    X[:, np.einsum("ai,ai->i", X, M @ X) < _DEPENDENT**2 * size] = 0.0  # rigid, the rest is rounding
    shapes = _diagonalise(structure, X, labels, np.einsum("ai,ai->i", X, K @ X))
    told = tuple(f"Craig–Bampton, mostly {word}" for word in shapes.words)
    return _Shapes(X=shapes.X, omega=shapes.omega, words=told, notes=(_RIGID, *shapes.notes))


def _loads(
    structure: Structure, interfaces: tuple[str, ...], corrections: tuple[str, ...]
) -> tuple[np.ndarray, list[str]]:
    """Unit loads at the interfaces, (N, loads), and their names."""
    known = FORCES + MOMENTS
    for load in corrections:
        if load not in known:
            raise ModelError(f"reduced {structure.name!r}: no load {load!r}; known: {', '.join(known)}")
    columns, labels = [np.zeros((structure.stiffness.shape[0], 0))], []
    for place in interfaces:
        P = structure.motion(place)[1]
        rows = [k for k, load in enumerate(known) if load in corrections and P[[k]].nnz]
        columns.append(P[rows].toarray().T)
        labels += [f"{place}, {known[k]}" for k in rows]
    return np.hstack(columns), labels


def _diagonalise(structure: Structure, X: np.ndarray, labels: list[str], energy: np.ndarray) -> _Shapes:
    """Independent columns of X, combined so that mass is one and stiffness diagonal.

    ``energy`` (k,) is what uᵀK u counts as whole for each column.
    """
    M, K = structure.mass_matrix(), structure.stiffness
    if X.shape[1] == 0:
        return _Shapes(X=X, omega=np.zeros(0), words=(), notes=())
    X = X / np.sqrt(np.where(energy > 0, energy, 1.0))
    values, V = np.linalg.eigh(X.T @ (K @ X))
    pivots, order = scipy.linalg.qr(np.sqrt(values.clip(min=0.0))[:, None] * V.T, pivoting=True, mode="r")
    count = int((np.abs(np.diag(pivots)) > _DEPENDENT).sum())
    kept, lost = np.sort(order[:count]), np.sort(order[count:])
    X = X[:, kept]
    X = X / np.sqrt(np.einsum("ai,ai->i", X, M @ X))
    squares, V = scipy.linalg.eigh(X.T @ (K @ X), X.T @ (M @ X))
    words = tuple(labels[kept[i]] for i in np.abs(V).argmax(axis=0))
    notes = tuple(f"{labels[i]}: dropped, linearly dependent on the others" for i in lost)
    return _Shapes(X=X @ V, omega=np.sqrt(squares), words=words, notes=notes)


def _reduced_structure(
    structure: Structure, shapes: _Shapes, reference: Reference, damping: Damping | float
) -> ReducedStructure:
    """Shapes relative to the frame."""
    X, omega = shapes.X, shapes.omega
    X = X * np.where(X[np.abs(X).argmax(axis=0), np.arange(len(omega))] < 0, -1.0, 1.0)
    origin = reference.origin(structure)
    X = change_reference(X, structure.rigid_motions(origin), reference.conditions(structure))
    consistent = None
    if structure.mass_model == "consistent":
        consistent = consistent_inertia(structure.mass_matrix(), X, structure.rigid_motions(origin))
    return describe_reduction(
        structure, X, omega, reference, words=shapes.words, notes=structure.notes + shapes.notes, damping=damping,
        consistent=consistent,
    )  # fmt: skip


def describe_reduction(
    structure: Structure,
    X: np.ndarray,
    omega: np.ndarray,
    reference: Reference,
    *,
    words: tuple[str, ...],
    notes: tuple[str, ...],
    damping: Damping | float,
    consistent: ConsistentInertia | None,
) -> ReducedStructure:
    """Shapes X (N + m, k), seen from the frame, as a body; the first N rows are those of the nodes."""
    N, origin = structure.stiffness.shape[0], reference.origin(structure)
    n, d, k = len(structure.points), structure.per_node, len(omega)
    by_node = X[:N].reshape(n, d, k)
    places = {}
    for name in structure.places:
        point, P = structure.motion(name)
        places[name] = Place(point=point - origin, shape=np.asarray(P @ X[:N]))
    damping = damping if isinstance(damping, Damping) else ModalRatios((damping,))
    return ReducedStructure(
        name=structure.name,
        points=structure.points - origin,
        nodal_mass=structure.nodal_mass,
        nodal_inertia=structure.nodal_inertia,
        displacements=by_node[:, :3],
        rotations=by_node[:, 3:] if d == 6 else np.zeros((n, 3, k)),
        stiffness=np.diag(omega**2),
        damping=damping.matrix(omega),
        modes=tuple(Mode(words=w, frequency=float(f)) for w, f in zip(words, omega / (2 * np.pi), strict=True)),
        places=places,
        reference=reference.words,
        origin=origin,
        notes=notes,
        consistent=consistent,
        expansion=X,
    )


def consistent_inertia(M: sp.csr_array | np.ndarray, X: np.ndarray, R: np.ndarray) -> ConsistentInertia:
    """Inertia of shapes X about the undeformed body with rigid motions R."""
    MX, G = M @ X, R.T @ (M @ R)
    coupling = R.T @ MX
    return ConsistentInertia(S1=coupling[:3], H0=coupling[3:], J0=np.asarray(G[3:, 3:]), M=np.asarray(X.T @ MX))
