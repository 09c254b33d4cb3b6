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
    name: str = ""  #: name in this design; empty: that of the run
    changes: Mapping[str, Any] = field(default_factory=dict)  #: changes of the run, merged into its tables
    shown: bool = False  #: only compared before and after; not part of the optimisation

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

    parameter: str  #: family of parameters, such as dropper.length or pantograph.stiffness
    names: str = "*"  #: which of them, as a pattern, such as "T1, span *, dropper 1"
    by: tuple[Bound, Bound] | None = None  #: smallest and largest change
    between: tuple[Bound, Bound] | None = None  #: smallest and largest value
    tie: tuple[Tie, ...] = ()  #: coupling of parameters

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
    runs: str = "*"  #: pattern of the names of the runs
    pantograph: int | None = None  #: number of the pantograph, 0 is the first; None: each
    weight: Dimensionless | None = None  #: weight in the objective; None: 1 without a limit, 0 with one
    at_most: Bound | None = None  #: upper limit
    at_least: Bound | None = None  #: lower limit
    no_worse: bool = False  #: limit is the initial value: a minimum must not fall, any other quantity must not rise

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

    The objective is Σ w J/J₀ / Σ |w| over the quantities J to minimise, with their initial values J₀.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    runs: tuple[DesignRun, ...]  #: runs to improve
    change: tuple[Change, ...]  #: parameters that may change
    want: tuple[Want, ...]  #: objectives and limits
    standard: bool = False  #: also keep the limits of the standard by which each run is assessed
    method: Method = "auto"  #: auto: slsqp where there are limits, l-bfgs-b otherwise
    starts: int = 3  #: number of starting points: the present design, the others random within the bounds
    iterations: int = 30  #: iterations from each starting point
    seed: int = 0  #: seed of the random starting points
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
