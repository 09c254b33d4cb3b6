"""Multibody model of a vehicle on a track, built from its description."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.bodies import RigidBody
from panhead.engine.bodies.measure import LineBetween
from panhead.engine.forces import Bearing, Bushing, SpringDamper, TabulatedSpringDamper
from panhead.engine.forces.tabulated_function import Table
from panhead.engine.joints import Revolute, Spherical
from panhead.engine.laws.gravity import GRAVITY, downwards
from panhead.engine.multibody import Model
from panhead.engine.roles import Item, Marker, Triple
from panhead.railway.vehicle.axle import HeldOnRails, OnRails, RollingWheelset
from panhead.railway.vehicle.preload import static_loads
from panhead.railway.vehicle.track import Track
from panhead.railway.vehicle.vehicle_description import (
    CAR,
    AntiRollBar,
    AxleBearing,
    BogiePlace,
    Elastic,
    Part,
    Pivot,
    Strut,
    Vehicle,
)
from panhead.railway.vehicle.wheel_contact import central_height

_SINK = 1e-4  # elastic wheels start this deep in the rails, so that contacts are found [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """A vehicle placed on a track that is straight and level there."""

    vehicle: Vehicle
    track: Track
    model: Model
    wheelsets: tuple[RollingWheelset, ...]  #: from front to rear
    rails: tuple[OnRails | HeldOnRails, ...]  #: the same order
    rolling_radius: float  #: height of the axles above the rails [m]


def assemble(
    vehicle: Vehicle, track: Track, *, at: float = 5.0, gravity: float = GRAVITY, extra: tuple[Item, ...] = ()
) -> Assembled:
    """Build the vehicle with its origin ``at`` metres along the track; ``extra`` parts move with it.

    Springs carry the weight as described: the bushing's end on ``b`` is set lower by load / stiffness.
    """
    height = central_height(vehicle.contact.wheels, vehicle.contact.rails)
    builder = _Builder(vehicle, at, height)
    loads = static_loads(vehicle, gravity)
    items: list[Item] = [*builder.bodies.values(), *builder.axles.values()]
    for place in vehicle.bogies:
        items += builder.links(place, loads)
    ordered = tuple(sorted(builder.axles.values(), key=lambda axle: -axle.position[0]))
    rails = tuple(_rails(vehicle, track, ordered))
    model = Model(name=vehicle.name, items=(*items, *rails, *extra), gravity=downwards(abs(gravity)))
    return Assembled(vehicle=vehicle, track=track, model=model, wheelsets=ordered, rails=rails, rolling_radius=height)


def _rails(vehicle: Vehicle, track: Track, axles: Sequence[RollingWheelset]) -> Iterator[OnRails | HeldOnRails]:
    """The rails under every wheelset, elastic or as a constraint."""
    packed, arrays = vehicle.contact.packed(), track.arrays()
    for axle in axles:
        name, place = f"{axle.name} on rails", axle.position[0]
        if vehicle.contact.kind == "elastic":
            yield OnRails(name=name, wheelset=axle, contact=packed, track=arrays, place=place)
        else:
            blend = vehicle.contact.blend
            yield HeldOnRails(name=name, wheelset=axle, contact=packed, track=arrays, place=place, blend=blend)


class _Builder:
    """Bodies by full name, and markers on them by places of the vehicle."""

    def __init__(self, vehicle: Vehicle, at: float, height: float) -> None:
        self.vehicle, self.at, self.height = vehicle, at, height
        self.sink = _SINK if vehicle.contact.kind == "elastic" else 0.0
        self.bodies = {CAR: self._rigid(CAR, vehicle.car, 0.0)}
        self.axles: dict[str, RollingWheelset] = {}
        for place in vehicle.bogies:
            for part in vehicle.bogie.bodies:
                name = full_name(place, part.name)
                self.bodies[name] = self._rigid(name, part, place.x)
            for axle in vehicle.bogie.wheelsets:
                name = full_name(place, axle.name)
                self.axles[name] = RollingWheelset(
                    name=name,
                    mass=axle.mass,
                    inertia=axle.inertia,
                    spin_inertia=axle.spin_inertia,
                    position=(at + place.x + axle.x, 0.0, height - self.sink),
                )

    def _rigid(self, name: str, part: Part, x: float) -> RigidBody:
        cx, cy, cz = part.centre
        return RigidBody(
            name=name, mass=part.mass, inertia=part.inertia, position=(self.at + x + cx, cy, cz - self.sink)
        )

    def marker(self, place: BogiePlace, body: str, point: Triple, axis: Triple = (0.0, 0.0, 1.0)) -> Marker:
        """A place given relative to a bogie's centre, on one of its bodies or on the car body."""
        name = full_name(place, body)
        owner: RigidBody | RollingWheelset = self.bodies.get(name) or self.axles[name]
        world = np.array(point) + [self.at + place.x, 0.0, -self.sink]
        local = tuple(float(c) for c in world - np.array(owner.position))
        forward = (1.0, 0.0, 0.0) if abs(axis[0]) < 0.9 * np.linalg.norm(axis) else None
        return owner.at(local, axis=axis, across=forward)  # type: ignore[arg-type]

    def links(self, place: BogiePlace, loads: dict[str, float]) -> Iterator[Item]:
        bogie = self.vehicle.bogie
        for elastic in bogie.bushings:
            yield from self._bushings(place, elastic, loads)
        for bearing in bogie.bearings:
            yield from self._bearings(place, bearing, loads)
        for strut in bogie.struts:
            yield from self._struts(place, strut)
        for bar in bogie.anti_roll_bars:
            yield self._bar(place, bar)
        for pivot in bogie.pivots:
            yield from self._pivot(place, pivot)

    def _lower(self, point: Triple, load: float, stiffness: float) -> Triple:
        x, y, z = point
        return (x, y, z - (load / stiffness if stiffness else 0.0))

    def _bushings(self, place: BogiePlace, link: Elastic, loads: dict[str, float]) -> Iterator[Bushing]:
        for k, point in enumerate(link.at):
            name = link_name(place, link.name, k, len(link.at))
            low = self._lower(point, loads.get(name, 0.0), link.stiffness[2])
            yield Bushing(
                name=name,
                a=self.marker(place, link.a, point),
                b=self.marker(place, link.b, low),
                stiffness=_diagonal(link.stiffness),
                damping=_diagonal(link.damping),
            )

    def _bearings(self, place: BogiePlace, link: AxleBearing, loads: dict[str, float]) -> Iterator[Bearing]:
        for k, point in enumerate(link.at):
            name = link_name(place, link.name, k, len(link.at))
            low = self._lower(point, loads.get(name, 0.0), link.stiffness)
            yield Bearing(
                name=name,
                a=self.marker(place, link.a, point, (0.0, 1.0, 0.0)),
                b=self.marker(place, link.b, low, (0.0, 1.0, 0.0)),
                stiffness=link.stiffness,
                damping=link.damping,
                axial_stiffness=link.axial_stiffness,
                axial_damping=link.axial_damping,
                tilt_stiffness=link.tilt_stiffness,
                tilt_damping=link.tilt_damping,
            )

    def _struts(self, place: BogiePlace, link: Strut) -> Iterator[SpringDamper | TabulatedSpringDamper]:
        for k, (one, two) in enumerate(link.ends):
            name = link_name(place, link.name, k, len(link.ends))
            line = LineBetween(a=self.marker(place, link.a, one), b=self.marker(place, link.b, two))
            length = float(np.linalg.norm(np.subtract(two, one)))
            if link.spring or link.damper:
                spring = tuple((length + x, f) for x, f in link.spring)
                yield TabulatedSpringDamper(
                    name=name,
                    along=line,
                    spring=Table(spring) if spring else None,
                    damper=Table(link.damper) if link.damper else None,
                )
            else:
                yield SpringDamper(name=name, along=line, stiffness=link.stiffness, damping=link.damping, rest=length)

    def _bar(self, place: BogiePlace, link: AntiRollBar) -> Bushing:
        return Bushing(
            name=full_name(place, link.name),
            a=self.marker(place, link.a, link.at),
            b=self.marker(place, link.b, link.at),
            stiffness=_diagonal((0.0, 0.0, 0.0, link.stiffness, 0.0, 0.0)),
        )

    def _pivot(self, place: BogiePlace, link: Pivot) -> Iterator[Item]:
        name = full_name(place, link.name)
        a = self.marker(place, link.a, link.at, link.axis)
        b = self.marker(place, link.b, link.at, link.axis)
        kind = Revolute if link.kind == "revolute" else Spherical
        yield kind(name=name, a=a, b=b)
        if link.damping:
            yield Bushing(
                name=f"{name} resistance",
                a=a,
                b=b,
                stiffness=_diagonal((0.0,) * 6),
                damping=_diagonal((0.0, 0.0, 0.0, 0.0, 0.0, link.damping)),
            )


def full_name(place: BogiePlace, part: str) -> str:
    """Full name of a part of one bogie; the car body belongs to all."""
    return part if part == CAR else f"{place.name} {part}"


def link_name(place: BogiePlace, link: str, k: int, count: int) -> str:
    """Name of one of several equal links."""
    return full_name(place, link) if count == 1 else f"{full_name(place, link)} {k + 1}"


def _diagonal(values: tuple[float, ...]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in np.diag(values).tolist())
