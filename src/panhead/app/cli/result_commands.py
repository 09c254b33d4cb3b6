"""``panhead compare``, ``export``, ``show``, ``maintain``: commands that read stored results."""

from __future__ import annotations

from itertools import chain, zip_longest
from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_argument, path_option
from panhead.errors import ModelError
from panhead.files.atomic_files import check_output_is_no_input

_Result = Annotated[Path, path_argument("A result.nc written by panhead run.")]


def compare(
    results: Annotated[list[Path], path_argument("Two or more result.nc; differences are relative to the first.")],
    out: Annotated[Path, path_option("--out", "Page to write.")] = Path("compare.html"),
) -> None:
    """Compare results on one page: tables, differences with error bars, and curves."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.desk.evidence.result_comparison import FIRST_SHOWN, compare_page, compare_results, rows
    from panhead.desk.evidence.result_reader import read_run_results
    from panhead.desk.reports.render import html
    from panhead.files.atomic_files import write_atomic

    if len(results) < 2:
        raise ModelError("compare: give at least two results")
    check_output_is_no_input([out], results)
    runs = read_run_results(results)
    page = write_atomic(out, html(compare_page(runs)).encode())
    found = compare_results(runs)
    table = [(f"{c.name} [{c.shown()[3]}]", *cells) for c, cells in rows(found) if c.key in FIRST_SHOWN]
    print_table("In brackets: difference from the first, ± both error bars", ("", *(one.name for one in found)), table)
    print(f"page    {page}")


def export(
    result: _Result,
    as_csv: Annotated[bool, typer.Option("--csv", help="A folder of CSV tables.")] = False,
    as_mat: Annotated[bool, typer.Option("--mat", help="A MAT file for MATLAB and Octave.")] = False,
    as_xlsx: Annotated[bool, typer.Option("--xlsx", help="An Excel workbook (needs panhead[tables]).")] = False,
    out: Annotated[Path | None, path_option("--out", "Name without extension; default: next to the result.")] = None,
) -> None:
    """Export a result to other programs: tables as CSV or Excel, all variables as MAT."""
    from panhead.desk.evidence import result_export
    from panhead.files import results

    if not (as_csv or as_mat or as_xlsx):
        raise ModelError("export: choose at least one format: --csv, --mat or --xlsx")
    stem = out or result.with_suffix("")
    check_output_is_no_input([stem.with_name(f"{stem.name}.{end}") for end in ("mat", "xlsx")], [result])
    dataset = results.load(result)
    with results.damaged_file_error(result, "cannot be exported"):
        if as_csv:
            files = result_export.to_csv(dataset, stem)
            print(f"csv     {stem} ({len(files)} tables)")
        if as_mat:
            print(f"mat     {result_export.to_mat(dataset, stem.with_name(stem.name + '.mat'))}")
        if as_xlsx:
            print(f"xlsx    {result_export.to_xlsx(dataset, stem.with_name(stem.name + '.xlsx'))}")


def show(
    result: _Result,
    quantity: Annotated[str, typer.Argument(help="force, uplift, height, head or dropper.")],
    mast: Annotated[str | None, typer.Option(help="Number of the mast along the track, or name of a support.")] = None,
    dropper: Annotated[str | None, typer.Option(help="Number of the dropper, or its name.")] = None,
    at: Annotated[str | None, typer.Option("--at", help='Position along the track, such as "512 m".')] = None,
    variant: Annotated[str, typer.Option(help="Variant of the result; default: the first.")] = "",
    as_csv: Annotated[bool, typer.Option("--csv", help="Write numbers (CSV) instead of a figure.")] = False,
    out: Annotated[Path | None, path_option("--out", "File to write; default: next to the result.")] = None,
) -> None:
    """Plot a curve at a mast, a dropper or a position (SVG), or write its values (CSV)."""
    from panhead.app.cli.line import quantity as quantity_of
    from panhead.desk.drawing import svg
    from panhead.desk.evidence import curves
    from panhead.files import results
    from panhead.files.atomic_files import write_atomic
    from panhead.files.cell_text import csv_lines

    where = f"mast-{mast}" if mast else f"dropper-{dropper}" if dropper else f"at-{at}" if at else ""
    path = out or result.parent / f"{curves.file_stem(quantity, where)}.{'csv' if as_csv else 'svg'}"
    check_output_is_no_input([path], [result])
    dataset = results.load(result)
    place = quantity_of(at, "m", "at")
    found = curves.curves_at(dataset, quantity, mast=mast, dropper=dropper, place=place, variant=variant)
    if as_csv:
        heads = [head for curve in found for head in curve.row_heads()]
        columns = chain.from_iterable((curve.x.tolist(), curve.y.tolist()) for curve in found)
        content = csv_lines([heads, *zip_longest(*columns, fillvalue="")])
    else:
        content = svg.document(curves.chart_of(found, mark=place))
    for curve in found:
        least, most = float(curve.y.min()), float(curve.y.max())
        print(f"{curve.name}: {curve.y_label}: {least:.4g} … {most:.4g}")
    print(f"wrote   {write_atomic(path, content.encode())}")


def maintain(
    result: _Result,
    laws: Annotated[
        str | None, typer.Option("--laws", help='Wear and fatigue laws: FILE.toml with kind = "upkeep".')
    ] = None,
    current: Annotated[str | None, typer.Option(help='Current through each pantograph, such as "300 A".')] = None,
    out: Annotated[Path | None, path_option("--out", "Page to write; default: next to the result.")] = None,
) -> None:
    """Write a maintenance report (HTML, CSV): dropper fatigue, contact-wire wear, uplift against its clearance."""
    from dataclasses import astuple, fields, replace

    from panhead.app.cli.line import quantity
    from panhead.desk.evidence.maintenance import DropperLife, dropper_lives
    from panhead.desk.evidence.maintenance_page import read_upkeep, upkeep_page
    from panhead.desk.evidence.result_reader import judged_result
    from panhead.desk.reports.render import html
    from panhead.files.atomic_files import write_atomic
    from panhead.files.cell_text import csv_lines
    from panhead.files.variants import separate

    path = out or result.with_name("maintain.html")
    check_output_is_no_input([path, path.with_suffix(".csv")], [result, laws])
    upkeep, given = read_upkeep(laws), quantity(current, "A", "current")
    upkeep = upkeep if given is None else replace(upkeep, current=given)
    dataset = judged_result(result)
    page = upkeep_page(dataset, upkeep, result)
    write_atomic(path, html(page).encode())
    rows = [["variant", *(field.name for field in fields(DropperLife))]]
    for variant, one in separate(dataset).items():
        rows += [[variant, *astuple(life)] for life in dropper_lives(one, upkeep.dropper)]
    for words in page.verdict.details:
        print(words)
    print(f"page    {path}\ndroppers {write_atomic(path.with_suffix('.csv'), csv_lines(rows).encode())}")
