"""``panhead line``: check, draw, export, import and fit an overhead contact line."""

from __future__ import annotations

import json
import math
import re
import warnings
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panhead.app.cli.help_groups import GroupedCommands
from panhead.app.cli.paths import path_argument, path_option
from panhead.errors import ModelError, RunWarning
from panhead.files.atomic_files import check_output_is_no_input

if TYPE_CHECKING:
    from panhead.desk.sheets.line_issue import LineCheck
    from panhead.desk.sheets.survey_fit import Survey
    from panhead.desk.sheets.table_rows import DeskTable
    from panhead.railway.line import Line

app = typer.Typer(
    help="Check and draw an overhead contact line; export it to tables, import it from tables or fit it to a survey.",
    no_args_is_help=True,
    cls=GroupedCommands,
)

_File = Annotated[str, typer.Argument(metavar="FILE", help="Line: FILE.toml or shipped name.")]

_Out = Annotated[Path | None, path_option("--out", "Folder or workbook to write to.")]
_Columns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        help='Meaning of other column names: "Lage=stagger, Nr=" (empty: ignore), or FILE.toml of the kind columns.',
    ),
]
_Units = Annotated[
    str | None, typer.Option("--units", help='Units of columns where the table gives none: "stagger=mm, chainage=km".')
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
    begin: Annotated[
        str | None,
        typer.Option("--from", help='First place: "km 12+345", "mast 12-07" or "512 m" from the first mast.'),
    ] = None,
    end: Annotated[str | None, typer.Option("--to", help="Last place, written in the same way.")] = None,
    dxf: Annotated[
        bool, typer.Option("--dxf", help="Also a DXF file for CAD, parts with attributes (needs panhead[dxf]).")
    ] = False,
) -> None:
    """Draw elevation and plan with dimensions: one PDF, an SVG file for each sheet, and DXF for CAD on demand."""
    from panhead.desk.sheets.line_drawing import draw_line
    from panhead.desk.sheets.sheet import paper_svg, papers_pdf
    from panhead.files.atomic_files import write_atomic
    from panhead.railway.line import read_line

    line, name = read_line(file), Path(file).stem
    chosen = _spans_between(line, begin, end) if begin or end else _parse_span_range(spans)
    papers, folder = draw_line(line, spans=chosen), out or Path(f"{name}-drawing")
    print(f"wrote   {write_atomic(folder / f'{name}.pdf', papers_pdf(papers))}")
    for k, paper in enumerate(papers, 1):
        print(f"wrote   {write_atomic(folder / f'{name}-{k}.svg', paper_svg(paper).encode())}")
    if dxf:
        from panhead.desk.sheets.line_dxf import line_dxf

        print(f"wrote   {write_atomic(folder / f'{name}.dxf', line_dxf(line, papers))}")


def _spans_between(line: Line, begin: str | None, end: str | None) -> tuple[int, int]:
    """Numbers of the first span and of one beyond the last between two places."""
    from panhead.railway.line.layout import Layout
    from panhead.railway.line.line_places import MastPlaces

    layout = Layout(line)
    places = MastPlaces.from_layout(layout)
    first = 0.0 if begin is None else places.position(begin, "--from")
    last = float(layout.mast_x[-1]) if end is None else places.position(end, "--to")
    if not layout.mast_x[0] - 1e-6 <= first < last <= layout.mast_x[-1] + 1e-6:
        whole = f"{places.to_text(0.0)} to {places.to_text(float(layout.mast_x[-1]))}"
        part = f"--from {places.to_text(first)} --to {places.to_text(last)}"
        raise ModelError(f"{part} is not a part of the line, which extends from {whole}")
    return layout.span_at(first + 1e-6), layout.span_at(last - 1e-6) + 1


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
    geojson: Annotated[
        bool, typer.Option("--geojson", help="Masts and tension lengths for a map, where coordinates are known.")
    ] = False,
) -> None:
    """Export a line to tables for `panhead line import`: masts, droppers, and all other keys; or to a map."""
    from panhead.desk.sheets.line_tables import geometry_tables
    from panhead.railway.line import read_line

    line, place = read_line(file), out or Path(f"{Path(file).stem}-line")
    if geojson:
        from panhead.desk.sheets.line_geojson import line_geojson
        from panhead.files.atomic_files import write_atomic

        print(f"wrote   {write_atomic(place.with_suffix('.geojson'), line_geojson(line).encode())}")
        return
    _write_tables(geometry_tables(line), place, excel, comma)


