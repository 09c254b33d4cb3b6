"""``panhead line tables``: dropper schedule, stringing heights, wire lengths and support loads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from panhead.desk.sheets.table_rows import DeskTable, TableColumn
from panhead.files.cell_text import Cell
from panhead.files.chainage import format_chainage
from panhead.railway.line.layout import PlacedTensionLength, Post
from panhead.railway.line.line_description import Line
from panhead.railway.line.stringing import StrungSpan
from panhead.railway.line.strung_line import Strung, string

FINE: Final = 0.25  #: elements [m]: a wire bends at a clamp within 0.1 m, and on 1 m droppers come out 3 mm too long
_C = TableColumn
_PLACE: Final = (_C("tension_length"), _C("span"))
_WHERE: Final = (
    _C("mast", about="first mast of the span"),
    _C("km", about="chainage as railways write it"),
    _C("from_first_mast", "m", 3, "of the line"),
)
_DROPPERS: Final = (
    *_PLACE,
    _C("dropper"),
    _C("wire", about="wire it carries"),
    _C("position", "m", 3, "from the span's first mast"),
    _C("chainage", "m", 3),
    _C("length", "m", 4, "cutting length, unstretched, clamp to clamp"),
    _C("load", "N", 1, "at rest"),
    _C("top_height", "m", 4, "of the upper clamp above rail"),
    _C("bottom_height", "m", 4, "of the lower clamp above rail"),
    *_WHERE,
)
_HEIGHTS: Final = (
    *_PLACE,
    _C("place"),
    _C("chainage", "m", 3),
    _C("contact_height", "m", 4),
    _C("messenger_height", "m", 4),
    _C("contact_across", "m", 4, "+ to the left"),
    _C("messenger_across", "m", 4),
    *_WHERE,
)
_LENGTHS: Final = (
    _C("tension_length"),
    _C("first_mast"),
    _C("last_mast"),
    _C("from", "m", 3, "chainage of the first mast"),
    _C("to", "m", 3, "chainage of the last mast"),
    _C("spans"),
    _C("droppers"),
    _C("shared_spans", about="with the next tension length"),
    _C("contact_tension", "N", 1, "of each contact wire"),
    _C("messenger_tension", "N", 1),
    _C("contact_wire", "m", 3, "along the wire from anchor to anchor, all contact wires"),
    _C("messenger", "m", 3),
)
_SUPPORTS: Final = (
    _C("tension_length"),
    _C("mast"),
    _C("chainage", "m", 3),
    _C("contact_height", "m", 4, "as strung"),
    _C("stagger", "m", 4),
    _C("messenger_height", "m", 4),
    _C("vertical", "N", 1, "vertical load of the messenger (or rail) support, + down"),
    _C("messenger_across", "N", 1, "lateral load of the messenger on its support, + left"),
    _C("contact_across", "N", 1, "lateral load of the contact wires on the steady arm, + left"),
    _C("km", about="chainage as it is written on the mast"),
    _C("from_first_mast", "m", 3),
)


def line_tables(line: Line) -> tuple[DeskTable, ...]:
    """Dropper schedule, stringing heights, tension lengths, loads at supports."""
    strung = string(line)
    spans = [
        (p, n, s) for p in strung.layout.pieces for n, s in enumerate(strung.spans(p, element_length=FINE), p.first)
    ]
    return (
        DeskTable("droppers", _DROPPERS, [row for each in spans for row in _droppers(strung, *each)]),
        DeskTable("heights", _HEIGHTS, [row for each in spans for row in _heights(strung, *each)]),
        DeskTable("tension_lengths", _LENGTHS, [_length(strung, piece) for piece in strung.layout.pieces]),
        DeskTable("supports", _SUPPORTS, [row for p in strung.layout.pieces for row in _supports(strung, p)]),
    )


def _droppers(strung: Strung, piece: PlacedTensionLength, number: int, span: StrungSpan) -> Iterator[list[Cell]]:
    start = float(strung.layout.mast_x[number])
    for k, link in enumerate(span.mesh.links):
        station = span.mesh.link_station[k]
        top, bottom = (float(span.shape[role][station, 0]) for role in (link.upper, link.lower))
        yield [
            piece.name, number - piece.first + 1, link.number, link.lower, link.x, _chainage(strung, start + link.x),
            float(span.unstretched[k]), float(span.tension[k]), top, bottom,
            *_where(strung, piece, number, start + link.x),
        ]  # fmt: skip


def _heights(strung: Strung, piece: PlacedTensionLength, number: int, span: StrungSpan) -> Iterator[list[Cell]]:
    """Heights at masts (including the last of the tension length), at contact wire droppers and at mid-span."""
    x, length = span.mesh.x, span.mesh.plan.length
    places = {0.0: "mast", 0.5 * length: "mid-span"}
    places |= {link.x: f"dropper {link.number}" for link in span.mesh.links if link.lower == "contact"}
    if number == piece.stop - 1:
        places[length] = "mast"
    start = float(strung.layout.mast_x[number])
    for place in sorted(places):
        station = int(np.argmin(np.abs(x - place)))
        near = abs(x[station] - place) < 1e-6
        cells = [_at(span, role, place, station, near, c) for c in (0, 2) for role in ("contact", "messenger")]
        at: list[Cell] = [piece.name, number - piece.first + 1, places[place], _chainage(strung, start + place)]
        yield [*at, *cells, *_where(strung, piece, number, start + place)]


def _chainage(strung: Strung, x: float) -> float:
    """Chainage of a place x along the line [m]."""
    return strung.layout.line.chainage + x


def _where(strung: Strung, piece: PlacedTensionLength, number: int, x: float) -> list[Cell]:
    """First mast of a span, chainage as text, metres from the line's first mast."""
    return [strung.layout.mast_name(piece, number), format_chainage(_chainage(strung, x), 2), x]


