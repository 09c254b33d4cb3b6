"""Vehicle, pantograph of bodies and line of cables in one system."""

import dataclasses

import numpy as np
import pytest

from panhead.engine.jobs import Job
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody.model_dataset import accounts
from panhead.engine.multibody.model_outputs import Observer, motion_outputs
from panhead.errors import Interrupted, ModelError
from panhead.files.variants import separate
from panhead.railway.line import read_line
from panhead.railway.pantograph.linkage import read_linkage
from panhead.railway.vehicle import RandomIrregularity, Track, TrackSection
from panhead.runs import scenarios
from panhead.runs.cables import cables_march as march_module
from panhead.runs.cables.cables_assembly import CableSystem, resting_line
from panhead.runs.cables.cables_dataset import dataset
from panhead.runs.cables.cables_march import METHOD, march_of
from panhead.runs.cables.observers import static_forces
from panhead.runs.cables.vehicle_assembly import assemble_train
from panhead.runs.checkpoints import disk
from panhead.runs.description import ContactLaw, Journey, Numerics, OnTrain, OnVehicle, Run
from panhead.runs.resolve import resolve

FORCE = "contact point.normal force"
SPEED = 200 / 3.6
TRACK = Track(sections=(TrackSection(length=250.0),), irregularity=RandomIrregularity(even=45.0, fade=20.0))


PANTOGRAPH = read_linkage("cx-six-bodies")


def run(*, start: float = 32.5, pantograph: str = "cx-six-bodies", duration: float = 1.0) -> Run:
    """Under four spans of the simple line, the vehicle's origin 20 m along its track."""
    whole = read_line("ancf-simple")
    length = whole.tension_lengths[0]
    few = dataclasses.replace(length.spans[0], count=4)
    short = dataclasses.replace(whole, tension_lengths=(dataclasses.replace(length, spans=(few,)),))
    return Run(
        line=short,
        train=(OnTrain(pantograph=pantograph),),
        speed=SPEED,
        solver="cables",
        droppers="bilateral",
        vehicle=OnVehicle(vehicle="s1-coach", track=TRACK, foot=(11.73143, 0.0, 3.425), start=20.0),
        journey=Journey(start=start, duration=duration, judged_from=start, judged_to=start + 1.0),
        numerics=Numerics(element_length=6.25),
    )


def assembled(described: Run) -> CableSystem:
    resolved = resolve(described)
    assert described.vehicle is not None
    return assemble_train(resolved, described.vehicle, resting_line(resolved), None)


@pytest.fixture(scope="module")
def train():
    return assembled(run())


def at_start(train) -> Trajectory:
    q = train.standing.q[None]
    none = np.zeros((1, 0))
    zero, lam = np.zeros_like(q), train.standing.lam[None]
    t, work = np.zeros(1), np.zeros((1, 3))
    return Trajectory(t=t, q=q, v=zero, a=zero, lam=lam, u=none, work=work, g=lam, g_dot=lam)


def test_wheels_carry_the_pantograph_and_what_the_wire_presses(train):
    """Σ wheel loads = weight of vehicle and pantograph − uplift from outside + contact force, to Newton's end."""
    force = float(motion_outputs(train.system, at_start(train))[FORCE][0])
    assert 20.0 < force < 100.0  # 53 N on a carriage
    mass = train.standing.assembled.vehicle.mass + sum(body.mass for body in PANTOGRAPH.bodies)
    wanted = mass * 9.81 - PANTOGRAPH.uplift + force
    assert train.standing.wheel_loads().sum() == pytest.approx(wanted, rel=1e-7)


def test_it_runs_with_its_energy_accounted_for(train):
    """A second at 200 km/h: contact kept, car body moved by the rails, ledger closed to 1 % of what is lost."""
    whole = train
    motion = simulate(whole.system, whole.start, duration=1.0, dt=1e-3, keep=1e-2, method=METHOD)
    force = motion_outputs(whole.system, motion)[FORCE]
    # the mean of a second is the force at rest, but for what raised masses of some 50 kg have gained: 0.1 m/s at most
    assert force.mean() == pytest.approx(force[0], abs=5.0)
    height = motion.q[:, whole.system.place("car body.z")]
    assert 1e-4 < height.std() < 1e-2
    stored = accounts(whole.system, motion)[:, :2].sum(axis=1)
    driven, controlled, lost = motion.work[-1]
    assert abs(stored[-1] - stored[0] - driven - controlled + lost) < 0.02 * (lost + abs(driven))


