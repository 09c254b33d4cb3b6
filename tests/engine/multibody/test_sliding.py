"""Sliding on wires and beams: forms that agree, crossings, ends, elastic contact, friction."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from panhead.engine.bodies import AncfBeam, Cable, EulerBernoulliBeam, PointMass
from panhead.engine.forces import Rubbing, SlidingContact, contact_events
from panhead.engine.joints import Held, Sliding
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.equilibrium import consistent_rates, equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model, motion_outputs
from panhead.errors import ModelError, SimulationError
from panhead.runs.library.sliding_mass import sliding_mass, start

ORACLE = json.loads((Path(__file__).parents[2] / "oracles" / "multibody_reference.json").read_text("utf-8"))
SPATIAL = {"dimensions": 3, "tension": 500.0, "axial_stiffness": 1e5, "bending_stiffness": 5.0, "place": 6.0}
MOVES = {"planar": {"speed": 4.0}, "spatial": {"speed": 0.0, "sideways": 3.0}}


def run(system, begin, duration, dt, **more):
    method = GeneralizedAlpha(**({"tolerance": 1e-11} | more))
    return simulate(system, begin, duration=duration, dt=dt, method=method)


def mass_on_cable(case, form, duration=0.5, dt=1e-3):
    model = sliding_mass(form, **(SPATIAL if case == "spatial" else {}))
    system = model.system()
    return system, run(system, start(model, **MOVES[case]), duration, dt)


@pytest.mark.parametrize("case", ["planar", "spatial"])
def test_augmented_and_embedded_forms_are_one_motion(case):
    """The same steps, with the arc length kept or eliminated: equal to the tolerance of Newton's method."""
    (system, kept), (_, gone) = (mass_on_cable(case, form) for form in ("augmented", "embedded"))
    others = np.arange(system.nq) != system.place("slide.s")
    assert np.abs(kept.q[:, others] - gone.q).max() < 1e-8
    assert np.abs(kept.v[:, others] - gone.v).max() < 1e-6  # Newton's tolerance over dt
    assert np.abs(gone.g).max() < 1e-10
    d = 3 if case == "spatial" else 2
    # eliminated multipliers are the components of the kept ones across the wire
    sizes = [np.linalg.norm(m.lam[:, -n:], axis=1) for m, n in ((kept, d), (gone, d - 1))]
    assert sizes[0] == pytest.approx(sizes[1], rel=1e-6)


@pytest.mark.parametrize("case", ["planar", "spatial"])
def test_motion_meets_another_road(case):
    """An own integration with the arc length as coordinate; steps of 1 ms leave 1e-5 m of 20 m."""
    system, motion = mass_on_cable(case, "embedded", duration=1.0)
    p = np.array(ORACLE[f"sliding-mass-{case}"]["own"]["p"]["value"])[:3]
    at = system.place("mass.x")
    found = motion.q[::500, at : at + p.shape[1]]
    assert np.abs(found - p).max() < (2e-5 if case == "planar" else 2e-4)


def along(direction, form, across=0.0):
    """A mass on a stretched wire along a direction, pushed off sideways; the wire's own axes."""
    axis = np.array(direction, dtype=float)
    axis /= np.linalg.norm(axis)
    side = np.cross(axis, [0.3, 0.5, 0.8])
    side /= np.linalg.norm(side)
    nodes = tuple(tuple(float(c) for c in s * axis) for s in np.linspace(0.0, 4.0, 5))
    wire = Cable(
        name="w", nodes=nodes, mass_per_length=0.5, axial_stiffness=1e4, bending_stiffness=2.0, tension=200.0
    )  # fmt: skip
    ends = {f"w.{k}{a}": nodes[k][i] for k in (0, 4) for i, a in enumerate("xyz")}
    mass = PointMass(name="m", mass=1.0, position=tuple(1.5 * axis), velocity=tuple(2.0 * axis + side))
    slide = Sliding(name="s", point=mass.at(), wire=wire.track(1.5), form=form)
    items = (wire, mass, Held(name="ends", values=ends), slide)
    system = Model(name="wire", items=items, gravity=(0.0, 0.0, 0.0)).system()
    q, v = system.start.q, system.start.v
    # the wire takes the sideways velocity of the mass
    v = consistent_rates(system, q, v, keep=("m.x", "m.y", "m.z"))
    motion = run(system, State(q=q, v=v), 0.4, 1e-3)
    at = system.place("m.x")
    p = motion.q[:, at : at + 3]
    return (p @ axis, p @ side, np.linalg.norm(motion.lam[:, -(3 if form == "augmented" else 2) :], axis=1))


