"""Backward differentiation formulas of variable step and order, with the state corrected after every step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import scipy.integrate
import scipy.linalg

from panhead.engine.methods.integrators.first_order import FirstOrderForm
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import Interrupted, ModelError, NotConverged, SimulationError, require_positive

_HIGHEST = 5  # formulas of order six are hardly stable, of higher order not at all
_ITERATIONS = 6
_SAFETY = 0.9


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BDF:
    """Gear's method on the stabilised equations of index 1              [Gear71], as [Ambrosio11] uses it.

        Σₖ (1/k) ∇ᵏ y₁ = h ẏ(t₁, y₁),   k = 1 … order

    Step and order follow the local error; after each accepted step positions and rates are brought back onto
    the constraints (``Projection``), or Baumgarte's terms keep them near. With ``step`` the step is fixed and the
    order is ``max_order`` throughout, from starting values of its own.
    """

    highest: ClassVar[int] = _HIGHEST

    rtol: float = 1e-7
    atol: float = 1e-9
    max_order: int = _HIGHEST
    step: float | None = None  #: [s]; None: chosen by the error

    def __post_init__(self) -> None:
        require_positive(self, "rtol", "atol")
        if self.max_order not in range(1, _HIGHEST + 1):
            raise ModelError(f"BDF: max_order must be 1 … {_HIGHEST}, got {self.max_order!r}")
        if self.step is not None:
            require_positive(self, "step")

    def run(self, problem: Problem) -> Trajectory:
        """Integrate, keeping the states at the problem's kept times."""
        return BackwardDifferences(self, problem).trajectory()


