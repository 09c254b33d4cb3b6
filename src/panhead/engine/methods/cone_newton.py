"""Semi-smooth Newton's method for the impulses of very many contacts, where sweeps converge slowly.

The laws of ``panhead.engine.kernels.cone_sweeps`` as zeros of the natural map F(P) = P − Π(P − y/D)   [Alart91]. One
of its generalised Jacobians is E + K D, with E and K of a block for each contact and D sparse: contacts are coupled
through bodies they share. Where contacts hold more than there are freedoms D is singular, and impulses may have to grow
far along a direction that moves nothing before one of them slides or lifts. Hence proximal steps    [Rockafellar76]

    y = D P + c + ε diag(D) (P − P_before) = 0 in the laws, solved for P; then P_before = P,

with ε smaller after every success and larger where Newton's method fails. The answer does not depend on ε.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import splu

from panhead.engine.kernels.contact_rows_of_pairs import ROWS, ContactMaps
from panhead.engine.system import Vector

_MOST = 20  # iterations in one proximal step
_WORK = 5000  # iterations times contacts in one call: beyond it sweeps may serve better
FIRST_WEIGHT = 1e-7  # ε
_WEAKEST, _STRONGEST = 1e-9, 1.0
_WEAKER, _STRONGER = 0.1, 30.0
_SOLVED = 1e-11  # of the largest impulse: Newton's method is done


class ConeProblem(NamedTuple):
    """What Newton's method needs of one problem; rows of all contacts behind one another."""

    D: scipy.sparse.csr_array
    c: Vector  # y without impulses, (6 n,)
    limits: np.ndarray  # (n, 3) friction, spinning, rolling
    r: np.ndarray  # (n, 6) one over the diagonals


