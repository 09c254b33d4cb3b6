"""Double pendulum on an elastic beam: agreement of all joint forms, energy, independent solution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.engine.methods.formulations import Augmented, Eliminated, Formulation
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.runs.library.pendulum_on_beam import Form, pendulum_on_beam
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, below, near

_PAPER = "Lipinski 2023, section 5"
_MODES = "solution in the beam's modes without multiplier, eighth order, stopped at element borders"
_CONSERVATION = "conservation of energy"
DEPENDENT = ("beam.0w", "beam.0w'", "beam.50w", "beam.50w'", "root.y")
_COLUMNS = ("root.x", "root.y", "root.angle", "hinge.angle", "beam.25w")
_REFERENCE = {  # t [s]: sliding point x, y [m], angles [rad], deflection of the mid-point [m]
    0.2: (2.299166372, -0.325069233, -0.025884919, 1.205922660, -0.325284932),
    0.4: (2.018545923, -0.361938079, 0.441423936, -0.387090346, -0.369092591),
    0.6: (2.819748629, -0.422961001, -0.171705691, -0.165065817, -0.423942573),
    0.8: (2.879150270, -0.550888710, -0.150301844, -0.603324939, -0.543766139),
    1.0: (2.208870251, -0.533316693, 0.393298819, -1.061815005, -0.530711275),
}


def run(
    form: Form = "riding", *, dt: float = 1e-4, formulation: Formulation | None = None
) -> tuple[MultibodySystem, Trajectory]:
    """One second after the release."""
    system, start = pendulum_on_beam(form)
    motion = simulate(
        system,
        start,
        duration=1.0,
        dt=dt,
        keep=0.01,
        method=GeneralizedAlpha(rates="free", tolerance=1e-11),
        formulation=formulation or Augmented(),
    )
    return system, motion


def energy(system: MultibodySystem, motion: Trajectory) -> np.ndarray:
    """Kinetic and potential energy along a motion [J]."""
    return np.array([sum(system.energy(0.0, q, v)) for q, v in zip(motion.q, motion.v, strict=True)])


def pendulum_on_beam_case() -> Sequence[Check]:
    """Figures 4 and 5 of the paper, with its data."""
    system, motion = run()
    total = energy(system, motion)
    sag = -motion.q[0, system.place("beam.25w")]
    return [
        near("sag under the arms", sag, _clamped_sag(), "m", "W L³/(192 EI)", rel=1e-9, by=CLOSED_FORM),
        below("energy over 1 s, relative", np.abs(total - total[0]).max() / abs(total[0]), 1e-6, "1", _CONSERVATION,
            by=BEFORE),
        below("constraint over 1 s", np.abs(motion.g).max(), 1e-10, "m", _PAPER, by=BEFORE),
        *_forms(),
        *_against_modes(system, motion),
    ]  # fmt: skip


def _clamped_sag() -> float:
    return 2 * 20.0 * 9.81 * 5.0**3 / (192 * 2.1e11 * 2.81e-9)


def _forms() -> list[Check]:
    """Largest difference of any coordinate at any kept time from the form that keeps the arc length."""
    dt = 4e-4  # the steps themselves agree, whatever their length
    system, motion = run("augmented", dt=dt)
    kept = [k for k, name in enumerate(system.coordinates) if name != "slide.s"]
    reference = motion.q[:, kept]
    runs = {
        "embedded": run("embedded", dt=dt),
        "with the paper's constraint": run("riding", dt=dt),
        "eliminated": run("riding", dt=dt, formulation=Eliminated(dependent=DEPENDENT)),
    }
    return [
        below(f"augmented and {name}, every coordinate", np.abs(other.q - reference).max(), 1e-8, "m, rad",
            "one motion from every form", by=BEFORE)
        for name, (_, other) in runs.items()
    ]  # fmt: skip


def _against_modes(system: MultibodySystem, motion: Trajectory) -> list[Check]:
    """Steps of 0.1 ms are good to 3e-7; the mid-point shakes with waves of the beam, to 3e-6."""
    names = ("x of the sliding point", "y of the sliding point", "first arm", "second arm", "mid-point")
    found = []
    for k, (name, column) in enumerate(zip(names, _COLUMNS, strict=True)):
        here = np.array([motion.q[round(t / 0.01), system.place(column)] for t in _REFERENCE])
        gap = np.abs(here - np.array([row[k] for row in _REFERENCE.values()])).max()
        limit = 1e-5 if column == "beam.25w" else 1e-6
        unit = "rad" if "angle" in column else "m"
        found.append(below(f"{name} at five times", gap, limit, unit, _MODES, by=AFTER))
    return found
