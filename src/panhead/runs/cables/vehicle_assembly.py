"""Whole train in one system: vehicle on rails, pantograph on its car body, cable line above.

Forces go both ways: the car body feels its pantograph.
"""

from __future__ import annotations

from panhead.engine.bodies import RigidBody
from panhead.engine.forces import SpringDamper
from panhead.engine.laws.gravity import downwards
from panhead.engine.methods.equilibrium import project_onto_constraints
from panhead.engine.multibody import Model
from panhead.errors import ModelError
from panhead.railway.pantograph.pantograph_protocol import CarBody
from panhead.railway.vehicle import Standing, read_vehicle
from panhead.railway.vehicle.vehicle_description import CAR
from panhead.railway.vehicle.vehicle_model import assemble as assemble_vehicle
from panhead.railway.vehicle.vehicle_ride import explain_missing_equilibrium, rolling_start
from panhead.runs.cables.cables_assembly import CableSystem, assemble_items, guess
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.cables_statics import RestingLine, equilibrium_of_cables
from panhead.runs.description import OnVehicle
from panhead.runs.resolve import ResolvedRun, starts_settled

_HOLD = 1e7  # of the brake with which a train stands while its equilibrium is sought [N/m]


def assemble_train(resolved: ResolvedRun, on: OnVehicle, line: RestingLine, law: HeadLaw | None) -> CableSystem:
    """The pantograph's foot on the car body, the vehicle at its place on the track, the strip at its place on the line.

    Equilibrium is found with the car body held along the track; vehicle and pantograph then get the speed.
    """
    _check(resolved, law)
    vehicle = read_vehicle(on.vehicle) if isinstance(on.vehicle, str) else on.vehicle
    g = resolved.line.gravity
    made = assemble_vehicle(vehicle, on.track, at=on.start, gravity=g)
    car = next(item for item in made.model.items if item.name == CAR)
    assert isinstance(car, RigidBody)
    x = on.start + on.foot[0] + resolved.pantographs[0].reach
    parts = assemble_items(resolved, line, CarBody(car, resolved.fastest, g), law, start=(x, on.foot[1], 0.0))
    items = (*parts.items, *made.model.items)
    model = Model(name=f"{vehicle.name} under the line", items=items, gravity=downwards(g))
    system = model.system().changed(line.numbers)
    begin = guess(system, line, parts)
    brake = SpringDamper(name="brake", along=f"{CAR}.x", stiffness=_HOLD, rest=float(begin[system.place(f"{CAR}.x")]))
    held = Model(name=model.name, items=(*items, brake), gravity=downwards(g)).system()
    with explain_missing_equilibrium(made):
        q, lam = equilibrium_of_cables(held.changed(line.numbers), begin)
    standing = Standing(assembled=made, system=system, q=q, lam=lam)
    return CableSystem(
        resolved=resolved,
        line=line,
        mechanics=parts.mechanics,
        contacts=parts.contacts,
        model=model,
        system=system,
        start=project_onto_constraints(system, rolling_start(standing, resolved.fastest)),
        lam=lam,
        roof=car.at_world((on.start + on.foot[0], on.foot[1], on.foot[2])),
        standing=standing,
    )


def _check(resolved: ResolvedRun, law: HeadLaw | None) -> None:
    if not starts_settled(resolved.run):
        raise ModelError("vehicle: a run with a vehicle starts in equilibrium; remove journey.settled = false")
    if law is not None and law.controller() is not None:
        raise ModelError("control: a sampled control law works only on a level roof; use a damper, or remove `vehicle`")
    speed, needed = resolved.fastest, resolved.duration * resolved.fastest
    on = resolved.run.vehicle
    assert on is not None
    if on.track.length < on.start + 25.0 + needed:
        raise ModelError(
            f"vehicle: the track is {on.track.length:.0f} m long, and {resolved.duration:g} s at {speed:.4g} m/s need "
            f"{on.start + 25.0 + needed:.0f} m; lengthen the track or shorten the journey"
        )
