"""Generalized-α over tables: rates on the constraints, steps by their error, refusals that keep the run."""

import numpy as np
import pytest

from panhead.engine.bodies import Beam, Cable, PlanarBody, PointMass, RigidBody, ground
from panhead.engine.forces import Push
from panhead.engine.joints import Held, Revolute, Rigid, Sliding, Spherical
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Problem
from panhead.engine.multibody import Model
from panhead.errors import Interrupted, NotConverged

DURATION = 1.0


@pytest.fixture(scope="module")
def pendulum():
    """Two rods of 1 m and 1 kg, released level: it swings fast and slow."""
    rods = [PlanarBody(name=f"rod {k}", mass=1.0, inertia=1 / 12, position=(k + 0.5, 0.0)) for k in range(2)]
    hinges = (
        Revolute(name="top", a=ground.at(), b=rods[0].at((-0.5, 0.0))),
        Revolute(name="middle", a=rods[0].at((0.5, 0.0)), b=rods[1].at((-0.5, 0.0))),
    )
    return Model(name="two rods", items=(*rods, *hinges), gravity=(0.0, -9.81, 0.0)).system()


def swung(system, dt, **options):
    return simulate(system, system.start, duration=DURATION, dt=dt, keep=0.1, method=GeneralizedAlpha(**options))


@pytest.fixture(scope="module")
def exact(pendulum):
    """Extrapolated from two small steps: its own error is below 1e-8."""
    coarse, fine = (swung(pendulum, dt, tolerance=1e-12).q for dt in (4e-4, 2e-4))
    return fine + (fine - coarse) / 3


def test_projected_rates_meet_the_constraints(pendulum, exact):
    """Free, ġ is of the order of the method's error; projected, of round-off; positions keep their order."""
    free, held = (swung(pendulum, 2e-3, rates=rates) for rates in ("free", "projected"))
    assert np.abs(free.g_dot).max() > 1e-6
    assert np.abs(held.g_dot).max() < 1e-11
    errors = [np.abs(swung(pendulum, dt, rates="projected").q - exact).max() for dt in (2e-3, 1e-3)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.1)


def test_steps_follow_their_error(pendulum, exact):
    """The local error goes with dt³ and the sum with dt²: a thousandth of it allowed is a hundredth of the sum."""
    loose, tight = (swung(pendulum, 0.05, local_error=e) for e in (1e-5, 1e-8))
    errors = [np.abs(motion.q - exact).max() for motion in (loose, tight)]
    assert 30 < errors[0] / errors[1] < 300
    assert loose.notes["iterations"] < 0.25 * tight.notes["iterations"]
    assert loose.t == pytest.approx(np.linspace(0, DURATION, 11))


def test_a_kept_factor_gives_the_same_motion(pendulum):
    """Newton leaves 1e-12 m in a step, 1e-12 / β dt² of acceleration: at most 2e-6 m after a second."""
    fresh, kept = (swung(pendulum, 1e-3, factor=f, tolerance=1e-12) for f in ("each step", "while it serves"))
    assert kept.q == pytest.approx(fresh.q, abs=2e-6)
    assert kept.notes["factorisations"] < 0.7 * fresh.notes["factorisations"]


def test_a_failure_keeps_the_run_so_far(pendulum):
    """One iteration is not enough, in steps of any length tried."""
    with pytest.raises(NotConverged, match='rates="projected", halve dt') as caught:
        swung(pendulum, 1e-3, tolerance=1e-22, max_iterations=1)
    assert caught.value.partial.q.shape[1] == 6


def test_interrupting_keeps_the_run_so_far(pendulum):
    def impatient(share: float, _: str) -> None:
        if share > 0.4:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        simulate(
            pendulum, pendulum.start, duration=1.0, dt=1e-3, keep=0.1, method=GeneralizedAlpha(), progress=impatient
        )
    assert 4 <= len(caught.value.partial.t) < 8


