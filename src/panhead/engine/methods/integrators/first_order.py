"""First-order form ẏ = F(t, y) of a problem, compiled: for explicit and adaptive methods."""

from __future__ import annotations

from typing import final

import numpy as np

from panhead.engine.kernels import constrained_acceleration, state_rate
from panhead.engine.methods.checkpoints import Arrays, require_within, restore_memory, save_memory, write
from panhead.engine.methods.formulations import Augmented, Baumgarte, Eliminated, Embedded, Projection
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.engine.system import System, Vector
from panhead.errors import ModelError, NotConverged


def kernel_form(problem: Problem, stages: int = 4) -> state_rate.Form:
    """The problem's options as the numbers that kernels read."""
    kind = constrained_acceleration.EMBEDDED
    if isinstance(problem.formulation, Augmented):
        whole = problem.formulation.solver == "saddle"
        kind = constrained_acceleration.SADDLE if whole else constrained_acceleration.RANGE_SPACE
    elif isinstance(problem.formulation, Eliminated):
        kind = constrained_acceleration.ELIMINATED
    chosen = problem.stabilisation
    if isinstance(chosen, Baumgarte):
        return state_rate.Form(stages, kind, state_rate.BAUMGARTE, float(chosen.alpha), float(chosen.beta))
    projects = isinstance(chosen, Projection)
    keep = state_rate.PROJECTION if projects else state_rate.NO_STABILISATION
    return state_rate.Form(stages, kind, keep, 0.0, 0.0)


def room_for(system: System, formulation: object) -> constrained_acceleration.DenseRoom:
    """Scratch arrays of one run; the split of coordinates is in it if the formulation names the dependent ones."""
    room = constrained_acceleration.workspace(len(system.coordinates), len(system.constraints))
    if isinstance(formulation, Eliminated):
        dependent = _dependent(system, formulation.dependent)
        room.dependent[:] = dependent
        room.independent[:] = np.setdiff1d(np.arange(len(system.coordinates)), dependent)
    return room


def _dependent(system: System, names: tuple[str, ...]) -> np.ndarray:
    """Places of the dependent coordinates, as many as constraints."""
    unknown = [n for n in names if n not in system.coordinates]
    if unknown or len(set(names)) != len(names) or len(names) != len(system.constraints):
        raise ModelError(
            f"{system.name!r} has {len(system.constraints)} constraints ({', '.join(system.constraints)}) "
            f"and needs as many different dependent coordinates, got {', '.join(names) or 'none'}"
            + (f"; it has no coordinate {', '.join(unknown)}" if unknown else "")
        )
    return np.array([system.coordinates.index(name) for name in names], dtype=np.int64)


@final
class FirstOrderForm:
    """y = (q, v, work of drivers, of controls, dissipated) and ẏ.

    With the embedded and eliminated formulations only independent coordinates count in y; the others follow from
    the constraints and serve as a guess.
    """

    def __init__(self, problem: Problem, stages: int = 4) -> None:
        self.problem, self.system = problem, problem.system
        self.nq, self.nc = len(self.system.coordinates), len(self.system.constraints)
        self.form = kernel_form(problem, stages)
        self.room = room_for(self.system, problem.formulation)
        self.equations = self.system.equations
        self.a, self.lam = np.zeros(self.nq), np.zeros(self.nc)
        self.switches = np.zeros(1, np.int64)  # how often other coordinates were chosen as independent
        projects = (
            self.form.kind < constrained_acceleration.EMBEDDED and self.form.stabilisation == state_rate.PROJECTION
        )
        #: whether states are corrected after a step
        self.changes = self.nc > 0 and (projects or isinstance(problem.formulation, Embedded))

    def _own(self) -> dict[str, np.ndarray]:
        return {"dependent": self.room.dependent, "independent": self.room.independent, "switches": self.switches}

    def save_state(self) -> dict[str, np.ndarray]:
        """Return the state that one evaluation leaves to the next: the split of coordinates, the system's memory."""
        return self._own() | save_memory(self.system)

    def restore_state(self, found: Arrays) -> None:
        """Restore what ``save_state`` returned."""
        require_within(found["dependent"], -1, self.nq)
        require_within(found["independent"], 0, self.nq)
        write(self._own(), found)
        restore_memory(self.system, found)

    def u(self, t: float) -> np.ndarray:
        """Controls at t, linear between grid points."""
        return np.array([np.interp(t, self.problem.t, column) for column in self.problem.u.T])

    def start(self) -> np.ndarray:
        """y at the start, on the constraints."""
        start = self.problem.start
        y = np.concatenate([start.q, start.v, np.zeros(3)])
        return self.project(float(self.problem.t[0]), y)

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ; not a number where the equations fail."""
        y_dot = np.empty_like(y)
        status = state_rate.rates(
            self.equations, self.form, t, y.copy(), self.u(t), self.nc, self.room, self.a, self.lam, y_dot
        )  # fmt: skip
        return y_dot if status == constrained_acceleration.OK else np.full_like(y, np.nan)

    def jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        """∂ẏ/∂y without what the curvature of the constraints adds; not a number where the equations fail."""
        J = np.empty((len(y), len(y)))
        status = state_rate.jacobian(
            self.equations, self.form, t, y, self.u(t), self.nc, self.room, self.a, self.lam, J
        )  # fmt: skip
        return J if status == constrained_acceleration.OK else np.full_like(J, np.nan)

    def project(self, t: float, y: np.ndarray) -> np.ndarray:
        """Project y onto the constraints; NotConverged if that is impossible."""
        return self.all_corrected(np.array([t]), y[None, :])[0]

    def all_corrected(self, t: Vector, y: np.ndarray) -> np.ndarray:
        """Return corrected states for y (n, ·) at the times t (n,)."""
        y = np.ascontiguousarray(y)
        u = np.ascontiguousarray([self.u(float(x)) for x in t]).reshape(len(t), -1)
        status, at, switches = state_rate.correct_all(self.equations, self.form, t, y, u, self.nc, self.room)
        self.switches += switches
        if status != constrained_acceleration.OK:
            raise NotConverged(
                f"the motion of {self.system.name!r} could not be projected onto the constraints at t = "
                f"{t[at]:.6g} s. The configuration may be singular (linearly dependent constraints); "
                "method=GeneralizedAlpha() can pass through it."
            )
        return y

    def to_trajectory(self, states: np.ndarray, notes: dict[str, float]) -> Trajectory:
        """A Trajectory from states (n, ·): accelerations, multipliers and residuals are worked out."""
        n, nq, nc, problem = len(states), self.nq, self.nc, self.problem
        x, work = states[:, : 2 * nq].copy(), states[:, 2 * nq :].copy()
        t, u = problem.kept[:n].copy(), problem.u[:: problem.every][:n].copy()
        a, lam, g, g_dot = (np.zeros((n, k)) for k in (nq, nc, nc, nc))
        status = state_rate.observe(
            self.equations, self.form.kind, t, x, u, nc,
            room_for(self.system, problem.formulation), a, lam, g, g_dot,
        )  # fmt: skip
        if status != constrained_acceleration.OK:
            notes = notes | {"multipliers_unknown_at_the_end": 1.0}
        return Trajectory(
            t=t, q=x[:, :nq].copy(), v=x[:, nq:].copy(), a=a, lam=lam, u=u, work=work, g=g, g_dot=g_dot, notes=notes
        )  # fmt: skip
