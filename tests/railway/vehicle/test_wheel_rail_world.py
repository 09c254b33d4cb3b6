"""Wheelsets on curved and canted tracks, in world coordinates."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from panhead.railway.vehicle import (
    RandomIrregularity,
    Track,
    TrackSection,
    Wheelset,
    aboard,
    rigid_contact,
    steady_rolling,
)
from panhead.railway.vehicle.kernels.track_frame import track_frame
from panhead.railway.vehicle.kernels.wheel_rail_contact import CREEP_X, FORCE_X, RATE
from panhead.railway.vehicle.kernels.wheel_rail_world import track_force, track_tangent
from railway.vehicle.builders import contact_of, force_at, rotation


def curve(radius=3000.0, cant=0.0, irregularity=None):
    sections = (
        TrackSection(length=100.0),
        TrackSection(length=100.0, transition=True),
        TrackSection(length=300.0, radius=radius, cant=cant),
    )
    return Track(name="curve", sections=sections, irregularity=irregularity).arrays()


def placed(arrays, s, p, R, v, w):
    """A state given in the track frame at s, in the world."""
    c, T = np.zeros(3), np.zeros((3, 3))
    track_frame(arrays, s, c, T)
    return c + T @ p, T @ R, T @ v, T @ w, T


def steady(y=0.0, speed=20.0, wheel="cone-1-20"):
    x = steady_rolling(Wheelset(contact=contact_of(wheel)), speed, y=y)
    R = rotation(0.0, x[3])
    return np.array([0.0, y, x[1]]), R, np.array([speed, 0.0, 0.0]), R @ x[7:10]


def test_on_a_circle_it_is_the_force_in_the_track_frame_turned():
    """Same pose and velocity in the frame of a curve, cant included: force and moment turn along."""
    arrays, packed = curve(cant=0.1), contact_of().packed()
    p, R, v, w = steady(0.002, wheel="s1002")
    here = force_at(packed, p, R, v, w)[0]
    *state, T = placed(arrays, 350.0, p, R, v, w)
    out = np.zeros(6)
    s, there = track_force(arrays, packed, *state, 345.0, aboard(), out)
    assert there
    # the place is found beside the wheelset, whose height leans over by the cant
    assert s == pytest.approx(350.0, abs=1e-6)
    np.testing.assert_allclose(out, np.concatenate([T @ here[:3], T @ here[3:]]), rtol=1e-5, atol=0.1)


def test_pure_rolling_in_a_curve():
    """At the lateral position where Δr/r₀ = s/R, turning with V/R, both wheels roll without creep: the
    wheelset steers itself. Without the shift they creep by s/2R."""
    contact = contact_of("cone-1-20")
    arrays, packed, R_curve = curve(3000.0), contact.packed(), 3000.0
    grid = rigid_contact(contact, np.linspace(0.0, 0.004, 9))
    s = float(grid.distance[0].sum())
    r0 = float(grid.radius[0].mean())
    outward = float(np.interp(r0 * s / R_curve, grid.radius_difference, grid.y))
    creeps = []
    for y in (-outward, 0.0):  # a left curve: outward is to the right
        p, R, v, w = steady(y)
        w = w + [0.0, 0.0, v[0] / R_curve]
        room = aboard()
        track_force(arrays, packed, *placed(arrays, 400.0, p, R, v, w)[:4], 400.0, room, np.zeros(6))
        creeps.append(room.records[:, 0, CREEP_X])
    assert np.ptp(creeps[0]) < 0.01 * np.ptp(creeps[1])
    assert np.ptp(creeps[1]) == pytest.approx(s / R_curve, rel=1e-2)


def test_a_twisting_track_is_followed_without_penetration_rate():
    """In a cant ramp a wheelset that moves with the track frame neither enters nor leaves the rails."""
    arrays, packed = curve(cant=0.12), contact_of("cone-1-20").packed()
    p, R, v, w = steady()
    h, at = 1e-3, 150.0
    one, two = (placed(arrays, at + k * h, p, R, v, w) for k in (-0.5, 0.5))
    speed = v[0]
    turn = Rotation.from_matrix(two[4] @ one[4].T).as_rotvec() / h * speed
    middle = placed(arrays, at, p, R, v, w)
    room = aboard()
    velocity = (two[0] - one[0]) / h * speed
    track_force(arrays, packed, middle[0], middle[1], velocity, middle[3] + turn, at, room, np.zeros(6))
    assert np.abs(turn @ middle[4][:, 0]) > 0.01  # it does roll
    assert np.abs(room.records[:, 0, RATE]).max() < 1e-4


def test_derivatives_in_the_world():
    """Against differences, the track frame moving along: 1e-3, its own turning is left out."""
    arrays = curve(800.0, 0.1, RandomIrregularity(seed=2))
    packed = contact_of("cone-1-20").packed()
    p, R, v, w = placed(arrays, 333.0, *steady(0.001))[:4]
    out, f_q, f_v = np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6))
    room = aboard()
    track_tangent(arrays, packed, p, R, v, w, 333.0, room, out, f_q, f_v)

    def force(d):
        total = np.zeros(6)
        turned = Rotation.from_rotvec(d[3:6]).as_matrix() @ R
        track_force(arrays, packed, p + d[:3], turned, v + d[6:9], w + d[9:], 333.0, aboard(), total)
        return total

    assert np.abs(out).max() > 1e3
    for i in (2, 3, 5, 6, 7, 8, 9, 10, 11):
        e = np.zeros(12)
        e[i] = 1e-7 if i < 6 else 1e-5
        column = (force(e) - force(-e)) / (2 * e[i])
        mine = np.hstack([f_q, f_v])[:, i]
        np.testing.assert_allclose(mine, column, atol=5e-3 * np.abs(column).max())


def test_beyond_the_end_there_is_no_force():
    arrays, packed = curve(), contact_of().packed()
    p, R, v, w = placed(arrays, 500.0, *steady(wheel="s1002"))[:4]
    out = np.zeros(6)
    s, there = track_force(arrays, packed, p + 3.0 * v / 20.0, R, v, w, 499.0, aboard(), out)
    assert not there
    assert s == pytest.approx(503.0, abs=0.01)
    assert not out.any()


def test_records_are_left_for_reports():
    arrays, packed, room = curve(), contact_of().packed(), aboard()
    track_force(arrays, packed, *placed(arrays, 50.0, *steady(wheel="s1002"))[:4], 50.0, room, np.zeros(6))
    assert room.status.tolist() == [0, 0]
    assert np.isfinite(room.records[:, 0, FORCE_X]).all()
