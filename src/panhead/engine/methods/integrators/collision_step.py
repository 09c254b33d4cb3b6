"""One step of a system whose shapes meet: overlaps removed, impacts at its beginning, then motion under contact."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, final

import numpy as np

from panhead.engine.kernels.cone_sweeps import solve_cones
from panhead.engine.kernels.contact_rows_of_pairs import ROWS, ContactMaps, add_maps, add_responses, velocities
from panhead.engine.kernels.warm_impulses import carry_over
from panhead.engine.methods.component_blocks import ComponentBlocks
from panhead.engine.methods.cone_newton import FIRST_WEIGHT, cone_problem, improve
from panhead.engine.methods.contact_patches import plane_values, points_at_one_height
from panhead.engine.methods.impacts import NoContacts
from panhead.engine.methods.integrators.nonsmooth_step import NonsmoothStep, StepState
from panhead.engine.system import CollisionTerms, System, TouchingShapes, Vector
from panhead.errors import NotConverged

if TYPE_CHECKING:
    from panhead.engine.methods.integrators.collision_method import ContactStepping

_ROUND = 24  # sweeps between which Newton's method tries
_MOST = 12  # iterations of Newton's method over the smooth terms
_SETTLED = 1e-10  # relative change of the rates at which they end
_CLOSING = 1e-7  # [m/s]: what closes slower does not strike
_UNSOLVED = 1e-3  # residual above which impulses are refused
_MADE = 1e-9  # of the energy of an impact: what may be made of nothing by rounding


class Impulses(NamedTuple):
    """Contacts of a step with their impulses in the world."""

    touching: TouchingShapes
    P: np.ndarray  # (n, 6) along normal and tangents, then turning [N·s, N·m·s]


class SolverRecord(NamedTuple):
    """How well the laws of contact hold."""

    residual: float  # the worst, of the largest impulse
    sweeps: int
    overlap: float  # the deepest found, ≥ 0 [m]
    dropped: int  # impacts whose restitution was left out, because it would have made energy


class CollisionResult(NamedTuple):
    """State at the end of a step, with impulses, losses and the record of the solver."""

    at: StepState
    a: Vector
    lam: Vector
    work: Vector  # (3,) drivers, controls, dissipated without contacts [J]
    lost: Vector  # (2,) in impacts, by rubbing [J]
    impulses: Impulses
    record: SolverRecord


@final
class CollisionStep:
    """Steps of one system."""

    def __init__(self, system: System, collisions: CollisionTerms, method: ContactStepping) -> None:
        self.system, self.collisions, self.method = system, collisions, method
        self.nq, self.nc = len(system.coordinates), len(system.constraints)
        self.smooth = NonsmoothStep(system, NoContacts(self.nq), 0.5, _SETTLED)
        self.blocks = ComponentBlocks(system, collisions.first_q[:, None] + np.arange(7))
        none = np.zeros((0, 3))
        self.last = Impulses(TouchingShapes(np.zeros((0, 2), np.int64), none, none, np.zeros(0)), np.zeros((0, ROWS)))
        self._begin_record()

    def _begin_record(self) -> None:
        self.residual, self.sweeps, self.overlap, self.dropped = 0.0, 0, 0.0, 0

    def reach(self, v: Vector, h: float) -> Vector:
        """How far the surfaces of each shape may come in a step, (n,) [m]."""
        terms = self.collisions
        rates = v[terms.first_q[:, None] + np.arange(7)].reshape(-1, 7)
        own = np.zeros(len(terms.names))
        moves = terms.body >= 0
        k = terms.body[moves]
        own[moves] = (
            np.linalg.norm(rates[k, :3], axis=1) + 2 * np.linalg.norm(rates[k, 3:], axis=1) * terms.radius[moves]
        )
        # what is struck in this step may move as fast as the fastest
        return 1.2 * h * own + np.minimum(h * own.max(initial=0.0), 0.1 * terms.radius) + 0.01 * terms.radius

    def take(self, start: StepState, h: float, u: Vector) -> CollisionResult:
        """One step over h [s]."""
        self._begin_record()
        found = self.collisions.touching(start.t, start.q, self.reach(start.v, h))
        start, found = self._move_apart(start, found)
        arms, bodies = self._arms(start.q, found), self.collisions.body[found.pair]
        P = carry_over(self.last.touching.pair, self.last.touching.points, self.last.P, found.pair, found.points)
        start, lost_in_impacts = self._strike(start, h, found, arms, bodies)
        result = self._move(start, h, u, found, arms, bodies, P)
        self.last = result.impulses
        result.lost[0] += lost_in_impacts
        return result._replace(record=SolverRecord(self.residual, self.sweeps, self.overlap, self.dropped))

    def _arms(self, q: Vector, found: TouchingShapes) -> np.ndarray:
        """Arms of the contact points from the centres of both bodies, (n, 2, 3) [m]."""
        bodies = self.collisions.body[found.pair]
        first = self.collisions.first_q
        centres = q[first[:, None] + np.arange(3)] if len(first) else np.zeros((1, 3))
        return np.where(bodies[..., None] >= 0, points_at_one_height(found)[:, None] - centres[bodies], 0.0)

    def _maps(
        self, found: TouchingShapes, bodies: np.ndarray, arms: np.ndarray, at: Vector, acts: Vector
    ) -> ContactMaps:
        """Rows at the configuration ``at``, with the answers to impulses that act at the configuration ``acts``."""
        n, first = len(bodies), self.collisions.first_q
        W, F, room = np.zeros((n, ROWS, 14)), np.zeros((n, ROWS, 14)), np.zeros((3, 4, 4))
        add_maps(bodies, arms, found.normals, first, at, room, W)
        add_maps(bodies, arms, found.normals, first, acts, room, F)
        blocks = self.blocks
        column = np.where(bodies >= 0, blocks.slot[first[bodies]] if len(first) else -1, -1)
        owner = np.where(column >= 0, blocks.component[column], -1)
        begin = np.where(owner >= 0, blocks.start[owner], 0)
        length = np.where(owner >= 0, blocks.start[owner + 1] - blocks.start[owner], 0)
        length[:, 1] = np.where(owner[:, 0] == owner[:, 1], 0, length[:, 1])
        B = np.zeros((n, ROWS, int(length.sum(axis=1).max(initial=0))))
        segment = np.ascontiguousarray(np.stack([begin, length], axis=2))
        maps = ContactMaps(W, B, np.ascontiguousarray(column), segment)
        add_responses(F, maps, blocks.inverse, blocks.begin, blocks.component, blocks.start)
        return maps

    def _solve(self, maps: ContactMaps, law: np.ndarray, shift: Vector, P: np.ndarray, x: Vector, t: float) -> None:
        """P and x that obey the laws; the record keeps the worst residual."""
        x_free, sweeps, residual = x.copy(), 0, np.inf
        problem, weight = None, FIRST_WEIGHT
        while residual > self.method.tolerance and sweeps < self.method.sweeps:
            if sweeps:
                problem = problem or cone_problem(maps, law, shift, x_free)
                P[:], weight = improve(problem, P, weight)
                x[:] = x_free
            residual, more = solve_cones(maps, law, shift, self.method.tolerance, min(_ROUND, self.method.sweeps), P, x)
            sweeps += int(more)
        self.residual, self.sweeps = max(self.residual, float(residual)), self.sweeps + sweeps
        if not residual < _UNSOLVED:
            raise NotConverged(
                f"the impulses of {len(P)} contacts at t = {t:.6g} s did not converge: their laws are off by "
                f"{residual:.2g} of the largest impulse after {sweeps} sweeps. Halve dt, or allow more sweeps"
            )

    def _law(self, found: TouchingShapes) -> np.ndarray:
        """Coefficients (n, 4) of the contacts: the larger of both surfaces."""
        laws = self.collisions.laws
        return np.maximum(laws[found.pair[:, 0]], laws[found.pair[:, 1]])

    def _at_rest(self, t: float, q: Vector) -> None:
        """Blocks of the mass matrix and the constraints alone."""
        nothing = np.zeros(self.nq)
        u = np.zeros(len(self.system.controls))
        self.blocks.invert((1.0, 0.0, 0.0), (t, q, nothing, nothing, np.zeros(self.nc), u))

    def _move_apart(self, start: StepState, found: TouchingShapes) -> tuple[StepState, TouchingShapes]:
        """The least move, in the norm of the masses, after which nothing overlaps."""
        deepest = -float(found.gaps.min(initial=0.0))
        self.overlap = max(self.overlap, deepest)
        if deepest <= self.method.gap_tolerance:
            return start, found
        self._at_rest(start.t, start.q)
        bodies = self.collisions.body[found.pair]
        maps = self._maps(found, bodies, self._arms(start.q, found), start.q, start.q)
        P, x = np.zeros((len(bodies), ROWS)), np.zeros(self.nq + self.nc)
        solve_cones(maps, np.zeros((len(bodies), 4)), found.gaps, 1e-6, self.method.sweeps, P, x)
        moved = np.zeros((len(bodies), ROWS))
        velocities(maps, x, moved)
        q = start.q + x[self.blocks.slot[: self.nq]]
        return start._replace(q=q), found._replace(gaps=found.gaps + moved[:, 0])

    def _strike(
        self, start: StepState, h: float, found: TouchingShapes, arms: np.ndarray, bodies: np.ndarray
    ) -> tuple[StepState, float]:
        """Impacts now of what would meet within the step: the state after them, and the energy lost [J]."""
        x = np.concatenate([start.v, np.zeros(self.nc)])
        x, room = self.blocks.order(x), np.zeros((len(bodies), ROWS))
        gap = plane_values(found, np.maximum(found.gaps, 0.0))
        maps = self._rates_only(found, bodies, arms, start.q)
        velocities(maps, x, room)
        before = room.copy()
        strikes = before[:, 0] < -gap / h - _CLOSING
        if not strikes.any():
            return start, 0.0
        self._at_rest(start.t, start.q)
        maps = self._maps(found, bodies, arms, start.q, start.q)
        law = self._law(found)
        e = np.where(strikes & (-law[:, 3] * before[:, 0] > self.method.rest_speed), law[:, 3], 0.0)
        for share in (1.0, 0.0):
            P, y = np.zeros((len(bodies), ROWS)), x.copy()
            shift = np.where(e * share > 0, e * share * before[:, 0], gap / h)
            self._solve(maps, law, shift, P, y, start.t)
            velocities(maps, y, room)
            lost = -0.5 * float((P * (before + room)).sum())
            if not e.any() or lost >= -_MADE * float((np.abs(P) * np.abs(before)).sum()):
                break
            self.dropped += 1
        return start._replace(v=y[self.blocks.slot[: self.nq]]), lost

    def _rates_only(self, found: TouchingShapes, bodies: np.ndarray, arms: np.ndarray, q: Vector) -> ContactMaps:
        """Maps without answers to impulses."""
        first, blocks = self.collisions.first_q, self.blocks
        W = np.zeros((len(bodies), ROWS, 14))
        add_maps(bodies, arms, found.normals, first, q, np.zeros((3, 4, 4)), W)
        column = np.ascontiguousarray(np.where(bodies >= 0, blocks.slot[first[bodies]] if len(first) else -1, -1))
        return ContactMaps(W, np.zeros((len(bodies), ROWS, 0)), column, np.zeros((len(bodies), 2, 2), np.int64))

    def _move(
        self, start: StepState, h: float, u: Vector, found: TouchingShapes, arms: np.ndarray, bodies: np.ndarray,
        P: np.ndarray,
    ) -> CollisionResult:  # fmt: skip
        """The step itself: Newton's method on the smooth terms, the laws of contact solved in every iteration."""
        t, q0, v0 = start
        slot, law = self.blocks.slot, self._law(found)
        gamma = np.zeros((len(bodies), ROWS))
        velocities(
            self._rates_only(found, bodies, arms, q0), self.blocks.order(np.concatenate([v0, np.zeros(self.nc)])), gamma
        )
        shift = plane_values(found, np.maximum(2 * np.maximum(found.gaps, 0.0) / h + gamma[:, 0], 0.0))
        v1, lam, last = v0, np.zeros(self.nc), np.inf
        for iteration in range(_MOST):
            v_mid = (v0 + v1) / 2
            q_mid, q1, a = q0 + h / 2 * v_mid, q0 + h * v_mid, (v1 - v0) / h
            self.smooth.follow(t + h / 2, q_mid)
            rest = np.zeros(self.nq + self.nc)
            rest[: self.nq] = -h * self.smooth.residual(t + h / 2, q_mid, v_mid, a, u)
            state = (t + h / 2, q_mid, v_mid, a, lam, u)
            self.blocks.invert((1.0, h / 2, h * h / 4), state, (t + h, q1))
            rest[self.nq :] = -self.smooth.constraint_rate(t + h, q1, v1)
            x = self.blocks.order(np.concatenate([v1, np.zeros(self.nc)])) + self.blocks.solve(self.blocks.order(rest))
            if len(bodies):
                maps = self._maps(found, bodies, arms, q1, q_mid)
                self._solve(maps, law, shift, P, x, t + h)
            new = x[slot[: self.nq]]
            change = float(np.abs(new - v1).max(initial=0.0))
            v1, lam = new, x[slot[self.nq :]] / h
            if change <= _SETTLED * max(1.0, float(np.abs(v0).max(initial=0.0))) or (
                change > 0.5 * last and iteration > 3
            ):
                break
            last = change
        else:
            raise NotConverged(
                f"a step to t = {t + h:.6g} s (h = {h:.3g} s) did not converge: the rates still change by "
                f"{change:.2e}. Halve dt."
            )
        return self._end(start, h, u, v1, lam, Impulses(found, P), (bodies, arms))

    def _end(
        self, start: StepState, h: float, u: Vector, v1: Vector, lam: Vector, impulses: Impulses,
        where: tuple[np.ndarray, np.ndarray],
    ) -> CollisionResult:  # fmt: skip
        """Positions on the constraints, and the account of energy."""
        t, q0, v0 = start
        v_mid, a = (v0 + v1) / 2, (v1 - v0) / h
        q_mid, q1 = q0 + h / 2 * v_mid, q0 + h * v_mid
        self.smooth.follow(t + h / 2, q_mid)
        power = self.system.power(t + h / 2, q_mid, v_mid, a, lam, u)
        gamma = np.zeros(impulses.P.shape)
        bodies, arms = where
        x = self.blocks.order(np.concatenate([v_mid, np.zeros(self.nc)]))
        velocities(self._rates_only(impulses.touching, bodies, arms, q_mid), x, gamma)
        lost = -np.array([(impulses.P[:, 0] * gamma[:, 0]).sum(), (impulses.P[:, 1:] * gamma[:, 1:]).sum()])
        self.smooth.follow(t + h, q1)
        g = self.system.constraint(t + h, q1)
        if np.abs(g).max(initial=0.0) > 1e-13:
            off = self.blocks.solve(self.blocks.order(np.concatenate([np.zeros(self.nq), -g])))
            q1 = q1 + off[self.blocks.slot[: self.nq]]
        record = SolverRecord(0.0, 0, 0.0, 0)
        return CollisionResult(StepState(t + h, q1, v1), a, lam, h * np.array(power), lost, impulses, record)
