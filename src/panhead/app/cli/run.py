"""``panhead run``: simulate a scenario, assess it and write its results."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panhead.app.cli.attribution_option import explain as peaks_explained
from panhead.app.cli.paths import path_option
from panhead.errors import Interrupted
from panhead.files.atomic_files import check_output_is_no_input

if TYPE_CHECKING:
    import xarray as xr

    from panhead.engine.jobs import Job
    from panhead.files.result import Result
    from panhead.runs.scenarios import Scenario
    from panhead.runs.scenarios.output_folder import KeptResult

Settings = Annotated[list[str] | None, typer.Option("--set", help="Override an input: a.b=value.")]


def run(
    scenario: Annotated[str, typer.Argument(help="Shipped name, FILE.toml or result.nc.")] = "en50318-300",
    settings: Settings = None,
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
    resume: Annotated[
        bool, typer.Option(help="Resume from the last checkpoint in --out; a finished run is not repeated.")
    ] = False,
    error_bars: Annotated[
        bool | None,
        typer.Option(
            "--error-bars/--no-error-bars",
            help="Estimate the numerical error from runs with half and twice the time step and element length; without "
            "the option, with twice of both.",
        ),
    ] = None,
    converge: Annotated[
        float | None,
        typer.Option(
            help="Halve time step and element length until the error bar of σ is at most this percentage.", min=0.01
        ),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust-foreign-code", help="Allow FMUs to execute native code with your privileges.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with code 3 unless the run complies.")] = False,
    why: Annotated[
        bool | None,
        typer.Option(
            "--why/--no-why",
            help="Attribute each force peak to droppers, supports and tensions, with trials of changed droppers, even "
            "for long runs; without the option, the largest peaks of a short run, without trials.",
        ),
    ] = None,
) -> None:
    """Simulate a scenario; print a summary and the verdict, then write result.nc and report.html."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.app.cli.terminal_output import stderr_console
    from panhead.engine.jobs import ErrorBars, Explain, Job, ignore_verdict
    from panhead.runs import scenarios
    from panhead.runs.scenarios.output_folder import PARTIAL, RESULT, run_into

    if out is not None and not resume:
        check_output_is_no_input([out / name for name in (RESULT, PARTIAL)], [scenario])
    chosen = scenarios.read(scenario, settings or [])
    folder = out or Path("out") / _folder_name(chosen.name, settings or [])
    bars: ErrorBars = "described" if error_bars is None else "finer" if error_bars else "none"
    explain: Explain = "described" if why is None else "trials" if why else "none"
    shown: list[xr.Dataset] = []  # on the terminal

    def show(result: xr.Dataset) -> None:
        with bar.pause():
            _print_verdict(chosen, result)
        shown.append(result)

    with _explain_interrupt(folder), _without_dask(), progress_bar(chosen.name) as bar:
        say = lambda words: stderr_console().print(words, markup=False)
        job = Job(
            progress=bar, say=say, out=folder, resume=resume, error_bars=bars, explain=explain, judged=show, trust=trust
        )
        if converge is None:
            kept = run_into(chosen, folder, job)
        else:
            kept = _run_converged(
                scenario, settings or [], 0.01 * converge, replace(job, judged=ignore_verdict), folder
            )
    if not shown:  # of another kind, or finished before
        _print_verdict(chosen, kept.result)
    _print_attribution(kept.result)
    print(f"result  {kept.saved}\nreport  {kept.report}")
    if why and not shown and not any(str(name).startswith("why_checked") for name in kept.result.variables):
        peaks_explained(kept.saved)
    if check and kept.result.verdict != "met":
        raise typer.Exit(3)


def _print_verdict(scenario: Scenario, result: xr.Dataset) -> None:
    """Print the summary table of a result and its verdict."""
    from panhead.app.cli.terminal_output import print_sentences, print_table

    cells = [(row.quantity, row.shown, row.unit, row.note) for row in scenario.kind.summarise(result)]
    print_table(scenario.name, ("quantity", "value", "unit", ""), cells)
    if "verdict" in result.attrs:
        print_sentences(result)


def _print_attribution(result: xr.Dataset) -> None:
    """Print the cause of the largest force peak in one sentence."""
    from panhead.desk.reports.run_attribution import sentence
    from panhead.files.variants import separate

    for variant, one in separate(result).items():
        if "why_force" in one:
            print(f"why     {f'{variant}: ' if variant else ''}{sentence(one)}")


def _run_converged(scenario: str, settings: list[str], wanted: float, job: Job, folder: Path) -> KeptResult:
    """Run with step and mesh halved until the error bar of σ is small enough; write it into a folder."""
    from panhead.app.cli.converge import numerics_of, refine_until, refined_settings
    from panhead.runs import scenarios
    from panhead.runs.scenarios.output_folder import run_into

    numerics, kept = numerics_of(scenarios.read(scenario, settings)), {}
    job = replace(job, error_bars="finer" if job.error_bars == "finer" else "coarser")

    def at(times: int) -> Result:
        chosen = scenarios.read(scenario, [*settings, *refined_settings(numerics, times)])
        if not times:
            return chosen.simulate(replace(job, out=None, resume=False))  # most often only the way to a finer one
        kept[times] = run_into(chosen, folder, replace(job, resume=False))
        return kept[times].result

    times = refine_until(wanted, numerics, at, job.say)
    return kept[times] if times else run_into(scenarios.read(scenario, settings), folder, job)


def _folder_name(name: str, settings: list[str]) -> str:
    """Default output folder of a run, distinct for every choice of ``--set``."""
    if not settings:
        return name
    words = ",".join(re.sub(r"[^\w.=-]+", "", setting) for setting in settings)[:60]
    return f"{name},{words},{hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:6]}"


@contextmanager
def _without_dask() -> Iterator[None]:
    """Keep xarray from importing dask: a run has no dask arrays, and the import can take as long as a run."""
    if "dask" in sys.modules or "xarray" in sys.modules:  # it may have been found already
        yield
        return
    sys.modules["dask"] = None  # type: ignore[assignment]  # as if it were not installed
    try:
        yield
    finally:
        del sys.modules["dask"]


@contextmanager
def _explain_interrupt(folder: Path) -> Iterator[None]:
    """On Ctrl-C, print what is saved and how to resume."""
    try:
        yield
    except (KeyboardInterrupt, Interrupted) as stopped:
        from panhead.runs.scenarios.output_folder import can_continue

        again = shlex.join(["panhead", *(word for word in sys.argv[1:] if word != "--resume"), "--resume"])
        if can_continue(folder):
            print(
                f"interrupted; the run up to its last checkpoint is saved in {folder}. Resume with\n  {again}",
                file=sys.stderr,
            )
        elif isinstance(stopped, Interrupted):
            print(f"interrupted: {stopped}", file=sys.stderr)
        else:
            print("interrupted before the first checkpoint; nothing is saved", file=sys.stderr)
        raise typer.Exit(130) from None
