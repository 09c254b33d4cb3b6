"""Scenarios of the kind ``catenary``: a pantograph of bodies under a line of cables, without and with control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar, final

import numpy as np

from panhead.catenary.assembly import GRAVITY, Assembled, ContactForm, Ride, assembled
from panhead.catenary.dataset import dataset
from panhead.catenary.feedback import ForceFeedback
from panhead.catenary.laws import (
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
from panhead.catenary.run import METHOD, Record, Sampled, ridden
from panhead.catenary.statics import Hung, hung
from panhead.catenary.wires import cables_of
from panhead.errors import ModelError, SimulationError, require_positive
from panhead.jobs import Job
from panhead.line import read_line, string
from panhead.pantograph.cx import HEAD, CxPantograph
from panhead.scenarios import Kind, Row
from panhead.units import Metres, MetresPerSecond, Newtons, Seconds

if TYPE_CHECKING:
    import xarray as xr

    from panhead.report.page import Page

_T = TypeVar("_T")
_COARSE = 0.2  # share of the work that the run itself takes, where a finer one follows
_LAWS: dict[str, type[DampingLaw]] = {
    "derivative": Derivative,
    "bang-bang": BangBang,
    "exponential": Exponential,
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The line and how it is made a model."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    line: str = "ancf-simple"  #: shipped name or file
    element_length: Metres = 6.25
    droppers: Literal["bilateral", "tension only"] = "bilateral"
    contact_held: bool = False  #: the contact wire cannot rise at the masts
    presag: Metres | None = None  #: of the contact wire at mid-span; none: the line's own
    straight: bool = False  #: wires begin level, then sag as a whole

    def hung(self) -> Hung:
        """The line at rest."""
        line = read_line(self.line)
        if self.presag is not None:
            line = replace(line, presag=self.presag)
        cables = cables_of(
            string(line),
            element_length=self.element_length,
            bilateral=self.droppers == "bilateral",
            contact_held=self.contact_held,
            straight=self.straight,
        )
        return hung(cables, GRAVITY)


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
class LawChoice:
    """One way to control the head; ``published`` is mean and deviation in print."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    kind: Literal["none", "derivative", "bang-bang", "exponential", "force"] = "none"
    parameters: Mapping[str, float] = field(default_factory=dict)
    limit: Newtons | None = None
    delay: Seconds = 0.0
    lag: Seconds = 0.0
    sampled: bool = False  #: called at every step, instead of a damper in the equations
    published: tuple[float, float] | None = None  #: [N]

    def __post_init__(self) -> None:
        self.damper()
        self.controller()

    def damper(self) -> DampingLaw | None:
        """The law of damping."""
        if self.kind in ("none", "force"):
            return None
        return self._made(_LAWS[self.kind])

    def controller(self) -> Law | None:
        """The law as a sampled controller; None if it needs no samples. A damper can only dissipate."""
        if self.kind == "force":
            return self._limited(self._made(ForceFeedback))
        law = self.damper()
        if law is None or not (self.sampled or self.delay or self.lag):
            return None
        return SemiActive(law=self._limited(law))

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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Duration, step, and the part that is judged."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    duration: Seconds = 10.0
    step: Seconds = 1e-3
    start: Metres = HEAD[0]  #: of the pan-head along the line
    judged_from: Seconds = 0.0

    def __post_init__(self) -> None:
        require_positive(self, "duration", "step")
        if not 0 <= self.judged_from < self.duration:
            raise ModelError(f"judged_from must lie in the run, got {self.judged_from!r} s")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CatenaryRun:
    """A whole scenario."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    about: str = ""
    speed: MetresPerSecond = 200 / 3.6
    contact: ContactForm = "embedded"
    wiring: Wiring = field(default_factory=Wiring)
    pantograph: Pantograph = field(default_factory=Pantograph)
    laws: tuple[LawChoice, ...] = (LawChoice(name="uncontrolled"),)
    run: Run = field(default_factory=Run)
    source: str = ""  #: of the published numbers

    def __post_init__(self) -> None:
        names = [law.name for law in self.laws]
        if not names or len(set(names)) < len(names):
            raise ModelError(f"laws must have names of their own, got {names}")


def prepared(description: CatenaryRun, law: LawChoice, line: Hung) -> Assembled:
    """The system of one law, at its start."""
    controlled = law.controller() is not None
    ride = Ride(
        pantograph=description.pantograph.made(description.run.start, controlled=controlled),
        speed=description.speed,
        contact=description.contact,
        damper=None if controlled else law.damper(),
        damper_limit=law.limit or 1e9,
    )
    return assembled(line, ride)


def simulate(description: CatenaryRun, job: Job) -> xr.Dataset:
    """Every law in turn; with ``job.error_bars`` all of it again with elements and steps half as long."""
    if not job.error_bars:
        return _simulated(description, job)
    from panhead.report.catenary import errors_against

    part = lambda first, share: replace(
        job, error_bars=False, progress=lambda x, text: job.progress(first + share * x, text)
    )
    result = _simulated(description, part(0.0, _COARSE))
    wiring = replace(description.wiring, element_length=description.wiring.element_length / 2)
    run = replace(description.run, step=description.run.step / 2)
    finer = replace(description, wiring=wiring, run=run)
    again = _simulated(finer, part(_COARSE, 1 - _COARSE))
    return result.assign_attrs(errors=errors_against(result, again))


def _simulated(description: CatenaryRun, job: Job) -> xr.Dataset:
    """Every law in turn; a failure carries what was done before it."""
    line, run = description.wiring.hung(), description.run
    records: dict[str, Record] = {}
    count = len(description.laws)
    for k, law in enumerate(description.laws):
        progress = lambda share, text, k=k, law=law: job.progress(
            (k + share) / count, f"{law.name}, {text}"
        )
        controller = law.controller()
        try:
            records[law.name] = ridden(
                prepared(description, law, line),
                duration=run.duration,
                dt=run.step,
                method=METHOD,
                control=Sampled(law=controller, period=run.step) if controller else None,
                progress=progress,
            )
        except SimulationError as error:
            if isinstance(error.partial, Record) and len(error.partial.shape_time):
                records[law.name] = error.partial
            error.partial = _told(description, records) if records else None
            raise
    return _told(description, records)


def _told(description: CatenaryRun, records: Mapping[str, Record]) -> xr.Dataset:
    made = dataset(records)
    printed = {law.name: law.published or (np.nan, np.nan) for law in description.laws}
    table = np.array([printed[name] for name in records], float)
    words = {"units": "N", "long_name": "mean and deviation in print"}
    made["published"] = (("law", "moment"), table, words)
    return made.assign_attrs(
        about=description.about, judged_from=description.run.judged_from, source=description.source
    )


def summarise(result: xr.Dataset) -> Sequence[Row]:
    """Mean, deviation and effort of every law."""
    from panhead.report.catenary import judged

    rows = []
    for law in judged(result):
        for what, value, k in (("mean force", law.mean, 0), ("deviation", law.deviation, 1)):
            error = law.errors.get("mean" if k == 0 else "deviation")
            notes = [] if error is None else [f"± {error:.2g}"]
            notes += [] if np.isnan(law.published[k]) else [f"published {law.published[k]:.5g}"]
            rows.append(Row(f"{law.name}: {what}", value, "N", ", ".join(notes)))
        if law.cut is not None:
            rows.append(Row(f"{law.name}: deviation cut", 100 * law.cut, "%"))
            rows.append(Row(f"{law.name}: largest actuator force", law.peak, "N"))
    return rows


def page(result: xr.Dataset) -> Page:
    """The report's content."""
    from panhead.report import catenary

    return catenary.page(result)


KIND = Kind("catenary", CatenaryRun, simulate, summarise, page)
