"""Initial placement of a pantograph under a line: positions at rest and contact forces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from panhead.engine.laws.gravity import GRAVITY, downwards
from panhead.engine.laws.ramp import smooth_ramp
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Triple
from panhead.errors import NotConverged
from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_protocol import Mechanics, Pantograph, TrainAxes
from panhead.railway.pantograph.pantograph_statics import equilibrium_with_strip_at
from panhead.runs.coupled.contact_law import resting_height
from panhead.runs.coupled.coupled_problem import CoupledProblem
from panhead.runs.coupled.line_side import LineSide
from panhead.runs.coupled.multibody_side import Drives, Surface
from panhead.runs.description import ContactLaw
from panhead.runs.linear.session import contact_height, support_height
from panhead.runs.linear.step.strips import HEIGHT
from panhead.runs.timetable import Timetable

_SAME = 1e-9  # of a force: pantograph and line agree on it
_MAX_ITERATIONS = 20  # tries until they do; two are usual, since a pantograph is placed by its strip


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Line and pantograph before they move."""

    encounter: CoupledProblem
    mechanics: Mechanics  #: of the pantograph


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Raised:
    """Pantograph with its strip at a given position, without contact, before it is raised."""

    mechanics: Mechanics
    system: MultibodySystem
    start: State
    strips: tuple[Surface, ...]
    forces: tuple[float, ...]  #: it presses with at once, without a ramp [N]
    drives: Drives | None = None  #: a hand that lets go


def own_law(law: ContactLaw, pantograph: Pantograph) -> ContactLaw:
    """Contact law with the pantograph's own numbers where it has none."""
    stiffness, damping = law.given_stiffness, law.damping
    return replace(
        law,
        stiffness=pantograph.contact_stiffness if stiffness is None else stiffness,
        damping=pantograph.contact_damping if damping is None else damping,
        hertz=None,
    )


def place_settled(
    line: LinearLine,
    timetable: Timetable,
    pantograph: Pantograph,
    law: ContactLaw | None = None,
    *,
    gravity: float = GRAVITY,
) -> Placement:
    """Line and pantograph in equilibrium under the static force, at the moment they start at full speed.

    The pantograph is described in axes that move with the train, so that its coordinates stay small; the timetable
    gives the positions of the contact points along the line.
    """
    law, (mount, x) = own_law(law or ContactLaw(), pantograph), _begin(timetable, gravity)
    height, forces = contact_height(line, x), None
    for _ in range(_MAX_ITERATIONS):
        found = equilibrium_with_strip_at(pantograph, mount, (0.0, 0.0, height))
        strips = tuple(strip.on(found.system) for strip in found.mechanics.strips)
        behind = _behind(strips, found.state.q)
        if forces is not None and np.allclose(forces, found.forces, rtol=_SAME, atol=_SAME):
            encounter = CoupledProblem(
                line=line,
                timetable=timetable,
                law=law,
                pantograph=found.system,
                start=found.state,
                strips=strips,
                behind=behind,
                preload=forces,
            )
            return Placement(encounter=encounter, mechanics=found.mechanics)
        forces = found.forces
        wires = LineSide(line, timetable, behind, law=law, preload=forces).contact[:, HEIGHT]
        height = resting_height(law, wires.tolist(), sum(forces))
    raise NotConverged(
        f"pantograph {pantograph.name!r} and the line found no common equilibrium within {_MAX_ITERATIONS} iterations; "
        f"the last contact force is {sum(found.forces):.6g} N. Start with journey.settled = false"
    )


def place_lifted(
    line: LinearLine,
    timetable: Timetable,
    pantograph: Pantograph,
    law: ContactLaw | None = None,
    *,
    ramp: float = 0.5,
    gravity: float = GRAVITY,
) -> Placement:
    """Pantograph that touches the resting wire without force and is then raised within ``ramp`` [s]."""
    law, (mount, x) = own_law(law or ContactLaw(), pantograph), _begin(timetable, gravity)
    strip = (0.0, 0.0, contact_height(line, x))
    found = raise_pantograph(pantograph, mount, strip, rest=support_height(line, x), ramp=ramp)
    encounter = CoupledProblem(
        line=line,
        timetable=timetable,
        law=law,
        pantograph=found.system,
        start=found.start,
        strips=found.strips,
        behind=_behind(found.strips, found.start.q),
        drives=found.drives,
    )
    return Placement(encounter=encounter, mechanics=found.mechanics)


def raise_pantograph(
    pantograph: Pantograph, mount: TrainAxes, strip: Triple, *, rest: float | None = None, ramp: float = 0.0
) -> Raised:
    """Pantograph with its strip at a given position [m], raised within ``ramp`` [s].

    The uplift force of a lumped pantograph is raised from zero, with springs that carry its weight at ``rest`` [m]; any
    other starts in equilibrium under an additional downward force that decreases to zero.
    """
    if not isinstance(pantograph, LumpedPantograph):
        found = equilibrium_with_strip_at(pantograph, mount, strip)
        return Raised(
            mechanics=found.mechanics,
            system=found.system,
            start=found.state,
            strips=tuple(s.on(found.system) for s in found.mechanics.strips),
            drives=(lambda t: found.u * (1.0 - smooth_ramp(t, ramp))) if ramp else None,
            forces=found.forces,
        )
    mechanics = pantograph.on(mount, strip, rest=rest, ramp=ramp)
    stations = [station for s in mechanics.strips for station in s.stations]
    system = Model(name=pantograph.name, items=(*mechanics.items, *stations), gravity=downwards(mount.gravity)).system()
    return Raised(
        mechanics=mechanics,
        system=system,
        start=system.start,
        strips=tuple(s.on(system) for s in mechanics.strips),
        forces=(pantograph.total_uplift(mount.speed),),
    )


def _begin(timetable: Timetable, gravity: float) -> tuple[TrainAxes, float]:
    """Base of the pantograph, and initial position of its first strip [m]."""
    t = np.asarray(0.0)
    return TrainAxes(float(timetable.speed(t)), gravity), float(timetable.position(t))


def _behind(strips: tuple[Surface, ...], q: np.ndarray) -> tuple[float, ...]:
    """Distance of every strip behind the first, along the track [m]."""
    x = [strip.touch(0.0, q, np.zeros(len(q)), 0.0).x for strip in strips]
    return tuple(x[0] - place for place in x)