def test_no_direction_of_a_wire_is_singular():
    """Along y the frame of one fixed helper axis does not exist; physics must not know the axes."""
    reference = along((1.0, 0.0, 0.0), "embedded")
    for direction in ((0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 2.0, -0.5)):
        for one, other in zip(along(direction, "embedded"), reference, strict=True):
            # the start's rates are the nearest in the norm of all coordinates: the same in all axes
            assert np.abs(one - other).max() < 1e-7 * max(1.0, np.abs(other).max())
    kept = along((0.0, 1.0, 0.0), "augmented")
    assert np.abs(kept[0] - reference[0]).max() < 1e-2  # other rates at the start: s is one more number


def turning(form, turn=2 * math.pi):
    """A bead on a wire that spins freely about z: place of the bead (n, 3), multipliers (n, 2 or 3)."""
    nodes = tuple((x, 0.0, 0.0) for x in np.linspace(-1.0, 1.0, 5))
    wire = Cable(name="w", nodes=nodes, mass_per_length=2.0, axial_stiffness=1e5, bending_stiffness=50.0)
    bead = PointMass(name="m", mass=0.01, position=(0.002, 0.0, 0.0), velocity=(0.0, 0.002 * turn, 0.0))
    items = (wire, bead, Sliding(name="s", point=bead.at(), wire=wire.track(1.002), form=form))
    system = Model(name="spinning wire", items=items, gravity=(0.0, 0.0, 0.0)).system()
    q, v = system.start.q, system.start.v.copy()
    for k in range(5):
        for part in (wire.node_names(k)[:3], wire.node_names(k)[3:]):
            v[system.place(part[1])] = turn * q[system.place(part[0])]
    motion = run(system, State(q=q, v=v), 1.0, 1e-3)
    at = system.place("m.x")
    return motion.q[:, at : at + 3], motion.lam


def test_a_wire_that_turns_into_the_helper_direction_is_followed():
    """A full circle, twice through the direction the frame is made with: r = r₀ cosh ωt, as without a frame."""
    (place, force), (kept, kept_force) = turning("embedded"), turning("augmented")
    assert np.abs(place - kept).max() < 1e-8
    sizes = [np.linalg.norm(x, axis=1) for x in (force, kept_force)]
    assert sizes[0] == pytest.approx(sizes[1], abs=1e-6 * sizes[1].max())
    # the frame turns with the wire and nothing else: multipliers never jump (the force grows by 1 % a step)
    assert np.abs(np.diff(force, axis=0)).max() < 0.05 * sizes[0].max()
    # the bead takes 0.4 % of the spin on its way out, and the wire stretches by 4e-4
    assert np.linalg.norm(place[-1]) == pytest.approx(0.002 * math.cosh(2 * math.pi), rel=0.02)


def test_a_helper_along_the_wire_itself_is_replaced():
    """The frame of the given direction does not exist at the start: another is taken, physics the same."""
    wire = Cable(name="w", nodes=((0.0, 0.0, 0.0), (0.0, 1.0, 0.0)), mass_per_length=1.0, axial_stiffness=1.0)
    mass = PointMass(name="m", mass=1.0, position=(0.0, 0.4, 0.0))
    rates = []
    for across in ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        slide = Sliding(name="the runner", point=mass.at(), wire=replace(wire.track(0.4), across=across))
        system = Model(name="x", items=(wire, mass, slide)).system()
        v = system.start.v.copy()
        v[system.place("m.x")] = 1.0
        rates.append(consistent_rates(system, system.start.q, v))
    assert np.abs(rates[0] - rates[1]).max() < 1e-12


def jump(elements, bending_stiffness):
    """The jump of the normal force when a moving mass crosses from one element to the next [N].

    The wire hangs in equilibrium under the mass; the mass moves at 4 m/s, once just before a border at a
    quarter of the span and once just behind it.
    """
    model = sliding_mass(elements=elements, bending_stiffness=bending_stiffness, place=5.0)
    system = model.system()
    begin = start(model, speed=4.0)
    wire = model.items[0]
    at = system.place("mass.x")
    found = []
    for s in (5.0 - 1e-9, 5.0 + 1e-9):
        q, k = begin.q.copy(), int(np.searchsorted(wire.breaks, s) - 1)
        q[at : at + 2] = wire_point(wire, q, k, s)
        system.follow(0.0, q)
        _, lam = accelerations(system, 0.0, q, begin.v, np.zeros(0))
        found.append(lam[-1])
    return abs(found[1] - found[0]), abs(found[0])


