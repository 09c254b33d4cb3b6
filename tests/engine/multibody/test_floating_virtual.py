"""Virtual bodies: joints and forces fastened through them, or to the flexible body itself, give one motion."""

import numpy as np
import pytest

from engine.multibody.structures import scattered
from panhead.engine.bodies import FloatingBody, RigidBody, VirtualBody, ground
from panhead.engine.forces import Push
from panhead.engine.joints import Revolute, RigidFlexible, Spherical
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.formulations import Augmented, Embedded
from panhead.engine.methods.integrators import BDF, GeneralizedAlpha, RungeKutta4
from panhead.engine.methods.linear_solvers import is_large
from panhead.engine.methods.modes import linearise, lowest_modes, modes
from panhead.engine.methods.rank import rank_report
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model, in_joint_coordinates
from panhead.engine.multibody.outline import positions
from panhead.errors import ModelError

STRUCTURE = scattered(nodes=8)
ARM = FloatingBody(name="arm", structure=STRUCTURE, spin=(0.3, 0.2, 0.1), deformation_rate=(0.2, -0.1, 0.1))
PIN, HOOK = ARM.at(ARM.node(0), axis=(0, 1, 0)), ARM.at(ARM.node(3))
AWAY, AXIS = np.array([0.1, 0.0, 0.2]), np.array([1.0, 0.2, 0.0])
WEIGHT = RigidBody(
    name="weight", mass=2.0, inertia=(0.3, 0.4, 0.5), position=tuple(STRUCTURE.points[3] + AWAY + (0, 0, -0.3))
)  # fmt: skip
HANGS = WEIGHT.at((0.0, 0.0, 0.3), axis=tuple(AXIS))
SHOVE = (3.0, -1.0, 2.0)


def offset(on, to):
    """Where a point of the same undeformed body lies, seen from a marker on it, in the marker's axes [m].

    ``on`` must be a marker of a rigid or floating body; ``to`` (3,) in the body's axes.
    """
    numbers = on.numbers
    vector = lambda name: np.array([numbers.get(f"{name}.{i}", 0.0) for i in range(3)])
    R = np.array([numbers[f"R.{i}"] for i in range(9)]).reshape(3, 3)
    x, y, z = R.T @ (np.asarray(to) - vector("x") - vector("p"))
    return float(x), float(y), float(z)


def fastened(through_virtual):
    """An arm hinged to the ground carries a weight on a hinge; a force pushes the arm."""
    hinge = ground.at(tuple(STRUCTURE.points[0]), axis=(0, 1, 0))
    if not through_virtual:
        hook = ARM.at(ARM.node(3), point=tuple(AWAY), axis=tuple(AXIS))
        joints = (Revolute(name="pin", a=hinge, b=PIN), Revolute(name="hook", a=hook, b=HANGS))
        return (ARM, WEIGHT, *joints, Push(name="shove", at=HOOK, force=SHOVE))
    pin, hook = VirtualBody(name="at pin", on=PIN), VirtualBody(name="at hook", on=HOOK)
    R = np.array([HOOK.numbers[f"R.{i}"] for i in range(9)]).reshape(3, 3)
    away = hook.at(offset(HOOK, STRUCTURE.points[3] + AWAY), axis=tuple(R.T @ AXIS))
    return (
        ARM, WEIGHT, pin, hook, *(RigidFlexible(name=f"{x.name} held", a=x.on, b=x.at()) for x in (pin, hook)),
        Revolute(name="pin", a=hinge, b=pin.at()), Revolute(name="hook", a=away, b=HANGS),
        Push(name="shove", at=hook.at(), force=SHOVE),
    )  # fmt: skip


DIRECT, VIRTUAL = (Model(name="arm", items=fastened(v)).system() for v in (False, True))


def consistent(system):
    """Both start from rest of the whole, where all rates agree."""
    start = system.start
    return type(start)(q=start.q, v=np.zeros_like(start.v))


def test_a_virtual_body_starts_on_its_place_with_its_rates():
    virtual = VirtualBody(name="v", on=HOOK)
    items = (ARM, virtual, RigidFlexible(name="held", a=HOOK, b=virtual.at()))
    system = Model(name="start", items=items).system()
    q, v = system.start.q, system.start.v
    assert np.abs(v[10:13]).max() > 0.05, "nothing moves: the test would see nothing"
    np.testing.assert_allclose(system.constraint(0.0, q), 0.0, atol=1e-15)
    np.testing.assert_allclose(system.constraint_q(0.0, q) @ v, 0.0, atol=1e-15)


def test_the_same_freedoms():
    """Seven coordinates more for each virtual body, and seven equations: 6 of the joint, 1 of Euler parameters."""
    reports = [rank_report(s, s.start.q) for s in (DIRECT, VIRTUAL)]
    assert [r.freedoms for r in reports] == [5, 5]
    assert all(r.redundant == () for r in reports)
    assert VIRTUAL.nq - DIRECT.nq == VIRTUAL.nc - DIRECT.nc == 14


METHODS = {
    "generalized-α": (GeneralizedAlpha(), Augmented()),
    "generalized-α, rates projected": (GeneralizedAlpha(rates="projected"), Augmented()),
    "Runge–Kutta": (RungeKutta4(), Augmented()),
    "Runge–Kutta, embedded": (RungeKutta4(), Embedded()),
    "backward differences": (BDF(), Augmented()),
}


