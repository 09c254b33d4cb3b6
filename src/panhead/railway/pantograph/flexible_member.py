"""Flexible member of a linkage: a floating body, and virtual bodies where joints and springs attach."""

from __future__ import annotations

from typing import Literal, final

import numpy as np

from panhead.engine.bodies import FloatingBody, VirtualBody
from panhead.engine.joints import RigidFlexible
from panhead.engine.roles import Item, Marker, Triple
from panhead.engine.rotations import matrix_of
from panhead.engine.structures import FORCES, ReducedStructure, Structure, reduce_structure
from panhead.errors import ModelError
from panhead.railway.pantograph.linkage import Linkage, TableBody
from panhead.railway.pantograph.members import ForkedArm, StraightTube, StripBeam
from panhead.railway.pantograph.strip import Strip, StripStation

Flexible = Literal["top arm", "head", "lower arm", "lower link", "top link"]
FlexibleMembers = Literal["none", "top arm", "head", "top arm and head", "lower arm and links", "all"]
_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
_NEAR = 1e-9  # two points closer than this are one [m]
_TUBES: tuple[Flexible, ...] = ("lower arm", "lower link", "top link")
#: Shapes of a member: as many vibrations as are printed, and the deflections under forces across it.
VIBRATIONS = 6


def flexible_members(chosen: FlexibleMembers) -> tuple[Flexible, ...]:
    """The members that a choice names."""
    chosen_members: dict[str, tuple[Flexible, ...]] = {
        "top arm": ("top arm",),
        "head": ("head",),
        "top arm and head": ("top arm", "head"),
        "lower arm and links": _TUBES,
        "all": ("top arm", "head", *_TUBES),
    }
    return chosen_members.get(chosen, ())


def member_shape(linkage: Linkage, member: Flexible) -> ForkedArm | StripBeam | StraightTube:
    """Structure of a flexible member; ModelError if the tables have none."""
    shapes: dict[str, ForkedArm | StripBeam | StraightTube | None] = {tube.member: tube for tube in linkage.tubes}
    shapes |= {"top arm": linkage.top_arm, "head": linkage.strip_beam}
    shape = shapes.get(member)
    if shape is None:
        raise ModelError(f"{linkage.name!r} has no flexible data for its {member}; leave it rigid, or use 'cx'")
    return shape


def member_structure(linkage: Linkage, member: Flexible) -> Structure:
    """Beam structure of a member, in the axes of the table's body."""
    return member_shape(linkage, member).structure()


def reduced_member(linkage: Linkage, member: Flexible) -> ReducedStructure:
    """Mean axes, free–free vibrations and static corrections                [Ambrosio11, eqs (5)–(14)]."""
    shape = member_shape(linkage, member)
    return reduce_structure(
        shape.structure(),
        interfaces=shape.places,
        modes=VIBRATIONS,
        corrections=FORCES[2:] if isinstance(shape, StripBeam) else FORCES[1:],
        damping=shape.damping,
    )


@final
class FlexibleMember:
    """Floating body that replaces a row of the table of bodies."""

    def __init__(self, linkage: Linkage, member: Flexible, *, base: Triple, velocity: Triple, label: str = "") -> None:
        row: TableBody = linkage.body(member)
        self.member, self.structure = member, reduced_member(linkage, member)
        R = np.array(matrix_of(row.attitude))
        x, y, z = np.array(base) + np.array(row.position) + R @ self.structure.origin
        self.body = FloatingBody(
            name=label + member,
            structure=self.structure,
            position=(float(x), float(y), float(z)),
            attitude=row.attitude,
            velocity=velocity,
        )
        self.virtual = {
            place: VirtualBody(name=f"{label}{member} {place}", on=self.body.at(place, axis=_Z, across=_X))
            for place in member_shape(linkage, member).places
            if place != "middle"
        }

    def place(self, point: Triple, axis: Triple, across: Triple | None) -> Marker:
        """Marker on the virtual body at a point of the table; beside a tube, one that its station carries along."""
        for name, virtual in self.virtual.items():
            off = np.array(point) - self.structure.places[name].point - self.structure.origin
            if np.linalg.norm(off[:1] if self.member in _TUBES else off) < _NEAR:
                x, y, z = map(float, off)
                return virtual.at((x, y, z), axis=axis, across=across)
        known = ", ".join(self.virtual)
        raise ModelError(f"the flexible {self.member} has no node at {point!r} to attach to; it has nodes at {known}")

    def items(self) -> tuple[Item, ...]:
        """The body, its virtual bodies, and the joints between them."""
        held = [RigidFlexible(name=f"{v.name} held", a=v.on, b=v.at()) for v in self.virtual.values()]
        return (self.body, *self.virtual.values(), *held)

    def origins(self) -> dict[str, np.ndarray]:
        """Where the frames of the body and of its virtual bodies lie in the table's body, undeformed, (3,) [m]."""
        origin = np.asarray(self.structure.origin)
        places = {v.name: self.structure.places[k].point for k, v in self.virtual.items()}
        return {self.body.name: origin} | {name: point + origin for name, point in places.items()}

    def middle(self) -> Marker:
        """Marker at the middle of a flexible head."""
        return self.body.at("middle", axis=_Z, across=_X)

    def over_springs(self) -> tuple[Marker, Marker]:
        """Markers on the virtual bodies at the springs of a flexible head, from right to left."""
        right, left = (self.virtual[place].at(axis=_Z, across=_X) for place in ("right", "left"))
        return right, left

    def strip(self, name: str, x: float, half_width: float, drag: bool) -> Strip:
        """Strip with a station at every beam node, so that loads between nodes are consistent with the elements."""
        points = self.structure.points + self.structure.origin
        order = [int(j) for j in np.argsort(points[:, 1])]
        stations = tuple(
            StripStation(
                name=f"{name} {k + 1}",
                at=self.body.at(self.body.node(j), point=(x, 0.0, 0.0), axis=_Z, across=_X),
                drag=drag,
            )
            for k, j in enumerate(order)
        )
        places = tuple(float(points[j, 1]) for j in order)
        return Strip(name=name, places=places, stations=stations, half_width=half_width)

    def strip_on_virtual_bodies(self, name: str, x: float, half_width: float, drag: bool) -> Strip:
        """Strip whose force acts on the virtual bodies at the springs, shared by the lever rule [Ambrosio11, table 12].

        The wire's place between them is a point of the straight line through both; the strip itself bends freely.
        """
        ends = ("right", "left")
        stations = tuple(
            StripStation(
                name=f"{name} {place}", at=self.virtual[place].at((x, 0.0, 0.0), axis=_Z, across=_X), drag=drag
            )
            for place in ends
        )
        places = tuple(float((self.structure.places[place].point + self.structure.origin)[1]) for place in ends)
        return Strip(name=name, places=places, stations=stations, half_width=half_width, weighting="linear")
