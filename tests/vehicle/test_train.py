"""Vehicle, pantograph of bodies and line of cables in one system."""

import dataclasses

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.line import read_line, string
from panhead.methods.simulate import simulate
from panhead.methods.trajectory import Trajectory
from panhead.multibody.observing import observed
from panhead.multibody.recording import accounts
from panhead.pantograph.cx import MASSES, CxPantograph
from panhead.run.solvers.cables.assembly import GRAVITY
from panhead.run.solvers.cables.on_vehicle import on_vehicle
from panhead.run.solvers.cables.run import METHOD
from panhead.run.solvers.cables.statics import hung
from panhead.run.solvers.cables.wires import cables_of
from panhead.vehicle import RandomIrregularity, Section, Track, read_vehicle

FORCE = "contact point.normal force"
SPEED = 200 / 3.6
TRACK = Track(
    sections=(Section(length=250.0),), irregularity=RandomIrregularity(even=45.0, fade=20.0)
)


@pytest.fixture(scope="module")
def line():
    """Four spans of the simple line."""
    whole = read_line("ancf-simple")
    length = whole.tension_lengths[0]
    few = dataclasses.replace(length.spans[0], count=4)
    short = dataclasses.replace(whole, tension_lengths=(dataclasses.replace(length, spans=(few,)),))
    return hung(cables_of(string(short), element_length=6.25, bilateral=True), GRAVITY)


@pytest.fixture(scope="module")
def train(line):
    return on_vehicle(line, CxPantograph(), read_vehicle("s1-coach"), TRACK, speed=SPEED, at=20.0)


def at_start(train) -> Trajectory:
    q = train.standing.q[None]
    none = np.zeros((1, 0))
    zero, lam = np.zeros_like(q), train.standing.lam[None]
    t, work = np.zeros(1), np.zeros((1, 3))
    return Trajectory(t=t, q=q, v=zero, a=zero, lam=lam, u=none, work=work, g=lam, g_dot=lam)


def test_wheels_carry_the_pantograph_and_what_the_wire_presses(train):
    """Σ wheel loads = weight of vehicle and pantograph − uplift from outside + contact force, to Newton's end."""
    force = float(observed(train.system, at_start(train))[FORCE][0])
    assert 20.0 < force < 100.0  # 53 N on a carriage
    mass = train.standing.assembled.vehicle.mass + sum(MASSES.values())
    wanted = mass * 9.81 - CxPantograph().uplift + force
    assert train.standing.wheel_loads().sum() == pytest.approx(wanted, rel=1e-7)


def test_it_runs_with_its_energy_accounted_for(train):
    """A second at 200 km/h: contact kept, car body moved by the rails, ledger closed to 1 % of what is lost."""
    motion = simulate(train.system, train.start, duration=1.0, dt=1e-3, keep=1e-2, method=METHOD)
    force = observed(train.system, motion)[FORCE]
    assert force.mean() == pytest.approx(53.0, abs=15.0)
    height = motion.q[:, train.system.place("car body.z")]
    assert 1e-4 < height.std() < 1e-2
    stored = accounts(train.system, motion)[:, :2].sum(axis=1)
    driven, controlled, lost = motion.work[-1]
    assert abs(stored[-1] - stored[0] - driven - controlled + lost) < 0.02 * (lost + abs(driven))


def test_a_vehicle_beside_the_line_is_refused(line):
    with pytest.raises(ModelError, match="move the vehicle"):
        on_vehicle(line, CxPantograph(), read_vehicle("s1-coach"), TRACK, speed=SPEED, at=230.0)
