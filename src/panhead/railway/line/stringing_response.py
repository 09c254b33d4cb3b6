"""Response of a strung tension length to its parts, by the force method.

The equations of stringing, linear about an equilibrium in which every dropper keeps its length, are

    A dq + Bᵀ dN = −r_θ dθ        B = ∂L/∂q
    dN = k (B dq − dL₀)           of taut droppers, 0 of slack ones

A is the stiffness of the wires alone. They hang together only by the droppers, so that A has no fill, and with

    X = A⁻¹ Bᵀ    F = B X    q_θ = −A⁻¹ r_θ    (F + 1/k) dN = B q_θ dθ − dL₀    dq = q_θ dθ − X dN

one small dense system is left, one row for each taut dropper. A dropper that becomes slack only leaves that system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from panhead.railway.line.span_grid import Y, Z
from panhead.railway.line.stringing_adjoint import equilibrium_jacobian
from panhead.railway.line.stringing_equations import Balance

_AT_ONCE = 64  # right-hand sides solved together


@dataclass(frozen=True, slots=True)
class StringingResponse:
    """Places that are looked at, as they answer to droppers and to other parts, (n,) each."""

    by_force: np.ndarray  #: (looked, links) look X
    compliance: np.ndarray  #: (links, links) F
    direct: np.ndarray  #: (looked, others) look q_θ, droppers without a force of their own
    stroke: np.ndarray  #: (links, others) B q_θ
    flexibility: np.ndarray  #: (links,) 1/k

    def derivative(self, taut: np.ndarray) -> np.ndarray:
        """∂(looked)/∂(dropper lengths, other parts), (looked, links + others), with these droppers taut."""
        n, others = self.compliance.shape[0], self.direct.shape[1]
        found = np.zeros((self.direct.shape[0], n + others))
        found[:, n:] = self.direct
        on = np.flatnonzero(taut)
        if on.size:
            given = np.zeros((on.size, n + others))
            given[np.arange(on.size), on] = -1.0
            given[:, n:] = self.stroke[on]
            force = np.linalg.solve(self.compliance[np.ix_(on, on)] + np.diag(self.flexibility[on]), given)
            found -= self.by_force[:, on] @ force
        return found


def response(balance: Balance, look: sp.csr_matrix, others: Sequence[Sequence[np.ndarray]] = ()) -> StringingResponse:
    """Response of ``look`` (looked, size) @ q to all droppers and to other parts.

    others: for each part the coordinates held by masts that it moves by 1 (size,), and its unbalanced force r_θ.
    """
    P = balance.P
    over, push, _, _ = equilibrium_jacobian(balance, np.zeros_like(balance.by_height))
    factors = splu((P.T @ over @ P).tocsc(), permc_spec="COLAMD")
    seen = sp.vstack([look, push.T]).tocsr()
    inner = (seen @ P).tocsr()
    by_force = _solve_in_parts(factors, (P.T @ push).tocsc(), inner)
    columns = [P.T @ (over @ moved + force) for moved, force in others]
    own = np.column_stack([seen @ moved for moved, _ in others]) if others else np.zeros((seen.shape[0], 0))
    answer = own - _solve_in_parts(factors, sp.csc_matrix(np.column_stack(columns)), inner) if others else own
    m = look.shape[0]
    return StringingResponse(by_force[:m], by_force[m:], answer[:m], answer[m:], 1.0 / balance.links.k)


def _solve_in_parts(factors: object, right: sp.csc_matrix, inner: sp.csr_matrix) -> np.ndarray:
    """inner A⁻¹ right, some columns at a time: the shapes themselves are not kept."""
    solve = factors.solve  # type: ignore[attr-defined]  # SuperLU has no stubs
    parts = [
        inner @ solve(right[:, k : k + _AT_ONCE].toarray()) for k in range(0, right.shape[1], _AT_ONCE)
    ]  # fmt: skip
    return np.column_stack(parts) if parts else np.zeros((inner.shape[0], 0))


def support_move(balance: Balance, mast: int) -> tuple[np.ndarray, np.ndarray]:
    """A support raised by 1 m: what it holds up goes with it."""
    grid, moved = balance.grid, np.zeros(balance.grid.size)
    moved[held_heights(balance, mast)] = 1.0
    return moved, np.zeros(grid.size)


def held_heights(balance: Balance, mast: int) -> np.ndarray:
    """Coordinates z that a mast holds."""
    grid = balance.grid
    dofs = np.array([int(grid.dof(grid.starts[mast], role, Z)) for role in grid.roles if role != "stitch"])
    return np.asarray(dofs[balance.ids[dofs] < 0])


def stagger_move(balance: Balance, mast: int) -> tuple[np.ndarray, np.ndarray]:
    """The contact wires at a mast moved to the left by 1 m."""
    grid, moved = balance.grid, np.zeros(balance.grid.size)
    moved[stagger_coordinates(balance, mast)] = 1.0
    return moved, np.zeros(grid.size)


def stagger_coordinates(balance: Balance, mast: int) -> np.ndarray:
    """Coordinates y of the contact wires at a mast, and of an auxiliary wire that follows them."""
    grid = balance.grid
    roles = [role for role in grid.roles if role.startswith("contact") or role == "auxiliary"]
    return np.array([int(grid.dof(grid.starts[mast], role, Y)) for role in roles])


def tension_force(balance: Balance, role: str) -> tuple[np.ndarray, np.ndarray]:
    """Unbalanced force of 1 N more tension in a wire: its curvature, and the lift of steady arms that it pulls."""
    f = balance.tension_stiffness(role) @ balance.q
    mast, dof, leverage, _ = balance.steady_arms
    grid = balance.grid
    side = np.array([sum(f[grid.dof(start, r, Y)] for r in grid.contact) for start in grid.starts])
    whole = balance.K @ balance.q
    sign = np.array([np.sign(sum(whole[grid.dof(start, r, Y)] for r in grid.contact)) for start in grid.starts])
    np.add.at(f, dof, -(side * sign)[mast] * leverage / len(grid.contact))
    return np.zeros(grid.size), f
