"""Contact law of co-simulation: kernel table, restitution in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq

from panhead.engine.laws import contact, unilateral_spring
from panhead.errors import ModelError
from panhead.runs.description import ContactLaw
from panhead.runs.linear.step.step_arrays import HEAD
from panhead.runs.linear.step.unilateral import CONTACT, LANKARANI


def head_table(law: ContactLaw, strips: int) -> np.ndarray:
    """Kernel table of contacts, one row per strip; strip heights are inputs."""
    if law.given_stiffness is None:
        raise ModelError("ContactLaw: a strip has no contact stiffness; give `stiffness`")
    head = np.zeros(strips, HEAD)
    head["mass"] = np.arange(strips)
    head["kind"] = LANKARANI if law.kind == "lankarani-nikravesh" else CONTACT
    head["k"], head["c"] = law.given_stiffness, law.damping or 0.0
    head["power"], head["chi"] = law.exponent, contact.hysteresis(law.restitution)
    head["impact"] = law.least_impact_speed
    return head


def contact_force(law: ContactLaw, depth: float, rate: float, impact: float) -> tuple[float, float, float, float]:
    """F, ∂F/∂δ, ∂F/∂δ̇ and the elastic part; see ``ContactLaw``."""
    k, c, n = law.given_stiffness or 0.0, law.damping or 0.0, _exponent(law)
    elastic = contact.elastic_force(depth, k, n)
    if law.kind == "linear":
        on = unilateral_spring.pulls(k * depth, c * rate)
        return unilateral_spring.tension(k * depth, c * rate), k * on, c * on, elastic
    chi = contact.hysteresis(law.restitution)
    return *contact.lankarani_nikravesh(depth, rate, k, n, chi, impact), elastic


def _exponent(law: ContactLaw) -> float:
    return 1.0 if law.kind == "linear" else law.exponent


def resting_height(law: ContactLaw, wires: Sequence[float], force: float) -> float:
    """Height of strips under wires at heights z_k at which Σ F(h − z_k) is ``force`` [N]; [m]."""
    lowest, deepest = min(wires), (force / (law.given_stiffness or math.inf)) ** (1.0 / _exponent(law))

    def missing(h: float) -> float:
        return sum(contact_force(law, h - z, 0.0, 1.0)[0] for z in wires) - force

    return float(brentq(missing, lowest, lowest + 1.01 * deepest, xtol=1e-15))


def stored_energy(law: ContactLaw, depth: float) -> float:
    """Elastic energy of a contact at a penetration δ [J]."""
    return float(contact.energy(depth, law.given_stiffness or 0.0, _exponent(law)))


def delivered_restitution(restitution: float) -> float:
    """Effective restitution e′ of the law for a nominal e: free bodies, any n, K and mass.

    (1 + e′) χ = ln((1 + χ)/(1 − χ e′)),   χ = ¾ (1 − e²)
    """
    if not 0.0 <= restitution <= 1.0:
        raise ModelError(f"restitution must be between 0 and 1, got {restitution!r}")
    chi = contact.hysteresis(restitution)
    if chi < 1e-9:  # the equation's second root e′ = 1 and its trivial one run together
        return 1.0

    def mismatch(e: float) -> float:
        return (1 + e) * chi - math.log((1 + chi) / (1 - chi * e))

    return float(brentq(mismatch, 0.0, min(1.0, (1 - 1e-12) / chi), xtol=1e-14))
