"""Planar catenary of two wires with a two-mass pantograph, for benchmarks and mesh studies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np

from panhead.engine.bodies import Cable, GuidedMass, PointMass
from panhead.engine.bodies.measure import LineBetween, coordinate_marker
from panhead.engine.forces import SlidingContact, SpringDamper
from panhead.engine.joints import Coupled, Held, Sliding
from panhead.engine.methods.equilibrium import equilibrium, project_onto_constraints
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Constraint, Effort, Force, Item, Row, Symbols, Terms, Triple
from panhead.errors import ModelError
from panhead.files.units import MetresPerSecond, Newtons, NewtonsPerMetre
from panhead.runs.library.moving_load import ConstantSpeed

SPAN, DROPPERS, ENCUMBRANCE, GRAVITY = 56.25, 8, 1.2, 9.81  # [m], a span, [m], [m/s²]
_AREA, _YOUNG, _DENSITY = 144e-6, 1.2e11, 8960.0
_LOAD = _DENSITY * _AREA * GRAVITY  # [N/m]
_TENSIONS = {"contact": 20e3, "messenger": 14e3}  # [N]
_DROPPER = {"stiffness": 2e5, "damping": 1e4}
HEAD, FRAME, SUSPENSION, SUSPENSION_DAMPING, FRAME_DAMPING = 9.5, 15.0, 7200.0, 26.0, 90.0
_START = 1.51 * SPAN
_ROUNDS = 8  # of cutting droppers and pulling wires

Contact = Literal["augmented", "embedded", "elastic", "pushing"]
"""Two forms of the sliding joint, a spring in its place, and a spring that can part from the wire."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenHeights(Force):
    """A spring with a damper between two coordinates: e = q_upper − q_lower, V = ½ k e², D = c ė²."""

    name: str
    lower: str  #: full name of a coordinate
    upper: str
    stiffness: float  #: k [N/m]
    damping: float  #: c [N·s/m]

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        values = {"k": self.stiffness, "c": self.damping}
        markers = (coordinate_marker(self.lower), coordinate_marker(self.upper))
        return (Row(law=type(self), terms=_between, numbers=values, markers=markers),)


def _between(s: Symbols) -> Terms:
    e, e_dot = s.q[1] - s.q[0], s.v[1] - s.v[0]
    damper = Effort(-s.p["c"] * e_dot, e_dot, "dissipated")
    return Terms(potential=0.5 * s.p["k"] * e**2, efforts=(damper,))


def planar_catenary(
    contact: Contact = "embedded",
    masts: Literal["free", "held"] = "free",
    *,
    spans: int = 20,
    elements: int = 9,
    uplift: Newtons = 110.0,
    speed: MetresPerSecond = 200 / 3.6,
    stiffness: NewtonsPerMetre = 5e4,
) -> Model:
    """Copper wires of 144 mm² over spans of 56.25 m with eight droppers, ``elements`` of each wire a span.

    Droppers are cut so that the contact wire of a middle span is level, and both tensions are met. ``masts``
    says whether the contact wire is held in height there; ``stiffness`` belongs to the springs among contacts.
    """
    if elements % (DROPPERS + 1):
        raise ModelError(f"planar-catenary: elements must be a multiple of {DROPPERS + 1}, got {elements!r}")
    line = _Wires(spans, elements, masts == "held").form_find()
    wire = next(item for item in line if item.name == "contact")
    assert isinstance(wire, Cable)
    head = PointMass(name="head", mass=HEAD, position=(_START, 0.0, 0.0), velocity=(speed, 0.0, 0.0), planar=True)
    items = (
        *line,
        head,
        GuidedMass(name="frame", mass=FRAME, axis=(0.0, 1.0, 0.0)),
        Coupled(name="drive", ratios={"head.x": 1.0}, motion=ConstantSpeed(_START, speed)),
        BetweenHeights(
            name="suspension", lower="frame.x", upper="head.y", stiffness=SUSPENSION, damping=SUSPENSION_DAMPING
        ),
        SpringDamper(name="lift", along="frame.x", damping=FRAME_DAMPING, preload=-uplift - (HEAD + FRAME) * GRAVITY),
        _contact(contact, head, wire, stiffness),
    )
    return Model(name="planar catenary", items=items, gravity=(0.0, -GRAVITY, 0.0))


def _contact(form: Contact, head: PointMass, wire: Cable, stiffness: float) -> SlidingContact | Constraint:
    if form in ("elastic", "pushing"):
        return SlidingContact(
            name="slide",
            point=head.at(),
            wire=wire.track(_START),
            stiffness=stiffness,
            normal=(0.0, -1.0, 0.0) if form == "pushing" else None,
        )
    joint: Literal["augmented", "embedded"] = "augmented" if form == "augmented" else "embedded"
    return Sliding(name="slide", point=head.at(), wire=wire.track(_START), form=joint)


def start(model: Model) -> State:
    """Initial state: static equilibrium under the uplift force, pantograph at full speed, consistent velocities."""
    system = model.system()
    guess = system.start.q.copy()
    guess[system.place("head.y")] += 1e-3  # a contact that only pushes begins closed
    q, _ = equilibrium(system, guess)
    v = system.start.v.copy()
    if "slide.s" in system.coordinates:
        v[system.place("slide.s")] = v[system.place("head.x")]
    return project_onto_constraints(system, State(q=q, v=v))


def contact_force(system: MultibodySystem, run: Trajectory) -> np.ndarray:
    """Contact force: suspension force of the head minus its weight and inertia [N]."""
    y, z = system.place("head.y"), system.place("frame.x")
    spring = SUSPENSION * (run.q[:, z] - run.q[:, y])
    damper = SUSPENSION_DAMPING * (run.v[:, z] - run.v[:, y])
    return np.asarray(spring + damper - HEAD * (run.a[:, y] + GRAVITY))


