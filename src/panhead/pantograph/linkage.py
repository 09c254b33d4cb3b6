"""A pantograph of bodies, joints and springs as printed in tables: what is read from ``data/linkages``."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from typing import Any, ClassVar, Literal, final

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files import library
from panhead.pantograph.members import ForkedArm, StripBeam
from panhead.roles import Triple
from panhead.rotations import Quaternion

JointKind = Literal["revolute", "spherical", "universal", "point on line", "revolute-prismatic"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class TableBody:
    """One row of a table of bodies."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    mass: float  #: [kg]
    inertia: Triple  #: about the body's own axes [kg·m²]
    position: Triple  #: of the centre of mass, as printed [m]
    turn: Triple  #: e1, e2, e3 of the Euler parameters, as printed
    remark: str = ""

    def __post_init__(self) -> None:
        require_positive(self, "mass")
        if not sum(e * e for e in self.turn) < 1:
            raise ModelError(f"body {self.name!r}: turn {self.turn!r} is longer than 1")

    @property
    def attitude(self) -> Quaternion:
        """All four Euler parameters, e0 = √(1 − e1² − e2² − e3²) > 0."""
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
    at_a: Triple  #: in the axes of body a [m]
    at_b: Triple  #: in the axes of body b [m]
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
    printed: str = ""

    def __post_init__(self) -> None:
        require_not_negative(self, "stiffness", "damping")
        require_positive(self, "length")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Linkage:
    """The tables of one pantograph; the first body rests on the roof."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    bodies: tuple[TableBody, ...]
    joints: tuple[TableJoint, ...]
    springs: tuple[TableSpring, ...]
    printed_moment: float  #: on the lower arm [N·m]
    top_arm: ForkedArm  #: its shape, where it bends
    strip_beam: StripBeam  #: the head's shape, where it bends
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        known = {body.name for body in self.bodies}
        parts: tuple[TableJoint | TableSpring, ...] = (*self.joints, *self.springs)
        for part in parts:
            for name in (part.a, part.b):
                if name not in known:
                    raise ModelError(
                        f"{part.name!r} of {self.name!r} is fastened to {name!r}, which is not in its table of "
                        f"bodies: {', '.join(sorted(known))}"
                    )

    def corrections(self) -> tuple[str, ...]:
        """Misprints that are corrected here, one sentence each."""
        parts: tuple[TableJoint | TableSpring, ...] = (*self.joints, *self.springs)
        return tuple(f"{part.name}: {part.printed}" for part in parts if part.printed)

    def body(self, name: str) -> TableBody:
        """The row of a body."""
        return next(body for body in self.bodies if body.name == name)


def shipped_linkages() -> dict[str, Path]:
    """Name → file of every linkage that comes with the package, sorted by name."""
    return library.shipped("linkages")


def read_linkage(source: str | Path) -> Linkage:
    """A linkage by its shipped name or from a TOML file."""
    return library.read(Linkage, "linkages", source)
