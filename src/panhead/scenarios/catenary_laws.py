"""Pantograph and laws of the head as scenario files of the kind ``catenary`` write them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, TypeVar, final

from panhead.errors import ModelError, require_positive
from panhead.files.units import Newtons, Seconds
from panhead.pantograph.cx import CxPantograph
from panhead.run.solvers.cables.feedback import ForceFeedback, Regulator
from panhead.run.solvers.cables.laws import (
    BangBang,
    DampingLaw,
    Delayed,
    Derivative,
    Exponential,
    Lagged,
    Law,
    Saturated,
    SemiActive,
)

_T = TypeVar("_T")
_LAWS: dict[str, type[DampingLaw]] = {
    "derivative": Derivative,
    "bang-bang": BangBang,
    "exponential": Exponential,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pantograph:
    """What is free to choose of the CX pantograph."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    uplift: Newtons = 1521.0
    moment: float = 0.0  #: preload of the lower arm [N·m]
    head_stiffness: float = 7200.0  #: [N/m]
    head_damping: float = 26.0  #: [N·s/m]
    arm_damping: float = 0.0  #: [N·s/m]

    def made(self, x: float, *, controlled: bool) -> CxPantograph:
        """The pantograph with its head at x."""
        return CxPantograph(
            uplift=self.uplift,
            moment=self.moment,
            head_stiffness=self.head_stiffness,
            head_damping=self.head_damping,
            arm_damping=self.arm_damping,
            controlled=controlled,
            x=x,
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Numbers of a law to be found on the model itself, for the least deviation of the contact force."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    grid: Mapping[str, tuple[float, ...]]  #: parameter → values tried first, all > 0
    evaluations: int = 12
    duration: Seconds = 3.0  #: of one trial

    def __post_init__(self) -> None:
        require_positive(self, "evaluations", "duration")
        if not self.grid or not all(v and min(v) > 0 for v in self.grid.values()):
            raise ModelError(
                f"Search: every parameter of the grid needs values > 0, got {dict(self.grid)}"
            )

    @property
    def first(self) -> dict[str, float]:
        """The first point of the grid."""
        return {name: values[0] for name, values in self.grid.items()}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LawChoice:
    """One way to control the head; ``published`` is mean and deviation in print."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    kind: Literal["none", "derivative", "bang-bang", "exponential", "force", "regulator"] = "none"
    parameters: Mapping[str, float] = field(default_factory=dict)
    limit: Newtons | None = None
    delay: Seconds = 0.0
    lag: Seconds = 0.0
    sampled: bool = False  #: called at every step, instead of a damper in the equations
    published: tuple[float, float] | None = None  #: [N]
    search: Search | None = None  #: numbers to be found before the run

    def __post_init__(self) -> None:
        if self.search is not None:
            self.at(self.search.first)
        self.damper()
        self.controller(Pantograph())

    def at(self, numbers: Mapping[str, float]) -> LawChoice:
        """The same law with these numbers among its parameters, nothing left to search."""
        return replace(self, parameters={**self.parameters, **numbers}, search=None)

    def damper(self) -> DampingLaw | None:
        """The law of damping."""
        return self._made(_LAWS[self.kind]) if self.kind in _LAWS else None

    def controller(self, pantograph: Pantograph) -> Law | None:
        """The law as a sampled controller; None if it needs no samples. A damper can only dissipate."""
        if self.kind == "force":
            return self._limited(self._made(ForceFeedback))
        if self.kind == "regulator":
            return self._limited(replace(self._made(Regulator), **self._head(pantograph)))
        law = self.damper()
        if law is None or not (self.sampled or self.delay or self.lag):
            return None
        return SemiActive(law=self._limited(law))

    def _head(self, pantograph: Pantograph) -> dict[str, float]:
        """What the regulator's model takes from the pantograph, unless its parameters say otherwise."""
        known = {
            "head_stiffness": pantograph.head_stiffness,
            "head_damping": pantograph.head_damping,
        }
        return {name: x for name, x in known.items() if name not in self.parameters}

    def _made(self, law: type[_T]) -> _T:
        """The law with the parameters given."""
        try:
            return law(**self.parameters)
        except TypeError:
            known = ", ".join(f.name for f in fields(law))  # type: ignore[arg-type]
            raise ModelError(
                f"law {self.name!r}: a {self.kind} law has the parameters {known}; got {', '.join(self.parameters)}"
            ) from None

    def _limited(self, law: Law) -> Law:
        """What delay, lag and limit of the actuator leave of a law."""
        law = Delayed(law=law, delay=self.delay) if self.delay else law
        law = Lagged(law=law, time=self.lag) if self.lag else law
        return Saturated(law=law, limit=self.limit) if self.limit else law
