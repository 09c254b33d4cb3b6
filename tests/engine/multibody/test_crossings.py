"""Wires, beams and edges that cross; every pair of what may touch: rigid motions, blows, refusals."""

import numpy as np
import pytest

from panhead.engine.bodies import AncfBeam, Beam, Cable, EulerBernoulliBeam, PointMass, RigidBody, ground
from panhead.engine.forces import BallContact, BeamContact, CrossingContact, ImpactLaw, PlaneContact
from panhead.engine.joints import Held
from panhead.engine.methods.impacts import solve_impact
from panhead.engine.methods.integrators import MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.errors import ModelError, SimulationError
from panhead.validation.impact.crossings import pressed_wires, rod_on_rails, wire_compliance
from tests.oracles.rod_across_wire import Rod, Wire, story

UP = (0.0, 0.0, 1.0)
WIRES = {
    "cable": lambda name, a, b: Cable(
        name=name, nodes=(a, tuple((x + y) / 2 for x, y in zip(a, b, strict=True)), b), mass_per_length=1.0,
        axial_stiffness=1e5, bending_stiffness=1.0,
    ),
    "beam": lambda name, a, b: Beam(
        name=name, begin=a, end=b, elements=2, height=0.02, width=0.03, young=1e9, density=1e3
    ),
    "ANCF beam": lambda name, a, b: AncfBeam(
        name=name, begin=a, end=b, elements=2, height=0.02, width=0.03, young=1e9, density=1e3
    ),
    "small beam": lambda name, a, b: EulerBernoulliBeam(
        name=name, begin=a, end=b, elements=2, mass_per_length=1.0, bending_stiffness=1.0, axial_stiffness=1e5,
        torsion_stiffness=1.0, turning_inertia=1e-3,
    ),
}  # fmt: skip


def body(name, place):
    return RigidBody(name=name, mass=0.7, inertia=(0.02, 0.03, 0.025), position=place)


def along_x(kind="cable"):
    return WIRES[kind]("a", (-0.9, 0.05, 0.0), (1.1, 0.05, 0.0))


def across(kind="cable", height=0.0):
    return WIRES[kind]("b", (0.1, -0.8, height), (0.3, 0.9, height))


def edge(place=(0.2, 0.1, 0.0)):
    rod = body("b", place)
    return rod, rod.edge((0.0, -0.5, 0.0), (0.1, 0.5, 0.0))


def pairs():
    """Two bodies and what is between them, at a gap of zero; every pair of points, balls, planes, edges and wires."""
    law = ImpactLaw(restitution=0.4, friction=0.3)
    a, b = body("a", (0.0, 0.0, 0.0)), body("b", (0.1, 0.05, 0.03))
    plane, ball = a.at((0.0, 0.0, 0.01)), body("b", (0.2, 0.0, 0.06))
    yield "point, plane", (a, b), PlaneContact(name="c", plane=a.at((0.0, 0.0, 0.03)), point=b.at(), law=law)
    yield "ball, plane", (a, ball), PlaneContact(name="c", plane=plane, point=ball.at(), radius=0.05, law=law)
    apart = float(np.linalg.norm((0.1, 0.05, 0.03)))
    yield "point, ball", (a, b), BallContact(name="c", a=a.at(), b=b.at(), radii=(apart, 0.0), law=law)
    yield "ball, ball", (a, b), BallContact(name="c", a=a.at(), b=b.at(), radii=(0.4 * apart, 0.6 * apart), law=law)
    for kind in WIRES:
        wire, over = along_x(kind), body("b", (0.2, 0.05, 0.0))
        yield (
            f"point, {kind}",
            (wire, over),
            BeamContact(name="c", point=over.at(), wire=wire.track(1.0), normal=UP, law=law),
        )
        side = body("b", (0.2, 0.05 + 0.06, 0.08))
        yield (
            f"ball, {kind}",
            (wire, side),
            BeamContact(name="c", point=side.at(), wire=wire.track(1.0), radius=0.1, law=law),
        )
        yield (
            f"{kind}, plane",
            (wire, body("f", (0.1, 0.0, 0.0))),
            PlaneContact(name="c", plane=body("f", (0.1, 0.0, 0.0)).at(), point=wire.at(1.3), law=law),
        )
        rod, its = edge((0.2, 0.1, 0.0))
        yield f"{kind}, edge", (wire, rod), CrossingContact(name="c", a=wire.track(1.0), b=its, normal=UP, law=law)
        for other in WIRES:
            second = across(other, 0.02)
            yield (
                f"{kind}, {other}",
                (wire, second),
                CrossingContact(name="c", a=wire.track(1.0), b=second.track(0.8), radii=(0.015, 0.005), law=law),
            )
        beside = WIRES[kind]("b", (-0.9, 0.05, 0.0), (1.1, 0.05, 0.0))
        yield (
            f"{kind} along a cable",
            (beside, along_x()),
            BeamContact(name="c", point=beside.at(1.3), wire=along_x().track(1.2), normal=UP, law=law),
        )


