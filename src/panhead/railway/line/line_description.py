"""Description of an overhead contact line: wires, spans, droppers, supports, tension lengths.

    Line ─ wires, the usual dropper, the usual support, pre-sag
     └─ TensionLength (repeat, overlap with the next)
         ├─ Span (length, count, droppers)
         └─ Mast (changes at one support), irregularities

x runs along the track from the line's first mast, y to the left, z up from the rail. Everything is
frozen and in SI units; a TOML file holds the same words (see ``panhead.railway.line.line_files``).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar, Final, Literal, cast

from panhead.engine.laws.gravity import GRAVITY
from panhead.errors import (
    ModelError,
    require_at_most,
    require_finite,
    require_kind,
    require_not_negative,
    require_parts,
    require_positive,
)
from panhead.files.assumed_defaults import AssumedText
from panhead.files.chainage import Chainage
from panhead.files.units import Celsius, Degrees, Metres, MetresPerSecondSquared
from panhead.railway.line.alignment import TrackPoint, check_alignment
from panhead.railway.line.conductor_rail import RailJoint
from panhead.railway.line.insulators import NeutralSection, SectionInsulator
from panhead.railway.line.line_defects import DropperError, HardSpot, WornSection
from panhead.railway.line.parts import Dropper, DropperKind, Support
from panhead.railway.line.tensioning import Tensioning
from panhead.railway.line.wires import Wire

MOST_SPANS: Final = 100_000  #: of a line: five thousand kilometres
_MOST_EQUAL: Final = 5000  # spans in a row
_MOST_DROPPERS: Final = 1000  # of a span
_SHORTEST: Final = 0.01  # span [m]
_LONGEST: Final = 10_000.0  # span: a river crossing has two kilometres [m]

Supply = Literal["25 kV AC", "15 kV AC", "3 kV DC", "1.5 kV DC"]
SUPPLY: Final = cast("Supply", AssumedText("25 kV AC"))  #: of a line that names none


@dataclass(frozen=True, slots=True, kw_only=True)
class Stitch:
    """A short wire over each support, clamped to the messenger on both sides of it.

    Between its clamps it takes part of the messenger's tension: H_m − H_s remains there.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    wire: Wire  #: stitch wire
    reach: Metres  #: distance from the support to each clamp [m]

    def __post_init__(self) -> None:
        require_positive(self, "reach")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wires:
    """The wires of a line. A compound line has an auxiliary wire, a stitched one a stitch wire.

    Without a messenger the supports carry the contact wire itself: a trolley wire if it has tension, else a conductor
    rail.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    contact: Wire  #: contact wire
    messenger: Wire | None = None  #: messenger wire; None: a trolley wire or a conductor rail
    auxiliary: Wire | None = None  #: auxiliary wire between messenger and contact wire
    stitch: Stitch | None = None  #: stitch wires at the supports
    contact_count: Literal[1, 2] = 1  #: number of equal contact wires side by side
    contact_spacing: Metres = 0.04  #: lateral distance of two contact wires [m]

    def __post_init__(self) -> None:
        require_kind(self, Wire, "contact")
        require_positive(self, "contact_spacing")
        if self.messenger is None:
            self._require_plain()
            return
        require_kind(self, Wire, "messenger")
        self._require_taut()
        if self.stitch is not None and self.stitch.wire.tension >= self.messenger.tension:
            raise ModelError(
                f"Wires: the stitch wire's tension {self.stitch.wire.tension:g} N must be below "
                f"the messenger's {self.messenger.tension:g} N, which it relieves between its clamps"
            )
        if self.stitch is not None and self.auxiliary is not None:
            raise ModelError("Wires: stitch and auxiliary cannot be combined; remove one of them")

    def _require_taut(self) -> None:
        there = {"contact": self.contact, "messenger": self.messenger, "auxiliary": self.auxiliary}
        for name, wire in there.items():
            if wire is not None and not wire.tension > 0.0:
                raise ModelError(
                    f"wires.{name}: tension must be > 0, got {wire.tension!r}; only a conductor rail, "
                    "which has no messenger, may have tension 0"
                )

    def _require_plain(self) -> None:
        """Raise ModelError if a conductor rail has other wires."""
        there = {"auxiliary": self.auxiliary, "stitch": self.stitch, "contact_count = 2": self.contact_count == 2}
        for name, found in there.items():
            if found:
                raise ModelError(
                    f"Wires: {name} needs a messenger; give messenger, or remove {name} for a conductor rail"
                )

    @property
    def is_rail(self) -> bool:
        """True for a conductor rail: neither messenger nor tension."""
        return self.messenger is None and not self.contact.tension > 0.0

    @property
    def carrier(self) -> str:
        """Role of the wire carried by the masts."""
        return "contact" if self.messenger is None else "messenger"


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """``count`` equal spans. Droppers: listed, at positions, or a number of them at equal distances."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    length: Metres | None = None  #: length of the span [m]
    count: int = 1  #: number of equal spans
    kind: str | None = None  #: everything but count is taken from line.span_kinds[kind]
    presag: Metres | None = None  #: parabolic pre-sag of the contact wire at mid-span [m]; None: that of the line
    dropper_positions: tuple[Metres, ...] = ()  #: positions of droppers from the first mast of the span [m]
    dropper_count: int | None = None  #: number of equidistant droppers, at length·i/(count + 1)
    droppers: tuple[Dropper, ...] = ()  #: droppers with their own data
    auxiliary_positions: tuple[Metres, ...] = ()  #: positions of droppers between messenger and auxiliary wire [m]

    def __post_init__(self) -> None:
        require_positive(self, "count")
        require_at_most(self, _MOST_EQUAL, "count")
        require_finite(self, "presag")
        ways = [bool(self.dropper_positions), self.dropper_count is not None, bool(self.droppers)]
        if sum(ways) > 1:
            raise ModelError("Span: give only one of dropper_positions, dropper_count and droppers")
        if self.kind is None:
            if self.length is None:
                raise ModelError("Span: give its length or its kind")
            require_positive(self, "length")
            require_at_most(self, _LONGEST, "length")
            if self.length < _SHORTEST:
                raise ModelError(f"Span: length must be at least {_SHORTEST:g} m, got {self.length!r}")
        elif any(ways) or self.length is not None or self.presag is not None or self.auxiliary_positions:
            raise ModelError(f"Span of kind {self.kind!r}: only count may be given beside kind")
        if self.dropper_count is not None:
            require_not_negative(self, "dropper_count")
            require_at_most(self, _MOST_DROPPERS, "dropper_count")
        if self.length is not None:
            listed = [d.position for d in self.droppers] or list(self.dropper_positions)
            self._require_inside("dropper", listed)
            self._require_inside("auxiliary dropper", list(self.auxiliary_positions))

    def _require_inside(self, what: str, positions: list[float]) -> None:
        """Raise ModelError unless every dropper lies between the masts, no two at the same place on the same wire."""
        length = float(self.length or 0.0)
        for number, x in enumerate(positions, 1):
            if not 0.0 < x < length:
                raise ModelError(
                    f"Span of {length:g} m: {what} {number} at {x:g} m lies outside it; "
                    f"a dropper must be between 0 and {length:g} m"
                )
        wires = [d.wire for d in self.droppers] or ["contact"] * len(positions)
        places = [(round(x, 6), wire) for x, wire in zip(positions, wires, strict=False)]
        for number, place in enumerate(places, 1):
            if place in places[: number - 1]:
                first = places.index(place) + 1
                raise ModelError(
                    f"Span of {length:g} m: {what} {number} is in the same place as {what} "
                    f"{first}, at {place[0]:g} m; remove one of them"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mast:
    """Changes at one mast of a tension length. None: as in the line's support."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    at: int  #: number of the mast: 0 is the first of the tension length, −1 the last
    name: str | None = None  #: name of the mast
    contact_height: Metres | None = None  #: height of the contact wire above rail [m]
    lift: Metres | None = None  #: height by which all wires are raised, such as out of running [m]
    stagger: Metres | None = None  #: stagger of the contact wire, + to the left [m]
    messenger_stagger: Metres | None = None  #: stagger of the messenger, + to the left [m]
    encumbrance: Metres | None = None  #: height of the messenger above the contact wire [m]
    support: Support | str | None = None  #: support, or the name of one of line.support_kinds
    longitude: Degrees | None = None  #: longitude of the mast, WGS 84, east is positive [°]
    latitude: Degrees | None = None  #: latitude of the mast, WGS 84, north is positive [°]

    def __post_init__(self) -> None:
        require_finite(self, "contact_height", "lift", "stagger", "messenger_stagger")
        if (self.longitude is None) != (self.latitude is None):
            raise ModelError(f"Mast {self.name or self.at}: give both longitude and latitude, or neither")
        for name, most in (("longitude", 180.0), ("latitude", 90.0)):
            value = getattr(self, name)
            if value is not None and not abs(value) <= most:
                raise ModelError(f"Mast {self.name or self.at}: {name} must be within ±{most:g}°, got {value!r}")
        if self.encumbrance is not None:
            require_positive(self, "encumbrance")


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap:
    """Two tension lengths side by side, so that the pantograph passes from one to the next.

    In the middle one of the (odd number of) shared spans both contact wires are level up to
    mid-span, where the leaving one starts to rise; it is ``lift`` high at the next mast and
    ``end_lift`` at its anchor. The arriving one mirrors it.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    spans: int = 3  #: number of shared spans, odd
    lift: Metres = 0.15  #: height of the leaving wires at the first mast out of running [m]
    end_lift: Metres = 0.6  #: height of the leaving wires at the anchor [m]
    separation: Metres = 0.4  #: lateral distance of the two contact wires [m]
    insulated: bool | None = None  #: whether it separates two electrical sections; None: not stated

    def __post_init__(self) -> None:
        require_positive(self, "spans", "lift", "end_lift")
        require_not_negative(self, "separation")
        if self.spans % 2 == 0:
            raise ModelError(f"Overlap: spans must be odd, got {self.spans}")
        if self.end_lift < self.lift:
            raise ModelError(f"Overlap: end_lift {self.end_lift:g} m must not be below lift {self.lift:g} m")


@dataclass(frozen=True, slots=True, kw_only=True)
class TensionLength:
    """Wires from one anchor to the next."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    spans: tuple[Span, ...]  #: spans in order
    name: str = ""  #: name of the tension length
    repeat: int = 1  #: number of equal tension lengths in a row
    overlap: Overlap | None = None  #: overlap with the next tension length; None: the next begins where this one ends
    wires: Wires | None = None  #: wires of this tension length; None: those of the line
    masts: tuple[Mast, ...] = ()  #: masts that differ from the default support
    dropper_errors: tuple[DropperError, ...] = ()  #: length errors of single droppers
    worn_sections: tuple[WornSection, ...] = ()  #: worn sections of the contact wire
    hard_spots: tuple[HardSpot, ...] = ()  #: point masses and springs on the contact wire
    section_insulators: tuple[SectionInsulator, ...] = ()  #: section insulators in the contact wire
    neutral_sections: tuple[NeutralSection, ...] = ()  #: neutral sections in the contact wire
    rail_joints: tuple[RailJoint, ...] = ()  #: joints of a conductor rail
    tensioning: Tensioning | None = None  #: tensioning devices; None: those of the line
    midpoint: int | None = None  #: mast of the midpoint anchor; None: the middle one

    def __post_init__(self) -> None:
        require_parts(self, Span, "spans")
        require_parts(self, SectionInsulator, "section_insulators")
        require_parts(self, NeutralSection, "neutral_sections")
        require_parts(self, RailJoint, "rail_joints")
        require_positive(self, "repeat")
        require_at_most(self, MOST_SPANS, "repeat")
        if not self.spans:
            raise ModelError(f"TensionLength {self.name!r}: it has no spans")

    def insulators(self) -> tuple[SectionInsulator, ...]:
        """Section insulators, including those of neutral sections."""
        return (*self.section_insulators, *(one for n in self.neutral_sections for one in n.insulators()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An overhead contact line."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str  #: name of the line
    wires: Wires  #: wires and their tensions
    support: Support  #: default support at the masts
    tension_lengths: tuple[TensionLength, ...]  #: tension lengths in order
    dropper: DropperKind | None = None  #: default dropper; a conductor rail has none
    sources: tuple[str, ...] = ()  #: sources of the data
    contact_height: Metres = 5.08  #: height of the contact wire above rail at the supports [m]
    presag: Metres = 0.0  #: pre-sag of the contact wire at mid-span [m]
    height_profile: tuple[tuple[Metres, Metres], ...] = ()
    """(x, height) of points between which the contact wire height varies linearly."""
    alignment: tuple[TrackPoint, ...] = ()  #: curves, cant and gradients of the track; None: straight and level
    tunnels: tuple[tuple[Metres, Metres], ...] = ()
    """Start and end of tunnels, in which the aerodynamic lift of a pantograph is larger."""
    tensioning: Tensioning = field(default_factory=Tensioning)
    """Tensioning devices, which determine the tensions in other weather."""
    erected_at: Celsius = 10.0  #: temperature at which tensions, heights and lengths hold [°C]
    span_kinds: dict[str, Span] = field(default_factory=dict)  #: spans by name, for use in tension lengths
    support_kinds: dict[str, Support] = field(default_factory=dict)  #: supports by name, for use by masts
    dropper_kinds: dict[str, DropperKind] = field(default_factory=dict)  #: droppers by name, for use in spans
    chainage: Chainage = 0.0
    """Chainage of the first mast, also as km 12+345; positions in a run are measured from that mast [m]."""
    supply: Supply = SUPPLY  #: power supply, which determines the limits of the contact force
    uplift_space: Metres | None = None  #: free space for uplift at a steady arm [m]
    gravity: MetresPerSecondSquared = GRAVITY  #: acceleration of gravity for the whole run

    def __post_init__(self) -> None:
        require_kind(self, Wires, "wires")
        if self.dropper is not None:
            require_kind(self, DropperKind, "dropper")
        require_kind(self, Support, "support")
        require_parts(self, TensionLength, "tension_lengths")
        require_positive(self, "contact_height", "gravity")
        require_finite(self, "presag", "chainage", "erected_at")
        require_parts(self, TrackPoint, "alignment")
        check_alignment(self.alignment)
        for begin, end in self.tunnels:
            if not begin < end:
                raise ModelError(
                    f"Line {self.name!r}: a tunnel that begins at {begin:g} m must end beyond it, got {end:g} m"
                )
        if self.uplift_space is not None:
            require_positive(self, "uplift_space")
        if not self.tension_lengths:
            raise ModelError(f"Line {self.name!r}: it has no tension length")
        corners = [x for x, _ in self.height_profile]
        if not all(math.isfinite(value) for corner in self.height_profile for value in corner):
            raise ModelError(f"Line {self.name!r}: height_profile must be finite")
        if any(b <= a for a, b in pairwise(corners)):
            raise ModelError(f"Line {self.name!r}: the x of height_profile must increase, got {corners}")
        from panhead.railway.line.layout import Layout  # which reads this module

        Layout(self)  # refuses what cannot be laid out, naming the part
