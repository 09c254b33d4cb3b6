"""``panhead line import``: build a line from tables of masts and droppers."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from panhead.desk.sheets.dropper_rows import Hung, droppers_by_span
from panhead.desk.sheets.from_keys import KEYS, add_own, read_keys
from panhead.desk.sheets.wanted_columns import DROPPERS, MASTS
from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.files.chainage import format_chainage
from panhead.files.column_names import ColumnMapping, as_mapping, units_by_column
from panhead.files.sheet_rows import SheetRows
from panhead.files.tables import compared_names, has_sheet, read_rows, require_names
from panhead.railway.line.alignment import TrackPoint
from panhead.railway.line.line_description import Line, Mast, Overlap, Span
from panhead.railway.line.parts import Dropper

_APART: Final = 1e-3  # between a chainage and the spans before it [m]
_SPANS: Final = (2.0, 150.0)  # usual lengths, of conductor rails too [m]
_COORDINATES: Final = ("longitude", "latitude")
_IMPORTED: Final = "imported from"
_EVERY: Final = ("contact_height", "stagger", "messenger_stagger", "encumbrance")  # given at every mast or at none


@dataclass(frozen=True, slots=True)
class ImportedLine:
    """A line out of tables, and what was taken for what."""

    line: Line
    notes: tuple[str, ...]  #: one sentence for each table with columns under other names


def line_from_tables(
    masts: str | Path,
    droppers: str | Path | None = None,
    rest: str | Path | None = None,
    base: Line | None = None,
    columns: Mapping[str, str] | ColumnMapping | None = None,
    name: str | None = None,
) -> Line:
    """Build a line from its tables; everything but masts and droppers comes from the table ``rest`` or from ``base``.

    ``columns`` says what columns of masts and droppers are that have names of their own: {"Seitenlage": "stagger"};
    one that is called "" is not used. ``name``: of the line; None: that of ``rest``, else the file's of masts.
    """
    return import_line(masts, droppers, rest, base, columns, name).line


def import_line(
    masts: str | Path,
    droppers: str | Path | None = None,
    rest: str | Path | None = None,
    base: Line | None = None,
    columns: Mapping[str, str] | ColumnMapping | None = None,
    name: str | None = None,
) -> ImportedLine:
    """``line_from_tables`` with notes on what was read."""
    mapping = as_mapping(columns)
    named = compared_names(mapping.columns, (*MASTS, *DROPPERS))
    units = units_by_column(mapping.units, (*MASTS, *DROPPERS), named)
    droppers = masts if droppers is None and has_sheet(masts, "droppers") else droppers
    rest = masts if rest is None and base is None and has_sheet(masts, "line") else rest
    if rest is None and base is None:
        raise FileError(
            masts, "wires and supports are missing; give a table of keys, or --base with a line that defines them"
        )
    keys = None if rest is None else read_rows(rest, "line", KEYS)
    raw = _from_line(base) if keys is None else read_keys(keys)
    extra = raw.pop("tension_lengths", [])
    links = None if droppers is None else read_rows(droppers, "droppers", DROPPERS, named, units)
    table = read_rows(masts, "masts", MASTS, named, units)
    tables = [table] if links is None else [table, links]
    require_names(named, tables)
    raw |= _origin(raw, [masts, droppers, rest], base, name)
    line = _assemble(table, links, raw, keys, extra, masts)
    return ImportedLine(line, tuple(_column_matches(one) for one in tables if one.renamed))


def _assemble(
    table: SheetRows, links: SheetRows | None, raw: dict[str, Any], keys: SheetRows | None, extra: Any, source: object
) -> Line:
    """The line of checked tables; what contradicts is refused by row and column."""
    hung = None if links is None else droppers_by_span(links, table)
    lengths, first, places = _lengths(table, hung)
    _warn_of_gaps(table)
    wires = raw.get("wires")
    if isinstance(wires, dict) and "messenger" in wires:
        _warn_of_bare_spans(table, lengths)
    track = _alignment(table, places, first)
    if track and raw.get("alignment"):
        raise FileError(
            table.source, "curves are given in the table of masts and in the table of keys; remove one of them"
        )
    raw |= {"alignment": track} if track else {}
    if keys is not None:
        add_own(keys, lengths, extra)
    return parse.build(Line, {**raw, "chainage": first, "tension_lengths": lengths}, source=source)


def _origin(
    raw: Mapping[str, Any], files: Sequence[str | Path | None], base: Line | None, name: str | None
) -> dict[str, Any]:
    """Name and sources: what was imported, never what the base's numbers came from."""
    known = list(dict.fromkeys(Path(file).name for file in files if file is not None))
    said = [f"{_IMPORTED} {' and '.join(known)}"]
    if base is not None:
        said.append(f"wires, supports and droppers as in the line {base.name!r}")
    else:
        own = raw.get("sources") if isinstance(raw.get("sources"), list) else []
        said += [text for text in own or [] if not str(text).startswith(_IMPORTED)]
    return {"name": name or raw.get("name") or Path(str(files[0])).stem, "sources": said}


