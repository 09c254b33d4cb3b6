"""The factorized form of a mechanism, Tᵀ d/dt(T ẋ) = τ, in both causalities, and equations in LaTeX."""

from panhead.engine.factorized.causality import FactorizedModel
from panhead.engine.factorized.form import Factorization, factorize

__all__ = ["Factorization", "FactorizedModel", "factorize"]
