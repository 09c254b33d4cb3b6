"""Description of a rail vehicle: car body, bogies, wheelsets, suspension.

    z│   ┌───────────── car body ─────────────┐      x forward, y to the left, z up from the rails;
     │   └──┬──┬──────────────────────┬──┬────┘      all places as the vehicle stands on level track
     └──▶  ◯    ◯  rear bogie        ◯    ◯  front

A bogie is described once, its places relative to its own centre on the rails, and put in several places.
Springs carry the weight as the vehicle stands: their free lengths follow from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files import library
from panhead.files.units import Kilograms, KilogramSquareMetres, Metres
from panhead.railway.vehicle.wheel_contact import WheelRailContact

Place = tuple[Metres, Metres, Metres]
Six = tuple[float, float, float, float, float, float]
CAR = "car body"
_NONE: Six = (0.0,) * 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A rigid body."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    mass: Kilograms
    inertia: tuple[KilogramSquareMetres, KilogramSquareMetres, KilogramSquareMetres]  #: xx, yy, zz [kg·m²]
    centre: Place  #: centre of mass [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class AxlePart:
    """A wheelset."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    mass: Kilograms
    inertia: KilogramSquareMetres  #: moment of inertia about a diameter [kg·m²]
    spin_inertia: KilogramSquareMetres  #: moment of inertia about the axle [kg·m²]
    x: Metres  #: position from the bogie's centre [m]

    def __post_init__(self) -> None:
        require_positive(self, "mass", "inertia", "spin_inertia")


@dataclass(frozen=True, slots=True, kw_only=True)
class Elastic:
    """Equal bushings (springs in all directions) at one place or several, from ``a`` up to ``b``."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    a: str
    b: str
    at: tuple[Place, ...]  #: [m]
    stiffness: Six  #: along x, y, z [N/m], about x, y, z [N·m/rad]
    damping: Six = _NONE  #: [N·s/m], [N·m·s/rad]

    def __post_init__(self) -> None:
        if min(self.stiffness) < 0 or min(self.damping) < 0:
            raise ModelError(f"Elastic {self.name!r}: stiffness and damping must not be negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class AxleBearing:
    """Equal bearings in which a wheelset ``b`` turns about y, held by the body ``a``."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    a: str
    b: str
    at: tuple[Place, ...]  #: [m]
    stiffness: float  #: across the axle [N/m]
    damping: float = 0.0  #: [N·s/m]
    axial_stiffness: float = 0.0  #: [N/m]
    axial_damping: float = 0.0  #: [N·s/m]
    tilt_stiffness: float = 0.0  #: [N·m/rad]
    tilt_damping: float = 0.0  #: [N·m·s/rad]

    def __post_init__(self) -> None:
        require_positive(self, "stiffness")


@dataclass(frozen=True, slots=True, kw_only=True)
class Strut:
    """Equal dampers or springs between a place on ``a`` and one on ``b``, by numbers or by tables.

    ``spring`` is a table of pull [N] over elongation [m], ``damper`` one of pull [N] over its rate [m/s].
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    a: str
    b: str
    ends: tuple[tuple[Place, Place], ...]  #: on a, on b [m]
    damping: float = 0.0  #: [N·s/m]
    stiffness: float = 0.0  #: stiffness, zero force at the length of the vehicle at rest [N/m]
    spring: tuple[tuple[float, float], ...] = ()
    damper: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        require_not_negative(self, "damping", "stiffness")
        if (self.damping or self.stiffness) and (self.spring or self.damper):
            raise ModelError(f"Strut {self.name!r}: give numbers or tables, not both")
        if not (self.damping or self.stiffness or self.spring or self.damper):
            raise ModelError(f"Strut {self.name!r}: give damping, stiffness, spring or damper")


@dataclass(frozen=True, slots=True, kw_only=True)
class AntiRollBar:
    """A bar that resists the roll of ``b`` against ``a``."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    a: str
    b: str
    at: Place  #: [m]
    stiffness: float  #: [N·m/rad]

    def __post_init__(self) -> None:
        require_positive(self, "stiffness")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pivot:
    """A joint: a hinge about ``axis`` or a ball; what rubs in a hinge is given as viscous."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    a: str
    b: str
    at: Place  #: [m]
    kind: Literal["revolute", "spherical"] = "revolute"
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    damping: float = 0.0  #: damping of the rotation about the axis [N·m·s/rad]

    def __post_init__(self) -> None:
        require_not_negative(self, "damping")


@dataclass(frozen=True, slots=True, kw_only=True)
class BogiePlace:
    """Where a bogie stands."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    x: Metres  #: position of its centre [m]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bogie:
    """All that is repeated with every bogie; places relative to its centre on the rails."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    bodies: tuple[Part, ...]
    wheelsets: tuple[AxlePart, ...]
    bushings: tuple[Elastic, ...] = ()
    bearings: tuple[AxleBearing, ...] = ()
    struts: tuple[Strut, ...] = ()
    anti_roll_bars: tuple[AntiRollBar, ...] = ()
    pivots: tuple[Pivot, ...] = ()

    def links(self) -> Sequence[Elastic | AxleBearing | Strut | AntiRollBar | Pivot]:
        """All links between two bodies."""
        return (*self.bushings, *self.bearings, *self.struts, *self.anti_roll_bars, *self.pivots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vehicle:
    """A car body on bogies."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    car: Part
    bogie: Bogie
    bogies: tuple[BogiePlace, ...]
    contact: WheelRailContact = field(default_factory=WheelRailContact)
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.car.name != CAR:
            raise ModelError(f"Vehicle {self.name!r}: car.name must be {CAR!r}, got {self.car.name!r}")
        if not self.bogies or not self.bogie.wheelsets:
            raise ModelError(f"Vehicle {self.name!r}: needs at least one bogie with one wheelset")
        known = [CAR, *(p.name for p in self.bogie.bodies), *(w.name for w in self.bogie.wheelsets)]
        names = known + [x.name for x in self.bogie.links()]
        for list_of in (names, [b.name for b in self.bogies]):
            twice = [name for name, count in Counter(list_of).items() if count > 1]
            if twice:
                raise ModelError(f"Vehicle {self.name!r}: several parts have the name {twice[0]!r}; rename them")
        for link in self.bogie.links():
            for end in (link.a, link.b):
                if end not in known:
                    raise ModelError(
                        f"Vehicle {self.name!r}: {link.name!r} is attached to {end!r}, which is none of "
                        f"{', '.join(known)}"
                    )
        axles = {axle.name for axle in self.bogie.wheelsets}
        for bearing in self.bogie.bearings:
            if bearing.b not in axles:
                raise ModelError(
                    f"Vehicle {self.name!r}: bearing {bearing.name!r} must hold a wheelset, but {bearing.b!r} is none"
                )

    @property
    def mass(self) -> float:
        """Total mass [kg]."""
        bodies = sum(part.mass for part in self.bogie.bodies)
        axles = sum(axle.mass for axle in self.bogie.wheelsets)
        return self.car.mass + len(self.bogies) * (bodies + axles)


def read_vehicle(source: str | Path) -> Vehicle:
    """Read a vehicle by its shipped name or from a TOML file."""
    return library.read(Vehicle, "vehicles", source)
