"""SciPy's adaptive methods behind the same interface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

import numpy as np
import scipy.integrate

from panhead.errors import Interrupted, ModelError, NotConverged, SimulationError, require_positive
from panhead.formulations import Embedded, Projection
from panhead.integrators.explicit import kernel_method, observed
from panhead.kernels import constrained, explicit
from panhead.trajectory import Problem, Trajectory

_ORDERS = {"RK23": 3, "RK45": 5, "DOP853": 8, "Radau": 5, "BDF": 5, "LSODA": 12}
_ONE_STEP = ("RK23", "RK45", "DOP853", "Radau")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """One of SciPy's solvers with error control; the grid of the problem only says what to keep.

    Projection and the embedded formulation change the state after a step, which only one-step methods
    bear; with BDF and LSODA use Baumgarte's stabilisation.
    """

    orders: ClassVar[dict[str, int]] = _ORDERS

    method: Literal["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"] = "DOP853"
    rtol: float = 1e-9
    atol: float = 1e-11
    max_step: float = np.inf  #: [s]

    def __post_init__(self) -> None:
        require_positive(self, "rtol", "atol")

    def run(self, problem: Problem) -> Trajectory:
        """Integrate, keeping the states at the problem's kept times."""
        changes = isinstance(problem.stabilisation, Projection) or isinstance(
            problem.formulation, Embedded
        )
        if problem.system.constraints and changes and self.method not in _ONE_STEP:
            raise ModelError(
                f"{self.method} keeps a history and cannot be combined with projection or the embedded "
                f"formulation; use one of {', '.join(_ONE_STEP)}, or Baumgarte's stabilisation"
            )
        return _Integration(self, problem).trajectory()


@final
class _Integration:
    """One adaptive integration, step by step, with the state corrected after each."""

    def __init__(self, method: Adaptive, problem: Problem) -> None:
        if problem.system.compiled is None:
            raise ModelError(
                f"{problem.system.name!r} has no compiled terms; use the generalized-α method"
            )
        self.options, self.problem, self.compiled = method, problem, problem.system.compiled
        self.nq, self.nc = len(problem.system.coordinates), len(problem.system.constraints)
        self.kernel = kernel_method(problem, 4)
        self.p = np.array(list(problem.system.parameters.values()))
        self.work, self.a, self.lam, _ = explicit.scratch(self.nq, self.nc)
        self.switches = 0

    def u(self, t: float) -> np.ndarray:
        """Controls at t, linear between grid points."""
        return np.array([np.interp(t, self.problem.t, column) for column in self.problem.u.T])

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ of y = (q, v, work)."""
        y_dot = np.empty_like(y)
        status = explicit.rates(
            self.compiled.terms,
            self.compiled.powers,
            self.kernel,
            t,
            y.copy(),
            self.u(t),
            self.p,
            self.nc,
            self.work,
            self.a,
            self.lam,
            y_dot,
        )
        return y_dot if status == constrained.OK else np.full_like(y, np.nan)

    def correct(self, t: float, y: np.ndarray) -> int:
        """Bring y back onto the constraints, in place; a status."""
        x, u = y[: 2 * self.nq], self.u(t)
        if isinstance(self.problem.formulation, Embedded):
            change = constrained.choose_coordinates(
                self.compiled.terms, t, x, u, self.p, self.nc, self.work
            )
            self.switches += max(change, 0)
            return (
                constrained.settle(self.compiled.terms, t, x, u, self.p, self.nc, self.work)
                if change >= 0
                else constrained.SINGULAR
            )
        if self.kernel.stabilisation == explicit.PROJECTION:
            return constrained.project(self.compiled.terms, t, x, u, self.p, self.nc, self.work)
        return constrained.OK

    def trajectory(self) -> Trajectory:
        """Integrate to the end."""
        kept_t, start = self.problem.kept, self.problem.start
        y = np.concatenate([start.q, start.v, np.zeros(3)])
        kept = np.empty((len(kept_t), y.size))
        kept[0], done, steps, solver = y, 1, 0, None
        try:
            self._corrected(float(kept_t[0]), y)
            kept[0] = y
            solver = self._solver(float(kept_t[0]), y, float(kept_t[-1]))
            while done < len(kept_t):
                done = self._advance(solver, kept_t, kept, done)
                steps += 1
        except KeyboardInterrupt:
            partial = self._result(kept[:done], steps)
            raise Interrupted(
                f"interrupted at t = {kept_t[done - 1]:.6g} s", partial=partial
            ) from None
        except SimulationError as error:
            error.partial = self._result(kept[:done], steps)
            raise
        return self._result(kept, steps)

    def _solver(self, t: float, y: np.ndarray, end: float) -> Any:
        cls = getattr(scipy.integrate, self.options.method)
        # the work integrals follow the step, they do not choose it
        atol = np.concatenate(
            [np.full(2 * self.nq, self.options.atol), np.full(3, 1e3 * self.options.atol)]
        )
        return cls(
            self.rates, t, y, end, rtol=self.options.rtol, atol=atol, max_step=self.options.max_step
        )

    def _advance(self, solver: Any, kept_t: np.ndarray, kept: np.ndarray, done: int) -> int:
        """One step; fill the kept states it passed, each brought onto the constraints."""
        message = solver.step()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise NotConverged(
                f"{self.options.method} stopped at t = {solver.t:.6g} s in {self.problem.system.name!r}: "
                f"{message or 'the motion is not finite'}. Loosen the tolerance, or look for a configuration in which "
                "constraints depend on one another."
            )
        passed = int(np.searchsorted(kept_t, solver.t, side="right"))
        if passed > done:
            inside = solver.dense_output()
            for i in range(done, passed):
                kept[i] = inside(kept_t[i])
                self._corrected(float(kept_t[i]), kept[i])
        if self.nc and (
            self.kernel.stabilisation == explicit.PROJECTION
            or self.kernel.form == constrained.EMBEDDED
        ):
            self._restart_from_corrected(solver)
        self.problem.progress(
            (solver.t - kept_t[0]) / (kept_t[-1] - kept_t[0]), f"t = {solver.t:.3g} s"
        )
        return passed

    def _corrected(self, t: float, y: np.ndarray) -> None:
        """Bring y back onto the constraints, in place, or say that it cannot be done."""
        if self.correct(t, y) != constrained.OK:
            raise NotConverged(
                f"the constraints of {self.problem.system.name!r} could not be met again at "
                f"t = {t:.6g} s. Tighten the tolerance."
            )

    def _restart_from_corrected(self, solver: Any) -> None:
        y = solver.y.copy()
        self._corrected(float(solver.t), y)
        solver.y = y
        solver.f = solver.fun(solver.t, y)
        if self.options.method == "Radau":
            solver.sol = None

    def _result(self, states: np.ndarray, steps: int) -> Trajectory:
        n = 2 * self.nq
        return observed(
            self.problem,
            states[:, :n].copy(),
            states[:, n:].copy(),
            {"steps": float(steps), "switches": float(self.switches)},
        )
