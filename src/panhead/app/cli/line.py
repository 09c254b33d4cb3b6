"""``panhead line``: check, draw, export, import and fit an overhead contact line."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panhead.app.cli.paths import path_argument, path_option
from panhead.errors import ModelError
from panhead.files.atomic_files import check_output_is_no_input

if TYPE_CHECKING:
    from panhead.desk.sheets.line_issue import LineCheck
    from panhead.desk.sheets.table_rows import DeskTable
    from panhead.railway.line import Line

app = typer.Typer(
    help="Check and draw an overhead contact line; export it to tables, import it from tables or fit it to a survey.",
    no_args_is_help=True,
)

_File = Annotated[str, typer.Argument(metavar="FILE", help="Line: FILE.toml or shipped name.")]

_Out = Annotated[Path | None, path_option("--out", "Folder or workbook to write to.")]
_Columns = Annotated[
    str | None,
    typer.Option("--columns", help='Meaning of columns with other names: "Seitenlage=stagger, Nr=" (empty: ignore).'),
]
_Comma = Annotated[bool, typer.Option("--decimal-comma", help="CSV with decimal commas and semicolon separators.")]


def quantity(text: str | None, symbol: str, name: str) -> float | None:
    """Value of an option with a unit, in SI units."""
    from panhead.files.units import Unit

    if text is None:
        return None
    try:
        value = float(Unit(symbol).parse(text))
    except ValueError as error:
        raise ModelError(f"--{name}: {error}") from None
    if value <= 0:
        raise ModelError(f"--{name}: must be > 0, got {text!r}")
    return value


@app.command()
def check(
    file: _File,
    speed: Annotated[str | None, typer.Option(help='Train speed, such as "250 km/h"; limits depend on it.')] = None,
    wind: Annotated[str | None, typer.Option(help='Crosswind gust, such as "26 m/s".')] = None,
    pantograph: Annotated[str | None, typer.Option(help="Pantograph whose head working width is used.")] = None,
    limits: Annotated[str, typer.Option(help="Limits: shipped name or FILE.toml.")] = "line-geometry",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the geometry of a line against limits; exit code 3 if a limit is violated."""
    from panhead.desk.sheets.line_check import check_line
    from panhead.railway.line import read_line

    found = check_line(
        read_line(file),
        speed=quantity(speed, "m/s", "speed"),
        wind=quantity(wind, "m/s", "wind") or 0.0,
        working_width=_working_width(pantograph),
        edition=limits,
    )
    if as_json:
        print(json.dumps(found.as_plain(), indent=1, ensure_ascii=False))
    else:
        _print_check(found)
    if found.wrong:
        raise typer.Exit(3)


@app.command()
def tables(
    file: _File,
    out: _Out = None,
    excel: Annotated[bool, typer.Option("--excel", help="One workbook instead of CSV files.")] = False,
    comma: _Comma = False,
) -> None:
    """Write installation tables: dropper schedule, stringing heights, tension lengths and support loads."""
    from panhead.desk.sheets.schedules import line_tables
    from panhead.railway.line import read_line

    _write_tables(line_tables(read_line(file)), out or Path(f"{Path(file).stem}-tables"), excel, comma)


@app.command()
def draw(
    file: _File,
    out: Annotated[Path | None, path_option("--out", "Folder to write to.")] = None,
    spans: Annotated[str | None, typer.Option(help="First and last span, counted from 1: 3-12.")] = None,
) -> None:
    """Draw elevation and plan with dimensions: one PDF, and an SVG file for each sheet."""
    from panhead.desk.sheets.line_drawing import draw_line
    from panhead.desk.sheets.sheet import paper_svg, papers_pdf
    from panhead.files.atomic_files import write_atomic
    from panhead.railway.line import read_line

    line, name = read_line(file), Path(file).stem
    papers, folder = draw_line(line, spans=_parse_span_range(spans)), out or Path(f"{name}-drawing")
    print(f"wrote   {write_atomic(folder / f'{name}.pdf', papers_pdf(papers))}")
    for k, paper in enumerate(papers, 1):
        print(f"wrote   {write_atomic(folder / f'{name}-{k}.svg', paper_svg(paper).encode())}")


def _parse_span_range(text: str | None) -> tuple[int, int] | None:
    match = re.fullmatch(r"\s*(\d{1,6})\s*[-–]\s*(\d{1,6})\s*", text or "1-1")
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ModelError(f"--spans: {text!r} is not two numbers such as 3-12")
    return None if text is None else (int(match[1]) - 1, int(match[2]))


@app.command()
def export(
    file: _File,
    out: _Out = None,
    excel: Annotated[bool, typer.Option("--excel", help="One workbook instead of CSV files.")] = False,
    comma: _Comma = False,
) -> None:
    """Export a line to tables for `panhead line import`: masts, droppers, and all other keys."""
    from panhead.desk.sheets.line_tables import geometry_tables
    from panhead.railway.line import read_line

    _write_tables(geometry_tables(read_line(file)), out or Path(f"{Path(file).stem}-line"), excel, comma)


@app.command(name="import")
def import_(
    masts: Annotated[Path, path_argument("Table of masts, or a workbook with all tables.")],
    droppers: Annotated[Path | None, path_argument("Table of droppers.")] = None,
    keys: Annotated[Path | None, path_option("--keys", "Table of all other keys.")] = None,
    base: Annotated[
        str | None, typer.Option("--base", help="Line to take wires and supports from, instead of --keys.")
    ] = None,
    columns: _Columns = None,
    out: Annotated[Path, path_option("--out", "File to write.")] = Path("line.toml"),
    replace: Annotated[bool, typer.Option("--replace", help="Write over a file that is there.")] = False,
) -> None:
    """Import a line from tables of masts and droppers (CSV or Excel)."""
    from panhead.desk.sheets.from_tables import line_from_tables
    from panhead.files.tables import parse_columns
    from panhead.railway.line import read_line

    check_output_is_no_input([out], [masts, droppers, keys, base])
    named = parse_columns(columns)
    line = line_from_tables(masts, droppers, keys, None if base is None else read_line(base), named)
    _write_line(line, out, replace)


