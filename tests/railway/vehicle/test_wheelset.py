"""A single wheelset: free flight, Klingel's wave, hunting; the validation cases."""

import json
import math

import numpy as np
import pytest

from panhead import validation
from panhead.errors import ModelError
from panhead.railway.vehicle import (
    RandomIrregularity,
    Track,
    TrackSection,
    Wheelset,
    critical_speed,
    eigenvalues,
    hunting_eigenvalue,
    klingel_wavelength,
    run,
    steady_rolling,
    swing_wavelength,
)
from panhead.railway.vehicle.kernels.track_frame import rails_at
from panhead.validation.checks import as_json
from railway.vehicle.builders import contact_of, rotation


def test_free_flight_keeps_momentum():
    """Above the rails, no load: linear and angular momentum in the world's axes, and energy, stay.

    Fast tumbling for half a second; RK4 with 0.1 ms steps leaves 1e-9.
    """
    wheelset = Wheelset(contact=contact_of(), load=1e-12)
    start = np.array([0.0, 5.0, 0.1, 0.05, 3.0, -1.0, 0.5, 0.4, 60.0, -0.3, 0.0])
    motion = run(wheelset, start, speed=1.0, duration=0.5, dt=1e-4, every=50)
    inertia = np.array([800.0, 100.0, 800.0])
    spin = [rotation(s[2], s[3]) @ (inertia * s[7:10]) for s in motion.state]
    energy = [(inertia * s[7:10] ** 2).sum() for s in motion.state]
    np.testing.assert_allclose(spin, np.tile(spin[0], (len(spin), 1)), rtol=1e-9, atol=1e-5)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    np.testing.assert_allclose(motion.state[:, 4:7], np.tile(start[4:7], (len(spin), 1)), rtol=1e-12)
    assert np.abs(np.diff(motion["yaw"])).max() > 1e-3  # it did precess


def test_small_swings_have_klingels_wavelength():
    """Eigenvalue at walking pace against pure rolling with roll: 0.1 %; against Klingel's formula: 2 %."""
    contact = contact_of("cone-1-20")
    wave = 2 * math.pi * 3.0 / hunting_eigenvalue(Wheelset(contact=contact), 3.0).imag
    assert wave == pytest.approx(swing_wavelength(contact, 1e-3), rel=1e-3)
    assert wave == pytest.approx(klingel_wavelength(contact, 1e-3), rel=0.02)


def test_textbook_formula_for_the_cone():
    """L = 2π √(r b/γ) with the printed radius, tape distance and cone: 16.5 m, 2 % off the real rails'."""
    contact = contact_of("cone-1-20")
    textbook = 2 * math.pi * math.sqrt(0.46 * 0.75 / 0.05)
    assert swing_wavelength(contact, 1e-3) == pytest.approx(textbook, rel=0.02)


def test_energy_of_a_free_wheelset_only_falls():
    """No drive: kinetic plus potential energy of load and contact decreases; checked over a swing.

    Heights enter with the load; the contact's elastic energy is a millionth of the kinetic one.
    """
    wheelset = Wheelset(contact=contact_of("cone-1-20"))
    motion = run(wheelset, steady_rolling(wheelset, 5.0, y=3e-3), speed=5.0, duration=3.5, dt=2e-4, every=50)
    s = motion.state
    kinetic = 0.5 * (1500.0 * (s[:, 4:7] ** 2).sum(axis=1) + (s[:, 7:10] ** 2 @ [800.0, 100.0, 800.0]))
    total = kinetic + 1e5 * s[:, 1]
    assert (np.diff(total) < 1e-6 * total[0]).all()
    assert total[-1] > 0.99 * total[0]


