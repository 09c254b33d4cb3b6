"""Layout of a line: numbers and positions of masts, spans, tension lengths and droppers.

``Layout`` numbers the masts and spans of the whole line and finds the tension lengths in a span.
``SpanPlan`` is one span of one tension length with all defaults resolved: equal spans have equal
plans, so that anything computed from a plan is computed once, however long the line is.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from panhead.errors import ModelError
from panhead.railway.line.alignment import Corner
from panhead.railway.line.insulators import Let
from panhead.railway.line.line_description import MOST_SPANS, Line, Overlap, Span, TensionLength, Wires
from panhead.railway.line.lru import LruCache
from panhead.railway.line.parts import Dropper, DropperKind, Support

_PLANS = 64  # spans whose plans are kept at hand
ROLES = ("contact", "contact2", "messenger", "auxiliary", "stitch")


def roles_of(wires: Wires) -> tuple[str, ...]:
    """Roles of the wires of a tension length, in the order of ROLES."""
    there = {
        "contact": True,
        "contact2": wires.contact_count == 2,
        "messenger": wires.messenger is not None,
        "auxiliary": wires.auxiliary is not None,
        "stitch": wires.stitch is not None,
    }
    return tuple(role for role in ROLES if there[role])


@dataclass(frozen=True, slots=True)
class Link:
    """A dropper at its place; either its length or the height of its lower end is prescribed."""

    x: float  #: from the span's first mast [m]
    upper: str  #: role of the wire it hangs on
    lower: str  #: role of the wire it carries
    kind: DropperKind
    height: float  #: wanted height of the lower wire; a first guess if the length is given [m]
    length: float | None  #: given unstretched length [m]
    error: float  #: length error [m]
    number: int  #: 1 is the span's first

    @property
    def label(self) -> str:
        """Name within its span."""
        kind = "auxiliary dropper" if self.lower == "auxiliary" else "dropper"
        return f"{kind} {self.number} at {self.x:g} m"


@dataclass(frozen=True, slots=True)
class Post:
    """One mast as seen by one tension length."""

    z_contact: float  #: height of the contact wire without lift [m]
    lift: float  #: [m]
    y_contact: float  #: stagger [m]
    y_messenger: float
    support: Support
    anchor: bool  #: the tension length ends here
    tilt: float = 0.0  #: of the track, + leans to the left [rad]


@dataclass(frozen=True, slots=True)
class SpanPlan:
    """One span of one tension length, all defaults resolved. Hashable; equal spans compare equal."""

    length: float
    left: Post
    right: Post
    wires: Wires
    gravity: float
    links: tuple[Link, ...]
    marks: tuple[float, ...]  #: where stations must be, ends included, of every tension length here
    stitch: tuple[float, float]  #: clamps after the left and before the right mast; ends if none
    worn: tuple[tuple[float, float, float], ...]  #: from, to, remaining section
    spots: tuple[tuple[float, float, float], ...]  #: x, mass, stiffness
    let_in: tuple[Let, ...] = ()  #: insulators
    track: tuple[Corner, ...] = ()  #: what the track does; nothing: straight and level


@dataclass(frozen=True, slots=True)
class PlacedTensionLength:
    """One tension length at its place along the line."""

    index: int
    name: str
    described: TensionLength
    spans: tuple[Span, ...]  #: one by one
    first: int  #: number of its first span along the line
    before: Overlap | None  #: with the previous piece
    after: Overlap | None  #: with the next piece

    @property
    def stop(self) -> int:
        """One beyond the number of its last span."""
        return self.first + len(self.spans)


@dataclass(frozen=True, slots=True)
class Junction:
    """A place where one tension length ends and the next begins without an overlap."""

    x: float  #: [m]
    before: str  #: name of the tension length that ends
    after: str
    rail: bool  #: two conductor rails, which an expansion joint can make one

    @property
    def words(self) -> str:
        """Description of the problem."""
        both = "rails" if self.rail else "contact wires"
        return (
            f"{self.before!r} ends and {self.after!r} begins at {self.x:.6g} m without an overlap. There both {both} "
            "are fixed at one point, and every pan-head passing it suffers an impact"
        )

    @property
    def remedy(self) -> str:
        """Remedy for the user."""
        if self.rail:
            return "make them one tension length with an expansion joint among its rail_joints"
        return "give tension_lengths.overlap for the first of them, or make them one tension length"


class Layout:
    """Numbers of every mast, span and tension length of a line; ModelError if they do not fit together."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.pieces = _placed_tension_lengths(line)
        self._firsts = [piece.first for piece in self.pieces]
        for piece in self.pieces:
            _check_tension_length(piece)
        self.mast_x = self._mast_positions()  #: (n_spans + 1,) [m]
        self._plans: LruCache[SpanPlan] = LruCache(_PLANS)
        seen = {
            (id(p.described), id(span), k == 0, k == len(p.spans) - 1): (p, p.first + k)
            for p in self.pieces
            for k, span in enumerate(p.spans)
        }
        for piece, number in seen.values():
            self.plan(piece, number)  # refuses what does not fit into a span

    @property
    def n_spans(self) -> int:
        """Spans of the whole line; spans shared by two tension lengths count once."""
        return len(self.mast_x) - 1

    def _mast_positions(self) -> np.ndarray:
        lengths = np.full(max(piece.stop for piece in self.pieces), np.nan)
        for piece in self.pieces:
            mine = np.array([_length(span) for span in piece.spans])
            there = lengths[piece.first : piece.stop]
            differ = np.flatnonzero(~np.isnan(there) & (np.abs(there - mine) > 1e-9))
            if differ.size:
                k = int(differ[0])
                raise ModelError(
                    f"{piece.name}: span {k + 1} is {mine[k]:g} m long, but the tension length that it "
                    f"overlaps has {there[k]:g} m there; make both lengths equal, shared spans have the same masts"
                )
            there[:] = mine
        return np.concatenate([[0.0], np.cumsum(lengths)])

    def tension_lengths_at(self, span: int) -> list[PlacedTensionLength]:
        """The one or two tension lengths in span number ``span``."""
        last = bisect.bisect_right(self._firsts, span)
        return [p for p in self.pieces[max(0, last - 2) : last] if p.first <= span < p.stop]

    def junctions(self) -> Iterator[Junction]:
        """Junctions of tension lengths without an overlap."""
        for a, b in pairwise(self.pieces):
            if a.after is None:
                rail = (a.described.wires or self.line.wires).is_rail and (b.described.wires or self.line.wires).is_rail
                yield Junction(float(self.mast_x[a.stop]), a.name, b.name, rail)

    def span_at(self, x: float) -> int:
        """Number of the span that holds x."""
        return int(np.clip(np.searchsorted(self.mast_x, x, side="right") - 1, 0, self.n_spans - 1))

    def plan(self, piece: PlacedTensionLength, number: int) -> SpanPlan:
        """Plan of span ``number`` (along the line) of ``piece``, all defaults resolved."""
        return self._plans.get((piece.index, number), lambda: self._plan(piece, number))

    def _plan(self, piece: PlacedTensionLength, number: int) -> SpanPlan:
        from panhead.railway.line.span_plan import own_marks, span_plan

        marks = {0.0, round(_length(piece.spans[number - piece.first]), 6)}
        for other in self.tension_lengths_at(number):
            marks.update(own_marks(self, other, number))
        return span_plan(self, piece, number, tuple(sorted(marks)))

    def mast_name(self, piece: PlacedTensionLength, number: int) -> str:
        """Name of mast ``number`` (along the line) of ``piece``."""
        local = number - piece.first
        for mast in piece.described.masts:
            if mast.name and mast.at % (len(piece.spans) + 1) == local:
                return mast.name
        return f"{piece.name}.mast{local + 1}"


