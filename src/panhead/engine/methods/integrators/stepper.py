"""Interval-by-interval integration of a system for co-simulation and other outer loops."""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np

from panhead.engine.kernels import alpha_steps
from panhead.engine.kernels.table_model import TabledModel
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.checkpoints import Arrays, write
from panhead.engine.methods.integrators import Method
from panhead.engine.methods.integrators.bdf import BDF
from panhead.engine.methods.integrators.gear_march import GearMarch
from panhead.engine.methods.integrators.generalized_alpha import GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.linear_solvers import SingularMatrix
from panhead.engine.methods.trajectory import Problem, State
from panhead.engine.system import System, Vector, no_controls
from panhead.errors import ModelError, NotConverged, SimulationError

_ANEW = ("q", "v", "acceleration", "lam")  # what a method begins anew with


class Memory(NamedTuple):
    """State from which a step starts."""

    t: float
    step: float  #: length of the last step [s]
    parts: tuple[np.ndarray, ...]


@final
class Stepper:
    """Integrate one interval at a time; by the generalized-α method [Arnold07] if no method is given.

    Inputs run straight over an interval. It is passed in ``steps`` equal steps or, if the method chooses its steps
    by their error, in those; never in one longer than the interval. Gear's method keeps its history from interval to
    interval; other multi-step ones would begin anew.
    """

    def __init__(
        self, system: System, start: State, *, method: Method | None = None, step: float = 1e-3, u: Vector | None = None
    ) -> None:
        self.system, self.method = system, method or GeneralizedAlpha()
        u = no_controls(system) if u is None else np.array(u, dtype=float)
        if u.shape != (len(system.controls),) or not np.isfinite(u).all():
            raise ModelError(
                f"Stepper of {system.name!r}: u must be {len(system.controls)} finite numbers "
                f"({', '.join(system.controls)}), got {u!r}"
            )
        t = np.array([start.t, start.t + step])
        problem = Problem(system=system, start=start, t=t, u=np.stack([u, u]))
        self._march = _march_of(self.method, problem)
        self.t = float(start.t)

    @property
    def q(self) -> Vector:
        """Coordinates, (nq,)."""
        return self._march.q

    @property
    def v(self) -> Vector:
        """Their rates, (nq,)."""
        return self._march.v

    @property
    def a(self) -> Vector:
        """Accelerations, (nq,)."""
        return self._march.acceleration

    @property
    def lam(self) -> Vector:
        """Multipliers, (nc,)."""
        return self._march.lam

    @property
    def iterations(self) -> int:
        """Newton steps so far (of other methods: steps), including rejected ones."""
        return self._march.iterations

    def advance(self, dt: float, u0: Vector, u1: Vector, *, steps: int = 1) -> None:
        """Advance by dt [s], controls linear from u0 to u1 (nu,) each; on failure the state is unchanged."""
        before = self.copy_state()
        try:
            self._march.advance(self.t, dt, u0, u1, steps)
        except SimulationError:
            self.restore_copy(before)
            raise
        self.t += dt

    def restart(self, u: Vector) -> None:
        """Recompute accelerations and multipliers for controls u (nu,) at the current state."""
        self._march.restart(self.t, np.asarray(u, dtype=float))

    def copy_state(self) -> Memory:
        """Return a cheap in-memory copy of the state, so that an exchange step can be repeated from it."""
        return Memory(self.t, self._march.step_length, tuple(x.copy() for x in self._march.parts()))

    def restore_copy(self, memory: Memory) -> None:
        """Restore the state that ``copy_state`` returned; as often as wanted."""
        self.t = memory.t
        self._march.restore_copy(memory.step, memory.parts)

    def save_state(self) -> dict[str, np.ndarray]:
        """The whole state by name, factors in use included, as a checkpoint holds it."""
        return self._march.save_state() | {"t": np.array(self.t)}

    def restore_state(self, found: Arrays) -> None:
        """Restore what ``save_state`` returned, in a new stepper."""
        self._march.restore_state(found)
        self.t = float(found["t"])


def _march_of(method: Method, problem: Problem) -> _TabledSteps | GearMarch | _RestartedMethod:
    if isinstance(method, GeneralizedAlpha):
        return _TabledSteps(method, problem)
    if isinstance(method, BDF) and method.step is None:
        return GearMarch(method, problem)
    return _RestartedMethod(method, problem)


