"""``panhead study``: run a parameter study with uncertainty."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panhead.app.cli.paths import path_option
from panhead.errors import ModelError

if TYPE_CHECKING:
    from panhead.desk.reports.page import PageVerdict


def study(
    what: Annotated[
        list[str], typer.Argument(help="FILE.toml or a shipped name; or: show FOLDER; or: rerun FOLDER NUMBER.")
    ],
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    cluster: Annotated[str, typer.Option(help="Dask scheduler: tcp://HOST:PORT or its scheduler file.")] = "",
) -> None:
    """Run a parameter study and report results with their uncertainty; the same command resumes it."""
    if what[0] == "show":
        _show_study(Path(_require_count(what, 2, "show FOLDER")[1]))
    elif what[0] == "rerun":
        _, folder, number = _require_count(what, 3, "rerun FOLDER NUMBER")
        _rerun_sample(Path(folder), number, out)
    else:
        _run_study(_require_count(what, 1, "FILE.toml")[0], out, workers, cluster)


def _require_count(what: list[str], count: int, form: str) -> list[str]:
    if len(what) != count:
        raise ModelError(f"panhead study {' '.join(what)}: wrong number of arguments; use panhead study {form}")
    return what


def _run_study(source: str, out: Path | None, workers: int, cluster: str) -> None:
    from panhead.app.cli.terminal_output import progress_bar
    from panhead.explore.studies import sample_plan, sample_worker
    from panhead.explore.studies.run_study import Told, conduct_into

    chosen = sample_plan.read(source)
    folder = (out or Path("out") / chosen.name).resolve()
    count = workers or os.cpu_count() or 1
    crew = sample_worker.cluster_workers(cluster) if cluster else sample_worker.local_workers(count)
    say = lambda words: typer.echo(words, err=True)
    try:
        with progress_bar(chosen.name) as progress:

            def told(hands: sample_worker.Workers) -> Told:
                def tell(done: int, of: int, failed: int) -> None:
                    said = f", {failed} failed" if failed else ""
                    progress(done / max(1, of), f"{done} of {of} samples, {hands.count} workers{said}")

                return tell

            found = conduct_into(chosen, folder, crew, told, say, os.path.relpath(folder))
    except KeyboardInterrupt:
        say(f"interrupted; finished samples are saved in {folder}. Repeat the same command to resume")
        raise typer.Exit(130) from None
    except OSError:
        say(f"finished samples are saved in {folder}. Fix the error below and repeat the same command to resume")
        raise
    _print_verdict(found.page.verdict)
    print(f"samples {folder / 'index.csv'}\nreport  {found.report}")


def _show_study(folder: Path) -> None:
    from panhead.desk.reports.render import write
    from panhead.explore.studies import sample_index as table
    from panhead.explore.studies.control_variates import with_controls
    from panhead.explore.studies.run_study import samples_of, unused_samples
    from panhead.explore.studies.sample_plan import Plan
    from panhead.explore.studies.study_page import page
    from panhead.files.atomic_files import FolderInUse, claim_folder

    chosen = Plan.read_stored(folder)
    samples = samples_of(chosen, folder)
    index = with_controls(chosen, table.collect(folder, chosen, samples), folder, compute=False)
    found, others = page(index, os.path.relpath(folder)), unused_samples(chosen, folder, samples)
    _print_verdict(found.verdict)
    if others:
        typer.echo(f"{others} files in samples/ belong to another study or version and are ignored", err=True)
    try:
        with claim_folder(folder):
            table.write(folder, index)
            print(f"samples {folder / 'index.csv'}\nreport  {write(found, folder)}")
    except FolderInUse as error:
        typer.echo(f"nothing was written: {error}", err=True)


def _print_verdict(verdict: PageVerdict) -> None:
    """Print the verdict and its details."""
    print(verdict.sentence)
    for detail in verdict.details:
        print(detail)


def _rerun_sample(folder: Path, number: str, out: Path | None) -> None:
    """Repeat one sample as a full run with its report."""
    from panhead.app.cli.terminal_output import progress_bar
    from panhead.engine.jobs import Job
    from panhead.explore.studies.run_study import samples_of
    from panhead.explore.studies.sample_plan import Plan
    from panhead.runs import scenarios
    from panhead.runs.scenarios.output_folder import run_into

    chosen = Plan.read_stored(folder)
    known = {str(s.number): s for s in samples_of(chosen, folder)}
    if number not in known:
        raise ModelError(f"{folder}: there is no sample {number}; samples are numbered 0 to {len(known) - 1}")
    inputs = chosen.inputs(known[number]) | {"name": f"{chosen.name}-{number}"}
    scenario = scenarios.from_plain(inputs, source=f"sample {number}")
    place = out or folder / f"rerun-{number}"
    with progress_bar(scenario.name) as progress:
        kept = run_into(scenario, place, Job(progress=progress, out=place, explain="described"))
    from panhead.assess import verdict_sentence

    print(f"verdict {verdict_sentence(kept.result)}\nresult  {kept.saved}\nreport  {kept.report}")
