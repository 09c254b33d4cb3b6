"""Impact and friction: laws of the solver, closed forms, refusals; an independent solution of the arms on the beam."""

import numpy as np
import pytest

from panhead.engine.bodies import PlanarBody, PointMass, RigidBody, ground
from panhead.engine.forces import BallContact, ImpactLaw, PlaneContact
from panhead.engine.kernels.contact_cone import solve_contacts
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.impacts import solve_impact
from panhead.engine.methods.integrators import GeneralizedAlpha, MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.errors import ModelError, SimulationError
from panhead.runs.library.pendulum_on_beam import pendulum_on_beam
from panhead.runs.library.pendulum_on_beam_contact import loose_model, rubbing_model, shoe_model
from panhead.validation.impact.model import block, bouncing_ball, falling_rod, row_of_balls
from panhead.validation.impact.references import ledger_residual
from tests.oracles.arms_dropped_on_beam import bounces

FLOOR = ground.at(axis=(0.0, 1.0, 0.0))


def run(model, duration, dt, **options):
    system = model.system()
    return simulate(system, system.start, duration=duration, dt=dt, **options)


@pytest.mark.parametrize("seed", range(30))
def test_impulses_obey_every_law(seed):
    """Random contacts with 0, 1 or 3 slips, some two-sided: normals complementary, friction in its disc."""
    random = np.random.default_rng(seed)
    slips = random.choice([0, 1, 3], 4)
    first = np.concatenate([[0], np.cumsum(1 + slips)])
    W = random.standard_normal((first[-1], 20))
    D, c = W @ W.T, random.standard_normal(first[-1])
    mu, two_sided = random.uniform(0, 0.4, 4), random.random(4) < 0.25
    P = np.zeros(first[-1])
    assert 0.0 <= solve_contacts(D, c, first, mu, two_sided, np.zeros(4), P) <= 1e-14
    y = D @ P + c
    for i in range(4):
        n, tangents = first[i], slice(first[i] + 1, first[i + 1])
        if two_sided[i]:
            assert abs(y[n]) < 1e-10
        else:
            assert P[n] >= 0
            assert y[n] > -1e-10
            assert abs(P[n] * y[n]) < 1e-10
        size, most, slip = np.linalg.norm(P[tangents]), mu[i] * abs(P[n]), np.linalg.norm(y[tangents])
        assert size <= most + 1e-10
        # against the slip, at the edge where it slides
        assert P[tangents] @ y[tangents] == pytest.approx(-most * slip, abs=1e-9)


def test_arms_bounce_on_the_beam_as_by_hand():
    """Nine impacts within 2.4 ms beside flights by DOP853 with events; 4 times closer with half the step."""
    given = {"elements": 20, "place": 2.4, "height": 0.002, "restitution": 0.8}
    exact, *_ = bounces(**given, speed=2.0, duration=0.0034)
    case = loose_model(**given)
    v = case.start.v.copy()
    v[case.system.place("root.y")] = -2.0
    errors = []
    for dt in (2e-5, 1e-5):
        strikes = simulate(case.system, State(q=case.start.q, v=v), duration=0.0034, dt=dt).contacts.strikes
        assert len(strikes) == len(exact) == 9
        errors.append(max(abs(s.t - t) for s, (t, *_) in zip(strikes, exact, strict=True)))
    assert strikes[0].lost == pytest.approx(exact[0][2], rel=1e-9)
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.6)


def test_balls_bounce_in_a_row_and_stop():
    motion = run(bouncing_ball(restitution=0.5), 2.0, 0.01)
    times = [s.t for s in motion.contacts.strikes[:4]]
    first = np.sqrt(2 / 9.81)
    assert times == pytest.approx([first, 2 * first, 2.5 * first, 2.75 * first], abs=1e-10)
    assert motion.contacts.normal[-1, 0] == pytest.approx(2 * 9.81)
    assert abs(motion.v[-1]).max() < 1e-12


@pytest.mark.parametrize("rule", ["newton", "poisson"])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_two_contacts_share_one_blow(rule, e):
    """P = (1 + e) D⁻¹ (1, 0) with D = [[2, −1], [−1, 2]]: speeds by both rules, energy lost by hand."""
    motion = run(row_of_balls(restitution=e, rule=rule), 0.7, 0.1)
    P = (1 + e) * np.array([2, 1]) / 3
    speeds = np.array([1 - P[0], P[0] - P[1], P[1]])
    assert motion.v[-1] == pytest.approx(speeds, abs=1e-12)
    assert motion.contacts.lost[-1, 0] == pytest.approx((1 - speeds @ speeds) / 2, abs=1e-12)