@final
class _TabledSteps:
    """Steps over tables of elements, compiled."""

    def __init__(self, method: GeneralizedAlpha, problem: Problem) -> None:
        self.march = TabledMarch(method, problem, problem.system.families)
        self.system = problem.system
        self.motion = self.march.motion
        self.step_length = self.march.dt

    @property
    def q(self) -> Vector:
        return self.motion.q

    @property
    def v(self) -> Vector:
        return self.motion.v

    @property
    def acceleration(self) -> Vector:
        return self.motion.acceleration

    @property
    def lam(self) -> Vector:
        return self.motion.lam

    @property
    def iterations(self) -> int:
        return int(self.motion.counts[0])

    def restart(self, t: float, u: Vector) -> None:
        m = self.motion
        m.acceleration[:], m.lam[:] = accelerations(self.system, t, m.q, m.v, u)
        m.a[:] = m.acceleration
        m.power[2:] = self.system.power(t, m.q, m.v, m.acceleration, m.lam, u)

    def parts(self) -> tuple[np.ndarray, ...]:
        m = self.motion
        return m.q, m.v, m.a, m.acceleration, m.lam, m.power, m.energy

    def restore_copy(self, step: float, parts: tuple[np.ndarray, ...]) -> None:
        for x, kept in zip(self.parts(), parts, strict=True):
            x[:] = kept
        self.step_length, self.march.motion.done[0] = step, 0.0

    def save_state(self) -> dict[str, np.ndarray]:
        return self.march.save_state() | {"step_length": np.array(self.step_length)}

    def restore_state(self, found: Arrays) -> None:
        self.march.restore_state(found)
        self.step_length = float(found["step_length"])

    def _order_pivots(self, t: float, u: Vector) -> TabledModel:
        try:
            return self.march.order_pivots(t, u)
        except SingularMatrix as error:
            raise _singular(self.system, error) from None

    def advance(self, t0: float, dt: float, u0: Vector, u1: Vector, steps: int) -> None:
        t, u = _grid(t0, dt, u0, u1, steps)
        m, done = self.march, 0
        if m.numbers.error > 0.0:
            steps, t, u = 1, t[[0, -1]], u[[0, -1]]
        while done < steps:
            status, done, self.step_length = alpha_steps.march(
                m.model, m.motion, m.numbers, t, u, done, steps, steps + 1, self.step_length, m.kept, m.here
            )  # fmt: skip
            if status == alpha_steps.PIVOT:
                m.dt = t[1] - t[0]
                m.model = self._order_pivots(float(t[done]), u[done])
            elif status != alpha_steps.OK:
                m.problem = Problem(system=self.system, start=m.problem.start, t=t, u=u)
                raise m.failure(status, done)


@final
class _RestartedMethod:
    """Any method, restarted at every interval from the end of the last one."""

    def __init__(self, method: Method, problem: Problem) -> None:
        self.method, self.problem, self.system = method, problem, problem.system
        self.step_length, self.iterations = 0.0, 0
        self.q, self.v = (np.array(x, dtype=float) for x in (problem.start.q, problem.start.v))
        self.restart(float(problem.t[0]), problem.u[0])

    def restart(self, t: float, u: Vector) -> None:
        self.acceleration, self.lam = accelerations(self.system, t, self.q, self.v, u)

    def parts(self) -> tuple[np.ndarray, ...]:
        return self.q, self.v, self.acceleration, self.lam

    def restore_copy(self, step: float, parts: tuple[np.ndarray, ...]) -> None:
        self.q, self.v, self.acceleration, self.lam = (x.copy() for x in parts)

    def save_state(self) -> dict[str, np.ndarray]:
        return dict(zip(_ANEW, self.parts(), strict=True))

    def restore_state(self, found: Arrays) -> None:
        write(self.save_state(), found)

    def advance(self, t0: float, dt: float, u0: Vector, u1: Vector, steps: int) -> None:
        t, u = _grid(t0, dt, u0, u1, steps)
        start = State(q=self.q, v=self.v, t=t0)
        run = self.method.run(Problem(system=self.system, start=start, t=t, u=u, every=steps))
        self.q, self.v = run.q[-1], run.v[-1]
        self.acceleration, self.lam = run.a[-1], run.lam[-1]
        self.iterations += int(run.notes.get("steps", steps))


def _grid(t0: float, dt: float, u0: Vector, u1: Vector, steps: int) -> tuple[Vector, Vector]:
    """Times and controls of the steps of an interval: (steps + 1,), (steps + 1, nu)."""
    share = np.arange(steps + 1) / steps
    return t0 + dt * share, u0 + (u1 - u0) * share[:, None]


def _singular(system: System, error: SingularMatrix) -> NotConverged:
    return NotConverged(f"the equations of {system.name!r} became singular ({error})")