def _column_matches(table: SheetRows) -> str:
    return f"{table.source}: " + ", ".join(f"{head} = {column}" for head, column in table.renamed.items())


def _warn_of_gaps(masts: SheetRows) -> None:
    """Warn of empty cells in a column that other rows fill; the default of the line is used there."""
    for column in _EVERY:
        empty = [row for row, cells in masts.rows if cells[column] is None]
        if 0 < len(empty) < len(masts.rows):
            more = f" (and {len(empty) - 1} more)" if len(empty) > 1 else ""
            masts.warn(
                f"{masts.place(empty[0], column)}: is empty{more}; the default {column} of the line is used there"
            )


def _warn_of_bare_spans(masts: SheetRows, lengths: list[dict[str, Any]]) -> None:
    """Warn of spans without droppers, whose contact wire hangs freely."""
    bare = [(tl["name"], k) for tl in lengths for k, span in enumerate(tl["spans"], 1) if not span["droppers"]]
    if bare:
        more = f" (and {len(bare) - 1} more)" if len(bare) > 1 else ""
        masts.warn(
            f"tension length {bare[0][0]!r}, span {bare[0][1]}{more} has no droppers, so its contact wire "
            "hangs freely; give a table of droppers"
        )


def _from_line(base: Line | None) -> dict[str, Any]:
    raw = dict(parse.to_plain(base))
    for name in ("name", "sources", "tension_lengths", "span_kinds", "height_profile", "chainage", "alignment"):
        raw.pop(name, None)
    return raw


def _alignment(masts: SheetRows, places: list[float], first: float) -> list[dict[str, Any]]:
    """Curve, cant and gradient at every mast, if one has any; rows of a shared mast must agree."""
    words = ("curve_radius", "cant", "gradient")
    if all(cells[w] is None for _, cells in masts.rows for w in words):
        return []
    points: dict[float, tuple[int, TrackPoint]] = {}
    for (row, cells), x in zip(masts.rows, places, strict=True):
        radius, cant, gradient = (cells[w] for w in words)
        try:
            point = TrackPoint(at=x - first, radius=radius or None, cant=cant or 0.0, gradient=gradient or 0.0)
        except ModelError as error:
            masts.add_error(row, "curve_radius", str(error))
            continue
        near = next((at for at in points if abs(at - x) <= _APART), x)
        other = points.setdefault(near, (row, point))
        if (point.radius, point.cant, point.gradient) != (other[1].radius, other[1].cant, other[1].gradient):
            masts.add_error(
                row, "curve_radius", f"curve, cant or gradient differ from row {other[0]}, which is the same mast"
            )
    masts.raise_errors()
    return [parse.to_plain(point) for point in _without_repeats([points[at][1] for at in sorted(points)])]


def _without_repeats(track: Sequence[TrackPoint]) -> list[TrackPoint]:
    """Leave out points between two that say the same: the track varies linearly from one to the next."""
    said = [(p.radius, p.cant, p.gradient) for p in track]
    return [
        point for k, point in enumerate(track) if k in (0, len(track) - 1) or not said[k - 1] == said[k] == said[k + 1]
    ]


