"""Adjoint of stringing: derivatives of any quantity with respect to the parameters of a strung line.

Stringing solves r(q, N; θ) = 0 for the shape q and the dropper forces N. If J̄ = ∂J/∂(q, N) is known, then with

    (∂r/∂(q, N))ᵀ ψ = J̄        dJ/dθ = ∂J/∂θ − ψᵀ ∂r/∂θ

for every parameter θ at once. A held coordinate of the shape (a wire at a mast) has dJ/dq = J̄ − (∂r/∂q)ᵀ ψ.

On a track that leans by φ and curves (``alignment``) weights act along (−cos φ, sin φ) in (z, y), tensions along
(κ_z, κ_y), and wind laterally; a steady arm carries the remaining lateral force at its mast.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from panhead.railway.line.element_slopes import ElementDerivatives, wire_at_point
from panhead.railway.line.span_grid import GAUSS, WEIGHT, Y
from panhead.railway.line.span_mesh import AXIAL, MASS, TENSION
from panhead.railway.line.stringing_equations import _HEIGHT_SCALE, Balance, solve


@dataclass(frozen=True, slots=True)
class StringingCotangents:
    """Cotangents of the parameters of stringing of one tension length."""

    table: dict[str, np.ndarray]  #: role → (elements, 6), columns of ``span_mesh``: T, EI, μ, (α, β), EA
    held: np.ndarray  #: (size,) of coordinates that a mast holds; 0 where free
    height: np.ndarray  #: (links,) of the height wanted
    length: np.ndarray  #: (links,) of the unstretched length
    stiffness: np.ndarray  #: (links,)
    mass: np.ndarray  #: (links, 3) mass per length, top clamp, bottom clamp
    ell: np.ndarray  #: (elements,) of the length of an element
    arm: np.ndarray  #: (masts, 2) mass and length of a steady arm


class StringingAdjoint:
    """The adjoint of stringing at a balanced tension length, factorised once for any number of J.

    ``lengths``: every dropper keeps the length it has been cut to; otherwise those that were given a height keep that.
    """

    def __init__(self, balance: Balance, elements: ElementDerivatives, *, lengths: bool) -> None:
        self.balance, self.elements = balance, elements
        self.by_height = np.zeros_like(balance.by_height) if lengths else balance.by_height
        self.over, push, self.measure, corner = equilibrium_jacobian(balance, self.by_height)
        P = balance.P
        self.lu = splu(sp.bmat([[P.T @ self.over @ P, P.T @ push], [self.measure @ P, corner]], format="csc"))

    def slope(self, q: np.ndarray, N: np.ndarray) -> StringingCotangents:
        """Cotangents of the parameters from ∂J/∂q (size,) and ∂J/∂N (links,)."""
        balance, by_height, P = self.balance, self.by_height, self.balance.P
        psi = self.lu.solve(np.concatenate([P.T @ q, N]), trans="T")
        psi_q, psi_N = P @ psi[: P.shape[1]], psi[P.shape[1] :]
        rest = q - self.over.T @ psi_q - self.measure.T @ psi_N
        L, _ = balance.geometry()
        taut = balance.tension > 0
        table, ell = self.elements.felt(psi_q)
        add_pull(self.elements, _by_pull(balance, psi_q), table, ell)
        lean = _roll_angles(balance)
        lift = (np.cos(lean) * psi_q[balance.links.z].T) - np.sin(lean) * psi_q[balance.links.y].T
        g, half = balance.gravity, 0.5 * L
        return StringingCotangents(
            table=table,
            held=np.where(balance.ids < 0, rest, 0.0),
            height=np.where(by_height, _HEIGHT_SCALE * psi_N, 0.0),
            length=np.where(by_height, 0.0, -psi_N * balance.links.k * taut),
            stiffness=np.where(by_height, 0.0, psi_N * (balance.tension / balance.links.k)),
            mass=-g * np.stack([half * (lift[0] + lift[1]), lift[0], lift[1]], axis=1),
            ell=ell,
            arm=_arms(balance, psi_q),
        )

    def with_longer_droppers(self, links: np.ndarray, by: float) -> Balance:
        """The tension length with some droppers cut longer [m], balanced again with these factors (lengths=True)."""
        changed = copy(self.balance)
        changed.q = changed.q.copy()
        L, _ = changed.geometry()
        changed.given = np.where(changed.by_height, L - changed.tension / changed.links.k, changed.given)
        changed.given[links] += by
        changed.by_height = self.by_height
        solve(changed, self.lu)
        return changed


def equilibrium_jacobian(balance: Balance, by_height: np.ndarray) -> tuple[sp.csr_matrix, ...]:
    """∂f/∂q (size, size), ∂f/∂N, and the same of the droppers' own equations; exact."""
    links, size = balance.links, balance.grid.size
    L, n = balance.geometry()
    dofs = np.concatenate([links.z, links.y], axis=1)
    nz, ny = n[:, :1], n[:, 1:]
    along = np.concatenate([nz, -nz, ny, -ny], axis=1)
    across = np.concatenate([ny, -ny, -nz, nz], axis=1)
    pull = balance.tension / np.maximum(L, 1e-9)
    G = pull[:, None, None] * across[:, :, None] * across[:, None, :]
    half = 0.5 * balance.gravity * links.mass[:, 0]  # both ends carry half of a dropper's weight, by its length
    upright, leaning = half * np.cos(_roll_angles(balance)), half * np.sin(_roll_angles(balance))
    for end in (0, 1):
        G[:, end] += upright[:, None] * along
        G[:, 2 + end] -= leaning[:, None] * along
    where = np.repeat(dofs, 4, axis=1).ravel(), np.tile(dofs, (1, 4)).ravel()
    over = balance.K + sp.csr_matrix((G.ravel(), where), shape=(size, size)) + _arc_weight(balance) + _arm_lift(balance)
    number = np.repeat(np.arange(links.n), 4)
    push = sp.csr_matrix((along.ravel(), (dofs.ravel(), number)), shape=(size, links.n))
    taut = balance.tension > 0
    level = np.array([0.0, _HEIGHT_SCALE, 0.0, 0.0])
    rows = np.where(by_height[:, None], level, -(links.k * taut)[:, None] * along)
    measure = sp.csr_matrix((rows.ravel(), (number, dofs.ravel())), shape=(links.n, size))
    return over.tocsr(), push, measure, sp.diags(np.where(by_height, 0.0, 1.0)).tocsr()


