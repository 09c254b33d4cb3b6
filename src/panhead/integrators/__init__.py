"""Integrators: each is a value with a ``run(problem) -> Trajectory``."""

from panhead.integrators.adaptive import Adaptive
from panhead.integrators.bdf import BDF
from panhead.integrators.explicit import Euler, RungeKutta4
from panhead.integrators.generalized_alpha import GeneralizedAlpha

Method = BDF | Adaptive | Euler | GeneralizedAlpha | RungeKutta4

__all__ = ["BDF", "Adaptive", "Euler", "GeneralizedAlpha", "Method", "RungeKutta4"]
