"""Pantograph interface for solvers: model items on a mount, with collector strips under the wire.

    wire   ════════════════════
    strips         ▔▔▔▔              ``Mechanics.strips``
    items           ╱╲               ``Mechanics.items``
    mount   ───────┴──┴───────       axes that move with the train, or the car body of a vehicle

At constant speed physics is the same in axes that move with the train: a pantograph is modelled there, its coordinates
stay small, and only the places that touch the wire move along the line (``moving_marker``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol, final

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.bodies.measure import Slide
from panhead.engine.laws.gravity import GRAVITY
from panhead.engine.roles import Frame, Item, Marker, Symbols, Triple, numbers
from panhead.railway.pantograph.pan_head import PanHead
from panhead.railway.pantograph.strip import Strip

UP: Triple = (0.0, 0.0, 1.0)


class Mount(Protocol):
    """Support of a pantograph: axes that move with the train, or a car body."""

    @property
    def speed(self) -> float:
        """Speed of the train through the air [m/s]."""

    @property
    def gravity(self) -> float:
        """Acceleration of free fall [m/s²]."""

    @property
    def velocity(self) -> Triple:
        """Velocity of its points at the start, in the axes of the pantograph's coordinates [m/s]."""

    def at(self, point: Triple, *, axis: Triple = UP, across: Triple | None = None) -> Marker:
        """Marker on it at this initial position [m]."""


@final
@dataclass(frozen=True, slots=True)
class TrainAxes:
    """A roof in straight motion at constant speed, in axes of the train, where it is at rest."""

    speed: float  #: [m/s]
    gravity: float = GRAVITY  #: [m/s²]

    @property
    def velocity(self) -> Triple:
        return (0.0, 0.0, 0.0)

    def at(self, point: Triple, *, axis: Triple = UP, across: Triple | None = None) -> Marker:
        return ground.at(point, axis=axis, across=across)


@final
@dataclass(frozen=True, slots=True)
class CarBody:
    """Car body of a vehicle, in axes of the track; the pantograph's reaction acts on it."""

    body: RigidBody
    speed: float  #: [m/s]
    gravity: float = GRAVITY  #: [m/s²]

    @property
    def velocity(self) -> Triple:
        return (self.speed, 0.0, 0.0)

    def at(self, point: Triple, *, axis: Triple = UP, across: Triple | None = None) -> Marker:
        return self.body.at_world(point, axis=axis, across=across)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HeadSuspension:
    """Attachment of a pan-head controller, and parameters for a lumped estimate of the contact force."""

    travel: Slide  #: from the plunger to the pan-head, along the guide
    springs: tuple[str, ...]  #: items that act along it
    mass: float  #: of the pan-head [kg]
    stiffness: float  #: of all springs together [N/m]
    damping: float  #: [N·s/m]
    length: float  #: of the travel without load [m]
    carried: bool = False  #: its weight is carried by something that is not among the items

    def numbers(self) -> dict[str, float]:
        """Parameters of the head alone, with the names used by the regulator model."""
        return {"head_mass": self.mass, "head_stiffness": self.stiffness, "head_damping": self.damping}

    @property
    def head(self) -> Marker:
        return self.travel.b

    @property
    def plunger(self) -> Marker:
        return self.travel.a


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanics:
    """A pantograph on a mount: items, strips and initial values."""

    items: tuple[Item, ...]  #: bodies, joints, springs, lift; neither the mount nor anything that touches the wire
    strips: tuple[Strip, ...]  #: ``strip.middle`` slides under a wire; ``strip.stations`` are pushed by controls
    head: HeadSuspension | None = None  #: None: there is no such place
    places: Mapping[str, float] = field(default_factory=dict)
    """Coordinate → value at the start, where statics knows better than the items."""


class Pantograph(Protocol):
    """Description of a pantograph."""

    @property
    def name(self) -> str:
        """Name in reports."""

    @property
    def contact_stiffness(self) -> float:
        """Contact stiffness between strip and wire, unless the run gives its own [N/m]."""

    @property
    def contact_damping(self) -> float:
        """Contact damping between strip and wire [N·s/m]."""

    @property
    def pan_head(self) -> PanHead:
        """Geometry across the track."""

    @property
    def strip_height(self) -> float | None:
        """Initial height of the strip above the rails, if the description fixes it [m]; None: at the wire."""

    @property
    def reach(self) -> float:
        """Distance of the strip ahead of the foot, along the track [m]."""

    def on(
        self, mount: Mount, strip: Triple, *, rest: float | None = None, ramp: float = 0.0, label: str = ""
    ) -> Mechanics:
        """Mount it with the middle of its strip (the first, if it has several) at ``strip`` [m].

        ``rest``: height at which springs to the roof carry just its weight, None: there; ``ramp``: time over which it
        is raised from there [s], 0: at once; ``label`` begins the names of its items.
        """


def mean_marker(a: Marker, b: Marker) -> Marker:
    """Marker half-way between two places, with the axes of the first: a force on it acts half on either."""
    split, sides = len(a.coordinates), (a, b)

    def frame(s: Symbols) -> Frame:
        first, second = (
            marker.frame(
                replace(s, q=s.q[part], v=s.v[part], own_q=s.own_q[part], own_v=s.own_v[part],
                    p={name: s.p[f"{k}.{name}"] for name in marker.numbers})
            )
            for k, (marker, part) in enumerate(zip(sides, (slice(split), slice(split, None)), strict=True))
        )  # fmt: skip
        return Frame((first.p + second.p) / 2, first.R)

    return Marker(
        body=f"{a.body} and {b.body}",
        law=("mean", a.law, b.law),
        coordinates=(*a.coordinates, *b.coordinates),
        numbers={f"{k}.{name}": x for k, marker in enumerate(sides) for name, x in marker.numbers.items()},
        frame=frame,
    )


def moving_marker(marker: Marker, *, by: Triple, velocity: Triple = (0.0, 0.0, 0.0)) -> Marker:
    """Marker in other axes: p + by + velocity · t; equal laws share compiled code at every speed."""
    if isinstance(marker.law, tuple) and marker.law[0] == "carried":  # further on
        moved = {**numbers("carried", by), **numbers("drift", velocity)}
        sums = {name: marker.numbers[name] + x for name, x in moved.items()}
        return replace(marker, numbers={**marker.numbers, **sums})

    def frame(s: Symbols) -> Frame:
        inner = marker.frame(s)
        return Frame(inner.p + s.vector("carried") + s.t * s.vector("drift"), inner.R)

    return Marker(
        body=marker.body,
        law=("carried", marker.law),
        coordinates=marker.coordinates,
        numbers={**marker.numbers, **numbers("carried", by), **numbers("drift", velocity)},
        frame=frame,
    )