def test_stepping_tends_to_what_is_located():
    """Without instants sought the ball is where it should be to first order, and never gains."""
    exact = run(bouncing_ball(restitution=0.8), 1.0, 0.01).q[-1, 1]
    errors = []
    for dt in (2e-3, 5e-4):
        motion = run(bouncing_ball(restitution=0.8), 1.0, dt, method=MoreauJean(events="stepped"))
        errors.append(abs(motion.q[-1, 1] - exact))
        assert (np.diff(motion.contacts.lost[:, 0]) >= -1e-12).all()
    assert errors[1] < min(20 * 5e-4, errors[0])


def test_block_stops_and_sticks():
    motion = run(block(speed=1.0, friction=0.5), 0.5, 1e-2)
    assert motion.q[-1, 0] == pytest.approx(1 / 9.81, abs=0.5 * 9.81 * 1e-4 / 8)
    assert (motion.contacts.slip[30:] < 1e-12).all()


def test_ball_on_a_plane_in_space_begins_to_roll():
    """Thrown along without spin it slides for 2v/7µg and rolls with 5/7 of its speed, as every book says."""
    m, R, mu, v = 2.0, 0.1, 0.2, 1.0
    inertia = (0.4 * m * R**2,) * 3
    ball = RigidBody(name="ball", mass=m, inertia=inertia, position=(0.0, 0.0, R), velocity=(0.6 * v, 0.8 * v, 0.0))
    floor = PlaneContact(name="floor", plane=ground.at(), point=ball.at(), radius=R, law=ImpactLaw(friction=mu))
    model = Model(name="bowling", items=(ball, floor))
    motion = run(model, 0.3, 2e-3)
    rolling = 2 * v / (7 * mu * 9.81)
    assert rolling < 0.2
    speed = np.linalg.norm(motion.v[-1, :2])
    assert speed == pytest.approx(5 / 7 * v, rel=2e-3)
    slides = motion.contacts.slip[:, 0] > 1e-9
    assert motion.t[~slides][1] == pytest.approx(rolling, abs=4e-3)


def test_surface_that_moves_accounts_for_its_work():
    """A belt drags a block: what the belt puts in is what the block gains and what is rubbed away."""
    from panhead.engine.bodies import Carrier

    belt = Carrier(name="belt", position=lambda t: (1.5 * t, 0, 0))
    body = PlanarBody(name="block", mass=2.0, inertia=1.0)
    law = ImpactLaw(friction=0.4)
    feet = [
        PlaneContact(name=n, plane=belt.at(axis=(0.0, 1.0, 0.0)), point=body.at((x, 0.0)), law=law)
        for n, x in (("a", -0.5), ("b", 0.5))
    ]
    model = Model(name="belt", items=(belt, body, *feet), gravity=(0.0, -9.81, 0.0))
    system = model.system()
    motion = simulate(system, system.start, duration=0.6, dt=1e-3)
    assert motion.v[-1, 0] == pytest.approx(1.5)
    assert motion.work[-1, 0] == pytest.approx(2.0 * 1.5**2, rel=2e-3)  # half of it is kinetic, half is heat
    assert motion.contacts.lost[-1, 1] == pytest.approx(0.5 * 2.0 * 1.5**2, rel=2e-3)
    assert ledger_residual(system, motion) < 1e-12


def test_friction_on_the_constraint_sticks_then_slides():
    """The arms of the paper: below µ the hook does not creep; while it slides the friction is µ N."""
    case = rubbing_model(elements=8)
    motion = simulate(case.system, case.start, duration=0.3, dt=2e-3)
    seen = motion.contacts
    share = seen.friction[1:, 0] / np.abs(seen.normal[1:, 0])
    stuck = seen.slip[1:, 0] < 1e-9
    assert stuck[:40].all()
    assert not stuck[-20:].any()
    assert share[stuck].max() <= 0.2 + 1e-9
    assert share[~stuck] == pytest.approx(0.2, rel=1e-9)
    assert np.abs(motion.q[40, 0] - 2.5) < 2e-3  # along x only as the beam turns
    assert np.abs(seen.gap).max() < 1e-12
    assert ledger_residual(case.system, motion) < 1e-4


