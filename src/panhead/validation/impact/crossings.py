"""Crossing wires, rods and edges against closed forms: contact force, impact, sliding."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from panhead.engine.bodies import Cable, RigidBody, ground
from panhead.engine.forces import CrossingContact, ImpactLaw, Push
from panhead.engine.joints import Held, Rigid
from panhead.engine.methods.impacts import solve_impact
from panhead.engine.methods.integrators import MoreauJean
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import ContactHistory, Trajectory
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.files.units import Dimensionless, Metres, Newtons, Radians
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below, near
from panhead.validation.impact.model import GRAVITY

SPANS, TENSIONS, BENDING = (2.0, 3.0), (1000.0, 1500.0), 10.0  # m, N, N·m² of the lower and the upper wire
_CLOSED = "closed form"


def crossing_rows() -> list[Check]:
    """Rows of ``panhead validate impact``."""
    return [*_pressed_wires_rows(), *_rods(), *_rails()]


def taut_wire(
    name: str, along: tuple[float, float], *, span: Metres, tension: Newtons, elements: int = 16
) -> tuple[Cable, Held]:
    """Damped wire across the origin, with its end supports."""
    places = np.linspace(-span / 2, span / 2, elements + 1)
    nodes = tuple((float(s * along[0]), float(s * along[1]), 0.0) for s in places)
    wire = Cable(
        name=name, nodes=nodes, mass_per_length=1.0, axial_stiffness=1e5, bending_stiffness=BENDING, tension=tension,
        drag=50.0,
    )  # fmt: skip
    ends = {f"{name}.{k}{axis}": nodes[k][i] for k in (0, elements) for i, axis in enumerate("xyz")}
    return wire, Held(name=f"ends of {name}", values=ends)


def pressed_wires(*, force: Newtons = 1.0) -> Model:
    """Two taut wires that lie on one another at right angles; a force presses the upper one down at the crossing."""
    lower, low_ends = taut_wire("lower", (1.0, 0.0), span=SPANS[0], tension=TENSIONS[0])
    upper, high_ends = taut_wire("upper", (0.0, 1.0), span=SPANS[1], tension=TENSIONS[1])
    touch = CrossingContact(
        name="crossing", a=lower.track(SPANS[0] / 2), b=upper.track(SPANS[1] / 2), normal=(0.0, 0.0, 1.0)
    )
    push = Push(name="push", at=upper.at(SPANS[1] / 2), force=(0.0, 0.0, -force))
    items = (lower, low_ends, upper, high_ends, touch, push)
    return Model(name="wires that cross", items=items, gravity=(0.0, 0.0, 0.0))


def wire_compliance(span: float, tension: float) -> float:
    """Compliance of a pinned wire at mid-span: L/4T − tanh(kL/2)/2kT, k² = T/EI [m/N]."""
    k = np.sqrt(tension / BENDING)
    return float(span / (4 * tension) - np.tanh(k * span / 2) / (2 * k * tension))


def _pressed_wires_rows() -> list[Check]:
    """The force divides as the wires give way; the lower wire leaves its ends at half of its kink, N/2T (1 − sech).

    The bound is what straight cables of 16 cubics and EA w′²/2T leave at slopes of 1e-4: far less than 1e-3.
    """
    model = pressed_wires()
    system = model.system()
    motion = simulate(system, system.start, duration=0.8, dt=0.02, method=MoreauJean(theta=1.0))
    soft = [wire_compliance(span, tension) for span, tension in zip(SPANS, TENSIONS, strict=True)]
    exact = soft[1] / (soft[0] + soft[1])
    slope = exact / (2 * TENSIONS[0]) * (1 - 1 / np.cosh(np.sqrt(TENSIONS[0] / BENDING) * SPANS[0] / 2))
    found = -float(motion.q[-1, system.place("lower.0'z")])
    source = "N Σ(L/4T − tanh(kL/2)/2kT) = F (…)₂"
    force = float(_seen(motion).normal[-1, 0])
    return [
        near("wires that cross, force between them", force, exact, "N", source, rel=1e-3, by=BEFORE),
        near("wires that cross, half the kink", found, slope, "rad", "N/2T (1 − sech kL/2)", rel=1e-3, by=BEFORE),
    ]


def rod(name: str, *, mass: float, length: float, along: int) -> RigidBody:
    """A thin rod along x (0) or y (1), at rest in the origin."""
    J, thin = mass * length**2 / 12, 1e-3 * mass
    return RigidBody(name=name, mass=mass, inertia=(thin, J, J) if along == 0 else (J, thin, J))


def crossing_rods(*, restitution: Dimensionless = 0.6) -> Model:
    """A rod that falls across another one, both off their middles, both free."""
    one = rod("one", mass=2.0, length=1.2, along=0)
    two = rod("two", mass=0.5, length=0.8, along=1)
    two = replace(two, position=(0.3, 0.2, 0.02), velocity=(0.0, 0.0, -1.5))
    touch = CrossingContact(
        name="crossing", a=one.edge((-0.6, 0.0, 0.0), (0.6, 0.0, 0.0)), b=two.edge((0.0, -0.4, 0.0), (0.0, 0.4, 0.0)),
        radii=(0.012, 0.008), law=ImpactLaw(restitution=restitution),
    )  # fmt: skip
    return Model(name="rods that cross", items=(one, two, touch), gravity=(0.0, 0.0, 0.0))


def _rods() -> list[Check]:
    """P = (1 + e) v / Σ(1/m + x²/J): a blow on two free rods that touch; what moved together moves together still."""
    e, system = 0.6, crossing_rods(restitution=0.6).system()
    q, v = system.start.q, system.start.v
    done = solve_impact(system, 0.0, q, v, np.array([0]), 1e-4)
    D = 1 / 2.0 + 0.3**2 / (2.0 * 1.2**2 / 12) + 1 / 0.5 + 0.2**2 / (0.5 * 0.8**2 / 12)
    P = (1 + e) * 1.5 / D
    lost = 0.5 * (1 - e**2) * 1.5**2 / D
    z = [system.place(f"{name}.z") for name in ("one", "two")]
    momentum = 2.0 * done.v[z[0]] + 0.5 * done.v[z[1]] + 0.5 * 1.5
    taken = system.energy(0.0, q, v).kinetic - system.energy(0.0, q, done.v).kinetic
    source = "(1 + e) v / Σ(1/m + x²/J)"
    return [
        near("rods that cross, impulse", float(done.P[0]), P, "N·s", source, rel=1e-12, by=CLOSED_FORM),
        near("rods that cross, energy lost", float(done.lost[0]), lost, "J", _CLOSED, rel=1e-12, by=CLOSED_FORM),
        below("rods that cross, momentum made", abs(float(momentum)), 1e-12, "N·s", "none", by=CLOSED_FORM),
        below("rods that cross, account", abs(taken - float(done.lost[0])), 1e-12, "J", "kinetic", by=CLOSED_FORM),
    ]


def rod_on_rails(*, friction: Dimensionless = 0.3, slope: Radians = 0.5) -> Model:
    """A rod that lies across two straight edges of a held body; gravity is tilted along them by ``slope``."""
    frame = RigidBody(name="frame", mass=10.0, inertia=(1.0, 1.0, 1.0))
    lying = rod("rod", mass=0.8, length=1.0, along=1)
    law = ImpactLaw(friction=friction)
    rails = [
        CrossingContact(
            name=f"rail {k}", a=frame.edge((-1.0, y, 0.0), (3.0, y, 0.0), start=1.0),
            b=lying.edge((0.0, -0.5, 0.0), (0.0, 0.5, 0.0)), normal=(0.0, 0.0, 1.0), law=law,
        )
        for k, y in enumerate((-0.3, 0.2))
    ]  # fmt: skip
    clamp = Rigid(name="clamp", a=ground.at(), b=frame.at())
    pull = (GRAVITY * float(np.sin(slope)), 0.0, -GRAVITY * float(np.cos(slope)))
    return Model(name="rod on rails", items=(frame, clamp, lying, *rails), gravity=pull)


def _rails() -> list[Check]:
    """Two crossings at once: tan 0.5 = 0.546; below it the rod slides by g (sin α − µ cos α) t²/2, above it stays."""
    alpha, mu, t = 0.5, 0.3, 0.4
    system, slides = _run(rod_on_rails(friction=mu, slope=alpha), t)
    _, stays = _run(rod_on_rails(friction=0.55, slope=alpha), t)
    x = system.place("rod.x")
    way, exact = float(slides.q[-1, x]), float(0.5 * GRAVITY * (np.sin(alpha) - mu * np.cos(alpha)) * t**2)
    shares = _seen(slides).normal[-1] / (0.8 * GRAVITY * np.cos(alpha))
    wrong = float(np.abs(shares - [0.4, 0.6]).max())
    return [
        near("rod on rails, way it slides", way, exact, "m", _CLOSED, rel=1e-9, by=CLOSED_FORM),
        below("rod on rails, shares of its weight from 2/5 and 3/5", wrong, 1e-9, "1", "levers", by=CLOSED_FORM),
        below("rod on rails that sticks, way", abs(float(stays.q[-1, x])), 1e-12, "m", "µ > tan α", by=CLOSED_FORM),
    ]


def _run(model: Model, duration: float) -> tuple[MultibodySystem, Trajectory]:
    system = model.system()
    return system, simulate(system, system.start, duration=duration, dt=0.02, method=MoreauJean())


def _seen(motion: Trajectory) -> ContactHistory:
    assert motion.contacts is not None
    return motion.contacts
