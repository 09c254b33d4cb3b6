"""``panhead design``: optimise a line or a pantograph."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_option


def design(
    what: Annotated[str, typer.Argument(help="FILE.toml or a shipped name.")],
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
) -> None:
    """Optimise a line or a pantograph for an objective of its runs; write the new files and a report."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.app.cli.terminal_output import print_page_verdict
    from panhead.desk.reports.render import write
    from panhead.explore.designs.design_page import page
    from panhead.explore.designs.run_design import conduct, read
    from panhead.files.atomic_files import claim_folder

    problem = read(what)
    folder = (out or Path("out") / problem.name).resolve()
    try:
        with claim_folder(folder, not_of_a_run=True), progress_bar(problem.name) as progress:
            outcome = conduct(problem, folder, progress)
            found = page(outcome)
            path = write(found, folder)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; completed runs are saved in {folder}. Repeat the same command to resume", err=True)
        raise typer.Exit(130) from None
    print_page_verdict(found.verdict)
    for name in outcome.files:
        print(f"file    {name}")
    print(f"report  {path}")
