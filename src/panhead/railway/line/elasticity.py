"""Elasticity of the contact line: static uplift per force, with dropper slackening.

    K q = f − Bᵀ ΔN,   ΔN = max(0, N₀ + k B q) − N₀

B takes the stretch e of every dropper out of q. With A = K + Bᵀ k B factorised once and the small
matrix W = B A⁻¹ Bᵀ, the droppers that go slack are found exactly: A q = f + Bᵀ r, where
r = k e − ΔN is zero for a taut dropper and N₀ + k e for a slack one, so that e = e_f + W r closes
on the slack ones. (For a dropper slack at rest, N₀ < 0, ΔN counts from zero.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from panhead.engine.laws.hermite import shape
from panhead.engine.laws.unilateral_spring import tension
from panhead.errors import ModelError, NotConverged
from panhead.railway.line.line_matrices import LinearLine, linear_line
from panhead.railway.line.strung_line import Strung
from panhead.railway.line.wire_elements import locate


@dataclass(frozen=True, slots=True)
class Elasticity:
    """Uplift per force along one span."""

    x: np.ndarray  #: along the line [m]
    value: np.ndarray  #: uplift over force [m/N]
    force: float  #: [N]
    slack: np.ndarray  #: int, droppers that are slack under the load

    @property
    def maximum(self) -> float:
        """Largest elasticity [m/N]."""
        return float(self.value.max())

    @property
    def minimum(self) -> float:
        """Smallest elasticity [m/N]."""
        return float(self.value.min())

    @property
    def non_uniformity(self) -> float:
        """u = (e_max − e_min)/(e_max + e_min) [Kiessling18, ch. 10]."""
        return (self.maximum - self.minimum) / (self.maximum + self.minimum)


class StaticLine:
    """Static solver of a linear line: displacements under any loads, with dropper slackening."""

    def __init__(self, line: LinearLine) -> None:
        self.line = line
        n, d = line.ns * line.b, line.droppers
        base = d.station * line.b
        columns = np.stack([base + d.dof_top, base + d.dof_bottom, base + d.dof_top_y, base + d.dof_bottom_y], axis=1)
        values = np.stack([d.nz, -d.nz, d.ny, -d.ny], axis=1)
        rows = np.repeat(np.arange(d.x.size), 4)
        B = sp.csr_matrix((values.ravel(), (rows, columns.ravel())), shape=(d.x.size, n))
        held = sp.diags((line.active.ravel()).astype(float))
        self.B = (B @ held).tocsc()
        self.k, self.N0 = d.stiffness, d.static_tension
        A = block_matrix(line.K_diag, line.K_off) + self.B.T @ sp.diags(self.k) @ self.B
        self._lu = splu(A.tocsc())
        self._AB = self._lu.solve(self.B.T.toarray())
        self._W = self.B @ self._AB

    def displace(self, f: np.ndarray, *, max_iterations: int = 50) -> tuple[np.ndarray, np.ndarray]:
        """Displacements q (n,) and dropper tensions N (n_droppers,) under nodal forces f (n,)."""
        q_f = self._lu.solve(f)
        e_f = self.B @ q_f
        slack = self.N0 <= 0
        for _ in range(max_iterations):
            r = np.where(slack, 0.0, -np.minimum(self.N0, 0.0))
            s = np.flatnonzero(slack)
            if s.size:
                matrix = np.eye(s.size) - self.k[s, None] * self._W[np.ix_(s, s)]
                e_s = e_f[s] + self._W[s] @ r
                r[s] = np.linalg.solve(matrix, np.maximum(self.N0[s], 0.0) + self.k[s] * e_s)
            trial = self.N0 + self.k * (e_f + self._W @ r)
            found = trial <= 0
            if (found == slack).all():
                return q_f + self._AB @ r, tension(trial, 0.0)
            slack = found
        raise NotConverged("the set of slack droppers does not converge; use a smaller force")

    def load(self, x: float, force: float, piece: int) -> np.ndarray:
        """Nodal forces of an upward force at x on the contact wires of one tension length."""
        line = self.line
        e = locate(x, line.x)
        ell = line.x[e + 1] - line.x[e]
        N = np.array(shape((x - line.x[e]) / ell, ell))
        f = np.zeros((line.ns, line.b))
        paths = [path for path in line.paths if path.piece == piece]
        for path in paths:
            f[e, path.dof_w : path.dof_w + 2] += N[:2] * force / len(paths)
            f[e + 1, path.dof_w : path.dof_w + 2] += N[2:] * force / len(paths)
        return (f * line.active).ravel()


def elasticity(
    strung: Strung,
    *,
    span: int | None = None,
    force: float = 100.0,
    points: int = 121,
    element_length: float = 0.25,
    around: int = 3,
) -> Elasticity:
    """Elasticity along one span (the middle one of the line if not named), both masts included.

    A point load bends the wire within √(EI/H) ≈ 0.1 m, which is why the elements are short here;
    ``around`` spans on each side are enough for the rest of the line not to be felt.
    """
    layout = strung.layout
    span = layout.n_spans // 2 if span is None else span
    if not 0 <= span < layout.n_spans:
        raise ModelError(f"span {span} does not exist; the line has spans 0 … {layout.n_spans - 1}")
    window = max(0, span - around), min(layout.n_spans, span + around + 1)
    static = StaticLine(linear_line(strung, element_length=element_length, spans=window))
    piece = layout.tension_lengths_at(span)[0].index
    x = np.linspace(layout.mast_x[span], layout.mast_x[span + 1], points)
    value, slack = np.empty(points), np.empty(points, dtype=int)
    for i, place in enumerate(x):
        f = static.load(place, force, piece)
        q, N = static.displace(f)
        value[i], slack[i] = float(f @ q) / force**2, int((N <= 0).sum())
    return Elasticity(x, value, force, slack)


def block_matrix(diag: np.ndarray, off: np.ndarray) -> sp.csr_matrix:
    """Block-tridiagonal blocks as one sparse matrix."""
    ns, b, _ = diag.shape
    i = np.arange(ns)
    local = np.arange(b)
    row, col = np.broadcast_arrays(local[:, None], local[None, :])
    entries = [(diag, i, i), (off, i[:-1], i[1:]), (off.transpose(0, 2, 1), i[1:], i[:-1])]
    rows = [(a[:, None, None] * b + row).ravel() for _, a, _ in entries]
    cols = [(c[:, None, None] * b + col).ravel() for _, _, c in entries]
    values = [np.asarray(v).ravel() for v, _, _ in entries]
    shape = (ns * b, ns * b)
    return sp.csr_matrix((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=shape)