def wire_point(wire, q, k, s):
    e = q[: 4 * len(wire.nodes)].reshape(-1, 2, 2)[k : k + 2].reshape(4, 2)
    h = wire.lengths[k]
    z = (s - wire.breaks[k]) / h
    N = [1 - 3 * z**2 + 2 * z**3, h * (z - 2 * z**2 + z**3), 3 * z**2 - 2 * z**3, h * (z**3 - z**2)]
    return np.array(N) @ e


def test_crossing_an_element_leaves_a_jump_that_vanishes_with_refinement():
    """Curvature jumps between cubic elements; the force Ṡ² κ with it, and both vanish with their length."""
    found = [jump(n, bending_stiffness=2000.0) for n in (16, 32, 64, 128)]
    jumps = np.array([x for x, _ in found])
    assert jumps[0] < 0.01 * found[0][1]
    order = np.log2(jumps[:-1] / jumps[1:])
    assert (order > 0.7).all()
    assert order[-1] > 0.9  # in proportion to the length


def test_crossing_an_element_in_motion_makes_no_kick_beside_that_jump():
    """Around the border at 6 m, what the steps give is the force of the moment, to twice its small jump."""
    model = sliding_mass("embedded")
    system = model.system()
    motion = run(system, start(model, speed=4.0), 0.5, 1e-4, spectral_radius=0.5)
    s = motion_outputs(system, motion)["slide.arc"]
    k = int(np.flatnonzero(s >= 6.0)[0])
    near = range(k - 30, k + 30)
    exact = np.array(
        [accelerations(system, 0.0, motion.q[i], motion.v[i], np.zeros(0))[1][-1] for i in near]
    )  # fmt: skip
    steps = np.diff(exact)
    step = abs(steps[29] - (steps[28] + steps[30]) / 2)  # its own course taken out
    assert 1e-3 < step < 1e-3 * exact[0]
    assert np.abs(motion.lam[near.start : near.stop, -1] - exact).max() < 2 * step


def test_elastic_form_approaches_the_constraint_in_proportion_to_compliance():
    exact = mass_on_cable("planar", "embedded", duration=0.25)[1]
    model = sliding_mass("embedded")
    system = model.system()
    begin, error = start(model, speed=4.0), []
    for k in (1e4, 1e5, 1e6):
        contact = SlidingContact(name="slide", point=model.items[1].at(), wire=model.items[0].track(4.0), stiffness=k)
        system = replace(model, items=(*model.items[:3], contact)).system()
        q = begin.q.copy()
        q[system.place("mass.y")] -= 5.0 * 9.81 / k  # pressed as deep as its weight does
        motion = run(system, State(q=q, v=begin.v), 0.25, 1e-3)
        error.append(np.abs(motion.q - exact.q).max())
    order = np.log10(np.array(error[:-1]) / error[1:])
    assert error[-1] < 1e-4
    assert order == pytest.approx(1.0, abs=0.1)


def bouncing(stiffness=2e5, damping=0.0, friction=None, tilt=0.0, height=0.05, hold=()):
    """A mass above a stiff taut wire, which pushes it along the wire's normal; gravity tilted along the wire."""
    wire = Cable(
        name="w", nodes=tuple((float(x), 0.0) for x in np.linspace(0.0, 2.0, 5)), mass_per_length=50.0,
        axial_stiffness=1e8, bending_stiffness=1e5, tension=1e6,
    )  # fmt: skip
    ends = {f"w.{k}{a}": v for k, x in ((0, 0.0), (4, 2.0)) for a, v in (("x", x), ("y", 0.0))}
    mass = PointMass(name="m", mass=1.0, position=(0.5, height, 0.0), planar=True)
    contact = SlidingContact(
        name="c", point=mass.at(), wire=wire.track(0.5), stiffness=stiffness, damping=damping,
        normal=(0.0, 1.0, 0.0), friction=friction,
    )  # fmt: skip
    g = (9.81 * math.sin(tilt), -9.81 * math.cos(tilt), 0.0)
    items = (wire, mass, Held(name="e", values=ends), contact, *hold)
    return Model(name="bounce", items=items, gravity=g).system()


