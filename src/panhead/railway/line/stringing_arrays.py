"""Arrays of wire elements and droppers over which the stringing equations are summed."""

from __future__ import annotations

import numpy as np

from panhead.engine.laws.hermite import shape, shape_x
from panhead.railway.line.span_grid import Grid, Y, Z
from panhead.railway.line.span_mesh import BENDING, TENSION
from panhead.railway.line.wire_elements import wire_stiffness

GAUSS = 0.5 + 0.5 * np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])
WEIGHT = np.array([5.0, 8.0, 5.0]) / 18.0
_SHAPE, _SHAPE_X = (np.array([f(xi, 1.0) for xi in GAUSS]) for f in (shape, shape_x))  # (3, 4) of elements of 1 m


class Elements:
    """The elements of all wires of a grid, one after the other, in columns (1, n) for three Gauss points (3, n)."""

    def __init__(self, grid: Grid, conn: dict[str, np.ndarray]) -> None:
        at = {role: grid.elements(role) for role in conn}
        every = np.concatenate(list(at.values()))
        self.conn = np.concatenate(list(conn.values()))  # (n, 4): z, z′ of either end
        self.table = np.concatenate([grid.table[role][k] for role, k in at.items()]).T[:, None]
        self.ell, self.bow, self.size = grid.ell[every], grid.bow[every].T[:, None], grid.size
        self.scale = np.stack([np.ones_like(self.ell), self.ell] * 2)  # (4, n): what a slope's shape goes with

    def slope(self, q: np.ndarray, component: int) -> np.ndarray:
        """dz/dx or dy/dx at the Gauss points."""
        return np.asarray(_SHAPE_X @ (q[self.conn.T + component] * self.scale) / self.ell)

    def spread(self, load: np.ndarray, component: int) -> np.ndarray:
        """Nodal forces (size,) of loads at the Gauss points."""
        nodal = _SHAPE.T @ load * self.scale
        return np.bincount((self.conn.T + component).ravel(), nodal.ravel(), minlength=self.size)

    def stiffness(self) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Values, rows and columns of the constant part: tension and bending, vertically and sideways."""
        return self._stiffness_blocks(self.table[TENSION, 0], self.table[BENDING, 0])

    def tension_stiffness(self, mine: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """The same for a tension of 1 N in the chosen elements (n,), without bending."""
        return self._stiffness_blocks(mine.astype(float), np.zeros(self.ell.size))

    def _stiffness_blocks(self, H: np.ndarray, EI: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        blocks = wire_stiffness(self.ell, H, EI).ravel()
        row, column = np.repeat(self.conn, 4, axis=1).ravel(), np.tile(self.conn, (1, 4)).ravel()
        both = np.concatenate([row, row + Y]), np.concatenate([column, column + Y])
        return np.concatenate([blocks, blocks]), both


class Links:
    """The droppers of a grid as arrays, one entry each."""

    def __init__(self, grid: Grid) -> None:
        flat = [(s, link) for s, mesh in enumerate(grid.meshes) for link in mesh.links]
        self.n = len(flat)
        self.span = np.array([s for s, _ in flat], dtype=np.int64)
        self.ends = [(link.upper, link.lower) for _, link in flat]
        self.names = [f"{grid.names[s]} {link.label}" for s, link in flat]
        local = np.concatenate([mesh.link_station for mesh in grid.meshes])
        self.station = local + grid.starts[self.span]
        self.k = np.array([link.kind.stiffness for _, link in flat])
        self.height = np.array([link.height for _, link in flat])
        self.error = np.array([link.error for _, link in flat])
        self.given = np.array([link.length or np.nan for _, link in flat])  #: lengths, NaN: find it
        masses = [(k.mass_per_length, k.top_clamp_mass, k.bottom_clamp_mass) for k in (link.kind for _, link in flat)]
        self.mass = np.array(masses).reshape(-1, 3)
        wire = {role: k for k, role in enumerate(grid.roles)}
        wires = np.array([[wire[role] for role in ends] for ends in self.ends], dtype=np.int64).reshape(-1, 2)
        self.z = (self.station[:, None] * len(grid.roles) + wires) * 4 + Z  #: (n, 2) coordinates: top, bottom
        self.y = self.z + Y
