"""A damper with a field: yield force, saturation, time constant, and laws through it."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.field_damper import FieldDamper, ThroughDamper
from panhead.runs.cables.head_laws import BangBang, Derivative, Exponential, Measurements


def seen(rate):
    return Measurements(head=0.0, plunger=0.0, head_rate=rate, plunger_rate=0.0, force=100.0, x=0.0)


def test_field_and_force_are_inverse_inside_the_range():
    damper = FieldDamper(yield_force=300.0, viscous=50.0)
    for wanted, rate in ((40.0, 0.2), (-40.0, -0.2), (250.0, 0.5)):
        assert damper.force(damper.field(wanted, rate), rate) == pytest.approx(wanted)


@pytest.mark.parametrize("rate", [-1.0, -0.01, 0.01, 1.0])
def test_it_never_pushes_and_saturates_at_the_yield_force(rate):
    damper = FieldDamper(yield_force=300.0, viscous=50.0)
    most = damper.force(damper.field(1e9 * rate, rate), rate)
    assert most == pytest.approx(50.0 * rate + 300.0 * np.tanh(rate / 0.1))
    # a force along the motion cannot be given: the viscous part is what remains
    assert damper.force(damper.field(-100.0 * np.sign(rate), rate), rate) == pytest.approx(50.0 * rate)
    assert damper.field(10.0, 0.0) == 0.0


def test_the_field_follows_with_its_time_constant():
    """Under a constant rate the field rises as 1 − exp(−t/T) towards the one commanded."""
    damper = FieldDamper(yield_force=300.0, viscous=0.0, time=0.01)
    controller = ThroughDamper(law=Derivative(damping=1000.0), damper=damper).begin(1e-3)
    forces = np.array([-controller(k * 1e-3, seen(0.2)) for k in range(50)])
    t = 1e-3 * np.arange(1, 51)
    assert forces == pytest.approx(200.0 * (1 - np.exp(-t / 0.01)), rel=1e-12)


@pytest.mark.parametrize("law", [Derivative(damping=800.0), BangBang(), Exponential()])
def test_a_strong_fast_damper_gives_the_law_itself(law):
    damper = FieldDamper(yield_force=1e5, viscous=0.0, time=0.0)
    through, plain = ThroughDamper(law=law, damper=damper).begin(1e-3), law.begin(1e-3)
    for t, rate in ((0.1, 0.3), (0.6, -0.2), (2.0, 0.05)):
        assert through(t, seen(rate)) == pytest.approx(plain(t, seen(rate)))


def test_a_device_is_chosen_in_the_control_table():
    law = HeadLaw(kind="exponential", device=FieldDamper(yield_force=10.0, viscous=0.0, time=0.0))
    controller = law.controller()
    assert controller is not None
    assert controller.begin(1e-3)(5.0, seen(1.0)) == pytest.approx(-10.0 * np.tanh(10.0))
    with pytest.raises(ModelError, match="a device needs a damping law"):
        HeadLaw(kind="force", device=FieldDamper())
