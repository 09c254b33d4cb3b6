"""Static shape of a line as JSON: wires, masts, droppers with their forces, elasticity of one span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from panhead.files import parse
from panhead.railway.line import elasticity, static_shape, string
from panhead.railway.line.layout import Layout, PlacedTensionLength, droppers_of
from panhead.railway.line.line_description import Line, Span
from panhead.railway.line.presag import presag_at_midspan, sag_at
from panhead.railway.line.span_plan import post_of
from panhead.railway.line.strung_line import Strung

_MAX_SPANS = 40  # spans drawn at once: more would be droppers two pixels apart, and ten thousand parts of a page
_ELEMENT_LENGTH = 1.0  # of the wires [m], as in a run by default
_POINTS = 61  # of the elasticity
_LAST_STRUNG: list[Strung] = []  # drawn last: of a long line only what has changed is strung again


def drawing(raw: Mapping[str, Any], first: int, count: int, span: int | None) -> dict[str, Any]:
    """Static shape of ``count`` spans from number ``first`` on, and the positions of all masts.

    Lengths in m, forces in N, elasticity in m/N. ``span`` is the span whose elasticity is computed.
    """
    line = parse.build(Line, raw, source="line")
    layout = Layout(line)
    first = max(0, min(first, layout.n_spans - 1))
    stop = min(layout.n_spans, first + max(1, min(count, _MAX_SPANS)))
    strung = string(line, like=_LAST_STRUNG[0] if _LAST_STRUNG else None)
    _LAST_STRUNG[:] = [strung]
    shape = static_shape(strung, spans=(first, stop), element_length=_ELEMENT_LENGTH)
    number = {piece.name: piece.index for piece in layout.pieces}
    wires = [
        {"name": w.name, "role": w.role, "index": number[w.name]} | _columns(x=w.x, y=w.y, z=w.z) for w in shape.wires
    ]
    chosen = (first + stop) // 2 if span is None else max(0, min(span, layout.n_spans - 1))
    return {
        "name": line.name,
        "spans_of_line": layout.n_spans,
        "chainage": line.chainage,
        "mast_x": [round(float(x), 3) for x in layout.mast_x],
        "mast_labels": _mast_labels(layout),
        "tension_lengths": [
            {"name": p.name, "x": [round(float(layout.mast_x[k]), 3) for k in (p.first, p.stop)]} for p in layout.pieces
        ],
        "track": [{"x": p.at, "radius": p.radius, "cant": p.cant, "gradient": p.gradient} for p in line.alignment],
        "first": first,
        "wires": wires,
        "masts": list(_masts(layout, first, stop)),
        "spans": list(_spans(layout, first, stop)),
        "droppers": list(_droppers(strung, first, stop)),
        "elasticity": _elasticity(strung, chosen),
    }


def _columns(**values: np.ndarray) -> dict[str, Any]:
    """Convert arrays to JSON lists; NaN becomes null."""
    return {name: [None if np.isnan(x) else round(float(x), 6) for x in column] for name, column in values.items()}


def _source_numbers(layout: Layout) -> dict[int, int]:
    """Index of a tension length on the line → its index in the file, which may repeat it."""
    numbers = [k for k, tl in enumerate(layout.line.tension_lengths) for _ in range(tl.repeat)]
    return dict(enumerate(numbers))


def _tension_lengths(layout: Layout, first: int, stop: int) -> Iterator[tuple[int, PlacedTensionLength, int]]:
    """Yield (span, a tension length that covers it, its index in the file)."""
    written = _source_numbers(layout)
    for number in range(first, stop):
        for piece in layout.tension_lengths_at(number):
            yield number, piece, written[piece.index]


def _mast_labels(layout: Layout) -> list[str]:
    """Label of every mast along the line: its name in the file, or its number."""
    labels = [str(k + 1) for k in range(layout.n_spans + 1)]
    for piece in layout.pieces:
        for mast in piece.described.masts:
            if mast.name and piece.described.repeat == 1:
                labels[piece.first + mast.at % (len(piece.spans) + 1)] = mast.name
    return labels


def _masts(layout: Layout, first: int, stop: int) -> Iterator[dict[str, Any]]:
    written, seen = _source_numbers(layout), set()
    for number, piece, _ in _tension_lengths(layout, first, stop):
        for mast in (number, number + 1):
            if (piece.index, mast) in seen:
                continue
            seen.add((piece.index, mast))
            post = post_of(layout, piece, mast - piece.first)
            z = post.z_contact + post.lift
            yield {
                "tension_length": written[piece.index],
                "mast": mast - piece.first,
                "name": layout.mast_name(piece, mast),
                "number": mast,
                "index": piece.index,
                "x": float(layout.mast_x[mast]),
                "contact_z": z,
                "contact_height": post.z_contact,
                "lift": post.lift,
                "messenger_z": z + post.support.encumbrance,
                "stagger": post.y_contact,
                "messenger_stagger": post.y_messenger,
                "anchor": post.anchor,
            }


def _spans(layout: Layout, first: int, stop: int) -> Iterator[dict[str, Any]]:
    for number, piece, written in _tension_lengths(layout, first, stop):
        local = number - piece.first
        span = piece.spans[local]
        equal = next(row.count for row, count in _rows(piece) if local < count)
        yield {
            "number": number,
            "tension_length": written,
            "piece": piece.name,
            "span": local,
            "x": float(layout.mast_x[number]),
            "length": float(span.length or 0.0),
            "presag": presag_at_midspan(layout.line, span),
            "equal": equal,
            "repeats": piece.described.repeat,
        }


def _rows(piece: PlacedTensionLength) -> Iterator[tuple[Any, int]]:
    """Yield rows of spans in the file, each with the number of spans up to its end."""
    total = 0
    for row in piece.described.spans:
        total += row.count
        yield row, total


def _droppers(strung: Strung, first: int, stop: int) -> Iterator[dict[str, Any]]:
    layout = strung.layout
    for number, piece, written in _tension_lengths(layout, first, stop):
        found = strung.span(piece, number, element_length=_ELEMENT_LENGTH)
        described, x0 = piece.spans[number - piece.first], float(layout.mast_x[number])
        for k, link in enumerate(found.mesh.links):
            i = found.mesh.link_station[k]
            auxiliary = link.lower == "auxiliary"
            top, bottom = (float(found.shape[role][i, 0]) for role in (link.upper, link.lower))
            yield {
                "tension_length": written,
                "piece": piece.name,
                "span": number - piece.first,
                "dropper": link.number,
                "upper": link.upper,
                "lower": link.lower,
                "x": x0 + link.x,
                "position": link.x,
                "top": top,
                "bottom": bottom,
                "sag": None if auxiliary else round(_sag(layout.line, described, link.number, link.x), 6),
                "error": 0.0 if auxiliary else droppers_of(described)[link.number - 1].length_error,
                "length": float(found.unstretched[k]),
                "by_length": link.length is not None,
                "force": float(found.tension[k]),
            }


def _sag(line: Line, span: Span, number: int, x: float) -> float:
    """Target depth of the contact wire below the chord of the span, from the dropper or the pre-sag [m]."""
    own = droppers_of(span)[number - 1].sag
    return sag_at(presag_at_midspan(line, span), x, float(span.length or 0.0)) if own is None else own


def _elasticity(strung: Strung, span: int) -> dict[str, Any]:
    curve = elasticity(strung, span=span, points=_POINTS)
    return {"span": span, "x": [round(float(x), 4) for x in curve.x], "value": [float(v) for v in curve.value]}
