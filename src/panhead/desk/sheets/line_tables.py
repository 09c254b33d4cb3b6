"""Convert a line to three tables: masts, droppers, and everything else by key.

A mast that two tension lengths share has a row in each. Heights, lifts and staggers stand there as they are, so that
nothing has to be worked out from rules; ``panhead.desk.sheets.from_tables`` reads what is written here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Final, TypeVar

from panhead.desk.sheets.table_rows import DeskTable, TableColumn
from panhead.files.cell_text import Cell
from panhead.files.inventory import stated_fields
from panhead.railway.line.alignment import TrackPoint
from panhead.railway.line.layout import Layout, PlacedTensionLength, droppers_of
from panhead.railway.line.line_description import Line, Mast, TensionLength
from panhead.railway.line.parts import DropperKind, Support
from panhead.railway.line.presag import presag_at_midspan

T = TypeVar("T")
_C = TableColumn
MASTS: Final = (
    _C("tension_length"),
    _C("mast"),
    _C("chainage", "m"),
    _C("span", "m"),
    _C("contact_height", "m"),
    _C("lift", "m"),
    _C("stagger", "m"),
    _C("messenger_stagger", "m"),
    _C("encumbrance", "m"),
    _C("support"),
    _C("presag", "m"),
    _C("curve_radius", "m"),
    _C("cant", "m"),
    _C("gradient"),
    _C("longitude", "deg"),
    _C("latitude", "deg"),
)
DROPPERS: Final = (
    _C("tension_length"),
    _C("span"),
    _C("position", "m"),
    _C("length", "m"),
    _C("height", "m"),
    _C("length_error", "m"),
    _C("clamp"),
    _C("wire"),
)
KEYS: Final = (_C("key"), _C("value"), _C("unit"))
_ELSEWHERE: Final = ("tension_lengths.", "span_kinds.", "support_kinds.", "dropper_kinds.", "height_profile")
_GEOMETRY: Final = ("spans", "name", "repeat", "overlap", "masts", "dropper_errors")
_OWN: Final = tuple(f.name for f in fields(TensionLength) if f.name not in _GEOMETRY)  # neither masts nor droppers


def geometry_tables(line: Line) -> tuple[DeskTable, DeskTable, DeskTable]:
    """Masts, droppers and keys of a line, every number with all its digits."""
    layout, kinds = Layout(line), _Kinds(line)
    masts = [row for piece in layout.pieces for row in _masts(layout, piece, kinds)]
    droppers = [row for piece in layout.pieces for row in _droppers(layout, piece, kinds)]
    keys = [row for row in _keys(line, layout, kinds)]
    return DeskTable("masts", MASTS, masts), DeskTable("droppers", DROPPERS, droppers), DeskTable("line", KEYS, keys)


class _Kinds:
    """Names of supports and droppers that are not the usual ones."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.supports: dict[str, Support] = {}
        self.droppers: dict[str, DropperKind] = {}

    def support(self, support: Support) -> str:
        """Name of the support kind; empty for the default of the line. Encumbrance and stagger are in the mast's
        row."""
        usual = self.line.support
        plain = self._with_default_geometry(support, usual)
        if plain == usual:
            return ""
        given = {name: self._with_default_geometry(kind, usual) for name, kind in self.line.support_kinds.items()}
        return _name_of(plain, given, self.supports, "support")

    def dropper(self, kind: DropperKind | str | None) -> str:
        if kind is None or kind == self.line.dropper:
            return ""
        if isinstance(kind, str):
            self.droppers[kind] = self.line.dropper_kinds[kind]
            return kind
        return _name_of(kind, self.line.dropper_kinds, self.droppers, "clamp")

    def _with_default_geometry(self, support: Support, usual: Support) -> Support:
        """Copy with the encumbrance and stagger of the default support, where that encumbrance is possible."""
        high = max(usual.encumbrance, support.encumbrance) if support.auxiliary_height else usual.encumbrance
        return replace(support, encumbrance=high, stagger=usual.stagger, messenger_stagger=usual.messenger_stagger)


