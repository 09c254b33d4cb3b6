"""A whole vehicle: it stands, swings, runs, and says what became of it."""

import dataclasses

import numpy as np
import pytest

from panhead.errors import FileError, ModelError, NotConverged
from panhead.files import parse
from panhead.railway.vehicle import RandomIrregularity, Track, TrackSection
from panhead.railway.vehicle.car_modes import named_modes
from panhead.railway.vehicle.preload import static_loads
from panhead.railway.vehicle.vehicle_description import Vehicle, read_vehicle
from panhead.railway.vehicle.vehicle_model import assemble
from panhead.railway.vehicle.vehicle_ride import ride, stand

EVEN = Track(sections=(TrackSection(length=300.0),))
ROUGH = Track(sections=(TrackSection(length=300.0),), irregularity=RandomIrregularity(even=30.0, fade=20.0))


@pytest.fixture(scope="module")
def standing():
    return stand(assemble(read_vehicle("s1-coach"), EVEN))


@pytest.fixture(scope="module")
def rough():
    return stand(assemble(read_vehicle("s1-coach"), ROUGH))


def test_its_parts_are_those_of_the_study(standing):
    """13 bodies besides the rail, 48 bushings, 8 bearings, 2 revolute joints."""
    kinds = [type(item).__name__ for item in standing.assembled.model.items]
    names = [item.name for item in standing.assembled.model.items]
    assert kinds.count("RigidBody") + kinds.count("RollingWheelset") == 13
    resisting = sum(name.endswith("resistance") for name in names)
    assert kinds.count("Bushing") - resisting == 48
    assert kinds.count("Bearing") == 8
    assert kinds.count("Revolute") == 2


def test_wheel_loads_sum_to_the_weight(standing):
    """Newton ends at round-off: 1e-9 of the weight; a symmetric vehicle loads its wheels alike."""
    weight = standing.assembled.vehicle.mass * 9.81
    loads = standing.wheel_loads()
    assert loads.shape == (4, 2)
    assert loads.sum() == pytest.approx(weight, rel=1e-9)
    np.testing.assert_allclose(loads, weight / 8, rtol=1e-6)


def test_it_stands_as_described(standing):
    """Springs carry the weight where the parts were put: only the contacts give, by fractions of 0.1 mm."""
    moved = standing.q - standing.system.start.q
    assert np.abs(moved).max() < 1e-4


def test_modes_have_their_names(standing):
    """The car body's five modes lie where those of coaches do, 0.5 to 2 Hz."""
    modes = named_modes(standing)
    for name in ("bounce", "pitch", "roll", "yaw", "sway"):
        assert modes.names.count(name) == 1
        assert 0.4 < modes.frequency[modes.of(name)] < 2.0
    # bounce of two springs in series under car body and bolsters, frames still
    vehicle = standing.assembled.vehicle
    primary, secondary = 32 * 3.05e5, 16 * 1.075e5
    sprung = vehicle.car.mass + 2 * 1107.0
    alone = np.sqrt(primary * secondary / (primary + secondary) / sprung) / (2 * np.pi)
    # the frames' inertia, an eighth of the car's, and rubber in the bushings' turns are left out
    assert modes.frequency[modes.of("bounce")] == pytest.approx(alone, rel=0.03)


def test_hunting_decays_at_200_km_per_hour(standing):
    assert named_modes(standing, speed=200 / 3.6).eigenvalues.real.max() < 0.0


def test_a_ride_over_rough_track(rough):
    """It stays on; the mean wheel load is the weight; the ledger closes."""
    result = ride(rough, speed=200 / 3.6, duration=3.0)
    assert result.outcome == "on the track"
    vehicle = rough.assembled.vehicle
    weight = vehicle.mass * 9.81
    total = result.seen.force[..., 2].sum(axis=(1, 2))
    assert total.std() > 100.0
    assert total.mean() == pytest.approx(weight, rel=2e-3)  # three seconds of 1 Hz motion
    system, motion = rough.system, result.motion
    ends = [sum(system.energy(motion.t[k], motion.q[k], motion.v[k])) for k in (0, -1)]
    driven, _, lost = motion.work[-1]
    # numerical damping and the storage of contacts on changing curvature: a share of what is turned over
    assert abs(ends[1] - ends[0] - driven + lost) < 0.01 * lost


def test_a_track_that_ends_ends_the_ride(standing):
    result = ride(standing, speed=60.0, duration=6.0)
    assert result.outcome == "the track ended"
    assert "front leading wheelset" in result.message
    assert result.seen.inside.all()
    assert result.seen.place[-1, 0] == pytest.approx(300.0, abs=1.0)


