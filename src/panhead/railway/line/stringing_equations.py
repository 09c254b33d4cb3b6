"""Equilibrium equations of a tension length, and Newton's iteration on them.

Unknowns are (z, z′, y, y′) of every wire at every station and the force N of every dropper; the
equations are in ``panhead.railway.line.stringing``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import SuperLU, splu

from panhead.engine.laws.unilateral_spring import tension
from panhead.errors import ModelError, NotConverged
from panhead.railway.line.span_grid import WEIGHT, Elements, Grid, Links, Y, Z
from panhead.railway.line.span_mesh import AXIAL, MASS, SIDE, TENSION, SpanMesh

_HEIGHT_SCALE = 1e4  # N/m: makes a height error comparable with the force errors beside it
_ROUGH = 1e-5  # N: where short, stiff elements round more than that, no more is asked for
_TOLERANCE = 1e-8  # N: forces are 10² … 10⁴ N, round-off of the stiffness terms about 1e-10 N

_FAST = 0.05  # of the forces out of balance may be left by a step with the factors of an earlier one
_LOST = 1e12  # N out of balance: no wire is near its place any more


class Balance:
    """Consecutive spans of one tension length as one set of equations, and their current state."""

    def __init__(self, meshes: list[SpanMesh], names: list[str]) -> None:
        self.grid = grid = Grid(meshes, names)
        self.links = Links(grid)
        self.gravity = meshes[0].plan.gravity
        self.q = grid.straight()
        self.ids = grid.free()
        self._places, self._count = np.flatnonzero(self.ids >= 0), int(self.ids.max(initial=-1)) + 1
        self.tension = np.zeros(self.links.n)  #: N of every dropper [N]
        self.given = self.links.given.copy()  #: lengths in use [m]
        self.wanted = np.isnan(self.given)
        self.by_height = self.wanted.copy()  #: the equation each dropper uses now: a height, or a length
        self.arm_pull = np.zeros(len(grid.posts))  #: lateral pull at every mast [N]
        self.conn = {
            role: np.stack([grid.dof(e := grid.elements(role), role, Z), grid.dof(e, role, Z) + 1,
                            grid.dof(e + 1, role, Z), grid.dof(e + 1, role, Z) + 1], axis=1)
            for role in grid.roles
        }  # fmt: skip
        self._of = Elements(grid, self.conn)
        self.K = sp.csr_matrix(self._of.stiffness(), shape=(grid.size, grid.size))
        self.steady_arms = self._steady_arms()  #: mast, coordinate, lift over pull, mass

    @cached_property
    def P(self) -> sp.csr_matrix:
        """Map from free coordinates to all coordinates: q = q_held + P u."""
        entries = np.ones(self._places.size), (self._places, self.ids[self._places])
        return sp.csr_matrix(entries, shape=(self.grid.size, self._count))

    def tension_stiffness(self, role: str) -> sp.csr_matrix:
        """∂K/∂H of one wire (both of two contact wires), (size, size) [1/m]."""
        mine = np.concatenate([np.full(len(c), r.rstrip("2") == role) for r, c in self.conn.items()])
        return sp.csr_matrix(self._of.tension_stiffness(mine), shape=self.K.shape)

    def pull_tighter(self, changes: Mapping[str, float]) -> None:
        """Change the tensions of wires, by role [N]; the state is left for ``solve``."""
        for role, own in self.grid.table.items():
            own[own[:, MASS] > 0, TENSION] += changes.get(role.rstrip("2"), 0.0)
        self._of = Elements(self.grid, self.conn)
        self.K = sp.csr_matrix(self._of.stiffness(), shape=self.K.shape)

    def cut_lengths(self) -> None:
        """Fix the length of every dropper, given or found, plus its error."""
        L, _ = self.geometry()
        found = L - self.tension / self.links.k
        self.given = np.where(self.wanted, found, self.given) + self.links.error
        self.by_height[:] = False

    def geometry(self) -> tuple[np.ndarray, np.ndarray]:
        """Stretched length of every dropper, and its direction (z, y) from bottom to top."""
        links = self.links
        dz = self.q[links.z[:, 0]] - self.q[links.z[:, 1]]
        dy = self.q[links.y[:, 0]] - self.q[links.y[:, 1]]
        L = np.hypot(dz, dy)
        return L, np.stack([dz, dy], axis=1) / np.maximum(L, 1e-9)[:, None]

    def weight(self) -> np.ndarray:
        """Nodal forces of gravity: wires by their arc, droppers, clamps, hard spots, arms."""
        of, share = self._of, WEIGHT[:, None] * self._of.ell
        s_x = np.sqrt(1.0 + of.slope(self.q, Y) ** 2 + of.slope(self.q, Z) ** 2)
        load = share * of.table[MASS] * self.gravity * s_x / (1.0 + of.table[TENSION] * s_x / of.table[AXIAL])
        if not self.grid.aside:
            f = of.spread(-load, Z)
        else:  # in the leaning axes of the track, with the pull into a curve and wind
            kappa_z, kappa_y, phi = of.bow
            f = of.spread(share * of.table[TENSION] * kappa_z - load * np.cos(phi), Z)
            f += of.spread(share * (of.table[TENSION] * kappa_y + of.table[SIDE]) + load * np.sin(phi), Y)
        self._add_point_weights(f)
        return f

    def _lean(self, f: np.ndarray, before: np.ndarray) -> None:
        """Rotate the weights added to f since ``before`` into the canted axes of the track."""
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
        mast, dof, leverage, arms = self.steady_arms
        np.add.at(f, dof, (self.arm_pull[mast] * leverage - 0.5 * arms * self.gravity) * share)

    def _steady_arms(self) -> tuple[np.ndarray, ...]:
        """Yield mast, coordinate, lift over lateral pull and mass [kg] of every steady arm and contact wire."""
        arms = [(m, p.support.steady_arm) for m, p in enumerate(self.grid.posts) if not p.anchor]
        found = [
            (m, self.grid.dof(self.grid.starts[m], role, Z), arm.rise / np.sqrt(arm.length**2 - arm.rise**2), arm.mass)
            for m, arm in arms
            if arm is not None
            for role in self.grid.contact
        ]
        columns = np.array(found, dtype=float).reshape(-1, 4).T
        return columns[0].astype(np.int64), columns[1].astype(np.int64), columns[2], columns[3]

    def reaction(self) -> np.ndarray:
        """Reaction at every coordinate (size,) [N]: zero in equilibrium where free, a support's force where fixed."""
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
        """Unbalanced force at every free coordinate, and residual of every dropper equation [N]."""
        L, _ = self.geometry()
        f = self.reaction()
        height = _HEIGHT_SCALE * (self.q[self.links.z[:, 1]] - self.links.height)
        force = self.tension - tension(self.links.k * (L - np.nan_to_num(self.given)), 0.0)
        free = np.bincount(self.ids[self._places], f[self._places], minlength=self._count)
        return free, np.where(self.by_height, height, force)

    def move(self, step: np.ndarray, pull: np.ndarray) -> None:
        """Take a step of Newton's iteration: free coordinates, dropper forces."""
        self.q[self._places] -= step[self.ids[self._places]]
        self.tension = self.tension - pull

    def tangent(self) -> sp.csc_matrix:
        """Derivative of the residual, without the tiny change of the arc's weight with slope."""
        (L, n), links = self.geometry(), self.links
        dofs = np.concatenate([links.z, links.y], axis=1)  # z top, z bottom, y top, y bottom
        nz, ny = n[:, :1], n[:, 1:]
        along = np.concatenate([nz, -nz, ny, -ny], axis=1)  # dL/dq
        across = np.concatenate([ny, -ny, -nz, nz], axis=1)
        pull = self.tension / np.maximum(L, 1e-9)
        G = pull[:, None, None] * across[:, :, None] * across[:, None, :]
        taut = np.nan_to_num(self.given) < L
        level = np.array([0.0, _HEIGHT_SCALE, 0.0, 0.0])
        measure = np.where(self.by_height[:, None], level, -(links.k * taut)[:, None] * along)
        u, count = self.ids[dofs], self._count
        number = np.repeat(count + np.arange(links.n)[:, None], 4, axis=1)
        values, (rows, columns) = self._of.stiffness()
        blocks = [
            (values, self.ids[rows], self.ids[columns]),
            (G, np.repeat(u, 4, axis=1), np.tile(u, (1, 4))),
            (along, u, number),
            (measure, number, u),
            (np.where(self.by_height, 0.0, 1.0), number[:, 0], number[:, 0]),
        ]
        entries, row, column = (np.concatenate([part.ravel() for part in parts]) for parts in zip(*blocks, strict=True))
        there = (row >= 0) & (column >= 0)
        size = count + links.n
        return sp.csc_matrix((entries[there], (row[there], column[there])), shape=(size, size))

    def shape(self, role: str) -> np.ndarray:
        """(n, 4): z, z′, y, y′ of one wire; NaN where it is absent."""
        values = self.q.reshape(self.grid.n, -1, 4)[:, self.grid.roles.index(role)].copy()
        values[~self.grid.present(role)] = np.nan
        return values

    def worst(self, r: np.ndarray, r_link: np.ndarray) -> str:
        """Name of the equation with the largest residual."""
        if r_link.size and np.abs(r_link).max() > np.abs(r).max():
            return self.links.names[int(np.argmax(np.abs(r_link)))]
        node = int(np.flatnonzero(self.ids == int(np.argmax(np.abs(r))))[0]) // 4
        station, wire = divmod(node, len(self.grid.roles))
        return f"{self.grid.roles[wire]} wire, {self.grid.place(station)}"


