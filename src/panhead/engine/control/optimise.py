"""Descent: nonlinear conjugate gradients with a strong-Wolfe line search, and L-BFGS-B."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, final

import numpy as np
import scipy.optimize

from panhead.engine.control.variables import Variables
from panhead.engine.jobs import STOPPED, ignore_progress
from panhead.errors import ModelError, NotConverged, SimulationError

Rule = Literal["steepest-descent", "fletcher-reeves", "polak-ribiere", "polak-ribiere+", "hestenes-stiefel", "dai-yuan"]


@final
@dataclass(frozen=True, slots=True)
class Iteration:
    """One line of the history."""

    number: int
    cost: float
    gradient: float  #: norm of ∂J/∂θ
    step: float  #: length of the step in θ


@final
@dataclass(frozen=True, slots=True)
class Optimum:
    """The best point found; ``converged`` says whether the gradient became small."""

    theta: np.ndarray
    cost: float
    converged: bool
    reason: str
    history: tuple[Iteration, ...]
    evaluations: int


def beta(rule: Rule, g1: np.ndarray, g0: np.ndarray, d: np.ndarray) -> float:
    """β of D = −G + β D₋                                        [Pappalardo20, eq. (37)]

    with Hestenes–Stiefel and Dai–Yuan free of the leading minus that the printed formulas carry; 0 is steepest descent.
    """
    change = g1 - g0
    if rule == "steepest-descent":
        return 0.0
    if rule == "fletcher-reeves":
        return float(g1 @ g1 / (g0 @ g0))
    if rule == "polak-ribiere":
        return float(g1 @ change / (g0 @ g0))
    if rule == "polak-ribiere+":
        return max(0.0, float(g1 @ change / (g0 @ g0)))
    across = float(d @ change)
    return float((g1 @ change if rule == "hestenes-stiefel" else g1 @ g1) / across) if across else 0.0


#: answers f(x) from an earlier search, or computes it: see ``panhead.runs.checkpoints.evaluation_cache``
Known = Callable[[np.ndarray, Callable[[], np.ndarray]], np.ndarray]


def compute_uncached(x: np.ndarray, compute: Callable[[], np.ndarray]) -> np.ndarray:
    """Evaluate without a cache: compute every value."""
    return compute()


@final
@dataclass(slots=True)
class _Objective:
    """Cost and gradient of θ; remembers the last point and the best one."""

    variables: Variables
    known: Known
    evaluations: int = 0
    theta: np.ndarray | None = None
    value: tuple[float, np.ndarray] = field(default=(np.inf, np.zeros(0)))
    best: tuple[float, np.ndarray] = field(default=(np.inf, np.zeros(0)))

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        if self.theta is None or not np.array_equal(theta, self.theta):
            self.evaluations += 1
            try:
                cost, *slope = self.known(theta, lambda: self._evaluate(theta))
                self.value = (float(cost), np.array(slope))
            except SimulationError:  # a step too far: the line search shortens it
                if not np.isfinite(self.best[0]):
                    raise
                self.value = (np.inf, np.zeros_like(theta))
            self.theta = theta.copy()
            if self.value[0] < self.best[0]:
                self.best = (self.value[0], theta.copy())
        return self.value

    def _evaluate(self, theta: np.ndarray) -> np.ndarray:
        found = self.variables.problem.gradient(*self.variables.split(theta))
        return np.array([found.cost, *self.variables.pull(found)])

    def cost(self, theta: np.ndarray) -> float:
        return self(theta)[0]

    def slope(self, theta: np.ndarray) -> np.ndarray:
        return self(theta)[1]


def conjugate_gradients(
    variables: Variables,
    rule: Rule = "polak-ribiere+",
    *,
    start: np.ndarray | None = None,
    iterations: int = 200,
    tolerance: float = 1e-6,
    progress: Callable[[float, str], None] = ignore_progress,
    known: Known = compute_uncached,
) -> Optimum:
    """Nonlinear conjugate gradients until the gradient has fallen by ``tolerance``.

    The line search is strong-Wolfe with c₁ = 1e-4, c₂ = 0.1; a direction that does not descend, or in
    which no step is found, is replaced by steepest descent once before giving up.
    """
    if variables.bounded():
        raise ModelError("conjugate gradients do not support bounds; use l_bfgs, or remove the bounds")
    f = _Objective(variables, known)
    theta = variables.start() if start is None else np.array(start, float)
    cost, g = f(theta)
    if not np.isfinite(cost):
        raise NotConverged("the cost of the first run is not finite; start from other controls")
    first, before = float(np.linalg.norm(g)), cost + float(np.linalg.norm(g)) / 2
    history, d, steepest, reason = [Iteration(0, cost, first, 0.0)], -g, True, "iteration limit reached"
    try:
        while len(history) <= iterations and history[-1].gradient > tolerance * max(first, 1e-300):
            alpha = _line_search(f, theta, d, g, cost, before)
            if alpha is None:
                if steepest:
                    reason = "no step lowers the cost any further"
                    break
                d, steepest = -g, True
                continue
            theta, before = theta + alpha * d, cost
            cost, g1 = f(theta)
            history.append(Iteration(len(history), cost, float(np.linalg.norm(g1)), float(alpha * np.linalg.norm(d))))
            progress(
                len(history) / (iterations + 1),
                f"cost {cost:.5g}, gradient {history[-1].gradient:.2e}, step {history[-1].step:.2e}",
            )
            d = -g1 + beta(rule, g1, g, d) * d
            steepest = not d @ g1 < 0
            d, g = (-g1 if steepest else d), g1
        else:
            if history[-1].gradient <= tolerance * max(first, 1e-300):
                reason = "gradient small"
    except KeyboardInterrupt:
        reason = STOPPED
    return Optimum(f.best[1], f.best[0], reason == "gradient small", reason, tuple(history), f.evaluations)


def _line_search(
    f: _Objective, theta: np.ndarray, d: np.ndarray, g: np.ndarray, cost: float, before: float
) -> float | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SciPy warns where we look at the result
        return scipy.optimize.line_search(f.cost, f.slope, theta, d, g, cost, before, c1=1e-4, c2=0.1, maxiter=30)[0]


def l_bfgs(
    variables: Variables,
    *,
    start: np.ndarray | None = None,
    iterations: int = 200,
    tolerance: float = 1e-6,
    progress: Callable[[float, str], None] = ignore_progress,
    known: Known = compute_uncached,
) -> Optimum:
    """SciPy's L-BFGS-B, which keeps bounds, until the projected gradient has fallen by ``tolerance``."""
    f = _Objective(variables, known)
    theta = variables.start() if start is None else np.array(start, float)
    cost, g = f(theta)
    if not np.isfinite(cost):
        raise NotConverged("the cost of the first run is not finite; start from other controls")
    first = max(float(np.abs(g).max()), 1e-300)
    history = [Iteration(0, cost, float(np.linalg.norm(g)), 0.0)]
    last = theta

    def note(x: np.ndarray) -> None:
        nonlocal last
        value, slope = f(x)
        history.append(Iteration(len(history), value, float(np.linalg.norm(slope)), float(np.linalg.norm(x - last))))
        last = x.copy()
        progress(
            len(history) / (iterations + 1),
            f"cost {value:.5g}, gradient {history[-1].gradient:.2e}, step {history[-1].step:.2e}",
        )

    reason, converged = STOPPED, False
    try:
        found: Any = scipy.optimize.minimize(
            f,
            theta,
            jac=True,
            method="L-BFGS-B",
            bounds=scipy.optimize.Bounds(*variables.bounds()),
            callback=note,
            options={
                "maxiter": iterations,
                "gtol": tolerance * first,
                "ftol": 1e-15,
                "maxcor": 30,
                "maxfun": 20 * iterations,
            },
        )
        reason, converged = str(found.message), bool(found.success)
    except KeyboardInterrupt:
        pass
    return Optimum(f.best[1], f.best[0], converged, reason, tuple(history), f.evaluations)