def test_a_point_leaves_a_wire_that_only_pushes():
    """It falls 5 cm, touches after √(2h/g), is thrown up again; no energy is lost without dampers."""
    system = bouncing()
    # the wire sags by its own weight once released: far less than the drop
    motion = run(system, system.start, 0.35, 1e-4, spectral_radius=1.0, tolerance=1e-12)
    seen = motion_outputs(system, motion)
    events = contact_events(motion.t, seen["c.depth"])
    assert [word for _, word in events[:3]] == ["closes", "opens", "closes"]
    first = math.sqrt(2 * 0.05 / 9.81)
    assert events[0][0] == pytest.approx(first, abs=2e-4)
    assert (seen["c.normal force"] >= 0.0).all()
    assert (seen["c.normal force"][seen["c.depth"] <= 0.0] == 0.0).all()
    energy = [sum(system.energy(t, q, v)) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)]
    # one mass's weight times the drop is 0.49 J; the contact is passed in some fifty steps
    assert np.ptp(energy) < 5e-3


def test_a_dashpot_in_the_contact_never_pulls():
    system = bouncing(damping=300.0)
    motion = run(system, system.start, 0.2, 1e-4)
    seen = motion_outputs(system, motion)
    assert (seen["c.normal force"] >= 0.0).all()
    energy = [sum(system.energy(t, motion.q[k], motion.v[k])) for k, t in ((0, 0.0), (-1, 0.2))]
    assert motion.work[-1, 2] > 0.05
    assert energy[0] - energy[1] == pytest.approx(motion.work[-1, 2], rel=0.02)  # trapezoidal account


def slid(tilt, speed=0.0, duration=0.3):
    """Way along the wire of a mass laid on it, with friction 0.3 (0.4 at rest)."""
    friction = Rubbing(slip=0.3, stick=0.4, bristle_stiffness=2e4, bristle_damping=200.0)
    same = {"friction": friction, "tilt": tilt, "height": -9.81 / 2e5, "damping": 200.0}
    held = bouncing(**same, hold=(Held(name="hold", values={"m.x": 0.5}),))
    q, _ = equilibrium(held, held.start.q)
    system = bouncing(**same)
    v = system.start.v
    v[system.place("m.x")] = speed
    motion = run(system, State(q=q, v=v), duration, 2.5e-4)
    return motion.t, motion.q[:, system.place("m.x")] - 0.5, motion.v[:, system.place("m.x")]


def test_friction_sticks_below_its_cone_and_slides_above():
    """tan 0.35 = 0.365 < 0.4 holds, tan 0.45 = 0.483 slides with g (sin − μ cos)."""
    _, way, rate = slid(0.35)
    assert abs(way[-1]) < 5e-5  # the bristle's deflection, 0.365 / 2e4
    assert abs(rate[-1]) < 1e-5  # the wire still swings a little
    t, _, rate = slid(0.45)
    half = len(t) // 2
    pull = (rate[-1] - rate[half]) / (t[-1] - t[half])
    assert pull == pytest.approx(9.81 * (math.sin(0.45) - 0.3 * math.cos(0.45)), rel=0.01)


def test_friction_stops_a_sliding_mass():
    """From 0.3 m/s it slides v² / (2 μ g) and stays."""
    _, way, rate = slid(0.0, speed=0.3)
    assert way[-1] == pytest.approx(0.3**2 / (2 * 0.3 * 9.81), rel=0.02)
    assert abs(rate[-1]) < 1e-4


@pytest.mark.parametrize("form", ["augmented", "embedded"])
def test_a_slider_that_leaves_the_end_is_named_and_its_run_kept(form):
    wire = Cable(
        name="w", nodes=((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)), mass_per_length=5.0, axial_stiffness=1e6,
        bending_stiffness=1e3, tension=1e4,
    )  # fmt: skip
    ends = {"w.0x": 0.0, "w.0y": 0.0, "w.2x": 2.0, "w.2y": 0.0}
    mass = PointMass(name="m", mass=1.0, position=(1.0, 0.0, 0.0), velocity=(4.0, 0.0, 0.0), planar=True)
    slide = Sliding(name="the runner", point=mass.at(), wire=wire.track(1.0), form=form)
    items = (wire, mass, Held(name="e", values=ends), slide)
    system = Model(name="short", items=items, gravity=(0.0, 0.0, 0.0)).system()
    begin = system.start
    with pytest.raises(SimulationError, match="'the runner' left the end of its wire") as told:
        run(system, begin, 1.0, 1e-3)
    kept = told.value.partial
    assert kept.t[-1] == pytest.approx(0.25, abs=2e-3)
    assert kept.q[-1, system.place("m.x")] == pytest.approx(2.0, abs=0.01)


