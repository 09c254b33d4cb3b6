"""Joint coordinates: the same mechanics as absolute ones, and the mass matrix of a recursion of its own."""

import casadi as ca
import numpy as np
import pytest

from panhead.engine.bodies import Carrier, PlanarBody, RigidBody, ground
from panhead.engine.forces import Push
from panhead.engine.joints import (
    Coupled,
    Cylindrical,
    Planar,
    Prismatic,
    Revolute,
    RevolutePrismatic,
    Rigid,
    Spherical,
    Universal,
)
from panhead.engine.joints.free_joint import Free
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.multibody import Model
from panhead.engine.multibody.tree import in_joint_coordinates
from panhead.engine.rotations import about, matrix_of
from panhead.errors import ModelError

DOWN = (0.3, -9.0, -2.0)  # no axis of the models is along it
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def body(name, position=(0.0, 0.0, 0.0), attitude=(1.0, 0.0, 0.0, 0.0)):
    inertia = (0.4, 0.5, 0.6, 0.05, -0.03, 0.02)
    return RigidBody(name=name, mass=2.0, inertia=inertia, position=position, attitude=attitude)


def moved(tree, q, v, a):
    """Coordinates, rates and second rates of the carried bodies, by central differences of the rates."""
    system, h = tree.system(), 1e-5
    x, x_dot = tree.states(system, q, v)
    at = lambda s: tree.states(system, q + s * v + s * s / 2 * a, v + s * a)[1]
    # Richardson: the error is of fourth order in h
    slope = lambda s: (at(s) - at(-s)) / (2 * s)
    return x, x_dot, (4 * slope(h) - slope(2 * h)) / 3


def poses(x):
    """Coordinates that do not depend on the sign of Euler parameters: of two bodies in space or in the plane."""
    if len(x) == 6:
        return x
    return np.concatenate([[*b[:3], *np.ravel(matrix_of(b[3:]))] for b in x.reshape(-1, 7)])


def start(system, seed=0):
    """A state on the constraints, away from where the parts were put."""
    rng = np.random.default_rng(seed)
    q = system.start.q + rng.uniform(-0.3, 0.3, system.nq)
    for k, name in enumerate(system.coordinates):
        if name.endswith("e0"):
            q[k : k + 4] /= np.linalg.norm(q[k : k + 4])
    v = rng.normal(size=system.nq)
    if system.nc:
        G = system.constraint_q(0.0, q).toarray()
        v -= np.linalg.pinv(G) @ (G @ v)
    return q, v


def chain():
    """Three bodies on hinges about three axes, with corners between them."""
    one = body("one", (0.5, 0.0, 0.0))
    two = body("two", (1.2, 0.3, 0.1), about((1.0, 2.0, 0.5), 0.7))
    three = body("three", (2.0, 0.5, -0.2), about((0.0, 1.0, 1.0), -1.1))
    places = ((0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (1.6, 0.4, 0.1))
    axes = (Z, (0.3, 1.0, 0.2), (1.0, -0.2, 0.4))
    befores, afters = (ground, one, two), (one, two, three)
    joints = [
        Revolute(name=f"hinge{k}", a=(a.at if a is ground else a.at_world)(p, axis=axis), b=b.at_world(p, axis=axis))
        for k, (a, b, p, axis) in enumerate(zip(befores, afters, places, axes, strict=True))
    ]
    push = Push(name="push", at=three.at((0.3, 0.1, 0.0)), force=(3.0, -2.0, 5.0))
    return Model(name="chain", items=(one, two, three, *joints, push), gravity=DOWN)


def newton_euler(model, q, v, a):
    """Joint torques of the chain by Newton and Euler, outward then inward, in the world's axes."""
    bodies = [i for i in model.items if isinstance(i, RigidBody)]
    joints = [i for i in model.items if isinstance(i, Revolute)]
    push = next(i for i in model.items if isinstance(i, Push))
    value = lambda m, s, n: np.array([m.numbers[f"{s}.{i}"] for i in range(n)])
    R, p, w, dw, acc = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3), -np.array(DOWN)
    outward = []
    for k, joint in enumerate(joints):
        here, there = value(joint.a, "p", 3), value(joint.b, "p", 3)
        Ra, Rb = (value(m, "R", 9).reshape(3, 3) for m in (joint.a, joint.b))
        axis = R @ Ra[:, 2]
        arm = R @ here
        hinge, acc = p + arm, acc + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
        c, s = np.cos(q[k]), np.sin(q[k])
        R = R @ Ra @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ Rb.T
        dw = dw + axis * a[k] + np.cross(w, axis * v[k])
        w = w + axis * v[k]
        arm = -R @ there
        p, acc = hinge + arm, acc + np.cross(dw, arm) + np.cross(w, np.cross(w, arm))
        J = R @ bodies[k].inertia_matrix() @ R.T
        f = bodies[k].mass * acc
        n = J @ dw + np.cross(w, J @ w)
        if k == 2:
            load = np.array(push.force)
            n = n - np.cross(R @ value(push.at, "p", 3), load)
            f = f - load
        outward.append((hinge, axis, p, f, n))
    torque, F, N, at = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for k in (2, 1, 0):
        hinge, axis, p, f, n = outward[k]
        N = n + np.cross(p - hinge, f) + N + np.cross(at - hinge, F)
        F, at = F + f, hinge
        torque[k] = axis @ N
    return torque


