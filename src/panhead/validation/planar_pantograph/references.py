"""Planar pantograph: equilibrium, modes and the uncontrolled run of Table III [Pappalardo20]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.formulations import Augmented, Embedded, Formulation
from panhead.engine.methods.integrators import RungeKutta4
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.simulate import simulate
from panhead.engine.symbolic.symbolic_system import SymbolicSystem
from panhead.runs import scenarios
from panhead.runs.scenarios import shipped_models
from panhead.runs.scenarios.motion_kind import start_of, system_of
from panhead.validation.checks import BEFORE, CLOSED_FORM, INDEPENDENT, Check, below, listed, near
from panhead.validation.motions import CONSERVATION, energy_residual

_PAPER = "Pappalardo and Guida 2020"


def planar_pantograph() -> Sequence[Check]:
    """Equilibrium, modes, and the uncontrolled run of Table III."""
    system = SymbolicSystem(shipped_models.mechanism("planar-pantograph"))
    q, lam = equilibrium(system, np.array([2.4, 2.5, -0.5, 0.1]))
    here = system.outputs(np.zeros(1), q[None], 0 * q[None], np.zeros((1, 1)))
    small = modes(linearise(system, q, lam))
    result = scenarios.read("planar-pantograph").simulate()
    force = result["interaction_force"]
    source = f"{_PAPER}, Table II, independent solution"
    fitted = f"{_PAPER}, Table III; fitted: the support's motion was calibrated to give it"
    checks = [
        near(f"equilibrium {name}", value, reference, unit, source, tol=6e-5, by=INDEPENDENT)
        for name, value, reference, unit in zip(
            system.coordinates, q, (2.4346, 2.5602, -0.5511, 0.1430), ("rad", "rad", "rad", "m"), strict=True
        )
    ]
    return [
        *checks,
        near("equilibrium head height", here["head_height"][0], 2.5233, "m", source, tol=6e-5, by=INDEPENDENT),
        near("equilibrium interaction force", here["interaction_force"][0], -33.50, "N", source, tol=6e-3,
            by=INDEPENDENT),
        near("first mode", small.frequency[0], 0.792, "Hz", source, tol=6e-4, by=INDEPENDENT),
        near("first mode damping", small.damping[0], 0.018, "1", source, tol=6e-4, by=INDEPENDENT),
        near("second mode", small.frequency[1], 5.063, "Hz", source, tol=6e-4, by=INDEPENDENT),
        near("second mode damping", small.damping[1], 0.159, "1", source, tol=6e-4, by=INDEPENDENT),
        listed("uncontrolled mean force", float(force.mean()), -29.570, "N", fitted),
        listed("uncontrolled standard deviation", float(force.std()), 15.602, "N", fitted),
        below("constraint drift with projection", float(result["constraint_residual"].max()), 1e-10, "m",
            "closure of the four-bar", by=BEFORE),
        below("energy balance over 10 s, relative", energy_residual(result), 1e-6, "1",
            f"{CONSERVATION}; fourth order: (ω h)⁴ of 5 Hz at 1 ms", by=CLOSED_FORM),
        below("embedded against augmented", _formulations_apart(), 1e-9, "rad",
            "same motion from both formulations; rounding over 2000 steps", by=CLOSED_FORM),
    ]  # fmt: skip


def _formulations_apart() -> float:
    """Largest difference of a coordinate between the augmented and the embedded formulation after 2 s."""
    description = scenarios.read("planar-pantograph").description
    system = system_of(description)
    start = start_of(description, system)

    def end(formulation: Formulation) -> np.ndarray:
        return simulate(system, start, duration=2.0, dt=1e-3, method=RungeKutta4(), formulation=formulation).q

    return float(np.abs(end(Augmented()) - end(Embedded())).max())
