"""Public functions of ``panhead``: run, study, design, simulate, judge, report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from panhead.engine.jobs import ErrorBars, Job, ignore_progress
from panhead.engine.methods.simulate import simulate as integrate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.symbolic import Mechanism, SymbolicSystem
from panhead.errors import ModelError
from panhead.files.result import Result
from panhead.runs import scenarios
from panhead.runs.description import Run, Variant
from panhead.runs.scenarios.output_folder import run_into

if TYPE_CHECKING:
    import xarray as xr

    from panhead.engine.methods.integrators import Method
    from panhead.explore.calibration.calibration_description import Calibration
    from panhead.explore.calibration.run_calibration import CalibrationOutcome
    from panhead.explore.designs.design_description import Design
    from panhead.explore.designs.run_design import DesignOutcome
    from panhead.explore.studies.study_description import Study


def run(
    what: str | Path | Run,
    *,
    changes: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    resume: bool = False,
    error_bars: ErrorBars | None = None,
    progress: Callable[[float, str], None] = ignore_progress,
) -> Result:
    """Simulate a shipped name, a file or a ``Run``; the result of a pantograph run includes its verdict.

    ``changes`` are merged into the description ({"speed": "250 km/h"}). With ``out``, result.nc and report.html are
    written there, and ``resume`` continues a stopped run of the same inputs from its last checkpoint. ``error_bars``
    "coarser" repeats the run for a quarter of its cost, "finer" for four times its cost, "described" as set by
    ``numerics.repeat``; None: "described" with ``out``, "none" without.
    """
    bars: ErrorBars = error_bars or ("none" if out is None else "described")
    if bars not in get_args(ErrorBars):
        raise ModelError(f"run: error_bars must be one of {', '.join(get_args(ErrorBars))} (given {bars!r})")
    scenario = _scenario(what, dict(changes or {}))
    if out is None:
        return scenario.simulate(Job(progress=progress, resume=resume, error_bars=bars))
    job = Job(progress=progress, out=Path(out), resume=resume, error_bars=bars, explain="described")
    return run_into(scenario, Path(out), job).result


def _scenario(what: str | Path | Run, changes: dict[str, Any]) -> scenarios.Scenario:
    if isinstance(what, Run):
        changed = what.variant(Variant(name="changed", changes=changes)) if changes else what
        return scenarios.Scenario(scenarios.kind("run"), "run", changed)
    return scenarios.read(str(what), changes=changes)


def study(what: str | Path | Study, out: str | Path, *, workers: int = 1) -> xr.Dataset:
    """Run a study (a shipped name, a file or a ``Study``) into a folder; finished samples are reused.

    The dataset holds every assessed quantity over (sample, pantograph, criterion).
    """
    from panhead.explore.studies import sample_plan as plans
    from panhead.explore.studies.run_study import conduct_into
    from panhead.explore.studies.sample_worker import local_workers

    plan = plans.read(str(what)) if isinstance(what, str | Path) else plans.Plan.of("study", what)
    return conduct_into(plan, Path(out), local_workers(workers), shown=str(out)).index


def design(what: str | Path | Design, out: str | Path) -> DesignOutcome:
    """Solve a design problem (a shipped name, a file or a ``Design``); write new files and a report into a folder.

    Runs that a stopped search has left in the folder are reused.
    """
    from panhead.desk.reports.render import write
    from panhead.explore.designs.design_page import page
    from panhead.explore.designs.problem import problem_of
    from panhead.explore.designs.run_design import conduct, read
    from panhead.files.atomic_files import claim_folder

    problem = read(str(what)) if isinstance(what, str | Path) else problem_of("design", what)
    with claim_folder(Path(out)):
        outcome = conduct(problem, Path(out))
        write(page(outcome), Path(out))
    return outcome


def calibrate(what: str | Path | Calibration, out: str | Path, *, workers: int = 1) -> CalibrationOutcome:
    """Find parameters from measured passages (a file or a ``Calibration``); write runs and a report into a folder.

    Records of a ``Calibration`` are named from the working directory. What a stopped search has left is used again.
    """
    from panhead.explore.calibration.command import calibrate_into, read_calibration

    if isinstance(what, str | Path):
        name, calibration, records = read_calibration(Path(what))
    else:
        name, calibration, records = "calibration", what, Path.cwd()
    return calibrate_into(name, calibration, records, Path(out), workers).outcome


def read_run(source: str | Path) -> Run:
    """Read the description of a pantograph run: a shipped name, a file or an earlier result."""
    found = scenarios.read(str(source)).description
    if not isinstance(found, Run):
        raise ModelError(
            f"{source} describes a {type(found).__name__}, not a pantograph run; "
            f"use panhead.run({str(source)!r}) to simulate it"
        )
    return found


def simulate(
    what: Model | Mechanism | SymbolicSystem,
    *,
    duration: float,
    dt: float,
    q: Sequence[float] | None = None,
    v: Sequence[float] | None = None,
    keep: float | None = None,
    method: Method | None = None,
    controls: Callable[[float], np.ndarray] | None = None,
) -> Result:
    """Simulate a model or mechanism from q, v (default: initial position, at rest); energies are included.

    ``dt`` is the time step, ``keep`` the output interval, ``controls`` a function u(t).
    """
    if isinstance(what, Model):
        return what.simulate(duration=duration, dt=dt, q=q, v=v, keep=keep, method=method, controls=controls)
    from panhead.engine.symbolic.mechanism_dataset import dataset

    system = SymbolicSystem(what) if isinstance(what, Mechanism) else what
    zero = np.zeros(len(system.coordinates))
    start = State(q=zero if q is None else np.array(q, float), v=zero if v is None else np.array(v, float))
    motion = integrate(system, start, duration=duration, dt=dt, keep=keep, method=method, controls=controls)
    return Result.of(dataset(system, motion)).assign_attrs(title=system.name)


def judge(result: xr.Dataset) -> Result:
    """Assess a pantograph run against the limits of its power supply and edition of the standard."""
    from panhead.assess import judge as judged

    return Result.of(judged(result))


def report(result: xr.Dataset, folder: str | Path = ".") -> Path:
    """Write ``report.html`` for any result into a folder."""
    return Result.of(result).report(folder)
