"""Derivatives of the stringing residual with respect to element properties, −∂r/∂θ.

Stringing solves r(q, N; θ) = 0 (``stringing_adjoint``). T, EI, μ, EA and the length ℓ of an element enter r through the
stiffness of the wire, its weight μ g s/(1 + T s/EA) along its arc, s² = 1 + z′² + y′², and on a curved track the
lateral component of its tension. r is linear in none of them, but −ψᵀ ∂r/∂θ is linear in ψ: the derivatives are
computed once, at every coordinate of an element, for any number of ψ.
"""

from __future__ import annotations

import numpy as np

from panhead.engine.laws.hermite import shape, shape_x
from panhead.railway.line.span_grid import GAUSS, WEIGHT, Y
from panhead.railway.line.span_mesh import AXIAL, BENDING, MASS, SIDE, TENSION
from panhead.railway.line.stringing_equations import Balance
from panhead.railway.line.wire_elements import stiffness_by_length, wire_stiffness

_LENGTH, _COLUMNS = 6, 7  # columns of ``span_mesh``, then the length
_TINY = 1e-30  # a complex step, which is exact


class ElementDerivatives:
    """−∂r/∂θ of every element's properties at a balanced tension length."""

    def __init__(self, balance: Balance) -> None:
        self.balance = balance
        self._by_role = {role: _wire_derivatives(balance, role) for role in balance.conn}  # (elements, 2, 4, columns)

    def felt(self, psi: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """−ψᵀ ∂r/∂θ of the properties, role → (elements, 6), and of the lengths (elements,); psi (size,)."""
        grid = self.balance.grid
        table, ell = {}, np.zeros(grid.ell.size)
        for role, conn in self.balance.conn.items():
            found = np.einsum("edi,edic->ec", np.stack([psi[conn], psi[conn + Y]], axis=1), self._by_role[role])
            table[role] = np.zeros((grid.ell.size, _LENGTH))
            table[role][grid.elements(role)] = found[:, :_LENGTH]
            ell[grid.elements(role)] += found[:, _LENGTH]
        return table, ell


def _wire_derivatives(balance: Balance, role: str) -> np.ndarray:
    """Derivatives for one wire, in z and y, at the four coordinates of an element each; (elements, 2, 4, columns)."""
    conn, grid = balance.conn[role], balance.grid
    elements = grid.elements(role)
    ell, own = grid.ell[elements], grid.table[role][elements]
    q = np.stack([balance.q[conn], balance.q[conn + Y]], axis=1)
    found = np.zeros((*q.shape, _COLUMNS))
    one, none = np.ones_like(ell), np.zeros_like(ell)
    for column, matrix in (
        (TENSION, wire_stiffness(ell, one, none)),
        (BENDING, wire_stiffness(ell, none, one)),
        (_LENGTH, stiffness_by_length(ell, own[:, TENSION], own[:, BENDING])),
    ):
        found[..., column] -= np.einsum("eij,edj->edi", matrix, q)
    kappa, phi = grid.bow[elements, :2], grid.bow[elements, 2]
    down = np.stack([-np.cos(phi), np.sin(phi)], axis=1)
    for xi, share in zip(GAUSS, WEIGHT, strict=True):
        found += _load_derivatives(balance.gravity, own, ell, q, kappa, down, xi, share)
    return found


def _load_derivatives(
    gravity: float, own: np.ndarray, ell: np.ndarray, q: np.ndarray, kappa: np.ndarray, down: np.ndarray,
    xi: float, share: float,
) -> np.ndarray:  # fmt: skip
    """Derivatives of weight and lateral pull at one Gauss point: load ℓ (w d + T κ + side) times shape functions."""
    T, EA, mu = own[:, TENSION], own[:, AXIAL], own[:, MASS]
    N, _, _, s, stretch = wire_at_point(ell, q, T / EA, xi)
    felt, pulled = down[:, :, None] * N[:, None, :], kappa[:, :, None] * N[:, None, :]
    weight = share * ell * gravity * s / stretch  # of a unit mass
    found = np.zeros((*felt.shape, _COLUMNS))
    by_strain = weight * mu / stretch * s  # −∂w/∂(T/EA)
    with np.errstate(invalid="ignore"):
        soft = np.where(np.isfinite(EA), T / EA**2, 0.0)
    found[..., MASS] = weight[:, None, None] * felt
    found[..., TENSION] = (share * ell)[:, None, None] * pulled - (by_strain / EA)[:, None, None] * felt
    found[..., AXIAL] = (by_strain * soft)[:, None, None] * felt
    longer = ell + 1j * _TINY
    N, _, _, s, stretch = wire_at_point(longer, q, T / EA, xi)
    aside = kappa * T[:, None] + np.stack([np.zeros_like(T), own[:, SIDE]], axis=1)
    load = (mu * gravity * s / stretch)[:, None] * down + aside
    found[..., _LENGTH] = ((share * longer)[:, None, None] * load[:, :, None] * N[:, None, :]).imag / _TINY
    return found


def wire_at_point(ell: np.ndarray, q: np.ndarray, strain: np.ndarray, xi: float) -> tuple[np.ndarray, ...]:
    """Shape functions and derivatives (elements, 4), slopes z′, y′ (elements, 2), arc rate s and stretch 1 + T s/EA.

    All at one Gauss point; q (elements, 2, 4), strain T/EA (elements,).
    """
    scale = np.stack([np.ones_like(ell), ell, np.ones_like(ell), ell], axis=1)
    N, N_x = np.array(shape(xi, 1.0)) * scale, np.array(shape_x(xi, 1.0)) * scale / ell[:, None]
    inclination = np.einsum("edi,ei->ed", q, N_x)
    s = np.sqrt(1.0 + (inclination**2).sum(axis=1))
    return N, N_x, inclination, s, 1.0 + strain * s
