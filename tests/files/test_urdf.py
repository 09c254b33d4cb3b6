"""Robots from URDF files: the same motion as Pinocchio and as closed forms, and files that are refused in words."""

from pathlib import Path

import numpy as np
import pytest

import panhead as ph
from panhead.engine.forces import Actuator
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.multibody import in_joint_coordinates
from panhead.engine.multibody.model import Model
from panhead.errors import FileError, ModelError, RunWarning

ARM = Path(__file__).parents[2] / "examples" / "arm.urdf"
JOINTS = ("swing", "lift", "reach", "roll")
EQUAL = 1e-9  # asked for, of the largest acceleration
LIMIT = '<limit lower="-3" upper="3" effort="1" velocity="9"/>'
ROD = """<robot name="rod"><link name="base"/>
<link name="rod"><inertial><origin xyz="0 0 -0.4"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>LIMIT</joint></robot>
""".replace("LIMIT", LIMIT)


def written(folder, text):
    path = folder / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def joint_accelerations(robot, u):
    system = robot.driven().system()
    a, _ = accelerations(system, 0.0, system.start.q, system.start.v, u)
    return a[[system.coordinates.index(name) for name in robot.measured]]


def by_pinocchio(path, names, q, v, u):
    pin = pytest.importorskip("pinocchio")
    model = pin.buildModelFromUrdf(str(path))
    x, joints = pin.neutral(model), [model.joints[model.getJointId(name)] for name in names]
    rows = [j.idx_v for j in joints]
    for joint, angle in zip(joints, q, strict=True):
        x[joint.idx_q : joint.idx_q + joint.nq] = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
    rates, efforts = np.zeros((2, model.nv))
    rates[rows], efforts[rows] = v, u
    return pin.aba(model, model.createData(), x, rates, efforts)[rows]


def states(n):
    rng = np.random.default_rng(20)
    low, high = np.array([(-2.9, -2.0, -0.1, -9.0), (2.9, 2.0, 0.4, 9.0)])
    return [(rng.uniform(low, high), rng.uniform(-1.4, 1.4, 4), 20 * rng.normal(size=4)) for _ in range(n)]


@pytest.mark.pinocchio
@pytest.mark.parametrize("state", states(5))
def test_accelerations_are_those_of_pinocchio_on_the_same_file(state):
    q, v, u = state
    robot = ph.read_urdf(ARM, positions=dict(zip(JOINTS, q, strict=True)), rates=dict(zip(JOINTS, v, strict=True)))
    assert robot.limits.names == JOINTS
    theirs = by_pinocchio(ARM, JOINTS, q, v, u)
    assert np.abs(joint_accelerations(robot, u) - theirs).max() < EQUAL * max(1.0, np.abs(theirs).max())


def half_an_arm(folder):
    """Of the arm's hinges two, the rest of the arm is taken off: file, names, angles, rates and efforts."""
    text = ARM.read_text(encoding="utf-8")
    start, stop = text.index('  <link name="ram">'), text.index('  <joint name="swing"')
    path = written(folder, text[:start] + text[stop : text.index('  <joint name="reach"')] + "</robot>")
    return path, JOINTS[:2], np.array([0.6, -1.1]), np.array([0.9, 1.3]), np.array([3.0, -8.0])


def in_joints(path, names, q, v, u):
    """Accelerations of a robot with motors in joint coordinates, and in absolute ones."""
    robot = ph.read_urdf(path, positions=dict(zip(names, q, strict=True)), rates=dict(zip(names, v, strict=True)))
    tree = in_joint_coordinates(robot.model).model
    motors = tuple(Actuator(name=f"motor {n}", along=f"{n}.angle", control=n) for n in names)
    system = Model(name="arm", items=(*tree.items, *motors), gravity=tree.gravity).system()
    assert system.coordinates == tuple(f"{n}.angle" for n in names)
    assert np.allclose(system.start.q, q, rtol=0, atol=1e-12)
    assert np.allclose(system.start.v, v, rtol=0, atol=1e-12)
    return accelerations(system, 0.0, system.start.q, system.start.v, u)[0], joint_accelerations(robot, u)


def test_joint_coordinates_count_as_the_file_and_give_the_same_accelerations(tmp_path):
    a, absolute = in_joints(*half_an_arm(tmp_path))
    assert np.abs(a - absolute).max() < EQUAL * np.abs(a).max()