def test_equations_are_those_of_the_newton_euler_recursion():
    """Mass matrix and forces of three hinges against Newton and Euler; both are exact, 1e-11 is round-off."""
    model = chain()
    system = in_joint_coordinates(model).system()
    assert system.coordinates == ("hinge0.angle", "hinge1.angle", "hinge2.angle")
    q, v = np.array([0.4, -1.1, 2.0]), np.array([1.3, -0.7, 2.1])
    zero, u = np.zeros(3), np.zeros(0)
    bias = newton_euler(model, q, v, zero)
    np.testing.assert_allclose(system.force(0.0, q, v, u), -bias, atol=1e-11)
    still = newton_euler(model, q, zero, zero)
    M = np.column_stack([newton_euler(model, q, zero, e) - still for e in np.eye(3)])
    np.testing.assert_allclose(system.mass(0.0, q).toarray(), M, atol=1e-11)


def test_accelerations_are_those_of_absolute_coordinates():
    """Both descriptions give every body the same acceleration; differences of rates are good to 1e-8."""
    model = chain()
    tree = in_joint_coordinates(model)
    system, absolute = tree.system(), model.system()
    q, v = start(system)
    a, _ = accelerations(system, 0.0, q, v, np.zeros(0))
    x, x_dot, x_ddot = moved(tree, q, v, a)
    assert tree.carried == absolute.coordinates
    np.testing.assert_allclose(absolute.constraint(0.0, x), 0.0, atol=1e-13)
    expected, _ = accelerations(absolute, 0.0, x, x_dot, np.zeros(0))
    np.testing.assert_allclose(x_ddot, expected, atol=1e-7)
    for ours, theirs in zip(system.energy(0.0, q, v), absolute.energy(0.0, x, x_dot), strict=True):
        assert ours == pytest.approx(theirs, rel=1e-13)