@pytest.mark.parametrize(("scale", "outcome"), [(3.0, "a wheel lifted"), (8.0, "derailed"), (30.0, "derailed")])
def test_what_becomes_of_a_vehicle_on_bad_rails(rough, scale, outcome):
    """Irregularities several times those of a good line lift a wheel, larger ones throw it off: told, not raised."""
    bad = Track(
        sections=(TrackSection(length=300.0),), irregularity=RandomIrregularity(even=30.0, fade=20.0, scale=scale)
    )
    result = ride(stand(assemble(rough.assembled.vehicle, bad)), speed=200 / 3.6, duration=4.0)
    assert result.outcome == outcome
    assert "wheelset" in result.message
    assert len(result.motion.t) == len(result.seen.place)
    assert (len(result.motion.t) < 401) == (outcome == "derailed")


def test_preloads_balance_an_eccentric_car():
    """A car body whose centre lies off the middle loads the springs of that side more, by the lever rule."""
    vehicle = read_vehicle("s1-coach")
    x, _, z = vehicle.car.centre
    off = dataclasses.replace(vehicle, car=dataclasses.replace(vehicle.car, centre=(x, 0.1, z)))
    loads = static_loads(off, 9.81)
    left, right = (
        sum(loads[f"{bogie} secondary {k}"] for bogie in ("front", "rear") for k in ks)
        for ks in ((1, 2, 3, 4), (5, 6, 7, 8))
    )
    assert (left - right) * 1.0287 == pytest.approx(vehicle.car.mass * 9.81 * 0.1, rel=1e-9)


def test_what_is_wrong_with_a_vehicle_is_named():
    vehicle = read_vehicle("s1-coach")
    raw = parse.to_plain(vehicle)
    raw["bogie"]["bushings"][0]["a"] = "left equaliser"
    with pytest.raises(FileError, match="left equaliser"):
        parse.build(Vehicle, raw, source="a file")
    loose = dataclasses.replace(vehicle.bogie, bushings=vehicle.bogie.bushings[:2])
    with pytest.raises(ModelError, match="cannot carry"):
        static_loads(dataclasses.replace(vehicle, bogie=loose), 9.81)


def test_a_speed_must_be_one(standing):
    with pytest.raises(ModelError, match="speed"):
        ride(standing, speed=-1.0, duration=1.0)


def test_a_ride_repeats_bit_for_bit(rough):
    """Nothing of an earlier ride is left behind, not even the guess of the place on the track."""
    first, second = (ride(rough, speed=40.0, duration=0.5).motion.q for _ in range(2))
    assert np.array_equal(first, second)


def test_another_vehicle_through_the_same_description():
    """Two bogies with air springs, anti-roll bars, yaw dampers by a table: it stands, swings and runs."""
    coach = read_vehicle("two-bogie-coach")
    standing = stand(assemble(coach, EVEN))
    assert standing.wheel_loads().sum() == pytest.approx(coach.mass * 9.81, rel=1e-9)
    modes = named_modes(standing)
    assert set(modes.names) >= {"bounce", "pitch", "roll", "yaw", "sway"}
    without = dataclasses.replace(coach, bogie=dataclasses.replace(coach.bogie, anti_roll_bars=()))
    soft = named_modes(stand(assemble(without, EVEN)))
    # bars of 2 · 0.94 MN·m/rad beside springs of 4 · 0.43 MN/m · (1 m)², all on softer primary springs
    assert soft.frequency[soft.of("roll")] < 0.9 * modes.frequency[modes.of("roll")]
    assert soft.frequency[soft.of("bounce")] == pytest.approx(modes.frequency[modes.of("bounce")], rel=1e-4)
    assert ride(standing, speed=50.0, duration=1.0).outcome == "on the track"


def test_rails_that_begin_uneven_are_named_with_the_remedy():
    """Random rails without an even beginning: the coach's first wheels stand at 20.2 m."""
    track = Track(sections=(TrackSection(length=300.0),), irregularity=RandomIrregularity(even=0.0, fade=0.0))
    with pytest.raises(NotConverged, match=r"up to [\d.]+ mm off their line.*even = 22 m or more.*starts"):
        stand(assemble(read_vehicle("s1-coach"), track))


def test_a_curve_under_a_vehicle_that_cannot_stand_is_named():
    track = Track(sections=(TrackSection(length=250.0, radius=200.0, cant=0.1),))
    with pytest.raises(NotConverged, match=r"it stands in a curve\. Make the track begin straight"):
        stand(assemble(read_vehicle("s1-coach"), track))
