"""A pantograph placed under a line: where both stand before they move, and the forces between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from panhead.errors import NotConverged
from panhead.kernels.line_side import HEIGHT
from panhead.laws.ramp import risen
from panhead.line.linear import LinearLine
from panhead.multibody import Model
from panhead.pantograph.lumped import LumpedPantograph
from panhead.pantograph.protocol import Mechanics, Pantograph, TrainAxes
from panhead.pantograph.statics import stand
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.contact import resting_height
from panhead.run.solvers.coupled.encounter import Encounter
from panhead.run.solvers.coupled.line_side import LineSide
from panhead.run.solvers.coupled.multibody_side import Surface
from panhead.run.solvers.linear.session import contact_height, support_height
from panhead.run.timetable import Timetable

_SAME = 1e-9  # of a force: pantograph and line agree on it
_MOST = 20  # tries until they do; two are usual, since a pantograph is placed by its strip


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Line and pantograph before they move."""

    encounter: Encounter
    mechanics: Mechanics  #: of the pantograph


def own_law(law: ContactLaw, pantograph: Pantograph) -> ContactLaw:
    """The law with the pantograph's own numbers where it has none."""
    stiffness, damping = law.stiffness, law.damping
    return replace(
        law,
        stiffness=pantograph.contact_stiffness if stiffness is None else stiffness,
        damping=pantograph.contact_damping if damping is None else damping,
    )


def place_settled(
    line: LinearLine, timetable: Timetable, pantograph: Pantograph, law: ContactLaw | None = None
) -> Placement:
    """Line and pantograph at rest under the static force, at the moment they set out at full speed.

    The pantograph is told in axes that move with the train, so that its coordinates stay small; the timetable carries
    the contact points along the line.
    """
    law, (mount, x) = own_law(law or ContactLaw(), pantograph), _begin(timetable)
    height, forces = contact_height(line, x), None
    for _ in range(_MOST):
        found = stand(pantograph, mount, (0.0, 0.0, height))
        strips = tuple(strip.on(found.system) for strip in found.mechanics.strips)
        behind = _behind(strips, found.state.q)
        if forces is not None and np.allclose(forces, found.forces, rtol=_SAME, atol=_SAME):
            encounter = Encounter(
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
        f"pantograph {pantograph.name!r} and the line found no common rest within {_MOST} tries; its force is "
        f"{sum(found.forces):.6g} N at the last. Start with journey.settled = false"
    )


def place_lifted(
    line: LinearLine,
    timetable: Timetable,
    pantograph: Pantograph,
    law: ContactLaw | None = None,
    *,
    ramp: float = 0.5,
) -> Placement:
    """A pantograph that touches the resting wire with no force and is then lifted within ``ramp`` [s].

    A chain of masses is lifted itself; what stands in equilibrium is held down by a hand that lets go.
    """
    law, (mount, x) = own_law(law or ContactLaw(), pantograph), _begin(timetable)
    strip = (0.0, 0.0, contact_height(line, x))
    drives = None
    if isinstance(pantograph, LumpedPantograph):
        mechanics = pantograph.on(mount, strip, rest=support_height(line, x), ramp=ramp)
        stations = [station for s in mechanics.strips for station in s.stations]
        system = Model(name=pantograph.name, items=(*mechanics.items, *stations)).system()
        start = system.start
    else:
        found = stand(pantograph, mount, strip)
        mechanics, system, start = found.mechanics, found.system, found.state
        drives = lambda t: found.u * (1.0 - risen(t, ramp))
    strips = tuple(s.on(system) for s in mechanics.strips)
    encounter = Encounter(
        line=line,
        timetable=timetable,
        law=law,
        pantograph=system,
        start=start,
        strips=strips,
        behind=_behind(strips, start.q),
        drives=drives,
    )
    return Placement(encounter=encounter, mechanics=mechanics)


def _begin(timetable: Timetable) -> tuple[TrainAxes, float]:
    """What the pantograph stands on, and where its first strip is [m]."""
    t = np.asarray(0.0)
    return TrainAxes(float(timetable.speed(t))), float(timetable.position(t))


def _behind(strips: tuple[Surface, ...], q: np.ndarray) -> tuple[float, ...]:
    """Of every strip behind the first, along the track [m]."""
    x = [strip.touch(0.0, q, np.zeros(len(q)), 0.0).x for strip in strips]
    return tuple(x[0] - place for place in x)
