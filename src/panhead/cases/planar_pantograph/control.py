"""Optimal control of the planar pantograph beside the published contact parameters [Pappalardo20]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from panhead import scenarios
from panhead.cases.checks import Check, below
from panhead.control.comparison import judged
from panhead.control.continuous import continuous_gradient
from panhead.control.direct import direct
from panhead.control.optimise import Rule, conjugate_gradients, l_bfgs
from panhead.control.problem import ControlProblem
from panhead.control.variables import Variables
from panhead.scenarios.control import problem_of

_TABLE = "Pappalardo and Guida, Table III"
_SAME = "the independent direct transcription, solved by IPOPT"
_TOLD = "told; nothing is published"


def planar_pantograph_control() -> Sequence[Check]:
    """The shipped scenario by every optimiser; the gradient by Taylor's remainder."""
    scenario = scenarios.read("planar-pantograph-control")
    result = scenario.simulate()
    ours, u = judged(result), result["u"].to_numpy()[:, 0]
    problem = problem_of(scenario.description)
    table = [
        Check(quantity="deviation of the interaction force cut by", value=ours.cut, unit="%",
              reference=82.064, low=82.06, high=None, source=_TABLE),
        Check(quantity="mean of the interaction force moved by", value=ours.moved, unit="%",
              reference=1.036, low=0.0, high=1.04, source=_TABLE),
        _told("mean with control", ours.controlled[0], "N", -29.876, _TABLE),
        _told("deviation with control", ours.controlled[1], "N", 2.798, _TABLE),
        _told("control effort, root mean square", float(np.sqrt(np.mean(u**2))), "N"),
        _told("control effort, largest", float(np.abs(u).max()), "N"),
        _told("control effort, ∫u² dt", float(np.trapezoid(u**2, result["time"])), "N²·s"),
        _told("work of the control", float(result["work_controls"][-1]), "J"),
    ]  # fmt: skip
    return [*table, *_optimisers(problem), *_gradient(problem)]


def _told(
    quantity: str, value: float, unit: str, reference: float | None = None, source: str = _TOLD
) -> Check:
    """A quantity without bounds."""
    return Check(
        quantity=quantity, value=value, unit=unit, reference=reference, low=None, high=None, source=source
    )  # fmt: skip


def _optimisers(problem: ControlProblem) -> list[Check]:
    """Every descent against the direct method: within 1 % in cost."""
    ceiling = direct(problem)[1]
    options: dict[str, Any] = {"tolerance": 1e-3}
    costs = {
        rule: conjugate_gradients(Variables(problem), rule, **options).cost
        for rule in get_args(Rule)
    }
    costs["l-bfgs"] = l_bfgs(Variables(problem), **options).cost
    rows = [_told("cost, direct method", ceiling, "N²·s", source=_SAME)]
    rows += [
        below(f"cost of {name} against the direct method", 100 * (cost / ceiling - 1), 1.0,
              unit="%", source=_SAME)
        for name, cost in costs.items()
    ]  # fmt: skip
    return rows


def _gradient(problem: ControlProblem) -> list[Check]:
    """The slope of |J(u + h d) − J(u) − h ∇J·d| over four decades of h [N], and central differences."""
    u = 5.0 * np.sin(3 * problem.t)[:, None]
    direction = np.cos(7 * problem.t)[:, None]
    g, h = problem.gradient(u), np.logspace(1, -3, 9)
    along = float((g.u * direction).sum())
    cost = lambda x: problem.evaluate(u + x * direction).cost
    remainder = [abs(cost(x) - g.cost - x * along) for x in h]
    slope = float(np.polyfit(np.log(h), np.log(remainder), 1)[0])
    difference = (cost(1e-2) - cost(-1e-2)) / 2e-2
    return [
        _told("continuous adjoint against the discrete one, relative", _continuous(problem, u, g.u),
              "1", source="second order in the step; the printed (43) lacks its factor Δt"),
        Check(quantity="slope of Taylor's remainder", value=slope, unit="1", reference=2.0,
              low=1.95, high=2.05, source="an exact gradient leaves the second order"),
        below("gradient against central differences, relative", along / difference - 1, 1e-7,
              unit="1", source="differences with h = 0.01 N leave about 1e-9"),
    ]  # fmt: skip


def _continuous(problem: ControlProblem, u: np.ndarray, exact: np.ndarray) -> float:
    """How far the gradient density of the continuous adjoint is from the exact one, in the L² norm."""
    root = np.sqrt(problem.weights.time)[:, None]
    apart = (continuous_gradient(problem, u) - exact) / root
    return float(np.linalg.norm(apart) / np.linalg.norm(exact / root))
