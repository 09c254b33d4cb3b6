"""The equations of a strung tension length, and Newton's iteration on them.

Unknowns are (z, z′, y, y′) of every wire at every station and the force N of every dropper; the
equations are in ``panhead.line.stringing``.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import splu

from panhead.errors import ModelError, NotConverged
from panhead.laws.dropper import tension
from panhead.laws.hermite import shape, shape_x
from panhead.line.elements import wire_stiffness
from panhead.line.grid import Grid, Y, Z
from panhead.line.mesh import AXIAL, BENDING, MASS, SIDE, TENSION, SpanMesh

_GAUSS = 0.5 + 0.5 * np.array([-np.sqrt(0.6), 0.0, np.sqrt(0.6)])
_WEIGHT = np.array([5.0, 8.0, 5.0]) / 18.0
_HEIGHT_SCALE = 1e4  # N/m: makes a height error comparable with the force errors beside it
_ROUGH = 1e-5  # N: where short, stiff elements round more than that, no more is asked for
_TOLERANCE = 1e-8  # N: forces are 10² … 10⁴ N, round-off of the stiffness terms about 1e-10 N

_FAST = 0.05  # of the forces out of balance may be left by a step with the factors of an earlier one
_LOST = 1e12  # N out of balance: no wire is near its place any more


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
        places = list(zip(self.station, self.ends, strict=True))
        self.z = np.array(  #: (n, 2) coordinates: top, bottom
            [[grid.dof(i, role, Z) for role in ends] for i, ends in places], dtype=np.int64
        ).reshape(-1, 2)
        self.y = self.z + Y


class Balance:
    """Consecutive spans of one tension length as one set of equations, and their current state."""

    def __init__(self, meshes: list[SpanMesh], names: list[str]) -> None:
        self.grid = grid = Grid(meshes, names)
        self.links = Links(grid)
        self.gravity = meshes[0].plan.gravity
        self.q = grid.straight()
        self.P, self.ids = grid.placement()
        self.tension = np.zeros(self.links.n)  #: N of every dropper [N]
        self.given = self.links.given.copy()  #: lengths in use [m]
        self.wanted = np.isnan(self.given)
        self.by_height = np.ones(self.links.n, dtype=bool)  #: the equation each dropper uses now
        self.arm_pull = np.zeros(len(grid.posts))  #: lateral pull at every mast [N]
        self.conn = {
            role: np.stack([grid.dof(e := grid.elements(role), role, Z), grid.dof(e, role, Z) + 1,
                            grid.dof(e + 1, role, Z), grid.dof(e + 1, role, Z) + 1], axis=1)
            for role in grid.roles
        }  # fmt: skip
        self.K = self._stiffness()
        self.K_free = (self.P.T @ self.K @ self.P).tocsc()

    def use_lengths(self) -> None:
        """Droppers with a given length use it; the others keep the height wanted."""
        self.by_height = self.wanted.copy()

    def cut_lengths(self) -> None:
        """From now on every dropper has a length, the one given or found, plus its error."""
        L, _ = self.geometry()
        found = L - self.tension / self.links.k
        self.given = np.where(self.wanted, found, self.given) + self.links.error
        self.by_height[:] = False

    def _stiffness(self) -> sp.csr_matrix:
        """The constant part: tension and bending of every wire, vertically and sideways."""
        rows, cols, values = [], [], []
        for role, conn in self.conn.items():
            elements = self.grid.elements(role)
            table = self.grid.table[role][elements]
            blocks = wire_stiffness(self.grid.ell[elements], table[:, TENSION], table[:, BENDING])
            for places in (conn, conn + Y):
                rows.append(np.repeat(places, 4, axis=1).ravel())
                cols.append(np.tile(places, (1, 4)).ravel())
                values.append(blocks.ravel())
        entries = (np.concatenate(values), (np.concatenate(rows), np.concatenate(cols)))
        return sp.csr_matrix(entries, shape=(self.grid.size, self.grid.size))

    def geometry(self) -> tuple[np.ndarray, np.ndarray]:
        """Stretched length of every dropper, and its direction (z, y) from bottom to top."""
        links = self.links
        dz = self.q[links.z[:, 0]] - self.q[links.z[:, 1]]
        dy = self.q[links.y[:, 0]] - self.q[links.y[:, 1]]
        L = np.hypot(dz, dy)
        return L, np.stack([dz, dy], axis=1) / np.maximum(L, 1e-9)[:, None]

    def weight(self) -> np.ndarray:
        """Nodal forces of gravity: wires by their arc, droppers, clamps, hard spots, arms."""
        f = np.zeros_like(self.q)
        for role, conn in self.conn.items():
            elements = self.grid.elements(role)
            table, ell = self.grid.table[role][elements], self.grid.ell[elements]
            scale = np.stack([np.ones_like(ell), ell, np.ones_like(ell), ell], axis=1)
            for xi, share in zip(_GAUSS, _WEIGHT, strict=True):
                N, N_x = shape(xi, 1.0), shape_x(xi, 1.0)
                z_x = np.sum(self.q[conn] * N_x * scale, axis=1) / ell
                y_x = np.sum(self.q[conn + Y] * N_x * scale, axis=1) / ell
                s_x = np.sqrt(1.0 + y_x**2 + z_x**2)
                stretch = 1.0 + table[:, TENSION] * s_x / table[:, AXIAL]
                load = share * ell * table[:, MASS] * self.gravity * s_x / stretch
                if self.grid.aside:
                    self._pull_aside(f, role, load, share, np.asarray(N * scale))
                else:
                    np.add.at(f, conn, -load[:, None] * N * scale)
        self._add_point_weights(f)
        return f

    def _pull_aside(self, f: np.ndarray, role: str, load: np.ndarray, share: float, N: np.ndarray) -> None:
        """Weight in the leaning axes of the track, the pull into a curve, wind: one Gauss point of all elements."""
        elements, conn = self.grid.elements(role), self.conn[role]
        table, ell = self.grid.table[role][elements], self.grid.ell[elements]
        kappa_z, kappa_y, phi = self.grid.bow[elements].T
        up = share * ell * table[:, TENSION] * kappa_z - load * np.cos(phi)
        left = share * ell * (table[:, TENSION] * kappa_y + table[:, SIDE]) + load * np.sin(phi)
        np.add.at(f, conn, up[:, None] * N)
        np.add.at(f, conn + Y, left[:, None] * N)

    def _lean(self, f: np.ndarray, before: np.ndarray) -> None:
        """Turn the weights added to f since ``before`` into the leaning axes of the track."""
        phi = np.append(self.grid.bow[:, 2], self.grid.bow[-1:, 2])
        added = (f - before).reshape(self.grid.n, -1, 4)
        turned = before.reshape(added.shape).copy()
        turned[:, :, Z] += added[:, :, Z] * np.cos(phi)[:, None]
        turned[:, :, Y] -= added[:, :, Z] * np.sin(phi)[:, None]
        f[:] = turned.ravel()

    def _add_point_weights(self, f: np.ndarray) -> None:
        grid, links, before = self.grid, self.links, f.copy() if self.grid.aside else f
        half = 0.5 * links.mass[:, 0] * self.geometry()[0]
        np.add.at(f, links.z[:, 0], -self.gravity * (half + links.mass[:, 1]))
        np.add.at(f, links.z[:, 1], -self.gravity * (half + links.mass[:, 2]))
        share = 1.0 / len(grid.contact)
        for start, mesh in zip(grid.starts[:-1], grid.meshes, strict=True):
            for station, (_, mass, _) in zip(mesh.spot_station, mesh.plan.spots, strict=True):
                for role in grid.contact:
                    f[grid.dof(station + start, role, Z)] -= self.gravity * mass * share
        if grid.aside:
            self._lean(f, before)
        for mast, post in enumerate(grid.posts):
            arm = post.support.steady_arm
            if arm is not None and not post.anchor:
                lift = self.arm_pull[mast] * arm.rise / np.sqrt(arm.length**2 - arm.rise**2)
                for role in grid.contact:
                    force = lift - 0.5 * arm.mass * self.gravity
                    f[grid.dof(grid.starts[mast], role, Z)] += force * share

    def reaction(self) -> np.ndarray:
        """What must hold every coordinate (size,): at rest zero where it is free, a support's force where held [N]."""
        _, n = self.geometry()
        f = self.K @ self.q
        free = f - self.weight() if self.grid.aside else f  # what pulls aside does not depend on the arms
        pull = sum(free[self.grid.dof(self.grid.starts, role, Y)] for role in self.grid.contact)
        self.arm_pull = np.abs(np.asarray(pull))  # no dropper hangs at a mast
        f -= self.weight()
        for c, dofs in enumerate((self.links.z, self.links.y)):
            np.add.at(f, dofs[:, 0], self.tension * n[:, c])
            np.add.at(f, dofs[:, 1], -self.tension * n[:, c])
        return np.asarray(f)

    def residual(self) -> tuple[np.ndarray, np.ndarray]:
        """Unbalanced force at every free coordinate, and what is wrong at every dropper [N]."""
        L, _ = self.geometry()
        f = self.reaction()
        height = _HEIGHT_SCALE * (self.q[self.links.z[:, 1]] - self.links.height)
        force = self.tension - tension(self.links.k * (L - np.nan_to_num(self.given)), 0.0)
        return self.P.T @ f, np.where(self.by_height, height, force)

    def tangent(self) -> sp.csc_matrix:
        """Derivative of the residual, without the tiny change of the arc's weight with slope."""
        (L, n), links, size = self.geometry(), self.links, self.grid.size
        dofs = np.concatenate([links.z, links.y], axis=1)  # z top, z bottom, y top, y bottom
        nz, ny = n[:, :1], n[:, 1:]
        along = np.concatenate([nz, -nz, ny, -ny], axis=1)  # dL/dq
        across = np.concatenate([ny, -ny, -nz, nz], axis=1)
        pull = self.tension / np.maximum(L, 1e-9)
        G = pull[:, None, None] * across[:, :, None] * across[:, None, :]
        where = (np.repeat(dofs, 4, axis=1).ravel(), np.tile(dofs, (1, 4)).ravel())
        geometric = sp.csr_matrix((G.ravel(), where), shape=(size, size))
        number = np.repeat(np.arange(links.n), 4)
        push = sp.csr_matrix((along.ravel(), (dofs.ravel(), number)), shape=(size, links.n))
        taut = np.nan_to_num(self.given) < L
        level = np.array([0.0, _HEIGHT_SCALE, 0.0, 0.0])
        rows = np.where(self.by_height[:, None], level, -(links.k * taut)[:, None] * along)
        measure = sp.csr_matrix((rows.ravel(), (number, dofs.ravel())), shape=(links.n, size))
        corner = sp.diags(np.where(self.by_height, 0.0, 1.0))
        stiffness = self.K_free + self.P.T @ geometric @ self.P
        blocks = [[stiffness, self.P.T @ push], [measure @ self.P, corner]]
        return sp.bmat(blocks, format="csc")

    def shape(self, role: str) -> np.ndarray:
        """(n, 4): z, z′, y, y′ of one wire; NaN where it is absent."""
        values = self.q.reshape(self.grid.n, -1, 4)[:, self.grid.roles.index(role)].copy()
        values[~self.grid.present(role)] = np.nan
        return values

    def worst(self, r: np.ndarray, r_link: np.ndarray) -> str:
        """The equation with the largest residual, in words."""
        if r_link.size and np.abs(r_link).max() > np.abs(r).max():
            return self.links.names[int(np.argmax(np.abs(r_link)))]
        node = int(np.flatnonzero(self.ids == int(np.argmax(np.abs(r))))[0]) // 4
        station, wire = divmod(node, len(self.grid.roles))
        return f"{self.grid.roles[wire]} wire, {self.grid.place(station)}"