def _placed_tension_lengths(line: Line) -> tuple[PlacedTensionLength, ...]:
    total = sum(tl.repeat * sum(span.count for span in tl.spans) for tl in line.tension_lengths)
    if total > MOST_SPANS:
        raise ModelError(f"Line {line.name!r}: a line may have at most {MOST_SPANS} spans, got {total}")
    expanded = [(tl, k) for tl in line.tension_lengths for k in range(tl.repeat)]
    pieces: list[PlacedTensionLength] = []
    first, before = 0, None
    spans: dict[int, tuple[Span, ...]] = {}
    for index, (tl, _) in enumerate(expanded):
        if id(tl) not in spans:
            spans[id(tl)] = tuple(kind for span in tl.spans for kind in [_resolve_span_kind(line, span)] * span.count)
        last = index == len(expanded) - 1
        after = None if last else tl.overlap
        piece = PlacedTensionLength(index, _name(tl, index), tl, spans[id(tl)], first, before, after)
        pieces.append(piece)
        first = piece.stop - (after.spans if after else 0)
        before = after
    names = [piece.name for piece in pieces]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ModelError(f"Line {line.name!r}: two tension lengths have the name {twice[0]!r}; rename one of them")
    return tuple(pieces)


def _name(tl: TensionLength, index: int) -> str:
    if not tl.name:
        return f"tension length {index + 1}"
    return tl.name if tl.repeat == 1 else f"{tl.name} ({index + 1})"


