"""Laws that every force must obey; see ``laws`` for what they say and ``specimens`` for what is tried."""

import casadi as ca
import numpy as np
import pytest

from engine.multibody.laws import (
    check_invariance,
    check_lagrange,
    check_momentum,
    check_power,
    check_tangents,
    elements,
)
from engine.multibody.specimens import FORCES, kinds
from panhead.engine.bodies import GuidedMass, PlanarBody, PointMass, RigidBody, ground
from panhead.engine.forces import (
    Actuator,
    Bearing,
    Bushing,
    DryFriction,
    LineBetween,
    Push,
    Slide,
    SpringDamper,
    Stop,
    Table,
    TabulatedSpringDamper,
    TensionOnly,
    Thrust,
    Twist,
)
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.roles import Force
from panhead.engine.rotations import about


def test_no_force_slips_through():
    tried = {type(s.item) for s in FORCES}
    assert kinds(Force) - tried == set(), "add them to FORCES in specimens.py"


@pytest.mark.parametrize("specimen", FORCES, ids=str)
@pytest.mark.parametrize("law", [check_tangents, check_lagrange], ids=lambda f: f.__name__)
def test_law(specimen, law):
    for e in elements(specimen):
        law(e)


@pytest.mark.parametrize("specimen", FORCES, ids=str)
def test_power(specimen):
    for e in elements(specimen):
        check_power(e, gives_back=specimen.gives_back)


@pytest.mark.parametrize("specimen", [s for s in FORCES if s.indifferent], ids=str)
def test_rigid_motion(specimen):
    for e in elements(specimen):
        check_invariance(specimen, e)


@pytest.mark.parametrize("specimen", [s for s in FORCES if s.pair], ids=str)
def test_forces_are_equal_and_opposite(specimen):
    for e in elements(specimen):
        check_momentum(specimen, e)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", [TensionOnly, Stop, DryFriction, TabulatedSpringDamper, Bearing])
def test_one_sided_and_dry_forces_never_make_energy(kind, seed):
    """Their power balance at more states: taut and slack, pressed and free, sticking and slipping."""
    for specimen in (s for s in FORCES if type(s.item) is kind):
        for e in elements(specimen, seed=seed):
            check_power(e)


def force_on(item, *bodies, q=None, v=None, u=()):
    """f of a model without gravity, by coordinate."""
    system = Model(name="hand", items=(*bodies, item), gravity=(0, 0, 0)).system()
    start = system.start
    q, v = (start.q if q is None else np.array(q)), (start.v if v is None else np.array(v))
    return dict(zip(system.coordinates, system.force(0.0, q, v, np.array(u)), strict=True))


P = PointMass(name="p", mass=1.0, position=(3.0, 0.0, 4.0), velocity=(0.6, 1.0, 0.8))  # 5 m away, 1 m/s outwards
AWAY = LineBetween(a=ground.at(), b=P.at())
UP = Slide(a=ground.at(), b=P.at())


def test_hand_computed_springs():
    """Along (0.6, 0, 0.8) at e = 5 m, ė = 1 m/s; up at e = 4 m, ė = 0.8 m/s."""
    pull = 20.0 * (5.0 - 4.5) + 3.0 * 1.0 + 2.0
    spring = SpringDamper(name="f", along=AWAY, stiffness=20.0, damping=3.0, rest=4.5, preload=2.0)
    found = force_on(spring, P)
    assert [found[f"p.{x}"] for x in "xyz"] == pytest.approx([-0.6 * pull, 0.0, -0.8 * pull])
    lifted = force_on(SpringDamper(name="f", along=UP, stiffness=20.0, damping=3.0), P)
    assert [lifted[f"p.{x}"] for x in "xyz"] == pytest.approx([0.0, 0.0, -80.0 - 2.4])
    rope = TensionOnly(name="f", along=AWAY, stiffness=20.0, damping=3.0, rest=4.5)
    assert force_on(rope, P)["p.x"] == pytest.approx(-0.6 * 13.0)
    slack = force_on(rope, P, v=(-6.0, 0.0, -8.0))["p.x"]  # the damper would push: 10 − 30 < 0
    assert slack == pytest.approx(0.0, abs=1e-14)
    assert force_on(rope, P, q=(0.0, 0.0, 4.0))["p.z"] == 0.0
    stop = Stop(name="f", along=UP, limit=4.25, stiffness=100.0, side="lower", damping=10.0)
    assert force_on(stop, P)["p.z"] == pytest.approx(25.0 - 8.0)
    assert force_on(stop, P, q=(0.0, 0.0, 5.0))["p.z"] == 0.0
    wheel = PlanarBody(name="w", mass=1.0, inertia=1.0, angle=0.5, spin=2.0)
    torsion = SpringDamper(name="f", along="w.angle", stiffness=8.0, damping=0.25)
    assert force_on(torsion, wheel)["w.angle"] == pytest.approx(-4.5)