@final
class BackwardDifferences:
    """Backward differences D[k] = ∇ᵏ y at equal steps h, interpolated anew when h changes [Shampine97]."""

    def __init__(self, method: BDF, problem: Problem) -> None:
        self.method, self.problem = method, problem
        self.motion = FirstOrderForm(problem)
        self.t, self.end = float(problem.t[0]), float(problem.kept[-1])
        self.kept: list[np.ndarray] = []
        self.steps = self.factors = self.equal = 0
        self.J = np.zeros((0, 0))
        self.lu: tuple[np.ndarray, np.ndarray] | None = None
        self.fresh = False
        self.longest: float | None = None  # of a step, where intervals follow one another [s]
        self.after_step: Callable[[float, np.ndarray], np.ndarray] | None = None  # a correction of its own

    def trajectory(self) -> Trajectory:
        """March to the end."""
        try:
            self.begin()
            while len(self.kept) < len(self.problem.kept):
                self._advance()
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted at t = {self.t:.6g} s", partial=self._result()) from None
        except SimulationError as error:
            error.partial = self._result()
            raise
        return self._result()

    def begin(self) -> None:
        """The first values: order one and a short step, or a history at equal steps."""
        y = self.motion.start()
        self.kept.append(self.motion.project(self.t, y.copy()))
        self.D = np.zeros((_HIGHEST + 3, len(y)))
        if self.method.step is not None:
            self._start_with_history(y, self.method.step)
            return
        f = self.motion.rates(self.t, y)
        scale = self.method.atol + self.method.rtol * np.abs(y)
        size = float(np.sqrt(np.mean((f[:-3] / scale[:-3]) ** 2)))
        self.h = min(1e-2 / max(size, 1e-3), 1e-3 * (self.end - self.t))
        self.order = 1
        self.D[0], self.D[1] = y, self.h * f

    def _start_with_history(self, y: np.ndarray, h: float) -> None:
        """Values at the first equal steps by a one-step method of high order and tight tolerance."""
        self.order, self.h = self.method.max_order, h
        ends = self.t + h * np.arange(self.order + 1)
        run = scipy.integrate.solve_ivp(
            self.motion.rates, (self.t, ends[-1]), y, "DOP853", ends, rtol=1e-12, atol=1e-14
        )
        for k in range(self.order + 1):
            self.D[k] = np.diff(run.y, n=k, axis=1)[:, -1]
        states = dict(zip(ends.tolist(), run.y.T, strict=True))
        self.t = float(ends[-1])
        for t in self.problem.kept[1:]:
            if t > self.t + 1e-12:
                break
            nearest = min(states, key=lambda x: abs(x - t))
            self.kept.append(self.motion.project(float(t), states[nearest].copy()))

    def pass_interval(self, problem: Problem) -> None:
        """Continue over another problem of the same system with all differences kept; no step is longer than it."""
        self.problem = self.motion.problem = problem
        self.end, start = float(problem.t[-1]), float(problem.t[0])
        self.longest = self.end - start
        while (left := self.end - self.t) > 1e-9 * self.longest:
            # equal steps up to the end: a short last one would be the next interval's first
            fitting = left / np.ceil(left / self.h - 1e-9)
            if abs(fitting / self.h - 1) > 1e-9:
                self._rescale(float(fitting / self.h))
            self._accept()
        self.t = self.end

    def _advance(self) -> None:
        """One accepted step; keep the states it passed."""
        self._accept()
        kept_t = self.problem.kept
        while len(self.kept) < len(kept_t) and kept_t[len(self.kept)] <= self.t + 1e-12:
            t = float(kept_t[len(self.kept)])
            self.kept.append(self.motion.project(t, self._inside(t)))
        span = self.end - float(self.problem.t[0])
        self.problem.progress(min(1.0, 1 - (self.end - self.t) / span), f"t = {self.t:.3g} s")

    def _accept(self) -> None:
        """Try steps until one is accepted; then choose the order and length of the next."""
        while not self._try():
            self.steps += 1
            if not self.h > 1e-14 * max(1.0, abs(self.t)):
                raise NotConverged(
                    f"BDF stopped at t = {self.t:.6g} s in {self.problem.system.name!r}: no step is small enough. "
                    "Loosen the tolerance, or check for a singular configuration, where constraints become "
                    "linearly dependent."
                )
        self.steps += 1
        self.t += self.h
        if self.after_step is not None:
            self.D[0] = self.after_step(self.t, self.D[0])
        elif self.motion.changes:
            self.D[0] = self.motion.project(self.t, self.D[0].copy())
        if self.method.step is None:
            self._choose()

    def _inside(self, t: float) -> np.ndarray:
        """The interpolating polynomial of the last values at t."""
        x = (t - self.t) / self.h
        y, factor = self.D[0].copy(), 1.0
        for k in range(1, self.order + 1):
            factor *= (x + k - 1) / k
            y += factor * self.D[k]
        return y

    def _try(self) -> bool:
        """Predict, correct, test the error; True if the step was taken."""
        order, h, t = self.order, self.h, self.t + self.h
        gamma = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, order + 1))])
        predicted = self.D[: order + 1].sum(axis=0)
        psi = self.D[1 : order + 1].T @ gamma[1:] / gamma[order]
        scale = self.method.atol + self.method.rtol * np.abs(predicted)
        change = self._newton(t, predicted, psi, h / gamma[order], scale)
        if change is None:
            return self._shorter(0.5)
        error = self._scaled_norm(change / (order + 1), scale)
        if self.method.step is None and not error <= 1.0:
            return self._shorter(max(0.2, _SAFETY * error ** (-1 / (order + 1))))
        self.D[order + 2] = change - self.D[order + 1]
        self.D[order + 1] = change
        for k in range(order, -1, -1):
            self.D[k] += self.D[k + 1]
        self.equal += 1
        self.error, self.scale = error, scale
        return True

    def _shorter(self, factor: float) -> bool:
        if self.method.step is not None:
            raise NotConverged(
                f"Newton's method did not converge at t = {self.t:.6g} s (step {self.h:.3g} s) in "
                f"{self.problem.system.name!r}. Shorten the step."
            )
        self._rescale(factor)
        return False

    def _newton(
        self, t: float, predicted: np.ndarray, psi: np.ndarray, c: float, scale: np.ndarray
    ) -> np.ndarray | None:
        """d with c ẏ(t, y + d) − psi − d = 0; the Jacobian is kept while it serves."""
        for again in (False, True):
            if self.lu is None or again:
                if again or not self.J.size:
                    self.J = self.motion.jacobian(t, predicted)
                self.lu = scipy.linalg.lu_factor(np.eye(len(psi)) - c * self.J)
                self.factors += 1
            d = self._corrector(t, predicted, psi, c, scale)
            if d is not None:
                return d
        return None

    def _corrector(
        self, t: float, predicted: np.ndarray, psi: np.ndarray, c: float, scale: np.ndarray
    ) -> np.ndarray | None:
        d, last = np.zeros_like(predicted), np.inf
        for _ in range(_ITERATIONS):
            r = c * self.motion.rates(t, predicted + d) - psi - d
            if not np.isfinite(r).all():
                return None
            delta = scipy.linalg.lu_solve(self.lu, r)
            d = d + delta
            size = self._scaled_norm(delta, scale)
            if size > 2 * last:
                return None
            if size <= self._newton_tolerance():
                return d
            last = size
        return None

    def _newton_tolerance(self) -> float:
        """Return the size of a Newton step that ends the iteration, relative to the tolerance."""
        return 1e-2 if self.method.step is None else 1e-5

    @staticmethod
    def _scaled_norm(x: np.ndarray, scale: np.ndarray) -> float:
        """Root mean square relative to the tolerance; the works follow, they do not control the step."""
        return float(np.sqrt(np.mean((x[:-3] / scale[:-3]) ** 2)))

    def _choose(self) -> None:
        """Order and step with the largest step for the same error, after order + 1 equal steps."""
        if self.equal <= self.order:
            return
        order = self.order
        errors = {order: self.error}
        if order > 1:
            errors[order - 1] = self._scaled_norm(self.D[order] / order, self.scale)
        if order < self.method.max_order:
            errors[order + 1] = self._scaled_norm(self.D[order + 2] / (order + 2), self.scale)
        longer = {k: max(e, 1e-10) ** (-1 / (k + 1)) for k, e in errors.items()}
        self.order = max(longer, key=lambda k: longer[k])
        factor = min(10.0, _SAFETY * longer[self.order])
        left = self.end - self.t if self.longest is None else self.longest
        if left > 0 and (self.longest is None or self.order != order or not 0.9 <= min(factor, left / self.h) < 1.2):
            self._rescale(min(factor, max(left / self.h, 1e-3)) if factor > 1 else factor)

    def _rescale(self, factor: float) -> None:
        """Differences for the step factor · h from those for h: the same polynomial, sampled anew."""
        n = self.order + 1
        R = _step_change_matrix(self.order, factor) @ _step_change_matrix(self.order, 1.0)
        self.D[:n] = R.T @ self.D[:n]
        self.h *= factor
        self.equal, self.lu = 0, None

    def _result(self) -> Trajectory:
        notes = {"steps": float(self.steps), "factorisations": float(self.factors)}
        return self.motion.to_trajectory(np.array(self.kept).reshape(len(self.kept), -1), notes)


def _step_change_matrix(order: int, factor: float) -> np.ndarray:
    """Binomials by which differences change when the step does [Shampine97, eq. (7)]."""
    i, j = np.arange(1, order + 1)[:, None], np.arange(1, order + 1)
    M = np.zeros((order + 1, order + 1))
    M[1:, 1:] = (i - 1 - factor * j) / i
    M[0] = 1
    return np.cumprod(M, axis=0)
