"""The CX pantograph as seven bodies in space, from its tables                    [Ambrosio11, tables 6–12].

     head ═══════╤═══════         z up, x along the track, y to the left
stabilisation arm├── top link ─╮
                 ╲── top arm ──╲│ knee
                       lower arm╱│── lower link
     base ══════════●══════●════
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, final

import casadi as ca

from panhead.bodies import Carrier, RigidBody
from panhead.errors import require_finite, require_not_negative, require_positive
from panhead.forces import Line, SpringDamper, Twist
from panhead.joints import PointOnLine, Revolute, RevolutePrismatic, Spherical, Universal
from panhead.joints.joint import Joint
from panhead.multibody import Model
from panhead.pantograph.cx_flexible import FlexibleMember
from panhead.pantograph.linkage import Linkage, TableJoint, read_linkage
from panhead.pantograph.roof import AlongTrack
from panhead.pantograph.strip import Strip, StripStation
from panhead.roles import Expression, Frame, Item, Marker, Symbols, Triple

_X, _Y, _Z = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
HALF_WIDTH = 0.8  #: of the strip: half the length of a European pan-head, an assumption [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GimbalGuide(Joint):
    """It slides along the z axis of A, pitches and rolls, but does not yaw: d·x_A = 0, d·y_A = 0, x_B·y_A = 0."""

    labels = ("across x", "across y", "yaw")

    @staticmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        d = B.p - A.p
        return ca.vertcat(ca.dot(d, A.x), ca.dot(d, A.y), ca.dot(A.y, B.x))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CxModel:
    """The seven bodies with their joints, springs and the moment that lifts them, and one or two strips.

    ``head_turns`` about x on its two springs (roll), about y as printed (pitch, without any stiffness), or
    both. ``joints`` as printed repeat one another between rigid bodies; the determinate set does not.
    """

    linkage: Linkage = field(default_factory=lambda: read_linkage("cx"))
    flexible: Literal["none", "top arm", "head"] = "none"  #: models 1, 2 and 4 of the paper
    moment: float = 0.0  #: on the lower arm about y; positive: raises the head [N·m]
    head_turns: Literal["roll", "pitch", "roll and pitch"] = "roll"
    joints: Literal["determinate", "printed"] = "determinate"
    base: Triple = (0.0, 0.0, 0.0)  #: of the base's origin at t = 0, z above the rails [m]
    speed: float = 0.0  #: along x [m/s]
    strips: Literal[1, 2] = 1
    strip_gap: float = 0.27  #: between two strips, along the track; an assumption [m]
    drag: bool = False  #: controls for forces along the track as well

    def __post_init__(self) -> None:
        require_finite(self, "moment", "speed")
        require_not_negative(self, "speed")
        require_positive(self, "strip_gap")

    def parts(self) -> CxParts:
        """Bodies, joints, forces and strips."""
        return CxParts(self)

    def model(self, *more: Item) -> Model:
        """As a model; ``more`` items join in."""
        parts = self.parts()
        return Model(name=self.linkage.name, items=(*parts.items(), *more))


@final
class CxParts:
    """What a description becomes: items that know one another."""

    def __init__(self, description: CxModel) -> None:
        self.of = description
        first, *others = description.linkage.bodies
        self.roof = Carrier(name=first.name, position=AlongTrack(description.speed))
        self.rigid = {
            body.name: RigidBody(
                name=body.name,
                mass=body.mass,
                inertia=body.inertia,
                position=_sum(description.base, body.position),
                attitude=body.attitude,
                velocity=(description.speed, 0.0, 0.0),
            )
            for body in others
            if body.name != description.flexible
        }
        self.bending = (
            None
            if description.flexible == "none"
            else FlexibleMember(
                description.linkage, description.flexible, description.base, description.speed
            )
        )

    def place(self, body: str, point: Triple, axis: Triple, across: Triple | None = None) -> Marker:
        """A place on a body, in its axes."""
        if (
            body == self.roof.name
        ):  # where it stands is a number, not a law: no new code for another place
            return self.roof.at(_sum(self.of.base, point), axis=axis, across=across)
        if self.bending is not None and body == self.bending.member:
            return self.bending.place(point, axis, across)
        return self.rigid[body].at(point, axis=axis, across=across)

    def middle(self) -> Marker:
        """The middle of the head."""
        if self.bending is not None and self.bending.member == "head":
            return self.bending.middle()
        return self.rigid["head"].at(axis=_Z, across=_X)

    def items(self) -> tuple[Item, ...]:
        """Everything but the contact."""
        tables = self.of.linkage
        stations = [station for strip in self.strips() for station in strip.stations]
        lift = Twist(
            name="lift",
            at=self.place("lower arm", (0.0, 0.0, 0.0), _Z),
            torque=(0.0, self.of.moment, 0.0),
        )
        joints = [self.joint(row) for row in tables.joints]
        springs = [self.spring(k) for k in range(len(tables.springs))]
        bending = () if self.bending is None else self.bending.items()
        return (self.roof, *self.rigid.values(), *bending, *joints, *springs, lift, *stations)

    def joint(self, row: TableJoint) -> Joint:
        """A row of the table of joints."""
        kind = row.kind if self._as_printed(row) else row.rigid or row.kind
        if kind == "revolute-prismatic":
            return self._guide(row)
        axis_b = _Z if kind == "universal" else _Y  # a cross: y of one side, z of the other
        a, b = self.place(row.a, row.at_a, _Y), self.place(row.b, row.at_b, axis_b)
        kinds: dict[str, type[Joint]] = {
            "revolute": Revolute,
            "spherical": Spherical,
            "universal": Universal,
            "point on line": PointOnLine,
        }
        return kinds[kind](name=row.name, a=a, b=b)

    def _as_printed(self, row: TableJoint) -> bool:
        """Of a flexible top arm both ends of the fork are held as printed: its shapes make room for it."""
        fork = {row.a, row.b} == {"top arm", "stabilisation arm"}
        return self.of.joints == "printed" or (fork and self.of.flexible == "top arm")

    def _guide(self, row: TableJoint) -> Joint:
        across = _Y if self.of.head_turns == "pitch" else _X
        kind = GimbalGuide if self.of.head_turns == "roll and pitch" else RevolutePrismatic
        a = self.place(row.a, row.at_a, _Z, across)
        return kind(name=row.name, a=a, b=self.place(row.b, row.at_b, _Z, across))

    def spring(self, k: int) -> SpringDamper:
        """Row k of the table of springs."""
        row = self.of.linkage.springs[k]
        ends = Line(a=self.place(row.a, row.at_a, _Z), b=self.place(row.b, row.at_b, _Z))
        return SpringDamper(
            name=row.name,
            along=ends,
            stiffness=row.stiffness,
            damping=row.damping,
            rest=row.length,
        )

    def strips(self) -> tuple[Strip, ...]:
        """One strip through the head's centre, or one before and one behind it."""
        if self.of.strips == 1:
            return (self._strip("strip", 0.0),)
        half = self.of.strip_gap / 2
        return self._strip("front strip", half), self._strip("rear strip", -half)

    def _strip(self, name: str, x: float) -> Strip:
        if self.bending is not None and self.bending.member == "head":
            return self.bending.strip(name, x, HALF_WIDTH, self.of.drag)
        at = self.place("head", (x, 0.0, 0.0), _Z, _X)
        station = StripStation(name=name, at=at, drag=self.of.drag)
        return Strip(name=name, places=(0.0,), stations=(station,), half_width=HALF_WIDTH)


def _sum(a: Triple, b: Triple) -> Triple:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])
