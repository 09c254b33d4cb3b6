"""Plausible slips in Python are told in our words, not by a bare AttributeError deep inside."""

from dataclasses import replace

import pytest
from railway.line.builders import plain_line

from panhead.engine.bodies import RigidBody
from panhead.engine.forces import SlidingContact
from panhead.engine.joints import Sliding
from panhead.engine.methods.formulations import Augmented
from panhead.engine.methods.integrators import Adaptive, GeneralizedAlpha, MoreauJean
from panhead.engine.multibody import Model
from panhead.engine.roles import Effort
from panhead.errors import ModelError
from panhead.railway.line import TensionLength, Wire
from panhead.runs.description import OnTrain, Run

BODY = RigidBody(name="frame", mass=1.0, inertia=(1.0, 1.0, 1.0))
POINT = BODY.at((0.0, 0.0, 0.0))
SLIPS = {
    "spans must be a tuple of Span, got 5": lambda: TensionLength(spans=(5,)),
    "spans must be a tuple of Span, got 7": lambda: TensionLength(spans=7),
    "tension_lengths must be a tuple of TensionLength": lambda: replace(plain_line(), tension_lengths=(1,)),
    "wires must be a Wires": lambda: replace(plain_line(), wires=plain_line().wires.contact),
    "tension must be a number in SI units, got '20 kN'": lambda: Wire(tension="20 kN", mass_per_length=1.0),
    "train must be a tuple of OnTrain": lambda: Run(line="en50318-2002", train="en50318-2002", speed=80.0),
    "speed must be a number in SI": lambda: Run(line="x", train=(OnTrain(pantograph="x"),), speed="300 km/h"),
    "pantograph must be a name": lambda: OnTrain(pantograph=5),
    "did you mean 'dissipated'": lambda: Effort(1.0, 1.0, "dissipation"),
    "Sliding 's': wire must be a way along a wire": lambda: Model(
        name="m", items=(BODY, Sliding(name="s", point=POINT, wire=BODY))
    ),
    "point must be a place on a body": lambda: Model(name="m", items=(BODY, Sliding(name="s", point=BODY, wire=POINT))),
    "SlidingContact 's': wire must be": lambda: SlidingContact(name="s", point=POINT, wire=BODY, stiffness=1e4),
    "Sliding 's': form must be 'augmented' or 'embedded', got 'fixed'": lambda: Sliding(
        name="s", point=POINT, wire=POINT, form="fixed"
    ),
    "factor must be 'each step' or 'while it serves', got 'every step'": lambda: GeneralizedAlpha(factor="every step"),
    "rates must be None or 'free' or 'projected'": lambda: GeneralizedAlpha(rates="project"),
    "events must be 'located' or 'stepped'": lambda: MoreauJean(events="stepwise"),
    "solver must be 'saddle' or 'range-space'": lambda: Augmented(solver="range"),
    "method must be 'RK23' or": lambda: Adaptive(method="radau"),
    "items are bodies, joints and forces, got 5": lambda: Model(name="m", items=(BODY, 5)),
}


@pytest.mark.parametrize("words", SLIPS)
def test_a_slip_is_told(words):
    with pytest.raises(ModelError) as caught:
        SLIPS[words]()
    assert words in str(caught.value)
