"""``panhead compare``, ``export``, ``show``, ``maintain``: commands that read stored results."""

from __future__ import annotations

from enum import StrEnum
from itertools import chain, zip_longest
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from panhead.app.cli.paths import path_argument, path_option
from panhead.errors import ModelError
from panhead.files.atomic_files import check_output_is_no_input

_MEASURED: Final = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".toml")  # names of files that hold measurements
_Result = Annotated[Path, path_argument("A result.nc written by panhead run.")]


class Align(StrEnum):
    """Ways of aligning the places of a measurement with those of a run."""

    chainage = "chainage"
    correlation = "correlation"


def compare(
    results: Annotated[
        list[Path],
        path_argument("Two or more result.nc (differences are relative to the first), or one and a measured table."),
    ],
    out: Annotated[Path, path_option("--out", "Page to write.")] = Path("compare.html"),
    align: Annotated[
        Align, typer.Option(help="Of a measured table: by its places, or by shifting them.")
    ] = Align.chainage,
    most: Annotated[str | None, typer.Option("--most", help="Largest shift; default: half a span.")] = None,
    cutoff: Annotated[str, typer.Option(help="Cut-off frequency of the filter of both forces.")] = "20 Hz",
    pantograph: Annotated[int, typer.Option(min=1, help="Pantograph that was measured, from the front.")] = 1,
    columns: Annotated[
        str | None, typer.Option("--columns", help='Meaning of other column names: "F=force", or FILE.toml.')
    ] = None,
    units: Annotated[str | None, typer.Option("--units", help='Units of the columns: "force=N".')] = None,
) -> None:
    """Compare results, or a result and a measurement, on one page: tables, differences with error bars, and curves."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.desk.evidence.result_comparison import FIRST_SHOWN, compare_page, compare_results, rows
    from panhead.desk.evidence.result_reader import read_run_results
    from panhead.desk.reports.render import html
    from panhead.files.atomic_files import write_atomic

    if len(results) < 2:
        raise ModelError("compare: give at least two results, or a result and a measured table")
    check_output_is_no_input([out], results)
    if any(path.suffix.lower() in _MEASURED for path in results):
        from panhead.app.cli.line import quantity

        options = {
            "align": align.value,
            "most": quantity(most, "m", "most"),
            "cutoff": quantity(cutoff, "Hz", "cutoff"),
        }
        _compare_measured(results, out, pantograph, columns, units, options)
        return
    runs = read_run_results(results)
    page = write_atomic(out, html(compare_page(runs)).encode())
    found = compare_results(runs)
    table = [(f"{c.name} [{c.shown()[3]}]", *cells) for c, cells in rows(found) if c.key in FIRST_SHOWN]
    print_table("In brackets: difference from the first, ± both error bars", ("", *(one.name for one in found)), table)
    print(f"page    {page}")


def _compare_measured(
    paths: list[Path], out: Path, pantograph: int, columns: str | None, units: str | None, options: dict[str, Any]
) -> None:
    """Print and write a result beside a measured table."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.desk.evidence.measured_comparison import compare_file
    from panhead.desk.evidence.measured_page import HEADS, agreement_row, alignment_words, measured_page
    from panhead.desk.reports.render import html
    from panhead.files.atomic_files import write_atomic
    from panhead.files.column_names import read_mapping

    if len(paths) != 2 or paths[0].suffix.lower() in _MEASURED:
        raise ModelError("compare: give one result.nc, then one measured table (CSV, Excel) or measurement (TOML)")
    found, places = compare_file(paths[0], paths[1], pantograph, read_mapping(columns, units), **options)
    rows = [agreement_row(one) for one in found.numbers]
    rows += [agreement_row(one, f"uplift at {where}") for where, one in found.uplifts]
    print_table("Computed and measured", HEADS, rows)
    for words in (*alignment_words(found, places), *found.notes):
        print(words)
    page = write_atomic(out, html(measured_page(found, places, paths[0], paths[1])).encode())
    print(f"page    {page}")


def export(
    result: Annotated[Path, path_argument("A result.nc written by panhead run; or the word c, and then a run.")],
    run: Annotated[str, typer.Argument(help="Of `export c`: FILE.toml or shipped name of a run.")] = "",
    as_csv: Annotated[bool, typer.Option("--csv", help="A folder of CSV tables.")] = False,
    as_mat: Annotated[bool, typer.Option("--mat", help="A MAT file for MATLAB and Octave.")] = False,
    as_xlsx: Annotated[bool, typer.Option("--xlsx", help="An Excel workbook (needs panhead[desk]).")] = False,
    out: Annotated[
        Path | None, path_option("--out", "Name without extension, of `c` a folder; default: next to the result, rig.")
    ] = None,
    interfaces: Annotated[
        list[str] | None, typer.Option("--interface", help="Of `c`: closed, motion or force; default: all.")
    ] = None,
    fmus: Annotated[list[str] | None, typer.Option("--fmi", help="Of `c`: also FMUs, of version 2.0 or 3.0.")] = None,
    float32: Annotated[bool, typer.Option("--float32", help="Of `c`: single precision.")] = False,
    record: Annotated[int, typer.Option("--record", help="Of `c`: steps that the record of the rig holds.")] = 1024,
    settings: Annotated[list[str] | None, typer.Option("--set", help="Of `c`: override an input: speed=70.")] = None,
) -> None:
    """Export a result as CSV, Excel or MAT; or a run as C for a rig (`export c RUN.toml --out rig`)."""
    if str(result) == "c":
        from panhead.app.cli.rig import export_rig

        export_rig(run, out or Path("rig"), interfaces, fmus or [], settings or [], single=float32, record=record)
        return
    if run:
        raise ModelError(f"export: {run!r} is one argument too many; a run is exported by `panhead export c {run}`")
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
    at: Annotated[
        str | None, typer.Option("--at", help='Position: "512 m" from the first mast, "km 12+345" or "mast 12-07".')
    ] = None,
    variant: Annotated[str, typer.Option(help="Variant of the result; default: the first.")] = "",
    as_csv: Annotated[bool, typer.Option("--csv", help="Write numbers (CSV) instead of a figure.")] = False,
    out: Annotated[Path | None, path_option("--out", "File to write; default: next to the result.")] = None,
) -> None:
    """Plot a curve at a mast, a dropper or a position (SVG), or write its values (CSV)."""
    from panhead.desk.drawing import svg
    from panhead.desk.evidence import curves
    from panhead.files import results
    from panhead.files.atomic_files import write_atomic
    from panhead.files.cell_text import csv_lines

    where = f"mast-{mast}" if mast else f"dropper-{dropper}" if dropper else f"at-{at}" if at else ""
    path = out or result.parent / f"{curves.file_stem(quantity, where)}.{'csv' if as_csv else 'svg'}"
    check_output_is_no_input([path], [result])
    dataset = results.load(result)
    found = curves.curves_at(dataset, quantity, mast=mast, dropper=dropper, place=at, variant=variant)
    place = None if at is None else curves.place_in(curves.chosen_variant(dataset, variant), at)
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
