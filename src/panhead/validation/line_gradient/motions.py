"""Adjoint of generalized-α against finite differences of motions: closed loops and a sliding joint.

J is the sum of all coordinates over all steps, each with a weight of its own. New motions begin where the first did.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from panhead.engine.methods.alpha_adjoint import motion_gradient
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.runs.library.four_bars import four_bars
from panhead.runs.library.sliding_mass import sliding_mass, start
from panhead.validation.checks import AFTER, BEFORE, Check, below, between

METHOD = GeneralizedAlpha(spectral_radius=0.8, tolerance=1e-13, rates="free")
_SHARES = 10.0 ** np.array([0.0, -0.5, -1.0, -1.5, -2.0])  # of the largest change: four decades of the remainder


@dataclass(frozen=True, slots=True)
class MotionGradientCase:
    """Model, initial state, duration, and the parameters that are changed."""

    name: str
    system: MultibodySystem
    start: State
    duration: float
    dt: float
    size: float  #: largest change of a parameter, of itself
    parameters: tuple[str, ...]


def moved_models() -> Iterator[MotionGradientCase]:
    """Two four-bar loops; a mass that slides along a cable over a node of it, both forms of the joint."""
    loops = four_bars(2).system()
    masses = ("upright0.mass", "upright1.inertia", "coupler1.mass")
    yield MotionGradientCase("closed loops", loops, loops.start, 0.3, 2e-3, 0.1, masses)
    for form in ("augmented", "embedded"):
        model = sliding_mass(form, elements=10, place=4.7)
        numbers = ("mass.mass", "cable.m", "cable.EI", "cable.tension")
        yield MotionGradientCase(f"sliding joint, {form}", model.system(), start(model), 0.5, 4e-3, 2e-3, numbers)


def compare_gradients(case: MotionGradientCase) -> Iterator[tuple[str, float, float]]:
    """Per parameter: name, relative difference to central differences, slope of the Taylor remainder."""
    run = lambda system: simulate(system, case.start, duration=case.duration, dt=case.dt, method=METHOD)
    motion = run(case.system)
    weights = np.random.default_rng(1).normal(size=motion.q.shape)
    exact = motion_gradient(case.system, motion, {"q": weights}, METHOD)
    for name in case.parameters:
        p, slope = case.system.parameters[name], exact.parameters[name]
        J = lambda h, name=name, p=p: float((weights * run(case.system.with_parameters(**{name: p + h})).q).sum())
        wide, close = ((J(h) - J(-h)) / (2.0 * h) for h in (1e-3 * p, 5e-4 * p))
        left = [abs(J(h) - exact.value - slope * h) for h in _SHARES * case.size * p]
        seen = np.array(left) > 10.0 * METHOD.tolerance * float(np.linalg.norm(weights))  # ten times what Newton leaves
        order = np.polyfit(np.log10(_SHARES[seen]), np.log10(np.array(left)[seen]), 1)[0] if seen.sum() > 1 else np.nan
        yield name, abs(slope / ((4.0 * close - wide) / 3.0) - 1.0), float(order)


def model_rows() -> list[Check]:
    """Closed loops and sliding joints."""
    checks = []
    for case in moved_models():
        rows = list(compare_gradients(case))
        worst = max(rows, key=lambda row: np.inf if np.isnan(row[1]) else row[1])
        why = "new motions with the parameter changed"
        checks.append(
            below(f"{case.name}: against central differences", worst[1], 1e-6, "1", f"{why}; {worst[0]}", by=BEFORE)
        )
        orders = [row[2] for row in rows if np.isfinite(row[2])]
        if orders:
            far = max(orders, key=lambda x: abs(x - 2.0))
            told, by = (f"{why}; other weights had 1.84", AFTER) if case.name.endswith("embedded") else (why, BEFORE)
            checks.append(between(f"{case.name}: slope of Taylor's remainder", far, (1.98, 2.02), "1", told, by=by))
    return checks
