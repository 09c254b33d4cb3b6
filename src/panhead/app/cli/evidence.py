"""``panhead evidence``: the validation evidence that EN 50318 requires of a simulation, in one folder."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_option
from panhead.app.cli.title_options import AsPdf, TitleField
from panhead.errors import ModelError


def evidence(
    line: Annotated[str, typer.Argument(help="LINE.toml or shipped name.")],
    pantographs: Annotated[list[str], typer.Argument(help="PANTOGRAPH.toml or shipped names, from front to rear.")],
    speeds: Annotated[
        list[str], typer.Option("--speed", help='Speed, such as "250 km/h"; repeat the option for more speeds.')
    ],
    out: Annotated[Path, path_option("--out", "Folder for the evidence pack.")] = Path("evidence"),
    spacing: Annotated[str, typer.Option(help="Distance between pantographs.")] = "200 m",
    reference: Annotated[
        str, typer.Option(help='Reference models: en50318-2002, or FILE.toml with kind = "reference".')
    ] = "en50318-2002",
    standard: Annotated[
        list[str] | None,
        typer.Option("--standard", help="Editions to assess against; the first one decides the verdict of the runs."),
    ] = None,
    measured: Annotated[
        list[str] | None, typer.Option("--measured", help='Measured run: FILE.toml with kind = "measurement".')
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Override an input of every run under the line: a.b=value.")
    ] = None,
    error_bars: Annotated[
        bool, typer.Option("--error-bars", help="Estimate error bars from finer runs; takes five times as long.")
    ] = False,
    as_pdf: AsPdf = False,
    project: TitleField = None,
    author: TitleField = None,
    checker: TitleField = None,
    revision: TitleField = None,
    date: TitleField = None,
) -> None:
    """Compute and collect the EN 50318 evidence for a line and its pantographs; finished parts are reused."""
    from panhead.app.cli.line import quantity
    from panhead.app.cli.progress_display import progress_bar
    from panhead.app.cli.terminal_output import print_page_verdict
    from panhead.desk.evidence import evidence_pack as packs
    from panhead.desk.evidence.pack_page import pack_page
    from panhead.desk.reports import title_block, with_title_block
    from panhead.desk.reports.render import html
    from panhead.files.atomic_files import claim_folder, write_atomic

    wanted = packs.EvidenceWanted(
        line=line,
        pantographs=tuple(pantographs),
        speeds=tuple(_require_value(quantity(text, "m/s", "speed")) for text in speeds),
        spacing=_require_value(quantity(spacing, "m", "spacing")),
        reference=reference,
        standards=tuple(standard or packs.STANDARDS),
        measured=tuple(measured or ()),
        settings=tuple(settings or ()),
        finer=error_bars,
    )
    with claim_folder(out), progress_bar("evidence") as progress:
        pack = packs.make_pack(wanted, out, packs.started_with(sys.argv[1:]), progress)
        given = {"project": project, "author": author, "checker": checker, "revision": revision, "date": date}
        page = replace(pack_page(pack), title_block=title_block(with_title_block(pack.runs[-1].result, given)))
        path, manifest = write_atomic(out / packs.PAGE, html(page).encode()), packs.write_manifest(pack)
    print_page_verdict(page.verdict)
    print(f"page    {path}\nfiles   {manifest}")
    if as_pdf:
        from panhead.desk.reports.pdf import write_pdf

        print(f"pdf     {write_pdf(page, path.with_suffix('.pdf'))}")


def _require_value(found: float | None) -> float:
    if found is None:
        raise ModelError("evidence: a value is missing")
    return found