def _at(span: StrungSpan, role: str, place: float, station: int, near: bool, component: int) -> float | None:
    from panhead.railway.line.wire_elements import wire_at

    if role not in span.shape:
        return None
    values = span.shape[role]
    if near:
        return float(values[station, component])
    return float(wire_at(place, span.mesh.x, values[:, component], values[:, component + 1]))


def _length(strung: Strung, piece: PlacedTensionLength) -> list[Cell]:
    layout, spans = strung.layout, strung.spans(piece, element_length=FINE)
    wires, x = piece.described.wires or layout.line.wires, layout.mast_x
    contact = sum(_arc(s, role) for s in spans for role in s.shape if role.startswith("contact"))
    return [
        piece.name, layout.mast_name(piece, piece.first), layout.mast_name(piece, piece.stop),
        *(_chainage(strung, float(x[k])) for k in (piece.first, piece.stop)),
        len(piece.spans), sum(len(s.mesh.links) for s in spans),
        piece.after.spans if piece.after else 0, wires.contact.tension,
        wires.messenger.tension if wires.messenger else None,
        contact, sum(_arc(s, "messenger") for s in spans) if wires.messenger else None,
    ]  # fmt: skip


def _arc(span: StrungSpan, role: str) -> float:
    """Length of a wire over one span, ∫ √(1 + y′² + z′²) dx by the trapezoidal rule on its stations [m]."""
    slope = np.sqrt(1.0 + span.shape[role][:, 1] ** 2 + span.shape[role][:, 3] ** 2)
    return float(np.trapezoid(slope, span.mesh.x))


def _supports(strung: Strung, piece: PlacedTensionLength) -> Iterator[list[Cell]]:
    layout, spans = strung.layout, strung.spans(piece, element_length=FINE)
    for local in range(len(spans) + 1):
        span, end = (spans[local], 0) if local < len(spans) else (spans[-1], 1)
        post: Post = span.mesh.plan.right if end else span.mesh.plan.left
        number = piece.first + local
        pulls = [-span.reaction[role][end, 1] for role in span.reaction if role.startswith("contact")]
        vertical = sum(float(force[end, 0]) for force in span.reaction.values())
        yield [
            piece.name, layout.mast_name(piece, number), _chainage(strung, float(layout.mast_x[number])),
            float(span.shape["contact"][-end, 0]), post.y_contact,
            float(span.shape["messenger"][-end, 0]) if "messenger" in span.shape else None, vertical,
            -float(span.reaction["messenger"][end, 1]) if "messenger" in span.shape else None, float(sum(pulls)),
            *_where(strung, piece, number, float(layout.mast_x[number]))[1:],
        ]  # fmt: skip
