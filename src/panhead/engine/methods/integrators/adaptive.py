"""SciPy's adaptive integrators behind the common interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
import scipy.integrate

from panhead.engine.methods.checkpoints import Checkpoint, resume, write
from panhead.engine.methods.integrators.first_order import FirstOrderForm
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import Interrupted, ModelError, NotConverged, SimulationError, require_one_of, require_positive

_ORDERS = {"RK23": 3, "RK45": 5, "DOP853": 8, "Radau": 5, "BDF": 5, "LSODA": 12}
_ONE_STEP = ("RK23", "RK45", "DOP853", "Radau")
_IMPLICIT = ("Radau", "BDF")
_EXPLICIT = ("RK23", "RK45", "DOP853")  # all that one step leaves to the next are t, y, ẏ and its length

_LITTLE_MORE = 1 + 1e-9  # a step of dt is not cut by rounding
_STEP = ("t", "y", "f", "h_abs")  # of a solver of SciPy


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """One of SciPy's solvers with error control. No step is longer than ``max_step``, and steps end at the corners of
    given functions of time, so that no short force is stepped over.

    Projection and the embedded formulation change the state after a step, which only one-step methods
    bear; with BDF and LSODA use Baumgarte's stabilisation.
    """

    orders: ClassVar[dict[str, int]] = _ORDERS

    method: Literal["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"] = "DOP853"
    rtol: float = 1e-9
    atol: float = 1e-11
    max_step: float | None = None  #: [s]; None: the step dt of the simulation

    def __post_init__(self) -> None:
        require_positive(self, "rtol", "atol")
        if self.max_step is not None:
            require_positive(self, "max_step")
        require_one_of(self, _ORDERS, "method")

    @property
    def resumable(self) -> bool:
        """True if a run can be resumed from a checkpoint; the other methods keep histories and factors of their own."""
        return self.method in _EXPLICIT

    def run(self, problem: Problem) -> Trajectory:
        """Integrate, keeping the states at the problem's kept times."""
        motion = FirstOrderForm(problem)
        if motion.changes and self.method not in _ONE_STEP:
            raise ModelError(
                f"{self.method} is a multistep method and cannot be combined with projection or the embedded "
                f"formulation; use one of {', '.join(_ONE_STEP)}, or Baumgarte's stabilisation"
            )
        return _Integration(self, problem, motion).trajectory()


@final
class _Integration:
    """One adaptive integration, step by step, with the state corrected after each."""

    def __init__(self, method: Adaptive, problem: Problem, motion: FirstOrderForm) -> None:
        self.options, self.problem, self.motion = method, problem, motion
        start, end = float(problem.t[0]), float(problem.t[-1])
        self.stops = [*(t for t in problem.system.corners if start < t < end), end]  # where steps end

    def trajectory(self) -> Trajectory:
        """Integrate to the end."""
        kept_t = self.problem.kept
        kept: list[np.ndarray] = []
        steps = 0
        try:
            y = self.motion.start()
            kept.append(y)
            solver = self._solver(float(kept_t[0]), y)
            steps = self._begin(solver, kept)
            while len(kept) < len(kept_t):
                if solver.status == "finished":  # at a corner
                    solver = self._solver(float(solver.t), solver.y)
                self._advance(solver, kept_t, kept)
                steps += 1
                if self.options.resumable and self.problem.checkpoints.due():
                    self.problem.checkpoints.save(self._checkpoint(solver, kept, steps))
        except KeyboardInterrupt:
            raise Interrupted(
                f"interrupted at t = {kept_t[len(kept) - 1]:.6g} s", partial=self._result(kept, steps)
            ) from None
        except SimulationError as error:
            error.partial = self._result(kept, steps)
            raise
        return self._result(kept, steps)

    def _solver(self, t: float, y: np.ndarray) -> Any:
        """Solver from t to the next corner."""
        cls, options = getattr(scipy.integrate, self.options.method), self.options
        # the work integrals follow the step, they do not choose it
        atol = np.concatenate([np.full(len(y) - 3, options.atol), np.full(3, 1e3 * options.atol)])
        more: dict[str, Any] = {}
        if options.method in _IMPLICIT:
            more["jac"] = self.motion.jacobian
        grid = self.problem.t
        longest = (grid[1] - grid[0]) * _LITTLE_MORE if options.max_step is None else options.max_step
        return cls(self.motion.rates, t, y, self._next_stop(t), rtol=options.rtol, atol=atol, max_step=longest, **more)

    def _next_stop(self, t: float) -> float:
        return next(stop for stop in self.stops if stop > t)

    def _checkpoint(self, solver: Any, kept: list[np.ndarray], steps: int) -> Checkpoint:
        state = {name: np.array(getattr(solver, name)) for name in _STEP} | {"steps": np.array(steps)}
        at = (len(kept) - 1) * self.problem.every
        return Checkpoint(at, state | self.motion.save_state(), {"y": np.array(kept)})

    def _begin(self, solver: Any, kept: list[np.ndarray]) -> int:
        """Steps done: none, or those before a checkpoint, from which the solver is resumed."""
        found = self.problem.checkpoints.restore() if self.options.resumable else None
        if found is None:
            return 0
        with resume(found, len(self.problem.t) - 1):
            state = {name: np.array(getattr(solver, name)) for name in _STEP} | {"steps": np.array(0)}
            write(state, found.state)
            self.motion.restore_state(found.state)
            kept[:] = np.reshape(found.rows["y"], (-1, len(solver.y)))
        solver.t, solver.y, solver.f, solver.h_abs = (
            float(state["t"]), state["y"], state["f"], float(state["h_abs"]),
        )  # fmt: skip
        if solver.t in self.stops:
            solver.status = "finished"
        else:
            solver.t_bound = self._next_stop(solver.t)
        return int(state["steps"])

    def _advance(self, solver: Any, kept_t: np.ndarray, kept: list[np.ndarray]) -> None:
        """One step; keep the states it passed, each brought onto the constraints."""
        try:
            message = solver.step()
        except (ValueError, np.linalg.LinAlgError) as error:  # SciPy's factors of what is not finite or singular
            solver.status, message = "failed", str(error)
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise NotConverged(
                f"{self.options.method} stopped at t = {solver.t:.6g} s in {self.problem.system.name!r}: "
                f"{(message or 'the motion is not finite').rstrip('.')}. The constraints may have become "
                "linearly dependent (singular configuration); method=GeneralizedAlpha() can pass through "
                "such configurations and handles stiff systems."
            )
        passed = int(np.searchsorted(kept_t, solver.t, side="right"))
        if passed > len(kept):
            times = kept_t[len(kept) : passed]
            kept.extend(self.motion.all_corrected(times, solver.dense_output()(times).T))
        if self.motion.changes:
            self._restart_from_corrected(solver)
        self.problem.progress((solver.t - kept_t[0]) / (kept_t[-1] - kept_t[0]), f"t = {solver.t:.3g} s")

    def _restart_from_corrected(self, solver: Any) -> None:
        solver.y = self.motion.project(float(solver.t), solver.y.copy())
        solver.f = solver.fun(solver.t, solver.y)
        if self.options.method == "Radau":
            solver.sol = None

    def _result(self, kept: list[np.ndarray], steps: int) -> Trajectory:
        notes = {"steps": float(steps), "switches": float(self.motion.switches[0])}
        return self.motion.to_trajectory(np.array(kept).reshape(len(kept), -1), notes)