def test_rod_that_falls_never_gains():
    model = falling_rod(restitution=0.7)
    system = model.system()
    motion = simulate(system, system.start, duration=0.8, dt=2e-3)
    assert {s.contact for s in motion.contacts.strikes} == {"left", "right"}
    assert len(motion.contacts.strikes) > 0
    assert all(s.lost >= -1e-12 for s in motion.contacts.strikes)
    assert motion.contacts.gap.min() > -2e-9


def test_kanes_paradox_is_refused():
    """A rod that strikes with friction: Newton's rule would make 15 mJ, Poisson's takes some."""
    q, v = np.array([0.0, 0.5 * np.sin(1.125), -1.125]), np.array([-1.0, -1.0, 0.0])
    for rule in ("newton", "poisson"):
        rod = PlanarBody(name="rod", mass=1.0, inertia=1 / 12)
        law = ImpactLaw(restitution=0.9, friction=0.5, rule=rule)
        floor = PlaneContact(name="floor", plane=FLOOR, point=rod.at((0.5, 0.0)), law=law)
        system = Model(name="rod", items=(rod, floor), gravity=(0.0, 0.0, 0.0)).system()
        if rule == "newton":
            with pytest.raises(SimulationError, match=r"would generate 0.0153 J.*poisson"):
                solve_impact(system, 0.0, q, v, np.array([0]), 1e-4)
        else:
            assert solve_impact(system, 0.0, q, v, np.array([0]), 1e-4).lost[0] > 0


def test_what_does_not_know_contacts_says_so():
    model = bouncing_ball()
    system = model.system()
    with pytest.raises(ModelError, match=r"floor.*use MoreauJean"):
        simulate(system, system.start, duration=1.0, dt=0.1, method=GeneralizedAlpha())
    with pytest.raises(ModelError, match=r"floor.*come to rest with simulate"):
        equilibrium(system, system.start.q)
    with pytest.raises(ModelError, match=r"starts with a gap of -0\.1"):
        run(bouncing_ball(height=-0.1), 1.0, 0.1)
    with pytest.raises(ModelError, match="restitution must be 0 … 1"):
        ImpactLaw(restitution=1.2)
    a = PointMass(name="a", mass=1.0)
    with pytest.raises(ModelError, match="cannot touch itself"):
        BallContact(name="pair", a=a.at(), b=a.at(), radii=(0.1, 0.1))


def test_a_short_shoe_is_a_point():
    """Its middle stands off the beam by w″ l²/8 and its load acts l/2 away: half the length leaves about a quarter."""
    gentle = GeneralizedAlpha(tolerance=1e-10)
    point, start = pendulum_on_beam(elements=20)
    reference = simulate(point, start, duration=0.3, dt=2e-3, method=gentle)
    gaps = []
    for length in (0.1, 0.05):
        case = shoe_model(length=length, mass=1e-3)
        motion = simulate(case.system, case.start, duration=0.3, dt=2e-3, method=gentle)
        hinge = motion.q[:, case.system.place("hinge.angle")]
        gaps.append(np.abs(hinge - reference.q[:, point.place("hinge.angle")]).max())
    assert gaps[0] < 5e-3
    assert 0.1 < gaps[1] / gaps[0] < 0.4


def test_a_shoe_keeps_energy_and_both_ends_on_the_beam():
    """A heavy shoe away from the middle; the method damps 1e-4 of the energy at this step."""
    case = shoe_model(place=2.0, length=0.4, mass=3.0)
    motion = simulate(case.system, case.start, duration=0.3, dt=1e-3, method=GeneralizedAlpha(tolerance=1e-10))
    total = [sum(case.system.energy(0.0, q, v)) for q, v in zip(motion.q, motion.v, strict=True)]
    assert np.ptp(total) < 1e-3 * abs(total[0])
    assert np.abs(motion.g).max() < 1e-9
    assert np.ptp(motion.q[:, case.system.place("root.x")]) > 0.1
    with pytest.raises(ModelError, match="both ends must lie on the beam"):
        shoe_model(place=0.1, length=0.4)
