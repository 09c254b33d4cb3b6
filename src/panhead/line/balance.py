"""The equations of a strung tension length, and Newton's iteration on them.

Unknowns are (z, z′, y, y′) of every wire at every station and the force N of every dropper.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from panhead.errors import NotConverged
from panhead.kernels.wire import hermite, hermite_x, wire_stiffness
from panhead.line.description import Wires
from panhead.line.layout import Post, roles_of
from panhead.line.mesh import AXIAL, BENDING, MASS, TENSION, SpanMesh

_GAUSS = 0.5 + 0.5 * np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])
_WEIGHT = np.array([5.0, 8.0, 5.0]) / 18.0
_HEIGHT_SCALE = 1e4  # N/m: makes a height error comparable with the force errors beside it
_TOLERANCE = 1e-6  # N: forces are 10² … 10⁴ N, round-off of the stiffness terms about 1e-9 N


class Balance:
    """Consecutive spans of one tension length as one set of equations."""

    def __init__(self, meshes: list[SpanMesh], names: list[str]) -> None:
        self.meshes, self.names = meshes, names
        self.roles = roles_of(meshes[0].plan.wires)
        sizes = [mesh.x.size - 1 for mesh in meshes]
        self.starts = np.concatenate([[0], np.cumsum(sizes)])  #: station of every mast
        self.x_local = np.concatenate([mesh.x[:-1] for mesh in meshes] + [meshes[-1].x[-1:]])
        self.ell = np.concatenate([np.diff(mesh.x) for mesh in meshes])
        self.table = {r: np.concatenate([mesh.wires[r] for mesh in meshes]) for r in self.roles}
        self.posts = [mesh.plan.left for mesh in meshes] + [meshes[-1].plan.right]
        self.gravity = meshes[0].plan.gravity
        self._links()
        self.arm_pull = np.zeros(len(self.posts))
        self.tension = np.zeros(self.n_links)  #: N of every dropper [N]
        self._number()
        self._stiffness()

    # ---- droppers ------------------------------------------------------------------------------

    def _links(self) -> None:
        flat = [(s, link) for s, mesh in enumerate(self.meshes) for link in mesh.links]
        self.n_links = len(flat)
        self.link_span = np.array([s for s, _ in flat], dtype=np.int64)
        self.link_roles = [(link.upper, link.lower) for _, link in flat]
        self.link_names = [
            f"{self.names[s]} {'auxiliary ' if link.lower == 'auxiliary' else ''}dropper {link.number} at {link.x:g} m"
            for s, link in flat
        ]
        local = np.concatenate([mesh.link_station for mesh in self.meshes])
        self.link_station = local + self.starts[self.link_span]
        self.link_k = np.array([link.kind.stiffness for _, link in flat])
        self.link_height = np.array([link.height for _, link in flat])
        self.link_error = np.array([link.error for _, link in flat])
        self.given = np.array([np.nan if link.length is None else link.length for _, link in flat])
        self.wanted = np.isnan(self.given)
        self.by_height = np.full(self.n_links, True)  #: which equation each dropper uses now
        self.link_mass = np.array([
            (link.kind.mass_per_length, link.kind.top_clamp_mass, link.kind.bottom_clamp_mass) for _, link in flat
        ]).reshape(-1, 3)
        role = {name: r for r, name in enumerate(self.roles)}
        ends = np.array([[role[u], role[w]] for u, w in self.link_roles], dtype=np.int64).reshape(-1, 2)
        self.link_z = self._dof(self.link_station[:, None], ends, 0)  #: (n, 2) full dofs: top, bottom
        self.link_y = self._dof(self.link_station[:, None], ends, 2)

    def cut_lengths(self, *, errors: bool) -> None:
        """From now on every dropper has a length: the one given or the one found, plus its error."""
        L, _ = self.geometry()
        found = L - self.tension / self.link_k
        self.given = np.where(self.wanted, found, self.given)
        if errors:
            self.given = self.given + self.link_error
        self.by_height[:] = False

    def use_lengths(self) -> None:
        """Droppers with a length use it; the others keep the height wanted."""
        self.by_height = self.wanted.copy()

    # ---- numbering -----------------------------------------------------------------------------

    def _dof(self, station: np.ndarray | int, role: np.ndarray | int, component: int) -> np.ndarray:
        return np.asarray((np.asarray(station) * len(self.roles) + role) * 4 + component)

    def _number(self) -> None:
        """Which coordinates are free, and the value of those that are not."""
        n = len(self.x_local)
        self.q = np.zeros(n * len(self.roles) * 4)
        free = np.full(self.q.size, False)
        for r, role in enumerate(self.roles):
            present = self._present(role)
            for c in range(4):
                free[self._dof(np.flatnonzero(present), r, c)] = True
        self._guess()
        for mast, post in enumerate(self.posts):
            self._hold(free, int(self.starts[mast]), post, end=mast in (0, len(self.posts) - 1))
        ids = np.where(free, np.cumsum(free) - 1, -1)
        self._tie_stitch(ids)
        used, ids[ids >= 0] = np.unique(ids[ids >= 0], return_inverse=True)
        self.ids, self.n_free = ids, used.size

    def _present(self, role: str) -> np.ndarray:
        there = self.table[role][:, MASS] > 0
        return np.append(there, False) | np.insert(there, 0, False)

    def _guess(self) -> None:
        """Straight wires between the heights and staggers at the masts."""
        at = np.arange(len(self.x_local))
        x = np.concatenate([[0.0], np.cumsum(self.ell)])
        for r, role in enumerate(self.roles):
            ends = np.array([anchor_point(post, role, self.meshes[0].plan.wires) for post in self.posts])
            for c, column in ((0, 0), (2, 1)):
                self.q[self._dof(at, r, c)] = np.interp(x, x[self.starts], ends[:, column])

    def _hold(self, free: np.ndarray, station: int, post: Post, *, end: bool) -> None:
        """What a mast holds: messenger both ways, contact and auxiliary wire sideways; an anchor all.

        Where a run is cut between equal spans, the shape is level: z′ = 0.
        """
        for r, role in enumerate(self.roles):
            if role != "stitch":
                free[self._dof(station, r, 2)] = False
            if role == "messenger" or post.anchor:
                free[self._dof(station, r, 0)] = False
            if end and not post.anchor:
                self.q[self._dof(station, r, 1)] = 0.0
                free[self._dof(station, r, 1)] = False

    def _tie_stitch(self, ids: np.ndarray) -> None:
        """The ends of a stitch wire move with the messenger."""
        if "stitch" not in self.roles:
            return
        s, m = self.roles.index("stitch"), self.roles.index("messenger")
        there = self.table["stitch"][:, MASS] > 0
        ends = np.flatnonzero(there[1:] != there[:-1]) + 1
        for c in (0, 2):
            ids[self._dof(ends, s, c)] = ids[self._dof(ends, m, c)]

    # ---- equations -----------------------------------------------------------------------------

    def _stiffness(self) -> None:
        """The constant part of the matrix: tension and bending of every wire, both directions."""
        rows, cols, values = [], [], []
        work = np.empty((4, 4))
        self.conn: dict[str, np.ndarray] = {}
        for r, role in enumerate(self.roles):
            elements = np.flatnonzero(self.table[role][:, MASS] > 0)
            left = self._dof(elements, r, 0)
            right = self._dof(elements + 1, r, 0)
            self.conn[role] = np.stack([left, left + 1, right, right + 1], axis=1)  # z; y is 2 further
            blocks = np.empty((elements.size, 4, 4))
            for k, e in enumerate(elements):
                wire_stiffness(self.ell[e], self.table[role][e, TENSION], self.table[role][e, BENDING], work)
                blocks[k] = work
            for shift in (0, 2):
                conn = self.conn[role] + shift
                rows.append(np.repeat(conn, 4, axis=1).ravel())
                cols.append(np.tile(conn, (1, 4)).ravel())
                values.append(blocks.ravel())
        n = self.q.size
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(cols)))
        self.K = sp.csr_matrix(entries, shape=(n, n))
        keep = self.ids >= 0
        self.P = sp.csr_matrix(
            (np.ones(keep.sum()), (np.flatnonzero(keep), self.ids[keep])), shape=(n, self.n_free)
        )  #: q = q_fixed + P u
        self.K_free = (self.P.T @ self.K @ self.P).tocsc()

    def geometry(self) -> tuple[np.ndarray, np.ndarray]:
        """Stretched length of every dropper, and its direction (z, y) from bottom to top."""
        dz = self.q[self.link_z[:, 0]] - self.q[self.link_z[:, 1]]
        dy = self.q[self.link_y[:, 0]] - self.q[self.link_y[:, 1]]
        L = np.hypot(dz, dy)
        return L, np.stack([dz, dy], axis=1) / np.maximum(L, 1e-9)[:, None]

    def weight(self) -> np.ndarray:
        """Nodal forces of gravity: wires by their arc, droppers and clamps, hard spots, arms (full)."""
        f = np.zeros_like(self.q)
        N, N_x = np.empty(4), np.empty(4)
        for role, conn in self.conn.items():
            elements = np.flatnonzero(self.table[role][:, MASS] > 0)
            table, ell = self.table[role][elements], self.ell[elements]
            for xi, share in zip(_GAUSS, _WEIGHT, strict=True):
                hermite_x(xi, 1.0, N_x)
                hermite(xi, 1.0, N)
                grow = np.stack([np.ones_like(ell), ell, np.ones_like(ell), ell], axis=1)
                slopes = [np.sum(self.q[conn + shift] * N_x * grow, axis=1) / ell for shift in (0, 2)]
                s_x = np.sqrt(1.0 + slopes[0] ** 2 + slopes[1] ** 2)
                stretch = 1.0 + table[:, TENSION] * s_x / table[:, AXIAL]
                load = share * ell * table[:, MASS] * self.gravity * s_x / stretch
                np.add.at(f, conn, -(load[:, None] * N * grow))
        self._add_point_weights(f)
        return f

    def _add_point_weights(self, f: np.ndarray) -> None:
        L, _ = self.geometry()
        half = 0.5 * self.link_mass[:, 0] * L
        np.add.at(f, self.link_z[:, 0], -self.gravity * (half + self.link_mass[:, 1]))
        np.add.at(f, self.link_z[:, 1], -self.gravity * (half + self.link_mass[:, 2]))
        contact = [r for r, role in enumerate(self.roles) if role.startswith("contact")]
        for s, mesh in enumerate(self.meshes):
            for station, (_, mass, _) in zip(mesh.spot_station, mesh.plan.spots, strict=True):
                dofs = [self._dof(station + self.starts[s], r, 0) for r in contact]
                f[dofs] -= self.gravity * mass / len(contact)
        for mast, post in enumerate(self.posts):
            arm = post.support.steady_arm
            if arm is not None and not post.anchor:
                lift = self.arm_pull[mast] * arm.rise / np.sqrt(arm.length**2 - arm.rise**2)
                dofs = [self._dof(self.starts[mast], r, 0) for r in contact]
                f[dofs] += (lift - 0.5 * arm.mass * self.gravity) / len(contact)

    def residual(self) -> tuple[np.ndarray, np.ndarray]:
        """Unbalanced force at every free coordinate, and what is wrong at every dropper [N]."""
        L, n = self.geometry()
        f = self.K @ self.q - self.weight()
        pull = self.tension[:, None] * n
        for c, dofs in ((0, self.link_z), (1, self.link_y)):
            np.add.at(f, dofs[:, 0], pull[:, c])
            np.add.at(f, dofs[:, 1], -pull[:, c])
        self._measure_arms(f)
        height = _HEIGHT_SCALE * (self.q[self.link_z[:, 1]] - self.link_height)
        force = self.tension - np.maximum(0.0, self.link_k * (L - np.nan_to_num(self.given)))
        return self.P.T @ f, np.where(self.by_height, height, force)

    def _measure_arms(self, f: np.ndarray) -> None:
        contact = [r for r, role in enumerate(self.roles) if role.startswith("contact")]
        for mast, station in enumerate(self.starts):
            self.arm_pull[mast] = abs(sum(f[self._dof(station, r, 2)] for r in contact))

    def tangent(self) -> sp.csc_matrix:
        """Derivative of the residual; the tiny change of the arc's weight with slope is left out."""
        L, n = self.geometry()
        dofs = np.concatenate([self.link_z, self.link_y], axis=1)  # (n, 4): z top, z bottom, y top, y bottom
        sign = np.array([1.0, -1.0])
        along = np.concatenate([n[:, :1] * sign, n[:, 1:] * sign], axis=1)  # dL/dq
        across = np.concatenate([n[:, 1:] * sign, -n[:, :1] * sign], axis=1)
        G = (self.tension / np.maximum(L, 1e-9))[:, None, None] * across[:, :, None] * across[:, None, :]
        size = self.q.size
        geo = sp.csr_matrix(
            (G.ravel(), (np.repeat(dofs, 4, axis=1).ravel(), np.tile(dofs, (1, 4)).ravel())), shape=(size, size)
        )
        k = np.repeat(np.arange(self.n_links), 4)
        push = sp.csr_matrix((along.ravel(), (dofs.ravel(), k)), shape=(size, self.n_links))
        taut = ~self.by_height & (L > np.nan_to_num(self.given))
        stretch = np.where(taut, -self.link_k, 0.0)[:, None] * along
        level = np.zeros_like(along)
        level[:, 1] = _HEIGHT_SCALE
        rows = np.where(self.by_height[:, None], level, stretch)
        measure = sp.csr_matrix((rows.ravel(), (k, dofs.ravel())), shape=(self.n_links, size))
        corner = sp.diags(np.where(self.by_height, 0.0, 1.0))
        return sp.bmat([[self.K_free + self.P.T @ geo @ self.P, self.P.T @ push], [measure @ self.P, corner]],
                       format="csc")

    # ---- answers -------------------------------------------------------------------------------

    def shape(self, role: str) -> np.ndarray:
        """(ns, 4): z, z′, y, y′ of one wire; NaN where it is absent."""
        r = self.roles.index(role)
        values = self.q.reshape(-1, len(self.roles), 4)[:, r].copy()
        values[~self._present(role)] = np.nan
        return values

    def place(self, station: int) -> str:
        """A station in words."""
        s = int(np.clip(np.searchsorted(self.starts, station, side="right") - 1, 0, len(self.names) - 1))
        return f"{self.names[s]} at {self.meshes[s].x[station - self.starts[s]]:.2f} m"

    def worst(self, r: np.ndarray, r_link: np.ndarray) -> str:
        """The equation with the largest residual, in words."""
        if r_link.size and np.abs(r_link).max() > np.abs(r).max():
            return self.link_names[int(np.argmax(np.abs(r_link)))]
        full = int(np.flatnonzero(self.ids == int(np.argmax(np.abs(r))))[0])
        node = full // 4
        return f"{self.roles[node % len(self.roles)]} wire, {self.place(node // len(self.roles))}"


