"""Integrators: each is a value with a ``run(problem) -> Trajectory``."""

from panhead.methods.integrators.adaptive import Adaptive
from panhead.methods.integrators.bdf import BDF
from panhead.methods.integrators.explicit import Euler, RungeKutta4
from panhead.methods.integrators.generalized_alpha import GeneralizedAlpha
from panhead.methods.integrators.moreau_jean import MoreauJean

Method = BDF | Adaptive | Euler | GeneralizedAlpha | MoreauJean | RungeKutta4

__all__ = ["BDF", "Adaptive", "Euler", "GeneralizedAlpha", "Method", "MoreauJean", "RungeKutta4"]
