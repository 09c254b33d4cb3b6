"""Impact and friction against closed forms: times and heights, stopping and thresholds, impacts, energy, order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.special

from panhead.engine.methods.integrators import MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import ContactHistory, Trajectory
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, at_least, below, largest, near
from panhead.validation.impact.blows import frictional_impacts
from panhead.validation.impact.crossings import crossing_rows
from panhead.validation.impact.model import (
    GRAVITY,
    Rule,
    block,
    bouncing_ball,
    falling_rod,
    row_of_balls,
    striking_pendulum,
    thrown_ball,
)

_CLOSED = "closed form"
_ORDER = "second order of the method"


def run(
    model: Model, duration: float, dt: float, method: MoreauJean | None = None
) -> tuple[MultibodySystem, Trajectory]:
    """Simulate from the initial position."""
    system = model.system()
    return system, simulate(system, system.start, duration=duration, dt=dt, method=method or MoreauJean())


def history(motion: Trajectory) -> ContactHistory:
    """Contact history of a motion."""
    assert motion.contacts is not None
    return motion.contacts


def ledger_residual(system: MultibodySystem, motion: Trajectory) -> float:
    """Residual of the energy balance over the largest kinetic energy."""
    T, V = np.array([system.energy(t, q, v) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)]).T
    total = T + V - motion.work[:, 0] - motion.work[:, 1] + motion.work[:, 2]
    return float(np.abs(total - total[0]).max() / max(T.max(), np.ptp(V)))


def impact() -> Sequence[Check]:
    """All rows; every bound follows from rounding, from the order of the method, or is exact."""
    return [*_ball(), *_block(), *_blows(), *_rod(), *_pendulum(), *frictional_impacts(), *crossing_rows()]


def _ball() -> list[Check]:
    """t₁ = √(2h/g), flights 2 eᵏ g t₁ / g; instants are located to 1e-12 m, at 0.1 m/s to 1e-11 s."""
    e, t, speed = 0.7, np.sqrt(2 / GRAVITY), np.sqrt(2 * GRAVITY)
    system, motion = run(bouncing_ball(restitution=e), 3.0, 0.01)
    strikes = history(motion).strikes
    times, speeds = [t], [e * speed]
    for _ in range(9):
        times.append(times[-1] + 2 * speeds[-1] / GRAVITY)
        speeds.append(e * speeds[-1])
    late = largest(abs(s.t - x) for s, x in zip(strikes[:10], times, strict=True))
    low = largest(abs(s.departure / x - 1) for s, x in zip(strikes[:10], speeds, strict=True))
    end, rest = t * (1 + e) / (1 - e), history(motion)
    smallest = min(s.lost for s in strikes)
    return [
        below("bouncing ball, instants of ten impacts", late, 1e-10, "s", _CLOSED, by=CLOSED_FORM),
        below("bouncing ball, heights after them, relative", 2 * low, 1e-8, "1", "closed form e²ᵏ h", by=CLOSED_FORM),
        near("bouncing ball, last impact", strikes[-1].t, end, "s", "t₁ (1 + e)/(1 − e)", tol=1e-4, by=CLOSED_FORM),
        near(
            "bouncing ball, force at rest", rest.normal[-1, 0], 2 * GRAVITY, "N", "its weight", rel=1e-9, by=CLOSED_FORM
        ),
        near("bouncing ball, lost in impacts", rest.lost[-1, 0], 2 * GRAVITY, "J", "m g h", rel=1e-9, by=CLOSED_FORM),
        at_least("bouncing ball, least energy lost in an impact", smallest, 0.0, "J", "never created", by=CLOSED_FORM),
        below(
            "bouncing ball, energy account, relative",
            ledger_residual(system, motion),
            1e-12,
            "1",
            "rounding",
            by=CLOSED_FORM,
        ),
    ]


def _block() -> list[Check]:
    """A block that stops within a step of h is at most µ g h²/8 too far; sticking is exact."""
    mu, v, h = 0.3, 2.0, 1e-3
    system, motion = run(block(speed=v, friction=mu), 1.0, h)
    far = float(motion.q[-1, 0])
    alpha = np.arctan(0.3)
    held = run(block(speed=0.0, friction=0.3 * 1.001, slope=alpha), 0.5, h)[1]
    loose = run(block(speed=0.0, friction=0.3 * 0.999, slope=alpha), 0.5, h)[1]
    pull = GRAVITY * (np.sin(alpha) - 0.3 * 0.999 * np.cos(alpha))
    feet = history(motion).normal
    halfway = int(len(feet) // 4)
    return [
        near(
            "block, way until it stops",
            far,
            v**2 / (2 * mu * GRAVITY),
            "m",
            "v²/2µg",
            tol=mu * GRAVITY * h**2 / 8,
            by=CLOSED_FORM,
        ),
        near("block, lost by rubbing", history(motion).lost[-1, 1], 6.0, "J", "½ m v²", rel=1e-9, by=CLOSED_FORM),
        below("block, speed after the stop", np.abs(motion.v[-1]).max(), 1e-12, "m/s", "sticks", by=CLOSED_FORM),
        below(
            "block on a slope, µ 0.1 % above tan α: creeps in 0.5 s",
            held.q[-1, 0],
            1e-12,
            "m",
            "sticks",
            by=CLOSED_FORM,
        ),
        near(
            "block on a slope, µ 0.1 % below tan α: way in 0.5 s",
            loose.q[-1, 0],
            pull / 8,
            "m",
            "½ g (sin α − µ cos α) t²",
            rel=1e-6,
            by=CLOSED_FORM,
        ),
        near(
            "block, both feet carry it", feet[halfway].sum(), 3 * GRAVITY, "N", "its weight", rel=1e-9, by=CLOSED_FORM
        ),
        below(
            "block, energy account, relative", ledger_residual(system, motion), 1e-12, "1", "rounding", by=CLOSED_FORM
        ),
    ]


def _blows() -> list[Check]:
    """Two contacts at once; a ball that slides through a blow, and one that grips."""
    speeds = np.array([-1.0, 2.0, 2.0]) / 3
    rows = []
    rules: tuple[Rule, ...] = ("newton", "poisson")
    for rule in rules:
        _, motion = run(row_of_balls(rule=rule), 1.0, 0.1)
        gap = np.abs(motion.v[-1] - speeds).max()
        source = "D P = 2 γ for two contacts: (−1, 2, 2)/3 m/s"
        rows.append(
            below(f"row of balls, speeds by {rule.capitalize()}'s rule", gap, 1e-12, "m/s", source, by=CLOSED_FORM)
        )
    e, mu = 0.5, 0.2
    slides = run(thrown_ball(along=5.0, friction=mu, restitution=e), 0.5, 0.01)[1].v[-1]
    grips = run(thrown_ball(along=1.0, friction=mu, restitution=e), 0.5, 0.01)[1].v[-1]
    return [
        *rows,
        near(
            "thrown ball that slides, speed along",
            slides[0],
            5 - mu * (1 + e),
            "m/s",
            "v − µ(1 + e) v_n",
            tol=1e-12,
            by=CLOSED_FORM,
        ),
        near(
            "thrown ball that slides, spin",
            slides[2],
            -mu * (1 + e) * 2.5 / 0.1,
            "rad/s",
            "−5µ(1 + e) v_n/2R",
            tol=1e-11,
            by=CLOSED_FORM,
        ),
        near("thrown ball that grips, speed along", grips[0], 5 / 7, "m/s", "5/7 v", tol=1e-12, by=CLOSED_FORM),
    ]


def _rod() -> list[Check]:
    """The first end strikes: P = (1 + e) v / (1/m + (½ L cos φ)²/J); the whole fall keeps its account."""
    e, angle, v = 0.5, 0.5, np.sqrt(2 * GRAVITY * 0.2)
    system, motion = run(falling_rod(angle=angle, restitution=e), 1.5, 1e-3)
    first = history(motion).strikes[0]
    impulse = (1 + e) * v / (1 + 12 * (0.5 * np.cos(angle)) ** 2)
    smallest = min(s.lost for s in history(motion).strikes)
    return [
        near("falling rod, impulse of its first end", first.impulse, impulse, "N·s", _CLOSED, rel=1e-9, by=CLOSED_FORM),
        at_least("falling rod, least energy lost in an impact", smallest, -1e-12, "J", "never created", by=CLOSED_FORM),
        below(
            "falling rod, deepest gap",
            largest([0.0, -history(motion).gap.min()]),
            2e-9,
            "m",
            "tolerance of the gaps",
            by=CLOSED_FORM,
        ),
        below("falling rod, energy account, relative", ledger_residual(system, motion), 1e-5, "1", _ORDER, by=BEFORE),
    ]


def _pendulum() -> list[Check]:
    """Impacts after quarters and halves of periods 4 √(2L/3g) K(sin ½θ); speeds shrink by e, so sin ½θ does."""
    e, k = 0.8, np.sin(0.5)
    quarter = lambda k: np.sqrt(2 / (3 * GRAVITY)) * scipy.special.ellipk(k**2)
    exact = quarter(k) + 2 * quarter(e * k) + 2 * quarter(e**2 * k)
    errors = []
    for dt in (8e-3, 4e-3, 2e-3):
        motion = run(striking_pendulum(restitution=e), 3.0, dt)[1]
        errors.append(abs(history(motion).strikes[2].t - exact))
    order = float(np.log2(errors[1] / errors[2]))
    return [
        near("striking pendulum, order of the third impact's instant", order, 2.0, "1", _ORDER, tol=0.1, by=BEFORE),
        below("striking pendulum, third impact, steps of 2 ms", errors[-1], 1e-4, "s", "elliptic integrals", by=BEFORE),
    ]
