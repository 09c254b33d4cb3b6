"""What a pantograph is to the solvers that carry it: items on a mount, with collector strips under the wire.

    wire   ════════════════════
    strips         ▔▔▔▔              ``Mechanics.strips``
    items           ╱╲               ``Mechanics.items``
    mount   ───────┴──┴───────       axes that move with the train, or the car body of a vehicle

At constant speed physics is the same in axes that move with the train: a pantograph is told there, its coordinates
stay small, and only the places that touch the wire are carried along the line (``moving_marker``).
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
    """What a pantograph stands on."""

    @property
    def speed(self) -> float:
        """Of the train through the air [m/s]."""

    @property
    def gravity(self) -> float:
        """Acceleration of free fall [m/s²]."""

    @property
    def velocity(self) -> Triple:
        """Of its places at the start, in the axes in which the pantograph is told [m/s]."""

    def at(self, point: Triple, *, axis: Triple = UP, across: Triple | None = None) -> Marker:
        """Its place that lies at this point [m] at the start."""


@final
@dataclass(frozen=True, slots=True)
class TrainAxes:
    """A roof that runs straight on at constant speed, seen from the train: it rests."""

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
    """The car body of a vehicle, seen from the track: it feels its pantograph."""

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
    """Where a controller of the pan-head works, and the numbers of a lumped estimate of the contact force."""

    travel: Slide  #: from the plunger to the pan-head, along the guide
    springs: tuple[str, ...]  #: items that act along it
    mass: float  #: of the pan-head [kg]
    stiffness: float  #: of all springs together [N/m]
    damping: float  #: [N·s/m]
    length: float  #: of the travel without load [m]
    carried: bool = False  #: its weight is carried by something that is not among the items

    def numbers(self) -> dict[str, float]:
        """Of the head alone, as the model of a regulator calls them."""
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
    """What a pantograph becomes on a mount."""

    items: tuple[Item, ...]  #: bodies, joints, springs, lift; neither the mount nor anything that touches the wire
    strips: tuple[Strip, ...]  #: ``strip.middle`` slides under a wire; ``strip.stations`` are pushed by controls
    head: HeadSuspension | None = None  #: None: there is no such place
    places: Mapping[str, float] = field(default_factory=dict)
    """Coordinate → value at the start, where statics knows better than the items."""


class Pantograph(Protocol):
    """A pantograph by its description."""

    @property
    def name(self) -> str:
        """For people."""

    @property
    def contact_stiffness(self) -> float:
        """Between strip and wire, unless the run says otherwise [N/m]."""

    @property
    def contact_damping(self) -> float:
        """[N·s/m]."""

    @property
    def pan_head(self) -> PanHead:
        """How wide it is across the track."""

    @property
    def strip_height(self) -> float | None:
        """Of the strip above the rails at the start, if its description fixes it [m]; None: where the wire is."""

    @property
    def reach(self) -> float:
        """How far ahead of its foot its strip is, along the track [m]."""

    def on(
        self, mount: Mount, strip: Triple, *, rest: float | None = None, ramp: float = 0.0, label: str = ""
    ) -> Mechanics:
        """It stands on the mount with the middle of its strip (of the first, if it has several) at ``strip`` [m].

        ``rest``: height at which springs to the roof carry just its weight, None: there; ``ramp``: time over which it
        is lifted from where it stands [s], 0: at once; ``label`` begins the names of its items.
        """


def moving_marker(marker: Marker, *, by: Triple, velocity: Triple = (0.0, 0.0, 0.0)) -> Marker:
    """The same place told in other axes: p + by + velocity · t; equal laws share compiled code at every speed."""
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