KINDS = [
    Revolute, Spherical, Universal, Prismatic, Cylindrical, RevolutePrismatic, Planar, Rigid, Free
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_every_kind_of_joint_keeps_its_own_equations(kind):
    """Whatever the joint's coordinates are, its equations in absolute coordinates hold, and the motion is the same."""
    one, two = body("one", (0.2, 0.1, -0.3), about(Y, 0.4)), body("two", (0.5, -0.2, 0.4))
    axis = (0.2, 0.3, 1.0)
    corner = np.cross(axis, X)
    sides = {"axis": axis, "across": tuple(corner)}
    other = {"axis": tuple(np.cross(axis, corner)), "across": axis} if kind is Universal else sides
    held = Revolute(name="held", a=ground.at((0.0, 0.1, 0.0), axis=Y), b=one.at_world((0.0, 0.1, 0.0), axis=Y))
    place = (0.3, 0.2, 0.1)
    joint = kind(name="joint", a=one.at_world(place, **sides), b=two.at_world(place, **other))
    model = Model(name="pair", items=(one, two, held, joint), gravity=DOWN)
    tree = in_joint_coordinates(model)
    system, absolute = tree.system(), model.system()
    freedoms = {
        Revolute: 1,
        Spherical: 3,
        Universal: 2,
        Prismatic: 1,
        Cylindrical: 2,
        RevolutePrismatic: 2,
        Planar: 3,
        Rigid: 0,
        Free: 6,
    }
    assert system.nq - system.nc == 1 + freedoms[kind]
    put = tree.states(system, system.start.q, system.start.v)[0]
    np.testing.assert_allclose(poses(put), poses(absolute.start.q), atol=1e-12)
    q, v = start(system, seed=3)
    a, _ = accelerations(system, 0.0, q, v, np.zeros(0))
    x, x_dot, x_ddot = moved(tree, q, v, a)
    np.testing.assert_allclose(absolute.constraint(0.0, x), 0.0, atol=1e-13)
    np.testing.assert_allclose(absolute.constraint_q(0.0, x) @ x_dot, 0.0, atol=1e-12)
    expected, _ = accelerations(absolute, 0.0, x, x_dot, np.zeros(0))
    np.testing.assert_allclose(x_ddot, expected, atol=1e-6)


PLANAR_KINDS = [Revolute, Prismatic, RevolutePrismatic, Rigid, Free]


@pytest.mark.parametrize("kind", PLANAR_KINDS, ids=lambda k: k.__name__)
def test_every_kind_in_the_plane(kind):
    one = PlanarBody(name="one", mass=2.0, inertia=0.3, position=(0.5, 0.2), angle=7.0)
    two = PlanarBody(name="two", mass=1.0, inertia=0.2, position=(1.2, 0.4), angle=-0.6)
    slides = kind in (Prismatic, RevolutePrismatic)
    axis, place = (1.0, 0.5, 0.0) if slides else Z, (0.8, 0.3)
    held = Revolute(name="held", a=ground.at(), b=one.at_world((0.0, 0.0)))
    joint = kind(name="joint", a=one.at_world(place, axis=axis), b=two.at_world(place, axis=axis))
    model = Model(name="pair", items=(one, two, held, joint), gravity=(0.0, -9.81, 0.0))
    tree = in_joint_coordinates(model)
    system, absolute = tree.system(), model.system()
    put = tree.states(system, system.start.q, system.start.v)[0]
    np.testing.assert_allclose(poses(put), poses(absolute.start.q), atol=1e-12)
    q, v = start(system, seed=3)
    a, _ = accelerations(system, 0.0, q, v, np.zeros(0))
    x, x_dot, x_ddot = moved(tree, q, v, a)
    np.testing.assert_allclose(absolute.constraint(0.0, x), 0.0, atol=1e-13)
    expected, _ = accelerations(absolute, 0.0, x, x_dot, np.zeros(0))
    np.testing.assert_allclose(x_ddot, expected, atol=1e-6)


def four_bar():
    rods = [
        PlanarBody(name=n, mass=m, inertia=0.1, position=p, angle=angle)
        for n, m, p, angle in (
            ("crank", 1.0, (0.0, 0.5), np.pi / 2),
            ("rod", 2.0, (1.0, 1.0), 0.0),
            ("rocker", 1.5, (2.0, 0.5), np.pi / 2),
        )
    ]
    crank, rod, rocker = rods
    joints = [
        Revolute(name="A", a=ground.at(), b=crank.at((-0.5, 0))),
        Revolute(name="B", a=crank.at((0.5, 0)), b=rod.at((-1.0, 0))),
        Revolute(name="C", a=rod.at((1.0, 0)), b=rocker.at((0.5, 0))),
        Revolute(name="D", a=ground.at((2.0, 0, 0)), b=rocker.at((-0.5, 0))),
    ]
    return Model(name="four-bar", items=(*rods, *joints), gravity=(0.0, -9.81, 0.0))


@pytest.mark.parametrize("loops, kept", [((), {"D.x", "D.y"}), (("B",), {"B.x", "B.y"})])
def test_loops_stay_equations(loops, kept):
    """A closed loop keeps one joint as an equation, whichever is chosen, with the same reaction there."""
    model = four_bar()
    tree = in_joint_coordinates(model, loops=loops)
    system, absolute = tree.system(), model.system()
    assert set(system.constraints) == kept
    q, u = system.start.q, np.zeros(0)
    v = np.linalg.svd(system.constraint_q(0.0, q).toarray())[2][-1]
    a, lam = accelerations(system, 0.0, q, v, u)
    x, x_dot, x_ddot = moved(tree, q, v, a)
    expected, reactions = accelerations(absolute, 0.0, x, x_dot, u)
    np.testing.assert_allclose(x_ddot, expected, atol=1e-7)
    theirs = [reactions[absolute.constraints.index(name)] for name in system.constraints]
    np.testing.assert_allclose(lam, theirs, rtol=1e-9, atol=1e-9)


def test_a_base_that_moves():
    """A pendulum on a carrier: the base's acceleration enters as in absolute coordinates."""
    carrier = Carrier(name="cart", position=lambda t: ca.vertcat(0.1 * ca.sin(3 * t), 0, 0))
    rod = PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.0, -0.5), velocity=(0.3, 0.0))
    hinge = Revolute(name="hinge", a=carrier.at(), b=rod.at((0.0, 0.5)))
    model = Model(name="cart", items=(carrier, rod, hinge), gravity=(0.0, -9.81, 0.0))
    system, absolute = in_joint_coordinates(model).system(), model.system()
    t, q, v = 0.7, np.array([0.4]), np.array([1.1])
    a, _ = accelerations(system, t, q, v, np.zeros(0))
    # m l (x″ cos φ) + (m l² + J) φ″ + m g l sin φ = 0 with l = 0.5
    base = -0.9 * np.sin(3 * t)
    assert a[0] == pytest.approx(-(0.5 * base * np.cos(0.4) + 9.81 * 0.5 * np.sin(0.4)) / 0.35)
    assert absolute.nc == 2


