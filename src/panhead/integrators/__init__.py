"""Integrators: each is a value with a ``run(problem) -> Trajectory``."""

from panhead.integrators.adaptive import Adaptive
from panhead.integrators.explicit import Euler, RungeKutta4
from panhead.integrators.generalized_alpha import GeneralizedAlpha

Method = Adaptive | Euler | GeneralizedAlpha | RungeKutta4

__all__ = ["Adaptive", "Euler", "GeneralizedAlpha", "Method", "RungeKutta4"]