@pytest.mark.parametrize("method, formulation", METHODS.values(), ids=METHODS)
def test_the_same_motion(method, formulation):
    """To rounding: the same equations, whose massless rows say only that forces pass through."""
    ends = [
        simulate(s, consistent(s), duration=0.05, dt=1e-3, method=method, formulation=formulation)
        for s in (DIRECT, VIRTUAL)
    ]
    ends = [motion.q[-1, :17] for motion in ends]
    assert np.abs(ends[0] - DIRECT.start.q).max() > 5e-3, "nothing moves: the test would see nothing"
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def test_the_same_equilibrium_and_modes():
    """A force and a moment that only pass through change neither rest nor small motions about it."""
    found = []
    for system in (DIRECT, VIRTUAL):
        q, lam = equilibrium(system, system.start.q)
        found.append((q[:17], modes(linearise(system, q, lam)).eigenvalues))
    np.testing.assert_allclose(found[1][0], found[0][0], atol=1e-9)
    np.testing.assert_allclose(found[1][1], found[0][1], atol=1e-7 * np.abs(found[0][1]).max())
    frequencies = np.abs(found[0][1][:3]) / (2 * np.pi)
    np.testing.assert_allclose(lowest_modes(VIRTUAL, q, lam, count=3).frequency, frequencies, rtol=1e-7)


def test_a_virtual_body_left_free_has_no_motion():
    virtual = VirtualBody(name="v", on=HOOK)
    system = Model(name="loose", items=(ARM, virtual)).system()
    with pytest.raises(ModelError, match=r"nothing in 'loose' has inertia when v\.\w+ moves"):
        simulate(system, system.start, duration=0.1, dt=0.01)


def test_many_virtual_bodies():
    """A chain of 40 flexible links, large enough for sparse factors: the same motion with 40 massless bodies more."""
    s, ends, systems = STRUCTURE, [], {}
    step = s.points[3] - s.points[0]
    links = [FloatingBody(name=f"b{i}", structure=s, position=tuple(i * step)) for i in range(40)]
    before = [ground.at(tuple(s.points[0])), *(b.at(b.node(3)) for b in links)]
    for through_virtual in (False, True):
        items, here = list(links), [b.at(b.node(0)) for b in links]
        if through_virtual:
            virtual = [VirtualBody(name=f"v{i}", on=m) for i, m in enumerate(here)]
            items += [*virtual, *(RigidFlexible(name=f"{v.name} held", a=v.on, b=v.at()) for v in virtual)]
            here = [v.at() for v in virtual]
        items += [Spherical(name=f"j{i}", a=before[i], b=m) for i, m in enumerate(here)]
        systems[through_virtual] = system = Model(name="long", items=tuple(items)).system()
        motion = simulate(system, system.start, duration=0.02, dt=1e-3, method=GeneralizedAlpha())
        ends.append(motion.q[-1, :400])
    assert is_large(systems[True].mass(0.0, systems[True].start.q))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)
    loose = (*items, VirtualBody(name="extra", on=links[3].at()))
    system = Model(name="loose", items=loose).system()
    with pytest.raises(ModelError, match=r"when extra\.\w+ moves"):
        simulate(system, system.start, duration=0.1, dt=0.01)


def test_one_virtual_body_holds_two_places():
    """With enough shapes two nodes may be held by one rigid body: they keep their distance, the rest swings."""
    s = scattered(nodes=8, shapes=7)
    body = FloatingBody(name="arm", structure=s)
    one, two = (body.at(body.node(j), axis=(0, 0, 1), across=(1, 0, 0)) for j in (1, 5))
    clasp = VirtualBody(name="clasp", on=one)
    items = (
        body, clasp, RigidFlexible(name="first", a=one, b=clasp.at()),
        RigidFlexible(name="second", a=two, b=clasp.at(offset(one, s.points[5]))),
        Push(name="shove", at=body.at(body.node(3)), force=(30.0, -10.0, 20.0)),
    )  # fmt: skip
    system = Model(name="clasped", items=items, gravity=(0.0, 0.0, 0.0)).system()
    # 6 rigid motions and 7 shapes, of which the second weld holds 6
    assert rank_report(system, system.start.q).freedoms == 6 + 7 - 6
    motion = simulate(system, system.start, duration=0.05, dt=1e-3, method=GeneralizedAlpha())
    p = positions(system, motion, [one, two, body.at(body.node(3))])
    length = np.linalg.norm(p[:, 0] - p[:, 1], axis=1)
    assert np.ptp(length) < 1e-10
    assert np.ptp(np.linalg.norm(p[:, 2] - p[:, 0], axis=1)) > 1e-4


@pytest.mark.parametrize("through_virtual", [False, True])
def test_flexible_bodies_keep_their_coordinates_in_a_tree(through_virtual):
    """A rigid arm that a hinge ties to the world is carried; what hangs on a flexible body stays as it is."""
    lever = RigidBody(name="lever", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(5.0, 0.0, -0.5))
    hinge = Revolute(
        name="lever hinge", a=ground.at((5, 0, 0), axis=(0, 1, 0)), b=lever.at((0, 0, 0.5), axis=(0, 1, 0))
    )  # fmt: skip
    items = fastened(through_virtual)
    for more in ((), (lever, hinge)):
        whole = Model(name="tree", items=(*items, *more))
        tree = in_joint_coordinates(whole).system()
        assert ("lever hinge.angle" in tree.coordinates) == bool(more)
        assert {"arm.w1", "weight.e0"} <= set(tree.coordinates)
        absolute, k = whole.system(), [tree.place(f"arm.w{i}") for i in (1, 2, 3)]
        ends = [
            simulate(s, consistent(s), duration=0.02, dt=1e-3, method=GeneralizedAlpha()).q[-1]
            for s in (tree, absolute)
        ]
        at = [absolute.place(f"arm.w{i}") for i in (1, 2, 3)]
        np.testing.assert_allclose(ends[0][k], ends[1][at], atol=1e-12)
