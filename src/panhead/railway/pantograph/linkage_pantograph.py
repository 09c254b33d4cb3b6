"""Linkage pantograph as a multibody model: bodies, joints and springs from tables, on any mount.

head ═══════╤═══════         z up, x along the track, y to the left
     plunger├── top link ─╮
            ╲── top arm ──╲│ knee
                  lower arm╱│── lower link
base ══════════●══════●════
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, final

import casadi as ca
import numpy as np

from panhead.engine.bodies import RigidBody
from panhead.engine.forces import LineBetween, Push, Slide, SpringDamper, Twist
from panhead.engine.joints import PointOnLine, Prismatic, Revolute, RevolutePrismatic, Spherical, Universal
from panhead.engine.joints.joint import Joint
from panhead.engine.laws.gravity import GRAVITY, downwards
from panhead.engine.multibody import Model
from panhead.engine.roles import Expression, Frame, Item, Marker, Symbols, Triple
from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.files.units import Metres, Newtons, NewtonSecondsPerMetre, NewtonsPerMetre
from panhead.railway.pantograph.flexible_member import FlexibleMember, FlexibleMembers, flexible_members
from panhead.railway.pantograph.linkage import Linkage, TableJoint, TableSpring, read_linkage
from panhead.railway.pantograph.pan_head import PanHead
from panhead.railway.pantograph.pantograph_protocol import HeadSuspension, Mechanics, Mount, TrainAxes, mean_marker
from panhead.railway.pantograph.strip import Strip, StripStation

_X, _Y, _Z = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_ORIGIN: Triple = (0.0, 0.0, 0.0)
_HINGES: dict[str, type[Joint]] = {
    "revolute": Revolute,
    "spherical": Spherical,
    "universal": Universal,
    "point on line": PointOnLine,
    "prismatic": Prismatic,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GimbalGuide(Joint):
    """Guide along the z axis of A that allows pitch and roll but no yaw: d·x_A = 0, d·y_A = 0, x_B·y_A = 0."""

    labels = ("across x", "across y", "yaw")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        d = B.p - A.p
        return ca.vertcat(ca.dot(d, A.x), ca.dot(d, A.y), ca.dot(A.y, B.x))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LinkagePantograph:
    """Linkage tables with options: lifting moment or static uplift force, flexible member, one or two strips.

    It is raised by the ``moment``, by default the table's; or, with a ``static_force``, by the moment that gives
    this static uplift force at ``height``.
    ``head_turns`` about x on its two springs (roll), about y as printed (pitch, without any stiffness), or both,
    where the table's guide lets it turn. ``printed_joints`` may repeat one another between rigid bodies; the table's
    determinate set does not.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    linkage: str | Linkage = "cx"  #: shipped name, file, or the tables themselves
    flexible: FlexibleMembers = "none"  #: models 1, 2 and 4 of [Ambrosio11], or several members at once
    moment: float | None = None  #: on the lifted body about y; positive: raises the head; None: the table's [N·m]
    static_force: Newtons | None = None  #: contact force at standstill [N]; None: what the moment gives
    height: Metres | None = None  #: of the strip above the base at the start; None: the table's [m]
    uplift: Newtons | None = None  #: vertical force at the lifted body's centre; None: the table's [N]
    arm_damping: NewtonSecondsPerMetre = 0.0  #: of a vertical damper between it and what it stands on [N·s/m]
    head_stiffness: NewtonsPerMetre | None = None  #: of all head springs together; None: the table's
    head_damping: NewtonSecondsPerMetre | None = None  #: [N·s/m]
    head_turns: Literal["roll", "pitch", "roll and pitch"] = "roll"
    printed_joints: bool = False  #: instead of the determinate set
    strips: Literal[1, 2] = 1
    strip_gap: Metres = 0.27  #: between two strips, along the track; an assumption [m]
    drag: bool = False  #: controls for forces along the track as well
    contact_acts_on: Literal["strip", "virtual bodies"] = "strip"
    """Where the contact force enters a flexible head: at the wire's place on the strip, or shared by the lever rule
    between the virtual bodies at its springs [Ambrosio11, table 12]."""
    contact_stiffness: NewtonsPerMetre = 50e3  #: between strip and wire [N/m]
    contact_damping: NewtonSecondsPerMetre = 0.0  #: [N·s/m]
    pan_head: PanHead = field(default_factory=PanHead)  #: how wide it is across the track

    def __post_init__(self) -> None:
        if not isinstance(self.linkage, Linkage):
            object.__setattr__(self, "linkage", read_linkage(self.linkage))
        require_finite(self, "moment")
        require_not_negative(self, "arm_damping", "contact_damping")
        require_positive(self, "strip_gap", "contact_stiffness")
        if self.static_force is not None and self.moment is not None:
            raise ModelError(
                f"pantograph {self.name!r}: give static_force or moment, not both; the moment follows from the force"
            )
        if self.contact_acts_on == "virtual bodies" and not self.bends(self.tables.head):
            raise ModelError(
                f"pantograph {self.name!r}: contact_acts_on = 'virtual bodies' needs a flexible head; "
                f"a head that is rigid has the same motion either way (flexible = {self.flexible!r})"
            )
        if self.tables.above_rails and self.static_force is None and self.height is not None:
            raise ModelError(f"pantograph {self.name!r}: height applies to static_force only; give static_force too")

    @property
    def tables(self) -> Linkage:
        """The linkage with its tables."""
        assert isinstance(self.linkage, Linkage)
        return self.linkage

    @property
    def name(self) -> str:
        return self.tables.name

    def bends(self, member: str) -> bool:
        """True if a member of the table is flexible."""
        return member in flexible_members(self.flexible)

    @property
    def strip_height(self) -> float | None:
        """Strip height of the table, if it is measured from the rails [m]."""
        tables = self.tables
        return tables.body(tables.head).position[2] if tables.above_rails else None

    @property
    def printed_height(self) -> float:
        """Height of the strip above the base in the tables [m]."""
        return self.tables.body(self.tables.head).position[2]

    @property
    def strip_above_base(self) -> float:
        """Initial height of the strip above the base [m]."""
        return self.printed_height if self.height is None else self.height

    @property
    def reach(self) -> float:
        """Distance along the track from the middle of its base joints to its strip [m]."""
        tables = self.tables
        feet = [row.at_a[0] for row in tables.joints if row.a == tables.base]
        feet += [row.at_b[0] for row in tables.joints if row.b == tables.base]
        return tables.body(tables.head).position[0] - float(np.mean(feet))

    def on(
        self, mount: Mount, strip: Triple, *, rest: float | None = None, ramp: float = 0.0, label: str = ""
    ) -> Mechanics:
        """Mount it (see ``Pantograph.on``); it starts in equilibrium, so that there is no ramp."""
        del rest, ramp
        head = self.tables.body(self.tables.head).position
        ahead = 0.5 * self.strip_gap if self.strips == 2 else 0.0
        x, y, z = strip[0] - head[0] - ahead, strip[1] - head[1], strip[2] - head[2]
        if self.tables.above_rails and self.static_force is None:
            return self.parts(mount, base=(x, y, z), label=label).mechanics()
        from panhead.railway.pantograph.pantograph_statics import static_force_at_height

        moment, _, places = static_force_at_height(self, mount.gravity)
        z = strip[2] - self.strip_above_base
        shift = {"x": x, "y": y, "z": z}
        moved = {f"{label}{n}": q + shift.get(n.rsplit(".", 1)[1], 0.0) for n, q in places}
        return self.parts(mount, base=(x, y, z), label=label, moment=moment).mechanics(moved)

    def parts(
        self, mount: Mount | None = None, *, base: Triple = _ORIGIN, label: str = "", moment: float | None = None
    ) -> LinkageParts:
        """Build its parts with the base's origin at ``base`` [m]; without a mount the base is fixed."""
        moment = self.moment if moment is None else moment
        lift = self.tables.moment if moment is None else moment
        return LinkageParts(self, mount or TrainAxes(0.0), base, label, lift)

    def model(self, *more: Item, base: Triple = _ORIGIN, stations: bool = True, gravity: float = GRAVITY) -> Model:
        """Build a model with a fixed base, plus ``more`` items."""
        parts = self.parts(base=base)
        pushed = parts.stations() if stations else ()
        return Model(name=self.name, items=(*parts.items(), *pushed, *more), gravity=downwards(gravity))


