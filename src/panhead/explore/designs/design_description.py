"""Description of a design: runs, parameters that may change, objective and limits.

Everything is frozen and readable from a TOML file (``kind = "design"``). A number may carry a unit ("15 mm").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from panhead.errors import ModelError, require_finite, require_not_negative, require_parts, require_positive
from panhead.files.units import Dimensionless

Tie = Literal["spans alike", "symmetric", "all alike"]
Method = Literal["auto", "l-bfgs-b", "slsqp", "ipopt"]
Bound = float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignRun:
    """One run of a design: a speed, a pantograph, a mean force."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    run: str  #: shipped scenario, FILE.toml or result.nc
    name: str = ""  #: how it is called here; empty: as the run
    changes: Mapping[str, Any] = field(default_factory=dict)  #: of the run, merged deeply
    shown: bool = False  #: only compared before and after; nothing is wanted of it

    @property
    def title(self) -> str:
        """Name of the run on pages and in limits."""
        return self.name or self.run


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A parameter that may change, with its bounds: relative (``by``) or absolute (``between``).

    spans alike  droppers of the same number in equal spans change by the same
    symmetric    so do droppers that stand symmetrically in a span
    all alike    so do all that are named
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    parameter: str  #: family, e.g. dropper.length or pantograph.stiffness
    names: str = "*"  #: which of them, a pattern, e.g. "T1, span *, dropper 1"
    by: tuple[Bound, Bound] | None = None  #: least and largest change
    between: tuple[Bound, Bound] | None = None  #: smallest and largest value
    tie: tuple[Tie, ...] = ()

    def __post_init__(self) -> None:
        if (self.by is None) == (self.between is None):
            raise ModelError(f"change {self.parameter!r}: give either by or between")
        if "all alike" in self.tie and len(self.tie) > 1:
            raise ModelError(f"change {self.parameter!r}: 'all alike' cannot be combined with other ties")


@dataclass(frozen=True, slots=True, kw_only=True)
class Want:
    """An assessed quantity to minimise (maximise with a negative weight) or to keep within a limit."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    of: str  #: mean_force, deviation, deviation_ratio, statistical_max …
    runs: str = "*"  #: in which runs, a pattern of their names
    pantograph: int | None = None  #: 0 is the first; None: each
    weight: Dimensionless | None = None  #: in the objective; None: 1 without a limit, 0 with one
    at_most: Bound | None = None
    at_least: Bound | None = None
    no_worse: bool = False  #: than it was; a least value must not fall, any other not rise

    def __post_init__(self) -> None:
        require_finite(self, "weight")
        if self.pantograph is not None:
            require_not_negative(self, "pantograph")

    @property
    def limited(self) -> bool:
        """True if it has a limit."""
        return self.no_worse or self.at_most is not None or self.at_least is not None

    @property
    def share(self) -> float:
        """Its weight in the objective."""
        return (0.0 if self.limited else 1.0) if self.weight is None else self.weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Parameters that may change in some runs, with objective and limits.

    The objective is Σ w J/J₀ / Σ |w| over the numbers J wanted, J₀ as it was before.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    runs: tuple[DesignRun, ...]
    change: tuple[Change, ...]
    want: tuple[Want, ...]
    standard: bool = False  #: also keep the limits of the standard that each run is judged by
    method: Method = "auto"  #: auto: slsqp where there are limits, l-bfgs-b otherwise
    starts: int = 3  #: the first from what there is, the others from random places within the bounds
    iterations: int = 30  #: of each start
    seed: int = 0
    about: str = ""

    def __post_init__(self) -> None:
        for name, kind in (("runs", DesignRun), ("change", Change), ("want", Want)):
            require_parts(self, kind, name)
        if not self.runs:
            raise ModelError("design: no run given; list at least one in runs")
        if not self.change:
            raise ModelError("design: no parameter may change; give at least one change")
        if not any(w.share for w in self.want):
            raise ModelError("design: there is no objective; give a want without a limit, or one with a weight")
        require_positive(self, "starts", "iterations")
        require_not_negative(self, "seed")
        titles = [r.title for r in self.runs]
        if len(set(titles)) < len(titles):
            raise ModelError(f"design: runs must have unique names, got {titles}")
        if self.method == "l-bfgs-b" and (self.standard or any(w.limited for w in self.want)):
            raise ModelError('design: method "l-bfgs-b" does not support limits on quantities; use "slsqp" or "ipopt"')
