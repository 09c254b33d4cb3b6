"""A chain of masses as a multibody pantograph with one strip."""

from __future__ import annotations

from typing import Literal

import numpy as np

from panhead.bodies import GuidedMass
from panhead.errors import ModelError
from panhead.forces import Actuator, Slide, SpringDamper, Stop
from panhead.laws.ramp import smooth_ramp
from panhead.line.linear import LinearLine
from panhead.methods.trajectory import State
from panhead.multibody import Model
from panhead.pantograph.lumped import LumpedPantograph, Stage
from panhead.roles import Item
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.encounter import Encounter
from panhead.run.solvers.coupled.methods import Passage
from panhead.run.solvers.coupled.strips import Drives, FlatStrip
from panhead.run.solvers.linear.session import contact_height, support_height
from panhead.system import System, Vector


def lumped_encounter(
    line: LinearLine,
    pantograph: LumpedPantograph,
    passage: Passage,
    *,
    law: ContactLaw | None = None,
    ramp: float = 0.5,
) -> Encounter:
    """A chain of masses that touches the resting wire with no force and is then lifted within ``ramp`` [s].

    The start is that of ``panhead.run.solvers.linear``; the law is the pantograph's own if none is given.
    """
    system = lumped_model(pantograph).system()
    rest = support_height(line, passage.start)
    z = contact_height(line, passage.start) - rest
    own = ContactLaw(stiffness=pantograph.contact_stiffness, damping=pantograph.contact_damping)
    return Encounter(
        line=line,
        passage=passage,
        law=law or own,
        pantograph=system,
        start=State(q=system.start.q + z, v=system.start.v),
        strips=(head_strip(system, rest),),
        drives=uplift_drives(pantograph, system, speed=passage.speed, ramp=ramp, start=z),
    )


def lumped_model(pantograph: LumpedPantograph) -> Model:
    """A chain of masses as a multibody model, heights counted from where its springs carry just its weight.

    The controls ``lift_1`` … lift the masses, the head first.
    """
    if any(stage.friction for stage in pantograph.stages):
        raise ModelError(
            f"pantograph {pantograph.name!r}: friction of a chain of masses is not offered as a multibody model; "
            "leave it out"
        )
    masses = [
        GuidedMass(name=f"mass_{k}", mass=stage.mass, axis=(0.0, 0.0, 1.0))
        for k, stage in enumerate(pantograph.stages, 1)
    ]
    items: list[Item] = [*masses]
    for k, stage in enumerate(pantograph.stages, 1):
        last = k == len(masses)
        along = f"mass_{k}.x" if last else Slide(a=masses[k].at(), b=masses[k - 1].at())
        items += [*_suspension(k, stage, along), Actuator(name=f"lift_{k}", along=f"mass_{k}.x")]
    return Model(name=pantograph.name, items=tuple(items), gravity=(0.0, 0.0, 0.0))


def _suspension(k: int, stage: Stage, along: Slide | str) -> list[Item]:
    items: list[Item] = [
        SpringDamper(
            name=f"suspension_{k}", along=along, stiffness=stage.stiffness, damping=stage.damping
        )
    ]
    sides: tuple[tuple[Literal["upper", "lower"], float | None, float], ...] = (
        ("upper", stage.stop_up, 1.0),
        ("lower", stage.stop_down, -1.0),
    )
    for side, travel, sign in sides:
        if travel is not None:
            items.append(
                Stop(
                    name=f"stop_{side}_{k}",
                    along=along,
                    limit=sign * travel,
                    stiffness=stage.stop_stiffness,
                    side=side,
                )
            )
    return items


def head_strip(system: System, rest_height: float) -> FlatStrip:
    """The head of ``lumped_model`` as a strip; ``rest_height``: of it where the head's coordinate is zero [m]."""
    return FlatStrip(
        place=system.coordinates.index("mass_1.x"),
        control=system.controls.index("lift_1"),
        offset=rest_height,
    )


def uplift_drives(
    pantograph: LumpedPantograph,
    system: System,
    *,
    speed: float,
    ramp: float = 0.0,
    start: float = 0.0,
) -> Drives:
    """Lifting forces of ``lumped_model`` at ``speed`` [m/s], grown smoothly over ``ramp`` [s].

    They begin with what holds all masses at ``start`` [m]: K z.
    """
    places = [system.controls.index(f"lift_{k}") for k in range(1, len(pantograph.stages) + 1)]
    full, held = np.zeros((2, len(system.controls)))
    full[places] = pantograph.uplift(speed)
    held[places] = pantograph.matrices()[2] @ np.full(len(places), start)

    def drives(t: float) -> Vector:
        share = smooth_ramp(t, ramp)
        return share * full + (1.0 - share) * held

    return drives