def rigid_motion(system, w, u):
    """Rates of all coordinates that turn everything by w about the origin and move it by u, from the model itself."""
    q, rates = system.start.q, np.zeros(system.nq)
    for k, name in enumerate(system.coordinates):
        part = name.split(".")[1].lstrip("0123456789")
        stem = name[: len(name) - len(part)]
        at = lambda *parts, stem=stem: np.array([q[system.place(f"{stem}{p}")] for p in parts])
        if part in ("x", "y", "z"):
            rates[k] = (np.cross(w, at("x", "y", "z")) + u)["xyz".index(part)]
        elif part in ("e0", "e1", "e2", "e3"):
            e = at("e0", "e1", "e2", "e3")
            turn = np.array([-w @ e[1:], *(e[0] * w + np.cross(w, e[1:]))]) / 2
            rates[k] = turn[int(part[1])]
        elif part[0] in "'dr":  # slopes turn with everything
            slope = at(*(part[:-1] + axis for axis in "xyz"))
            rates[k] = np.cross(w, slope)["xyz".index(part[-1])]
    return rates


PAIRS = {name: (items, contact) for name, items, contact in pairs()}


@pytest.mark.parametrize("name", PAIRS)
def test_every_pair_touches_and_strikes(name):
    """Gap zero; a blow parts by −e times the approach and takes the energy that is missing; slopes by differences.

    Nothing slips in a rigid motion of all; what the second alone moves by is its slip.
    """
    items, contact = PAIRS[name]
    system = Model(name=name, items=(*items, contact), gravity=(0.0, 0.0, 0.0)).system()
    q, gap = system.start.q, lambda x: system.contacts.at(0.0, x).gap[0]
    rows = system.contacts.at(0.0, q)
    assert rows.gap == pytest.approx([0.0], abs=1e-12)
    way = np.random.default_rng(1).standard_normal(len(q))
    assert rows.W[0] @ way == pytest.approx((gap(q + 1e-6 * way) - gap(q - 1e-6 * way)) / 2e-6, rel=1e-5, abs=1e-7)
    v = -0.1 * rows.W[0]  # closes the gap
    if any(isinstance(x, RigidBody | Beam) for x in items):
        G = system.constraint_q(0.0, q).toarray()
        v -= G.T @ np.linalg.lstsq(G @ G.T, G @ v, rcond=None)[0]
    done = solve_impact(system, 0.0, q, v, np.array([0]), 1e-6)
    assert done.before[0] < 0 < done.P[0]
    assert done.after[0] == pytest.approx(-0.4 * done.before[0], rel=1e-9)
    taken = system.energy(0.0, q, v).kinetic - system.energy(0.0, q, done.v).kinetic
    assert done.lost.sum() == pytest.approx(taken, rel=1e-9)
    assert taken > 0
    if "small beam" not in name:  # which does not turn as a whole
        for w, u in ((np.array([0.4, -0.7, 0.2]), np.zeros(3)), (np.zeros(3), np.array([0.3, -0.2, 0.5]))):
            assert rows.W @ rigid_motion(system, w, u) == pytest.approx(0.0, abs=1e-10)
        second = contact.point if isinstance(contact, PlaneContact | BeamContact) else contact.b
        moved = [name.startswith(f"{second.body}.") for name in system.coordinates]
        n, slip = system.contacts.touching(0.0, q)[0, 1], (rows.W @ (rigid_motion(system, np.zeros(3), u) * moved))[1:]
        assert slip == pytest.approx(u - n * (n @ u), abs=1e-10)