@pytest.mark.pinocchio
def test_accelerations_in_joint_coordinates_are_those_of_pinocchio(tmp_path):
    a, _ = in_joints(*half_an_arm(tmp_path))
    theirs = by_pinocchio(*half_an_arm(tmp_path))
    assert np.abs(a - theirs).max() < EQUAL * np.abs(theirs).max()


@pytest.mark.parametrize(("turned", "J"), [("0 0 0", 0.1), ("1.5707963267948966 0 0", 0.01)])
def test_a_rod_on_a_hinge_is_the_physical_pendulum(tmp_path, turned, J):
    """(J + m l²) φ̈ = τ − m g l sin φ, with the moment about the axis of the hinge."""
    path = written(tmp_path, ROD.replace('xyz="0 0 -0.4"', f'xyz="0 0 -0.4" rpy="{turned}"'))
    robot = ph.read_urdf(path, positions={"hinge": 0.7}, rates={"hinge": -2.0})
    wanted = (1.5 - 2 * 9.81 * 0.4 * np.sin(0.7)) / (J + 2 * 0.4**2)
    assert joint_accelerations(robot, np.array([1.5]))[0] == pytest.approx(wanted, rel=1e-11)


def test_roll_comes_before_yaw(tmp_path):
    """R = R_z R_y R_x: with two right angles x goes to y, y to z, z to x."""
    eye = """<link name="eye"/><joint name="weld" type="fixed"><parent link="rod"/><child link="eye"/>
    <origin rpy="1.5707963267948966 0 1.5707963267948966"/></joint></robot>"""
    R = ph.read_urdf(written(tmp_path, ROD.replace("</robot>", eye))).places["eye"].R
    assert np.allclose(R, [[0, 0, 1], [1, 0, 0], [0, 1, 0]], atol=1e-12)


def test_links_on_fixed_joints_weigh_and_keep_their_places(tmp_path):
    """A point-like mass of 3 kg, 0.5 m along the turned axes of a flange 1 m below the hinge."""
    flange = """<link name="flange"/><joint name="weld" type="fixed"><parent link="rod"/><child link="flange"/>
    <origin xyz="0 0 -1" rpy="0 1.5707963267948966 0"/></joint>
    <link name="ball"><inertial><mass value="3"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/>
    </inertial></link><joint name="glue" type="fixed"><parent link="flange"/><child link="ball"/>
    <origin xyz="0.5 0 0"/></joint></robot>"""
    robot = ph.read_urdf(written(tmp_path, ROD.replace("</robot>", flange)), positions={"hinge": 0.3})
    J = 0.1 + 2 * 0.4**2 + 1e-6 + 3 * 1.5**2
    wanted = -9.81 * (2 * 0.4 + 3 * 1.5) * np.sin(0.3) / J
    assert joint_accelerations(robot, np.zeros(1))[0] == pytest.approx(wanted, rel=1e-11)
    (body,) = (item for item in robot.model.items if item.name == "rod")
    place = [robot.at("ball").numbers[f"p.{i}"] for i in range(3)]
    assert np.allclose(np.array(place) - [0, 0, (2 * 0.4 + 3 * 1.5) / 5], [0, 0, -1.5], atol=1e-12)
    assert body.mass == 5
    with pytest.raises(ModelError, match="did you mean 'ball'"):
        robot.at("bal")


def test_what_motors_put_in_the_arm_keeps():
    robot = ph.read_urdf(ARM, positions={"lift": -0.5}, rates={"roll": 3.0})
    result = robot.driven().simulate(duration=0.1, dt=5e-4, controls=lambda t: np.array([4.0, -20.0, -10.0, 0.02]))
    assert float(abs(result["balance"]).max()) < 1e-3 * float(result["kinetic"].max())


