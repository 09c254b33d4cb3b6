"""Forces of rails on a wheelset: balance, bounds, work, rails that move, derivatives."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from panhead.railway.vehicle import Wheelset, steady_rolling
from panhead.railway.vehicle.kernels.wheel_rail import wheel_rail_account, wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import (
    CONTACTS,
    CREEP_X,
    CREEP_Y,
    DEPTH,
    FORCE_N,
    FORCE_X,
    FORCE_Y,
    NY,
    NZ,
    RECORD,
    RX,
    RY,
    RZ,
    SPIN_M,
)
from panhead.railway.vehicle.kernels.wheel_rail_tangent import wheel_rail_tangent
from railway.vehicle.builders import contact_of, force_at, rotation

SIDES = (1.0, -1.0)


def state_of(wheel, y, yaw=0.002, speed=30.0, **motion):
    x = steady_rolling(Wheelset(contact=contact_of(wheel)), speed, y=y)
    R = rotation(yaw, x[3])
    v = np.array([speed, motion.get("v_y", 0.05), motion.get("v_z", 0.01)])
    return np.array([0.0, y, x[1]]), R, v, R @ np.array([0.01, x[8], 0.02])


@pytest.mark.parametrize("wheel, y", [("s1002", 0.0), ("s1002", 0.003), ("cone-1-20", 0.004)])
def test_steady_rolling_carries_the_load(wheel, y):
    """The state found by ``steady_rolling`` has the load as vertical force: it solved for that, to 1e-9."""
    x = steady_rolling(Wheelset(contact=contact_of(wheel), load=1.2e5), 20.0, y=y)
    R = rotation(0.0, x[3])
    out, *_ = force_at(contact_of(wheel).packed(), (0, y, x[1]), R, x[4:7], R @ x[7:10])
    assert out[2] == pytest.approx(1.2e5, rel=1e-9)
    assert out[3] == pytest.approx(0.0, abs=1e-4)


@pytest.mark.parametrize("wheel, y", [("s1002", 0.0), ("s1002", 0.0045), ("cone-1-20", 0.0062)])
def test_wrench_is_the_sum_of_what_the_records_say(wheel, y):
    """Rebuilt from normals, tangents and arms with NumPy; friction bounded in each contact."""
    packed = contact_of(wheel).packed()
    p, R, v, w = state_of(wheel, y)
    out, counts, _, records = force_at(packed, p, R, v, w)
    total = np.zeros(6)
    for k, side in enumerate(SIDES):
        for c in records[k, : counts[k]]:
            n = np.array([0.0, side * c[NY], c[NZ]])
            t1 = np.array([1.0, 0.0, 0.0])
            F = c[FORCE_N] * n + c[FORCE_X] * t1 + c[FORCE_Y] * np.cross(n, t1)
            arm = np.array([c[RX], side * c[RY], c[RZ]])
            total += np.concatenate([F, np.cross(arm, F) + c[SPIN_M] * n])
            assert np.hypot(c[FORCE_X], c[FORCE_Y]) <= 0.35 * c[FORCE_N] * (1 + 1e-12)
            assert c[DEPTH] > 0
            assert c[FORCE_X] * c[CREEP_X] + c[FORCE_Y] * c[CREEP_Y] < 1e-9 + abs(c[SPIN_M])
    np.testing.assert_allclose(out, total, rtol=1e-12, atol=1e-6)


@pytest.mark.parametrize("side", [0, 1])
def test_a_displaced_rail_is_a_wheel_displaced_the_other_way(side):
    """Displacing both rails by (dy, dz) is displacing the wheelset by −(dy, dz)."""
    packed = contact_of().packed()
    p, R, v, w = state_of("s1002", 0.001)
    d = np.array([4e-4, -3e-5])
    rail = np.tile(np.concatenate([d, np.zeros(2)]), (2, 1))
    one, *_ = force_at(packed, p, R, v, w, rail)
    two, *_ = force_at(packed, p - [0, *d], R, v, w)
    np.testing.assert_allclose(one, two, rtol=1e-9)
    # and one rail alone touches only its own wheel
    rail[1 - side] = 0.0
    records = force_at(packed, p, R, v, w, rail)[3]
    still = force_at(packed, p, R, v, w)[3]
    np.testing.assert_array_equal(records[1 - side, 0, :23], still[1 - side, 0, :23])
    assert records[side, 0, FORCE_N] != still[side, 0, FORCE_N]


def test_rolling_along_rails_that_lie_askew_is_rolling():
    """Rails displaced by α x: a wheelset yawed by α that rolls along them has the forces of one on straight rails,
    turned by α. The rails do not move, so nothing slips; their displacement under the wheel grows by α V."""
    packed = contact_of("cone-1-20").packed()
    x = steady_rolling(Wheelset(contact=contact_of("cone-1-20")), 20.0)
    p, v, w = [0.0, 0.0, x[1]], np.array([20.0, 0.0, 0.0]), np.array([0.0, x[8], 0.0])
    straight, *_ = force_at(packed, p, np.eye(3), v, w)
    alpha = 2e-3
    turn = rotation(yaw=alpha)
    rail = np.tile([0.0, 0.0, alpha * v[0], 0.0], (2, 1))
    askew, *_ = force_at(packed, p, turn, turn @ v, turn @ w, rail)
    # slip by α V would give 22 kN; that the rail is parallel to the track within the contact costs 0.2 %
    np.testing.assert_allclose(askew[:3], turn @ straight[:3], atol=3e-3 * straight[2])


def test_damping_opposes_the_approach():
    """N = N_Hertz (1 + d δ̇), d = 2 s/m: faster down, more force; never a pull."""
    packed = contact_of("cone-1-20").packed()
    p, R, v, w = state_of("cone-1-20", 0.0, yaw=0.0)
    load = lambda v_z: force_at(packed, p, R, [v[0], 0.0, v_z], [0.0, w[1], 0.0])[3][0, 0, FORCE_N]
    assert load(-0.1) / load(0.0) == pytest.approx(1.0 + 2.0 * 0.1 * np.cos(0.05), rel=1e-3)
    assert load(+0.1) / load(0.0) == pytest.approx(1.0 - 2.0 * 0.1 * np.cos(0.05), rel=1e-3)
    assert load(+0.8) == 0.0


def test_normal_forces_are_a_gradient():
    """Around a closed loop in (y, z) the normal forces do no work worth speaking of, at rest and without
    creep. A cone's curvatures change along the rail, which Hertz's law per point neglects: 1 %."""
    packed = contact_of("cone-1-20").packed()
    p, R, *_ = state_of("cone-1-20", 0.001, yaw=0.0)
    angle = np.linspace(0.0, 2 * np.pi, 200, endpoint=False)
    work, size = 0.0, 0.0
    for a in angle:
        at = p + [0.0, 5e-4 * np.cos(a), 2e-5 * np.sin(a)]
        step = np.array([-5e-4 * np.sin(a), 2e-5 * np.cos(a)]) * (angle[1] - angle[0])
        out = force_at(packed, at, R, np.zeros(3), np.zeros(3))[0]
        work += out[1:3] @ step
        size += abs(out[1] * step[0]) + abs(out[2] * step[1])
    assert abs(work) < 0.01 * size


def test_rolling_back_turns_the_spin_coupling():
    """Reversing all velocities reverses the longitudinal and lateral slip forces; the lateral force of
    spin keeps its sign, for the leading edge is now behind."""
    packed = contact_of("cone-1-20").packed()
    p, R, v, w = state_of("cone-1-20", 0.0, yaw=0.0, v_y=0.0, v_z=0.0)
    w = np.array([0.0, w[1], 0.0])
    v = np.array([v[0], 0.0, 0.0])
    ahead = force_at(packed, p, R, v, w)[3][0, 0]
    back = force_at(packed, p, R, -v, -w)[3][0, 0]
    assert back[FORCE_X] == pytest.approx(-ahead[FORCE_X], rel=1e-6)
    assert back[FORCE_Y] == pytest.approx(ahead[FORCE_Y], rel=1e-3)
    assert ahead[FORCE_Y] > 0  # outward on the left wheel


@pytest.mark.parametrize("wheel, y", [("cone-1-20", 0.0), ("cone-1-20", 0.0062), ("s1002", 0.0), ("s1002", 0.003)])
def test_derivatives(wheel, y):
    """Against central differences of the whole search: forward differences of 1e-8 m are good to 1e-4."""
    packed = contact_of(wheel).packed()
    p, R, v, w = state_of(wheel, y)

    def force(d):
        turned = Rotation.from_rotvec(d[3:6]).as_matrix() @ R
        return force_at(packed, p + d[:3], turned, v + d[6:9], w + d[9:])[0]

    reference = np.empty((6, 12))
    for i in range(12):
        e = np.zeros(12)
        e[i] = 1e-7 if i < 6 else 1e-5
        reference[:, i] = (force(e) - force(-e)) / (2 * e[i])
    records, scratch = np.zeros((2, CONTACTS, RECORD)), np.zeros((CONTACTS + 1, RECORD))
    out, f_q, f_v, status = (np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6)), np.zeros(2, dtype=np.int64))
    wheel_rail_tangent(packed, p, R, v, w, np.zeros((2, 4)), records, scratch, status, out, f_q, f_v)
    np.testing.assert_allclose(out, force(np.zeros(12)), rtol=1e-12)
    scale = np.abs(reference).max(axis=0) + 1.0
    np.testing.assert_allclose(np.hstack([f_q, f_v]) / scale, reference / scale, atol=2e-4)


def test_out_is_added_to():
    packed = contact_of().packed()
    p, R, v, w = state_of("s1002", 0.0)
    out = np.ones(6)
    wheel_rail_force(
        packed, p, R, v, w, np.zeros((2, 4)), np.zeros((2, CONTACTS, RECORD)), np.zeros(2, dtype=np.int64), out
    )
    np.testing.assert_allclose(out - 1.0, force_at(packed, p, R, v, w)[0], rtol=1e-12)


@pytest.mark.parametrize("wheel, y", [("cone-1-20", 0.0062), ("s1002", 0.0), ("s1002", 0.004)])
def test_power_is_accounted_for(wheel, y):
    """F·v + M·ω = −stored − damping − creep + rails, to round-off; creep and damping only take."""
    packed = contact_of(wheel).packed()
    p, R, v, w = state_of(wheel, y)
    rail = np.array([[2e-5, -1e-5, 0.02, 0.03], [-1e-5, 1e-5, -0.01, 0.02]])
    wrench, counts, _, records = force_at(packed, p, R, v, w, rail)
    account = np.zeros(5)
    wheel_rail_account(packed, v, rail, records, counts, account)
    energy, stored, damping, creep, rails = account
    power = wrench[:3] @ v + wrench[3:] @ w
    assert power == pytest.approx(-stored - damping - creep + rails, rel=1e-9)
    assert creep > 0.0
    assert damping > 0.0
    assert energy > 0.0


def test_stored_energy_is_the_work_of_pressing():
    """Down and up at one place: dE = N δ̇ dt, exact as long as the contact stays where it is."""
    packed = contact_of("cone-1-20").packed()
    p, R, *_ = state_of("cone-1-20", 0.0, yaw=0.0)

    def account(dz):
        at, still, rail, out = p + [0.0, 0.0, dz], np.zeros(3), np.zeros((2, 4)), np.zeros(5)
        wrench, counts, _, records = force_at(packed, at, R, still, still)
        wheel_rail_account(packed, still, rail, records, counts, out)
        return out[0], wrench[2]

    h = 1e-7
    (low, f1), (high, f2) = account(-h), account(+h)
    assert (low - high) / (2 * h) == pytest.approx(0.5 * (f1 + f2), rel=1e-4)
