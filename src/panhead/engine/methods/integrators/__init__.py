"""Integrators: each is a value with a ``run(problem) -> Trajectory``."""

from panhead.engine.methods.integrators.adaptive import Adaptive
from panhead.engine.methods.integrators.bdf import BDF
from panhead.engine.methods.integrators.collision_method import ContactStepping
from panhead.engine.methods.integrators.explicit import Euler, RungeKutta4
from panhead.engine.methods.integrators.generalized_alpha import GeneralizedAlpha
from panhead.engine.methods.integrators.moreau_jean import MoreauJean
from panhead.engine.methods.integrators.variational import VariationalMidpoint

Method = BDF | Adaptive | ContactStepping | Euler | GeneralizedAlpha | MoreauJean | RungeKutta4 | VariationalMidpoint

__all__ = [
    "BDF",
    "Adaptive",
    "ContactStepping",
    "Euler",
    "GeneralizedAlpha",
    "Method",
    "MoreauJean",
    "RungeKutta4",
    "VariationalMidpoint",
]