@final
class LinkageParts:
    """Model items built from the description, with references to one another."""

    def __init__(self, description: LinkagePantograph, mount: Mount, base: Triple, label: str, moment: float) -> None:
        self.of, self.tables, self.mount = description, description.tables, mount
        self.base, self.label, self.moment = base, label, moment
        self.rigid = {
            body.name: RigidBody(
                name=label + body.name,
                mass=body.mass,
                inertia=body.inertia,
                position=_sum(base, body.position),
                attitude=body.attitude,
                velocity=mount.velocity,
            )
            for body in self.tables.moving
            if not description.bends(body.name)
        }
        self.bending = {
            member: FlexibleMember(self.tables, member, base=base, velocity=mount.velocity, label=label)
            for member in flexible_members(description.flexible)
        }

    def place(self, body: str, point: Triple = _ORIGIN, axis: Triple = _Z, across: Triple | None = None) -> Marker:
        """Marker on a body, in its axes."""
        if body == self.tables.base:
            return self.mount.at(_sum(self.base, point), axis=axis, across=across)
        if body in self.bending:
            return self.bending[body].place(point, axis, across)
        return self.rigid[body].at(point, axis=axis, across=across)

    def middle(self) -> Marker:
        """Marker at the middle of the head."""
        if self._flexible_head is not None:
            return self._flexible_head.middle()
        return self.rigid[self.tables.head].at(axis=_Z, across=_X)

    def held_points(self) -> tuple[Marker, ...]:
        """Markers on which the contact force acts with the wire over the middle."""
        if self.of.contact_acts_on == "virtual bodies" and self._flexible_head is not None:
            return self._flexible_head.over_springs()
        return (self.middle(),)

    @property
    def _flexible_head(self) -> FlexibleMember | None:
        return next((member for name, member in self.bending.items() if name == self.tables.head), None)

    def mechanics(self, places: dict[str, float] | None = None) -> Mechanics:
        """Mechanics for the solvers."""
        return Mechanics(items=self.items(), strips=self.strips(), head=self.suspension(), places=places or {})

    def items(self) -> tuple[Item, ...]:
        """All items except the strips' stations."""
        tables, of = self.tables, self.of
        centre, uplift = (self.place(tables.lifted), tables.uplift if of.uplift is None else of.uplift)
        lift: list[Item] = [Twist(name=f"{self.label}lift", at=centre, torque=(0.0, self.moment, 0.0))]
        if uplift:
            lift.append(Push(name=f"{self.label}uplift", at=centre, force=(0.0, 0.0, uplift)))
        if of.arm_damping:
            along = Slide(a=self.mount.at(_sum(self.base, tables.body(tables.lifted).position)), b=centre)
            lift.append(SpringDamper(name=f"{self.label}arm damper", along=along, damping=of.arm_damping))
        joints = [self.joint(row) for row in tables.joints]
        springs = [self.spring(row) for row in tables.springs]
        bending = [item for member in self.bending.values() for item in member.items()]
        return (*self.rigid.values(), *bending, *joints, *springs, *lift)

    def stations(self) -> tuple[StripStation, ...]:
        """Stations of all strips."""
        return tuple(station for strip in self.strips() for station in strip.stations)

    def joint(self, row: TableJoint) -> Joint:
        """Joint from a row of the table."""
        kind = row.kind if self._as_printed(row) else row.rigid or row.kind
        if kind == "revolute-prismatic":
            return self._guide(row)
        # a cross: y of one side, z of the other; a guide: z of both
        axis_a = _Z if kind == "prismatic" else _Y
        axis_b = _Z if kind in ("universal", "prismatic") else _Y
        a, b = self.place(row.a, row.at_a, axis_a), self.place(row.b, row.at_b, axis_b)
        return _HINGES[kind](name=self.label + row.name, a=a, b=b)

    def _as_printed(self, row: TableJoint) -> bool:
        """Return whether a joint is built as printed: with a flexible top arm both ends of the fork may be held."""
        fork = {row.a, row.b} == {"top arm", self.tables.plunger}
        return self.of.printed_joints or (fork and "top arm" in self.bending)

    def _guide(self, row: TableJoint) -> Joint:
        across = _Y if self.of.head_turns == "pitch" else _X
        kind = GimbalGuide if self.of.head_turns == "roll and pitch" else RevolutePrismatic
        a = self.place(row.a, row.at_a, _Z, across)
        return kind(name=self.label + row.name, a=a, b=self.place(row.b, row.at_b, _Z, across))

    def spring(self, row: TableSpring) -> SpringDamper:
        """Spring from a row of the table; head springs with the values chosen for all of them together."""
        stiffness, damping = row.stiffness, row.damping
        heads = self._head_springs()
        if row in heads and self.of.head_stiffness is not None:
            stiffness = self.of.head_stiffness / len(heads)
        if row in heads and self.of.head_damping is not None:
            damping = self.of.head_damping / len(heads)
        kind = LineBetween if row.along == "line" else Slide
        return SpringDamper(
            name=self.label + row.name,
            along=kind(a=self.place(row.a, row.at_a), b=self.place(row.b, row.at_b)),
            stiffness=stiffness,
            damping=damping,
            rest=row.length,
        )

    def _head_springs(self) -> list[TableSpring]:
        ends = {self.tables.plunger, self.tables.head}
        return [row for row in self.tables.springs if {row.a, row.b} == ends]

    def suspension(self) -> HeadSuspension:
        """Suspension between plunger and head; that of a flexible head ends half-way between its virtual bodies."""
        bent, plunger, head = self._flexible_head, self.tables.plunger, self.tables.head
        end = self.place(head) if bent is None else mean_marker(*bent.over_springs())
        springs = [self.spring(row) for row in self._head_springs()]
        return HeadSuspension(
            travel=Slide(a=self.place(plunger), b=end),
            springs=tuple(s.name for s in springs),
            mass=self.tables.body(head).mass,
            stiffness=sum(s.stiffness for s in springs),
            damping=sum(s.damping for s in springs),
            length=float(np.mean([s.rest for s in springs])),
        )

    def strips(self) -> tuple[Strip, ...]:
        """One strip through the head's centre, or one in front of and one behind it."""
        if self.of.strips == 1:
            return (self._strip("strip", 0.0),)
        half = self.of.strip_gap / 2
        return self._strip("front strip", half), self._strip("rear strip", -half)

    def _strip(self, name: str, x: float) -> Strip:
        name, half_width = self.label + name, 0.5 * self.of.pan_head.length
        bent = self._flexible_head
        if bent is not None:
            build = bent.strip_on_virtual_bodies if self.of.contact_acts_on == "virtual bodies" else bent.strip
            return build(name, x, half_width, self.of.drag)
        at = self.place(self.tables.head, (x, 0.0, 0.0), _Z, _X)
        station = StripStation(name=name, at=at, drag=self.of.drag)
        return Strip(name=name, places=(0.0,), stations=(station,), half_width=half_width)


def _sum(a: Triple, b: Triple) -> Triple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])
