"""The arms of [Lipinski23] on the beam with what its author names as next steps: impact, friction, a finite contact."""

from __future__ import annotations

import numpy as np

from panhead.engine.bodies import PlanarBody, ground
from panhead.engine.forces import BeamContact, ImpactLaw, PlaneContact
from panhead.engine.joints import Revolute
from panhead.engine.joints.free_joint import Free
from panhead.engine.joints.point_on_beam import Riding
from panhead.engine.methods.equilibrium import assemble_configuration
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.errors import ModelError
from panhead.files.units import Dimensionless, Kilograms, Metres
from panhead.runs.library.pendulum_on_beam import (
    ARMS,
    GRAVITY,
    LENGTH,
    Ends,
    arms,
    at_rest,
    beam_items,
    deflection,
    printed_beam,
    sag,
)
from panhead.runs.scenarios.shipped_models import ShippedModel


def loose_model(
    *,
    elements: int = 20,
    ends: Ends = "clamped",
    place: Metres = LENGTH / 2,
    height: Metres = 0.3,
    floor: Metres = -2.7,
    restitution: Dimensionless = 0.3,
    friction: Dimensionless = 0.0,
) -> ShippedModel:
    """The arms hang by a hook that only rests on the beam: dropped from ``height`` above it, they strike, leave and
    strike again, and the tip of the second arm strikes a floor. Beam level and all at rest at first."""
    beam, law = printed_beam(elements), ImpactLaw(restitution=restitution, friction=friction)
    first, second, root, hinge = arms((place, height))
    hook = BeamContact(
        name="hook", point=first.at((0.0, ARMS[0] / 2)), wire=beam.track(place), normal=(0.0, 1.0, 0.0), law=law
    )
    plane = ground.at((place, floor, 0.0), axis=(0.0, 1.0, 0.0))
    tip = PlaneContact(name="floor", plane=plane, point=second.at((0.0, -ARMS[1] / 2)), law=law)
    items = (*beam_items(beam, ends), first, second, root, hinge, hook, tip)
    model = Model(name="arms dropped on a beam", items=items, gravity=(0.0, -GRAVITY, 0.0))
    return at_rest(model, np.zeros(2 * elements + 2))


def rubbing_model(
    *, elements: int = 20, ends: Ends = "clamped", place: Metres = LENGTH / 2, friction: Dimensionless = 0.2
) -> ShippedModel:
    """The paper's constraint with Coulomb's friction: |F_T| ≤ μ |λ|, sticking included. Starts as the paper does."""
    beam = printed_beam(elements)
    items = beam_items(beam, ends)
    shape = sag(items, beam, place)
    first, second, root, hinge = arms((place, deflection(shape, elements, place)))
    slide = BeamContact(
        name="slide",
        point=first.at((0.0, ARMS[0] / 2)),
        wire=beam.track(place),
        normal=(0.0, 1.0, 0.0),
        law=ImpactLaw(friction=friction),
        two_sided=True,
    )
    everything = (*items, first, second, root, hinge, slide)
    model = Model(name="arms that rub on a beam", items=everything, gravity=(0.0, -GRAVITY, 0.0))
    return at_rest(model, shape)


def shoe_model(
    *,
    elements: int = 20,
    ends: Ends = "clamped",
    place: Metres = LENGTH / 2,
    length: Metres = 0.4,
    mass: Kilograms = 1.0,
) -> ShippedModel:
    """The arms hang from the middle of a rigid shoe whose two ends ride on the beam without friction.

    Starts as the paper does, the beam bent by a load in one point; the shoe is then laid on it. ``length`` → 0 and
    ``mass`` → 0 is the paper's point.
    """
    if not 0.0 < length < 2 * min(place, LENGTH - place):
        raise ModelError(f"pendulum-on-shoe: length = {length:g} m must be > 0, and both ends must lie on the beam")
    beam = printed_beam(elements)
    items = beam_items(beam, ends)
    shape = sag(items, beam, place)
    tips = [deflection(shape, elements, place + side * length / 2) for side in (-1, 1)]
    middle, tilt = (place, float(np.mean(tips))), float(np.arctan2(tips[1] - tips[0], length))
    shoe = PlanarBody(name="shoe", mass=mass, inertia=mass * length**2 / 12, position=middle, angle=tilt)
    first, second, _, hinge = arms(middle)
    everything = (
        *items, shoe, first, second,
        Free(name="root", a=ground.at(), b=shoe.at()),
        Revolute(name="pivot", a=shoe.at(), b=first.at((0.0, ARMS[0] / 2))),
        hinge,
        *(
            Riding(name=name, point=shoe.at((side * length / 2, 0.0)), wire=beam.track(place + side * length / 2))
            for name, side in (("rear", -1), ("front", 1))
        ),
    )  # fmt: skip
    made = at_rest(Model(name="arms under a shoe", items=everything, gravity=(0.0, -GRAVITY, 0.0)), shape)
    held = ("root.x", *(name for name in made.system.coordinates if name.startswith("beam.")))
    q = assemble_configuration(made.system, made.start.q, fixed=held)
    return ShippedModel(made.model, made.system, State(q=q, v=made.start.v), made.tree)