def _roll_angles(balance: Balance) -> np.ndarray:
    """φ of the track at every dropper, as ``Balance`` turns point weights, (links,)."""
    phi = np.append(balance.grid.bow[:, 2], balance.grid.bow[-1:, 2])
    return np.asarray(phi[balance.links.z[:, 0] // (4 * len(balance.grid.roles))])


def _arc_weight(balance: Balance) -> sp.csr_matrix:
    """−∂weight/∂q of the wires, whose weight per x grows with slope."""
    rows, cols, values = [], [], []
    for role, conn in balance.conn.items():
        phi = balance.grid.bow[balance.grid.elements(role), 2]
        ways = ((conn, np.cos(phi)), (conn + Y, -np.sin(phi)))[: 2 if balance.grid.aside else 1]
        elements, q = balance.grid.elements(role), np.stack([balance.q[conn], balance.q[conn + Y]], axis=1)
        table, ell = balance.grid.table[role][elements], balance.grid.ell[elements]
        for xi, share_of_ell in zip(GAUSS, WEIGHT, strict=True):
            N, N_x, inclination, s, stretch = wire_at_point(ell, q, table[:, TENSION] / table[:, AXIAL], xi)
            slope = share_of_ell * ell * balance.gravity * table[:, MASS] / stretch**2 / s  # d load/ds · 1/s
            for x, at in zip(inclination.T, (conn, conn + Y), strict=True):
                block = (slope * x)[:, None, None] * N[:, :, None] * N_x[:, None, :]
                for felt, share in ways:
                    rows.append(np.repeat(felt, 4, axis=1).ravel())
                    cols.append(np.tile(at, (1, 4)).ravel())
                    values.append((share[:, None, None] * block).ravel())
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))
    return sp.csr_matrix(entries, shape=(balance.grid.size, balance.grid.size))


