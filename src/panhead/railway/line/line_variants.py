"""Modified copies of a line: pre-sag, tension, dropper lengths and errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from panhead.railway.line.layout import Layout, droppers_of
from panhead.railway.line.line_defects import DropperError
from panhead.railway.line.line_description import Line, Span, TensionLength
from panhead.railway.line.stringing import StrungSpan
from panhead.railway.line.strung_line import string


def with_presag(line: Line, presag: float) -> Line:
    """Return a line with another pre-sag of the contact wire [m]."""
    return replace(line, presag=presag)


def with_contact_tension(line: Line, tension: float) -> Line:
    """Return a line with another tension of (each of) its contact wires [N]."""
    contact = replace(line.wires.contact, tension=tension)
    return replace(line, wires=replace(line.wires, contact=contact))


def with_dropper_errors(line: Line, *, deviation: float, seed: int) -> Line:
    """Return a line with normally distributed errors of every dropper's length [m].

    Repeated tension lengths become single ones, since their errors differ.
    """
    rng = np.random.default_rng(seed)
    layout = Layout(line)
    lengths: list[TensionLength] = []
    for piece in layout.pieces:
        errors = tuple(
            DropperError(span=s, dropper=d, error=float(rng.normal(0.0, deviation)))
            for s, span in enumerate(piece.spans, 1)
            for d in range(1, len(droppers_of(span)) + 1)
        )
        single = replace(piece.described, repeat=1, name=piece.name, dropper_errors=errors)
        lengths.append(single)
    return replace(line, tension_lengths=tuple(lengths))


def expand_spans(line: Line) -> Line:
    """Return a line with every span written out and no tension length repeated, so that each can be changed alone."""
    lengths = tuple(
        replace(piece.described, repeat=1, name=piece.name, spans=tuple(replace(s, count=1) for s in piece.spans))
        for piece in Layout(line).pieces
    )
    return replace(line, tension_lengths=lengths)


def with_cut_lengths(line: Line, *, element_length: float = 1.0) -> Line:
    """Return a line whose droppers have fixed lengths, as cut for the line as drawn [m].

    Fixed lengths stay when a mast or a tension is changed, as on a built line; with prescribed heights the lengths
    would change. Dropper errors are included in the lengths. Droppers from messenger to auxiliary wire keep their
    heights.
    """
    single, strung = expand_spans(line), string(line)
    lengths = [
        replace(
            tl,
            spans=tuple(
                _with_listed_lengths(tl.spans[k], s)
                for k, s in enumerate(strung.spans(p, element_length=element_length))
            ),
            dropper_errors=(),
        )
        for tl, p in zip(single.tension_lengths, strung.layout.pieces, strict=True)
    ]
    return replace(single, tension_lengths=tuple(lengths))


def _with_listed_lengths(span: Span, strung: StrungSpan) -> Span:
    """List the droppers of a span by length; of two equal contact wires the first one counts."""
    found: dict[int, float] = {}
    for link, length in zip(strung.mesh.links, strung.unstretched, strict=True):
        if link.lower != "auxiliary":
            found.setdefault(link.number, float(length))
    droppers = tuple(replace(d, length=found[n], sag=None, height=None) for n, d in enumerate(droppers_of(span), 1))
    return replace(span, count=1, droppers=droppers, dropper_positions=(), dropper_count=None)