def across_wire(restitution):
    wire = Cable(
        name="w", nodes=tuple((float(x), 0.0, 0.0) for x in np.linspace(0.0, 2.0, 5)), mass_per_length=1.0,
        axial_stiffness=1e5, bending_stiffness=50.0, tension=1000.0,
    )  # fmt: skip
    held = Held(name="ends", values={f"w.{k}{a}": wire.nodes[k]["xyz".index(a)] for k in (0, 4) for a in "xyz"})
    rod = RigidBody(
        name="rod", mass=0.5, inertia=(0.02, 1e-3, 0.02), position=(0.985, 0.1, 1e-4), velocity=(1.0, 0.0, -0.01)
    )
    touch = CrossingContact(
        name="x", a=wire.track(0.985), b=rod.edge((0.0, -0.3, 0.0), (0.0, 0.3, 0.0)), normal=UP,
        law=ImpactLaw(restitution=restitution),
    )  # fmt: skip
    return Model(name="rod across a wire", items=(wire, held, rod, touch), gravity=(0.0, 0.0, 0.0)).system()


def test_rod_slides_along_a_wire_as_by_hand():
    """It strikes, stays, slides over an element's border and leaves, beside SciPy's events and hand-made matrices.

    The first blow differs by slopes² (1e-6), instants by the step, to second order.
    """
    wire, rod = Wire(2.0, 4, 1.0, 1000.0, 50.0), Rod(0.5, 0.02, (0.985, 0.1), 1e-4, 1.0, 0.01)
    exact, system = story(wire, rod, 0.5, 0.04), across_wire(0.5)
    errors = []
    for dt in (2e-4, 1e-4):
        motion = simulate(system, system.start, duration=0.04, dt=dt, method=MoreauJean(rest_speed=1e-8))
        strikes = motion.contacts.strikes
        assert len(strikes) == len(exact.strikes) >= 2
        s = strikes[0]
        assert (s.t, s.approach, s.impulse, s.lost) == pytest.approx(exact.strikes[0], rel=1e-5)
        errors.append(abs(strikes[1].t - exact.strikes[1][0]))
    assert errors[1] < 1e-5
    assert errors[0] / errors[1] > 3.0
    plastic = story(wire, rod, 0.0, 0.03)
    rests = across_wire(0.0)
    motion = simulate(rests, rests.start, duration=0.03, dt=1e-4)
    pressed = motion.contacts.normal[:, 0] > 0
    left = motion.t[np.flatnonzero(pressed & (motion.t > 0.011))[-1]]
    assert left == pytest.approx(plastic.leaves[-1], abs=3e-4)


@pytest.mark.parametrize("events", ["located", "stepped"])
def test_wires_share_what_presses_them(events):
    """N = F c₂/(c₁ + c₂) beside strings with bending stiffness; pulled up, the upper wire leaves the lower one."""
    system = pressed_wires().system()
    method = MoreauJean(theta=1.0, events=events)
    motion = simulate(system, system.start, duration=0.6, dt=0.04, method=method)
    c = wire_compliance(2.0, 1000.0), wire_compliance(3.0, 1500.0)
    assert motion.contacts.normal[-1, 0] == pytest.approx(c[1] / sum(c), rel=1e-3)
    pulled = pressed_wires(force=-1.0).system()
    motion = simulate(pulled, pulled.start, duration=0.6, dt=0.04, method=method)
    assert motion.contacts.normal[-1, 0] == 0.0
    assert motion.contacts.gap[-1, 0] == pytest.approx(c[1], rel=1e-3)


