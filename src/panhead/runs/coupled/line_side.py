"""Line as a co-simulation participant: strip heights in, contact forces and their positions out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from panhead.engine.methods.checkpoints import Arrays, require_within, write
from panhead.engine.methods.linear_solvers import solver_for
from panhead.engine.system import Vector
from panhead.errors import ModelError, SimulationError
from panhead.railway.line.elasticity import StaticLine
from panhead.railway.line.line_matrices import LinearLine
from panhead.runs.coupled.contact_law import contact_force, head_table
from panhead.runs.coupled.coupled_checkpoints import Resumable
from panhead.runs.coupled.line_terms import LineTerms
from panhead.runs.coupled.participant import contact_ports, strip_ports
from panhead.runs.description import ContactLaw
from panhead.runs.linear.step.active_set import NO_ANSWER, NOT_FINITE, OK, TOO_MANY
from panhead.runs.linear.step.dropper import set_by_law
from panhead.runs.linear.step.march import Slackenings, StripOutput, StripWay, run_strips
from panhead.runs.linear.step.step_arrays import ELEMENT, NO_ENDS, A, LineState, Scheme, TrainArrays, U, V
from panhead.runs.linear.step.strips import contact_answers, place_contacts
from panhead.runs.linear.step.unilateral import CLOSED
from panhead.runs.linear.window import Window, open_window, pack_line, remember_damping, resting_state
from panhead.runs.timetable import Timetable

_SLACKENINGS = 4096  # kept of a run


def newmark_scheme(h: float, beta: float = 0.25, gamma: float = 0.5) -> Scheme:
    """M a₁ + C v₁ + K u₁ = f₁ with predictors and correctors                [Ambrosio11, eqs (20)–(23)]

        ũ = u₀ + h v₀ + ½ h² (1 − 2β) a₀,   ṽ = v₀ + h (1 − γ) a₀
        (M + γ h C + β h² K) a₁ = f₁ − C ṽ − K ũ,   u₁ = ũ + β h² a₁,   v₁ = ṽ + γ h a₁

    written for the unknown u₁. β = ¼, γ = ½ is the trapezoidal rule, which loses no energy.
    """
    b, g = beta, gamma
    if not (b > 0.0 and g > 0.0):
        raise ModelError(f"newmark_scheme: beta and gamma must be > 0, got {b!r} and {g!r}")
    return Scheme(
        h=h, alpha_f=0.0, alpha_m=0.0, M_u=1 / (b * h * h), M_v=1 / (b * h), M_a=0.5 / b - 1, C_u=g / (b * h),
        C_v=g / b - 1, C_a=h * (0.5 * g / b - 1), v_v=1 - g / b, v_a=h * (1 - 0.5 * g / b), a_u=1 / (b * h * h),
        a_v=-1 / (b * h), a_a=1 - 0.5 / b, lossless=False,
    )  # fmt: skip


def preloaded_shape(line: LinearLine, places: Vector, forces: Sequence[float]) -> Vector:
    """Static displacements (nl,) of a line under upward forces at positions [m, N], with slackening droppers."""
    static, piece = StaticLine(line), line.paths[0].piece
    load = np.zeros(line.ns * line.b)
    for x, force in zip(places, forces, strict=True):
        load += static.load(float(x), float(force), piece)
    return static.displace(load)[0]


class LineMemory(NamedTuple):
    """State from which a step of the line starts."""

    t: float
    fresh: bool  #: nothing has been passed yet
    arrays: tuple[np.ndarray, ...]


@final
class LineSide(Resumable):
    """Linear line above strips that run along it, with its own fixed step    [Ambrosio11, sec. 3].

    Per strip it takes the height of its surface under the wire and that height's rate, and gives the contact
    force (up on the wire, down on the strip), the lateral place of the contact point and its rate. Strips are
    ``behind`` [m] the place of the timetable. It starts at rest, without load or under ``preload`` [N], one
    force per strip.
    """

    name = "line"

    def __init__(
        self,
        line: LinearLine,
        timetable: Timetable,
        behind: Sequence[float] = (0.0,),
        *,
        law: ContactLaw,
        scheme: Scheme | None = None,
        preload: Sequence[float] | None = None,
    ) -> None:
        self.linear, self.timetable, self.law = line, timetable, law
        self.sc = scheme or newmark_scheme(1e-3)
        self.step = float(self.sc.h)
        if not self.step > 0.0:
            raise ModelError(f"LineSide: the step of its scheme must be > 0 s, got {self.step!r}")
        self.behind = np.array(behind, dtype=float)
        if not self.behind.size or not np.isfinite(self.behind).all():
            raise ModelError(f"LineSide: behind must hold a finite distance for every strip, got {tuple(behind)!r}")
        n = self.strips = len(self.behind)
        self.inputs, self.outputs = strip_ports(n), contact_ports(n)
        head = head_table(law, n)
        still = np.zeros((n, n))
        self.train = TrainArrays(still, still, still, still, head, np.zeros((0, n)))
        nothing = np.zeros(0, ELEMENT)
        self.window: Window = open_window(pack_line(line, self.sc), self.sc, self.train, nothing)
        self.state = resting_state(self.window, self.train, nothing, np.zeros(n))
        self.notes = Slackenings(np.zeros((_SLACKENINGS, 3)), np.zeros(1, np.int64))
        self._contact = np.zeros((n, 5))
        self.t, self._fresh = 0.0, True
        self._require_on_line(0.0)
        if preload is not None:
            self._displace(preload)
        self.observe(np.zeros(2 * n))

    def places(self, t: Vector | float) -> Vector:
        """Positions of the strips at times t [m]; (…, strips)."""
        return np.asarray(self.timetable.position(np.asarray(t)))[..., None] - self.behind

    def _displace(self, forces: Sequence[float]) -> None:
        """Set the static displacement under upward forces on the wire, with slackening droppers."""
        u = preloaded_shape(self.linear, self.places(0.0), forces).reshape(self.linear.ns, -1)
        self.state.q[U].reshape(self.linear.ns, -1)[:, : u.shape[1]] = u
        set_by_law(self.state.drop, self.state.q)

    def _begin(self, u: Vector) -> None:
        """Initial contacts under given strips, and consistent accelerations."""
        line, s, x = self.window.line, self.state, self.places(self.t)
        given = np.reshape(u, (self.strips, 2)).astype(float)
        place_contacts(line, s, x, self._speed(), given, self.window.work)
        for c in s.contact:
            if c["on"] and c["g"] > 0.0:
                c["F"] = contact_force(self.law, c["g"], c["g_dot"], c["impact"])[0]
                c["mode"] = CLOSED
        s.q[A] = 0.0
        if s.contact["F"].any() or np.abs(s.q[U]).max() > 1e-12:
            self._accelerate(x)
        remember_damping(self.window, s, self.sc)
        contact_answers(line, s, x, self._speed(), self._contact)

    def _accelerate(self, x: Vector) -> None:
        """Solve M a = f at the start."""
        terms, n, wires = LineTerms(self.linear), self.linear.ns, len(self.linear.paths)
        u, v = (self.state.q[k].reshape(n, -1)[:, : self.linear.b].ravel() for k in (U, V))
        f = terms.force(u, v)
        for i, c in enumerate(self.state.contact):
            if c["F"]:
                path = self.linear.paths[i % wires]
                f = f + c["F"] * terms.weights(path, float(x[i // wires]))[0]
        a = solver_for(terms.M).solve(f)
        self.state.q[A].reshape(n, -1)[:, : self.linear.b] = a.reshape(n, -1)

    @property
    def time(self) -> float:
        """Current time [s]."""
        return self.t

    @property
    def contact(self) -> Vector:
        """Force [N], lateral position [m], its rate [m/s], height of the wire [m], penetration [m]; (strips, 5)."""
        return self._contact

    def observe(self, u: Vector) -> Vector:
        """Current forces and positions. Before the first step u gives the strips; then forces are part of the state."""
        if self._fresh:
            self._begin(u)
        return self._contact[:, :3].flatten()

    def advance(self, dt: float, u0: Vector, u1: Vector) -> Vector:
        """Advance by dt [s], a whole number of the line's steps, strips moving linearly from u0 to u1."""
        steps = round(dt / self.step)
        if steps < 1 or abs(steps * self.step - dt) > 1e-9 * dt:
            raise ModelError(
                f"line: the exchange step {dt:g} s is not a whole number of steps of {self.step:g} s; change one of "
                "them"
            )
        self._require_on_line(self.t + dt)
        rows = np.arange(steps + 1)
        t = self.t + rows * self.step
        given = (u0 + (u1 - u0) * (rows / steps)[:, None]).reshape(steps + 1, self.strips, 2)
        way = StripWay(self.places(t), self.timetable.speed(t), given)
        status, _ = run_strips(
            self.window.line, self.train, self.sc, NO_ENDS, self.state, way, round(self.t / self.step),
            self.window.work, (), StripOutput(self.notes, self._contact),
        )  # fmt: skip
        if status != OK:
            raise SimulationError(_failure_message(status, self.t))
        self.t, self._fresh = self.t + dt, False
        return self._contact[:, :3].flatten()

    def copy_state(self) -> LineMemory:
        """Copy of the state."""
        return LineMemory(self.t, self._fresh, tuple(x.copy() for x in self._arrays()))

    def restore_copy(self, memory: LineMemory) -> None:
        """Restore a state from ``copy_state``."""
        self.t, self._fresh = memory.t, memory.fresh
        for x, kept in zip(self._arrays(), memory.arrays, strict=True):
            x[...] = kept

    def save_state(self) -> dict[str, np.ndarray]:
        """Arrays that a step or a recording reads."""
        return self._places() | {"t": np.array(self.t)}

    def restore_state(self, state: Arrays, rows: Arrays) -> None:
        """Restore a state from ``save_state``."""
        write(self._places(), state)
        require_within(self.notes.events, 0, _SLACKENINGS + 1)
        self.t, self._fresh = float(state["t"]), False

    def _places(self) -> dict[str, np.ndarray]:
        found = {name: getattr(self.state, name) for name in LineState._fields if name != "flat"}
        return found | {"answer": self._contact, "events": self.notes.events, "slack": self.notes.slack}

    def _arrays(self) -> tuple[np.ndarray, ...]:
        s = self.state
        return s.q, s.drop, s.contact, self._contact, self.notes.events

    def _speed(self) -> float:
        return float(self.timetable.speed(np.asarray(self.t)))

    def _require_on_line(self, t: float) -> None:
        x = self.places(t)
        first, last = float(self.linear.x[0]), float(self.linear.x[-1])
        if not (first <= x.min() and x.max() < last):
            raise SimulationError(
                f"line: at t = {t:.6g} s a strip is at {x.min():.6g} … {x.max():.6g} m, outside the modelled line "
                f"{first:g} … {last:g} m. Shorten the run, or model more spans"
            )


def _failure_message(status: int, t: float) -> str:
    what = {
        NO_ANSWER: "contact forces and droppers did not converge; halve the step",
        TOO_MANY: "too many droppers went slack at once; check the contact force",
        NOT_FINITE: "the contact force is not a number; halve the step, or shorten the exchange step",
    }[status]
    return f"line: the step after t = {t:.6g} s failed: {what}"
