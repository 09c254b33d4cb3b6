"""Gradients of closed loops by numbers inside joints, with the default method, against differences of new motions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.methods.alpha_adjoint import motion_gradient
from panhead.engine.methods.equilibrium import assemble_configuration, consistent_rates
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.runs.library.four_bars import four_bars
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below, largest, near

_METHOD = GeneralizedAlpha(tolerance=1e-13)
G = 9.81


def model_gradient() -> Sequence[Check]:
    """All rows."""
    return [*_loops(), *_pendulum()]


def _loops() -> list[Check]:
    """Two four-bar loops in motion: a dozen numbers, half of them inside joints; fourth-order differences."""
    system = four_bars(2).system()
    begin = State(q=system.start.q, v=consistent_rates(system, system.start.q, np.linspace(-1.0, 1.0, system.nq)))
    run = lambda system, start: simulate(system, start, duration=0.3, dt=2e-3, method=_METHOD)
    motion = run(system, begin)
    weights = np.random.default_rng(7).normal(size=motion.q.shape)
    found = motion_gradient(system, motion, {"q": weights}, _METHOD).parameters

    def J(name: str, h: float) -> float:
        changed = system.with_parameters(**{name: system.parameters[name] + h})
        q = assemble_configuration(changed, begin.q)
        return float((weights * run(changed, State(q=q, v=consistent_rates(changed, q, begin.v))).q).sum())

    felt = [name for name, value in found.items() if abs(value) > 1e-3]
    groups = {
        "masses and inertias": [n for n in felt if ".p." not in n],
        "places of joints": [n for n in felt if ".p." in n],
    }
    rows = []
    for what, names in groups.items():
        h, off = 1e-4, []
        for name in names[:6]:
            slope = (8 * (J(name, h) - J(name, -h)) - (J(name, 2 * h) - J(name, -2 * h))) / (12 * h)
            off.append(abs(found[name] - slope) / max(1.0, abs(slope)))
        source = "new motions from the nearest consistent start"
        rows.append(below(f"closed loops, {what}, from differences", largest(off), 1e-6, "1", source, by=BEFORE))
    return rows


def _pendulum() -> list[Check]:
    """Small swings of a rod about its end: dφ/dL of φ₀ cos(√(m g L/(J + m L²)) t), L the place of the hinge on it."""
    mass, inertia, length, angle, duration = 1.3, 0.02, 0.4, 1e-4, 1.0
    at = (length * np.sin(angle), 0.0, -length * np.cos(angle))
    turn = (np.cos(angle / 2), 0.0, -np.sin(angle / 2), 0.0)
    rod = RigidBody(name="rod", mass=mass, inertia=(inertia, inertia, 1e-3), position=at, attitude=turn)
    y = (0.0, 1.0, 0.0)
    hinge = Revolute(name="hinge", a=ground.at(axis=y), b=rod.at((0.0, 0.0, length), axis=y))
    system = Model(name="rod", items=(rod, hinge)).system()
    motion = simulate(system, system.start, duration=duration, dt=1e-3, method=_METHOD)
    weights = np.zeros_like(motion.q)
    weights[-1, system.place("rod.e2")] = -2.0  # the angle
    found = motion_gradient(system, motion, {"q": weights}, _METHOD).parameters
    name = next(n for n in found if n.startswith("hinge") and n.endswith("p.2") and abs(system.parameters[n]) > 0)
    J = inertia + mass * length**2
    omega = np.sqrt(mass * G * length / J)
    slope = omega / 2 * (1 / length - 2 * mass * length / J)
    reference = -angle * duration * slope * np.sin(omega * duration)
    source = "derivative of the closed form; steps of second order, (ω dt)² / 12 of the period"
    return [near("pendulum, angle by the place of its hinge", found[name], reference, "rad/m", source, rel=2e-4,
                 by=CLOSED_FORM)]  # fmt: skip
