"""Kinds of work a crew can do, with steps, reach, accuracy and cost: a TOML file (``kind = "repair_work"``)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from panhead.errors import FileError, ModelError, alternatives, require_not_negative, require_parts, require_positive
from panhead.files import library, parse
from panhead.files.file_kinds import without_kind
from panhead.files.units import Dimensionless

Adjusted = Literal["dropper length", "support height", "stagger", "contact tension", "messenger tension"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrewWork:
    """One kind of work: it moves a part by whole steps, or sets it as drawn."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str  #: what a crew calls it
    part: Adjusted  #: what it adjusts
    unit: str = "turn"  #: what a step is called
    step: float | None = None  #: change by one step [m or, of tensions, fraction]; None: set as drawn
    most: int = 1  #: steps that can be made
    cost: Dimensionless  #: of doing it once, in any unit
    step_cost: Dimensionless = 0.0  #: of every step
    spread: float = 0.0  #: standard deviation of what is set [m or fraction]
    source: str = ""

    def __post_init__(self) -> None:
        require_positive(self, "cost", "most")
        require_not_negative(self, "step_cost", "spread")
        if self.step is not None:
            require_positive(self, "step")


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairWork:
    """What a crew can do."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    work: tuple[CrewWork, ...]
    currency: str = "crew hours"  #: what costs are counted in
    sources: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_parts(self, CrewWork, "work")
        if not self.work:
            raise ModelError(f"repair work {self.name!r}: it has no [[work]]")


def read(source: str, folder: Path | None = None) -> RepairWork:
    """Read kinds of work by shipped name or TOML path; ``folder``: where the path begins."""
    known: Mapping[str, Path] = library.shipped("repair_work")
    beside = None if folder is None else folder / source
    path = beside if beside is not None and beside.exists() else known.get(source, Path(source))
    if source not in known and path.suffix != ".toml":
        raise FileError(source, f"is not a list of repair work ({alternatives(source, known)}), nor a .toml file")
    raw: dict[str, Any] = without_kind(parse.read_toml(path), "repair_work", path)
    return parse.build(RepairWork, raw, source=path)