def test_a_spring_of_no_length_is_a_spring_in_all_directions():
    """With rest 0 the force is −k d, also where both ends meet; its frequency there is √(k/m) in every direction."""
    spring = SpringDamper(name="f", along=AWAY, stiffness=50.0)
    assert set(force_on(spring, P, q=(0.0, 0.0, 0.0), v=(1.0, 0.0, 0.0)).values()) == {0.0}
    system = Model(name="hand", items=(P, spring), gravity=(0, 0, 0)).system()
    rest = np.zeros(3)
    K = -system.force_q(0.0, rest, rest, np.zeros(0)).toarray()
    np.testing.assert_allclose(K, 50.0 * np.eye(3), atol=1e-9)


def test_hand_computed_tables():
    """Two straight pieces meet: PCHIP gives the harmonic mean of slopes 2 and 4 there, 8/3; ends by one-sided rule."""
    table = Table(((3.0, 0.0), (4.0, 2.0), (5.0, 6.0)))
    assert table.knots()[1, 2] == pytest.approx(8.0 / 3.0)
    spring = TabulatedSpringDamper(name="f", along=AWAY, spring=table, damper=Table(((0, 0), (1, 7))))
    assert force_on(spring, P)["p.z"] == pytest.approx(-0.8 * (6.0 + 7.0))  # at the last knot
    slope = table.knots()[2, 2]
    far = force_on(spring, P, q=(3.6, 0.0, 4.8), v=(0.0, 0.0, 0.0))["p.z"]
    assert far == pytest.approx(-0.8 * (6.0 + slope))  # straight beyond


@pytest.mark.parametrize("x", [-1.0, 0.0, 0.4, 0.5, 1.3, 1.6, 2.5, 4.0])
def test_a_table_is_the_curve_it_says(x):
    """Against SciPy's own monotone cubic, with straight ends; also exactly at the points, where pieces meet."""
    import scipy.interpolate

    points = ((0.0, 0.0), (0.5, 3.0), (1.0, 4.0), (1.6, 30.0), (2.5, 71.0))
    table = Table(points)
    known = scipy.interpolate.PchipInterpolator(*np.transpose(points))
    end = min(max(x, 0.0), 2.5)
    expected = known(end) + known(end, 1) * (x - end)
    s = ca.SX.sym("s")
    curve = ca.Function("c", [s], [table(s), ca.jacobian(table(s), s)])
    value, slope = (float(y) for y in curve(x))
    assert value == pytest.approx(float(expected), abs=1e-13)
    assert slope == pytest.approx(float(known(end, 1)), abs=1e-12)


def test_hand_computed_pushes():
    """A lever of 2 m along y turned a quarter about z: the place is at (−2, 0, 0); forces and torques by hand."""
    body = RigidBody(name="b", mass=1.0, inertia=(1, 1, 1), attitude=about((0, 0, 1), np.pi / 2), spin=(0, 0, 3.0))
    at = body.at((0.0, 2.0, 0.0), across=(1, 0, 0))
    power = lambda item, u=(): (
        lambda s: s.power(0.0, s.start.q, s.start.v, 0 * s.start.q, np.zeros(s.nc), np.array(u))
    )(Model(name="hand", items=(body, item)).system())
    # the place moves with w × p = 3 z × (−2 x) = −6 y
    assert power(Push(name="f", at=at, force=(0.0, 5.0, 1.0))).drivers == pytest.approx(-30.0)
    # the body's −x axis points along −y
    assert power(Push(name="f", at=at, force=(-5.0, 0.0, 0.0), follows=True)).drivers == pytest.approx(30.0)
    assert power(Twist(name="f", at=at, torque=(1.0, 2.0, 4.0))).drivers == pytest.approx(12.0)
    found = force_on(Push(name="f", at=at, force=(0.0, 5.0, 1.0)), body)
    assert [found[f"b.{x}"] for x in "xyz"] == pytest.approx([0.0, 5.0, 1.0])
    thrust = force_on(Thrust(name="f", along=AWAY, force=10.0), P)
    assert thrust["p.z"] == pytest.approx(8.0)
    assert force_on(Actuator(name="f", along=AWAY, gain=2.0), P, u=[5.0])["p.z"] == pytest.approx(8.0)


