"""Mass sliding along a cable with every form of the sliding joint, in the plane and in space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from panhead.engine.bodies import Cable, PointMass
from panhead.engine.forces import SlidingContact
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.runs.library.sliding_mass import Form, sliding_mass, start
from panhead.validation.checks import AFTER, BEFORE, Check, at_least, below, near

_SPATIAL = {"dimensions": 3, "tension": 500.0, "axial_stiffness": 1e5, "bending_stiffness": 5.0, "place": 6.0}
_SIDEWAYS = {"speed": 0.0, "sideways": 3.0}
_IN_SPACE = (6.40748387301, -0.585757976975, -0.712509445252)
_OTHER = "arc length as a coordinate, no multiplier, explicit steps of order 8"


def sliding_mass_on_cable() -> Sequence[Check]:
    """Augmented, embedded and elastic forms; element borders."""
    return [
        *_both_forms("in the plane", {}, {"speed": 4.0}, 2.5, (14.4188145078, -0.264353135595)),
        *_both_forms("in space", _SPATIAL, _SIDEWAYS, 1.0, _IN_SPACE),
        *_elastic(),
        *_borders(),
    ]


def _run(system: MultibodySystem, begin: State, duration: float, dt: float) -> Trajectory:
    method = GeneralizedAlpha(tolerance=1e-11)
    return simulate(system, begin, duration=duration, dt=dt, keep=duration / 5, method=method)


def _both_forms(
    where: str, model: dict[str, Any], begin: dict[str, float], duration: float, exact: Sequence[float]
) -> list[Check]:
    """The mass at the end, constraint and energy of the embedded form, and its distance to the augmented."""
    forms: tuple[Form, ...] = ("augmented", "embedded")
    motions = []
    for form in forms:
        described = sliding_mass(form, **model)
        system = described.system()
        motions.append(_run(system, start(described, **begin), duration, 5e-4))
    kept, gone = motions
    at = system.place("mass.x")
    energy = [sum(system.energy(0.0, q, v)) for q, v in zip(gone.q, gone.v, strict=True)]
    weight = 5.0 * 9.81 * abs(gone.q[0, at + len(exact) - 1])  # mass times the sag under it
    return [
        *(
            near(
                f"{where}: mass, {axis} at {duration:g} s",
                gone.q[-1, at + k],
                exact[k],
                tol=2e-5,  # the step's own error
                unit="m",
                source=_OTHER,
                by=AFTER,
            )
            for k, axis in enumerate("xyz"[: len(exact)])
        ),
        below(f"{where}: largest difference of the two forms", float(np.abs(kept.q[:, : system.nq] - gone.q).max()),
            1e-8, "m", "equality of the forms", by=BEFORE),
        below(f"{where}: constraint residual", float(np.abs(gone.g).max()), 1e-10, "m",
            "positions meet constraints", by=BEFORE),
        below(
            f"{where}: change of energy over that of the sagging mass",
            float(np.ptp(energy) / weight),
            1e-5,  # numerical damping of ρ = 0.9
            unit="1",
            source="conservation",
            by=AFTER,
        ),
    ]  # fmt: skip


def _elastic() -> list[Check]:
    """The contact's own deflection goes with 1/k, and so does the distance to the constrained motion."""
    model = sliding_mass("embedded")
    begin = start(model, speed=4.0)
    exact = _run(model.system(), begin, 0.5, 5e-4)
    error = []
    for k in (1e5, 1e6, 1e7):
        system = _on_contact(model, k).system()
        q = begin.q.copy()
        q[system.place("mass.y")] -= 5.0 * 9.81 / k  # as deep as the weight presses it
        error.append(np.abs(_run(system, State(q=q, v=begin.v), 0.5, 5e-4).q - exact.q).max())
    return [
        near("order of the elastic form in the compliance", float(np.log10(error[1] / error[2])), 1.0, "1",
            "penalty of a constraint", tol=0.1, by=BEFORE),
        below("elastic form at 10 MN/m", float(error[2]), 2e-5, "m", "constrained form", by=AFTER),
    ]  # fmt: skip


def _on_contact(model: Model, stiffness: float) -> Model:
    cable, mass, ends, _ = model.items
    assert isinstance(cable, Cable)
    assert isinstance(mass, PointMass)
    wire = cable.track(mass.position[0])
    contact = SlidingContact(name="slide", point=mass.at(), wire=wire, stiffness=stiffness)
    return replace(model, items=(cable, mass, ends, contact))


def _borders() -> list[Check]:
    """The jump of the normal force at a border between elements, under a mass at 4 m/s."""
    jumps, force = zip(*(_jump(n) for n in (32, 64, 128)), strict=True)
    return [
        below("jump of the force at a border, 32 elements, relative", jumps[0] / force[0], 1e-4, "1",
            "curvature of cubic elements jumps", by=AFTER),
        at_least("order of that jump in the length of elements", float(np.log2(jumps[1] / jumps[2])), 0.9, "1",
            "curvature of a beam under a force has a kink", reference=1.0, by=BEFORE),
    ]  # fmt: skip


def _jump(elements: int) -> tuple[float, float]:
    """Jump of the force across an element border, and the force [N]."""
    model = sliding_mass(elements=elements, bending_stiffness=2000.0, place=5.0)
    system, begin = model.system(), start(model, speed=4.0)
    at, node = system.place("mass.x"), system.place(f"cable.{elements // 4}x")
    border, slope = begin.q[node : node + 2], begin.q[node + 2 : node + 4]
    found = []
    for shift in (-1e-8, 1e-8):
        q = begin.q.copy()
        q[at : at + 2] = border + shift * slope
        found.append(accelerations(system, 0.0, q, begin.v, np.zeros(0))[1][-1])
    return abs(found[1] - found[0]), abs(found[0])
