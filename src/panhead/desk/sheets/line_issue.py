"""Findings of ``panhead line check``: place, value, limit and remedy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["wrong", "doubtful", "note"]  #: beyond a standard's limit; beyond what is usual; not checked, and why


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One sentence about one place."""

    level: Level
    quantity: str  #: one of panhead.assess.limits.QUANTITIES, or stringing, overlap, plausibility, assumption, limits
    place: str  #: tension length, span, mast, dropper
    words: str
    remedy: str
    x: float | None = None  #: along the line from its first mast [m]
    at: str = ""  #: the same for people: chainage and mast, where the line has them
    value: float | None = None  #: in the SI unit of the quantity
    limit: float | None = None
    unit: str = ""
    clause: str = ""  #: where the limit comes from
    status: str = ""  #: of the limit: quoted, recalled, usual, described (by the pantograph)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineCheck:
    """All findings of a line, and the range of each quantity."""

    line: str
    findings: Sequence[Finding]
    measured: dict[str, tuple[float, float]]  #: quantity → smallest and largest value, SI

    @property
    def wrong(self) -> bool:
        """True if a limit of a standard is violated or the line cannot be strung."""
        return any(f.level == "wrong" for f in self.findings)

    def as_plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "line": self.line,
            "wrong": self.wrong,
            "findings": [asdict(f) for f in self.findings],
            "measured": {name: list(ends) for name, ends in self.measured.items()},
        }
