"""Where wheels touch rails: against brute force, the contact equations, symmetry, refusals, outcomes."""

from dataclasses import replace

import numpy as np
import pytest
from oracles.wheel_rail import Rail, deepest

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.vehicle import (
    Rails,
    WheelRailContact,
    Wheels,
    central_height,
    equivalent_conicity,
    online,
    read_profile,
    rigid_contact,
)
from panhead.railway.vehicle.kernels.wheel_rail import DERAILED, FLANGE, LIFTED, TREAD
from panhead.railway.vehicle.kernels.wheel_rail_contact import (
    CONTACTS,
    DEPTH,
    NY,
    NZ,
    RADIUS,
    RECORD,
    RX,
    RY,
    RZ,
    SHARE,
    S,
    U,
    curve,
)
from panhead.railway.vehicle.kernels.wheel_rail_search import find_contacts, look_up_contacts
from railway.vehicle.builders import contact_of, force_at, rotation


def samples(contact):
    """Dense profiles for the oracle: 2 µm apart."""
    wheel, rail = contact.wheels.curve(), contact.rails.curve()
    fine = lambda c: c.at(np.linspace(0.0, c.length, int(c.length / 2e-6)))
    return fine(wheel), Rail(fine(rail))


def resting_height(contact, y):
    rigid = rigid_contact(contact, np.array([y]))
    return float(rigid.height[0]), float(rigid.roll[0])


@pytest.mark.parametrize("wheel", ["s1002", "cone-1-20"])
def test_contacts_are_the_deepest_points(wheel):
    """Random poses of a left wheel against brute force: depth to 2e-9 m, place to 0.1 mm.

    Depth is stationary at the contact, so the oracle's place is only good to the root of that.
    """
    contact = contact_of(wheel, tabulated=False)
    geometry = contact.packed().geometry
    points, rail = samples(contact)
    rng = np.random.default_rng(5)
    records = np.zeros((CONTACTS, RECORD))
    for y in rng.uniform(-0.006, 0.0055, 12):
        z, roll = resting_height(contact, y)
        axle = rotation(rng.uniform(-0.01, 0.01), roll)[:, 1]
        pose = (y, z - rng.uniform(5e-5, 1.5e-4), *axle)
        count = find_contacts(geometry, pose, records)
        best = records[:count][records[:count, DEPTH].argmax()]
        eta = curve(geometry.wheel, 0.0, geometry.wheel_step, best[U])[0]
        depth, where, beta = deepest(points, rail, np.array([0.0, *pose[:2]]), axle, (0.705, 0.79))
        assert best[DEPTH] == pytest.approx(depth, abs=2e-9)
        assert eta == pytest.approx(where, abs=1e-4)
        assert best[1] == pytest.approx(beta, abs=1e-3)


def test_flange_contact_leads_under_yaw():
    """At an angle of attack the flange touches ahead of its wheel's lowest point, by x = ρ ψ tan(contact
    angle); depth by brute force."""
    contact = contact_of(tabulated=False)
    geometry = contact.packed().geometry
    points, rail = samples(contact)
    records = np.zeros((CONTACTS, RECORD))
    z, roll = resting_height(contact, 0.0068)
    axle = rotation(0.008, roll)[:, 1]
    pose = (0.0068, z - 1e-4, *axle)
    count = find_contacts(geometry, pose, records)
    best = records[:count][records[:count, DEPTH].argmax()]
    depth, _, _ = deepest(points, rail, np.array([0.0, *pose[:2]]), axle, (0.705, 0.72))
    assert best[DEPTH] == pytest.approx(depth, abs=5e-9)
    assert best[NY] < -0.7
    ahead = best[RX] - axle[0] * 0.711
    assert ahead == pytest.approx(0.008 * best[RADIUS] * -best[NY] / best[NZ], rel=0.05)


