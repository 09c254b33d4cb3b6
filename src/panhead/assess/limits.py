"""Limits of standards as data: one TOML file per edition, formulas and clauses only.

    limit(v) = value + quadratic · v²,   v in km/h

A national table is one more file; hand its path to ``read`` instead of a shipped name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

from panhead.assess.criteria import margin_to_limit
from panhead.errors import FileError, ModelError, alternatives, require_finite
from panhead.files import library, parse
from panhead.files.file_kinds import without_kind
from panhead.files.units import Metres, MetresPerSecond, to_si

#: what may be limited → SI unit of the value compared
QUANTITIES: Final[Mapping[str, str]] = {
    "mean_force": "N",
    "static_force": "N",  # of the pantograph; shown, not judged
    "deviation_ratio": "",  # σ / F_m
    "actual_max": "N",
    "actual_min": "N",
    "deviation": "N",
    "statistical_max": "N",
    "statistical_min": "N",
    "contact_loss": "",
    "arcing": "",
    "uplift": "m",
    "uplift_space_factor": "",  # space available ≥ factor · uplift
    "amplitude": "m",
    "lateral": "m",  # contact point from the head's middle
    "wave_speed_ratio": "",  # v / c
    # geometry of a line, judged by ``panhead line check``
    "contact_height": "m",
    "wire_gradient": "",  # of the contact wire against the track, from mast to mast
    "gradient_change": "",  # at a mast
    "stagger": "m",
    "encumbrance": "m",
    "dropper_length": "m",
    "dropper_spacing": "m",
    "dropper_load": "N",  # at rest
    "overlap_separation": "m",  # of the contact wires that run side by side, across the track
    "overlap_clearance": "m",  # between any wires of two sections, at rest
    "steady_arm_pull": "N",  # across the track, at rest
}
SUPPLIES: Final = ("25 kV AC", "15 kV AC", "3 kV DC", "1.5 kV DC")

_SAME_HEIGHT: Final = 5e-3  # lines of one nominal contact height [m]

Standing = Literal["law", "quoted", "transcribed", "recalled", "usual"]
#: standing of a limit → what it means
STANDINGS: Final[Mapping[str, str]] = {
    "law": "read in the published text of a law",
    "quoted": "quoted by a public source that names the clause",
    "transcribed": "transcribed from a secondary text; compare it with the original",
    "recalled": "recalled; check against the standard",
    "usual": "usual value, not from a standard",
}
UNCHECKED: Final = ("transcribed", "recalled")  #: standings of limits that were not compared with their text


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit of a standard."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    quantity: str  #: limited quantity
    bound: Literal["upper", "lower"]  #: upper or lower limit
    value: float  #: in the SI unit of the quantity
    quadratic: float = 0.0  #: coefficient of v² in km/h [unit / (km/h)²]
    supply: tuple[str, ...] = SUPPLIES  #: power supplies for which it holds
    above: MetresPerSecond = -1.0  #: holds for speeds v > above …
    up_to: MetresPerSecond = 1e9  #: … and v ≤ up_to
    clause: str  #: clause of the standard
    status: Standing  #: how far the value is known to agree with the text

    def __post_init__(self) -> None:
        if self.quantity not in QUANTITIES:
            raise ModelError(
                f"quantity: {self.quantity!r} is not a quantity with limits; {alternatives(self.quantity, QUANTITIES)}"
            )
        require_finite(self, "value", "quadratic", "above", "up_to")
        for name in self.supply:
            if name not in SUPPLIES:
                raise ModelError(f"supply: must be one of {', '.join(SUPPLIES)} (given {name!r})")

    def holds(self, speed: MetresPerSecond | None, supply: str) -> bool:
        """True if the limit applies at this speed and supply; without a speed, if it is the same at every speed."""
        if speed is None:
            return supply in self.supply and self.above < 0.0 and self.up_to >= 1e9 and not self.quadratic
        slack = 1e-9 * speed  # 200 km/h is 200 km/h, whoever divided by 3.6
        return supply in self.supply and self.above + slack < speed <= self.up_to + slack

    def at(self, speed: MetresPerSecond | None) -> float:
        """The limit at a speed, in the SI unit of its quantity."""
        return self.value if speed is None else self.value + self.quadratic * (3.6 * speed) ** 2

    def room(self, value: float, speed: MetresPerSecond | None) -> float:
        """Margin of a value to the limit; negative beyond it."""
        return margin_to_limit(value, self.at(speed), self.bound)


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingLimit:
    """Limit of a standard whose number is not in the file; it is reported, never guessed."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    quantity: str  #: limited quantity
    bound: Literal["upper", "lower"]
    supply: tuple[str, ...] = SUPPLIES  #: power supplies for which it holds
    clause: str  #: clause of the standard

    def words(self, edition: str) -> str:
        """Note for a report."""
        return f"{self.bound} limit of {self.clause} is not included in {edition}: copy its file and add a [[limit]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignRule:
    """Rule of a standard that limits no judged quantity: a load, a tolerance, an exemption. It is shown, not judged."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    topic: str
    rule: str  #: in words, with its numbers and units
    clause: str
    status: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveyLimit:
    """Range of a surveyed quantity within which a line is left alone, and one beyond which it is closed or slowed."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    of: str  #: kind of line, in words
    quantity: Literal["contact_height", "stagger"]
    maintenance: tuple[Metres, Metres]  #: beyond it somebody must go there [m]
    critical: tuple[Metres, Metres]  #: beyond it at once [m]
    nominal: Metres | None = None  #: contact height of the lines it holds for; None: of all others [m]
    clause: str
    status: Standing

    def __post_init__(self) -> None:
        (a, b), (c, d) = self.maintenance, self.critical
        if not c <= a < b <= d:
            raise ModelError(
                f"survey {self.of!r}: the critical range must contain the maintenance range, low end first"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Edition:
    """Limits of one edition of a standard and of the editions it includes."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    about: str
    instrument: str = ""  #: full name of the law, rule or standard
    region: str = "Europe"  #: region in which it applies
    year: int | None = None  #: year of the edition
    includes: tuple[str, ...] = ()  #: other editions whose limits apply as well; once read, their full names
    limit: tuple[Limit, ...] = ()
    missing: tuple[MissingLimit, ...] = ()  #: limits of the standard whose numbers are not in the file
    rule: tuple[DesignRule, ...] = ()  #: rules that are shown, not judged
    survey: tuple[SurveyLimit, ...] = ()  #: of ``panhead line check`` and ``line fit``

    def lacks(self, quantity: str, bound: str, supply: str) -> MissingLimit | None:
        """Limit that the standard has but this file does not, if any."""
        wanted = (quantity, bound)
        return next((m for m in self.missing if (m.quantity, m.bound) == wanted and supply in m.supply), None)

    def limits_of(self, quantity: str, speed: MetresPerSecond | None, supply: str) -> Iterator[Limit]:
        """Upper and lower limit of a quantity, as far as they exist."""
        for bound in ("upper", "lower"):
            limit = self.find(quantity, bound, speed, supply)
            if limit is not None:
                yield limit

    def find(self, quantity: str, bound: str, speed: MetresPerSecond | None, supply: str) -> Limit | None:
        """First limit of this kind that applies, if any."""
        for limit in self.limit:
            if (limit.quantity, limit.bound) == (quantity, bound) and limit.holds(speed, supply):
                return limit
        return None

    def gaps(self, speed: MetresPerSecond | None, supply: str) -> list[MissingLimit]:
        """Limits that the standard has at this speed and supply and no file gives a number for."""
        return [m for m in self.missing if supply in m.supply and self.find(m.quantity, m.bound, speed, supply) is None]

    def survey_limit(self, quantity: str, nominal: Metres) -> SurveyLimit | None:
        """Survey limit of a quantity for lines of a nominal contact height: its own, or that of all others."""
        found = [s for s in self.survey if s.quantity == quantity]
        own = [s for s in found if s.nominal is not None and abs(s.nominal - nominal) < _SAME_HEIGHT]
        return next(iter([*own, *(s for s in found if s.nominal is None)]), None)


def editions() -> list[str]:
    """Names of the shipped editions."""
    return list(library.shipped("limits"))


def read(edition: str) -> Edition:
    """Read an edition by shipped name, TOML path, or as ``to_json``; included editions are merged."""
    if edition.startswith("{"):
        try:
            return parse.build(Edition, dict(json.loads(edition)), source="limits of the result")
        except (json.JSONDecodeError, RecursionError) as error:
            raise FileError("limits of the result", f"is not JSON: {error}") from None
    return _read(edition, ())


def to_json(edition: str | Edition) -> str:
    """Edition as JSON, as stored in a result and read by ``read``."""
    table = read(edition) if isinstance(edition, str) else edition
    return json.dumps(parse.to_plain(table), ensure_ascii=False)


def _read(edition: str, above: tuple[str, ...]) -> Edition:
    """Read one edition; ``above`` are the editions that include it."""
    known = library.shipped("limits")
    path = known.get(edition, Path(edition))
    if edition not in known and path.suffix != ".toml":
        raise FileError(edition, f"is not an edition of limits ({alternatives(edition, known)}), nor a .toml file")
    if str(path) in above:
        raise FileError(path, f"includes itself: {' → '.join((*above, str(path)))}")
    own = parse.build(Edition, _in_si(without_kind(parse.read_toml(path), "limits", path), path), source=path)
    above = (*above, str(path))
    others = [_read(name, above) for name in own.includes]
    joined = own.limit + tuple(item for other in others for item in other.limit)
    missing = own.missing + tuple(item for other in others for item in other.missing)
    names = tuple(dict.fromkeys(name for other in others for name in (other.name, *other.includes)))
    rules, surveys = (tuple(x for one in (own, *others) for x in getattr(one, name)) for name in ("rule", "survey"))
    return replace(own, includes=names, limit=joined, missing=missing, rule=rules, survey=surveys)


def _in_si(raw: dict[str, Any], path: Path) -> dict[str, Any]:
    """Convert every value such as "80 mm" of a raw table to the SI unit of its quantity."""
    items = raw.get("limit")
    tables = [(n, x) for n, x in enumerate(items) if isinstance(x, dict)] if isinstance(items, list) else []
    for number, item in tables:
        if isinstance(item.get("value"), str):
            try:
                item["value"] = to_si(item["value"], QUANTITIES.get(str(item.get("quantity")), ""))
            except ValueError as error:
                raise FileError(path, f"limit.{number}.value: {error}") from None
    return raw
