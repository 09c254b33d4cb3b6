"""``panhead run``: simulate, judge, write."""

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

from panhead.cli.why import explain
from panhead.errors import Interrupted

if TYPE_CHECKING:
    from panhead.files.result import Result
    from panhead.jobs import Job
    from panhead.scenarios.keeping import KeptResult

Settings = Annotated[list[str] | None, typer.Option("--set", help="Change an input: a.b=value.")]


def run(
    scenario: Annotated[str, typer.Argument(help="Shipped name, FILE.toml or result.nc.")] = "en50318-300",
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write to.")] = None,
    resume: Annotated[
        bool, typer.Option(help="Go on from the last checkpoint in --out; after a finished run, do nothing.")
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
        typer.Option(help="Halve step and mesh until the error bar of σ is at most so many percent of it.", min=0.01),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust-foreign-code", help="Let units (FILE.fmu) run: native code with your rights.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit code 3 unless the verdict is met.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Tell what made each peak, of a long run too.")] = False,
) -> None:
    """Simulate a scenario; write result.nc and report.html; print a short table and the verdict."""
    from panhead import scenarios
    from panhead.cli.printing import complain, print_rows, progress_bar
    from panhead.jobs import ErrorBars, Job
    from panhead.scenarios.keeping import carry_out

    chosen = scenarios.read(scenario, settings or [])
    folder = out or Path("out") / _folder_name(chosen.name, settings or [])
    with _stoppable(folder), progress_bar(chosen.name) as progress:
        say = lambda words: complain().print(words, markup=False)
        bars: ErrorBars = "described" if error_bars is None else "finer" if error_bars else "none"
        job = Job(progress=progress, say=say, out=folder, resume=resume, error_bars=bars, trust=trust)
        if converge is None:
            kept = carry_out(chosen, folder, job)
        else:
            kept = _converged(scenario, settings or [], 0.01 * converge, job, folder)
    print_rows(chosen.name, chosen.kind.summarise(kept.result))
    verdict = kept.result.verdict
    if verdict:
        from panhead.reports.judgement import entries, headline

        print(f"verdict {verdict}. {headline(kept.result, entries(kept.result)).sentence}")
    print(f"result  {kept.saved}\nreport  {kept.report}")
    if why and "why_force" not in kept.result:
        explain(kept.saved)
    if check and verdict != "met":
        raise typer.Exit(3)


def _converged(scenario: str, settings: list[str], wanted: float, job: Job, folder: Path) -> KeptResult:
    """The run with step and mesh halved until the error bar of σ is small enough, written into a folder."""
    from panhead import scenarios
    from panhead.cli.converge import converged, halved, numerics_of
    from panhead.scenarios.keeping import carry_out

    numerics, kept = numerics_of(scenarios.read(scenario, settings)), {}
    job = replace(job, error_bars="finer" if job.error_bars == "finer" else "coarser")

    def at(times: int) -> Result:
        chosen = scenarios.read(scenario, [*settings, *halved(numerics, times)])
        if not times:
            return chosen.simulate(replace(job, out=None, resume=False))  # most often only the way to a finer one
        kept[times] = carry_out(chosen, folder, replace(job, resume=False))
        return kept[times].result

    times = converged(wanted, numerics, at, job.say)
    return kept[times] if times else carry_out(scenarios.read(scenario, settings), folder, job)


def _folder_name(name: str, settings: list[str]) -> str:
    """The default folder of a run; one of its own for every choice of ``--set``."""
    if not settings:
        return name
    words = ",".join(re.sub(r"[^\w.=-]+", "", setting) for setting in settings)[:60]
    return f"{name},{words},{hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:6]}"


@contextmanager
def _stoppable(folder: Path) -> Iterator[None]:
    """Ctrl-C says what is kept and how to go on."""
    try:
        yield
    except (KeyboardInterrupt, Interrupted) as stopped:
        from panhead.scenarios.keeping import can_continue

        again = shlex.join(["panhead", *(word for word in sys.argv[1:] if word != "--resume"), "--resume"])
        if can_continue(folder):
            print(
                f"interrupted; the run up to its last checkpoint is kept in {folder}. Go on with\n  {again}",
                file=sys.stderr,
            )
        elif isinstance(stopped, Interrupted):
            print(f"interrupted: {stopped}", file=sys.stderr)
        else:
            print("interrupted; there was no checkpoint yet, nothing is kept", file=sys.stderr)
        raise typer.Exit(130) from None
