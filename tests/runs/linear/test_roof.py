"""A roof that moves under the pantograph."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.railway.pantograph.lumped_pantograph import read_pantograph
from panhead.runs import scenarios
from panhead.runs.description import OnTrain
from panhead.runs.simulate import simulate_one as simulate
from panhead.runs.timetable import Roof

RAISED = 0.02


def reference(**changes):
    """The reference run, lifted at once; the pantograph described in full."""
    run = scenarios.read("en50318-250", ["journey.ramp=0.0", "journey.stop=300.0"]).description
    run = replace(run, journey=replace(run.journey, judged_from=120.0, judged_to=240.0))
    return replace(run, train=(OnTrain(pantograph=pantograph(**changes)),))


def pantograph(more=0.0, **foot):
    model = read_pantograph("en50318-2002")
    stages = (*model.stages[:-1], replace(model.stages[-1], **foot))
    return replace(model, stages=stages, static_force=model.static_force + more)


def test_a_raised_roof_is_more_lift():
    """Standing higher by h on a spring k is lifting with k h more: the same forces to round-off."""
    k = pantograph().stages[-1].stiffness
    assert k > 0.0
    roof = Roof(np.array([0.0, 100.0]), np.full(2, RAISED), np.zeros(2))
    moved = simulate(reference(), roof=roof)
    lifted = simulate(reference(more=k * RAISED))
    difference = np.abs(moved["contact_force"] - lifted["contact_force"]).max()
    assert float(difference) < 1e-6
    level = simulate(reference())
    assert float(np.abs(moved["contact_force"] - level["contact_force"]).max()) > 0.5 * k * RAISED


def test_the_ledger_closes_with_a_roof_that_swings():
    """What the roof puts in is work of lifting forces: nothing is missing."""
    t = np.arange(0.0, 10.0, 0.01)
    w = 2.0 * np.pi * 1.2
    roof = Roof(t, RAISED * np.sin(w * t), RAISED * w * np.cos(w * t))
    result = simulate(reference(stiffness=5000.0), roof=roof)
    assert float(np.abs(result["balance"]).max()) < 1e-8
    level = simulate(reference(stiffness=5000.0))
    assert float(result["contact_force"].std()) > 1.1 * float(level["contact_force"].std())


def test_what_a_moving_roof_does_not_carry_is_named():
    roof = Roof(np.array([0.0, 1.0]), np.zeros(2), np.zeros(2))
    with pytest.raises(ModelError, match="friction and stops"):
        simulate(reference(friction=5.0), roof=roof)
    run = reference()
    two = replace(run, train=(*run.train, OnTrain(pantograph="en50318-2002", behind=50.0)))
    with pytest.raises(ModelError, match="one pantograph"):
        simulate(two, roof=roof)
