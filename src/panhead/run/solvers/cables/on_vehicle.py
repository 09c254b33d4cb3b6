"""The whole train in one system: a vehicle on its rails, the CX pantograph on its car body, a line of cables above."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np

from panhead.bodies import RigidBody
from panhead.errors import ModelError
from panhead.forces import SlidingContact, SpringDamper
from panhead.methods.equilibrium import projected
from panhead.methods.trajectory import State
from panhead.multibody import Model
from panhead.multibody.system import MultibodySystem
from panhead.pantograph.cx import HEAD, CxPantograph
from panhead.roles import Item, Marker, Triple
from panhead.run.solvers.cables.assembly import CONTACT, GRAVITY
from panhead.run.solvers.cables.statics import Hung, at_rest
from panhead.vehicle import Standing, Track, Vehicle, assemble
from panhead.vehicle.description import CAR
from panhead.vehicle.running import rolling_start

_HOLD = 1e7  # of the brake with which a train stands while its equilibrium is sought [N/m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Train:
    """Vehicle, pantograph and line; standing and ready to run."""

    hung: Hung
    standing: Standing  #: all bodies, at rest
    model: Model
    system: MultibodySystem
    start: State  #: the vehicle and its pantograph at the speed, the line at rest


def on_vehicle(
    hung: Hung,
    pantograph: CxPantograph,
    vehicle: Vehicle,
    track: Track,
    *,
    speed: float,
    at: float = 5.0,
    contact_stiffness: float = 50e3,
    contact_damping: float = 0.0,
) -> Train:
    """The pantograph stands on the car body as printed, the vehicle's origin ``at`` metres along the track.

    Head and wire push each other apart by an elastic contact that may open. Forces go both ways: the car body
    feels its pantograph. Equilibrium is found with the car body held along the track.
    """
    made = assemble(vehicle, track, at=at, gravity=-GRAVITY[2])
    placed = replace(pantograph, x=HEAD[0] + at)
    items = (*hung.catenary.all_items(), *made.model.items, *_pantograph(placed, made.model, speed))
    items += (_contact(hung, placed, speed, contact_stiffness, contact_damping),)
    model = Model(name=f"{vehicle.name} under the line", items=items, gravity=GRAVITY)
    system = model.system().changed(hung.numbers)
    guess = np.array(
        [hung.places.get(n, x) for n, x in zip(system.coordinates, system.start.q, strict=True)]
    )
    brake = SpringDamper(
        name="brake",
        along=f"{CAR}.x",
        stiffness=_HOLD,
        rest=float(guess[system.place(f"{CAR}.x")]),
    )
    held = Model(name=model.name, items=(*items, brake), gravity=GRAVITY).system()
    q, lam = at_rest(held.changed(hung.numbers), guess)
    standing = Standing(assembled=made, system=system, q=q, lam=lam)
    start = projected(system, rolling_start(standing, speed))
    return Train(hung=hung, standing=standing, model=model, system=system, start=start)


@final
class _Mount:
    """The car body where a carriage is expected."""

    def __init__(self, car: RigidBody) -> None:
        self.car = car

    def place(self, t: float) -> np.ndarray:
        del t
        return np.zeros(3)

    def at(self, point: Triple, *, axis: Triple) -> Marker:
        return self.car.at_world(point, axis=axis)


def _pantograph(pantograph: CxPantograph, vehicle: Model, speed: float) -> tuple[Item, ...]:
    car = next(item for item in vehicle.items if item.name == CAR)
    assert isinstance(car, RigidBody)
    mount: Any = _Mount(car)
    return tuple(item for item in pantograph.items(mount, speed) if item is not mount)


def _contact(
    hung: Hung, pantograph: CxPantograph, speed: float, stiffness: float, damping: float
) -> SlidingContact:
    wire = hung.catenary.contact
    along = pantograph.x - wire.nodes[0][0]
    if not 0.0 < along < wire.breaks[-1]:
        raise ModelError(
            f"the pan-head starts at x = {pantograph.x:.6g} m, the wire reaches from {wire.nodes[0][0]:.6g} to "
            f"{wire.nodes[-1][0]:.6g} m; move the vehicle"
        )
    return SlidingContact(
        name=CONTACT,
        point=pantograph.contact_point(speed),
        wire=wire.track(along),
        stiffness=stiffness,
        damping=damping,
        normal=(0.0, 0.0, -1.0),
    )