@app.command(name="import")
def import_(
    masts: Annotated[Path, path_argument("Table of masts, or a workbook with all tables.")],
    droppers: Annotated[Path | None, path_argument("Table of droppers.")] = None,
    keys: Annotated[Path | None, path_option("--keys", "Table of all other keys.")] = None,
    base: Annotated[
        str | None, typer.Option("--base", help="Line to take wires and supports from, instead of --keys.")
    ] = None,
    columns: _Columns = None,
    units: _Units = None,
    name: Annotated[
        str | None, typer.Option("--name", help="Name of the line; default: that of the keys, else that of --out.")
    ] = None,
    out: Annotated[Path, path_option("--out", "File to write.")] = Path("line.toml"),
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> None:
    """Import a line from tables of masts and droppers (CSV or Excel)."""
    from panhead.desk.sheets.from_tables import import_line
    from panhead.files.column_names import read_mapping
    from panhead.railway.line import read_line

    check_output_is_no_input([out], [masts, droppers, keys, base])
    mapping = read_mapping(columns, units)
    of = None if base is None else read_line(base)
    found = import_line(masts, droppers, keys, of, mapping, name or (None if of is None else out.stem))
    for note in found.notes:
        print(f"columns {note}")
    _write_line(found.line, out, replace)


@app.command()
def template(
    out: Annotated[Path, path_argument("Workbook to write (.xlsx).")],
    base: Annotated[str, typer.Option("--base", help="Line whose wires and supports it holds.")] = "en50318-2002",
    language: Annotated[
        str, typer.Option("--language", help="Language of the column heads: en, de, es, fr, it.")
    ] = "en",
    replace: Annotated[bool, typer.Option("--replace", help="Write over a file that is there.")] = False,
) -> None:
    """Write an Excel workbook to fill in, for `panhead line import`."""
    from panhead.desk.sheets.line_template import write_template
    from panhead.errors import FileError
    from panhead.railway.line import read_line

    check_output_is_no_input([out], [base])
    path = out.with_suffix(".xlsx")
    if path.exists() and not replace:
        raise FileError(path, "already exists; choose another name, or use --replace")
    print(f"wrote   {write_template(path, read_line(base), language)}")
    print(f"next    fill it in, then: panhead line import {path} --name NAME --out NAME.toml")


@app.command()
def crossing(
    first: Annotated[str, typer.Argument(metavar="FIRST", help="Line of the track the train runs on.")],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Line of the track that crosses it or leaves it.")],
    at: Annotated[str, typer.Option("--at", help='Where on the first line: "512 m", "km 12+345" or "mast 12-07".')],
    other_at: Annotated[str, typer.Option("--other-at", help="The same place on the second line.")],
    angle: Annotated[str, typer.Option(help='Between the tracks, + the second leads to the left: "6 deg".')],
    offset: Annotated[str, typer.Option(help="Of the second track to the left there; 0 where tracks cross.")] = "0 m",
    force: Annotated[str, typer.Option(help="Static contact force.")] = "100 N",
    pantograph: Annotated[str | None, typer.Option(help="Pantograph whose head working width is used.")] = None,
    out: Annotated[Path | None, path_option("--out", "Table to write (CSV).")] = None,
) -> None:
    """Show which of two tracks' wires is touched where at a crossing or turnout, and how far the second is lifted."""
    from panhead.desk.sheets.crossing_table import crossing_table, crossing_words
    from panhead.desk.sheets.table_rows import csv_text
    from panhead.files.atomic_files import write_atomic
    from panhead.files.units import Unit
    from panhead.railway.line import read_line, string
    from panhead.railway.line.line_places import MastPlaces
    from panhead.railway.line.two_track_wires import TrackCrossing, wire_passage

    check_output_is_no_input([out] if out else [], [first, second, pantograph])
    strung = [string(read_line(file)) for file in (first, second)]
    places = [MastPlaces.from_layout(one.layout) for one in strung]
    try:
        turned, aside = Unit("rad").parse(angle), Unit("m").parse(offset)
    except ValueError as error:
        raise ModelError(f"--angle, --offset: {error}") from None
    width = _working_width(pantograph)
    there = TrackCrossing(
        at=places[0].position(at, "--at"), other_at=places[1].position(other_at, "--other-at"),
        angle=float(turned), offset=float(aside), **({} if width is None else {"reach": 0.5 * width}),
    )  # fmt: skip
    found = wire_passage(strung[0], strung[1], there, quantity(force, "N", "force") or 100.0)
    for words in crossing_words(found, places[0]):
        print(words)
    if out is not None:
        print(f"wrote   {write_atomic(out, csv_text(crossing_table(found, places[0])).encode('utf-8-sig'))}")


@app.command()
def fit(
    survey: Annotated[
        list[Path], path_argument("Table of chainage, height and stagger (CSV or Excel); one file per pass.")
    ],
    line: Annotated[str, typer.Option("--line", help="Line as designed: FILE.toml or shipped name.")],
    columns: _Columns = None,
    units: _Units = None,
    out: Annotated[Path, path_option("--out", "File to write.")] = Path("fitted.toml"),
    noise: Annotated[str, typer.Option(help="Standard deviation of the measured heights.")] = "2 mm",
    tolerance: Annotated[str, typer.Option(help="Expected deviation of a dropper from its design length.")] = "10 mm",
    bias: Annotated[
        str | None, typer.Option(help="Standard deviation of an offset common to all heights; default: no offset.")
    ] = None,
    limits: Annotated[
        str | None,
        typer.Option(help="Limits with survey limits, such as no-trv: list where the survey is beyond them."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")] = False,
) -> None:
    """Estimate dropper lengths and staggers from a survey; show the fit and its residual."""
    from panhead.app.cli.progress_display import progress_bar
    from panhead.desk.drawing.svg import document
    from panhead.desk.sheets.survey_figure import survey_figure
    from panhead.desk.sheets.survey_fit import WANTED, combine_passes, fit_survey, read_survey
    from panhead.desk.sheets.table_rows import csv_text
    from panhead.files.atomic_files import write_atomic
    from panhead.files.column_names import read_mapping
    from panhead.railway.line import read_line

    check_output_is_no_input([out, out.with_suffix(".csv"), out.with_suffix(".svg")], [*survey, line])
    drawn, named = read_line(line), read_mapping(columns, units)
    given = {"noise": noise, "tolerance": tolerance, "bias": bias}
    spread = {name: quantity(text, "m", name) or 0.0 for name, text in given.items()}
    passes = combine_passes([read_survey(path, drawn, named) for path in survey])
    with progress_bar("fit"):
        found = fit_survey(drawn, passes, noise=spread["noise"], tolerance=spread["tolerance"], bias=spread["bias"])
    _write_line(found.line, out, replace)
    print(f"droppers {write_atomic(out.with_suffix('.csv'), csv_text(found.table()).encode('utf-8-sig'))}")
    print(f"figure  {write_atomic(out.with_suffix('.svg'), document(survey_figure(found)).encode())}")
    print(f"height residual {1e3 * found.rms:.2f} mm rms over {found.x.size} points")
    for sentence in found.doubts(spread["noise"]):
        print(sentence)
    if limits is not None:
        _print_survey_limits(limits, drawn, passes)
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


@app.command()
def measured(
    file: Annotated[Path, path_argument("File of a measuring train: channels in columns, a row every 0.25 m.")],
    kind: Annotated[str, typer.Option(help="force or geometry.")] = "force",
    columns: _Columns = None,
    inertia: Annotated[str, typer.Option(help="Sign of the inertia term in FComp: minus or plus.")] = "minus",
    out: Annotated[
        Path | None, path_option("--out", "CSV to write: place and force, or chainage, height, stagger.")
    ] = None,
) -> None:
    """Read a file of a measuring train, check the relations between its channels, and convert it."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.desk.evidence.measuring_train import WANTED, mean_and_deviation, read_train_record, relations
    from panhead.desk.evidence.train_record_csv import record_csv
    from panhead.files.atomic_files import write_atomic
    from panhead.files.column_names import read_mapping

    if kind not in WANTED or inertia not in ("minus", "plus"):
        raise ModelError(f"--kind must be force or geometry and --inertia minus or plus, got {kind!r} and {inertia!r}")
    check_output_is_no_input([out] if out else [], [file])
    record = read_train_record(file, kind, read_mapping(columns).columns)  # type: ignore[arg-type]  # checked above
    if record.missing:
        print(f"missing {', '.join(record.missing)}")
    if kind == "force":
        found = list(relations(record, inertia_sign=-1 if inertia == "minus" else 1))
        limits = ["" if r.allowed is None else f"≤ {r.allowed:g} N" for r in found]
        rows = [
            (r.name, f"{r.largest:.3g}", limit, f"{r.beyond} of {r.rows}", r.note)
            for r, limit in zip(found, limits, strict=True)
        ]
        for r in (r for r in found if r.beyond):
            off = f"{r.name} is off by up to {r.largest:.3g} N in {r.beyond} of {r.rows} rows"
            warnings.warn(f"{file}: {off}; check the channels before the force is used", RunWarning, stacklevel=2)
        print_table("relations", ("relation", "largest deviation", "allowed", "rows beyond", ""), rows)
        mean, deviation = mean_and_deviation(record)
        print(f"force   mean {mean:.4g} N, standard deviation {deviation:.4g} N over {record.place.size} rows")
    if out is not None:
        print(f"wrote   {write_atomic(out, record_csv(record).encode('utf-8-sig'))}")


def _print_survey_limits(limits: str, drawn: Line, passes: Survey) -> None:
    """Print where a survey is beyond the maintenance and critical limits of an edition."""
    from panhead.assess.limits import read
    from panhead.desk.sheets.survey_limits import survey_sentences

    for sentence in survey_sentences(read(limits), drawn.contact_height, passes):
        print(sentence)


@app.command(name="spans")
def spans_(
    file: Annotated[str, typer.Argument(metavar="LINE", help="Line or design: FILE.toml or shipped name.")],
    wind: Annotated[str, typer.Option(help='Wind across the track, such as "29 m/s".')] = "26 m/s",
    head: Annotated[
        str, typer.Option(help='Length of the pan-head: "1600 mm" or "1950 mm", or a working width.')
    ] = "1600 mm",
    allowed: Annotated[
        str | None, typer.Option(help="Lateral offset allowed; default 400 mm for 1600 mm, 550 mm for 1950 mm.")
    ] = None,
    radii: Annotated[
        str, typer.Option(help="Radii of curves in metres; 0 is straight track.")
    ] = "0, 3000, 2000, 1500, 1000, 800, 600, 500, 400, 300",
) -> None:
    """Tabulate the largest span that each radius allows under wind."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.desk.sheets.span_table import HEAD_OFFSETS, longest_spans
    from panhead.railway.line import read_line

    room = quantity(allowed, "m", "allowed") or HEAD_OFFSETS.get(round(quantity(head, "m", "head") or 0.0, 3))
    if room is None:
        raise ModelError(f"--head: no lateral offset is known for a head of {head}; give --allowed")
    try:
        wanted = [float(r) for r in radii.split(",")]
    except ValueError:
        raise ModelError(f"--radii: {radii!r} is not a list of numbers in metres") from None
    line = read_line(file)
    rows = [
        ("straight" if not row.radius else f"{row.radius:g} m", f"{row.span:.1f} m", f"{1e3 * row.stagger:.0f} mm",
         f"{1e3 * row.offset:.0f} mm", row.decided_by)
        for row in longest_spans(line, wind=quantity(wind, "m/s", "wind") or 0.0, allowed=room, radii=wanted)
    ]  # fmt: skip
    heads = ("radius", "largest span", "stagger", "largest offset", "decided by")
    print_table(f"{line.name}: wind {wind}, offset allowed {1e3 * room:.0f} mm", heads, rows)


def _write_line(line: Line, out: Path, replace: bool) -> None:
    from panhead.desk.sheets.line_file import line_text
    from panhead.errors import FileError
    from panhead.files.atomic_files import write_atomic

    if out.exists() and not replace:
        raise FileError(out, "already exists; choose another --out, or use --replace")
    print(f"wrote   {write_atomic(out, line_text(line).encode())}\nnext    panhead line check {out}")


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
            at = f", at {worst.at.removesuffix(f', {worst.place}')}" if worst.at else ""
            rows.append((key[0], f"{worst.place}{at}{more}", worst.words, worst.remedy))
        print_table(found.line, ("", "place", "finding", "remedy"), rows)
    ends = [
        (NAMES[name], format_value(name, low), format_value(name, high)) for name, (low, high) in found.measured.items()
    ]
    print_table("measured", ("quantity", "smallest", "largest"), ends)
    count = sum(f.level == "wrong" for f in found.findings)
    print(f"{count} wrong, {sum(f.level == 'doubtful' for f in found.findings)} doubtful")
