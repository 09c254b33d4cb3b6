"""Wheels held on rigid rails by constraints: gradients, creep, energy, whole vehicles, and where it ends."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from panhead.engine.multibody import Model
from panhead.errors import ModelError
from panhead.railway.vehicle import (
    HeldOnRails,
    MeasuredIrregularity,
    RandomIrregularity,
    RollingWheelset,
    Track,
    TrackSection,
    Wheelset,
    assemble,
    central_height,
    read_vehicle,
    ride,
    rigid_contact,
    stand,
    steady_rolling,
)
from panhead.railway.vehicle.kernels.track_frame import track_frame
from railway.vehicle.builders import contact_of, force_at

STRAIGHT = Track(sections=(TrackSection(length=500.0),))
ROUGH_CURVE = Track(
    sections=(
        TrackSection(length=60.0),
        TrackSection(length=50.0, transition=True),
        TrackSection(length=300.0, radius=600.0, cant=0.12),
    ),
    irregularity=RandomIrregularity(spectrum="erri-low", seed=1),
)
LOADS, NONE = np.array([5e4, 4e4]), np.zeros(0)


def held(track, at, *, wheel="s1002", blend=2e-5):
    contact = contact_of(wheel)
    height = central_height(contact.wheels, contact.rails)
    axle = RollingWheelset(name="axle", mass=1500.0, inertia=800.0, spin_inertia=100.0, position=(at, 0.0, height))
    rails = HeldOnRails(
        name="rails", wheelset=axle, contact=contact.packed(), track=track.arrays(), blend=blend, place=at
    )
    return Model(name="one axle", items=(axle, rails)).system(), rails, height


def on_track(track, at, *, lateral=0.002, yaw=0.003, **options):
    """A system, and a pose on the rails at a place, aside and yawed."""
    system, rails, height = held(track, at, **options)
    middle, axes = np.zeros(3), np.zeros((3, 3))
    track_frame(track.arrays(), at, middle, axes)
    heading, roll, _ = Rotation.from_matrix(axes).as_euler("ZXY")
    q = np.array([*(middle + axes @ [0.0, lateral, height]), heading + yaw, roll, 0.1])
    for _ in range(4):
        q -= np.linalg.pinv(system.constraint_q(0.0, q).toarray()) @ system.constraint(0.0, q)
    rails.press(LOADS)
    return system, rails, q, np.array([20.0, 0.1, 0.05, 0.02, 0.03, 20.0 / height])


def differences(function, x, step):
    columns = [(function(x + step * e) - function(x - step * e)) / (2.0 * step) for e in np.eye(6)]
    return np.transpose(columns)


@pytest.mark.parametrize("track, at", [(STRAIGHT, 5.0), (ROUGH_CURVE, 90.2)], ids=["straight", "transition"])
def test_jacobian_tangent_and_bias_are_derivatives(track, at):
    """In a transition with irregularities as well, between knots: place, cant and rails change under the wheels.

    Along the track the curvature of the middle is a polynomial of its own: 1e-6 of the other entries.
    """
    system, _, q, v = on_track(track, at)
    G = system.constraint_q(0.0, q).toarray()
    np.testing.assert_allclose(G, differences(lambda x: system.constraint(0.0, x), q, 1e-7), atol=1e-6)
    residual = lambda q, v: system.constraint_q(0.0, q).toarray().T @ LOADS - system.force(0.0, q, v, NONE)
    z = np.zeros(6)
    for weights, found in (
        ((0.0, 0.0, 1.0), differences(lambda x: residual(x, v), q, 2e-7)),
        ((0.0, 1.0, 0.0), differences(lambda x: residual(q, x), v, 1e-5)),
    ):
        tangent = system.tangent(weights, 0.0, q, v, z, LOADS, NONE).toarray()[:6, :6]
        np.testing.assert_allclose(tangent, found, atol=1e-5 * np.abs(found).max())
    turned = lambda h: system.constraint_q(0.0, q + h * v) @ v
    bias = -(turned(1e-6) - turned(-1e-6)) / 2e-6
    np.testing.assert_allclose(system.constraint_bias(0.0, q, v), bias, rtol=1e-5)


def test_power_of_creep_is_what_it_takes():
    """The rails stand still: −F·v of all forces but gravity is the power lost, in a rough curve too."""
    system, _, q, v = on_track(ROUGH_CURVE, 90.0)
    z = np.zeros(6)
    power = system.power(0.0, q, v, z, LOADS, NONE)
    body = system.force(0.0, q, v, NONE)
    system_without = held(ROUGH_CURVE, 90.0)[0]  # its memory has no normal forces yet, so no creep
    creep = body - system_without.force(0.0, q, v, NONE)
    assert power.dissipated > 100.0
    assert creep @ v == pytest.approx(-power.dissipated, rel=1e-9)
    assert power.drivers == 0.0


def test_blended_depth_is_that_of_the_deepest_point_in_the_limit():
    """A rigid wheelset where both wheels touch, by lowering and a scan: the depth there is of the order of ε."""
    for blend in (2e-5, 2e-6):
        system, _, height = held(STRAIGHT, 5.0, wheel="cone-1-20", blend=blend)
        touching = rigid_contact(contact_of("cone-1-20"), np.array([3e-3]))
        q = np.array([5.0, 3e-3, touching.height[0], 0.0, touching.roll[0], 0.0])
        # the cone on the crown of the rail: κ = 1/0.3 m, nearly κ₀, so a tenth of ε is left
        assert np.abs(system.constraint(0.0, q)).max() < 0.15 * blend
        assert touching.height[0] != height


def test_creep_is_that_of_the_elastic_contact_at_the_same_normal_force():
    """Steady rolling of a cone aside: patch and creepages by other formulas, the same law; blending costs 1 %."""
    contact = contact_of("cone-1-20")
    x = steady_rolling(Wheelset(contact=contact), 20.0, y=2e-3)
    R = Rotation.from_euler("ZX", [0.0, x[3]]).as_matrix()
    elastic, _, _, records = force_at(contact.packed(), (0, x[0], x[1]), R, x[4:7], R @ x[7:10])
    system, rails, _ = held(STRAIGHT, 5.0, wheel="cone-1-20", blend=2e-6)
    rails.press(records[:, 0, 13])  # FORCE_N
    q = np.array([5.0, x[0], x[1], 0.0, x[3], 0.0])
    v = np.array([20.0, 0.0, 0.0, 0.0, 0.0, x[8]])
    empty = held(STRAIGHT, 5.0, wheel="cone-1-20", blend=2e-6)[0]
    creep = system.force(0.0, q, v, NONE) - empty.force(0.0, q, v, NONE)
    assert creep[3] == pytest.approx(elastic[5], rel=0.01)  # yaw moment of the longitudinal creep, 1 kN·m
    assert abs(creep[3]) > 500.0


@pytest.fixture(scope="module")
def coach():
    coach = read_vehicle("s1-coach")
    return replace(coach, contact=replace(coach.contact, kind="constraint"))


def test_a_held_vehicle_stands_and_rolls(coach):
    """Wheel loads are the weight; on even track nothing but creep and dampers takes energy, and no wheel load moves."""
    standing = stand(assemble(coach, STRAIGHT))
    assert standing.wheel_loads().sum() == pytest.approx(coach.mass * 9.81, rel=1e-9)
    journey = ride(standing, speed=50.0, duration=0.2)
    assert journey.outcome == "on the track"
    np.testing.assert_allclose(journey.seen.force[..., 2], standing.wheel_loads()[0, 0], rtol=1e-4)
    again = ride(standing, speed=50.0, duration=0.2)
    np.testing.assert_array_equal(journey.motion.q, again.motion.q)


def test_a_wheel_that_would_lift_ends_the_result(coach):
    """Both rails fall by 20 mm over 0.5 m at 50 m/s: 400 g down is more than springs and weight give."""
    dip = np.array([(0.0, 0.0), (24.0, 0.0), (24.25, -0.01), (24.5, -0.02), (60.0, -0.02)])
    zero = np.zeros(len(dip))
    track = Track(
        sections=(TrackSection(length=60.0),),
        irregularity=MeasuredIrregularity(
            position=tuple(dip[:, 0]),
            left_lateral=tuple(zero),
            left_vertical=tuple(dip[:, 1]),
            right_lateral=tuple(zero),
            right_vertical=tuple(dip[:, 1]),
        ),
    )
    journey = ride(stand(assemble(coach, track)), speed=50.0, duration=0.3, keep=1e-3)
    assert journey.outcome == "a wheel lifted"
    assert 'contact.kind = "elastic"' in journey.message
    assert journey.seen.force[-1, :, :, 2].min() <= 0.0
    assert journey.seen.force[:-1, :, :, 2].min() > 0.0


def test_a_single_wheelset_refuses_the_constraint():
    with pytest.raises(ModelError, match="for the wheelsets of a vehicle"):
        Wheelset(contact=replace(contact_of(), kind="constraint"))
