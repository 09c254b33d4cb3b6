"""Coordinates of consecutive spans of one tension length: free and fixed ones, and fixed values.

Every wire has (z, z′, y, y′) at every station; ``dof`` numbers them, ``free`` those that are not held. The ends of
a stitch wire share their z and y with the messenger.
"""

from __future__ import annotations

import math

import numpy as np

from panhead.engine.laws.hermite import shape, shape_x
from panhead.railway.line.layout import Post, roles_of
from panhead.railway.line.line_description import Wires
from panhead.railway.line.span_mesh import BENDING, MASS, SIDE, TENSION, SpanMesh
from panhead.railway.line.wire_elements import wire_stiffness

Z, Z_X, Y, Y_X = range(4)


class Grid:
    """Stations, elements and coordinates of consecutive spans."""

    def __init__(self, meshes: list[SpanMesh], names: list[str]) -> None:
        self.meshes, self.names = meshes, names
        self.wires = meshes[0].plan.wires
        self.roles = roles_of(self.wires)
        sizes = [mesh.x.size - 1 for mesh in meshes]
        self.starts = np.concatenate([[0], np.cumsum(sizes)])  #: station of every mast
        self.ell = np.concatenate([np.diff(mesh.x) for mesh in meshes])
        self.n = self.ell.size + 1  #: stations
        self.size = self.n * len(self.roles) * 4  #: coordinates
        self.table = {r: np.concatenate([mesh.wires[r] for mesh in meshes]) for r in self.roles}
        self.posts = [mesh.plan.left for mesh in meshes] + [meshes[-1].plan.right]
        self.contact = [role for role in self.roles if role.startswith("contact")]
        self.bow = np.concatenate([mesh.bow for mesh in meshes])  #: (n − 1, 3) of every element: κ_z, κ_y, φ
        loads = [self.table[role][:, SIDE].any() for role in self.roles]
        self.aside = bool(self.bow.any() or any(loads))  #: whether anything pulls sideways

    def dof(self, station: np.ndarray | int, role: str, component: int) -> np.ndarray:
        """Number of one coordinate of one wire at one or many stations."""
        wire = self.roles.index(role)
        return np.asarray((np.asarray(station) * len(self.roles) + wire) * 4 + component)

    def elements(self, role: str) -> np.ndarray:
        """The elements where a wire exists."""
        return np.flatnonzero(self.table[role][:, MASS] > 0)

    def present(self, role: str) -> np.ndarray:
        """(n,) bool: the stations where a wire exists."""
        there = self.table[role][:, MASS] > 0
        return np.append(there, False) | np.insert(there, 0, False)

    def straight(self) -> np.ndarray:
        """Initial guess of q: straight wires between the heights and staggers at the masts."""
        q = np.zeros(self.size)
        x = np.concatenate([[0.0], np.cumsum(self.ell)])
        for role in self.roles:
            ends = np.array([fixed_position(post, role, self.wires) for post in self.posts])
            for component, column in ((Z, 0), (Y, 1)):
                values = np.interp(x, x[self.starts], ends[:, column])
                q[self.dof(np.arange(self.n), role, component)] = values
        return q

    def free(self) -> np.ndarray:
        """The number of the free coordinate (−1: held) behind every coordinate."""
        free = np.zeros(self.size, dtype=bool)
        for role in self.roles:
            for component in (Z, Z_X, Y, Y_X):
                free[self.dof(np.flatnonzero(self.present(role)), role, component)] = True
        last = len(self.posts) - 1
        for mast, post in enumerate(self.posts):
            self._hold(free, int(self.starts[mast]), post, cut=mast in (0, last) and not post.anchor)
        ids = np.where(free, np.cumsum(free) - 1, -1)
        self._tie_stitch(ids)
        ids[ids >= 0] = np.unique(ids[ids >= 0], return_inverse=True)[1]
        return ids

    def _hold(self, free: np.ndarray, station: int, post: Post, *, cut: bool) -> None:
        """Coordinates fixed by a mast: the messenger (or a rail) in z and y, the others in y; an anchor fixes all.

        Where the spans are cut out of a longer row of equal ones the shape is level: z′ = 0.
        """
        for role in self.roles:
            if role != "stitch":
                free[self.dof(station, role, Y)] = False
            if role == self.wires.carrier or post.anchor:
                free[self.dof(station, role, Z)] = False
            if cut:
                free[self.dof(station, role, Z_X)] = False

    def _tie_stitch(self, ids: np.ndarray) -> None:
        if "stitch" not in self.roles:
            return
        there = self.table["stitch"][:, MASS] > 0
        ends = np.flatnonzero(there[1:] != there[:-1]) + 1
        for component in (Z, Y):
            ids[self.dof(ends, "stitch", component)] = ids[self.dof(ends, "messenger", component)]

    def place(self, station: int) -> str:
        """Name of a station for messages."""
        span = int(np.searchsorted(self.starts, station, side="right")) - 1
        span = min(max(span, 0), len(self.names) - 1)
        return f"{self.names[span]} at {self.meshes[span].x[station - self.starts[span]]:.2f} m"


def fixed_position(post: Post, role: str, wires: Wires) -> tuple[float, float]:
    """(z, y) of a wire at a mast."""
    height = {"contact": 0.0, "contact2": 0.0, "auxiliary": post.support.auxiliary_height or 0.0}.get(
        role, post.support.encumbrance
    )
    over = -math.sin(post.tilt) * height  # upright over the contact wire, not square to a canted track
    z = post.z_contact + post.lift + math.cos(post.tilt) * height
    if role in ("messenger", "stitch"):
        return z, post.y_messenger + over
    side = {"contact": -0.5, "contact2": 0.5}.get(role, 0.0) if wires.contact_count == 2 else 0.0
    return z, post.y_contact + over + side * wires.contact_spacing


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