def test_faster_wheelsets_hunt():
    """Damped below, growing above the critical speed, and a stiffer suspension hunts later."""
    kind = dict(contact=contact_of("cone-1-20"), lateral_stiffness=5e5, traction_damping=1e4)
    soft, stiff = (critical_speed(Wheelset(**kind, yaw_stiffness=k), 10.0, 200.0) for k in (5e5, 2e6))
    assert soft < stiff
    wheelset = Wheelset(**kind, yaw_stiffness=5e5)
    assert eigenvalues(wheelset, 0.95 * soft)[0].real < 0.0
    assert eigenvalues(wheelset, 1.05 * soft)[0].real > 0.0
    with pytest.raises(ModelError, match="move the bounds"):
        critical_speed(wheelset, 2 * soft, 3 * soft)


def test_hunting_beyond_the_critical_speed_reaches_the_flange_and_stays_on_the_track():
    """The limit cycle of a wheelset 40 % too fast: flange contact, clear status, no derailment."""
    wheelset = Wheelset(
        contact=contact_of("cone-1-20"),
        lateral_stiffness=5e5,
        yaw_stiffness=5e5,
        traction_damping=1e4,
        roll_damping=1e3,
    )
    speed = 1.4 * critical_speed(wheelset, 10.0, 200.0)
    start = steady_rolling(wheelset, speed)
    start[0] += 2e-3
    motion = run(wheelset, start, speed=speed, duration=2.0, dt=1e-4, every=20)
    assert np.isfinite(motion.state).all()
    assert max(motion.worst) >= 1  # flange, or a wheel lifted for a moment
    assert not motion.derailed
    assert 5e-3 < np.abs(motion["y"][-200:]).max() < 9e-3


def suspended():
    return Wheelset(
        contact=contact_of(),
        lateral_stiffness=2e6,
        lateral_damping=2e4,
        yaw_stiffness=8e6,
        yaw_damping=1e4,
        roll_damping=5e3,
        traction_damping=1e4,
    )


def test_irregular_straight_at_200_km_h():
    """Worn profiles on a seeded irregular track: the wheelset follows the rails and stays on them."""
    track = Track(sections=(TrackSection(length=400.0),), irregularity=RandomIrregularity(seed=11))
    wheelset, speed = suspended(), 200 / 3.6
    motion = run(wheelset, steady_rolling(wheelset, speed), speed=speed, duration=3.0, dt=1e-4, track=track)
    assert np.isfinite(motion.state).all()
    assert not motion.derailed
    assert not motion.ended
    rails, out = [], np.zeros((2, 4))
    arrays = track.arrays()
    for x in motion["x"]:
        rails_at(arrays, x, speed, out)
        rails.append(out[:, 1].mean())
    follows = motion["z"] - motion["z"][0] - np.array(rails)
    assert np.ptp(rails) > 3e-3
    assert np.abs(follows).max() < 1e-3  # rails not equally high for both wheels, roll, conicity


def test_the_end_of_the_track_ends_the_run():
    track = Track(name="short", sections=(TrackSection(length=20.0),))
    wheelset = suspended()
    motion = run(wheelset, steady_rolling(wheelset, 50.0), speed=50.0, duration=2.0, track=track)
    assert motion.ended
    assert motion["x"][-1] == pytest.approx(20.0, abs=0.05 + 1e-6)
    bent = Track(name="bent", sections=(TrackSection(length=20.0, radius=300.0),))
    with pytest.raises(ModelError, match="'bent': a single wheelset runs on straight track"):
        run(wheelset, np.zeros(11), speed=1.0, duration=1.0, track=bent)


def test_refusals():
    with pytest.raises(ModelError, match="mass"):
        Wheelset(contact=contact_of(), mass=-1.0)
    with pytest.raises(ModelError, match="speed must be finite and > 0"):
        steady_rolling(Wheelset(contact=contact_of()), 0.0)
    with pytest.raises(ModelError, match="duration and step"):
        run(Wheelset(contact=contact_of()), np.zeros(11), speed=1.0, duration=-1.0)


@pytest.mark.parametrize("case, count", [("wheel-rail", 10), ("klingel", 6)])
def test_validation_cases(case, count):
    table = as_json(validation.run(case))
    assert len(table) == count
    assert [name for name, check in table.items() if check["ok"] is False] == []
    assert json.loads(json.dumps(table)) == table
