"""``panhead measure``, ``calibrate``, ``identify``: virtual instrument, parameters from measurements, bench test."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_argument, path_option
from panhead.errors import ModelError


def measure(
    result: Annotated[Path, path_argument("A result.nc written by panhead run.")],
    instrument: Annotated[
        Path | None,
        path_option("--instrument", "A measurement (TOML) whose instrument is used; default: an ideal one."),
    ] = None,
    out: Annotated[Path, path_option("--out", "Folder to write to.")] = Path("measured"),
    pantograph: Annotated[int, typer.Option(min=1, help="Pantograph to measure, from the front.")] = 1,
) -> None:
    """Read a result through the virtual EN 50317 instrument: a record with noise, its calibration and its error."""
    from panhead.desk.evidence.instrument_page import measure_file
    from panhead.desk.reports.render import write
    from panhead.files.atomic_files import claim_folder

    with claim_folder(out.resolve(), not_of_a_run=True):
        _, record, page = measure_file(result, instrument, out.resolve(), pantograph)
        path = write(page, out.resolve())
    for words in (page.verdict.sentence, *page.verdict.details):
        print(words)
    print(f"record  {record}")
    print(f"report  {path}")


def calibrate(
    what: Annotated[Path, path_argument("A calibration (TOML), or a run whose records follow.")],
    measured: Annotated[list[Path] | None, path_argument("Records (CSV) of passages of the run.")] = None,
    unknown: Annotated[
        list[str] | None,
        typer.Option("--unknown", help='Parameter to find: "pantograph.mass:*stage 1=20 %"; may be repeated.'),
    ] = None,
    noise: Annotated[
        list[str] | None, typer.Option("--noise", help='Noise of a channel: "force=3 N"; default: estimated.')
    ] = None,
    posterior: Annotated[str | None, typer.Option(help="laplace, hmc or surrogate.")] = None,
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes that compute runs.")] = 1,
) -> None:
    """Find parameters of line, pantograph and train from measured passages, with their uncertainty."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.explore.calibration.command import (
        calibrate_into,
        calibration_of_options,
        read_calibration,
        with_posterior,
    )

    if what.suffix.lower() == ".toml" and not measured:
        name, calibration, records = read_calibration(what)
    else:
        name, calibration, records = calibration_of_options(what, measured or [], unknown or [], noise or [])
    if posterior is not None:
        calibration = with_posterior(calibration, posterior)
    folder = (out or Path("out") / name).resolve()
    try:
        with progress_bar(name) as progress:
            done = calibrate_into(name, calibration, records, folder, workers, progress)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; computed runs are saved in {folder}. Repeat the same command to resume", err=True)
        raise typer.Exit(130) from None
    for words in (done.page.verdict.sentence, *done.page.verdict.details):
        print(words)
    for file in done.files:
        print(f"file    {file}")
    print(f"report  {done.report}")


def identify(
    bench: Annotated[
        Path, path_argument("Frequency response (CSV): frequency, real and imaginary part or amplitude, phase.")
    ],
    masses: Annotated[int, typer.Option(min=1, max=3, help="Masses of the model.")] = 3,
    name: Annotated[str, typer.Option(help="Name of the pantograph.")] = "",
    static_force: Annotated[str, typer.Option("--static-force", help="Static force to write into the file.")] = "60 N",
    out: Annotated[Path | None, path_option("--out", "Pantograph to write (TOML).")] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> None:
    """Identify a lumped pantograph from a bench test (force on the head, motion of the head)."""
    from panhead.app.cli.line import quantity
    from panhead.errors import FileError
    from panhead.explore.calibration.bench_files import identify_file
    from panhead.files.atomic_files import check_name, check_output_is_no_input

    try:
        target = out or bench.with_name(f"{check_name(name or bench.stem)}.toml")
    except ValueError as error:
        raise ModelError(f"--name: {error}") from None
    check_output_is_no_input([target, target.with_suffix(".html")], [bench])
    if target.exists() and not replace:
        raise FileError(target, "already exists; choose another --out, or use --replace")
    force = quantity(static_force, "N", "static-force")
    found, page = identify_file(bench, masses, name or bench.stem, float(force or 0.0), target)
    for words in found:
        print(words)
    print(f"file    {target}")
    print(f"report  {page}")
