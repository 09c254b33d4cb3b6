"""Wheel on rail as a constraint: the force it gives, and what it leaves free."""

import math
from dataclasses import replace

import numpy as np
import pytest

from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.rank import rank_report
from panhead.errors import ModelError
from panhead.railway.vehicle import WheelRailContact, Wheels, Wheelset, read_profile
from panhead.railway.vehicle.conicity import rigid_contact
from panhead.validation.wheel_rail.constraint import on_rails

CONE = Wheelset(contact=WheelRailContact(wheels=Wheels(profile=read_profile("cone-1-20"))))


@pytest.fixture(scope="module")
def held():
    return on_rails(CONE)


def test_ten_equations_and_eight_parameters_leave_two_conditions(held):
    """Six coordinates of a rigid wheelset, less one for each wheel: along, aside, yaw and turn stay free."""
    system, _ = held
    assert len(system.constraints) == 10
    assert rank_report(system, system.start.q).freedoms == 4


def test_the_force_is_normal_to_both_surfaces(held):
    """λ = (N n, 0, 0): rows of the parameters without inertia say so; sign: the rail pushes the wheel up."""
    system, _ = held
    _, lam = equilibrium(system, system.start.q)
    angle = float(rigid_contact(CONE.contact, np.array([0.0])).angle[0, 0])
    N = 0.5 * CONE.load / math.cos(angle)
    for k, side in ((0, 1.0), (5, -1.0)):
        assert -lam[k : k + 3] == pytest.approx(
            [0.0, -side * N * math.sin(angle), N * math.cos(angle)], rel=1e-4, abs=1e-6
        )
        assert np.abs(lam[k + 3 : k + 5]).max() < 1e-9 * N  # [N·m]


def test_negative_creep_is_refused(held):
    _, wheel = held
    with pytest.raises(ModelError, match="must not be negative"):
        replace(wheel, creep=(-1.0, 0.0))
