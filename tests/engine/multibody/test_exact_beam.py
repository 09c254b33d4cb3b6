"""The geometrically exact beam: exact where it must be, curved and twisted at rest, sections, loads, sliding."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from engine.multibody.complex_step import compiled
from panhead.engine.bodies import Beam, PointMass, Section, ground
from panhead.engine.forces import LineLoad, Push, Twist
from panhead.engine.joints import (
    Cylindrical,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    RevolutePrismatic,
    Rigid,
    Sliding,
    Spherical,
    Universal,
)
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.rank import rank_report
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.errors import ModelError

E, SIDE = 2e11, 0.02
EI = E * SIDE**4 / 12


def bar(elements, **more):
    values = {
        "name": "b", "begin": (0.0, 0.0, 0.0), "end": (1.0, 0.0, 0.0), "elements": elements, "height": SIDE,
        "width": SIDE, "young": E, "density": 7800.0, "across": (0.0, 1.0, 0.0),
    }  # fmt: skip
    return Beam(**(values | more))


def clamped(beam, *items, gravity=(0.0, 0.0, 0.0)):
    place = tuple(map(float, beam.shape().places[0]))
    clamp = Rigid(name="clamp", a=ground.at(place), b=beam.at_world(0.0))
    return Model(name="clamped", items=(beam, clamp, *items), gravity=gravity).system()


def tip(system, beam, q):
    first = system.place(f"b.{beam.elements}x")
    return q[first : first + 3]


@pytest.mark.parametrize("elements", [2, 3, 5])
def test_pure_bending_is_a_circle_with_any_mesh(elements):
    """M = 0.8 · 2π EI / L bends to 0.8 of a full circle: r = (sin θ, 1 − cos θ) / θ."""
    beam, angle = bar(elements), 1.6 * np.pi
    system = clamped(beam, Twist(name="t", at=beam.at(1.0), torque=(0.0, 0.0, angle * EI), follows=True))
    found = tip(system, beam, equilibrium(system, system.start.q).q)
    assert found == pytest.approx([np.sin(angle) / angle, (1 - np.cos(angle)) / angle, 0.0], abs=1e-12)


@pytest.mark.parametrize("elements", [2, 8])
def test_stresses_foreseen_spare_load_steps(elements):
    """A thin strip that a torque bends and twists far, at once; the bench's strip took 145 and 101 without them."""
    beam = bar(elements, height=12.7e-3, width=3.2e-3, young=7.17e10)
    system = clamped(beam, Twist(name="t", at=beam.at(1.0), torque=(0.75, 2.0, 1.0)))
    found = equilibrium(system, system.start.q)
    assert found.how == "Newton's method"
    assert found.iterations < 10
    assert np.linalg.norm(tip(system, beam, found.q) - (1.0, 0.0, 0.0)) > 0.3
    r = system.constraint_q(0.0, found.q).T @ found.lam - system.force(0.0, found.q, np.zeros(system.nq), np.zeros(0))
    assert np.abs(r).max() < 1e-6
    # with no step before it, it is the exact tangent
    law = next(f.law for f in system.packed.families if f.law.at_rest is not None)
    x = np.random.default_rng(3).uniform(0.2, 0.9, law.tangent.inputs)
    x[[1, 2]] = 0.0
    x[4 + law.n : 4 + 2 * law.n] = 0.0
    exact = compiled(law.tangent, x)
    assert compiled(law.at_rest, x) == pytest.approx(exact, abs=1e-12 * np.abs(exact).max())


def test_energy_and_forces_do_not_feel_a_rigid_motion():
    system = Model(name="free", items=(bar(2, twist=0.7),), gravity=(0.0, 0.0, 0.0)).system()
    R = Rotation.from_rotvec([0.9, -1.3, 0.5])
    x, y, z, w = R.as_quat()
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    q = (system.start.q + 0.05 * np.random.default_rng(3).standard_normal(system.nq)).reshape(-1, 7)
    moved = np.hstack([q[:, :3] @ R.as_matrix().T + (1.0, 2.0, 3.0), q[:, 3:] @ left.T])
    rest = np.zeros(system.nq)
    V, after = (system.energy(0.0, p.ravel(), rest).potential for p in (q, moved))
    assert after == pytest.approx(V, rel=1e-12)


