"""Sparse matrices of the line for the monolithic system."""

from __future__ import annotations

from typing import final

import numpy as np
import scipy.sparse as sp

from panhead.engine.laws import unilateral_spring
from panhead.engine.laws.hermite import shape, shape_x
from panhead.engine.system import Matrix, Vector
from panhead.railway.line.elasticity import block_matrix
from panhead.railway.line.line_arrays import ContactPath
from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.line.wire_elements import locate


@final
class LineTerms:
    """Matrices of the line and its droppers, all sparse."""

    def __init__(self, line: LinearLine) -> None:
        self.line, self.size = line, line.ns * line.b
        self.M = block_matrix(line.M_diag, line.M_off).tocsc()
        self.C = block_matrix(line.C_diag, line.C_off).tocsc()
        self.K = block_matrix(line.K_diag, line.K_off).tocsc()
        d = line.droppers
        dof = np.stack([d.dof_top, d.dof_bottom, d.dof_top_y, d.dof_bottom_y], axis=1)
        columns = d.station[:, None] * line.b + dof
        values = np.stack([d.nz, -d.nz, d.ny, -d.ny], axis=1)
        rows = np.repeat(np.arange(d.x.size), 4)
        shape = (d.x.size, self.size)
        self.B = sp.csr_array((values.ravel(), (rows, columns.ravel())), shape=shape)
        self.k, self.c, self.N0 = d.stiffness, d.damping, d.static_tension
        self.rest = np.maximum(self.N0, 0.0)

    def pull(self, u: Vector, v: Vector) -> tuple[Vector, np.ndarray]:
        """Force N of every dropper, and which are taut."""
        elastic, viscous = self.N0 + self.k * (self.B @ u), self.c * (self.B @ v)
        return unilateral_spring.tension(elastic, viscous), unilateral_spring.pulls(elastic, viscous)

    def force(self, u: Vector, v: Vector) -> Vector:
        """−C v − K u − Bᵀ (N − N₀₊)."""
        N, _ = self.pull(u, v)
        return -(self.C @ v) - self.K @ u - self.B.T @ (N - self.rest)

    def tangents(self, u: Vector, v: Vector) -> tuple[Matrix, Matrix]:
        """∂/∂u, ∂/∂v of the force."""
        _, taut = self.pull(u, v)
        on = self.B.T @ sp.diags_array(np.where(taut, 1.0, 0.0))
        by_u = -self.K - on @ sp.diags_array(self.k) @ self.B
        return by_u, -self.C - on @ sp.diags_array(self.c) @ self.B

    def weights(self, path: ContactPath, x: float) -> tuple[Vector, Vector, Vector]:
        """n and ∂n/∂x of a contact wire at x (nu,), and its static z, z′, y, y′ there."""
        line = self.line
        e = int(locate(x, line.x))
        ell = float(line.x[e + 1] - line.x[e])
        xi = (x - line.x[e]) / ell
        N, N_x = np.array(shape(xi, ell)), np.array(shape_x(xi, ell))
        n, n_x = np.zeros(self.size), np.zeros(self.size)
        places = np.array([e, e, e + 1, e + 1]) * line.b + path.dof_w + np.array([0, 1, 0, 1])
        n[places], n_x[places] = N, N_x
        z, y = (
            np.array([w[e], w_x[e], w[e + 1], w_x[e + 1]]) for w, w_x in ((path.z0, path.z0_x), (path.y0, path.y0_x))
        )
        return n, n_x, np.array([N @ z, N_x @ z, N @ y, N_x @ y])

    def potential(self, u: Vector) -> float:
        """Potential energy ½ uᵀK u and that of the droppers about the strung shape [J]."""
        e = self.B @ u
        stored = unilateral_spring.energy(self.N0 + self.k * e, self.k) - unilateral_spring.energy(self.N0, self.k)
        droppers = stored - self.rest * e
        return float(0.5 * u @ (self.K @ u) + droppers.sum())

    def dissipated(self, u: Vector, v: Vector) -> float:
        """Power dissipated by wires and droppers [W]."""
        rate = self.B @ v
        by_droppers = unilateral_spring.damper(self.N0 + self.k * (self.B @ u), self.c * rate) @ rate
        return float(v @ (self.C @ v) + by_droppers)
