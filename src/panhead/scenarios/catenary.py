"""Scenarios of the kind ``catenary``: a pantograph of bodies under a line of cables, without and with control."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from panhead.errors import ModelError, SimulationError, require_positive
from panhead.files.units import Metres, MetresPerSecond, Seconds
from panhead.jobs import Job
from panhead.pantograph.cx import HEAD
from panhead.run.solvers.cables.assembly import Assembled, ContactForm, Ride, assembled
from panhead.run.solvers.cables.dataset import HELD, dataset, size
from panhead.run.solvers.cables.laws import Law
from panhead.run.solvers.cables.run import METHOD, Record, Sampled, ridden
from panhead.run.solvers.cables.statics import Hung
from panhead.run.solvers.cables.tuning import cost_of_damper, cost_of_law, tuned
from panhead.run.solvers.cables.wiring import Wiring
from panhead.scenarios import ScenarioKind, SummaryRow
from panhead.scenarios.catenary_laws import LawChoice, Pantograph

if TYPE_CHECKING:
    import xarray as xr

_KEPT = ".laws"  # folder of what is kept of long runs
_FINER = ".finer"  # and of the run they are compared with
_COARSE = 0.2  # share of the work that the run itself takes, where a finer one follows


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
    controlled = law.controller(description.pantograph) is not None
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
    found = json.loads(result.attrs["parameters"])  # what a search found is not searched again
    laws = tuple(law.at(found[law.name]) for law in description.laws)
    finer = replace(description, wiring=wiring, run=run, laws=laws)
    aside = None if job.out is None else job.out / _FINER
    again = _simulated(finer, replace(part(_COARSE, 1 - _COARSE), out=aside))
    told = result.assign_attrs(errors=errors_against(result, again))
    if aside is not None:
        shutil.rmtree(aside, ignore_errors=True)
    return told


def _simulated(description: CatenaryRun, job: Job) -> xr.Dataset:
    """Every law in turn; a failure carries what was done before it."""
    line, run = description.wiring.hung(), description.run
    records: dict[str, Record] = {}
    description = replace(
        description, laws=tuple(_searched(description, law, line) for law in description.laws)
    )
    for k, law in enumerate(description.laws):
        controller = law.controller(description.pantograph)
        try:
            records[law.name] = ridden(
                prepared(description, law, line),
                duration=run.duration,
                dt=run.step,
                method=METHOD,
                control=Sampled(law=controller, period=run.step) if controller else None,
                job=_part(job, k, description.laws),
            )
        except SimulationError as error:
            if isinstance(error.partial, Record) and len(error.partial.shape_time):
                records[law.name] = error.partial
            error.partial = _told(description, records, job) if records else None
            raise
    return _told(description, records, job)


def _searched(description: CatenaryRun, law: LawChoice, line: Hung) -> LawChoice:
    """The law with the numbers that its search finds."""
    search = law.search
    if search is None:
        return law
    first = law.at(search.first)
    made = prepared(description, first, line)
    if first.controller(description.pantograph) is None:
        cost = cost_of_damper(made, duration=search.duration)
    else:
        make = lambda numbers: _controller(description, law.at(numbers))
        cost = cost_of_law(made, make, duration=search.duration, period=description.run.step)
    return law.at(tuned(cost, search.grid, evaluations=search.evaluations).numbers)


def _controller(description: CatenaryRun, law: LawChoice) -> Law:
    found = law.controller(description.pantograph)
    assert found is not None  # its kind needs samples
    return found


def _part(job: Job, k: int, laws: Sequence[LawChoice]) -> Job:
    """What one law knows of the job: its share of the progress, a folder of its own."""
    progress = lambda share, text: job.progress((k + share) / len(laws), f"{laws[k].name}, {text}")
    return Job(progress=progress, out=None if job.out is None else job.out / _KEPT / str(k))


def _told(description: CatenaryRun, records: Mapping[str, Record], job: Job) -> xr.Dataset:
    """The dataset; files are removed once all of it is in memory."""
    folder = None if job.out is None else job.out / _KEPT
    made = dataset(records, folder)
    if folder is not None and size(records) <= HELD:
        shutil.rmtree(folder, ignore_errors=True)
    printed = {law.name: law.published or (np.nan, np.nan) for law in description.laws}
    table = np.array([printed[name] for name in records], float)
    words = {"units": "N", "long_name": "mean and deviation in print"}
    made["published"] = (("law", "moment"), table, words)
    return made.assign_attrs(
        about=description.about,
        judged_from=description.run.judged_from,
        source=description.source,
        parameters=json.dumps({law.name: dict(law.parameters) for law in description.laws}),
    )


def summarise(result: xr.Dataset) -> Sequence[SummaryRow]:
    """Mean, deviation and effort of every law."""
    from panhead.report.catenary import judged

    rows = []
    for law in judged(result):
        for what, value, k in (("mean force", law.mean, 0), ("deviation", law.deviation, 1)):
            error = law.errors.get("mean" if k == 0 else "deviation")
            notes = [] if error is None else [f"± {error:.2g}"]
            notes += [] if np.isnan(law.published[k]) else [f"published {law.published[k]:.5g}"]
            rows.append(SummaryRow(f"{law.name}: {what}", value, "N", ", ".join(notes)))
        if law.cut is not None:
            rows.append(SummaryRow(f"{law.name}: deviation cut", 100 * law.cut, "%"))
            if law.lumped_cut is not None and not np.isnan(law.published[1]):
                note = f"published {100 * (law.published_cut or 0.0):.3g}"
                rows.append(
                    SummaryRow(
                        f"{law.name}: cut of the lumped estimate", 100 * law.lumped_cut, "%", note
                    )
                )
            rows.append(SummaryRow(f"{law.name}: largest actuator force", law.peak, "N"))
    return rows


KIND = ScenarioKind("catenary", CatenaryRun, simulate, summarise)