@app.command()
def fit(
    survey: Annotated[
        list[Path], path_argument("Table of chainage, height and stagger (CSV or Excel); one file per pass.")
    ],
    line: Annotated[str, typer.Option("--line", help="Line as designed: FILE.toml or shipped name.")],
    columns: _Columns = None,
    out: Annotated[Path, path_option("--out", "File to write.")] = Path("fitted.toml"),
    noise: Annotated[str, typer.Option(help="Standard deviation of the measured heights.")] = "2 mm",
    tolerance: Annotated[str, typer.Option(help="Expected deviation of a dropper from its design length.")] = "10 mm",
    bias: Annotated[
        str | None, typer.Option(help="Standard deviation of an offset common to all heights; default: no offset.")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Write over a file that is there.")] = False,
) -> None:
    """Estimate dropper lengths and staggers from a survey; show the fit and its residual."""
    from panhead.desk.drawing.svg import document
    from panhead.desk.sheets.survey_figure import survey_figure
    from panhead.desk.sheets.survey_fit import WANTED, combine_passes, fit_survey, read_survey
    from panhead.desk.sheets.table_rows import csv_text
    from panhead.files.atomic_files import write_atomic
    from panhead.files.tables import parse_columns
    from panhead.railway.line import read_line

    check_output_is_no_input([out, out.with_suffix(".csv"), out.with_suffix(".svg")], [*survey, line])
    drawn, named = read_line(line), parse_columns(columns)
    given = {"noise": noise, "tolerance": tolerance, "bias": bias}
    spread = {name: quantity(text, "m", name) or 0.0 for name, text in given.items()}
    passes = combine_passes([read_survey(path, drawn, named) for path in survey])
    found = fit_survey(drawn, passes, noise=spread["noise"], tolerance=spread["tolerance"], bias=spread["bias"])
    _write_line(found.line, out, replace)
    print(f"droppers {write_atomic(out.with_suffix('.csv'), csv_text(found.table()).encode('utf-8-sig'))}")
    print(f"figure  {write_atomic(out.with_suffix('.svg'), document(survey_figure(found)).encode())}")
    print(f"height residual {1e3 * found.rms:.2f} mm rms over {found.x.size} points")
    for sentence in found.doubts(spread["noise"]):
        print(sentence)
    taut = [d for d in found.droppers if not d.slack]
    if taut:
        usual = 1e3 * sorted(d.deviation for d in taut)[len(taut) // 2]
        words = f"about ±{1e3 * found.worst:.1f} mm for the worst of {len(taut)}"
        print(f"lengths ±{usual:.1f} mm (standard deviation), {words}")
        if found.worst > WANTED:
            again = 1e3 * found.worst * math.sqrt(len(survey) / (len(survey) + 1))
            print(f"one more pass would reduce the worst to about ±{again:.1f} mm: pass both files to the command")
    if found.droppers:
        worst = max(found.droppers, key=lambda d: abs(d.length - d.drawn))
        print(f"largest deviation from design: {worst.place}, {1e3 * (worst.length - worst.drawn):+.1f} mm")


def _write_line(line: Line, out: Path, replace: bool) -> None:
    from panhead.errors import FileError
    from panhead.files.atomic_files import write_atomic
    from panhead.files.parse import write_toml

    if out.exists() and not replace:
        raise FileError(out, "already exists; choose another --out, or use --replace")
    print(f"wrote   {write_atomic(out, write_toml(line).encode())}\nnext    panhead line check {out}")


def _write_tables(made: Sequence[DeskTable], out: Path, excel: bool, comma: bool) -> None:
    from panhead.desk.sheets.table_rows import write_csv, write_excel

    paths = [write_excel(made, out.with_suffix(".xlsx"))] if excel else write_csv(made, out, comma=comma)
    for path in paths:
        print(f"wrote   {path}")


def _working_width(pantograph: str | None) -> float | None:
    from panhead.railway.pantograph.pantograph_files import read_pantograph

    if pantograph is None:
        return None
    head = getattr(read_pantograph(pantograph), "pan_head", None)
    if head is None:
        raise ModelError(f"--pantograph {pantograph}: the file has no pan_head; add pan_head.working_width to it")
    return float(head.working_width)


def _print_check(found: LineCheck) -> None:
    """Print one row per kind of finding, with its worst place and the number of others."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.desk.sheets.line_check import NAMES, format_value

    if found.findings:
        rows = []
        for key, group in groupby(found.findings, key=lambda f: (f.level, f.quantity, f.clause, f.remedy)):
            alike = list(group)
            worst = max(alike, key=lambda f: abs((f.value or 0.0) - (f.limit or 0.0)))
            more = f" and {len(alike) - 1} more" if len(alike) > 1 else ""
            at = "" if worst.x is None else f", at {worst.x:.1f} m"
            rows.append((key[0], f"{worst.place}{at}{more}", worst.words, worst.remedy))
        print_table(found.line, ("", "place", "finding", "remedy"), rows)
    ends = [
        (NAMES[name], format_value(name, low), format_value(name, high)) for name, (low, high) in found.measured.items()
    ]
    print_table("measured", ("quantity", "smallest", "largest"), ends)
    count = sum(f.level == "wrong" for f in found.findings)
    print(f"{count} wrong, {sum(f.level == 'doubtful' for f in found.findings)} doubtful")
