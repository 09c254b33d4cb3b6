"""Designs of overhead lines: a compact description from which spans of any length are strung by rule.

    LineDesign ─ wires by name with their tensions, dropper rule, support, heights, declared values
     └─ sources: path of a key → where its number comes from, or "assumption"

A family is one TOML file: ``[common]`` holds what its designs share, ``[designs.NAME]`` what each has of its own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from panhead.errors import FileError, ModelError, alternatives, require_not_negative, require_positive
from panhead.files import library, parse
from panhead.files.inventory import stated_fields
from panhead.files.units import Dimensionless, Metres, MetresPerSecond, Newtons, PerSecond, Seconds
from panhead.railway.line.dropper_rules import DropperRule
from panhead.railway.line.line_description import Supply
from panhead.railway.line.parts import DropperKind, SteadyArm
from panhead.railway.line.wire_catalogue import CatalogueWire, find_wire

#: keys whose values are no numbers of the line, so that they need no source
_WORDS: Final = ("name", "about", "sources", "wires", "standard_spans")
ASSUMPTION: Final = "assumption"  #: begins the source of a number that no source has


@dataclass(frozen=True, slots=True, kw_only=True)
class StrungWire:
    """A wire of the catalogue under its tension."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    wire: str  #: name in the catalogue of wires
    tension: Newtons  #: of each, if there are several [N]

    def __post_init__(self) -> None:
        require_positive(self, "tension")


@dataclass(frozen=True, slots=True, kw_only=True)
class StitchRule:
    """Stitch wire over each support."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    wire: str  #: name in the catalogue of wires
    tension: Newtons
    length: Metres  #: from clamp to clamp, unless the rule of the span has its own [m]

    def __post_init__(self) -> None:
        require_positive(self, "tension", "length")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredValues:
    """Values that the owner of the line declares, to compare with; nothing here enters a computation."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    uplift: Metres | None = None  #: S₀, at the steady arm at line speed [m]
    span_uplift: Metres | None = None  #: in the span at line speed [m]
    rest_uplift: Metres | None = None  #: in the span at rest [m]
    pantographs: int | None = None  #: for which it is declared; None: not said

    def __post_init__(self) -> None:
        for name in ("uplift", "span_uplift", "rest_uplift", "pantographs"):
            if getattr(self, name) is not None:
                require_positive(self, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineDesign:
    """Design of an overhead line, from which ``design_line`` makes lines of any spans."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    contact: StrungWire
    messenger: StrungWire
    droppers: DropperRule
    dropper: DropperKind
    steady_arm: SteadyArm
    supply: Supply
    line_speed: MetresPerSecond  #: highest speed of the design
    contact_height: Metres  #: above rail [m]
    encumbrance: Metres  #: system height: messenger above contact wire at a support [m]
    longest_span: Metres
    shortest_span: Metres
    stagger: Metres
    presag: Dimensionless = 0.0  #: at mid-span, as a share of the span's length
    contact_count: Literal[1, 2] = 1
    contact_spacing: Metres = 0.04  #: between two contact wires, across the track [m]
    stitch: StitchRule | None = None
    mass_damping: PerSecond
    stiffness_damping: Seconds
    declared: DeclaredValues | None = None
    standard_spans: str = ""  #: such as "60 m x 20"; "": twenty of the longest
    wires: dict[str, CatalogueWire] = field(default_factory=dict)  #: own wires, beside those of the catalogue
    about: str = ""
    sources: dict[str, str] = field(default_factory=dict)  #: path of a key, or of a table → source of its numbers

    def __post_init__(self) -> None:
        require_positive(self, "line_speed", "contact_height", "encumbrance", "longest_span", "shortest_span")
        require_not_negative(self, "stagger", "presag", "mass_damping", "stiffness_damping")
        stitch = [] if self.stitch is None else [self.stitch.wire]
        for name in (self.contact.wire, self.messenger.wire, *stitch):
            find_wire(name, self.wires)

    def source_of(self, path: str) -> str | None:
        """Source of the number at a path such as ``contact.tension``: its own, or that of the table it stands in."""
        parts = path.split(".")
        return next((s for n in range(len(parts), 0, -1) if (s := self.sources.get(".".join(parts[:n])))), None)

    def assumptions(self) -> list[str]:
        """Paths of numbers that no source has."""
        return [path for path, _ in self._numbers() if (self.source_of(path) or "").startswith(ASSUMPTION)]

    def _numbers(self) -> Iterator[tuple[str, Any]]:
        for path, value, _ in stated_fields(self):
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if path.split(".")[0] not in _WORDS and number:
                yield path, value


@functools.cache
def shipped_designs() -> Mapping[str, Path]:
    """Name → family file of every shipped design, family by family."""
    return {
        name: path
        for path in library.shipped("line_designs").values()
        for name in parse.read_toml(path).get("designs", {})
    }


def read_design(source: str | Path) -> LineDesign:
    """Read a design by its shipped name, or from a family file: FILE.toml, or FILE.toml:NAME if it has several."""
    known = shipped_designs()
    if str(source) in known:
        return design_from(parse.read_toml(known[str(source)]), str(source), source=known[str(source)])
    match = re.fullmatch(r"(.+\.toml)(?::(.+))?", str(source))
    if match is None:
        raise FileError(source, f"is neither a family file nor a shipped design; {alternatives(source, known)}")
    raw = parse.read_toml(match[1])
    names = list(raw.get("designs", {}))
    name = match[2] or (names[0] if len(names) == 1 else "")
    if name not in names:
        raise FileError(match[1], f"name one of its designs as {match[1]}:NAME; it has {', '.join(names) or 'none'}")
    return design_from(raw, name, source=match[1])


def design_from(raw: Mapping[str, Any], name: str, *, source: object) -> LineDesign:
    """Design ``name`` of the plain data of a family."""
    merged = parse.merge(dict(raw.get("common", {})), raw["designs"][name])
    return parse.build(LineDesign, {"name": name, **merged}, source=f"{source}: {name}")


def require_span(design: LineDesign, span: float) -> None:
    """Raise ModelError unless the design has spans of this length."""
    if not design.shortest_span - 1e-9 <= span <= design.longest_span + 1e-9:
        raise ModelError(
            f"{design.name}: a span of {span:g} m is outside its range, {design.shortest_span:g} to "
            f"{design.longest_span:g} m; choose another, or change the range in a family file of your own"
        )