def pull_row(balance: Balance, mast: int) -> tuple[sp.csr_matrix, float]:
    """∂(lateral pull)/∂q at a mast, (1, size), signed as the pull is; and the pull [N]."""
    dofs, pull = _side_dofs(balance, mast), _side_pull(balance, mast)
    over = balance.K + _arc_weight(balance) if balance.grid.aside else balance.K
    row = sp.csr_matrix(over[dofs].sum(axis=0))
    return row * (1.0 if pull >= 0 else -1.0), abs(pull)


def _side_dofs(balance: Balance, mast: int) -> list[int]:
    """Lateral coordinates of the contact wires at a mast."""
    return [int(balance.grid.dof(balance.grid.starts[mast], role, Y)) for role in balance.grid.contact]


def _side_pull(balance: Balance, mast: int) -> float:
    """Lateral pull of the contact wires at a mast, + to the left [N], as in ``Balance.reaction``."""
    dofs = _side_dofs(balance, mast)
    pull = float((balance.K[dofs] @ balance.q).sum())
    return pull - float(balance.weight()[dofs].sum()) if balance.grid.aside else pull


def _by_pull(balance: Balance, psi: np.ndarray) -> np.ndarray:
    """−ψᵀ ∂r/∂ of the pull at every mast, by which a steady arm lifts; (masts,)."""
    grid, found = balance.grid, np.zeros(len(balance.grid.posts))
    for mast, post in enumerate(grid.posts):
        arm = post.support.steady_arm
        if arm is not None and not post.anchor:
            felt = np.mean([psi[int(grid.dof(grid.starts[mast], role, 0))] for role in grid.contact])
            found[mast] = felt * arm.rise / np.sqrt(arm.length**2 - arm.rise**2)
    return found


def add_pull(elements: ElementDerivatives, by_pull: np.ndarray, table: dict[str, np.ndarray], ell: np.ndarray) -> None:
    """Backpropagate the cotangent of the pull at every mast to the adjacent elements; it is a lateral part of r."""
    if not by_pull.any():
        return
    balance = elements.balance
    psi = np.zeros(balance.grid.size)
    for mast in np.flatnonzero(by_pull):
        psi[_side_dofs(balance, int(mast))] = -by_pull[mast] * (1.0 if _side_pull(balance, int(mast)) >= 0 else -1.0)
    by_table, by_length = elements.felt(psi)
    for role, own in by_table.items():
        table[role][:, : own.shape[1]] += own
    ell += by_length


def _arm_lift(balance: Balance) -> sp.csr_matrix:
    """−∂weight/∂q of steady arms, which lift by their pull."""
    grid, size = balance.grid, balance.grid.size
    total = sp.csr_matrix((size, size))
    for mast, post in enumerate(grid.posts):
        arm = post.support.steady_arm
        if arm is None or post.anchor or not arm.rise:
            continue
        row, _ = pull_row(balance, mast)
        lift = arm.rise / np.sqrt(arm.length**2 - arm.rise**2) / len(grid.contact)
        for role in grid.contact:
            unit = sp.csr_matrix(([1.0], ([int(grid.dof(grid.starts[mast], role, 0))], [0])), shape=(size, 1))
            total = total - lift * (unit @ row)
    return total


def _arms(balance: Balance, psi: np.ndarray) -> np.ndarray:
    """−ψᵀ ∂r/∂ of mass and length of every steady arm, through its weight and its lift."""
    grid, found = balance.grid, np.zeros((len(balance.grid.posts), 2))
    for mast, post in enumerate(grid.posts):
        arm = post.support.steady_arm
        if arm is None or post.anchor:
            continue
        felt = float(np.mean([psi[int(grid.dof(grid.starts[mast], role, 0))] for role in grid.contact]))
        by_length = -abs(_side_pull(balance, mast)) * arm.rise * arm.length / (arm.length**2 - arm.rise**2) ** 1.5
        found[mast] = -0.5 * balance.gravity * felt, by_length * felt
    return found