def test_the_four_equations_hold():
    """Tangents of the wheel ⊥ normal of the rail, points one above the other along it: 1e-10."""
    contact = contact_of(tabulated=False)
    geometry = contact.packed().geometry
    records = np.zeros((CONTACTS, RECORD))
    axle = rotation(0.004, 1e-4)[:, 1]
    centre = np.array([0.0, 0.003, resting_height(contact, 0.003)[0] - 1e-4])
    count = find_contacts(geometry, (*centre[1:], *axle), records)
    assert count >= 1
    for record in records[:count]:
        eta, rho, eta_u, rho_u, *_ = curve(geometry.wheel, 0.0, geometry.wheel_step, record[U])
        Y, Z, Y_s, Z_s, *_ = curve(geometry.rail, 0.0, geometry.rail_step, record[S])
        r = record[[RX, RY, RZ]]
        radial = (r - eta * axle) / rho
        around = np.cross(axle, radial)
        t_w = eta_u * axle + rho_u * radial
        t_r, n = np.array([0.0, Y_s, Z_s]), np.array([0.0, -Z_s, Y_s])
        apart = centre + r - np.array([r[0], Y, Z])
        assert np.linalg.norm(radial) == pytest.approx(1.0, abs=1e-12)
        np.testing.assert_allclose([t_r @ apart, t_w @ n, around @ n], 0.0, atol=1e-9)


def test_table_and_search_agree_everywhere():
    """The table only confines the scan: the same contacts, bit for bit, wherever it answers."""
    fast, slow = contact_of().packed(), contact_of(tabulated=False).packed()
    rng = np.random.default_rng(9)
    one, two = np.zeros((2, CONTACTS, RECORD))
    touching = 0
    for y in rng.uniform(-0.008, 0.008, 100):
        z, roll = resting_height(contact_of(), y)
        for _ in range(4):
            axle = rotation(rng.uniform(-0.008, 0.008), roll + rng.uniform(-1e-4, 1e-4))[:, 1]
            pose = (y, z - rng.uniform(0.0, 2e-4), *axle)
            n = find_contacts(slow.geometry, pose, one)
            assert look_up_contacts(fast.geometry, pose, two) == n
            np.testing.assert_array_equal(one[:n, :13], two[:n, :13])
            touching += n > 0
    assert touching > 300


def test_mirror():
    """A right wheel is a left wheel in a mirror: y, roll and yaw reversed, forces mirrored."""
    packed = contact_of().packed()
    z = central_height(contact_of().wheels, contact_of().rails) - 1e-4
    one, counts, *_ = force_at(packed, (0, 0.003, z), rotation(0.002, 1e-4), (20, 0.1, 0), (0.1, 43, 0.02))
    two, others, *_ = force_at(packed, (0, -0.003, z), rotation(-0.002, -1e-4), (20, -0.1, 0), (-0.1, 43, -0.02))
    assert counts == others[::-1]
    np.testing.assert_allclose(two, one * [1, -1, 1, -1, 1, -1], rtol=1e-9, atol=1e-6)


def test_two_contacts_at_once():
    """Cone on UIC 60, pressed against the flange: tread and flange carry together."""
    contact = contact_of("cone-1-20")
    z = central_height(contact.wheels, contact.rails) - 6.6e-5
    _, counts, status, records = force_at(contact.packed(), (0, 0.0062, z), rotation(0.0, 4.2e-4))
    assert counts[0] == 2
    assert status[0] == FLANGE
    assert status[1] == TREAD
    left = records[0, :2]
    assert left[0, NY] < -0.6  # flange
    assert left[1, NY] == pytest.approx(-0.05, abs=0.01)  # tread
    assert left[:, DEPTH].min() > 0.0
    np.testing.assert_allclose(left[:, SHARE], 1.0)  # far apart: nothing is shared


def test_force_has_no_jump_where_contacts_merge():
    """Lateral sweep over the places where S1002 on UIC 60 changes from one contact to two and back.

    In steps of 2 µm neighbouring forces differ by 0.3 % of the load at most; a contact that appeared
    at once would bring 10 % and more.
    """
    packed = contact_of().packed()
    z = central_height(contact_of().wheels, contact_of().rails) - 6e-5
    forces, numbers = [], set()
    for y in np.arange(-0.0012, 0.0012, 2e-6):
        out, counts, *_ = force_at(packed, (0, y, z), np.eye(3))
        forces.append(out)
        numbers |= set(counts)
    assert numbers == {1, 2}
    forces = np.array(forces)
    assert np.abs(np.diff(forces[:, 1:3], axis=0)).max() < 0.003 * forces[:, 2].max()


