"""``panhead asbuilt``: from surveys of a route to its repair list."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_argument, path_option


def asbuilt(
    route: Annotated[Path, path_argument("ROUTE.toml: lines as designed, surveys, train, work of a crew.")],
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
    workers: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one per core.")] = 0,
    cluster: Annotated[str, typer.Option(help="Dask scheduler: tcp://HOST:PORT or its scheduler file.")] = "",
    as_pdf: Annotated[bool, typer.Option("--pdf", help="Write both pages as PDF, too.")] = False,
    excel: Annotated[bool, typer.Option("--excel", help="Write the work order as an Excel file, too.")] = False,
) -> None:
    """Fit a route to its surveys, cost the deviations, list the repairs; the same command resumes it."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.explore.asbuilt.route_output import write_route
    from panhead.explore.asbuilt.route_plan import RoutePlan
    from panhead.explore.asbuilt.run_route import conduct
    from panhead.explore.studies import sample_worker
    from panhead.files.atomic_files import claim_folder

    plan = RoutePlan.read(route)
    folder = (out or Path("out") / plan.name).resolve()
    count = workers or os.cpu_count() or 1
    crew = sample_worker.cluster_workers(cluster) if cluster else sample_worker.local_workers(count)
    try:
        with claim_folder(folder, not_of_a_run=True), progress_bar(plan.name) as progress:
            with crew as hands:
                conduct(plan, folder, hands, progress)
            written = write_route(plan, folder, pdf=as_pdf, excel=excel)
    except KeyboardInterrupt:
        typer.echo(f"interrupted; finished parts are saved in {folder}. Repeat the same command to resume", err=True)
        raise typer.Exit(130) from None
    print(written.sentence)
    for detail in written.details:
        print(detail)
    for what, path in written.files:
        print(f"{what:<8}{path}")
