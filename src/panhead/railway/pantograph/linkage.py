"""Linkage pantograph data: tables of bodies, joints and springs as published (``data/linkages``)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any, ClassVar, Literal, final

import numpy as np

from panhead.engine.roles import Triple
from panhead.engine.rotations import Quaternion, about, matrix_of
from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files import library
from panhead.railway.pantograph.members import ForkedArm, StraightTube, StripBeam

JointKind = Literal["revolute", "spherical", "universal", "point on line", "revolute-prismatic", "prismatic"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TableBody:
    """One row of a table of bodies."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    mass: float  #: [kg]
    inertia: Triple  #: about the body's own axes [kg·m²]
    position: Triple  #: of the centre of mass, as printed [m]
    turn: Triple = (0.0, 0.0, 0.0)  #: e1, e2, e3 of the Euler parameters, as printed
    pitch: float | None = None  #: or the angle about y, as printed [rad]
    remark: str = ""

    def __post_init__(self) -> None:
        require_positive(self, "mass")
        if not sum(e * e for e in self.turn) < 1:
            raise ModelError(
                f"body {self.name!r}: turn {self.turn!r} must have a norm of at most 1 (Euler parameters e1, e2, e3)"
            )

    @property
    def attitude(self) -> Quaternion:
        """All four Euler parameters, e0 = √(1 − e1² − e2² − e3²) > 0."""
        if self.pitch is not None:
            return about((0.0, 1.0, 0.0), self.pitch)
        return (sqrt(1 - sum(e * e for e in self.turn)), *self.turn)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TableJoint:
    """One row of a table of joints; hinges are about y, guides along z."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    number: int
    name: str
    kind: JointKind  #: as printed
    a: str
    b: str
    at_a: Triple = (0.0, 0.0, 0.0)  #: in the axes of body a [m]
    at_b: Triple = (0.0, 0.0, 0.0)  #: in the axes of body b [m]
    at: Triple | None = None  #: instead of both: in the axes of the table, as printed [m]
    rigid: JointKind | None = None  #: in place of it between rigid bodies
    printed: str = ""  #: a misprint that is corrected here
    remark: str = ""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TableSpring:
    """One row of a table of springs with dampers beside them."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    number: int
    name: str
    a: str
    b: str
    at_a: Triple  #: [m]
    at_b: Triple  #: [m]
    stiffness: float  #: [N/m]
    damping: float  #: [N·s/m]
    length: float  #: without load [m]
    along: Literal["line", "guide"] = "line"  #: between both places, or along z of body a
    printed: str = ""
    remark: str = ""

    def __post_init__(self) -> None:
        require_not_negative(self, "stiffness", "damping")
        require_positive(self, "length")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Linkage:
    """The tables of one pantograph."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    bodies: tuple[TableBody, ...]
    joints: tuple[TableJoint, ...]
    springs: tuple[TableSpring, ...]
    base: str = "base"  #: body that is fixed to the roof; its row, if there is one, is not used
    lifted: str = "lower arm"  #: body on which uplift force and moment act
    plunger: str = "stabilisation arm"  #: body on which the head is guided
    head: str = "head"  #: body that carries the strips, at its origin
    above_rails: bool = False  #: heights of the table are measured from the rails, otherwise from the base
    uplift: float = 0.0  #: vertical force at the centre of mass of the lifted body [N]
    moment: float = 0.0  #: moment on the lifted body about y; positive: raises the head [N·m]
    top_arm: ForkedArm | None = None  #: shape of the top arm, for a flexible one
    strip_beam: StripBeam | None = None  #: shape of the head, for a flexible one
    tubes: tuple[StraightTube, ...] = ()  #: shapes of lower arm and links, for flexible ones
    sources: tuple[str, ...] = ()  #: sources of the data

    def __post_init__(self) -> None:
        known = {self.base, *(body.name for body in self.bodies)}
        parts: tuple[TableJoint | TableSpring, ...] = (*self.joints, *self.springs)
        named = [(part.name, name) for part in parts for name in (part.a, part.b)]
        named += [("its " + n, getattr(self, n)) for n in ("lifted", "plunger", "head")]
        for part, name in named:
            if name not in known:
                raise ModelError(
                    f"{part!r} of {self.name!r} is attached to {name!r}, which is not in its table of "
                    f"bodies: {', '.join(sorted(known))}"
                )
        object.__setattr__(self, "joints", tuple(self._on_bodies(row) for row in self.joints))

    def _on_bodies(self, row: TableJoint) -> TableJoint:
        """Convert a joint given in the table's axes to its places on both bodies."""
        if row.at is None:
            return row
        return replace(row, at=None, at_a=self._local(row.a, row.at), at_b=self._local(row.b, row.at))

    def _local(self, name: str, point: Triple) -> Triple:
        if name == self.base:
            return point
        body = self.body(name)
        x, y, z = np.array(matrix_of(body.attitude)).T @ (np.array(point) - np.array(body.position))
        return float(x), float(y), float(z)

    @property
    def moving(self) -> tuple[TableBody, ...]:
        """All bodies except the base."""
        return tuple(body for body in self.bodies if body.name != self.base)

    def corrections(self) -> tuple[str, ...]:
        """Corrected misprints, one sentence each."""
        parts: tuple[TableJoint | TableSpring, ...] = (*self.joints, *self.springs)
        return tuple(f"{part.name}: {part.printed}" for part in parts if part.printed)

    def body(self, name: str) -> TableBody:
        """Table row of a body."""
        return next(body for body in self.bodies if body.name == name)


def read_linkage(source: str | Path) -> Linkage:
    """Read a linkage by its shipped name or from a TOML file."""
    return library.read(Linkage, "linkages", source)
