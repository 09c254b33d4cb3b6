"""A problem as ẏ = F(t, y) for methods that choose their own steps: compiled where it can be, in Python elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, final

import numpy as np

from panhead.errors import NotConverged
from panhead.kernels import constrained, explicit
from panhead.methods.formulations import Embedded
from panhead.methods.integrators.explicit import kernel_method, observed
from panhead.methods.integrators.python_path import PythonRates, observed_in_python
from panhead.methods.linear_solvers import SingularMatrix
from panhead.methods.trajectory import Problem, Trajectory


class Motion(Protocol):
    """y = (coordinates that are integrated, their rates, three works)."""

    changes: bool  #: whether states are corrected after a step
    jacobian: Callable[[float, np.ndarray], np.ndarray] | None  #: ∂ẏ/∂y

    @property
    def switches(self) -> int:
        """How often dependent coordinates were chosen anew."""

    def start(self) -> np.ndarray:
        """y at the start, on the constraints."""

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """ẏ; not a number where the equations fail."""

    def corrected(self, t: float, y: np.ndarray) -> np.ndarray:
        """y brought back onto the constraints; NotConverged if that is impossible."""

    def recorded(self, t: float, y: np.ndarray) -> np.ndarray:
        """(q, v, works) with all coordinates, on the constraints."""

    def observed(self, x: np.ndarray, work: np.ndarray, notes: dict[str, float]) -> Trajectory:
        """A Trajectory from states x (n, 2 nq)."""


@final
class CompiledMotion:
    """By the compiled terms of a system."""

    def __init__(self, problem: Problem) -> None:
        assert problem.system.compiled is not None
        self.problem, self.compiled = problem, problem.system.compiled
        self.nq, self.nc = len(problem.system.coordinates), len(problem.system.constraints)
        self.kernel = kernel_method(problem, 4)
        self.p = np.array(list(problem.system.parameters.values()))
        self.work, self.a, self.lam, _ = explicit.scratch(self.nq, self.nc)
        self.switches = 0
        self.jacobian: Callable[[float, np.ndarray], np.ndarray] | None = None
        moves = (
            self.kernel.stabilisation == explicit.PROJECTION
            or self.kernel.form == constrained.EMBEDDED
        )
        self.changes = self.nc > 0 and moves

    def u(self, t: float) -> np.ndarray:
        """Controls at t, linear between grid points."""
        return np.array([np.interp(t, self.problem.t, column) for column in self.problem.u.T])

    def start(self) -> np.ndarray:
        start = self.problem.start
        return self.corrected(
            float(self.problem.t[0]), np.concatenate([start.q, start.v, np.zeros(3)])
        )

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
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

    def corrected(self, t: float, y: np.ndarray) -> np.ndarray:
        if self._correct(t, y) != constrained.OK:
            raise _lost(self.problem, t)
        return y

    def _correct(self, t: float, y: np.ndarray) -> int:
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

    def recorded(self, t: float, y: np.ndarray) -> np.ndarray:
        return self.corrected(t, y)

    def observed(self, x: np.ndarray, work: np.ndarray, notes: dict[str, float]) -> Trajectory:
        return observed(self.problem, x, work, notes)


@final
class PythonMotion:
    """Through the seam alone."""

    def __init__(self, problem: Problem) -> None:
        self.problem, self.motion = problem, PythonRates(problem)
        self.changes = self.motion.changes
        self.jacobian: Callable[[float, np.ndarray], np.ndarray] | None = self._jacobian

    @property
    def switches(self) -> int:
        return self.motion.switches

    def start(self) -> np.ndarray:
        return self.motion.start()

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        try:
            return self.motion.rates(t, y, self.motion.u(t))
        except (SingularMatrix, NotConverged, np.linalg.LinAlgError):
            return np.full_like(y, np.nan)

    def _jacobian(self, t: float, y: np.ndarray) -> np.ndarray:
        return self.motion.jacobian(t, y, self.motion.u(t))

    def corrected(self, t: float, y: np.ndarray) -> np.ndarray:
        try:
            return self.motion.corrected(t, y)
        except (SingularMatrix, np.linalg.LinAlgError):
            raise _lost(self.problem, t) from None

    def recorded(self, t: float, y: np.ndarray) -> np.ndarray:
        if self.motion.split is None:
            return self.corrected(t, y)
        return np.concatenate([*self.motion.state(t, y), y[-3:]])

    def observed(self, x: np.ndarray, work: np.ndarray, notes: dict[str, float]) -> Trajectory:
        return observed_in_python(self.problem, x, work, notes)


def _lost(problem: Problem, t: float) -> NotConverged:
    return NotConverged(
        f"the constraints of {problem.system.name!r} could not be met again at t = {t:.6g} s. "
        "Tighten the tolerance."
    )
