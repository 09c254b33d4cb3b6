"""A pantograph placed under a line: where both stand before they move, and the forces between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np
import scipy.sparse as sp

from panhead.bodies import ground
from panhead.errors import NotConverged
from panhead.joints import PointOnPlane
from panhead.kernels.line_side import HEIGHT
from panhead.laws.ramp import risen
from panhead.line.linear import LinearLine
from panhead.methods.equilibrium import assembled, equilibrium
from panhead.methods.trajectory import State
from panhead.multibody import Model
from panhead.multibody.system import MultibodySystem
from panhead.pantograph.protocol import Mechanics, Pantograph, TrainAxes
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.contact import resting_height
from panhead.run.solvers.coupled.encounter import Encounter
from panhead.run.solvers.coupled.line_side import LineSide
from panhead.run.solvers.coupled.multibody_side import Drives, Surface
from panhead.run.solvers.linear.session import contact_height, support_height
from panhead.run.timetable import Timetable
from panhead.system import Vector, no_controls

_BALANCED = 1e-6  # of the forces on the bodies: what may be left of them in an equilibrium
_SAME = 1e-9  # of a force: pantograph and line agree on it
_MOST = 20  # tries until they do; two are usual, since a pantograph is placed by its strip


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A pantograph of bodies that stands with its strips at a height."""

    mechanics: Mechanics
    system: MultibodySystem
    start: State
    strips: tuple[Surface, ...]
    forces: tuple[float, ...]  #: that press on the strips [N]

    @property
    def behind(self) -> tuple[float, ...]:
        """Of every strip behind the first, along the track [m]."""
        q, v = self.start.q, self.start.v
        x = [strip.touch(0.0, q, v, 0.0).x for strip in self.strips]
        return tuple(x[0] - place for place in x)

    def hold(self, ramp: float) -> Drives | None:
        """A hand that presses on the strips as the wire will and lets go over ``ramp`` [s]; None: nothing to hold."""
        if not any(self.forces):
            return None
        u = no_controls(self.system)
        for strip, force in zip(self.strips, self.forces, strict=True):
            strip.push(u, 0.0, -force)
        return lambda t: u * (1.0 - risen(t, ramp))


def place(
    pantograph: Pantograph,
    height: float,
    *,
    speed: float,
    rest: float | None = None,
    ramp: float = 0.0,
) -> Placed:
    """The pantograph at rest with its strips at ``height`` [m], seen from a train at ``speed`` [m/s].

    Where its description does not know the equilibrium it is found with the strips held at that height.
    """
    mechanics = pantograph.on(TrainAxes(speed), (0.0, 0.0, height), rest=rest, ramp=ramp)
    stations = [station for strip in mechanics.strips for station in strip.stations]
    model = Model(name=pantograph.name, items=(*mechanics.items, *stations))
    system = model.system()
    strips = tuple(strip.on(system) for strip in mechanics.strips)
    known = zip(system.coordinates, system.start.q, strict=True)
    q = assembled(system, np.array([mechanics.places.get(name, x) for name, x in known]))
    force, left = _pressing(system, q, strips)
    forces: tuple[float, ...] = (force,) * len(strips)
    if left > _BALANCED:
        q, forces = _held(model, mechanics, q, height)
    start = State(q=q, v=np.zeros(len(q)))
    return Placed(mechanics=mechanics, system=system, start=start, strips=strips, forces=forces)


def _pressing(
    system: MultibodySystem, q: Vector, strips: Sequence[Surface]
) -> tuple[float, float]:
    """The force on every strip [N] that leaves least of f + Σ F ∂f/∂F = g_qᵀ lam at rest, and what it leaves of f."""
    rest, u = np.zeros(len(q)), no_controls(system)
    f = system.force(0.0, q, rest, u)
    for strip in strips:
        strip.push(u, 0.0, -1.0)
    pushed = system.force(0.0, q, rest, u) - f
    G = system.constraint_q(0.0, q)
    columns = np.column_stack([pushed, -sp.csc_array(G).T.toarray()])
    found = np.linalg.lstsq(columns, -f, rcond=None)[0]
    left = f + columns @ found
    return float(found[0]), float(np.abs(left).max() / max(1.0, np.abs(f).max()))


def _held(
    model: Model, mechanics: Mechanics, q: Vector, height: float
) -> tuple[Vector, tuple[float, ...]]:
    """Equilibrium with every strip on a plane at ``height`` [m], and what it presses with."""
    planes = [
        PointOnPlane(name=f"held {strip.name}", a=ground.at((0.0, 0.0, height)), b=strip.middle)
        for strip in mechanics.strips
    ]
    held = replace(model, items=(*model.items, *planes)).system()
    q, lam = equilibrium(held, q)
    rows = [held.constraints.index(f"{plane.name}.apart") for plane in planes]
    return q, tuple(float(lam[row]) for row in rows)


def own_law(law: ContactLaw, pantograph: Pantograph) -> ContactLaw:
    """The law with the pantograph's own numbers where it has none."""
    stiffness, damping = law.stiffness, law.damping
    return replace(
        law,
        stiffness=pantograph.contact_stiffness if stiffness is None else stiffness,
        damping=pantograph.contact_damping if damping is None else damping,
    )


def settled_encounter(
    line: LinearLine, timetable: Timetable, pantograph: Pantograph, law: ContactLaw | None = None
) -> tuple[Encounter, Placed]:
    """Line and pantograph at rest under the static force, at the moment they set out at full speed."""
    law, speed, x = own_law(law or ContactLaw(), pantograph), *_begin(timetable)
    height, forces = contact_height(line, x), None
    for _ in range(_MOST):
        placed = place(pantograph, height, speed=speed)
        if forces is not None and np.allclose(forces, placed.forces, rtol=_SAME, atol=_SAME):
            return _encounter(line, timetable, law, placed, preload=forces), placed
        forces = placed.forces
        side = LineSide(line, timetable, placed.behind, law=law, preload=forces)
        height = resting_height(law, side.contact[:, HEIGHT].tolist(), sum(forces))
    raise NotConverged(
        f"pantograph {pantograph.name!r} and the line found no common rest within {_MOST} tries; its force changes from "
        f"{sum(forces or ()):.6g} N to {sum(placed.forces):.6g} N. Start with journey.settled = false"
    )


def lifted_encounter(
    line: LinearLine,
    timetable: Timetable,
    pantograph: Pantograph,
    law: ContactLaw | None = None,
    *,
    ramp: float = 0.5,
) -> tuple[Encounter, Placed]:
    """A pantograph that touches the resting wire with no force and is then lifted within ``ramp`` [s]."""
    law, speed, x = own_law(law or ContactLaw(), pantograph), *_begin(timetable)
    height, rest = contact_height(line, x), support_height(line, x)
    placed = place(pantograph, height, speed=speed, rest=rest, ramp=ramp)
    return _encounter(line, timetable, law, placed, drives=placed.hold(ramp)), placed


def _begin(timetable: Timetable) -> tuple[float, float]:
    """Speed [m/s] and place [m] at the start."""
    t = np.asarray(0.0)
    return float(timetable.speed(t)), float(timetable.position(t))


def _encounter(
    line: LinearLine,
    timetable: Timetable,
    law: ContactLaw,
    placed: Placed,
    *,
    preload: tuple[float, ...] | None = None,
    drives: Drives | None = None,
) -> Encounter:
    return Encounter(
        line=line,
        timetable=timetable,
        law=law,
        pantograph=placed.system,
        start=placed.start,
        strips=placed.strips,
        behind=placed.behind,
        drives=drives,
        preload=preload,
    )
