"""Options of the cable solver and control laws of the head, as written in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, final

from panhead.errors import ModelError, require_positive
from panhead.files.parse import PYTHON_ONLY
from panhead.files.units import Newtons, Seconds
from panhead.runs.cables.field_damper import FieldDamper

if TYPE_CHECKING:
    from panhead.runs.cables.head_laws import DampingLaw, HeadFeedback

_T = TypeVar("_T")
_DAMPING = ("derivative", "bang-bang", "exponential", "history")  # laws that only damp


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CableOptions:
    """Options for modelling the wires of a line as cables."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    contact_held: bool = False  #: fix the height of the contact wire at the masts
    straight: bool = False  #: wires start straight and level, and sag under gravity
    displaced: bool = False
    """Move the nodes at the masts until straight wires have their tension, and fix them there; wires sag after that."""
    mast_elements: int = 1  #: number of parts into which an element beside a mast is divided

    def __post_init__(self) -> None:
        require_positive(self, "mast_elements")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LawSearch:
    """Search for the parameters of a control law that minimise the deviation of the contact force."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    grid: Mapping[str, tuple[float, ...]]  #: values of each parameter tried first, all > 0
    evaluations: int = 12  #: number of trial runs, including the grid
    duration: Seconds = 3.0  #: duration of one trial run

    def __post_init__(self) -> None:
        require_positive(self, "evaluations", "duration")
        if not self.grid or not all(v and min(v) > 0 for v in self.grid.values()):
            raise ModelError(f"LawSearch: every parameter of the grid needs values > 0, got {dict(self.grid)}")

    @property
    def first(self) -> dict[str, float]:
        """First point of the grid."""
        return {name: values[0] for name, values in self.grid.items()}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HeadLaw:
    """Control law of the pan-head."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    kind: Literal["none", "derivative", "bang-bang", "exponential", "history", "rates", "force", "regulator", "own"] = (
        "none"
    )
    """Control law; "none": passive pantograph."""
    parameters: Mapping[str, float] = field(default_factory=dict)
    """Parameters of the law, by name; of a history r0, r1 … [N·s/m], ``interval`` apart, linear in between."""
    interval: Seconds | None = None  #: time between the values of a history
    limit: Newtons | None = None  #: largest force of the actuator
    delay: Seconds = 0.0  #: dead time of the actuator
    lag: Seconds = 0.0  #: time constant of the actuator
    sampled: bool = False  #: evaluate the law at every step and hold its force, instead of a damper in the equations
    search: LawSearch | None = None  #: search for the parameters before the run
    device: FieldDamper | None = None
    """Electro- or magneto-rheological damper that gives the force of a damping law as far as it can."""
    feedback: Any = field(default=None, metadata={PYTHON_ONLY: True})
    """Control law from Python (kind "own"): a HeadFeedback."""

    def __post_init__(self) -> None:
        if (self.feedback is not None) != (self.kind == "own"):
            raise ModelError("control: kind = 'own' needs a `feedback` object, and `feedback` needs kind = 'own'")
        if self.device is not None and self.kind not in _DAMPING:
            raise ModelError(
                f"control: a device needs a damping law ({', '.join(_DAMPING)}), got kind = {self.kind!r}; "
                "remove `device`, or change `kind`"
            )
        if self.interval is not None and self.kind != "history":
            raise ModelError(f"control: `interval` belongs to kind = 'history', got kind = {self.kind!r}; remove it")
        if self.search is not None:
            self.at(self.search.first)
        self.damper()
        self.controller()

    def at(self, numbers: Mapping[str, float]) -> HeadLaw:
        """Control law with these parameters and no search."""
        return replace(self, parameters={**self.parameters, **numbers}, search=None)

    def damper(self) -> DampingLaw | None:
        """Damper of the law, if it is one."""
        from panhead.runs.cables import head_laws

        kinds: dict[str, type[DampingLaw]] = {
            "derivative": head_laws.Derivative,
            "bang-bang": head_laws.BangBang,
            "exponential": head_laws.Exponential,
        }
        if self.kind == "history":
            return self._history()
        return self._build(kinds[self.kind]) if self.kind in kinds else None

    def numbers(self) -> dict[str, float]:
        """Parameters of a rate law, damper or not: as given, or the law's defaults."""
        from panhead.runs.cables import head_feedback as feedback

        damper = self.damper()
        return asdict(self._build(feedback.RateFeedback)) if damper is None else damper.numbers()

    def controller(self, head: Mapping[str, float] | None = None) -> HeadFeedback | None:
        """Sampled controller of the law; None if it needs no samples. A damper can only dissipate.

        ``head``: mass of the head, stiffness and damping of its suspension, which a regulator's model takes from the
        pantograph unless its parameters say otherwise.
        """
        from panhead.runs.cables import head_feedback as feedback
        from panhead.runs.cables import head_laws
        from panhead.runs.cables.field_damper import ThroughDamper

        if self.kind == "own":
            return self._with_actuator_limits(self.feedback)
        if self.kind == "rates":
            return self._with_actuator_limits(self._build(feedback.RateFeedback))
        if self.kind == "force":
            return self._with_actuator_limits(self._build(feedback.ForceFeedback))
        if self.kind == "regulator":
            known = {k: x for k, x in (head or {}).items() if k not in self.parameters}
            return self._with_actuator_limits(replace(self._build(feedback.Regulator), **known))
        law = self.damper()
        if law is not None and self.device is not None:
            return self._with_actuator_limits(ThroughDamper(law=law, damper=self.device))
        if law is None or not (self.sampled or self.delay or self.lag):
            return None
        return head_laws.SemiActive(law=self._with_actuator_limits(law))

    def _history(self) -> DampingLaw:
        """Damper of a history r0, r1 …"""
        from panhead.runs.cables.head_laws import DampingHistory

        names = [f"r{k}" for k in range(len(self.parameters))]
        if not names or set(names) != set(self.parameters) or self.interval is None:
            raise ModelError(
                "control: a history needs `interval` and the parameters r0, r1 … without a gap; got "
                f"interval = {self.interval} and {', '.join(self.parameters) or 'no parameters'}"
            )
        return DampingHistory(tuple(self.parameters[name] for name in names), self.interval)

    def _build(self, law: type[_T]) -> _T:
        """Law with the given parameters."""
        try:
            return law(**self.parameters)
        except TypeError:
            known = ", ".join(f.name for f in fields(law))  # type: ignore[arg-type]
            raise ModelError(
                f"control: a {self.kind} law has the parameters {known}; got {', '.join(self.parameters)}"
            ) from None

    def _with_actuator_limits(self, law: HeadFeedback) -> HeadFeedback:
        """Law with delay, lag and force limit of the actuator."""
        from panhead.runs.cables import head_laws

        law = head_laws.Delayed(law=law, delay=self.delay) if self.delay else law
        law = head_laws.Lagged(law=law, time=self.lag) if self.lag else law
        return head_laws.Saturated(law=law, limit=self.limit) if self.limit else law