def improve(problem: ConeProblem, P: np.ndarray, weight: float = FIRST_WEIGHT) -> tuple[np.ndarray, float]:
    """Impulses (n, 6) nearer to the laws than P, by proximal steps, and the weight ε to begin the next ones with."""
    left = max(2 * _MOST, _WORK // max(1, len(P)))
    while left > 0:
        size = np.abs(P).max(initial=0.0)
        if not np.abs(_natural_map(problem, P)[0]).max(initial=0.0) > _SOLVED * size:
            break
        stiff = np.divide(weight, problem.r, out=np.zeros_like(problem.r), where=problem.r > 0).ravel()
        near = problem._replace(
            D=scipy.sparse.csr_array(problem.D + scipy.sparse.diags_array(stiff)), c=problem.c - stiff * P.ravel()
        )
        found, taken = _newton(near, P)
        left -= taken
        if found is not None:
            P, weight = found, max(_WEAKER * weight, _WEAKEST)
        elif weight < _STRONGEST:
            weight = min(_STRONGER * weight, _STRONGEST)
        else:
            break
    return P, weight


def _newton(problem: ConeProblem, P: np.ndarray) -> tuple[np.ndarray | None, int]:
    """The zero of the natural map from P on, None where it is not found, and the iterations taken (at least 1)."""
    F, E, K = _natural_map(problem, P)
    size = np.abs(F).max(initial=0.0)
    for taken in range(_MOST):
        if not size > 0.1 * _SOLVED * np.abs(P).max(initial=0.0):
            return P, taken + 1
        step = _newton_step(problem, F, E, K)
        if step is None:
            return None, taken + 1
        best = np.inf
        for share in (1.0, 0.5, 0.25, 0.1, 0.03):
            trial = P + share * step
            found = _natural_map(problem, trial)
            off = np.abs(found[0]).max()
            if off < best:
                best, kept = off, (trial, found)
            if off < (1 - 0.1 * share) * size:
                break
        P, (F, E, K) = kept
        size = best
    return None, _MOST


def cone_problem(maps: ContactMaps, law: np.ndarray, shift: Vector, x_free: Vector) -> ConeProblem:
    """The sparse D, and y without impulses."""
    n, m = len(law), len(x_free)
    rows = np.arange(n * ROWS).reshape(n, ROWS, 1)
    W = scipy.sparse.csr_array((n * ROWS, m))
    for side in range(2):
        held = maps.column[:, side] >= 0
        columns = maps.column[held, side][:, None, None] + np.arange(7)
        values = maps.W[held][:, :, 7 * side : 7 * side + 7]
        W = W + _sparse(values, rows[held], columns, (n * ROWS, m))
    B, at = scipy.sparse.csr_array((n * ROWS, m)), np.zeros(n, np.int64)
    for side in range(2):
        begin, length = maps.segment[:, side, 0], maps.segment[:, side, 1]
        for size in np.unique(length[length > 0]):
            of = np.flatnonzero(length == size)
            values = np.take_along_axis(maps.B[of], at[of][:, None, None] + np.arange(size), axis=2)
            B = B + _sparse(values, rows[of], begin[of][:, None, None] + np.arange(size), (n * ROWS, m))
        at = at + length
    D = scipy.sparse.csr_array(W @ B.T)
    c = W @ x_free
    c[::ROWS] += shift
    diagonal = D.diagonal().reshape(n, ROWS)
    pairs = (1, 2), (4, 5)
    for i, j in pairs:
        diagonal[:, i] = diagonal[:, j] = diagonal[:, i] + diagonal[:, j]
    r = np.divide(1.0, diagonal, out=np.zeros_like(diagonal), where=diagonal > 0)
    return ConeProblem(D, c, law[:, :3], r)


def _sparse(
    values: np.ndarray, rows: np.ndarray, columns: np.ndarray, shape: tuple[int, int]
) -> scipy.sparse.csr_array:
    rows, columns = (np.broadcast_to(x, values.shape).ravel() for x in (rows, columns))
    return scipy.sparse.csr_array(scipy.sparse.coo_array((values.ravel(), (rows, columns)), shape=shape))


def _newton_step(p: ConeProblem, F: np.ndarray, E: np.ndarray, K: np.ndarray) -> np.ndarray | None:
    """−J⁻¹ F over the rows whose impulses may differ from zero; None if J is singular."""
    n = len(F)
    blocks = lambda X: scipy.sparse.bsr_array((X, np.arange(n), np.arange(n + 1)), shape=(n * ROWS, n * ROWS))
    J = scipy.sparse.csr_array(blocks(E) + blocks(K) @ p.D)
    alive = np.flatnonzero(np.abs(K).sum(axis=2).ravel() > 0)
    step = -F.ravel()  # rows without pressure: J is the identity
    if len(alive):
        rest = np.setdiff1d(np.arange(n * ROWS), alive)
        right = -F.ravel()[alive] - J[alive][:, rest] @ step[rest]
        try:
            step[alive] = splu(scipy.sparse.csc_array(J[alive][:, alive])).solve(right)
        except RuntimeError:
            return None
    return step.reshape(n, ROWS) if np.isfinite(step).all() else None


def _natural_map(p: ConeProblem, P: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """F (n, 6), and blocks E, K (n, 6, 6) of its Jacobian E + K D."""
    n = len(P)
    y = (p.D @ P.ravel() + p.c).reshape(n, ROWS)
    F, E, K = P.copy(), np.zeros((n, ROWS, ROWS)), np.zeros((n, ROWS, ROWS))
    E[:, range(ROWS), range(ROWS)] = 1.0
    presses = P[:, 0] - p.r[:, 0] * y[:, 0] > 0
    F[presses, 0] = p.r[presses, 0] * y[presses, 0]
    E[presses, 0, 0], K[presses, 0, 0] = 0.0, p.r[presses, 0]
    for rows, limit in (((1, 2), p.limits[:, 0]), ((3,), p.limits[:, 1]), ((4, 5), p.limits[:, 2])):
        _disc_rows(p, P, y, list(rows), limit, (F, E, K))
    return F, E, K


def _disc_rows(
    p: ConeProblem, P: np.ndarray, y: np.ndarray, rows: list[int], limit: np.ndarray, out: tuple[np.ndarray, ...]
) -> None:
    """Rows whose impulses lie in a disc of radius limit · P_N."""
    F, E, K = out
    some = np.flatnonzero(limit > 0)
    if not len(some):
        return
    r = p.r[some][:, rows]
    z = P[some][:, rows] - r * y[some][:, rows]
    radius, length = limit[some] * np.maximum(P[some, 0], 0.0), np.linalg.norm(z, axis=1)
    stick = length <= radius
    held, k = some[stick], np.array(rows)
    F[held[:, None], k] = r[stick] * y[held[:, None], k]
    E[held[:, None], k, k], K[held[:, None], k, k] = 0.0, r[stick]
    slides = some[~stick & (radius > 0)]
    of = ~stick & (radius > 0)
    d, share = z[of] / length[of][:, None], radius[of] / length[of]
    F[slides[:, None], k] = P[slides[:, None], k] - radius[of][:, None] * d
    across = np.eye(len(rows)) - d[:, :, None] * d[:, None, :]
    at = np.ix_(np.arange(len(slides)), k, k)
    blocks = E[slides]
    blocks[at] -= share[:, None, None] * across
    blocks[:, k, 0] -= limit[slides][:, None] * d
    E[slides] = blocks
    turned = K[slides]
    turned[at] += share[:, None, None] * across * r[of][:, None, :]
    K[slides] = turned
