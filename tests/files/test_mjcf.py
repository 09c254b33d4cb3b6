"""Models from MJCF files: the same accelerations and motion as MuJoCo's, and files that are refused in words."""

import numpy as np
import pytest

import panhead as ph
from panhead.engine.forces import Box, Capsule, CollisionShape, HalfSpace, Sphere
from panhead.engine.methods.accelerations import accelerations
from panhead.errors import FileError, RunWarning

ARM = """<mujoco model="arm"><compiler angle="radian"/><option gravity="0.3 0 -9.81"/>
<default><geom density="800" contype="0" conaffinity="0"/><default class="stiff"><joint stiffness="3" springref="0.2"/>
</default></default>
<worldbody><geom type="plane" size="1 1 1"/>
<body name="upper" pos="0 0.1 1" euler="0.2 0.1 -0.3">
 <joint name="shoulder" axis="0 1 0.2" pos="0 0 0.05" damping="0.4"/>
 <geom name="arm" type="capsule" fromto="0 0 0 0.4 0.05 0" size="0.03"/>
 <body name="fore" pos="0.4 0 0" quat="0.9 0.1 0.2 0.3">
  <joint name="reach" type="slide" axis="1 0 0" class="stiff"/>
  <geom type="box" size="0.1 0.03 0.02" pos="0.1 0 0" axisangle="0 0 1 0.4"/>
  <body name="plate" pos="0.05 0 0.02"><geom type="cylinder" size="0.03 0.01" mass="0.2"/></body>
  <body name="hand" pos="0.25 0 0" xyaxes="0 1 0 -1 0 0">
   <inertial pos="0 0.02 0.01" mass="0.5" fullinertia="0.002 0.003 0.004 0.0001 -0.0002 0.0003"/>
   <joint name="wrist" pos="0.01 0 0" axis="0 0 1"/><geom name="ball" type="sphere" size="0.05"/>
  </body></body></body></worldbody>
<actuator><motor name="turn" joint="shoulder" gear="5"/><motor name="twist" joint="wrist"/></actuator></mujoco>"""
JOINTS = ("shoulder", "reach", "wrist")


def written(folder, text, name="model.xml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def _robot(path, q, v):
    return ph.read_mjcf(path, positions=dict(zip(JOINTS, q, strict=True)), rates=dict(zip(JOINTS, v, strict=True)))


def _joint_values(robot, system, x):
    return x[[system.coordinates.index(name) for name in robot.measured]]


def _without_shapes(model):
    """Bodies, joints and forces alone: contact is rigid here and soft there."""
    return ph.Model(
        name=model.name, items=tuple(x for x in model.items if not isinstance(x, CollisionShape)), gravity=model.gravity
    )


@pytest.mark.mujoco
@pytest.mark.parametrize("seed", range(3))
def test_accelerations_are_those_of_mujoco_on_the_same_file(tmp_path, seed):
    mujoco = pytest.importorskip("mujoco")
    rng = np.random.default_rng(seed)
    q, v, u = rng.uniform(-1, 1, 3) * (1, 0.2, 1), rng.uniform(-2, 2, 3), rng.uniform(-1, 1, 2)
    path = written(tmp_path, ARM)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:], data.ctrl[:] = q, v, u
    mujoco.mj_forward(theirs, data)
    robot = _robot(path, q, v)
    system = _without_shapes(robot.driven()).system()
    controls = np.array([u[("turn", "twist").index(x)] if x in ("turn", "twist") else 0.0 for x in system.controls])
    a, _ = accelerations(system, 0.0, system.start.q, system.start.v, controls)
    found = _joint_values(robot, system, a)
    assert found == pytest.approx(data.qacc, abs=1e-8 * np.abs(data.qacc).max())