def test_a_curved_and_twisted_beam_is_free_of_stress_at_rest():
    """Nothing pulls in it, and it is as stiff as its length: a quarter circle has L = π r / 2."""
    arc = lambda s: (np.sin(s * np.pi / 2), 1 - np.cos(s * np.pi / 2), 0.3 * s)
    beam = bar(5, begin=None, end=None, curve=arc, twist=1.1, across=None)
    system = Model(name="arc", items=(beam,), gravity=(0.0, 0.0, 0.0)).system()
    assert np.abs(system.force(0.0, system.start.q, np.zeros(system.nq), np.zeros(0))).max() < 1e-6 * EI
    assert system.energy(0.0, system.start.q, np.zeros(system.nq)).potential < 1e-16 * EI
    assert beam.length == pytest.approx(np.hypot(np.pi / 2, 0.3), rel=1e-10)


def test_a_quarter_ring_bends_as_castigliano_says():
    """Force P along the end: δ = (3π/4 − 2) P r³ / EI along it, P r³ / 2 EI across; stretch and shear (side / r)²."""
    arc = lambda s: (np.sin(s * np.pi / 2), 1 - np.cos(s * np.pi / 2), 0.0)
    beam, P = bar(8, begin=None, end=None, curve=arc), 1e-3 * EI
    system = clamped(beam, Push(name="p", at=beam.at(beam.length), force=(0.0, -P, 0.0)))
    moved = tip(system, beam, equilibrium(system, system.start.q).q) - (1.0, 1.0, 0.0)
    assert moved[1] == pytest.approx(-(3 * np.pi / 4 - 2) * 1e-3, rel=3e-3)
    assert moved[0] == pytest.approx(0.5 * 1e-3, rel=3e-3)


def test_saint_venants_constants_of_sections():
    """J of squares 0.1406 a⁴ and of thin strips a b³ / 3 (1 − 0.63 b / a); a channel by its three strips."""
    assert Section.rectangle(width=1.0, height=1.0).torsion == pytest.approx(0.140577, rel=1e-5)
    assert Section.rectangle(width=0.01, height=1.0).torsion == pytest.approx(
        0.01**3 / 3 * (1 - 0.630249 * 0.01), rel=1e-5
    )
    tube = Section.tube(diameter=0.1, thickness=0.01)
    assert tube.torsion == pytest.approx(tube.inertia_y + tube.inertia_z)
    assert Section.tube(diameter=0.1).shear_y == pytest.approx(6 / 7 * np.pi / 4 * 0.01)
    channel = Section.channel(web=0.1, flange=0.05, web_wall=0.006, flange_wall=0.008)
    assert channel.area == pytest.approx(0.084 * 0.006 + 2 * 0.05 * 0.008)
    assert channel.inertia_z == pytest.approx((0.05 * 0.1**3 - 0.044 * 0.084**3) / 12)  # box less what is open
    assert channel.torsion == pytest.approx((0.084 * 0.006**3 + 2 * 0.05 * 0.008**3) / 3)


@pytest.mark.parametrize("wrong, told", [
    ({"height": None}, "give a section, or the height and width"),
    ({"end": None}, "give begin and end, or a curve"),
    ({"end": (0.0, 0.0, 0.0)}, "has no length"),
    ({"poisson": 0.7}, "poisson must be"),
])  # fmt: skip
def test_what_cannot_be_a_beam_is_refused(wrong, told):
    with pytest.raises(ModelError, match=told):
        bar(2, **wrong)
    with pytest.raises(ModelError, match="walls"):
        Section.channel(web=0.1, flange=0.05, web_wall=0.06, flange_wall=0.008)