def _lengths(masts: SheetRows, hung: tuple[SheetRows, Hung] | None) -> tuple[list[dict[str, Any]], float, list[float]]:
    """Tension lengths as plain data, the chainage of the first mast, and of the mast of every row."""
    groups: dict[str, list[tuple[int, dict[str, Any]]]] = {}
    last = None
    for row, cells in masts.rows:
        name = cells["tension_length"] or ""
        if name in groups and name != last:
            masts.add_error(
                row,
                "tension_length",
                f"{name!r} continues after another tension length; group its masts in consecutive rows",
            )
        groups.setdefault(name, []).append((row, cells))
        last = name
    if "" in groups and len(groups) > 1:
        masts.add_error(groups[""][0][0], "tension_length", "is empty, but other masts have one; fill it in every row")
    masts.raise_errors()
    if hung is not None and len(groups) == 1 and list(hung[1]) == [""]:
        hung = hung[0], {next(iter(groups)): hung[1][""]}  # the only one there is
    lengths, places = [], []
    for name, rows in groups.items():
        x = _places(masts, rows)
        masts.raise_errors()
        lengths.append(_length(masts, name, rows, x, hung))
        places.append(x)
    if hung is not None:
        _refuse_unknown_spans(hung, groups)
    masts.raise_errors()
    for k, (x, after) in enumerate(itertools.pairwise(places)):
        _join(masts, lengths[k], x, after, list(groups.values())[k + 1][0][0])
    masts.raise_errors()
    at = {
        row: x for rows, xs in zip(groups.values(), places, strict=True) for (row, _), x in zip(rows, xs, strict=True)
    }
    return lengths, places[0][0] if places else 0.0, [at[row] for row, _ in masts.rows]


def _places(masts: SheetRows, rows: list[tuple[int, dict[str, Any]]]) -> list[float]:
    """Chainage of every mast [m]: from the spans if they are given, and then both must agree."""
    if len(rows) < 2:
        masts.add_error(rows[0][0], "tension_length", "a tension length needs two masts or more")
    x = [rows[0][1]["chainage"] or 0.0]
    if rows[0][1]["chainage"] is None and any(cells["chainage"] is not None for _, cells in rows):
        masts.add_error(
            rows[0][0], "chainage", "is empty, but other masts have one; give the chainage of the first mast"
        )
    for (row, cells), (below, after) in itertools.pairwise(rows):
        there = after["chainage"]
        if cells["span"] is None and there is None:
            masts.add_error(row, "span", "is empty, and so is the next mast's chainage; give one of them")
            there = x[-1] + 1.0
        place = there if cells["span"] is None else x[-1] + cells["span"]
        if there is not None and abs(place - there) > _APART:
            masts.add_error(below, "chainage", f"is {there:g} m, but the spans before it end at {place:g} m")
        if place <= x[-1]:
            _refuse_order(masts, (row, cells), (below, after), x[-1], place)
            place = x[-1] + 1.0
        elif not _SPANS[0] <= place - x[-1] <= _SPANS[1]:
            column = "chainage" if cells["span"] is None else "span"
            _check_span_length(masts, below if cells["span"] is None else row, column, place - x[-1])
        x.append(place)
    return x


def _refuse_order(
    masts: SheetRows, one: tuple[int, dict[str, Any]], other: tuple[int, dict[str, Any]], before: float, place: float
) -> None:
    """Refuse a mast that does not lie beyond the one in the row above."""
    if one[1]["span"] is not None:
        masts.add_error(one[0], "span", f"must be > 0, got {place - before:g} m")
        return
    first, second = (f"mast {cells['mast']}" if cells["mast"] else f"row {row}" for row, cells in (one, other))
    where = "lies before" if place < before else "is the same as"
    words = f"{format_chainage(place, 2)} ({second}) {where} {format_chainage(before, 2)} ({first}, the row above)"
    masts.add_error(other[0], "chainage", f"{words}; sort the masts by increasing chainage")