def anchor_point(post: Post, role: str, wires: Wires) -> tuple[float, float]:
    """(z, y) of a wire at a mast."""
    contact = post.z_contact + post.lift
    above = {"contact": 0.0, "contact2": 0.0, "auxiliary": post.support.auxiliary_height or 0.0}
    z = contact + above.get(role, post.support.encumbrance)
    if role in ("messenger", "stitch"):
        return z, post.y_messenger
    side = {"contact": -0.5, "contact2": 0.5}.get(role, 0.0) if wires.contact_count == 2 else 0.0
    return z, post.y_contact + side * wires.contact_spacing


def solve(balance: Balance, *, max_iterations: int = 40) -> None:
    """Newton's iteration until every force balances to 1e-6 N."""
    for _ in range(max_iterations):
        r, r_link = balance.residual()
        worst = max(np.abs(r).max(initial=0.0), np.abs(r_link).max(initial=0.0))
        if worst < _TOLERANCE:
            return
        step = splu(balance.tangent()).solve(np.concatenate([r, r_link]))
        balance.q -= balance.P @ step[: balance.n_free]
        balance.tension = balance.tension - step[balance.n_free :]
    raise NotConverged(
        f"stringing stopped with {worst:.2e} N out of balance after {max_iterations} iterations; largest: "
        f"{balance.worst(r, r_link)}. Check that part's lengths, tensions and heights first."
    )