def _resolve_span_kind(line: Line, span: Span) -> Span:
    if span.kind is None:
        return span
    if span.kind not in line.span_kinds:
        known = ", ".join(line.span_kinds) or "none"
        raise ModelError(f"Line {line.name!r}: span kind {span.kind!r} is not defined in span_kinds (defined: {known})")
    kind = line.span_kinds[span.kind]
    if kind.kind is not None:
        raise ModelError(f"Line {line.name!r}: span kind {span.kind!r} must not refer to another span kind")
    if kind.count != 1:
        raise ModelError(
            f"Line {line.name!r}: span kind {span.kind!r} has count = {kind.count}, which is not used; give `count` "
            "where spans of this kind are listed"
        )
    return kind


def _length(span: Span) -> float:
    assert span.length is not None  # Span requires it unless of a kind, and _resolve_span_kind resolved that
    return span.length


def droppers_of(span: Span) -> tuple[Dropper, ...]:
    """Droppers of one span, from any of the three ways to write them."""
    if span.droppers:
        return span.droppers
    positions = span.dropper_positions
    if span.dropper_count is not None:
        n = span.dropper_count
        positions = tuple(_length(span) * (i + 1) / (n + 1) for i in range(n))
    return tuple(Dropper(position=x) for x in positions)


def _check_tension_length(piece: PlacedTensionLength) -> None:
    n, tl = len(piece.spans), piece.described
    shared = sum(o.spans for o in (piece.before, piece.after) if o)
    if shared > n:
        raise ModelError(f"{piece.name}: its {n} spans are too few for overlaps of {shared} spans")
    places = [mast.at % (n + 1) for mast in tl.masts if -n - 1 <= mast.at <= n]
    if len(places) < len(tl.masts):
        wrong = next(mast.at for mast in tl.masts if not -n - 1 <= mast.at <= n)
        raise ModelError(f"{piece.name}: there is no mast {wrong}; masts are 0 … {n}")
    if len(set(places)) < len(places):
        raise ModelError(f"{piece.name}: a mast is listed twice, masts = {sorted(places)}; merge the two entries")
    if tl.midpoint is not None and not 0 < tl.midpoint < n:
        raise ModelError(f"{piece.name}: midpoint: there is no mast {tl.midpoint}; midpoint must be 1 … {n - 1}")
    _check_irregularities(piece)


def _check_irregularities(piece: PlacedTensionLength) -> None:
    tl, total = piece.described, sum(_length(span) for span in piece.spans)
    for error in tl.dropper_errors:
        count = len(droppers_of(piece.spans[error.span - 1])) if error.span <= len(piece.spans) else 0
        if error.dropper > count:
            raise ModelError(
                f"{piece.name}: dropper_errors names dropper {error.dropper} of span {error.span}, "
                f"which has {count} droppers"
            )
    for worn in tl.worn_sections:
        if worn.end > total + 1e-9:
            raise ModelError(
                f"{piece.name}: worn section ends at {worn.end:g} m, beyond the tension length of {total:g} m"
            )
    for spot in tl.hard_spots:
        if spot.position > total + 1e-9:
            raise ModelError(
                f"{piece.name}: hard spot at {spot.position:g} m lies beyond the tension length of {total:g} m"
            )
    for one in tl.insulators():
        if not 0.5 * one.kind.length < one.position < total - 0.5 * one.kind.length:
            raise ModelError(
                f"{piece.name}: insulator at {one.position:g} m does not lie within the tension length of {total:g} m"
            )