def test_a_chain_of_masses_rides_on_the_car_body():
    """Two masses on a foot that moves: the static force is the printed one, and the roof's motion is told."""
    train = assembled(run(pantograph="pan-head-plunger", duration=0.05))
    force = float(motion_outputs(train.system, at_start(train))[FORCE][0])
    assert force == pytest.approx(110.43, abs=0.01)
    march = march_of(train, None)
    march.run()
    result = dataset(march)
    assert result["roof_z"].shape == (5,)
    # on even rails wheels carry on the way what they carried standing
    apart = result["wheel_load"].to_numpy() - result["static_wheel_load"].to_numpy()
    assert np.abs(apart).max() < 1e-3 * result["static_wheel_load"].max()
    assert str(result["ride_outcome"].item()) == "on the track"


def test_an_arm_damper_works_against_the_car_body(train):
    """Everything rising together is no motion of the pantograph: nothing damps it. Against the ground it was 2 kN."""
    described = dataclasses.replace(run(), train=(OnTrain(pantograph="cx-six-bodies", changes={"arm_damping": 2e3}),))
    whole = assembled(described)
    v = np.array([1.0 if name.endswith(".z") else 0.0 for name in whole.system.coordinates])
    force = Observer(whole.system, ["arm damper.force"]).at(0.0, whole.start.q, v)
    assert abs(float(force[0])) < 1e-9


def test_an_interrupted_train_goes_on_where_it_was(monkeypatch, tmp_path):
    """From its last checkpoint, bit for bit as if nothing had happened."""
    monkeypatch.setattr(disk, "INTERVAL", 0.0)
    described = run(pantograph="pan-head-plunger", duration=0.06)

    def marched(job):
        march = march_of(assembled(described), None, job)
        march.run()
        return np.array(march.streams.table(march_module.CURVES)), march.largest.high

    def stop(fraction, message=""):
        if fraction > 0.8:
            raise KeyboardInterrupt

    whole, high = marched(Job())
    with pytest.raises(Interrupted):
        marched(Job(out=tmp_path, progress=stop))
    seen = []
    again, high_again = marched(Job(out=tmp_path, resume=True, progress=lambda f, _: seen.append(f)))
    assert seen[0] == pytest.approx(0.05 / 0.06)
    assert np.array_equal(again, whole)
    assert np.array_equal(high_again, high)


def test_a_track_that_ends_before_the_journey_is_refused():
    described = run()
    short = dataclasses.replace(described.vehicle, track=Track(sections=(TrackSection(length=60.0),)))
    with pytest.raises(ModelError, match="lengthen the track"):
        assembled(dataclasses.replace(described, vehicle=short))


def test_a_joint_on_a_vehicle_binds_in_height_alone(train):
    """One equation: the strip sways under the wire with the roof, and presses as with a contact that yields by 1 mm."""
    joint = assembled(dataclasses.replace(run(), contact=ContactLaw(kind="joint")))
    assert [n for n in joint.system.constraints if n.startswith("contact point")] == ["contact point.height"]
    assert static_forces(joint)[0] == pytest.approx(static_forces(train)[0], abs=0.5)


@pytest.mark.slow
def test_the_whole_train_under_twenty_spans():
    """Ten seconds with every law: on the track, the ledger closed, the mean moved by no law, rough rails felt."""
    found = separate(scenarios.read("s1-coupled-train").simulate())
    force = {name: one["contact_force"].to_numpy()[0] for name, one in found.items()}
    for name in ("derivative", "bang-bang", "exponential"):
        assert force[name].mean() == pytest.approx(force["uncontrolled"].mean(), rel=5e-3)
    for name, one in found.items():
        if name != "level roof":
            assert str(one["ride_outcome"].item()) == "on the track"
            turned = float(one["dissipated"][-1]) + abs(float(one["work_drivers"][-1]))
            assert np.abs(one["balance"]).max() < 2e-3 * turned
    assert (force["uncontrolled"] - force["level roof"]).std() > 0.5
