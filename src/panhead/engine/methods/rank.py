"""Redundant constraints and degrees of freedom of a system, checked before a run and reported in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import scipy.sparse

from panhead.engine.methods.equilibrium import finite_jacobian
from panhead.engine.methods.linear_solvers import dense, is_large, null_vectors, row_sizes
from panhead.engine.system import Matrix, System, Vector
from panhead.errors import ConstraintError, RedundantConstraints

#: Singular values below this share of the largest one count as zero.
RANK_TOLERANCE = 1e-9
#: Parts of a direction smaller than this share of its largest part are not worth a word.
WORTH_NAMING = 0.05
#: More free directions of a large system than this are only counted.
TOO_MANY = 32
#: Dependent constraints that leave more than this open cannot all be met.
CONTRADICTION = 1e-8


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RankReport:
    """Rank of g_q at one configuration; redundant constraints and freedoms described in words."""

    coordinates: int
    constraints: int
    rank: int
    redundant: tuple[str, ...]  #: one sentence per dependency among constraints
    free: tuple[str, ...]  #: one sentence per direction in which the system can move

    @property
    def freedoms(self) -> int:
        """Degrees of freedom at this configuration."""
        return self.coordinates - self.rank

    def __str__(self) -> str:
        head = (
            f"{self.coordinates} coordinates, {self.constraints} constraints of rank {self.rank}: "
            f"{self.freedoms} degree{'s' if self.freedoms != 1 else ''} of freedom"
        )
        return "\n".join([head, *self.redundant, *self.free])


def rank_report(system: System, q: Vector, *, t: float = 0.0) -> RankReport:
    """Null spaces of the row-scaled Jacobian, left and right, described in words."""
    nq, nc = len(system.coordinates), len(system.constraints)
    free: tuple[str, ...]
    if nc == 0:
        free = tuple(f"free: {name}" for name in system.coordinates)
        return RankReport(coordinates=nq, constraints=0, rank=0, redundant=(), free=free)
    G = finite_jacobian(system, t, q)
    W, Z = _sparse_null_spaces(G) if is_large(G) else _dense_null_spaces(dense(G))
    open_by = _ConstraintResiduals(system.constraint(t, q), system.constraint_t(t, q))
    redundant = tuple(_dependency(system, row, open_by) for row in _sparse_basis(W.T))
    rank = nc - W.shape[1]
    if Z is None:
        free = (f"free: {nq - rank} directions, too many to list",)
    else:
        free = tuple(_direction(system, row) for row in _sparse_basis(Z.T))
    return RankReport(coordinates=nq, constraints=nc, rank=rank, redundant=redundant, free=free)


def _dense_null_spaces(G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weights of rows that add up to nothing, (nc, ·), and directions that no row feels, (nq, ·)."""
    size = np.linalg.norm(G, axis=1)
    vanishing = size <= RANK_TOLERANCE * max(size.max(), 1e-300)  # it restrains nothing here
    weight = np.where(vanishing, 0.0, 1.0 / np.where(vanishing, 1.0, size))
    U, values, Vt = np.linalg.svd(weight[:, None] * G)
    rank = int((values > RANK_TOLERANCE * max(values.max(), 1e-300)).sum())
    unscaled = np.where(vanishing, 1.0, weight)
    return U[:, rank:] * unscaled[:, None], Vt[rank:].T


def _sparse_null_spaces(G: Matrix) -> tuple[np.ndarray, np.ndarray | None]:
    """Null spaces of a large system; free directions are None if they are many."""
    weight = 1 / row_sizes(G)
    scaled = scipy.sparse.csc_array(scipy.sparse.diags_array(weight) @ G)
    W = null_vectors(scaled.T, tolerance=RANK_TOLERANCE) * weight[:, None]
    freedoms = G.shape[1] - (G.shape[0] - W.shape[1])
    if freedoms > TOO_MANY:
        return W, None
    return W, null_vectors(scaled, tolerance=RANK_TOLERANCE)


def require_independent(system: System, q: Vector, *, t: float = 0.0) -> RankReport:
    """Return the report; ConstraintError if constraints are redundant or contradictory."""
    report = rank_report(system, q, t=t)
    if report.redundant:
        contradicts = any(text.startswith("contradictory") for text in report.redundant)
        raise (ConstraintError if contradicts else RedundantConstraints)(
            f"the constraints of {system.name!r} are linearly dependent at t = {t:g} s:\n  "
            + "\n  ".join(report.redundant)
            + "\n  Remove one of them, or start from another configuration."
        )
    return report


class _ConstraintResiduals(NamedTuple):
    """Residuals of the constraints and of their rates."""

    g: Vector  # (nc,)
    g_t: Vector  # (nc,)


def _dependency(system: System, weights: np.ndarray, open_by: _ConstraintResiduals) -> str:
    names = _weighted_names(system.constraints, weights)
    first, others = names[0][0], " and ".join(n for n, _ in names[1:])
    if not others:
        return f"redundant: {first} does not restrain any motion here"
    largest = np.abs(weights).max()
    for what, value in (("by", open_by.g), ("in its rate by", open_by.g_t)):
        gap = float(weights @ value) / largest
        if abs(gap) > CONTRADICTION:
            return f"contradictory: {first} contradicts {others} {what} {abs(gap):.3g}"
    return f"redundant: {first} repeats what {others} already say"


def _direction(system: System, direction: np.ndarray) -> str:
    parts = _weighted_names(system.coordinates, direction)
    lead = parts[0][1]
    words = [parts[0][0]] + [f"{name} ({weight / lead:+.2g})" for name, weight in parts[1:]]
    return "free: " + (words[0] if len(words) == 1 else f"{words[0]} (+1) together with " + ", ".join(words[1:]))


def _weighted_names(names: tuple[str, ...], weights: np.ndarray) -> list[tuple[str, float]]:
    """Names with their weights, largest first, small ones left out."""
    order = np.argsort(-np.abs(weights), kind="stable")
    largest = abs(weights[order[0]])
    return [(names[i], float(weights[i])) for i in order if abs(weights[i]) > WORTH_NAMING * largest]


def _sparse_basis(basis: np.ndarray) -> np.ndarray:
    """Return a basis of the same space with as many zeros as elimination gives."""
    B = basis.copy()
    for k in range(len(B)):
        rows = B[k:]
        i, j = np.unravel_index(np.abs(rows).argmax(), rows.shape)
        B[[k, k + i]] = B[[k + i, k]]
        B[k] /= B[k, j]
        for other in range(len(B)):
            if other != k:
                B[other] -= B[other, j] * B[k]
    return B
