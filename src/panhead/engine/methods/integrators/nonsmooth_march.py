"""March of Moreau–Jean steps, split where gaps close and where sticking contacts start to slide."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.checkpoints import Checkpoint, require_within, restore_memory, resume, save_memory, write
from panhead.engine.methods.impacts import (
    ContactChoice,
    NoContacts,
    chosen_contacts,
    contact_terms,
    energy_lost,
    no_restitution,
    restitution,
    solve_impact,
)
from panhead.engine.methods.integrators.nonsmooth_step import NonsmoothStep, StepResult, StepState
from panhead.engine.methods.trajectory import ContactHistory, Problem, Strike, Trajectory
from panhead.engine.system import Vector
from panhead.errors import Interrupted, ModelError, RunWarning, SimulationError

if TYPE_CHECKING:
    from panhead.engine.methods.integrators.moreau_jean import MoreauJean

_MOST_IMPACTS = 100  # in a step: then the rest of it is taken without seeking their instants
_STICKS = 1e-9  # [m/s]: what slides slower sticks, but for rounding
_HALVINGS = 30  # of a step, to find where it lets go
_OWN = ("work", "lost", "force", "slip", "floor", "closed", "stuck")  # of a march


@final
class NonsmoothMarch:
    """One run of a method over a problem."""

    def __init__(self, method: MoreauJean, problem: Problem) -> None:
        contacts = contact_terms(problem.system) or NoContacts(len(problem.system.coordinates))
        self.method, self.problem, self.system, self.contacts = method, problem, problem.system, contacts
        self.step = NonsmoothStep(problem.system, contacts, method.theta, method.tolerance)
        t, n = float(problem.t[0]), len(contacts.names)
        q, v = (np.array(x, dtype=float) for x in (problem.start.q, problem.start.v))
        self.at = StepState(t, q, v)
        self.work, self.lost = np.zeros(3), np.zeros(2)
        self.strikes: list[Strike] = []
        self.stepped = self.passed_on = 0  # steps with too many impacts, blows passed on through bodies that touched
        self.choices: dict[bytes, ContactChoice] = {}
        self.force, self.slip = np.zeros(contacts.first[-1]), np.zeros(n)
        self.grips = contacts.static_friction > contacts.friction  # whether sticking holds more than sliding
        self.stuck = np.zeros(n, bool)
        self.gap = contacts.at(t, q).gap
        self.floor = np.minimum(self.gap, 0.0)  # gaps at which contacts parted, zero but for rounding
        self._require_apart()
        self.a, self.lam = accelerations(self.system, t, q, v, problem.u[0])
        self.closed = contacts.two_sided.copy()
        if method.events == "located":
            self._apply_impact(self._active_contacts())
        else:
            near = np.flatnonzero((self.gap <= method.gap_tolerance) | contacts.two_sided)
            rows = contacts.at(t, q)
            self._note_stuck(near, (rows.W @ v + rows.w)[self._choice(near).rows])
        names = ("q", "v", "a", "lam", "work", "gap", "force", "slip", "lost")
        self.kept: dict[str, list[Vector]] = {name: [] for name in names}
        self._keep()

    def _choice(self, which: np.ndarray) -> ContactChoice:
        """The contacts ``which``, with the coefficients of friction of what sticks and of what slides."""
        key = which.tobytes()
        if key not in self.choices:
            self.choices[key] = chosen_contacts(self.contacts, which)
        held = (self.stuck & self.grips)[which]
        if not held.any():
            return self.choices[key]
        most = np.where(held, self.contacts.static_friction[which], self.contacts.friction[which])
        return self.choices[key]._replace(friction=most)

    def _sliding_speeds(self, which: np.ndarray, gamma: Vector) -> Vector:
        """Speeds of sliding (n,) from the rates γ (rows,) of the contacts ``which``."""
        first = self._choice(which).first
        return np.array([np.linalg.norm(gamma[a + 1 : b]) for a, b in pairwise(first)])

    def _note_stuck(self, which: np.ndarray, gamma: Vector) -> None:
        self.stuck[which] = self._sliding_speeds(which, gamma) <= _STICKS

    def _require_apart(self) -> None:
        if not self.contacts.names:
            return
        deep = np.where(self.contacts.two_sided, np.abs(self.gap), -self.gap)
        worst = int(deep.argmax())
        if deep[worst] > 1e-6:
            raise ModelError(
                f"{self.contacts.names[worst]!r} starts with a gap of {self.gap[worst]:.3g} m; the initial "
                "gap must not be negative"
            )

    def _keep(self) -> None:
        values = (self.at.q, self.at.v, self.a, self.lam, self.work, self.gap, self.force, self.slip)
        for rows, x in zip(self.kept.values(), (*values, self.lost), strict=True):
            rows.append(np.array(x))

    def _active_contacts(self) -> np.ndarray:
        """Contacts that are closed, or at zero and approaching."""
        rows = self.contacts.at(self.at.t, self.at.q)
        first = self.contacts.first[:-1]
        rate = rows.W[first] @ self.at.v + rows.w[first]
        near = rows.gap - self.floor <= self.method.gap_tolerance
        return np.flatnonzero(self.closed | (near & (rate <= self.method.rest_speed)))

    def _apply_impact(self, which: np.ndarray) -> None:
        """Apply an impact of these contacts now; those that part are open afterwards, the others closed."""
        if not len(which):
            return
        t, q, v = self.at
        sequential = self.method.impacts == "sequential"
        done = solve_impact(self.system, t, q, v, which, self.method.rest_speed, sequential=sequential)
        first = self._choice(which).first[:-1]
        before, after, P = done.before[first], done.after[first], done.P[first]
        hit = (P > 0) & ((before < 0) | sequential)
        passed_on = (P > 0) & (before >= -self.method.rest_speed) & (self.contacts.restitution[which] > 0)
        self.passed_on += int(hit.any() and passed_on.any())
        self._record_impacts(t, which[hit], (before[hit], after[hit], P[hit], done.lost[hit]))
        self._note_stuck(which, done.after)
        # what parts slowly stays in the laws of the steps, which let it go or hold it
        self.closed[which] = (after <= self.method.rest_speed) | self.contacts.two_sided[which]
        self.floor[which] = np.minimum(self.gap[which], 0.0)
        self.at = StepState(t, q, done.v)
        self.lost[0] += done.lost.sum()
        self.work += (-done.driven, 0.0, done.lost.sum())

    def _record_impacts(self, t: float, which: np.ndarray, told: tuple[Vector, Vector, Vector, Vector]) -> None:
        """Record impacts of the contacts ``which``: approach, departure, impulse, energy lost."""
        names = [self.contacts.names[i] for i in which]
        for name, (before, after, P, lost) in zip(names, np.transpose(told), strict=True):
            struck = Strike(t=t, contact=name, approach=before, departure=after, impulse=P, lost=lost)
            self.strikes.append(struck)

    def trajectory(self) -> Trajectory:
        """March to the end."""
        p, total = self.problem, len(self.problem.t) - 1
        advance = self._event_step if self.method.events == "located" else self._time_step
        try:
            for k in range(self._begin(), total):
                if k % 50 == 0:
                    p.progress(k / total, f"t = {p.t[k]:.3g} s")
                if p.checkpoints.due():
                    p.checkpoints.save(Checkpoint(k, self._state(), self._rows()))
                theta = self.method.theta
                advance(float(p.t[k + 1]), theta * p.u[k + 1] + (1 - theta) * p.u[k])
                if (k + 1) % p.every == 0:
                    self._keep()
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted at t = {self.at.t:.6g} s", partial=self._result()) from None
        except SimulationError as error:
            error.partial = self._result()
            raise
        self._warn_of_passed_on_impacts()
        return self._result()

    def _warn_of_passed_on_impacts(self) -> None:
        if self.passed_on and self.method.impacts == "simultaneous":
            warnings.warn(
                f"{self.passed_on} impacts of {self.system.name!r} were passed on through bodies that already touched. "
                "Rigid bodies leave open how: all contacts acted together, so that a row of balls moves off as one. "
                "MoreauJean(impacts='sequential') lets one act after the other, as in Newton's cradle",
                RunWarning,
                stacklevel=3,
            )

    def _state(self) -> dict[str, np.ndarray]:
        """Everything the next step starts from."""
        at = {"t": np.array(self.at.t), "q": self.at.q, "v": self.at.v, "a": self.a, "lam": self.lam, "gap": self.gap}
        own = {name: getattr(self, name) for name in _OWN}
        return at | own | {"iterations": np.array(self.step.iterations)} | save_memory(self.system)

    def _rows(self) -> dict[str, np.ndarray]:
        number = {name: k for k, name in enumerate(self.contacts.names)}
        strikes = [(s.t, number[s.contact], s.approach, s.departure, s.impulse, s.lost) for s in self.strikes]
        kept = {name: np.array(rows) for name, rows in self.kept.items()}
        return kept | {"strikes": np.array(strikes, dtype=float).reshape(-1, 6)}

    def _begin(self) -> int:
        """The step to start from: the first, or that of a checkpoint."""
        found = self.problem.checkpoints.restore()
        if found is None:
            return 0
        with resume(found, len(self.problem.t) - 1):
            state = {name: np.array(x) for name, x in self._state().items()}
            write(state, found.state)
            restore_memory(self.system, found.state)
            require_within(found.rows["strikes"][:, 1], 0, len(self.contacts.names))
            self.at = StepState(float(state["t"]), state["q"], state["v"])
            self.a, self.lam, self.gap = state["a"], state["lam"], state["gap"]
            write({name: getattr(self, name) for name in _OWN}, state)
            self.step.iterations = int(state["iterations"])
            names = self.contacts.names
            self.strikes = [
                Strike(t=t, contact=names[int(k)], approach=a, departure=d, impulse=p, lost=lost)
                for t, k, a, d, p, lost in found.rows["strikes"].tolist()
            ]
            self.kept = {name: list(found.rows[name]) for name in self.kept}
        return found.step

    def _time_step(self, end: float, u: Vector) -> None:
        """One Moreau–Jean step with every contact that is closed half a step ahead."""
        t, q, v = self.at
        h = end - t
        ahead = self.contacts.at(t + h / 2, q + h / 2 * v).gap
        self.closed = (np.minimum(ahead, self.gap) <= self.method.gap_tolerance) | self.contacts.two_sided
        which = np.flatnonzero(self.closed)
        rows, first = self.contacts.at(t, q), self.contacts.first[which]
        back = restitution(self.contacts, which, rows.W[first] @ v + rows.w[first], self.method.rest_speed)
        while True:
            done = self.step.take(self.at, h, u, self._choice(which), back)
            loose = self._newly_sliding(which, done)
            if not len(loose):
                break
            self.stuck[loose] = False
        self._record_step_impacts(end, which, done)
        self._accept(done, end, which)

    def _record_step_impacts(self, t: float, which: np.ndarray, done: StepResult) -> None:
        """Record impacts within a step; together they must not generate energy."""
        first = self._choice(which).first
        hit = np.flatnonzero((done.before[first[:-1]] < -self.method.rest_speed) & (done.P[first[:-1]] > 0))
        if not len(hit):
            return
        rows = np.concatenate([np.arange(first[i], first[i + 1]) for i in hit])
        before, after, P = done.before[rows], done.slip[rows], done.P[rows]
        struck = self._choice(which[hit])
        lost = energy_lost([self.contacts.names[i] for i in which[hit]], t, struck, P, before, after)
        normals = struck.first[:-1]
        self._record_impacts(t, which[hit], (before[normals], after[normals], P[normals], lost))

    def _event_step(self, end: float, u: Vector) -> None:
        """One step, split where gaps close; the rest of it without seeking instants where there are too many."""
        for _ in range(_MOST_IMPACTS):
            h = end - self.at.t
            if not h > 1e-14 * max(1.0, abs(end)):
                return
            which = np.flatnonzero(self.closed)
            held, loose = self._time_to_slip(h, u, which)
            done = self._try(held, u, which)
            meets = self._new_penetrations(done)
            if not len(meets):
                self._accept(done, end if held == h else self.at.t + held, which)
                self.stuck[loose] = False
                continue
            h = held
            share, cut = self._first_closing_gap(h, u, which, meets, done)
            if cut is not None:
                self._accept(cut, self.at.t + share * h, which)
            near = self.gap - self.floor <= self.method.gap_tolerance
            self.closed[meets] |= near[meets]  # what met takes part in the impact, however slow
            self._apply_impact(self._active_contacts())
        self.stepped += 1
        self._time_step(end, u)

    def _try(self, h: float, u: Vector, which: np.ndarray) -> StepResult:
        return self.step.take(self.at, h, u, self._choice(which), no_restitution(len(which)))

    def _newly_sliding(self, which: np.ndarray, done: StepResult) -> np.ndarray:
        """Return the sticking contacts that slide at the end of a step."""
        held = (self.stuck & self.grips)[which]
        return which[held & (self._sliding_speeds(which, done.slip) > _STICKS)] if held.any() else which[:0]

    def _time_to_slip(self, h: float, u: Vector, which: np.ndarray) -> tuple[float, np.ndarray]:
        """Return how long sticking contacts hold within a step of h [s], and which start to slide then.

        The forces of a step are means over it, those in its middle: what they are at the end of a step, a trial of
        twice its length tells.
        """
        loose = (
            self._newly_sliding(which, self._try(2 * h, u, which))
            if (self.stuck & self.grips)[which].any()
            else which[:0]
        )
        if not len(loose):
            return h, loose
        low, high = 0.0, 2 * h
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            found = self._newly_sliding(which, self._try(middle, u, which))
            low, high, loose = (low, middle, found) if len(found) else (middle, high, loose)
        return high / 2, loose

    def _new_penetrations(self, done: StepResult) -> np.ndarray:
        """Open contacts whose gap has become negative."""
        return np.flatnonzero(~self.closed & (done.gap - self.floor < -self.method.gap_tolerance))

    def _first_closing_gap(
        self, h: float, u: Vector, which: np.ndarray, meets: np.ndarray, done: StepResult
    ) -> tuple[float, StepResult | None]:
        """Fraction of the step at which the first gap closes, and the step up to there.

        The smallest gap over the share is negative at its end, positive (or rising) at its beginning: false position
        with the sleeping end halved [Dowell71]. None: the gap closes at once.
        """
        least = lambda r: float((r.gap - self.floor)[meets].min())
        low, high = 1e-7, 1.0
        found = self._try(low * h, u, which)
        if least(found) < 0:
            return 0.0, None
        f_low, f_high = least(found) / low, least(done) / high
        stayed = 0  # how often the same end was kept
        for _ in range(100):
            x = (low * f_high - high * f_low) / (f_high - f_low)
            found = self._try(x * h, u, which)
            f = least(found) / x
            if abs(least(found)) <= 1e-3 * self.method.gap_tolerance or high - low < 1e-15:
                break
            if f > 0:
                low, f_low = x, f
                stayed = max(1, stayed + 1)
                f_high = f_high / 2 if stayed > 1 else f_high
            else:
                high, f_high = x, f
                stayed = min(-1, stayed - 1)
                f_low = f_low / 2 if stayed < -1 else f_low
        return x, found

    def _accept(self, done: StepResult, end: float, which: np.ndarray) -> None:
        """Accept the step as the new state; contacts without pressure open."""
        h = end - self.at.t
        self.at = StepState(end, done.q, done.v)
        self.a, self.lam, self.gap = done.a, done.lam, done.gap
        self.work += done.work + (done.driven, 0.0, done.lost.sum())
        self.lost += done.lost
        self.floor[done.gap > self.method.gap_tolerance] = 0.0
        choice = self._choice(which)
        self.force[:], self.slip[:] = 0.0, 0.0
        self.force[choice.rows] = done.P / h
        self.slip[which] = self._sliding_speeds(which, done.slip)
        self.closed[which] = (done.P[choice.first[:-1]] > 0) | self.contacts.two_sided[which]
        self._note_stuck(which, done.slip)

    def _result(self) -> Trajectory:
        kept = {name: np.array(rows) for name, rows in self.kept.items()}
        n, p = len(kept["q"]), self.problem
        contacts = ContactHistory(
            names=self.contacts.names,
            first=self.contacts.first,
            gap=kept["gap"],
            force=kept["force"],
            slip=kept["slip"],
            lost=kept["lost"],
            strikes=tuple(self.strikes),
        )
        g, g_dot = self._residuals(kept["q"], kept["v"])
        notes = {"iterations": float(self.step.iterations), "impacts": float(len(self.strikes))}
        notes |= {"impacts_passed_on": float(self.passed_on), "steps_without_instants": float(self.stepped)}
        return Trajectory(
            t=p.kept[:n].copy(), q=kept["q"], v=kept["v"], a=kept["a"], lam=kept["lam"], work=kept["work"],
            u=p.u[:: p.every][:n].copy(), g=g, g_dot=g_dot, notes=notes,
            contacts=contacts if contacts.names else None,
        )  # fmt: skip

    def _residuals(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """g and ġ at the kept times."""
        g, g_dot = [], []
        for t, x, rate in zip(self.problem.kept, q, v, strict=False):
            g.append(self.system.constraint(float(t), x))
            g_dot.append(self.step.constraint_rate(float(t), x, rate))
        return np.array(g), np.array(g_dot)