def _unbalanced(balance: Balance) -> ModelError:
    """Why no state of balance is found: wires that meet, as a rule."""
    dz = balance.q[balance.links.z[:, 0]] - balance.q[balance.links.z[:, 1]]
    if dz.size and not dz.min() > 0.0:
        k = int(np.argmin(dz))
        upper, lower = balance.links.ends[k]
        return ModelError(
            f"{balance.links.names[k]}: cannot be strung, the {upper} wire sinks to the {lower} wire there; "
            "give more encumbrance or more tension"
        )
    return ModelError(
        f"{balance.grid.names[0]} cannot be strung: nothing balances its weights. Check tensions, masses and heights"
    )


def solve(balance: Balance, *, max_iterations: int = 40) -> None:
    """Newton's iteration until every force balances to 1e-8 N; factors serve as long as they bring it closer fast."""
    before, factors = np.inf, None
    for _ in range(max_iterations):
        r, r_link = balance.residual()
        worst = max(np.abs(r).max(initial=0.0), np.abs(r_link).max(initial=0.0))
        if worst < _TOLERANCE or (worst < _ROUGH and worst > 0.5 * before):
            return
        if not worst < _LOST:
            raise _unbalanced(balance)
        if factors is None or worst > _FAST * before:
            try:
                factors = splu(balance.tangent())
            except RuntimeError:  # SuperLU's word for a singular matrix
                raise _unbalanced(balance) from None
        before = worst
        step = factors.solve(np.concatenate([r, r_link]))
        balance.q -= balance.P @ step[: r.size]
        balance.tension = balance.tension - step[r.size :]
    raise NotConverged(
        f"stringing stopped with {worst:.2e} N out of balance after {max_iterations} iterations; "
        f"largest: {balance.worst(r, r_link)}. Check that part's lengths, tensions and heights."
    )
