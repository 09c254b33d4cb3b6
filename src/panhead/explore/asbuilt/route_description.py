"""Description of a route as built: lines as designed, surveys of them, the train that runs there, the work of a crew.

Everything is frozen and readable from a TOML file (``kind = "route"``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Literal

from panhead.errors import ModelError, require_not_negative, require_parts, require_positive
from panhead.files.units import Dimensionless, Metres

PartKind = Literal[
    "dropper length", "support height", "stagger", "contact tension", "messenger tension", "pre-sag"
]  # fmt: skip
UNITS: Final[Mapping[str, str]] = {
    "dropper length": "m",
    "support height": "m",
    "stagger": "m",
    "contact tension": "N",
    "messenger tension": "N",
    "pre-sag": "m",
}  #: of the deviation of a part
LAYOUTS: Final = ("survey", "finnish")


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainPass:
    """One pass of a measuring train, or one survey by hand."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    file: str  #: table (CSV or Excel), from the folder of the route file
    layout: Literal["survey", "finnish"] = "survey"
    """survey: chainage, height, stagger; finnish: channels of a measuring train, as ``panhead line measured`` reads."""
    columns: Mapping[str, str] = field(default_factory=dict)  #: name in the file → chainage, height, stagger
    track: str | None = None  #: track whose rows count; None: the one with most rows


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutePart:
    """Tension lengths in a row, as designed, and the surveys of them."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: str  #: line or line design as drawn: FILE.toml or shipped name
    passes: tuple[TrainPass, ...]  #: surveys, one for each pass
    chainage: Metres | None = None  #: of the first mast; None: that of the line [m]
    name: str = ""  #: put before the names of tension lengths; may be empty if there is one part

    def __post_init__(self) -> None:
        require_parts(self, TrainPass, "passes")
        if not self.passes:
            raise ModelError(f"part {self.name or self.line!r}: it has no passes; give at least one survey")


@dataclass(frozen=True, slots=True, kw_only=True)
class PartSpread:
    """Standard deviations of what is known before the survey is read."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    noise: Metres = 2e-3  #: of a measured height, at least [m]
    bias: Metres = 2e-3  #: of an offset common to all heights of a pass [m]
    dropper: Metres = 10e-3  #: of a dropper length from its drawing [m]
    support: Metres = 15e-3  #: of a support's height [m]
    stagger: Metres = 50e-3  #: of a stagger [m]
    tension: Dimensionless = 0.05  #: of a tension, as a fraction
    presag: Metres = 3e-3  #: of an error that all droppers share, as a parabola over each span [m]

    def __post_init__(self) -> None:
        require_positive(self, "noise", "dropper", "support", "stagger", "tension", "presag")
        require_not_negative(self, "bias")


@dataclass(frozen=True, slots=True, kw_only=True)
class AlarmLevels:
    """How far a part must be from its drawing to be named."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    dropper: Metres = 12e-3  #: [m]
    support: Metres = 20e-3  #: [m]
    stagger: Metres = 40e-3  #: [m]
    tension: Dimensionless = 0.05  #: as a fraction
    presag: Metres = 10e-3  #: [m]
    certainty: Dimensionless = 4.0  #: standard deviations that it must be away besides


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A route: what was drawn, what was measured, what runs there and what a crew can do."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    part: tuple[RoutePart, ...]  #: parts of the route, in the order of chainage
    run: Mapping[str, Any]  #: the run that assesses it: a run (``panhead schema run``) without line and journey
    work: str = "repair-work"  #: kinds of work and their costs: shipped name or FILE.toml
    geometry: str | None = None  #: limits with survey limits, such as no-trv; None: geometry is not compared
    probability: Dimensionless = 0.95  #: with which a tension length complies after its repairs
    samples: int = 0  #: runs of lines drawn from what the fit leaves uncertain, for each tension length
    spread: PartSpread = PartSpread()  #: what is known of parts before the survey is read
    alarm: AlarmLevels = AlarmLevels()  #: how far a part must be off to be named
    about: str = ""

    def __post_init__(self) -> None:
        require_parts(self, RoutePart, "part")
        require_not_negative(self, "samples")
        if not self.part:
            raise ModelError("route: it has no part; give at least one [[part]] with a line and its passes")
        if not 0.5 <= self.probability < 1.0:
            raise ModelError(f"route: probability must be from 0.5 to below 1, got {self.probability!r}")
        taken = [name for name in ("line", "journey", "line_changes") if name in self.run]
        if taken:
            raise ModelError(f"route.run: {taken[0]} follows from the route; remove it")
        names = [part.name for part in self.part]
        if len(set(names)) < len(names):
            raise ModelError(f"route: two parts have the same name, got {names}; give each a name of its own")
