"""Impacts with friction against closed forms: Newton's and Poisson's rules, paradoxes, stick–slip.

A rod that strikes with its end at (x, y) from its centre obeys

    D = ⎡1/m + x²/J   −x y/J  ⎤      γ⁺ = γ⁻ + D P,   γ = (gap's rate, slip)
        ⎣ −x y/J    1/m + y²/J⎦
"""

from __future__ import annotations

import math
from typing import get_args

import numpy as np

from panhead.engine.methods.impacts import ImpactResult, solve_impact
from panhead.engine.methods.integrators import MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody import Model
from panhead.errors import SimulationError
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, at_least, below, largest, listed, near
from panhead.validation.impact.model import GRAVITY, Rule, rod_on_end, slider_on_belt, two_balls

_CLOSED = "closed form"


def frictional_impacts() -> list[Check]:
    """Rows of ``panhead validate impact``."""
    return [*_two_balls(), *_rules(), *_kane(), *_painleve(), *_slider()]


def _two_balls() -> list[Check]:
    """The heavy ball bounces, then meets the light one: v = −V + (1 + e)² V M/(M + m), one impact after the other."""
    e, heavy, light, speed = 0.9, 3.0, 1.0, 2.0
    motion = _run(two_balls(heavy=heavy, light=light, restitution=e), 0.15, 0.01)
    exact = -speed + (1 + e) ** 2 * speed * heavy / (heavy + light)
    value = float(motion.v[-1, -1])
    source = "−V + (1 + e)² V M/(M + m)"
    return [near("two balls dropped, speed of the upper one", value, exact, "m/s", source, tol=1e-9, by=CLOSED_FORM)]


def rod_impact_matrix(angle: float) -> np.ndarray:
    """D of ``rod_on_end``, (2, 2) [1/kg]; the slip is counted against x."""
    x, y = 0.5 * np.cos(angle), -0.5 * np.sin(angle)
    return np.array([[1 + 12 * x**2, 12 * x * y], [12 * x * y, 1 + 12 * y**2]])


def _struck_rod(rule: Rule, e: float, mu: float, angle: float, velocity: tuple[float, float]) -> ImpactResult:
    system = rod_on_end(angle=angle, friction=mu, restitution=e, rule=rule, velocity=velocity).system()
    return solve_impact(system, 0.0, system.start.q, system.start.v, np.array([0]), 1e-4)


def _rules() -> list[Check]:
    """A rod that grips: Newton's rule asks for γ_N⁺ = −e γ_N⁻, Poisson's for P_N = (1 + e) P_c; both keep the grip."""
    e, mu, angle, velocity = 0.6, 2.0, 1.0, (0.3, -1.0)
    D = rod_impact_matrix(angle)
    before = np.array([velocity[1], -velocity[0]])
    newton = -np.linalg.solve(D, before + [e * before[0], 0.0])
    compressed = -np.linalg.solve(D, before)
    expanded = e * compressed[0] * np.array([1.0, -D[1, 0] / D[1, 1]])
    rows = []
    wanted: dict[Rule, np.ndarray] = {"newton": newton, "poisson": compressed + expanded}
    for rule, exact in wanted.items():
        P = _struck_rod(rule, e, mu, angle, velocity).P
        gap = float(np.abs(P - exact).max())
        rows.append(
            below(f"rod that grips, impulse by {rule.capitalize()}'s rule", gap, 1e-12, "N·s", _CLOSED, by=CLOSED_FORM)
        )
    apart = float(newton[0] - (compressed + expanded)[0])
    return [*rows, listed("rod that grips, what Newton's rule gives more", apart, None, "N·s", "the rules differ")]


def _kane() -> list[Check]:
    """Newton's rule with friction would make energy at some angles: refused there, and only there. Poisson's never."""
    velocity, e, mu = (-1.0, -1.0), 0.9, 0.5
    angles = [float(x) for x in np.linspace(0.2, 1.5, 14)]
    by_hand = [_newton_loss_by_hand(angle, e, mu, velocity) for angle in angles]
    lost = {rule: [_loss(rule, e, mu, angle, velocity) for angle in angles] for rule in get_args(Rule)}
    refused = [math.isnan(x) for x in lost["newton"]]
    wrong = sum((x < 0.0) != y for x, y in zip(by_hand, refused, strict=True))
    apart = largest(abs(x - y) for x, y in zip(by_hand, lost["newton"], strict=True) if not math.isnan(y))
    told = "Newton's rule by hand: stick, or slip at the cone"
    return [
        at_least("Kane's rod, least energy lost in 14 blows by Poisson's rule", -largest(-x for x in lost["poisson"]),
            0.0, "J", "never created; a refused blow counts as NaN and fails", by=CLOSED_FORM),
        near("Kane's rod, blows by Newton's rule refused or accepted against the hand", wrong, 0, "1", told,
            by=CLOSED_FORM),
        below("Kane's rod, energy lost in the blows accepted", apart, 1e-12, "J", told, by=CLOSED_FORM),
        listed("Kane's rod, blows by Newton's rule refused", sum(refused), None, "1",
            "the paradox occurs"),
    ]  # fmt: skip


