"""URDF out: what was written and is read again has the same accelerations; what URDF cannot hold is refused by name."""

from pathlib import Path

import numpy as np
import pytest

import panhead as ph
from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import Capsule, CollisionShape, LineBetween, Sphere, SpringDamper
from panhead.engine.joints import Distance, Revolute
from panhead.engine.methods.accelerations import accelerations
from panhead.errors import ModelError, RunWarning

ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"


def _accelerations(robot, u):
    system = robot.driven().system()
    a, _ = accelerations(system, 0.0, system.start.q, system.start.v, u)
    return a[[system.coordinates.index(name) for name in robot.measured]]


@pytest.mark.parametrize("seed", range(2))
def test_round_trip_keeps_the_accelerations(tmp_path, seed):
    """Another tree of frames (in the joints, z along their axes), the same motion to rounding."""
    rng = np.random.default_rng(seed)
    names = ("swing", "lift", "reach", "roll")
    state = {
        "positions": dict(zip(names, rng.uniform(0.0, 0.3, 4), strict=True)),
        "rates": dict(zip(names, rng.uniform(-1, 1, 4), strict=True)),
    }
    first = ph.read_urdf(ARM, **state)
    path = tmp_path / "again.urdf"
    ph.write_urdf(first, path)
    again = ph.read_urdf(path, **state)
    assert again.limits.names == first.limits.names
    assert again.limits.upper == pytest.approx(first.limits.upper)
    u = rng.normal(size=4)
    expected = _accelerations(first, u)
    assert _accelerations(again, u) == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())


def test_joint_that_names_the_ground_second_keeps_its_sign(tmp_path):
    form = Capsule(0.05, 0.4)
    bar = RigidBody(name="bar", mass=2.0, inertia=form.inertia(2.0), position=(0.0, 0.0, -0.3))
    hinge = Revolute(name="hinge", a=bar.at_world((0, 0, 0), axis=(0, 1, 0)), b=ground.at(axis=(0, 1, 0)))
    ball = CollisionShape(name="tip", at=bar.at((0.0, 0.0, -0.2)), form=Sphere(0.06))
    model = ph.Model(name="pendulum", items=(bar, hinge, ball))
    ph.write_urdf(model, tmp_path / "p.urdf")
    robot = ph.read_urdf(tmp_path / "p.urdf", positions={"hinge": 0.3})
    (body,) = (x for x in robot.model.items if x.name == "bar")
    # the place on the bar is the first: the ground turns by +0.3 about y seen from the bar, the bar by −0.3
    assert body.position == pytest.approx((0.3 * np.sin(0.3), 0.0, -0.3 * np.cos(0.3)))
    text = (tmp_path / "p.urdf").read_text(encoding="utf-8")
    assert '<sphere radius="0.06"' in text


def test_what_urdf_cannot_hold(tmp_path):
    a, b = (RigidBody(name=n, mass=1.0, inertia=(1.0, 1.0, 1.0)) for n in "ab")
    path = tmp_path / "x.urdf"
    with pytest.raises(ModelError, match="no joint leads from the ground to a"):
        ph.write_urdf(ph.Model(name="loose", items=(a,)), path)
    rod = Distance(name="d", a=ground.at(), b=a.at((1, 0, 0)), length=1.0)
    with pytest.raises(ModelError, match="URDF has no Distance"):
        ph.write_urdf(ph.Model(name="rod", items=(a, rod)), path)
    ends = ((ground.at(), a.at()), (a.at(), b.at()), (ground.at(), b.at()))
    hinges = [Revolute(name=f"h{k}", a=p, b=q) for k, (p, q) in enumerate(ends)]
    with pytest.raises(ModelError, match="'h2' closes a loop"):
        ph.write_urdf(ph.Model(name="loop", items=(a, b, *hinges)), path)
    line = LineBetween(a=ground.at((1, 0, 0)), b=a.at((1, 0, 1)))
    spring = SpringDamper(name="spring", along=line, stiffness=1.0)
    with pytest.warns(RunWarning, match="spring have no place in URDF"):
        ph.write_urdf(ph.Model(name="sprung", items=(a, hinges[0], spring)), path)
