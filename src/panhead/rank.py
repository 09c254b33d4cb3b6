"""Before a run: do the constraints repeat one another, and what can still move? In words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.equilibrium import dense
from panhead.errors import ConstraintError
from panhead.system import System, Vector

#: Singular values below this share of the largest one count as zero.
RANK_TOLERANCE = 1e-9
#: Parts of a direction smaller than this share of its largest part are not worth a word.
WORTH_NAMING = 0.05


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RankReport:
    """Rank of g_q at one configuration, with redundancy and freedom told in words."""

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
    """Singular values of the row-scaled Jacobian, and what their zero directions mean."""
    nq, nc = len(system.coordinates), len(system.constraints)
    if nc == 0:
        free = tuple(f"free: {name}" for name in system.coordinates)
        return RankReport(coordinates=nq, constraints=0, rank=0, redundant=(), free=free)
    G = dense(system.constraint_q(t, q))
    size = np.linalg.norm(G, axis=1)
    vanishing = size <= RANK_TOLERANCE * max(
        size.max(), 1e-300
    )  # such a row restrains nothing here
    U, values, Vt = np.linalg.svd(
        np.where(vanishing, 0.0, 1.0 / np.where(vanishing, 1.0, size))[:, None] * G
    )
    rank = int((values > RANK_TOLERANCE * max(values.max(), 1e-300)).sum())
    redundant = tuple(_dependency(system, row) for row in _readable(U[:, rank:].T))
    free = tuple(_direction(system, row) for row in _readable(Vt[rank:]))
    return RankReport(coordinates=nq, constraints=nc, rank=rank, redundant=redundant, free=free)


def require_independent(system: System, q: Vector, *, t: float = 0.0) -> RankReport:
    """The report, or ConstraintError if constraints repeat or contradict one another."""
    report = rank_report(system, q, t=t)
    if report.redundant:
        raise ConstraintError(
            f"the constraints of {system.name!r} depend on one another at t = {t:g} s:\n  "
            + "\n  ".join(report.redundant)
            + "\n  Leave one of them out, or start from another configuration."
        )
    return report


def _dependency(system: System, weights: np.ndarray) -> str:
    names = _named(system.constraints, weights)
    if len(names) == 1:
        return f"redundant: {names[0][0]} does not restrain any motion here"
    return (
        f"redundant: {names[0][0]} repeats what "
        + " and ".join(n for n, _ in names[1:])
        + " already say"
    )


def _direction(system: System, direction: np.ndarray) -> str:
    parts = _named(system.coordinates, direction)
    lead = parts[0][1]
    words = [parts[0][0]] + [f"{name} ({weight / lead:+.2g})" for name, weight in parts[1:]]
    return "free: " + (
        words[0] if len(words) == 1 else f"{words[0]} (+1) together with " + ", ".join(words[1:])
    )


def _named(names: tuple[str, ...], weights: np.ndarray) -> list[tuple[str, float]]:
    """Names with their weights, largest first, small ones left out."""
    order = np.argsort(-np.abs(weights), kind="stable")
    largest = abs(weights[order[0]])
    return [
        (names[i], float(weights[i])) for i in order if abs(weights[i]) > WORTH_NAMING * largest
    ]


def _readable(basis: np.ndarray) -> np.ndarray:
    """The same space spanned by vectors with as many zeros as elimination gives."""
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