@pytest.mark.parametrize("friction", [0.2, 0.5, 0.56])
def test_rod_slides_down_rails_in_steps(friction):
    """tan 0.5 = 0.546: it slides by g (sin α − µ cos α) t²/2 or stays; the way of a mean speed is exact."""
    system = rod_on_rails(friction=friction, slope=0.5).system()
    motion = simulate(system, system.start, duration=0.2, dt=0.01, method=MoreauJean(events="stepped"))
    exact = max(0.0, 0.5 * 9.81 * (np.sin(0.5) - friction * np.cos(0.5)) * 0.2**2)
    assert motion.q[-1, system.place("rod.x")] == pytest.approx(exact, rel=1e-9, abs=1e-12)


def test_beyond_an_end_there_is_nothing():
    rod = RigidBody(name="b", mass=1.0, inertia=(0.1,) * 3, position=(0.0, 0.8, 1e-4), velocity=(0.0, 0.0, -1.0))
    wire = along_x()
    touch = CrossingContact(name="c", a=wire.track(0.9), b=rod.edge((0, -0.5, 0), (0, 0.5, 0)), normal=UP)
    system = Model(name="beside", items=(wire, rod, touch), gravity=(0.0, 0.0, 0.0)).system()
    assert system.contacts.at(0.0, system.start.q).gap[0] == np.inf
    motion = simulate(system, system.start, duration=0.01, dt=1e-3)
    assert motion.q[-1, system.place("b.z")] == pytest.approx(1e-4 - 0.01)
    assert not motion.contacts.strikes


def test_wrong_crossings_are_told():
    wire, (rod, its) = along_x(), edge((0.2, 0.1, 0.5))
    with pytest.raises(ModelError, match="give a normal, or radii"):
        CrossingContact(name="c", a=wire.track(1.0), b=its)
    with pytest.raises(ModelError, match=r"radii must be ≥ 0 and finite, got \(-1"):
        CrossingContact(name="c", a=wire.track(1.0), b=its, normal=UP, radii=(-1.0, 2.0))
    with pytest.raises(ModelError, match="cannot touch itself"):
        CrossingContact(name="c", a=wire.track(1.0), b=wire.track(0.2), normal=UP)
    with pytest.raises(ModelError, match="has no length"):
        rod.edge((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    flat = [Cable(name=n, nodes=((0, 0), (1, 0)), mass_per_length=1.0, axial_stiffness=1.0) for n in "pq"]
    with pytest.raises(ModelError, match=r"are planar and cannot cross; use BeamContact"):
        CrossingContact(name="c", a=flat[0].track(0.5), b=flat[1].track(0.5), normal=UP)
    beside = rod.edge((-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))
    touch = CrossingContact(name="c", a=wire.track(1.0), b=beside, normal=UP)
    system = Model(name="along", items=(wire, rod, touch)).system()
    with pytest.raises(SimulationError, match=r"gap of 'c' is undefined at t = 0 s: .*parallel"):
        simulate(system, system.start, duration=0.01, dt=1e-3)


def test_an_edge_is_something_to_slide_on():
    """A bead on a rod that is held: it falls along it as on a slope."""
    from panhead.engine.joints import Rigid, Sliding

    rod = body("rod", (0.0, 0.0, 0.0))
    bead = PointMass(name="bead", mass=0.3, position=(0.1, 0.0, -0.1))
    slide = Sliding(name="slide", point=bead.at(), wire=rod.edge((-1.0, 0.0, 1.0), (1.0, 0.0, -1.0), start=1.6))
    system = Model(name="bead", items=(rod, Rigid(name="held", a=ground.at(), b=rod.at()), bead, slide)).system()
    motion = simulate(system, system.start, duration=0.1, dt=1e-3)
    fallen = motion.q[-1, system.place("bead.z")] + 0.1
    assert fallen == pytest.approx(-0.5 * 9.81 / 2 * 0.1**2, rel=1e-6)
