"""Criterion: a quantity of a standard with its limit and verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from panhead.assess.number_text import MIN_DIGITS, distinguishing_digits

Verdict = Literal["met", "not met", "undecided", "for information"]
Group = Literal["contact quality", "setting"]
GROUPS: Final[tuple[Group, ...]] = ("contact quality", "setting")
DEFAULT_EDITION: Final = "en50367-2012"
_ROUNDING: Final = 1e-9
_SETTING: Final = ("mean_force",)  # quantities that the static force of a pantograph sets
_SHOWN: Final = {"N": ("N", 1.0), "m": ("mm", 1e3), "1": ("%", 100.0), "m/s": ("km/h", 3.6)}


def shown_unit(unit: str) -> tuple[str, float]:
    """Display unit used instead of an SI unit, and its conversion factor."""
    return _SHOWN.get(unit, (unit, 1.0))


def quantity_of(key: str) -> str:
    """Quantity of a criterion: its key without the end of a range."""
    return key.removesuffix("_lower").removesuffix("_upper")


def group_of(key: str) -> Group:
    """Group in which a criterion is judged.

    The mean contact force follows from the static force, which a fitter sets; everything else (σ, extremes, uplift,
    losses) is what line and pantograph make of it.
    """
    return "setting" if quantity_of(key) in _SETTING else "contact quality"


def margin_to_limit(value: float, limit: float, bound: Literal["upper", "lower"]) -> float:
    """Margin of a value to its limit; negative beyond it. All comparisons with limits use it.

    What differs by rounding alone (1e-9 of the limit, or of one unit) stands on the limit.
    """
    inside = limit - value if bound == "upper" else value - limit
    return 0.0 if abs(inside) <= _ROUNDING * max(1.0, abs(limit)) else inside


@dataclass(frozen=True, slots=True, kw_only=True)
class Criterion:
    """One quantity, its limit if it has one, and the resulting verdict. Values in SI units."""

    key: str  #: stable name for programs, e.g. "actual_max"
    name: str  #: for people
    value: float
    unit: str
    limit: float | None = None
    bound: Literal["upper", "lower"] = "upper"
    error: float | None = None  #: numerical error bar, ± [unit]
    clause: str = ""
    standing: str = ""  #: of the limit: "quoted", "recalled" (to be checked in the text), "described" (by the run)
    place: float | None = None  #: of the worst value along the track [m]
    time: float | None = None  #: of the worst value [s]
    note: str = ""
    unjudged: str = ""  #: why it cannot be judged, however it stands to its limit; "": it can

    @property
    def group(self) -> Group:
        """Group of the criterion: "setting" (mean contact force) or "contact quality" (everything else)."""
        return group_of(self.key)

    @property
    def verdict(self) -> Verdict:
        """Met, not met, or undecided where it cannot be assessed or the error bar straddles the limit."""
        if self.limit is None:
            return "for information"
        if self.unjudged:
            return "undecided"
        inside = margin_to_limit(self.value, self.limit, self.bound)
        if self.error is not None and abs(inside) < self.error:
            return "undecided"
        return "met" if inside >= 0 else "not met"  # NaN is not met

    @property
    def digits(self) -> int:
        """Significant figures with which value, bar and limit are printed; four at least."""
        value, limit, error, _ = self.shown()
        return MIN_DIGITS if limit is None else distinguishing_digits(value, limit, error)

    def shown(self) -> tuple[float, float | None, float | None, str]:
        """Value, limit, error bar and unit as engineers write them (mm, %, km/h)."""
        unit, scale = shown_unit(self.unit)
        limit, error = (None if x is None else x * scale for x in (self.limit, self.error))
        return self.value * scale, limit, error, unit


def overall(criteria: Sequence[Criterion]) -> Verdict:
    """Worst verdict of all criteria that have a limit."""
    seen = {c.verdict for c in criteria}
    order: tuple[Verdict, ...] = ("not met", "undecided", "met")
    return next((v for v in order if v in seen), "for information")


def of_group(criteria: Sequence[Criterion], group: Group) -> list[Criterion]:
    """The criteria of one group."""
    return [c for c in criteria if c.group == group]


def group_verdicts(criteria: Sequence[Criterion]) -> dict[Group, Verdict]:
    """Worst verdict of each group; "for information" if none of its criteria has a limit."""
    return {group: overall(of_group(criteria, group)) for group in GROUPS}
