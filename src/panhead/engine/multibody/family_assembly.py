"""Assembly of items into families: number the unknowns, group rows of the same law."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from panhead.engine.forces.collision_shape import CollisionShape
from panhead.engine.multibody.collision_tables import joined_bodies
from panhead.engine.multibody.item_law import Law, all_numbers, law_of
from panhead.engine.multibody.native_rows import NativeLaw
from panhead.engine.roles import Coordinate, Item, Row, Symbols, Terms, Triple
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
    shapes: tuple[CollisionShape, ...]  #: what may meet
    joined: set[frozenset[str]]  #: pairs of bodies that joints hold together
    q: np.ndarray  # (nq,) start
    v: np.ndarray  # (nq,)


def pack(items: Sequence[Item], gravity: Triple, *, without: frozenset[str] = frozenset()) -> Packed:
    """Number all unknowns and group rows of the same law; constraints named in ``without`` are left out."""
    own = _number_coordinates(items)
    coordinates = tuple(f"{name}.{c.name}" for name, c in own)
    rows = [(item.name, _without(row, without)) for item in items for row in item.rows(gravity)]
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
        _shapes(items, contacts),
        joined_bodies(items),
        np.array([c.start for _, c in own]),
        np.array([c.rate for _, c in own]),
    )


def _without(row: Row, names: frozenset[str]) -> Row:
    """Return a row without some of its constraints."""
    kept = tuple(k for k, name in enumerate(row.constraints) if name not in names)
    if len(kept) == len(row.constraints):
        return row

    def terms(s: Symbols) -> Terms:
        found = row.terms(s)
        return replace(found, constraint=found.constraint[list(kept)] if kept else None)

    return replace(
        row, law=("part of", row.law, kept), terms=terms, constraints=tuple(row.constraints[k] for k in kept)
    )


def _shapes(items: Sequence[Item], contacts: Sequence[tuple[str, Row]]) -> tuple[CollisionShape, ...]:
    """The shapes of a model; ModelError if single contacts stand beside them."""
    shapes = tuple(item for item in items if isinstance(item, CollisionShape))
    if shapes and contacts:
        raise ModelError(
            f"shapes that meet ({shapes[0].name!r} …) and single contacts ({contacts[0][0]!r} …) cannot stand in one "
            "model; give all bodies shapes, or name each contact"
        )
    return shapes


def _families(rows: Sequence[tuple[str, Row]], place: dict[str, int], nq: int) -> tuple[Family, ...]:
    """Rows of the same law gathered; their constraints are counted from nq on."""
    own = [name for _, row in rows for name in row.constraints]
    place = place | {f"λ {name}": nq + i for i, name in enumerate(own)}
    gathered: dict[int, list[tuple[str, Row]]] = {}
    laws: dict[int, Law | NativeLaw] = {}
    for name, row in rows:
        law = _law(name, row)
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


def _law(owner: str, row: Row) -> Law | NativeLaw:
    """Return the law of a row; ModelError where a function given by the user is not an expression."""
    try:
        return law_of(row)
    except (TypeError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise ModelError(
            f"{owner!r}: a function given to it must be an expression for any argument, and is not "
            f"({type(error).__name__}: {reason:.120}). Write it with CasADi's functions: "
            "casadi.if_else(t < 1, a, b) in place of if, casadi.sin, casadi.fmax …; or use a Table"
        ) from error


def _number_coordinates(items: Sequence[Item]) -> list[tuple[str, Coordinate]]:
    """Number all coordinates with their owners; followers of bodies (round 1) may be followed too (round 2)."""
    found = [item.coordinates() for item in items]
    followers = [k for k, item in enumerate(items) if type(item).start_coordinates is not Item.start_coordinates]
    for _ in range(2 if followers else 0):
        start = {f"{item.name}.{c.name}": (c.start, c.rate) for item, cs in zip(items, found, strict=True) for c in cs}
        for k in followers:
            found[k] = items[k].start_coordinates(start)
    own = [(item.name, c) for item, cs in zip(items, found, strict=True) for c in cs]
    for name, c in own:
        if not (math.isfinite(c.start) and math.isfinite(c.rate)):
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
