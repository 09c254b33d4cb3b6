"""Sliders of a model as arrays for kernels, and the unknowns whose place in the matrix moves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from panhead.engine.kernels.element_families import Tables
from panhead.engine.kernels.sliders import NO_SLIDES, Slides, element_at, write_slider
from panhead.engine.multibody.item_law import track_names
from panhead.engine.roles import Row, WirePath
from panhead.engine.tables.flat_arrays import Family
from panhead.errors import ModelError

#: The numbers that are hidden, one for each track of a row.
SLIDES = ("slide", "slide 2")


def slides_of(families: Sequence[Family], tables: Tables, coordinates: Sequence[str]) -> Slides:
    """Return all sliders, placed on the elements at which they start."""
    place = {name: i for i, name in enumerate(coordinates)}
    rows: list[tuple[int, ...]] = []
    elements: list[list[int]] = []
    breaks: list[float] = []
    arcs: list[float] = []
    for f, e, owner, row, i in _tracks(families):
        track, law, name = row.tracks[i], families[f].law, track_names(row)[i]
        column = law.numbers.index(f"{name}.begin")
        hidden = law.numbers.index(SLIDES[i]) if law.terms.hidden is not None else -1
        arc = -1 if hidden >= 0 else place[row.owned[0]]
        closure = law.closing.address if hidden >= 0 else 0
        across = law.numbers.index(f"{name}.across.0") if law.terms.across is not None else -1
        wire = (len(elements), len(track.elements), len(breaks))
        together = len(row.tracks) if i == 0 else 0
        rows.append((f, e, *_columns(row)[i], column, hidden, arc, *wire, closure, across, together))
        elements += [[place[name] for name in names] for names in track.elements]
        breaks += track.breaks
        arcs.append(_start_on(track, owner))
    if not rows:
        return NO_SLIDES
    widest = max(len(e) for e in elements)
    padded = np.array([e + [0] * (widest - len(e)) for e in elements], dtype=np.int64)
    slides = Slides(
        np.array(rows, dtype=np.int64), padded, np.array(breaks), np.zeros(len(rows), np.int64), np.array(arcs)
    )
    for k, at in enumerate(arcs):
        write_slider(tables, slides, k, element_at(slides.breaks, rows[k][9], rows[k][8], at, 0))
    return slides


def _tracks(families: Sequence[Family]) -> Iterator[tuple[int, int, str, Row, int]]:
    """Family, element, owner, row and number of every track; those of one row one after the other."""
    for f, family in enumerate(families):
        for e, (owner, row) in enumerate(zip(family.owners, family.rows, strict=True)):
            yield from ((f, e, owner, row, i) for i in range(len(row.tracks)))


def _columns(row: Row) -> list[tuple[int, int]]:
    """First local column and number of columns of each track."""
    first, found = sum(len(m.coordinates) for m in row.markers), []
    for track in row.tracks:
        found.append((first, len(track.elements[0])))
        first += found[-1][1]
    return found


def _start_on(track: WirePath, owner: str) -> float:
    """The start on the wire; ModelError if it is beyond an end."""
    if not track.breaks[0] <= track.start <= track.breaks[-1]:
        raise ModelError(
            f"{owner!r} starts at {track.start:g} m of {track.body!r}, which extends from "
            f"{track.breaks[0]:g} to {track.breaks[-1]:g} m; start on the wire"
        )
    return track.start


def sliders_of(families: Sequence[Family]) -> tuple[str, ...]:
    """Names of the sliders, in the order of ``slides_of``."""
    return tuple(owner for _, _, owner, _, _ in _tracks(families))


def border_of(families: Sequence[Family], nq: int) -> np.ndarray:
    """Unknowns of sliders that are not on a wire, and every multiplier of a constraint that holds one of them."""
    moving: set[int] = set()
    for family in families:
        for row, places in zip(family.rows, family.places, strict=True):
            if row.tracks:
                moving |= _not_on_the_wire(row, places[: family.law.n + family.law.m])
    held = set(moving)
    for family in families:
        n, m = family.law.n, family.law.m
        for places in family.places:
            if moving.intersection(p for p in places[:n].tolist() if p < nq):
                held.update(places[n : n + m].tolist())
    return np.array(sorted(held), dtype=np.int64)


def _not_on_the_wire(row: Row, places: np.ndarray) -> set[int]:
    on_wires = {column for first, width in _columns(row) for column in range(first, first + width)}
    return {int(p) for column, p in enumerate(places) if column not in on_wires}
