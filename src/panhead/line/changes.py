"""Copies of a line with something changed: participles of a line."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from panhead.line.description import Line, TensionLength
from panhead.line.irregularities import DropperError
from panhead.line.layout import Layout, droppers_of


def with_presag(line: Line, presag: float) -> Line:
    """The same line with another pre-sag of the contact wire [m]."""
    return replace(line, presag=presag)


def with_contact_tension(line: Line, tension: float) -> Line:
    """The same line with another tension of (each of) its contact wires [N]."""
    contact = replace(line.wires.contact, tension=tension)
    return replace(line, wires=replace(line.wires, contact=contact))


def with_dropper_errors(line: Line, *, deviation: float, seed: int) -> Line:
    """The same line with normally distributed errors of every dropper's length [m].

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