def _name_of(part: T, given: Mapping[str, T], used: dict[str, T], word: str) -> str:
    """Existing name of a kind, or a new one."""
    for name, kind in (*given.items(), *used.items()):
        if kind == part:
            used[name] = part
            return name
    number = next(k for k in range(1, len(given) + len(used) + 2) if f"{word} {k}" not in {*given, *used})
    used[f"{word} {number}"] = part
    return f"{word} {number}"


def _masts(layout: Layout, piece: PlacedTensionLength, kinds: _Kinds) -> Iterator[list[Cell]]:
    line, track = layout.line, track_at_masts(layout)
    plans = [layout.plan(piece, n) for n in range(piece.first, piece.stop)]
    given = {m.at % (len(plans) + 1): m for m in piece.described.masts}
    for local, post in enumerate([*(plan.left for plan in plans), plans[-1].right]):
        last = local == len(plans)
        span = None if last else piece.spans[local]
        sag = None if span is None else presag_at_midspan(line, span)
        mast = given.get(local, Mast(at=local))
        yield [
            piece.name, mast.name, line.chainage + float(layout.mast_x[piece.first + local]),
            None if span is None else span.length, post.z_contact, post.lift, post.y_contact, post.y_messenger,
            post.support.encumbrance, kinds.support(post.support) or None, sag,
            *_track(track.get(piece.first + local)), mast.longitude, mast.latitude,
        ]  # fmt: skip


def _track(point: TrackPoint | None) -> tuple[Cell, Cell, Cell]:
    return (None, None, None) if point is None else (point.radius, point.cant, point.gradient)


def track_at_masts(layout: Layout) -> dict[int, TrackPoint]:
    """Curve, cant and gradient by mast, if the line gives them at every mast and nowhere else."""
    points = layout.line.alignment
    same = len(points) == layout.mast_x.size and all(
        abs(p.at - x) < 1e-9 for p, x in zip(points, layout.mast_x, strict=True)
    )
    return dict(enumerate(points)) if same else {}


def _droppers(layout: Layout, piece: PlacedTensionLength, kinds: _Kinds) -> Iterator[list[Cell]]:
    for local, span in enumerate(piece.spans):
        links = layout.plan(piece, piece.first + local).links
        wanted = {link.number: link.height for link in links if link.lower != "auxiliary"}
        errors = {e.dropper: e.error for e in piece.described.dropper_errors if e.span == local + 1}
        for number, d in enumerate(droppers_of(span), 1):
            height = wanted[number] if d.length is None else None
            error = d.length_error + errors.get(number, 0.0)
            wire = None if d.wire == "contact" else d.wire
            yield [piece.name, local + 1, d.position, d.length, height, error, kinds.dropper(d.kind) or None, wire]
        for place in span.auxiliary_positions:
            yield [piece.name, local + 1, place, None, None, 0.0, None, "auxiliary"]


def _keys(line: Line, layout: Layout, kinds: _Kinds) -> Iterator[list[Cell]]:
    """Everything else, path by path; a list is JSON in its cell."""
    apart = (*_ELSEWHERE, "alignment.") if track_at_masts(layout) else _ELSEWHERE
    found = [s for s in stated_fields(line) if not s[0].startswith(apart)]
    for word, named in (("support_kinds", kinds.supports), ("dropper_kinds", kinds.droppers)):
        found += [s for name, kind in named.items() for s in stated_fields(kind, f"{word}.{name}")]
    for k, piece in enumerate(layout.pieces, 1):
        for own in _OWN:
            found += stated_fields(getattr(piece.described, own), f"tension_lengths.{k}.{own}")
    for path, value, unit in found:
        listed = isinstance(value, (list, bool))
        yield [path, json.dumps(value, ensure_ascii=False) if listed else value, unit]