def test_conicity_of_a_cone():
    """Rolling radii are the cone's at the contact, r = r₀ − γ (η − b); contact points move on the rails
    with roll, so that the equivalent conicity is near γ, not equal to it."""
    contact = contact_of("cone-1-20")
    rigid = rigid_contact(contact, np.array([0.0, 0.002]))
    along_axle = rigid.distance - rigid.radius * np.outer(rigid.roll, [1.0, -1.0])
    np.testing.assert_allclose(rigid.radius, 0.46 - 0.05 * (along_axle - 0.75), atol=2e-8)
    assert equivalent_conicity(contact, 0.003) == pytest.approx(0.05, rel=0.06)
    assert rigid.radius_difference[0] == pytest.approx(0.0, abs=1e-12)


def test_steeper_rails_change_conicity():
    """S1002 is made for rails at 1:40; at 1:20 its conicity at 3 mm is far smaller [Shabana08]."""
    steep = WheelRailContact(rails=Rails(inclination=1 / 20))
    assert equivalent_conicity(steep, 0.003) < 0.5 * equivalent_conicity(contact_of(), 0.003)


def test_wheel_lifts_climbs_and_derails():
    packed = contact_of().packed()
    z = central_height(contact_of().wheels, contact_of().rails)
    assert list(force_at(packed, (0, 0, z + 0.002), np.eye(3))[2]) == [LIFTED, LIFTED]
    assert list(force_at(packed, (0, 0, z - 1e-4), rotation(roll=1e-3))[2]) == [LIFTED, TREAD]
    # the flange of the left wheel rides up its rail
    high, roll = resting_height(contact_of(), 0.0075)
    assert high > z + 0.004
    assert force_at(packed, (0, 0.0075, high - 5e-5), rotation(roll=roll))[2][0] == FLANGE
    # its tip stands on the rail
    standing = force_at(packed, (0, 0.05, z + 0.0277), np.eye(3))
    assert standing[1][0] > 0
    assert standing[2][0] == DERAILED
    fallen = force_at(packed, (0, 0.08, z - 0.03), np.eye(3))
    assert DERAILED in fallen[2]
    assert np.isfinite(fallen[0]).all()


def test_lost_poses_give_numbers_not_crashes():
    """Whatever an iterating integrator asks for: far away, upside down, not a number."""
    for packed in (contact_of().packed(), contact_of(tabulated=False).packed()):
        for p, R in (
            ((0, 5.0, 0.4), np.eye(3)),
            ((0, 0.0, -3.0), np.eye(3)),
            ((0, 0.0, 0.45), rotation(yaw=1.4)),
            ((0, 0.0, 0.45), rotation(roll=np.pi)),
        ):
            assert np.isfinite(force_at(packed, p, R)[0]).all()
        _, counts, *_ = force_at(packed, (0, np.nan, 0.46), np.eye(3))
        assert counts == (0, 0)


def test_profiles_that_do_not_meet():
    with pytest.raises(ModelError, match="'S1002' does not meet Profile 'UIC 60'"):
        WheelRailContact(rails=Rails(gauge=1.0))
    with pytest.raises(ModelError, match="another part than its tread"):
        WheelRailContact(wheels=Wheels(tape_distance=1.53))
    with pytest.raises(ModelError, match="of a wheel; give a rail profile"):
        Rails(profile=read_profile("s1002"))
    with pytest.raises(ModelError, match="of a rail; give a wheel profile"):
        Wheels(profile=read_profile("uic60"))


def test_profiles_by_name_and_from_files():
    """What a file says: names become profiles, wrong names are refused with the shipped ones."""
    wheels = parse.build(Wheels, {"profile": "cone-1-20", "radius": "457 mm"}, source="test")
    assert wheels.shape == read_profile("cone-1-20")
    assert wheels.radius == pytest.approx(0.457)
    with pytest.raises(FileError, match="Known: cone-1-20, s1002, uic60"):
        Wheels(profile="s1003")


def test_the_online_twin():
    contact = contact_of()
    assert online(contact) == replace(contact, tabulated=False)
