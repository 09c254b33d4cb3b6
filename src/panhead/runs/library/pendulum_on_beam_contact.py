"""The arms of [Lipinski23] on the beam with what its author names as next steps: impact and friction."""

from __future__ import annotations

import numpy as np

from panhead.engine.bodies import ground
from panhead.engine.forces import BeamContact, ImpactLaw, PlaneContact
from panhead.engine.multibody import Model
from panhead.files.units import Dimensionless, Metres
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
