"""Cables of cubic ANCF elements in the plane or in space, in NumPy, by the gradient of the energy.

    V = ∫ ½ EA ε² + ½ EI κ² dS,   ε = |r'| − 1 + T/EA,   κ = |r' × r''|/|r'|²  (curvature per S),

r = Σ Nₖ(S) eₖ with the nodes' positions and gradients. Coordinates are arrays (nodes, 2, dimension).
κ² = h/f − g²/f² with f = r'·r', g = r'·r'', h = r''·r'', in any dimension. Complex numbers pass
through, so tangents come from complex steps.
"""

import numpy as np


def hermite(z: np.ndarray | float, le: float) -> np.ndarray:
    """Shapes and their first two S-derivatives (3, 4, …) at z = S/le ∈ [0, 1]."""
    one, zero = np.ones_like(z), np.zeros_like(z)
    value = [1 - 3 * z**2 + 2 * z**3, le * (z - 2 * z**2 + z**3), 3 * z**2 - 2 * z**3, le * (z**3 - z**2)]  # fmt: skip
    first = [(6 * z**2 - 6 * z) / le, one - 4 * z + 3 * z**2, (6 * z - 6 * z**2) / le, 3 * z**2 - 2 * z]  # fmt: skip
    second = [(12 * z - 6) / le**2, (6 * z - 4) / le, (6 - 12 * z) / le**2, (6 * z - 2) / le + zero]
    return np.array([value, first, second])


class Cable:
    """One straight-born cable of equal elements; T is its tension in the straight shape."""

    def __init__(
        self,
        *,
        length: float,
        elements: int,
        line_mass: float,
        EA: float,
        EI: float,
        tension: float = 0.0,
        axial_points: int = 5,
        bending_points: int = 3,
    ):
        self.length, self.elements, self.line_mass = length, elements, line_mass
        self.EA, self.EI, self.pre = EA, EI, tension / EA
        self.le = length / elements
        self.axial = self._rule(axial_points)
        self.bending = self._rule(bending_points)
        shapes, weights = self._rule(4)
        m = line_mass * np.einsum("ig,jg,g->ij", shapes[0], shapes[0], weights)
        w = line_mass * shapes[0] @ weights
        n = 2 * (elements + 1)
        self.mass, self.weight = np.zeros((n, n)), np.zeros(n)  # of each Cartesian direction
        for e in range(elements):
            self.mass[2 * e : 2 * e + 4, 2 * e : 2 * e + 4] += m
            self.weight[2 * e : 2 * e + 4] += w

    def _rule(self, points: int) -> tuple[np.ndarray, np.ndarray]:
        x, w = np.polynomial.legendre.leggauss(points)
        return hermite((x + 1) / 2, self.le), w * self.le / 2

    def straight(self, direction: np.ndarray, origin: np.ndarray | float = 0.0) -> np.ndarray:
        """Nodes (n + 1, 2, d) of the straight cable."""
        S = np.linspace(0.0, self.length, self.elements + 1)
        q = np.empty((S.size, 2, direction.size))
        q[:, 0], q[:, 1] = origin + S[:, None] * direction, direction
        return q

    def _elements(self, q: np.ndarray) -> np.ndarray:
        return np.concatenate([q[:-1], q[1:]], axis=1)  # (elements, 4, d)

    def energy(self, q: np.ndarray) -> complex:
        """Elastic energy [J]."""
        e = self._elements(q)
        (N, w), (B, wb) = self.axial, self.bending
        a = np.einsum("kg,ekd->egd", N[1], e)
        strain = np.sqrt((a * a).sum(-1)) - 1 + self.pre
        f, g, h, *_ = self._bend(e, B)
        return 0.5 * self.EA * (strain**2 @ w).sum() + 0.5 * self.EI * ((h / f - g**2 / f**2) @ wb).sum()

    def _bend(self, e: np.ndarray, B: np.ndarray):
        a, b = np.einsum("kg,ekd->egd", B[1], e), np.einsum("kg,ekd->egd", B[2], e)
        return (a * a).sum(-1), (a * b).sum(-1), (b * b).sum(-1), a, b

    def force(self, q: np.ndarray) -> np.ndarray:
        """−∂V/∂q, in the shape of q."""
        e = self._elements(q)
        (N, w), (B, wb) = self.axial, self.bending
        a = np.einsum("kg,ekd->egd", N[1], e)
        stretch = np.sqrt((a * a).sum(-1))
        pull = (self.EA * w * (1 - (1 - self.pre) / stretch))[..., None] * a
        out = -np.tensordot(N[1], pull, (1, 1)).transpose(1, 0, 2)
        f, g, h, a, b = (x if x.ndim == 3 else x[..., None] for x in self._bend(e, B))
        by_a = (2 * g**2 / f - h) / f**2 * a - g / f**2 * b
        by_b = b / f - g / f**2 * a
        scale = self.EI * wb[:, None]
        out -= np.tensordot(B[1], scale * by_a, (1, 1)).transpose(1, 0, 2)
        out -= np.tensordot(B[2], scale * by_b, (1, 1)).transpose(1, 0, 2)
        total = np.zeros_like(q)
        total[:-1] += out[:, :2]
        total[1:] += out[:, 2:]
        return total

    def tangent(self, q: np.ndarray) -> np.ndarray:
        """−∂force/∂q (n, n) of the flattened q, column by column with a complex step."""
        flat, step = q.astype(complex).ravel(), 1e-30
        columns = []
        for i in range(flat.size):
            flat[i] += 1j * step
            columns.append(-self.force(flat.reshape(q.shape)).imag.ravel() / step)
            flat[i] -= 1j * step
        return np.array(columns).T

    def shape_row(self, S: float, element: int) -> np.ndarray:
        """(3, 2 nodes): shapes, first and second derivatives of all nodes by one element's cubics."""
        row = np.zeros((3, 2 * (self.elements + 1)))
        row[:, 2 * element : 2 * element + 4] = hermite(S / self.le - element, self.le)
        return row
