"""Scenarios: files that describe a simulation; their ``kind`` selects the code that runs them.

A kind is one module of this package with a ``KIND`` that knows its description (a frozen dataclass),
how to simulate it and how to sum it up in a short table; the report shows a result by what it holds.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panhead.engine.jobs import Job
from panhead.errors import FileError, SimulationError, alternatives
from panhead.files import parse, results
from panhead.files.atomic_files import check_name
from panhead.files.embed import with_embedded_files
from panhead.files.file_kinds import FILES, command_for, kind_of, refuse_table
from panhead.railway.line.line_design import shipped_designs
from panhead.runs.design_run import names_design, run_of_name

if TYPE_CHECKING:
    import xarray as xr

    from panhead.files.result import Result

_MODULES = {
    "ceiling": "panhead.explore.designs.actuator_bound",
    "control": "panhead.runs.scenarios.control_kind",
    "factorized": "panhead.runs.scenarios.factorized_kind",
    "modes": "panhead.runs.scenarios.modes_kind",
    "motion": "panhead.runs.scenarios.motion_kind",
    "run": "panhead.runs.scenarios.run_kind",
    "vehicle": "panhead.runs.scenarios.vehicle_kind",
}


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """One line of the summary that a run prints."""

    quantity: str
    value: float | str
    unit: str = ""
    note: str = ""  #: a limit, a verdict, a reference: whatever makes the value mean something

    @property
    def shown(self) -> str:
        """Formatted value."""
        return f"{self.value:.6g}" if isinstance(self.value, float) else self.value


@dataclass(frozen=True, slots=True)
class ScenarioKind:
    """Kind of scenario: its description, simulation and summary."""

    name: str
    description: type
    simulate: Callable[[Any, Job], xr.Dataset]
    summarise: Callable[[xr.Dataset], Sequence[SummaryRow]]
    contents: Callable[[Any], Any] = with_embedded_files  #: the description with what its names stand for


@dataclass(frozen=True, slots=True)
class Scenario:
    """Description together with its kind."""

    kind: ScenarioKind
    name: str
    description: Any

    def inputs(self) -> dict[str, Any]:
        """The exact inputs as plain data; ``from_plain`` makes an equal scenario of it."""
        return {"kind": self.kind.name, "name": self.name} | parse.to_plain(self.description)

    def simulate(self, job: Job | None = None) -> Result:
        """Run the scenario. The result carries its inputs, the content of every file among them, and provenance."""
        whole, job = self.with_contents(), job or Job()
        inputs = whole.inputs()
        judged = lambda dataset: job.judged(self._result(dataset, inputs, job))
        try:
            dataset = self.kind.simulate(whole.description, replace(job, judged=judged))
        except SimulationError as error:
            if error.partial is not None:
                error.partial = results.with_provenance(error.partial, inputs)
            raise
        return self._result(dataset, inputs, job)

    def _result(self, dataset: xr.Dataset, inputs: dict[str, Any], job: Job) -> Result:
        from panhead.files.result import Result  # after the run: it brings xarray, which takes longer than to begin

        made = results.with_provenance(dataset, inputs).assign_attrs(title=self.name, error_bars=job.error_bars)
        return Result.of(made)

    def with_contents(self) -> Scenario:
        """Self-contained scenario: every file that it names replaced by its content."""
        return replace(self, description=self.kind.contents(self.description))


def kinds() -> tuple[str, ...]:
    """The names of all kinds, sorted."""
    return tuple(_MODULES)


def kind(name: str) -> ScenarioKind:
    """The kind called ``name``."""
    return importlib.import_module(_MODULES[name]).KIND


def shipped() -> dict[str, Path]:
    """Name → file of every scenario that comes with the package, sorted by name."""
    folder = Path(str(resources.files("panhead"))) / "data" / "scenarios"
    return {path.stem: path for path in sorted(folder.glob("*.toml"), key=lambda p: p.stem)}


def read(source: str, settings: Sequence[str] = (), changes: Mapping[str, Any] | None = None) -> Scenario:
    """Read a scenario by shipped name, TOML file, earlier result (``result.nc``) or the name of a line design.

    "C-350" is one pantograph at the line speed of that design, "C-350 x2" two of them 200 m apart.

    ``settings`` are those of ``--set`` ("a.b=value"), ``changes`` a table merged in deeply.
    """
    path = Path(source)
    if source in shipped():
        path = shipped()[source]
        raw = parse.read_toml(path)
    elif names_design(source):
        raw = run_of_name(source)
    elif path.suffix == ".nc":
        raw = results.inputs_of(results.load(path))
    elif path.suffix == ".toml" or parse.path_exists(path):
        refuse_table(path, "scenario")
        raw = parse.read_toml(path)
    else:
        known = alternatives(source, [*shipped(), *shipped_designs()])
        raise FileError(source, f"is neither a file nor a shipped scenario or line design; {known}")
    raw = parse.merge(parse.with_overrides(raw, settings), dict(changes or {}))
    return from_plain(raw, source=path)


def from_plain(raw: dict[str, Any], *, source: object) -> Scenario:
    """Build a scenario from plain data (the content of a file)."""
    raw = dict(raw)
    kind_name = raw.pop("kind", None)
    if not isinstance(kind_name, str) or kind_name not in _MODULES:
        raise FileError(source, _unknown_kind_message(raw if kind_name is None else {"kind": kind_name}, source))
    if kind_name == "run":
        from panhead.runs.scenarios.run_kind import check_keys

        check_keys(raw, source)
    name = str(raw.pop("name", None) or Path(str(source)).stem)
    try:
        check_name(name)
    except ValueError as error:
        raise FileError(source, f"name: {error}") from None
    chosen = kind(kind_name)
    return Scenario(chosen, name, parse.build(chosen.description, raw, source=source))


def _unknown_kind_message(raw: Mapping[str, Any], source: object) -> str:
    """Error text for an unknown kind; another file is answered with its command, an old kind with its new name."""
    from panhead.runs.scenarios.run_kind import OLD_KINDS

    kind_name, found = raw.get("kind"), kind_of(raw)
    if found is not None and found in FILES:
        return f"this is a {found}, not a run; {command_for(found, source)}"
    if kind_name is None and found == "run":
        return 'kind: missing; this looks like a run: write kind = "run" at its top'
    if isinstance(kind_name, str) and kind_name in OLD_KINDS:
        return f"kind: {kind_name!r} is now {OLD_KINDS[kind_name]}. `panhead schema run` lists every key"
    return f"kind: must be one of {', '.join(_MODULES)} (given {kind_name!r})"
