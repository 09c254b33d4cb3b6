"""What parts show of themselves: chosen outputs along a motion, beside closed forms."""

import numpy as np
import pytest

from panhead.engine.bodies import PointMass, ground
from panhead.engine.forces import LineBetween, SpringDamper
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.model_outputs import Observer
from panhead.runs.library.sliding_mass import sliding_mass, start

STIFFNESS, DAMPING, REST = 40.0, 3.0, 0.5


def test_outputs_of_many_alike_in_any_order():
    """Seven springs, more than are evaluated together, asked for out of order: k (e − rest) + c ė by hand."""
    points = [
        PointMass(name=f"p{k}", mass=1.0, position=(1.0 + k, 0.0, 0.0), velocity=(0.1 * k, 0.0, 0.0)) for k in range(7)
    ]
    springs = [
        SpringDamper(
            name=f"s{k}", along=LineBetween(a=ground.at(), b=p.at()), stiffness=STIFFNESS, damping=DAMPING, rest=REST
        )
        for k, p in enumerate(points)
    ]  # fmt: skip
    system = Model(name="springs", items=(*points, *springs), gravity=(0.0, 0.0, 0.0)).system()
    motion = simulate(system, system.start, duration=0.01, dt=1e-3)
    order = [5, 0, 6, 3, 1]
    found = Observer(system, [f"s{k}.force" for k in order]).along(motion)
    x = [system.place(f"p{k}.x") for k in order]
    wanted = STIFFNESS * (np.abs(motion.q[:, x]) - REST) + DAMPING * motion.v[:, x]
    assert found == pytest.approx(wanted, rel=1e-12)  # round-off
    assert Observer(system, ["s2.force"]).at(0.0, motion.q[0])[0] == pytest.approx(STIFFNESS * 2.5, rel=1e-12)


def test_a_slider_is_at_its_place_at_every_time():
    """Its arc length, eliminated, is found anew for every row: as where it is an unknown, to Newton's tolerance."""
    motions = {}
    for form in ("augmented", "embedded"):
        model = sliding_mass(form)
        system = model.system()
        motions[form] = system, simulate(system, start(model, speed=4.0), duration=0.2, dt=1e-3)
    (kept, wanted), (system, motion) = motions.values()
    arc = wanted.q[:, kept.place("slide.s")]
    assert np.ptp(arc) > 0.5
    assert Observer(system, ["slide.arc"]).along(motion)[:, 0] == pytest.approx(arc, abs=1e-7)
