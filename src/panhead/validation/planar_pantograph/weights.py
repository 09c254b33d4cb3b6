"""Search for the control weights behind the published figures, which the paper omits [Pappalardo20, Table III].

The cost is ½ ∫ (F − r)² + w u² dt. For each choice of the reference r the weight w is sought that gives the printed
deviation; the mean that comes with it is then no longer free, and tells which reference agrees with print.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.control.cost import Term
from panhead.engine.control.optimise import l_bfgs
from panhead.engine.control.problem import ControlProblem
from panhead.engine.control.variables import Variables

#: Table III, controlled: mean and standard deviation [N].
PRINTED = (-29.876, 2.798)
#: Reference [N] or "mean" → in words. −33.50 N is the force of the pantograph at rest under a level support.
REFERENCES: dict[float | str, str] = {
    -29.57: "the uncontrolled mean",
    "mean": "the run's own mean",
    -33.50: "the force at rest",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FittedWeight:
    """Weight that gives the published standard deviation, with the resulting figures."""

    weight: float  #: w of the control
    mean: float  #: of the force [N]
    deviation: float  #: [N]
    effort: float  #: root mean square of the control [N]


def controlled_force(problem: ControlProblem, weight: float, reference: float | str) -> FittedWeight:
    """The force under the best control for one weight and one reference."""
    cost = [Term(of="interaction_force", weight=1.0, reference=reference), Term(of="u", weight=weight)]
    steps = problem.t
    posed = ControlProblem(
        problem.system, problem.start, cost, duration=float(steps[-1] - steps[0]), dt=float(steps[1] - steps[0])
    )
    variables = Variables(posed)
    u, _ = variables.split(l_bfgs(variables, tolerance=1e-4).theta)
    force = posed.evaluate(u).y[:, 0] + (0.0 if isinstance(reference, str) else reference)
    effort = float(np.sqrt(np.mean(u**2)))
    return FittedWeight(weight=weight, mean=float(force.mean()), deviation=float(force.std()), effort=effort)


def with_printed_deviation(
    problem: ControlProblem, reference: float | str, guess: tuple[float, float] = (0.3, 0.45)
) -> FittedWeight | None:
    """The weight whose deviation is the printed one, by secants in its logarithm; None if there is none nearby."""
    low, high = (controlled_force(problem, w, reference) for w in guess)
    for _ in range(6):
        rise = math.log(high.deviation / low.deviation)
        if not abs(rise) > 1e-9:
            return None
        share = math.log(PRINTED[1] / low.deviation) / rise
        weight = low.weight * (high.weight / low.weight) ** share
        if not 1e-4 < weight < 1e2:
            return None
        low, high = high, controlled_force(problem, weight, reference)
        if abs(high.deviation - PRINTED[1]) < 5e-4:
            return high
    return None