def test_a_spread_load_and_gravity_bend_alike():
    """w L⁴ / 8 EI + w L² / 2 GA; the load of its own weight is gravity, exactly."""
    beam = bar(4)
    w = 7800.0 * SIDE**2 * 0.01
    spread = clamped(beam, LineLoad(name="w", on=beam, force=(0.0, -w, 0.0)))
    heavy = clamped(beam, gravity=(0.0, -0.01, 0.0))
    found = [tip(s, beam, equilibrium(s, s.start.q).q) for s in (spread, heavy)]
    assert found[0] == pytest.approx(found[1], abs=1e-14)
    shear = w / 2 / (E / 2.6 * 5 / 6 * SIDE**2)
    assert found[0][1] == pytest.approx(-w / (8 * EI) - shear, rel=1e-4)  # cubes: consistent to h⁴


def test_a_following_load_stays_across_the_beam():
    """A soft ring: under a following load p everywhere across, the tip lies elsewhere than under a dead one."""
    beam = bar(8)
    tips = []
    for follows in (False, True):
        load = LineLoad(name="w", on=beam, force=(0.0, -4 * EI, 0.0), follows=follows)
        system = clamped(beam, load)
        q = equilibrium(system, system.start.q).q
        tips.append(tip(system, beam, q))
    assert tips[1][0] < tips[0][0] - 0.02  # it keeps bending


def test_frequencies_of_a_free_and_a_lumped_cantilever():
    """ω = 1.875104² √(EI / m L⁴); consistent to 1e-3 (shear and rotary inertia), lumped to 2 % with 8 elements."""
    want = 1.875104**2 * np.sqrt(EI / (7800.0 * SIDE**2)) / (2 * np.pi)
    for inertia, near in (("consistent", 2e-3), ("lumped", 2e-2)):
        beam = bar(8, inertia=inertia)
        system = clamped(beam)
        q, lam = equilibrium(system, system.start.q)
        assert modes(linearise(system, q, lam)).frequency[0] == pytest.approx(want, rel=near)


def test_something_slides_along_it():
    """A mass slides down a curved beam over every element; energy is kept to the step's order."""
    bowl = lambda s: (4 * s, (2 * s - 1) ** 2, 0.0)
    beam = bar(8, begin=None, end=None, curve=bowl, height=0.05, width=0.05)
    mass = PointMass(name="m", mass=1.0, position=tuple(map(float, beam.shape().places[1])))
    slide = Sliding(name="slide", point=mass.at(), wire=beam.track(beam.breaks[1]))
    far = Rigid(name="far", a=ground.at((4.0, 1.0, 0.0)), b=beam.at_world(beam.length))
    system = clamped(beam, far, mass, slide, gravity=(0.0, -9.81, 0.0))
    motion = simulate(system, system.start, duration=1.2, dt=1e-3, keep=0.1, method=GeneralizedAlpha())
    total = [sum(system.energy(t, q, v)) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)]
    x = motion.q[:, system.place("m.x")]
    assert x.max() > 2.5
    assert np.ptp(total) < 1e-2 * 9.81 * np.ptp(motion.q[:, system.place("m.y")])


HELD = {
    Spherical: 3, Revolute: 5, Universal: 4, Prismatic: 5, Cylindrical: 4, RevolutePrismatic: 4, Planar: 3, Rigid: 6,
    PointOnLine: 2, PointOnPlane: 1,
}  # fmt: skip


@pytest.mark.parametrize("kind", HELD, ids=lambda k: k.__name__)
def test_every_joint_holds_any_section_of_it(kind):
    """A free element has twelve motions; a joint in its middle takes as many as from a rigid body, none twice."""
    beam = bar(1, twist=0.4)
    axis = (1.0, 0.0, 0.0) if kind is Universal else (0.0, 0.0, 1.0)
    across = (0.0, 1.0, 0.0) if kind is Universal else (1.0, 0.0, 0.0)
    joint = kind(
        name="j", a=ground.at((0.4, 0.0, 0.0), across=(1.0, 0.0, 0.0)), b=beam.at_world(0.4, axis=axis, across=across)
    )
    system = Model(name="held", items=(beam, joint), gravity=(0.0, 0.0, 0.0)).system()
    assert np.abs(system.constraint(0.0, system.start.q)).max() < 1e-12
    report = rank_report(system, system.start.q)
    assert (report.freedoms, report.redundant) == (12 - HELD[kind], ())
