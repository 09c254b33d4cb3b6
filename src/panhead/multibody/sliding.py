"""Sliders of a model as the arrays that kernels read, and the unknowns whose place in the matrix moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.errors import ModelError
from panhead.kernels.families import Tables
from panhead.kernels.slides import NO_SLIDES, Slides, element_at, put_on
from panhead.roles import Row, WirePath
from panhead.tables.packing import Family


def slides_of(families: Sequence[Family], tables: Tables, coordinates: Sequence[str]) -> Slides:
    """All sliders, put on the elements at which they start."""
    place = {name: i for i, name in enumerate(coordinates)}
    rows: list[tuple[int, ...]] = []
    elements: list[list[int]] = []
    breaks: list[float] = []
    arcs: list[float] = []
    for f, family in enumerate(families):
        for e, row in enumerate(family.rows):
            if row.track is None:
                continue
            track, law = row.track, family.law
            first = sum(len(m.coordinates) for m in row.markers)
            column = law.numbers.index("track.begin")
            hidden = law.numbers.index("slide") if law.terms.hidden is not None else -1
            arc = -1 if hidden >= 0 else place[row.owned[0]]
            closure = law.closing.address if hidden >= 0 else 0
            across = law.numbers.index("track.across.0") if law.terms.across is not None else -1
            width = len(track.elements[0])
            wire = (len(elements), len(track.elements), len(breaks))
            rows.append((f, e, first, width, column, hidden, arc, *wire, closure, across))
            elements += [[place[name] for name in names] for names in track.elements]
            breaks += track.breaks
            arcs.append(_start_on(track, family.owners[e]))
    if not rows:
        return NO_SLIDES
    widest = max(len(e) for e in elements)
    padded = np.array([e + [0] * (widest - len(e)) for e in elements], dtype=np.int64)
    slides = Slides(
        np.array(rows, dtype=np.int64), padded, np.array(breaks), np.zeros(len(rows), np.int64), np.array(arcs)
    )
    for k, at in enumerate(arcs):
        put_on(tables, slides, k, element_at(slides.breaks, rows[k][9], rows[k][8], at, 0))
    return slides


def _start_on(track: WirePath, owner: str) -> float:
    """The start on the wire; ModelError if it is beyond an end."""
    if not track.breaks[0] <= track.start <= track.breaks[-1]:
        raise ModelError(
            f"{owner!r} starts at {track.start:g} m of {track.body!r}, which goes from {track.breaks[0]:g} to "
            f"{track.breaks[-1]:g} m; start on the wire"
        )
    return track.start


def sliders_of(families: Sequence[Family]) -> tuple[str, ...]:
    """Names of the sliders, in the order of ``slides_of``."""
    return tuple(
        owner
        for family in families
        for owner, row in zip(family.owners, family.rows, strict=True)
        if row.track is not None
    )


def border_of(families: Sequence[Family], nq: int) -> np.ndarray:
    """Unknowns of sliders that are not on a wire, and every multiplier of a constraint that holds one of them."""
    moving: set[int] = set()
    for family in families:
        for row, places in zip(family.rows, family.places, strict=True):
            if row.track is not None:
                moving |= _not_on_the_wire(row, places[: family.law.n + family.law.m])
    held = set(moving)
    for family in families:
        n, m = family.law.n, family.law.m
        for places in family.places:
            if moving.intersection(p for p in places[:n].tolist() if p < nq):
                held.update(places[n : n + m].tolist())
    return np.array(sorted(held), dtype=np.int64)


def _not_on_the_wire(row: Row, places: np.ndarray) -> set[int]:
    first = sum(len(m.coordinates) for m in row.markers)
    width = len(row.track.elements[0]) if row.track else 0
    return set(places[:first].tolist()) | set(places[first + width :].tolist())