@final
@dataclass(frozen=True, slots=True)
class _Wires:
    """Both wires, their holds and droppers."""

    spans: int
    elements: int
    held: bool

    @property
    def stations(self) -> np.ndarray:
        return np.arange(self.spans * self.elements + 1) * (SPAN / self.elements)

    def items(self) -> tuple[Item, ...]:
        """Bodies and forces in the initial shape of a string under its weight."""
        x = self.stations
        y, slope = _messenger(x % SPAN), _messenger_slope(x)
        y[-1] = ENCUMBRANCE
        contact = _cable("contact", x, np.zeros_like(x), np.zeros_like(x))
        messenger = _cable("messenger", x, y, slope)
        every, number = self.elements // (DROPPERS + 1), len(x) - 1
        masts = range(0, number + 1, self.elements)
        held = {f"{w}.{i}x": float(x[i]) for w in _TENSIONS for i in (0, number)}
        held |= {f"messenger.{i}y": float(y[i]) for i in masts}
        held |= {f"contact.{i}y": 0.0 for i in masts if self.held or i in (0, number)}
        at = [i for i in range(0, number, every) if i % self.elements]
        stretch = _LOAD * SPAN / (DROPPERS + 1) / _DROPPER["stiffness"]
        droppers = [
            SpringDamper(
                name=f"dropper {i}",
                along=LineBetween(a=contact.at(contact.breaks[i]), b=messenger.at(messenger.breaks[i])),
                rest=float(y[i]) - stretch,
                **_DROPPER,
            )
            for i in at
        ]
        return (contact, messenger, Held(name="held", values=held), *droppers)

    def form_find(self) -> tuple[Item, ...]:
        """Droppers that level the contact wire of a middle span, unstretched wires that give the tensions."""
        items = self.items()
        first = (self.spans // 2) * self.elements
        system = Model(name="line", items=items, gravity=(0.0, -GRAVITY, 0.0)).system()
        numbers: dict[str, float] = {}
        q = system.start.q
        for _ in range(_ROUNDS):
            q, _ = equilibrium(system, q)
            for item in items:
                if isinstance(item, SpringDamper):
                    j = int(item.name.split()[1]) % self.elements
                    rest = f"{item.name}.rest"
                    numbers[rest] = system.parameters[rest] + q[system.place(f"contact.{first + j}y")]
                elif isinstance(item, Cable):
                    of = f"{item.name}.tension"
                    numbers[of] = (
                        system.parameters[of] + _TENSIONS[item.name] - _tension(system, item, q, system.parameters[of])
                    )
            system = system.changed(numbers)
        return tuple(_changed(item, numbers) for item in items)


def _changed(item: Item, numbers: dict[str, float]) -> Item:
    if isinstance(item, SpringDamper):
        return replace(item, rest=float(numbers[f"{item.name}.rest"]))
    if isinstance(item, Cable):
        return replace(item, tension=float(numbers[f"{item.name}.tension"]))
    return item


def _tension(system: MultibodySystem, cable: Cable, q: np.ndarray, unstrained: float) -> float:
    """The mean of N = T₀ + EA (|r′| − 1) at the middles of elements [N]."""
    at = system.place(f"{cable.name}.0x")
    nodes = q[at : at + 4 * len(cable.nodes)].reshape(-1, 4)
    r, s = nodes[:, :2], nodes[:, 2:]
    middle = 1.5 * np.diff(r, axis=0) / cable.lengths[:, None] - 0.25 * (s[1:] + s[:-1])
    return float(unstrained + cable.axial_stiffness * (np.linalg.norm(middle, axis=1).mean() - 1.0))


def _cable(name: str, x: np.ndarray, y: np.ndarray, slope: np.ndarray) -> Cable:
    size = np.hypot(1.0, slope)
    return Cable(
        name=name,
        nodes=tuple(zip(x.tolist(), y.tolist(), strict=True)),
        slopes=tuple(zip((1.0 / size).tolist(), (slope / size).tolist(), strict=True)),
        mass_per_length=_DENSITY * _AREA,
        axial_stiffness=_YOUNG * _AREA,
        bending_stiffness=_YOUNG * _AREA**2 / (4 * math.pi),
        tension=_TENSIONS[name],
    )


def _messenger(x: np.ndarray) -> np.ndarray:
    """Height over one span: a string under its weight and the droppers' pulls [m]."""
    spacing = SPAN / (DROPPERS + 1)
    at, pull = spacing * np.arange(1, DROPPERS + 1), _LOAD * spacing
    support = _LOAD * SPAN / 2 + (pull * (SPAN - at) / SPAN).sum()
    moment = support * x - _LOAD * x**2 / 2
    moment -= (pull * np.clip(x[:, None] - at, 0.0, None)).sum(axis=1)
    return np.asarray(ENCUMBRANCE - moment / _TENSIONS["messenger"])


def _messenger_slope(x: np.ndarray) -> np.ndarray:
    """Mean of the slopes on both sides: droppers and masts are kinks; at the ends, that of the one side."""
    near = 1e-6
    slope = (_messenger((x + near) % SPAN) - _messenger((x - near) % SPAN)) / (2 * near)
    slope[(x % SPAN < 1e-9) | (SPAN - x % SPAN < 1e-9)] = 0.0
    end = float(_messenger(np.array([near]))[0] - ENCUMBRANCE) / near
    slope[0], slope[-1] = end, -end
    return slope