def _unbalanced_error(balance: Balance) -> ModelError:
    """Error that explains why there is no equilibrium: usually wires that touch."""
    dz = balance.q[balance.links.z[:, 0]] - balance.q[balance.links.z[:, 1]]
    if dz.size and not dz.min() > 0.0:
        k = int(np.argmin(dz))
        upper, lower = balance.links.ends[k]
        return ModelError(
            f"{balance.links.names[k]}: no equilibrium: the {upper} wire sags down to the {lower} wire there; "
            "give more encumbrance or more tension"
        )
    return ModelError(
        f"{balance.grid.names[0]} has no equilibrium under its weight. Check tensions, masses and heights"
    )


def solve(balance: Balance, factors: SuperLU | None = None, *, max_iterations: int = 40) -> None:
    """Iterate by Newton's method until every force balances to 1e-8 N; factors are reused while convergence is fast.

    factors: of the tangent at a state nearby, to begin with.
    """
    before = np.inf
    for _ in range(max_iterations):
        r, r_link = balance.residual()
        worst = max(np.abs(r).max(initial=0.0), np.abs(r_link).max(initial=0.0))
        if worst < _TOLERANCE or (worst < _ROUGH and worst > 0.5 * before):
            return
        if not worst < _LOST:
            raise _unbalanced_error(balance)
        if factors is None or worst > _FAST * before:
            try:
                factors = splu(balance.tangent(), relax=1, panel_size=1)  # wires: columns have little in common
            except RuntimeError:  # SuperLU's word for a singular matrix
                raise _unbalanced_error(balance) from None
        before = worst
        step = factors.solve(np.concatenate([r, r_link]))
        balance.move(step[: r.size], step[r.size :])
    raise NotConverged(
        f"stringing stopped with {worst:.2e} N out of balance after {max_iterations} iterations; "
        f"largest: {balance.worst(r, r_link)}. Check that part's lengths, tensions and heights."
    )
