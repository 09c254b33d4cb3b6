"""``panhead study``: run a parameter study with uncertainty."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from panhead.app.cli.paths import path_option
from panhead.errors import ModelError


def study(
    what: Annotated[
        list[str], typer.Argument(help="FILE.toml or a shipped name; or: show FOLDER; or: rerun FOLDER NUMBER.")
    ],
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    cluster: Annotated[str, typer.Option(help="Dask scheduler: tcp://HOST:PORT or its scheduler file.")] = "",
    dataset: Annotated[
        bool, typer.Option("--dataset", help="Write all force curves as a data set with a card.")
    ] = False,
    form: Annotated[
        Literal["parquet", "zarr"], typer.Option("--format", help="Of --dataset: files of tables, or one store.")
    ] = "parquet",
) -> None:
    """Run a parameter study and report results with their uncertainty; the same command resumes it."""
    if what[0] == "show":
        _show_study(Path(_require_count(what, 2, "show FOLDER")[1]))
    elif what[0] == "rerun":
        _, folder, number = _require_count(what, 3, "rerun FOLDER NUMBER")
        _rerun_sample(Path(folder), number, out)
    elif dataset:
        if cluster:
            raise ModelError("study --dataset: it is computed on this machine; remove --cluster, or use --workers")
        _write_dataset(_require_count(what, 1, "FILE.toml --dataset")[0], out, form, workers or os.cpu_count() or 1)
    else:
        _run_study(_require_count(what, 1, "FILE.toml")[0], out, workers, cluster)


def _require_count(what: list[str], count: int, form: str) -> list[str]:
    if len(what) != count:
        raise ModelError(f"panhead study {' '.join(what)}: wrong number of arguments; use panhead study {form}")
    return what


def _run_study(source: str, out: Path | None, workers: int, cluster: str) -> None:
    from panhead.app.cli.progress_display import progress_bar
    from panhead.app.cli.terminal_output import print_page_verdict
    from panhead.explore.studies import sample_plan, sample_worker
    from panhead.explore.studies.run_study import SampleProgress, conduct_into

    chosen = sample_plan.read(source)
    folder = (out or Path("out") / chosen.name).resolve()
    count = workers or os.cpu_count() or 1
    crew = sample_worker.cluster_workers(cluster) if cluster else sample_worker.local_workers(count)
    say = lambda words: typer.echo(words, err=True)
    try:
        with progress_bar(chosen.name) as progress:

            def sample_progress(hands: sample_worker.Workers) -> SampleProgress:
                def tell(done: int, of: int, failed: int) -> None:
                    said = f", {failed} failed" if failed else ""
                    progress(done / max(1, of), f"{done} of {of} samples, {hands.count} workers{said}")

                return tell

            found = conduct_into(chosen, folder, crew, sample_progress, say, os.path.relpath(folder))
    except KeyboardInterrupt:
        say(f"interrupted; finished samples are saved in {folder}. Repeat the same command to resume")
        raise typer.Exit(130) from None
    except OSError:
        say(f"finished samples are saved in {folder}. Fix the error below and repeat the same command to resume")
        raise
    print_page_verdict(found.page.verdict)
    print(f"samples {folder / 'index.csv'}\nreport  {found.report}")


def _write_dataset(source: str, out: Path | None, form: Literal["parquet", "zarr"], workers: int) -> None:
    from panhead.app.cli.progress_display import progress_bar
    from panhead.explore.studies import sample_plan
    from panhead.explore.studies.dataset import write_dataset
    from panhead.explore.studies.dataset_tables import PLACES
    from panhead.files.atomic_files import claim_folder

    chosen = sample_plan.read(source)
    folder = (out or Path("out") / f"{chosen.name}-dataset").resolve()
    try:
        with claim_folder(folder, not_of_a_run=True), progress_bar(chosen.name) as progress:
            tell = lambda done, of, failed: progress(done / of, f"{done} of {of} runs, {failed} failed")
            card = write_dataset(chosen, folder, tell, form=form, workers=workers)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; finished runs are saved in {folder}. Repeat the same command to resume", err=True)
        raise typer.Exit(130) from None
    print(f"samples {folder / PLACES[form][0]}\ncard    {card}")


def _show_study(folder: Path) -> None:
    from panhead.app.cli.terminal_output import print_page_verdict
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
    print_page_verdict(found.verdict)
    if others:
        typer.echo(f"{others} files in samples/ belong to another study or version and are ignored", err=True)
    try:
        with claim_folder(folder):
            table.write(folder, index)
            print(f"samples {folder / 'index.csv'}\nreport  {write(found, folder)}")
    except FolderInUse as error:
        typer.echo(f"nothing was written: {error}", err=True)


def _rerun_sample(folder: Path, number: str, out: Path | None) -> None:
    """Repeat one sample as a full run with its report."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.app.cli.terminal_output import print_sentences
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
    print_sentences(kept.result)
    print(f"result  {kept.saved}\nreport  {kept.report}")
