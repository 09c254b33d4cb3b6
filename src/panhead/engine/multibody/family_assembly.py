"""Assembly of items into families: number the unknowns, group rows of the same law."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.multibody.item_law import Law, all_numbers, law_of
from panhead.engine.multibody.native_rows import NativeLaw
from panhead.engine.roles import Coordinate, Item, Row, Triple
from panhead.engine.tables.flat_arrays import Family
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True)
class Packed:
    """A model packed into tables."""

    coordinates: tuple[str, ...]
    units: tuple[str, ...]
    first_order: np.ndarray  # (nq,) bool
    constraints: tuple[str, ...]
    controls: tuple[str, ...]
    families: tuple[Family, ...]
    contacts: tuple[Family, ...]  #: what may touch and leave: no part of the equations
    q: np.ndarray  # (nq,) start
    v: np.ndarray  # (nq,)


def pack(items: Sequence[Item], gravity: Triple) -> Packed:
    """Number all unknowns and group rows of the same law."""
    own = _number_coordinates(items)
    coordinates = tuple(f"{name}.{c.name}" for name, c in own)
    rows = [(item.name, row) for item in items for row in item.rows(gravity)]
    parts = [(name, row) for name, row in rows if row.impact is None]
    contacts = [(name, row) for name, row in rows if row.impact is not None]
    constraints = tuple(name for _, row in parts for name in row.constraints)
    controls = tuple(dict.fromkeys(name for _, row in rows for name in row.controls))
    place = {name: i for i, name in enumerate(coordinates)}
    place |= {f"u {name}": i for i, name in enumerate(controls)}
    return Packed(
        coordinates,
        tuple(c.unit for _, c in own),
        np.array([c.first_order for _, c in own], dtype=bool),
        constraints,
        controls,
        _families(parts, place, len(coordinates)),
        _families(contacts, place, len(coordinates)),
        np.array([c.start for _, c in own]),
        np.array([c.rate for _, c in own]),
    )


def _families(rows: Sequence[tuple[str, Row]], place: dict[str, int], nq: int) -> tuple[Family, ...]:
    """Rows of the same law gathered; their constraints are counted from nq on."""
    own = [name for _, row in rows for name in row.constraints]
    place = place | {f"λ {name}": nq + i for i, name in enumerate(own)}
    gathered: dict[int, list[tuple[str, Row]]] = {}
    laws: dict[int, Law | NativeLaw] = {}
    for name, row in rows:
        law = law_of(row)
        laws[id(law)] = law
        gathered.setdefault(id(law), []).append((name, row))
    return tuple(
        Family(
            laws[key],
            tuple(row for _, row in members),
            tuple(name for name, _ in members),
            np.array([_places(name, row, place) for name, row in members], dtype=np.int64),
            np.array([list(all_numbers(row).values()) for _, row in members], dtype=float),
        )
        for key, members in gathered.items()
    )


def _number_coordinates(items: Sequence[Item]) -> list[tuple[str, Coordinate]]:
    """Number all coordinates with their owners; followers of bodies (round 1) may be followed too (round 2)."""
    own = [(item.name, c) for item in items for c in item.coordinates()]
    for _ in range(2):
        start = {f"{name}.{c.name}": (c.start, c.rate) for name, c in own}
        own = [(item.name, c) for item in items for c in item.start_coordinates(start)]
    for name, c in own:
        if not np.isfinite((c.start, c.rate)).all():
            raise ModelError(
                f"{name!r}: {c.name} must start at a finite value with a finite rate, got {c.start} and {c.rate}"
            )
    return own


def _places(owner: str, row: Row, place: dict[str, int]) -> list[int]:
    """Return the indices of the coordinates, multipliers and controls of a row."""
    parts = (*(m.coordinates for m in row.markers), *(track.elements[0] for track in row.tracks), row.owned)
    names = [name for part in parts for name in part]
    names += [f"λ {n}" for n in row.constraints] + [f"u {n}" for n in row.controls]
    for name in names:
        if name not in place:
            raise ModelError(_missing_name_error(owner, name, place))
    return [place[name] for name in names]


def _missing_name_error(owner: str, name: str, place: dict[str, int]) -> str:
    body = name.rsplit(".", 1)[0]
    has = [n.rsplit(".", 1)[1] for n in place if n.rsplit(".", 1)[0] == body]
    if has:
        return f"{owner!r} needs the coordinate {name!r}, but {body!r} has only {', '.join(has)}"
    return f"{owner!r} is attached to {body!r}, which is not in the model; add that body"