def _check_span_length(masts: SheetRows, row: int, column: str, length: float) -> None:
    """Refuse an implausible span if its unit was not given, and warn of it otherwise."""
    words = f"a span of {length:g} m, outside the usual {_SPANS[0]:g} … {_SPANS[1]:g} m"
    if masts.has_unit(column):
        masts.warn(f"{masts.place(row, column)}: {words}; check its unit")
    else:
        unit = masts.units.get(column, "m")
        masts.add_error(
            row, column, f"{words}; it is read in {unit}; give the unit in the first row, {column} [km] or [m]"
        )


def _length(
    masts: SheetRows,
    name: str,
    rows: list[tuple[int, dict[str, Any]]],
    x: list[float],
    hung: tuple[SheetRows, Hung] | None,
) -> dict[str, Any]:
    posts, spans = [], []
    mine = hung[1].get(name, {}) if hung is not None else {}
    for local, (row, cells) in enumerate(rows):
        words = ("contact_height", "lift", "stagger", "messenger_stagger", "encumbrance", "support", *_COORDINATES)
        post = {"at": local, "name": cells["mast"]} | {w: cells[w] for w in words}
        post = {k: v for k, v in post.items() if v is not None}
        try:
            Mast(**post)
        except ModelError as error:
            masts.add_error(row, "encumbrance", str(error))
        posts.append(post)
        if local < len(rows) - 1:
            length = cells["span"] if cells["span"] is not None else x[local + 1] - x[local]
            spans.append(_span(masts, row, length, cells["presag"], hung, mine.get(local + 1, [])))
    return {"name": name, "masts": posts, "spans": spans}


def _span(
    masts: SheetRows,
    row: int,
    length: float,
    presag: float | None,
    hung: tuple[SheetRows, Hung] | None,
    droppers: list[dict[str, Any]],
) -> dict[str, Any]:
    span: dict[str, Any] = {"length": length} | ({} if presag is None else {"presag": presag})
    for d in droppers:
        if hung is not None and not 0.0 < d["position"] < length:
            hung[0].add_error(d["row"], "position", f"{d['position']:g} m lies outside its span of {length:g} m")
    own = [{k: v for k, v in d.items() if v is not None and k != "row"} for d in droppers]
    span["droppers"] = [d for d in own if d["wire"] != "auxiliary"]
    span["auxiliary_positions"] = [d["position"] for d in own if d["wire"] == "auxiliary"]
    if hung is not None:
        hung[0].raise_errors()
    try:
        Span(length=length, droppers=tuple(Dropper(**d) for d in span["droppers"]))
    except ModelError as error:
        masts.add_error(row, "span", str(error))
    return span


def _refuse_unknown_spans(hung: tuple[SheetRows, Hung], groups: Mapping[str, list[Any]]) -> None:
    """Refuse droppers of spans that do not exist."""
    found, all_of_them = hung
    for name, spans in all_of_them.items():
        count = len(groups.get(name, [])) - 1
        for number, droppers in spans.items():
            if not 1 <= number <= count:
                there = f"is not in the table of masts; give tension_length, one of {', '.join(groups)}"
                told = f"has spans 1 to {count}" if count > 0 else there
                found.add_error(droppers[0]["row"], "span", f"{number}: tension length {name!r} {told}")
    found.raise_errors()


def _join(masts: SheetRows, length: dict[str, Any], x: list[float], after: list[float], row: int) -> None:
    """Number of shared spans, from the mast of this tension length at which the next one begins."""
    begin = min(range(len(x)), key=lambda k: abs(x[k] - after[0]))
    if abs(x[begin] - after[0]) > _APART:
        masts.add_error(
            row, "chainage", f"{after[0]:g} m is not a mast of the previous tension length, which ends at {x[-1]:g} m"
        )
        return
    shared = len(x) - 1 - begin
    try:
        length |= {"overlap": {"spans": shared}} if shared else {}
        Overlap(spans=shared or 1)
    except ModelError as error:
        masts.add_error(row, "chainage", f"{error}: the two tension lengths share {shared} spans")
