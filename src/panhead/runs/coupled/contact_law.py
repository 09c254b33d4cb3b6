"""Contact law of co-simulation: kernel table, Hertz stiffness, restitution in closed form."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipkm1

from panhead.engine.laws import contact, unilateral_spring
from panhead.errors import ModelError
from panhead.runs.description import ContactLaw
from panhead.runs.linear.step.step_arrays import HEAD
from panhead.runs.linear.step.unilateral import CONTACT, LANKARANI

_ROUND = 1e-5  # of the ratio of radii: nearer to one the patch is a circle, to the tenth digit


def head_table(law: ContactLaw, strips: int) -> np.ndarray:
    """Kernel table of contacts, one row per strip; strip heights are inputs."""
    if law.stiffness is None:
        raise ModelError("ContactLaw: a strip has no contact stiffness; give `stiffness`")
    head = np.zeros(strips, HEAD)
    head["mass"] = np.arange(strips)
    head["kind"] = LANKARANI if law.kind == "lankarani-nikravesh" else CONTACT
    head["k"], head["c"] = law.stiffness, law.damping or 0.0
    head["power"], head["chi"] = law.exponent, contact.hysteresis(law.restitution)
    head["impact"] = law.least_impact_speed
    return head


def contact_force(law: ContactLaw, depth: float, rate: float, impact: float) -> tuple[float, float, float, float]:
    """F, ∂F/∂δ, ∂F/∂δ̇ and the elastic part; see ``ContactLaw``."""
    k, c, n = law.stiffness or 0.0, law.damping or 0.0, _exponent(law)
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
    lowest, deepest = min(wires), (force / (law.stiffness or math.inf)) ** (1.0 / _exponent(law))

    def missing(h: float) -> float:
        return sum(contact_force(law, h - z, 0.0, 1.0)[0] for z in wires) - force

    return float(brentq(missing, lowest, lowest + 1.01 * deepest, xtol=1e-15))


def stored_energy(law: ContactLaw, depth: float) -> float:
    """Elastic energy of a contact at a penetration δ [J]."""
    return float(contact.energy(depth, law.stiffness or 0.0, _exponent(law)))


def hertz_stiffness(
    *, radius_1: float, radius_2: float, young_1: float, young_2: float, poisson_1: float = 0.3, poisson_2: float = 0.3
) -> float:
    """K of F = K δ^{3/2} for two cylinders whose axes cross at a right angle   [Johnson85, eqs (4.24)–(4.32)].

        δ = (9 F² / 16 E*² R_e)^{1/3} F₂(e),   1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂,   R_e = √(R₁ R₂)

    The ellipse's ratio b/a follows from R₁/R₂; equal radii touch as a sphere of radius R on a plane,
    K = 4/3 E* √R. Radii [m], moduli [Pa]; K [N/m^{3/2}].
    """
    positive = {"radius_1": radius_1, "radius_2": radius_2, "young_1": young_1, "young_2": young_2}
    for name, x in positive.items():
        if not (x > 0.0 and math.isfinite(x)):
            raise ModelError(f"hertz_stiffness: {name} must be finite and > 0, got {x!r}")
    E = 1.0 / ((1 - poisson_1**2) / young_1 + (1 - poisson_2**2) / young_2)
    ratio = max(radius_1, radius_2) / min(radius_1, radius_2)
    R_e = math.sqrt(radius_1 * radius_2)
    if ratio < 1.0 + _ROUND:
        return 4.0 / 3.0 * E * math.sqrt(R_e)

    def mismatch(log_x: float) -> float:
        x = math.exp(log_x)  # b/a < 1; the modulus is e² = 1 − x²
        K, L = ellipkm1(x * x), ellipe(1.0 - x * x)
        return math.log((L / (x * x) - K) / (K - L)) - math.log(ratio)

    x = math.exp(brentq(mismatch, -15.0, -1e-6))
    m = 1.0 - x * x
    K, L = ellipkm1(x * x), ellipe(m)
    # F₁ of the ellipse, and the approach it gives
    F1 = (4.0 / (math.pi * m)) ** (1 / 3) * x**0.5 * ((L / (x * x) - K) * (K - L)) ** (1 / 6)
    F2 = 2.0 / math.pi * math.sqrt(x) * K / F1
    return 4.0 / 3.0 * E * math.sqrt(R_e) / F2**1.5


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