@pytest.mark.mujoco
def test_motion_is_that_of_mujoco(tmp_path):
    """0.2 s; MuJoCo by Runge–Kutta steps of 1e-4 s, ours of eighth order: equal to 1e-6 rad and m."""
    mujoco = pytest.importorskip("mujoco")
    path = written(tmp_path, ARM)
    theirs = mujoco.MjModel.from_xml_path(str(path))
    theirs.opt.timestep, theirs.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(theirs)
    data.qpos[:], data.qvel[:] = (0.3, 0.05, -0.4), (1.0, -0.2, 2.0)
    for _ in range(2000):
        mujoco.mj_step(theirs, data)
    robot = _robot(path, (0.3, 0.05, -0.4), (1.0, -0.2, 2.0))
    result = _without_shapes(robot.driven()).simulate(duration=0.2, dt=0.02)
    assert result.q.sel(coordinate=list(robot.measured)).values[-1] == pytest.approx(data.qpos, abs=1e-6)


def test_bodies_geoms_and_motors_of_a_file(tmp_path):
    robot = ph.read_mjcf(written(tmp_path, ARM))
    shapes = {x.name: x for x in robot.model.items if isinstance(x, CollisionShape)}
    assert [type(x.form) for x in shapes.values()][:3] == [HalfSpace, Capsule, Box]
    assert shapes["ball"].form == Sphere(0.05)
    assert (shapes["arm"].group, shapes["arm"].meets) == (0, 0)
    assert robot.model.gravity == (0.3, 0.0, -9.81)
    assert robot.limits.names == JOINTS
    assert robot.model.system().controls == ("turn", "twist")
    hand = next(x for x in robot.model.items if x.name == "hand")
    assert (hand.mass, hand.inertia[2]) == (0.5, pytest.approx(0.004))


def test_a_free_body_falls_onto_the_floor_of_its_file(tmp_path):
    text = """<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="crate" pos="0 0 0.3">
    <freejoint/><geom name="sides" type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"""
    robot = ph.read_mjcf(written(tmp_path, text))
    crate = next(x for x in robot.model.items if x.name == "crate")
    assert (crate.mass, crate.inertia[0]) == (pytest.approx(8.0), pytest.approx(8.0 * 0.08 / 12))
    result = robot.model.simulate(duration=0.4, dt=4e-3)
    assert result.q.sel(coordinate="crate.z").values[-1] == pytest.approx(0.1, abs=1e-8)
    assert float(result.collision_residual.max()) <= 1e-8


REFUSED = {
    "begins with <robot>": "<robot/>",
    "has no <worldbody>": "<mujoco/>",
    "<tendon> is not supported": "<mujoco><worldbody/><tendon><fixed/></tendon></mujoco>",
    "has 2 joints": "<mujoco><worldbody><body name='b'><joint/><joint/></body></worldbody></mujoco>",
    "type 'mesh' is not supported": "<mujoco><worldbody><geom type='mesh'/></worldbody></mujoco>",
    "unknown type 'spring'": "<mujoco><worldbody><body><joint type='spring'/></body></worldbody></mujoco>",
    "orientation is given twice": "<mujoco><worldbody><body quat='1 0 0 0' euler='0 0 0'/></worldbody></mujoco>",
    "no default class": "<mujoco><worldbody><geom class='soft'/></worldbody></mujoco>",
    "size of a box must be 3": "<mujoco><worldbody><geom type='box' size='1'/></worldbody></mujoco>",
    "<position> is not supported": "<mujoco><worldbody/><actuator><position/></actuator></mujoco>",
    "size must be numbers": "<mujoco><worldbody><geom size='one'/></worldbody></mujoco>",
    "moves but has no mass": "<mujoco><worldbody><body name='b'><joint/></body></worldbody></mujoco>",
    "a plane belongs to the world": "<mujoco><worldbody><body><geom type='plane'/></body></worldbody></mujoco>",
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_is_not_supported_is_refused_by_name(tmp_path, message):
    with pytest.raises(FileError, match=message):
        ph.read_mjcf(written(tmp_path, REFUSED[message]))


def test_limits_and_armature_are_told(tmp_path):
    joint = "<joint name='j' range='-30 30' armature='0.1'/>"
    text = f"<mujoco><worldbody><body>{joint}<geom size='0.1'/></body></worldbody></mujoco>"
    with pytest.warns(RunWarning) as told:
        robot = ph.read_mjcf(written(tmp_path, text))
    assert [any(word in str(x.message) for x in told) for word in ("nothing stops at it", "armature")] == [True, True]
    assert robot.limits.upper[0] == pytest.approx(np.pi / 6)
