"""Superelements of a window as kernel arrays (``superelement``): one kind for all equal spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.engine.kernels.block_tridiagonal import paired
from panhead.railway.line.line_matrices import LinearLine, matrices_of
from panhead.railway.line.span_matrices import BlockPart
from panhead.railway.line.superelements import Superelement
from panhead.runs.linear.step.step_arrays import Far, LineArrays, Scheme

_LANES = 8  # modes and coordinates of masts are filled up to a multiple of it


@dataclass(frozen=True, slots=True)
class _Kind:
    """Superelement kind: a span with the coordinates at its masts that move it."""

    span: Superelement
    moved: np.ndarray  #: of the 2 b at both masts

    def at_masts(self, k: int) -> np.ndarray:
        """M, C or K (k = 0, 1, 2) of the masts themselves (r, r)."""
        diag, off = self.span.blocks.matrices[2 * k : 2 * k + 2]
        b = len(diag[0])
        whole = np.empty((2 * b, 2 * b))
        whole[:b, :b], whole[:b, b:], whole[b:, :b], whole[b:, b:] = diag[0], off[0], off[0].T, diag[1]
        return whole[self.moved[:, None], self.moved]


def moved_by(line: LinearLine, part: BlockPart) -> np.ndarray:
    """Mask of the 2 b coordinates at both masts of a far span that move it."""
    return np.flatnonzero(line.active[part.start : part.start + 2] & part.blocks.active)


def drag_rate(span: Superelement, moved: np.ndarray) -> float:
    """α of d ≈ α m [1/s]; the rest, of droppers that are not damped as wires are, is small."""
    m, d = span.mass[:, moved], span.drag[:, moved]
    return float((m * d).sum() / (m * m).sum()) if m.any() else 0.0


def far_arrays(line: LinearLine, sc: Scheme, A_diag: np.ndarray, A_off: np.ndarray) -> Far:
    """Superelements in flat arrays; adds them to the matrix of the step, their modes eliminated."""
    b, width = line.b, 4 * -(-line.b // 4)
    kinds, kind = _kinds(line)
    modes = np.array([-(-k.span.stiffness.size // _LANES) * _LANES for k in kinds], dtype=np.int64)
    n, most, r = (
        len(kinds),
        int(modes.max(initial=0)),
        _LANES * -(-max((k.moved.size for k in kinds), default=0) // _LANES),
    )
    stiffness, c = np.zeros((2, n, most))
    mass = np.zeros((n, r, most))
    M, C, K = np.zeros((3, n, r, r))
    row, alpha = np.zeros((n, r), dtype=np.int64), np.array([drag_rate(k.span, k.moved) for k in kinds])
    for i, k in enumerate(kinds):
        own, size = k.moved.size, k.span.stiffness.size
        row[i, :own] = k.moved // b * width + k.moved % b
        stiffness[i, :size], c[i, :size] = k.span.stiffness, k.span.damping
        mass[i, :own, :size] = k.span.mass[:, k.moved].T
        for whole, j in ((M, 0), (C, 1), (K, 2)):
            whole[i, :own, :own] = k.at_masts(j)
    A_inv = 1.0 / (sc.M_u + sc.C_u * c + stiffness)
    a = (sc.M_u + sc.C_u * alpha)[:, None, None] * mass
    P = sc.M_u * M + sc.C_u * C - np.einsum("nrk,nsk->nrs", a, a * A_inv[:, None], optimize=True)
    inertia = M - np.einsum("nrk,nsk->nrs", mass, mass, optimize=True)
    pushed, felt = np.zeros((2, n, r, most + 2 * r))
    pushed[:, :, :most] = felt[:, :, :most] = mass
    for i, k in enumerate(modes):
        pushed[i, :, k : k + 2 * r] = np.concatenate([P[i], sc.M_v * inertia[i]], axis=1)
        felt[i, :, k : k + r] = C[i]
    station = np.array([part.start for part, _ in line.far], dtype=np.int64)
    _add(A_diag, A_off, P + K, [k.moved for k in kinds], kind, station)
    return Far(
        base=station * width,
        kind=kind,
        first=np.cumsum(np.r_[0, modes[kind]])[:-1],
        modes=modes,
        row=row,
        stiffness=stiffness,
        c=c,
        A_inv=A_inv,
        yields=(sc.M_u + sc.C_u * alpha)[:, None] * A_inv,
        alpha=alpha,
        pushed=pushed,
        felt=felt,
        inertia=inertia,
        springs=K,
    )


def _kinds(line: LinearLine) -> tuple[list[_Kind], np.ndarray]:
    """Distinct far spans of a window, and the kind of each."""
    found: dict[tuple[int, bytes], int] = {}
    kinds: list[_Kind] = []
    kind: list[int] = []
    for part, span in line.far:
        moved = moved_by(line, part)
        key = id(span), moved.tobytes()
        if key not in found:
            found[key] = len(kinds)
            kinds.append(_Kind(span, moved))
        kind.append(found[key])
    return kinds, np.array(kind, dtype=np.int64)


def _add(
    A_diag: np.ndarray, A_off: np.ndarray, A: np.ndarray, moved: list[np.ndarray], kind: np.ndarray, station: np.ndarray
) -> None:
    """Add matrices A (kinds, r, r) of masts to those of the line."""
    b = A_diag.shape[1]
    whole = np.zeros((len(moved), 2 * b, 2 * b))
    for i, rows in enumerate(moved):
        whole[i][np.ix_(rows, rows)] = A[i, : rows.size, : rows.size]
    cut = whole.reshape(-1, 2, b, 2, b)[kind]
    np.add.at(A_diag, station, cut[:, 0, :, 0])
    np.add.at(A_diag, station + 1, cut[:, 1, :, 1])
    np.add.at(A_off, station, cut[:, 0, :, 1])


def with_far(linear: LinearLine, line: LineArrays) -> LineArrays:
    """Arrays of a window with the masts of far spans in its matrices."""
    if not linear.far:
        return line
    matrices = [x.copy() for x in matrices_of(linear)]
    for part, span in linear.far:
        at, on = part.start, np.zeros(2 * linear.b)
        on[moved_by(linear, part)] = 1.0
        both = np.stack([on[: linear.b], on[linear.b :]])
        for k in (0, 2, 4):
            matrices[k][at : at + 2] += span.blocks.matrices[k] * both[:, :, None] * both[:, None, :]
            matrices[k + 1][at] += span.blocks.matrices[k + 1][0] * both[0][:, None] * both[1]
    M, C, K = (paired(*matrices[k : k + 2]) for k in (0, 2, 4))
    return line._replace(M=M, C=C, K=K, damped=bool(matrices[2].any()))
