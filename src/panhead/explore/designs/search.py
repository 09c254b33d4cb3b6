"""Optimisation: minimise the objective within bounds and limits, from several starts, with exact gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from panhead.explore.designs.evaluate import Evaluator, Key
from panhead.explore.designs.problem import ObjectiveTerm

_NEAR = 0.1  # a limit farther away than this share of itself is watched, and its gradient not computed
_KEPT = 1e-4  # share by which a limit may be missed
_FAILED = 10.0  # objective of a point whose runs cannot be computed
_TOLERANCE = 1e-5


@dataclass(frozen=True, slots=True)
class KeptLimit:
    """One side of a wish: room = ±(limit − J)/scale ≥ 0."""

    wish: ObjectiveTerm
    sign: float  #: + of an upper limit, − of a lower one
    value: float
    scale: float

    def room(self, numbers: dict[Key, float]) -> float:
        """Margin to the limit, positive while it is satisfied."""
        return self.sign * (self.value - numbers[self.wish.key]) / self.scale


@dataclass(frozen=True, slots=True)
class SearchEnd:
    """Result of the optimisation from one start."""

    x: np.ndarray
    objective: float
    worst: float  #: least room of a limit; negative: missed
    iterations: int
    message: str
    multipliers: np.ndarray | None = None  #: of the limits, as the method tells them; None: it tells none


class ObjectiveFunctions:
    """Objective and limits of a design as functions of x."""

    def __init__(self, evaluator: Evaluator, wishes: Sequence[ObjectiveTerm], before: dict[Key, float]) -> None:
        self.evaluator, self.wishes, self.before = evaluator, list(wishes), before
        self.keys = list(dict.fromkeys(w.key for w in wishes))
        self.limits = [limit for w in wishes for limit in _sides(w, before)]
        self._total = sum(abs(w.weight) for w in wishes)

    def objective(self, x: np.ndarray) -> float:
        """Σ w J/J₀ / Σ |w|."""
        found = self.evaluator.numbers(x, self.keys)
        if found is None:
            return _FAILED
        return sum(w.weight * found[w.key] / abs(self.before[w.key]) for w in self.wishes if w.weight) / self._total

    def objective_x(self, x: np.ndarray) -> np.ndarray:
        """Its gradient."""
        if self.evaluator.numbers(x, self.keys) is None:
            return np.zeros(x.size)
        mine = [w for w in self.wishes if w.weight]
        slopes = self.evaluator.slopes(x, [w.key for w in mine])
        whole = sum((w.weight / abs(self.before[w.key]) * slopes[w.key] for w in mine), np.zeros(x.size))
        return whole / self._total

    def margins(self, x: np.ndarray) -> np.ndarray:
        """Room of every limit; −1 where runs cannot be computed."""
        found = self.evaluator.numbers(x, self.keys)
        return np.full(len(self.limits), -1.0) if found is None else np.array([c.room(found) for c in self.limits])

    def margins_x(self, x: np.ndarray) -> np.ndarray:
        """Its gradient, of limits that are near."""
        found = np.zeros((len(self.limits), x.size))
        if self.evaluator.numbers(x, self.keys) is None:
            return found
        for k in np.flatnonzero(self.margins(x) < _NEAR):
            c = self.limits[k]
            found[k] = -c.sign / c.scale * self.evaluator.slopes(x, [c.wish.key])[c.wish.key]
        return found

    def best(self) -> np.ndarray:
        """Best feasible point evaluated so far; without one, the point of smallest violation."""
        points = [x for x in self.evaluator.ledger.points() if self.evaluator.numbers(x, self.keys) is not None]
        missed = [max(0.0, -float(self.margins(x).min(initial=0.0))) for x in points]
        return min(zip(missed, points, strict=True), key=lambda p: (max(p[0], _KEPT), self.objective(p[1])))[1]


def _sides(wish: ObjectiveTerm, before: dict[Key, float]) -> list[KeptLimit]:
    found = []
    for sign, value in ((1.0, wish.high), (-1.0, wish.low)):
        if value is not None:
            found.append(KeptLimit(wish, sign, value, max(abs(value), abs(before[wish.key])) or 1.0))
    return found


def starts(aim: ObjectiveFunctions) -> list[np.ndarray]:
    """Starting points: the original design, then random points in the inner half of the bounds."""
    problem = aim.evaluator.problem
    low, high = problem.bounds
    rng = np.random.default_rng(problem.design.seed)
    others = [0.5 * rng.uniform(low, high) for _ in range(problem.design.starts - 1)]
    return [np.zeros(low.size), *others]


def search(aim: ObjectiveFunctions, told: Callable[[float, str], None]) -> list[SearchEnd]:
    """Descend from every start; all evaluations are in the ledger, so that a stopped search can be resumed."""
    design = aim.evaluator.problem.design
    found = []
    for k, x in enumerate(starts(aim)):

        def tell(done: int, k: int = k) -> None:
            share = (k + min(1.0, done / design.iterations)) / design.starts
            told(share, f"start {k + 1} of {design.starts}, objective {aim.objective(aim.best()):.4f}")

        found.append(_descend(aim, x, tell))
    return found


def _descend(aim: ObjectiveFunctions, x: np.ndarray, tell: Callable[[int], None]) -> SearchEnd:
    method, count = aim.evaluator.problem.design.method, 0
    if method == "auto":
        method = "slsqp" if aim.limits else "l-bfgs-b"

    def after(*_: object) -> None:
        nonlocal count
        count += 1
        tell(count)

    tell(0)
    return _by_ipopt(aim, x, after) if method == "ipopt" else _by_scipy(aim, x, method, after)


def _by_scipy(aim: ObjectiveFunctions, x: np.ndarray, method: str, after: Callable[..., None]) -> SearchEnd:
    """Sequential quadratic programming, or L-BFGS within bounds."""
    from scipy.optimize import Bounds, minimize

    problem = aim.evaluator.problem
    limits = [{"type": "ineq", "fun": aim.margins, "jac": aim.margins_x}] if aim.limits else []
    end = minimize(
        aim.objective, x, jac=aim.objective_x, bounds=Bounds(*problem.bounds), callback=after,
        method=method.upper(), constraints=limits,
        options={"maxiter": problem.design.iterations, "ftol": _TOLERANCE},
    )  # fmt: skip
    return _search_result(aim, end.x, int(end.nit), str(end.message))


def _by_ipopt(aim: ObjectiveFunctions, x: np.ndarray, after: Callable[[], None]) -> SearchEnd:
    """The interior-point method."""
    from panhead.explore.designs.interior_point import minimise_ipopt

    problem = aim.evaluator.problem
    end = minimise_ipopt(
        lambda x: np.concatenate([[aim.objective(x)], aim.margins(x)]),
        lambda x: np.vstack([aim.objective_x(x)[None], aim.margins_x(x)]),
        x, problem.bounds, limits=len(aim.limits), iterations=problem.design.iterations, tolerance=_TOLERANCE,
        after=after,
    )  # fmt: skip
    return _search_result(aim, end.x, end.iterations, end.message, end.multipliers)


def _search_result(
    aim: ObjectiveFunctions, x: np.ndarray, iterations: int, message: str, multipliers: np.ndarray | None = None
) -> SearchEnd:
    worst = float(aim.margins(x).min(initial=np.inf))
    return SearchEnd(x, aim.objective(x), worst, iterations, message, multipliers)
