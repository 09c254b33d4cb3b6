"""Double pendulum with impact and friction on the beam: independent solution, order, energy balance."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.runs.library.pendulum_on_beam import pendulum_on_beam
from panhead.runs.library.pendulum_on_beam_contact import loose_model, rubbing_model
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, INDEPENDENT, Check, at_least, below, largest, near
from panhead.validation.impact.references import history, ledger_residual

_FLIGHTS = "free flights in the beam's modes by DOP853 with events, impacts by hand"
_ORDER = "second order of the method"
#: Instants of five impacts [s] of the arms that meet the beam at 2.1 m with 1.5 m/s, e = 0.6; tests/oracles.
_INSTANTS = (0.0013275701463794, 0.0016429867995232, 0.0018733062195973, 0.0021591453346314, 0.0023605543942577)
_LOST = 0.12209801953300661  # in the first of them [J]


def pendulum_on_beam_contact() -> Sequence[Check]:
    """Impact and friction on the double pendulum of [Lipinski23]."""
    return [*_bounces(), *_fall(), *_rubbing()]


def bounce(dt: float) -> Trajectory:
    """Arms 2 mm above the beam, falling at 1.5 m/s."""
    case = loose_model(place=2.1, height=0.002, restitution=0.6)
    v = case.start.v.copy()
    v[case.system.place("root.y")] = -1.5
    return simulate(case.system, State(q=case.start.q, v=v), duration=0.0024, dt=dt)


def _bounces() -> list[Check]:
    """The beam's fastest waves take 0.5 ms: steps of a fiftieth of that must show the order."""
    errors = []
    for dt in (2e-5, 1e-5):
        strikes = history(bounce(dt)).strikes
        errors.append(largest(abs(s.t - t) for s, t in zip(strikes[:5], _INSTANTS, strict=True)))
    order = float(np.log2(errors[0] / errors[1]))
    return [
        near("first impact, energy lost", strikes[0].lost, _LOST, "J", _FLIGHTS, rel=1e-9, by=INDEPENDENT),
        near("five impacts in 1 ms, order of their instants", order, 2.0, "1", _ORDER, tol=0.2, by=BEFORE),
        below("five impacts in 1 ms, instants, steps of 10 µs", errors[1], 1e-5, "s", _FLIGHTS, by=BEFORE),
    ]


def _fall() -> list[Check]:
    """The arms dropped from 0.3 m; the hook strikes and leaves, the tip strikes the floor."""
    case = loose_model()
    motion = simulate(case.system, case.start, duration=0.8, dt=2e-3)
    seen = history(motion)
    struck = {name: sum(s.contact == name for s in seen.strikes) for name in seen.names}
    return [
        at_least("dropped arms, impacts of the hook", struck["hook"], 1, "1", "the arms fall 0.3 m", by=BEFORE),
        at_least("dropped arms, impacts of the tip", struck["floor"], 1, "1", "the tip reaches the floor", by=BEFORE),
        at_least(
            "dropped arms, least energy lost in an impact",
            min(s.lost for s in seen.strikes),
            -1e-12,
            "J",
            "never created",
            by=CLOSED_FORM,
        ),
        below(
            "dropped arms, deepest gap",
            largest([0.0, -seen.gap.min()]),
            2e-9,
            "m",
            "tolerance of the gaps",
            by=CLOSED_FORM,
        ),
        below(
            "dropped arms, energy account, relative", ledger_residual(case.system, motion), 1e-3, "1", _ORDER, by=BEFORE
        ),
    ]


def _rubbing() -> list[Check]:
    """µ = 0 is the paper's constraint; with µ = 0.2 the point sticks first and slides later."""
    plain = rubbing_model(friction=0.0)
    reference, start = pendulum_on_beam("riding", elements=20)
    by_alpha = simulate(reference, start, duration=0.4, dt=2.5e-4, keep=0.01)
    free = simulate(plain.system, plain.start, duration=0.4, dt=1e-3, keep=0.01)
    apart = np.abs(free.q[:, :4] - by_alpha.q[:, :4]).max()
    case, runs = rubbing_model(), []
    for dt in (2e-3, 1e-3, 5e-4):
        runs.append(simulate(case.system, case.start, duration=0.4, dt=dt, keep=0.04))
    steps = [np.abs(a.q[:, :4] - b.q[:, :4]).max() for a, b in itertools.pairwise(runs)]
    motion = runs[-1]
    seen = history(motion)
    share = seen.friction[1:, 0] / np.abs(seen.normal[1:, 0])
    stuck = seen.slip[1:, 0] < 1e-9
    return [
        below(
            "no friction: the constraint's motion over 0.4 s",
            apart,
            1e-4,
            "m, rad",
            "generalized-α, 0.25 ms",
            by=BEFORE,
        ),
        below(
            "µ = 0.2: friction over normal force, above µ",
            max(0.0, float(share.max()) - 0.2),
            1e-9,
            "1",
            "Coulomb's law",
            by=CLOSED_FORM,
        ),
        below(
            "µ = 0.2: slip during the first 0.1 s",
            np.abs(seen.slip[:3, 0]).max(),
            1e-9,
            "m/s",
            "sticks below the threshold",
            by=CLOSED_FORM,
        ),
        at_least(
            "µ = 0.2: friction while it slides, over µ N",
            float((share[~stuck] / 0.2).min()),
            1 - 1e-9,
            "1",
            "Coulomb's law",
            by=CLOSED_FORM,
        ),
        near("µ = 0.2: order", float(np.log2(steps[0] / steps[1])), 2.0, "1", _ORDER, tol=0.3, by=AFTER),
        below("µ = 0.2: energy account, relative", ledger_residual(case.system, motion), 1e-3, "1", _ORDER, by=BEFORE),
    ]