def _loss(rule: Rule, e: float, mu: float, angle: float, velocity: tuple[float, float]) -> float:
    """Energy lost in a blow [J]; NaN if it is refused."""
    try:
        return float(_struck_rod(rule, e, mu, angle, velocity).lost.sum())
    except SimulationError:
        return float("nan")


def _newton_loss_by_hand(angle: float, e: float, mu: float, velocity: tuple[float, float]) -> float:
    """−½ (γ⁻ + γ⁺)·P with γ_N⁺ = −e γ_N⁻: the end sticks, or slips with P_T at the cone [J]."""
    D, before = rod_impact_matrix(angle), np.array([velocity[1], -velocity[0]])
    P = -np.linalg.solve(D, before + [e * before[0], 0.0])
    if abs(P[1]) > mu * P[0]:
        side = float(np.sign(P[1]))
        normal = -(1 + e) * before[0] / (D[0, 0] + side * mu * D[0, 1])
        P = normal * np.array([1.0, side * mu])
    return float(-0.5 * (2 * before + D @ P) @ P)


def _painleve() -> list[Check]:
    """µ > 4/3 and a rod that is pushed into the floor by its own friction: no force agrees, an impulse does.

    D_NN − µ |D_NT| < 0: sliding on would need P_N < 0. The slip stops at once, P = −D⁻¹ (0, v), and the step finds it
    up to what weight adds in a step, g h.
    """
    angle, mu, v, h = 1.0, 2.0, 1.0, 1e-5
    D = rod_impact_matrix(angle)
    motion = _run(rod_on_end(angle=angle, friction=mu, velocity=(v, 0.0), weight=True), 10 * h, h)
    exact = -np.linalg.solve(D, [0.0, -v])
    seen = motion.contacts
    assert seen is not None
    P = seen.force[1] * h
    jammed = float(D[0, 0] - mu * abs(D[0, 1]))
    held = float(seen.slip[1:].max())
    source = "impact without collision, −D⁻¹ (0, v)"
    slack = 10 * GRAVITY * h / v
    return [
        listed("Painlevé's rod, D_NN − µ |D_NT|", jammed, None, "1/kg", "negative: no consistent force exists"),
        near("Painlevé's rod, normal impulse", float(P[0]), float(exact[0]), "N·s", source, rel=slack, by=CLOSED_FORM),
        below("Painlevé's rod, slip after it", held, 1e-9, "m/s", "it sticks", by=CLOSED_FORM),
        at_least("Painlevé's rod, energy lost", float(seen.lost[-1].sum()), 0.0, "J", "never created", by=CLOSED_FORM),
    ]


def period_of_slider(m: float, k: float, v: float, slides: float, sticks: float) -> float:
    """2 ΔF/(k v) while it sticks, (2π − 2 arctan(ΔF/(v √(k m))))/ω while it slips; ΔF = (µ_s − µ) m g [s]."""
    more, w = (sticks - slides) * m * GRAVITY, np.sqrt(k / m)
    return float(2 * more / (k * v) + (2 * np.pi - 2 * np.arctan(more / (v * np.sqrt(k * m)))) / w)


def _slider() -> list[Check]:
    """A method of second order errs by some (ω h)² of the period; letting go is located."""
    exact = period_of_slider(2.0, 50.0, 0.2, 0.3, 0.5)
    h = 4e-3
    motion = _run(slider_on_belt(), 5.0, h)
    v = motion.v[:, 0]
    k = np.flatnonzero((v[:-1] > 0) & (v[1:] <= 0))
    longest = motion.t[k] + h * v[k] / (v[k] - v[k + 1])
    period, slack = float(np.diff(longest).mean()), (np.sqrt(50.0 / 2.0) * h) ** 2 * exact
    return [near("slider on a belt, period", period, exact, "s", "sticks and slips", tol=slack, by=BEFORE)]


def _run(model: Model, duration: float, dt: float) -> Trajectory:
    system = model.system()
    return simulate(system, system.start, duration=duration, dt=dt, method=MoreauJean())