def test_floating_and_planar_joints_leave_what_they_should(tmp_path):
    floating = ROD.replace('type="revolute"', 'type="floating"')
    system = ph.read_urdf(written(tmp_path, floating), gravity=(1.0, 2.0, -9.0)).model.system()
    a, _ = accelerations(system, 0.0, system.start.q, system.start.v, np.zeros(0))
    assert np.allclose(a, [1, 2, -9, 0, 0, 0, 0], atol=1e-12)
    assert ph.read_urdf(ARM).model.gravity == (0.0, 0.0, -9.81)
    planar = ROD.replace('type="revolute"', 'type="planar"').replace("0 1 0", "1 0 0")
    system = ph.read_urdf(written(tmp_path, planar), gravity=(5.0, 2.0, 0.0)).model.system()
    a, _ = accelerations(system, 0.0, system.start.q, system.start.v, np.zeros(0))
    assert np.allclose(a[:3], [0, 2, 0], atol=1e-12)


def test_limits_are_kept_as_data_and_a_start_outside_is_told(tmp_path):
    path = written(tmp_path, ROD)
    limits = ph.read_urdf(path).limits
    assert (limits.names, limits.lower, limits.upper) == (("hinge",), (-3.0,), (3.0,))
    assert (limits.effort, limits.velocity) == ((1.0,), (9.0,))
    assert ph.read_urdf(ARM).limits.upper[3] == np.inf
    with pytest.warns(RunWarning, match="'hinge' starts with the position 3.1, outside -3 … 3"):
        ph.read_urdf(path, positions={"hinge": 3.1})
    lossy = written(tmp_path, ROD.replace(LIMIT, LIMIT + '<dynamics damping="0.5"/>'))
    with pytest.warns(RunWarning, match=r"'hinge': damping 0\.5 is ignored"):
        ph.read_urdf(lossy)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("<robot", '<!DOCTYPE r [<!ENTITY a "b">]><robot', "document type"),
        ("<robot", "<sdf><robot", "is not XML"),
        (ROD, "<sdf/>", "begins with <sdf>"),
        (ROD, "<robot/>", "has no <link>"),
        (ROD, '<robot xmlns:xacro="http://ros.org/xacro"><xacro:arm/></robot>', "contains xacro macros"),
        ('<mass value="2"/>', '<mass value="nan"/>', "link 'rod': <mass value> must be a finite number.*'nan'"),
        ('<mass value="2"/>', '<mass value="-2"/>', "link 'rod': mass must be > 0"),
        ('<mass value="2"/>', "", "must hold <mass> and <inertia>"),
        ('ixx="0.1"', 'ixx="9"', "'rod': inertia .* is not physical.*correct <inertial>"),
        ('xyz="0 0 -0.4"', 'xyz="0 0"', "must be three numbers, got '0 0'"),
        ('xyz="0 1 0"', 'xyz="0 0 0"', "joint 'hinge': its axis has zero length"),
        (LIMIT, "", "a revolute joint needs <limit"),
        ('lower="-3"', 'lower="4"', "lower limit 4 is above the upper one, 3"),
        (LIMIT, LIMIT + '<mimic joint="other"/>', "joint 'hinge': <mimic> is not supported.*Coupled"),
        ('type="revolute"', 'type="revolut"', "did you mean 'revolute'"),
        ('<parent link="base"/>', '<parent link="bass"/>', "no link is called 'bass'.*did you mean 'base'"),
        ('<parent link="base"/>', '<parent link="rod"/>', "form a closed loop"),
        ('<link name="base"/>', '<link name="base"/><link name="lost"/>', "one root link"),
        ('name="hinge"', 'name="rod"', "several links or joints have the name rod"),
        ('name="hinge"', 'name="a.b"', "has no dot"),
        ("<inertial>", "<inert>", "is not XML"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place_and_the_remedy(tmp_path, old, new, words):
    assert old in ROD
    with pytest.raises(FileError, match=f"(?s)robot.urdf.*({words})"):
        ph.read_urdf(written(tmp_path, ROD.replace(old, new, 1)))


def test_a_moving_link_without_mass_and_an_unknown_joint_are_refused(tmp_path):
    bare = ROD[: ROD.index("<inertial>")] + ROD[ROD.index("</inertial>") + len("</inertial>") :]
    with pytest.raises(FileError, match="'rod' moves but has no mass; give it <inertial>"):
        ph.read_urdf(written(tmp_path, bare))
    for wrong, words in (({"hing": 0.1}, "did you mean 'hinge'"), ({"hinge": float("nan")}, "finite number")):
        with pytest.raises(ModelError, match=words):
            ph.read_urdf(written(tmp_path, ROD), positions=wrong)