def test_hand_computed_bushing_and_bearing():
    """Turned by φ about z: the moment is 2 k tan(φ/2); a journal out of centre by (0.3, 0.4) is pushed back."""
    K = np.diag([100.0, 200.0, 300.0, 10.0, 20.0, 30.0])
    body = RigidBody(name="b", mass=1.0, inertia=(1, 1, 1), position=(0.1, 0.2, 0.3), attitude=about((0, 0, 1), 0.8))
    bushing = Bushing(
        name="f", a=ground.at(across=(1, 0, 0)), b=body.at(across=(1, 0, 0)), stiffness=tuple(map(tuple, K))
    )
    found = force_on(bushing, body)
    assert [found[f"b.{x}"] for x in "xyz"] == pytest.approx([-10.0, -40.0, -90.0])
    system = Model(name="hand", items=(body, bushing), gravity=(0, 0, 0)).system()
    V = system.energy(0.0, system.start.q, system.start.v).potential
    twist = 2 * np.tan(0.4)
    assert pytest.approx(0.5 * (1.0 + 8.0 + 27.0 + 30.0 * twist**2)) == V
    shaft = RigidBody(name="b", mass=1.0, inertia=(1, 1, 1), position=(0.3, 0.4, 0.1), velocity=(3.0, 4.0, 0.0))
    ends = {"a": ground.at(across=(1, 0, 0)), "b": shaft.at(across=(1, 0, 0))}
    tight = Bearing(name="f", stiffness=10.0, damping=1.0, axial_stiffness=7.0, cross_stiffness=2.0, **ends)
    found = force_on(tight, shaft)
    assert [found[f"b.{x}"] for x in "xyz"] == pytest.approx([-3.0 - 3.0 - 0.8, -4.0 - 4.0 + 0.6, -0.7])
    loose = Bearing(name="f", stiffness=10.0, damping=1.0, clearance=0.4, **ends)
    found = force_on(loose, shaft)  # 10 · (0.5 − 0.4) + 1 · 5 = 6 N inwards
    assert [found[f"b.{x}"] for x in "xyz"] == pytest.approx([-3.6, -4.8, 0.0])
    centred = force_on(loose, shaft, q=(0, 0, 0, 1, 0, 0, 0))
    assert centred
    assert all(value == 0.0 for value in centred.values())


def block(**fields):
    """A block of 1 kg on a floor with 2 N of friction, 3 N to break loose, pulled by 2.9 N; g is at its side."""
    body = GuidedMass(name="m", mass=1.0, axis=(1, 0, 0))
    friction = DryFriction(
        name="f", along="m.x", slip_force=2.0, stick_force=3.0, bristle_stiffness=1e4, bristle_damping=100.0, **fields
    )  # fmt: skip
    return body, friction


def test_hand_computed_friction():
    """z = 1e-4 m held back: σ₀ z = 1 N below 70 % of 3 N, so the bristle only bends and ż = ė = 1e-5 m/s; no
    Stribeck effect at a thousandth of v_s: F = 1 + 100·1e-5 / (1 + 1e-3/3)."""
    found = force_on(block()[1], block()[0], q=(0.0, 1e-4), v=(1e-5, 1e-5))
    assert found["m.x"] == pytest.approx(-(1.0 + 1e-3 / (1 + 1e-3 / 3)), rel=1e-6)
    assert found["f.bristle"] == pytest.approx(0.0, abs=1e-18)


def test_what_sticks_does_not_creep():
    """2 N, half of it shaking at 20 Hz, is below 70 % of 3 N: after the first bending the block stays where it is.

    A bristle without an elastic share (the plain model) creeps: the test can fail.
    """
    drift = {}
    for share in (0.7, 0.0):
        shake = Thrust(name="p", along="m.x", force=1.0, course=lambda t: 1 + 0.5 * ca.sin(40 * np.pi * t))
        system = Model(name="block", items=(*block(elastic_share=share), shake)).system()
        motion = simulate(system, system.start, duration=1.5, dt=5e-4, keep=0.05, method=GeneralizedAlpha())
        x = motion.q[:, 0]  # every full cycle
        drift[share] = x[-1] - x[10]
    assert abs(drift[0.7]) < 1e-9
    assert abs(drift[0.0]) > 1e-6


def test_friction_slides_as_coulomb_says_and_accounts_for_it():
    """Pulled by 5 N against 2 N the block runs away with 3 m/s² once the bristle is bent (1e-3 s, 1e-3 m/s);
    work of the pull = kinetic energy + bristle + heat to the trapezoidal rule's error."""
    pull = Thrust(name="p", along="m.x", force=5.0)
    system = Model(name="block", items=(*block(), pull)).system()
    motion = simulate(system, system.start, duration=1.0, dt=2e-4, keep=0.1, method=GeneralizedAlpha())
    late = motion.v[-1, 0] - motion.v[1, 0]
    assert late == pytest.approx(0.9 * 3.0, rel=1e-4)
    energy = sum(system.energy(1.0, motion.q[-1], motion.v[-1]))
    drivers, _, heat = motion.work[-1]
    assert energy == pytest.approx(drivers - heat, abs=2e-5)
    assert heat == pytest.approx(2.0 * motion.q[-1, 0], rel=5e-3)


def test_a_spring_and_a_stop_keep_energy():
    """A mass between a spring and a hard stop without damping bounces for 2 s; energy to the method's error."""
    body = GuidedMass(name="m", mass=1.0, axis=(1, 0, 0), position=0.5)
    spring = SpringDamper(name="s", along="m.x", stiffness=40.0)
    stop = Stop(name="b", along="m.x", limit=-0.1, stiffness=1e4, side="lower")
    system = Model(name="bouncer", items=(body, spring, stop)).system()
    start = State(q=system.start.q, v=system.start.v)
    motion = simulate(
        system, start, duration=2.0, dt=1e-4, keep=0.01, method=GeneralizedAlpha(spectral_radius=1.0)
    )  # fmt: skip
    E = np.array([sum(system.energy(t, q, v)) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)])
    assert motion.q[:, 0].min() < -0.1  # it met the stop
    assert np.abs(E - E[0]).max() < 2e-3 * E[0]