@pytest.mark.parametrize("size", [1.0, 0.5, 0.25])
def test_sliding_on_a_fine_mesh_needs_no_trick(size):
    """15 m/s over 30 m of wire at 1 ms: kinks of the slope fed vibrations that ρ = 0.9 did not damp; meshes agree."""
    n = round(30 / size)
    nodes = tuple((float(x), 0.0, 0.0) for x in np.linspace(0.0, 30.0, n + 1))
    wire = Cable(name="w", nodes=nodes, mass_per_length=1.35, axial_stiffness=1e7, bending_stiffness=100.0, tension=2e4)
    ends = {f"w.{k}{axis}": x for k in (0, n) for axis, x in zip("xyz", nodes[k], strict=True)}
    mass = PointMass(name="m", mass=5.0, position=(2.0, 0.0, 0.0), velocity=(15.0, 0.0, 0.0))
    slide = Sliding(name="slide", point=mass.at(), wire=wire.track(2.0))
    items = (wire, Held(name="ends", values=ends), mass, slide)
    system = Model(name="slide", items=items, gravity=(0.0, 0.0, -9.81)).system()
    motion = simulate(system, system.start, duration=1.6, dt=1e-3, keep=0.1, method=GeneralizedAlpha())
    place = system.place("m.x")
    assert motion.q[-1, place : place + 3] == pytest.approx([26.0561, 0.0, -0.0096], abs=2e-4)


def test_a_spinning_top_bears_no_damping_at_all():
    """ρ = 1 used to diverge after 0.37 s; energy is kept to second order."""
    tilt = 0.5
    attitude = (np.cos(tilt / 2), np.sin(tilt / 2), 0.0, 0.0)
    place = (0.0, -0.2 * np.sin(tilt), 0.2 * np.cos(tilt))
    top = RigidBody(
        name="top", mass=1.0, inertia=(0.02, 0.02, 0.01), position=place, attitude=attitude, spin=(0.0, 0.0, 100.0)
    )
    foot = Spherical(name="foot", a=ground.at((0.0, 0.0, 0.0)), b=top.at((0.0, 0.0, -0.2)))
    system = Model(name="top", items=(top, foot), gravity=(0.0, 0.0, -9.81)).system()
    motion = simulate(system, system.start, duration=1.0, dt=1e-3, keep=0.1, method=GeneralizedAlpha(spectral_radius=1))
    E = [sum(system.energy(t, q, v)) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)]
    assert np.ptp(E) < 1e-3 * max(E)


@pytest.mark.parametrize("factor", ["each step", "while it serves"])
def test_a_strip_loaded_at_once_bears_long_steps(factor):
    """From 2 ms of the first acceleration Newton goes so far astray that pivots vanish: only halves of the step help.

    The slowest vibration takes 0.1 s and bears nearly all of the deflection, so that 2 ms shows it to some percent.
    """
    beam = Beam(
        name="b", begin=(0.0, 0.0, 0.0), end=(0.508, 0.0, 0.0), elements=2, height=12.7e-3, width=3.2e-3, young=7.17e10,
        poisson=0.31, density=2700.0, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    clamp = Rigid(name="clamp", a=ground.at((0.0, 0.0, 0.0)), b=beam.at_world(0.0))
    pull = Push(name="pull", at=beam.at(0.508), force=(0.0, -4.8356, -12.4380))
    system = Model(name="strip", items=(beam, clamp, pull), gravity=(0.0, 0.0, 0.0)).system()
    long, short = (
        simulate(system, system.start, duration=0.05, dt=dt, keep=0.05, method=GeneralizedAlpha(factor=factor))
        for dt in (2e-3, 2.5e-4)
    )
    assert long.notes["rejected"] > 0
    tip = slice(14, 17)
    assert long.q[-1, tip] == pytest.approx(short.q[-1, tip], abs=0.05 * np.ptp(short.q[:, tip], axis=0).max())


@pytest.mark.parametrize("local_error", [None, 1e-6])
def test_an_interval_goes_on_where_it_asked_for_pivots(local_error):
    """Half of 0.1 s lies behind a mass of 2 m/s when it is taken up again: 0.1 m are left, not 0.2."""
    mass = PointMass(name="m", mass=1.0, position=(0.0, 0.0, 0.0), velocity=(2.0, 0.0, 0.0))
    system = Model(name="free", items=(mass,), gravity=(0.0, 0.0, 0.0)).system()
    problem = Problem(system=system, start=system.start, t=np.array([0.0, 0.1]), u=np.zeros((2, 0)))
    march = TabledMarch(GeneralizedAlpha(local_error=local_error), problem, system.families)
    march.motion.done[0] = 0.5
    assert march.trajectory().q[-1, 0] == pytest.approx(0.1, rel=1e-12)