def test_bodies_that_nothing_holds_keep_their_coordinates():
    one, two = (PlanarBody(name=n, mass=1.0, inertia=0.1, position=(x, 0.0)) for n, x in (("one", 0.0), ("two", 1.0)))
    hinge = Revolute(name="hinge", a=one.at((0.5, 0.0)), b=two.at((-0.5, 0.0)))
    model = Model(name="pair", items=(one, two, hinge), gravity=(0.0, -9.81, 0.0))
    system = in_joint_coordinates(model).system()
    assert system.coordinates == ("hinge.angle", "one.x", "one.y", "one.angle")


def test_a_coordinate_of_a_joint_can_be_driven():
    """A motion given to a hinge's angle, which absolute coordinates do not have."""
    rod = PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    hinge = Revolute(name="hinge", a=ground.at(), b=rod.at((-0.5, 0.0)))
    drive = Coupled(name="drive", ratios={"hinge.angle": 1.0}, motion=lambda t: t**2)
    model = Model(name="driven", items=(rod, hinge, drive), gravity=(0.0, -9.81, 0.0))
    system = in_joint_coordinates(model).system()
    a, lam = accelerations(system, 0.0, np.zeros(1), np.zeros(1), np.zeros(0))
    assert a[0] == pytest.approx(2.0)
    assert -lam[0] == pytest.approx((0.1 + 0.25) * 2.0 + 9.81 * 0.5)


def test_what_cannot_be_is_said():
    rod = PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.7, 0.0))
    hinge = Revolute(name="hinge", a=ground.at(), b=rod.at((-0.5, 0.0)))
    model = Model(name="open", items=(rod, hinge), gravity=(0.0, -9.81, 0.0))
    with pytest.raises(ModelError, match=r"position x of 'rod' is 0.2 away"):
        in_joint_coordinates(model)
    with pytest.raises(ModelError, match="no joint pin that could carry"):
        in_joint_coordinates(model, loops=("pin",))
    right = PlanarBody(name="rod", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    held = Coupled(name="drive", ratios={"rod.angle": 1.0})
    tied = Model(name="tied", items=(right, hinge, held), gravity=(0.0, -9.81, 0.0))
    with pytest.raises(ModelError, match=r"rod.angle, which joint coordinates have replaced by hinge.angle"):
        in_joint_coordinates(tied).system()


def test_matrix_of_a_product_is_the_product_of_matrices():
    from panhead.engine.rotations import product

    e, f = about((1.0, 2.0, 3.0), 0.7), about((-1.0, 0.3, 0.2), 1.9)
    both = np.array(matrix_of(e)) @ np.array(matrix_of(f))
    np.testing.assert_allclose(np.array(matrix_of(product(e, f))), both, atol=1e-15)
