"""Optimal control of the planar pantograph against the published contact parameters [Pappalardo20]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
import xarray as xr

from panhead.engine.control.continuous_adjoint import continuous_gradient
from panhead.engine.control.control_comparison import our_numbers
from panhead.engine.control.direct_transcription import direct
from panhead.engine.control.optimise import Rule, conjugate_gradients, l_bfgs
from panhead.engine.control.problem import ControlProblem
from panhead.engine.control.variables import Variables
from panhead.runs import scenarios
from panhead.runs.scenarios.control_kind import problem_of
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, below, between, listed, near
from panhead.validation.planar_pantograph.weights import PRINTED, REFERENCES, with_printed_deviation

_TABLE = "Pappalardo and Guida, Table III"
_SAME = "the independent direct transcription, solved by IPOPT"
_FREE = "the weight on the control is not printed: a small enough one meets any cut"
_FOR_INFORMATION = "for information; no published value"
_MODES = ((2 * np.pi * 0.792, 0.018), (2 * np.pi * 5.063, 0.159))  # ω [rad/s] and ζ about the equilibrium
_FASTEST = _MODES[1][0]


def planar_pantograph_control() -> Sequence[Check]:
    """The shipped scenario by every optimiser; the gradient by Taylor's remainder."""
    scenario = scenarios.read("planar-pantograph-control")
    result = scenario.simulate()
    ours, u = our_numbers(result), result["u"].to_numpy()[:, 0]
    problem = problem_of(scenario.description)
    table = [
        at_least("deviation of the interaction force cut by", ours.cut, 82.06, "%", f"{_TABLE}; {_FREE}",
            reference=82.064, by=AFTER),
        between("mean of the interaction force moved by", ours.moved, (0.0, 1.04), "%", f"{_TABLE}; {_FREE}",
            reference=1.036, by=AFTER),
        listed("mean with control", ours.controlled[0], -29.876, "N", _TABLE),
        listed("deviation with control", ours.controlled[1], 2.798, "N", _TABLE),
        listed("control effort, root mean square", np.sqrt(np.mean(u**2)), None, "N", _FOR_INFORMATION),
        listed("control effort, largest", np.abs(u).max(), None, "N", _FOR_INFORMATION),
        listed("control effort, ∫u² dt", np.trapezoid(u**2, result["time"]), None, "N²·s", _FOR_INFORMATION),
        listed("work of the control", float(result["work_controls"][-1]), None, "J", _FOR_INFORMATION),
    ]  # fmt: skip
    return [*table, *_motion(result), *_weights(problem), *_optimisers(problem), *_gradient(problem)]


def _motion(result: xr.Dataset) -> list[Check]:
    """Figures 10 and 11 as numbers: how much the head moves, without and with control."""
    rows = []
    for figure, name, unit in ((10, "head_height", "m"), (11, "head_velocity", "m/s")):
        source = f"Pappalardo and Guida, fig. {figure}: no number in print; standard deviation over 10 s"
        for words, key in (("without control", f"uncontrolled_{name}"), ("with control", name)):
            of = name.replace("_", " ")
            rows.append(listed(f"{of} {words}", float(result[key].std()), None, unit, source))
    return rows


def _weights(problem: ControlProblem) -> list[Check]:
    """The mean that comes with the printed deviation, for several references; the weight is fitted to it."""
    rows = []
    for reference, words in REFERENCES.items():
        found = with_printed_deviation(problem, reference)
        if found is None:
            continue
        source = f"{_TABLE}; weight {found.weight:.4g} on the control fitted to the deviation of 2.798 N"
        rows.append(listed(f"mean at the printed deviation, reference {words}", found.mean, PRINTED[0], "N", source))
    return rows


def _optimisers(problem: ControlProblem) -> list[Check]:
    """Every descent against the direct method: within 1 % in cost."""
    ceiling = direct(problem)[1]
    options: dict[str, Any] = {"tolerance": 1e-3}
    costs = {rule: conjugate_gradients(Variables(problem), rule, **options).cost for rule in get_args(Rule)}
    costs["l-bfgs"] = l_bfgs(Variables(problem), **options).cost
    rows = [listed("cost, direct method", ceiling, None, "N²·s", _SAME)]
    rows += [
        below(f"cost of {name} against the direct method", 100 * (cost / ceiling - 1), 1.0, "%", _SAME, by=BEFORE)
        for name, cost in costs.items()
    ]
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
        below("continuous adjoint by Runge–Kutta against the discrete one, relative", _continuous(problem, u, g.u),
            (_FASTEST * 5e-3) ** 2 / 8, "1", "states averaged between grid points are off by (ω Δt)²/8",
            by=CLOSED_FORM),
        *_euler(problem),
        between("slope of Taylor's remainder", slope, (1.95, 2.05), "1", "an exact gradient leaves the second order",
            reference=2.0, by=BEFORE),
        below("gradient against central differences, relative", along / difference - 1, 1e-7, "1",
            "differences with h = 0.01 N leave about 1e-9", by=BEFORE),
    ]  # fmt: skip


def _euler(problem: ControlProblem) -> list[Check]:
    """Euler's rule changes the decay ζω of a mode by ω²Δt/2: its gradient is off by at most ωΔt/2ζ, of first order."""
    errors = []
    for dt in (2e-3, 1e-3):
        short = ControlProblem(problem.system, problem.start, problem.terms, duration=2.0, dt=dt)
        u = 5.0 * np.sin(3 * short.t)[:, None]
        errors.append(_continuous(short, u, short.gradient(u).u, "euler"))
    bound = max(omega * 1e-3 / (2 * zeta) for omega, zeta in _MODES)
    return [
        below("continuous adjoint by Euler (41) at 1 ms against the discrete one, relative", errors[1], bound, "1",
            "ω Δt/2ζ of the slower mode", by=AFTER),
        near("order of the continuous adjoint by Euler (41)", float(np.log2(errors[0] / errors[1])), 1.0, "1",
            "first order", tol=0.1, by=AFTER),
    ]  # fmt: skip


def _continuous(
    problem: ControlProblem, u: np.ndarray, exact: np.ndarray, rule: Literal["euler", "runge-kutta"] = "runge-kutta"
) -> float:
    """Relative error of the gradient density of the continuous adjoint, in the L² norm."""
    root = np.sqrt(problem.weights.time)[:, None]
    apart = (continuous_gradient(problem, u, rule) - exact) / root
    return float(np.linalg.norm(apart) / np.linalg.norm(exact / root))
