"""Examples of impact and friction beside answers by another road; both rules; ropes, wires, forces in space."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from panhead.engine.bodies import Cable, PlanarBody, PointMass, RigidBody, ground
from panhead.engine.forces import BeamContact, ImpactLaw, PlaneContact, RopeContact
from panhead.engine.methods.impacts import solve_impact
from panhead.engine.methods.integrators import MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.errors import ModelError, SimulationError
from panhead.railway.pantograph.linkage import read_linkage
from panhead.validation.cx.by_hand import impact_response
from panhead.validation.impact.model import block, falling_rod, rod_on_end
from tests.oracles.rod_on_floor import impacts

EXAMPLES = Path(__file__).parents[3] / "examples"
FLOOR = ground.at(axis=(0.0, 1.0, 0.0))
STEPPED = MoreauJean(events="stepped")


def example(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(model, duration, dt, **options):
    system = model.system()
    return simulate(system, system.start, duration=duration, dt=dt, **options)


def test_rod_bounces_as_by_hand():
    """Constant accelerations and turns are exact for the midpoint rule: instants to the tolerance of the gaps."""
    motion = run(falling_rod(angle=0.5, restitution=0.5), 0.8, 5e-3)
    exact = impacts(0.2, 0.5, 0.5, 6)
    for strike, (t, end, impulse) in zip(motion.contacts.strikes[:6], exact[:6], strict=True):
        assert strike.t == pytest.approx(t, abs=1e-9)
        assert strike.contact == ("left" if end < 0 else "right")
        assert strike.impulse == pytest.approx(impulse, rel=1e-7)
    assert len(motion.contacts.strikes) >= 6


def test_chain_on_a_table_by_both_modes():
    """Every bead falls freely, t = √(2y/g), and gives the table all of m g t; its energy m g y is lost."""
    beads, g = 8, 9.81
    model = example("chain_falls_on_table").chain(beads)
    mass, y = 1.6 / beads, (np.arange(beads) + 0.5) * 2.0 / beads
    located = run(model, 0.65, 1e-2).contacts
    assert [s.t for s in located.strikes] == pytest.approx(np.sqrt(2 * y / g), abs=1e-10)
    assert [s.impulse for s in located.strikes] == pytest.approx(mass * np.sqrt(2 * g * y), rel=1e-9)
    assert located.lost[-1, 0] == pytest.approx(mass * g * y.sum(), rel=1e-9)
    assert located.normal[-1, :beads].sum() == pytest.approx(1.6 * g)
    h = 5e-3
    stepped = run(model, 0.65, h, method=STEPPED).contacts
    assert len(stepped.strikes) == beads
    # first order: a bead is met some step early or late; but momentum is kept: the table gives what weight gave
    assert np.abs([s.t for s in stepped.strikes] - np.sqrt(2 * y / g)).max() < 1.5 * h
    assert stepped.normal[:, :beads].sum() * h == pytest.approx(1.6 * g * 0.65, rel=1e-9)


def test_clamp_strikes_as_hard_as_by_hand():
    """P = (1 + e) V·n / (D_nn + µ D_nt), D by hand; 10 µm of free way before change the approach by 2e-6 of it."""
    told = example("clamp_strikes_pantograph")
    n = np.array([np.sin(told.BEVEL), np.cos(told.BEVEL)])
    D, (n, t) = impact_response(read_linkage("cx"), told.HEIGHT, told.FORCE, np.array([n, [n[1], -n[0]]]), told.LEFT)
    D = D + np.eye(2) / told.CLAMP
    by_hand = (1 + told.LAW.restitution) * told.SPEED * n[0] / (D[0, 0] + told.LAW.friction * D[0, 1])
    assert t[0] > 0  # the clamp slides against it, so that friction pushes it along it
    assert told.main() == pytest.approx(by_hand, rel=1e-5)


def test_slider_sticks_and_slips_in_steps():
    """0.80689 s in closed form, to some steps if instants are not sought; the example itself seeks them."""
    told, h = example("stick_slip_on_a_belt"), 8e-3
    motion = run(told.model(), 1.6, h, method=STEPPED)
    (period,) = np.diff(told.turns(motion.t, motion.v[:, 0]))
    assert period == pytest.approx(0.8068888, abs=2 * h)
    stuck = motion.contacts.slip[1:, 0] < 1e-9
    share = motion.contacts.friction[1:].sum(axis=1) / (told.MASS * told.GRAVITY)
    assert told.SLIDES < share[stuck].max() <= told.STICKS + 1e-9
    assert share[~stuck] == pytest.approx(told.SLIDES, rel=1e-9)


@pytest.mark.parametrize("rule", ["newton", "poisson"])
def test_stepped_blow_is_the_located_one(rule):
    """Without weight a blow within a step is the blow: a rod that grips, by either rule."""
    model = rod_on_end(angle=1.0, friction=2.0, restitution=0.6, rule=rule, velocity=(0.3, -1.0))
    one, other = (run(model, 1e-7, 1e-7, method=m).v[-1] for m in (MoreauJean(), STEPPED))
    assert other == pytest.approx(one, abs=1e-6)


def test_kanes_paradox_is_refused_in_steps_too():
    model = rod_on_end(angle=1.125, friction=0.5, restitution=0.9, velocity=(-1.0, -1.0))
    with pytest.raises(SimulationError, match=r"would generate 0\.015.* J.*poisson"):
        run(model, 1e-6, 1e-6, method=STEPPED)


@pytest.mark.parametrize("rule", ["newton", "poisson"])
def test_energy_is_never_made(rule):
    """Random blows of a body with two rough ends: lost, or refused."""
    random, lost = np.random.default_rng(7), []
    for _ in range(40):
        e, mu = random.uniform(0, 1, 2)
        body = PlanarBody(
            name="body", mass=1.0, inertia=random.uniform(0.02, 0.2), velocity=tuple(random.normal(size=2))
        )
        law = ImpactLaw(restitution=e, friction=mu, rule=rule)
        ends = [
            PlaneContact(name=n, plane=FLOOR, point=body.at((x, 0.0)), law=law)
            for n, x in (("a", -random.uniform(0.1, 1)), ("b", random.uniform(0.1, 1)))
        ]
        system = Model(name="two ends", items=(body, *ends), gravity=(0.0, 0.0, 0.0)).system()
        v = system.start.v + [0.0, -3.0, random.normal()]
        try:
            done = solve_impact(system, 0.0, system.start.q, v, np.array([0, 1]), 1e-4)
        except SimulationError:  # it says that it would make energy
            continue
        lost.append(done.lost.sum())
        before, after = (0.5 * x @ system.mass(0.0, system.start.q) @ x for x in (v, done.v))
        assert before - after == pytest.approx(lost[-1], abs=1e-12)
    assert len(lost) > 20
    assert all(one >= -1e-12 for one in lost)


def test_rope_becomes_taut_and_stops_only_what_stretches_it():
    """A bob thrown level from 0.6 m below its peg: at 1 m the part of its velocity along the rope turns round by e."""
    e, v = 0.5, 2.0
    bob = PointMass(name="bob", mass=2.0, position=(0.0, -0.6, 0.0), velocity=(v, 0.0, 0.0), planar=True)
    rope = RopeContact(name="rope", a=ground.at(), b=bob.at(), length=1.0, law=ImpactLaw(restitution=e))
    motion = run(Model(name="bob", items=(bob, rope), gravity=(0.0, 0.0, 0.0)), 0.5, 1e-2)
    (strike,) = motion.contacts.strikes
    assert strike.t == pytest.approx(0.4, abs=1e-9)
    assert strike.approach == pytest.approx(-0.8 * v, rel=1e-9)
    assert strike.impulse == pytest.approx(2.0 * (1 + e) * 0.8 * v, rel=1e-9)
    assert strike.lost == pytest.approx((1 - e**2) * (0.8 * v) ** 2, rel=1e-9)
    along, across = np.array([0.8, -0.6]), np.array([0.6, 0.8])
    assert motion.v[-1] == pytest.approx(-e * 0.8 * v * along + 0.6 * v * across, abs=1e-9)


@pytest.mark.parametrize("normal", [None, (0.0, 0.6, 0.8)])
def test_ball_beside_a_wire(normal):
    """Gap: distance less radius from any side, or along the normal on one; its slopes by differences; slip by spin."""
    R = 0.05
    nodes = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    wire = Cable(name="wire", nodes=nodes, mass_per_length=1.0, axial_stiffness=1e5, bending_stiffness=1.0)
    place, spin = (1.3, 0.06, 0.08), (4.0, 0.0, 0.0)
    ball = RigidBody(name="ball", mass=1.0, inertia=(1e-3,) * 3, position=place, spin=spin)
    law = ImpactLaw(friction=0.3)
    touch = BeamContact(name="touch", point=ball.at(), wire=wire.track(1.0), normal=normal, radius=R, law=law)
    system = Model(name="ball on a wire", items=(wire, ball, touch), gravity=(0.0, 0.0, 0.0)).system()
    q, rows = system.start.q, system.contacts.at(0.0, system.start.q)
    assert rows.gap == pytest.approx([0.1 - R], abs=1e-12)
    slopes = [
        (system.contacts.at(0.0, q + d).gap[0] - system.contacts.at(0.0, q - d).gap[0]) / 2e-6
        for d in 1e-6 * np.eye(len(q))
    ]
    assert rows.W[0] == pytest.approx(slopes, abs=1e-8)
    # the lowest point of a ball that spins about the wire's direction moves across it: w × (−R n)
    n = np.array([0.0, 0.6, 0.8])
    assert (rows.W @ system.start.v)[1:] == pytest.approx(np.cross(spin, -R * n), abs=1e-12)
    assert system.contacts.touching(0.0, q)[0] == pytest.approx(np.array([np.array(place) - R * n, n]), abs=1e-12)


def test_forces_are_told_in_space():
    """A block that slides along x: its feet carry the weight and are held back by µ of it."""
    sliding = block(speed=2.0, friction=0.3).simulate(duration=0.1, dt=1e-2)
    force = sliding["touch_force"].sel(time=0.05, method="nearest").sum("contact").to_numpy()
    assert force == pytest.approx(3 * 9.81 * np.array([-0.3, 1.0, 0.0]), rel=1e-9)
    place = sliding["touch_place"].isel(time=-1).to_numpy()
    assert place[:, 0] == pytest.approx(float(sliding["q"][-1, 0]) + np.array([-0.5, 0.5]))
    ball = RigidBody(name="ball", mass=2.0, inertia=(8e-3,) * 3, position=(0.0, 0.0, 0.1), velocity=(0.6, 0.8, 0.0))
    floor = PlaneContact(name="floor", plane=ground.at(), point=ball.at(), radius=0.1, law=ImpactLaw(friction=0.2))
    thrown = Model(name="bowling", items=(ball, floor)).simulate(duration=0.02, dt=2e-3)
    held = thrown["touch_force"].isel(time=-1, contact=0).to_numpy()
    assert held == pytest.approx(2 * 9.81 * np.array([-0.12, -0.16, 1.0]), rel=1e-6)
    assert thrown["touch_place"].isel(time=-1, contact=0, axis=2) == pytest.approx(0.0, abs=1e-12)


def test_wrong_contacts_are_told():
    a, b = (PointMass(name=name, mass=1.0) for name in "ab")
    with pytest.raises(ModelError, match=r"static_friction must be .*at least the friction 0\.5.*0\.2"):
        ImpactLaw(friction=0.5, static_friction=0.2)
    with pytest.raises(ModelError, match=r"rule must be 'newton' or 'poisson', got 'hertz'"):
        ImpactLaw(rule="hertz")
    with pytest.raises(ModelError, match="a rope has no friction"):
        RopeContact(name="rope", a=a.at(), b=b.at(), length=1.0, law=ImpactLaw(friction=0.1))
    wire = Cable(name="w", nodes=((0, 0, 0), (1, 0, 0)), mass_per_length=1.0, axial_stiffness=1e5)
    with pytest.raises(ModelError, match="give a normal, or a radius"):
        BeamContact(name="touch", point=a.at(), wire=wire.track(0.5))