def test_the_arc_starts_where_the_point_is_and_moves_as_it_does():
    """The track's start is a guess; a wire that moves along with the point leaves the arc at rest."""
    wire = Cable(
        name="w", nodes=((0.0, 0.0), (1.0, 0.0), (2.0, 0.0)), velocities=((1.0, 0.0),) * 3,
        mass_per_length=1.0, axial_stiffness=1.0,
    )  # fmt: skip
    for speed in (1.0, 3.5):
        mass = PointMass(name="m", mass=1.0, position=(1.3, 0.2, 0.0), velocity=(speed, 5.0, 0.0), planar=True)
        slide = Sliding(name="s", point=mass.at(), wire=wire.track(0.4), form="augmented")
        system = Model(name="x", items=(wire, mass, slide)).system()
        at = system.place("s.s")
        assert system.start.q[at] == pytest.approx(1.3, abs=1e-14)
        assert system.start.v[at] == pytest.approx(speed - 1.0, abs=1e-14)


def test_a_slider_must_start_on_its_wire():
    wire = Cable(name="w", nodes=((0.0, 0.0), (1.0, 0.0)), mass_per_length=1.0, axial_stiffness=1.0)
    mass = PointMass(name="m", mass=1.0, planar=True)
    slide = Sliding(name="s", point=mass.at(), wire=wire.track(1.5))
    with pytest.raises(ModelError, match=r"'s' starts at 1\.5 m of 'w'"):
        Model(name="x", items=(wire, mass, slide)).system()


def beams():
    flat = EulerBernoulliBeam(
        name="b", begin=(0.0, 0.0), end=(3.0, 0.0), elements=6, mass_per_length=2.0, bending_stiffness=400.0
    )
    tall = EulerBernoulliBeam(
        name="b", begin=(0.0, 0.0, 0.0), end=(0.0, 3.0, 0.0), elements=6, mass_per_length=2.0,
        bending_stiffness=400.0, axial_stiffness=1e5, torsion_stiffness=100.0, turning_inertia=0.1,
    )  # fmt: skip
    solid = AncfBeam(
        name="b", begin=(0.0, 0.0, 0.0), end=(0.0, 3.0, 0.0), elements=4, height=0.05, width=0.05,
        young=1e9, density=800.0,
    )  # fmt: skip
    return {"plane": flat, "space": tall, "three slopes": solid}


@pytest.mark.parametrize("which", ["plane", "space", "three slopes"])
def test_forms_agree_on_beams_and_energy_stays(which):
    """Sliding along clamped beams, also straight along the world's y; ρ = 1 would not damp multipliers."""
    beam = beams()[which]
    ends = dict.fromkeys((*beam.node_names(0), *beam.node_names(beam.elements)), 0.0)
    starts = {f"b.{c.name}": c.start for c in beam.coordinates()}
    clamps = Held(name="e", values={name: starts[name] for name in ends})
    axis = np.array((1.0, 0.0, 0.0) if which == "plane" else (0.0, 1.0, 0.0))
    mass = PointMass(
        name="m", mass=1.0, position=tuple(0.9 * axis), velocity=tuple(3.0 * axis), planar=which == "plane"
    )  # fmt: skip
    gravity = (0.0, -9.81, 0.0) if which == "plane" else (1.0, 0.0, -9.81)
    motions = []
    for form in ("augmented", "embedded"):
        slide = Sliding(name="s", point=mass.at(), wire=beam.track(0.9), form=form)
        system = Model(name=which, items=(beam, clamps, mass, slide), gravity=gravity).system()
        motions.append(run(system, system.start, 0.3, 5e-4, spectral_radius=0.95))
    kept, gone = motions
    assert gone.q[-1, system.place("m.z" if which != "plane" else "m.y")] < -1e-3  # it has sagged
    assert np.abs(kept.q[:, : gone.q.shape[1]] - gone.q).max() < 1e-8
    energy = [sum(system.energy(0.0, gone.q[k], gone.v[k])) for k in (0, -1)]
    moved = 0.5 * 1.0 * 3.0**2
    assert abs(energy[1] - energy[0]) < 2e-3 * moved  # numerical damping of ρ = 0.95
