"""Edits of a line: apply a change made in the drawing to the data of its file.

One row of a file may describe ten equal spans. An edit of one of them splits the row into three: before, this one and
after. An edit of all of them (``together``) leaves the row as it is.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Discriminator

from panhead.errors import ModelError
from panhead.files import parse
from panhead.files.units import Metres, in_unit
from panhead.railway.line.layout import Layout, PlacedTensionLength, droppers_of
from panhead.railway.line.line_description import Line, Span

_MAX_EQUAL_SPANS = 2000  # equal spans in a row
_DIGITS = 4  # of a place or height, in metres: a tenth of a millimetre


@dataclass(frozen=True, slots=True, kw_only=True)
class SetValue:
    """Set a value, or remove the key (no value)."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    do: Literal["set"]
    path: tuple[str | int, ...]  #: keys and numbers, from the top of the file
    value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveDropper:
    """Change the position, sag or length of one dropper."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    do: Literal["dropper"]
    tension_length: int  #: 0 is the first that the file writes
    span: int  #: 0 is its first span
    dropper: int  #: 1 is the span's first
    position: Metres | None = None  #: from the span's first mast [m]
    sag: Metres | None = None  #: below the line between the supports [m]
    length: Metres | None = None  #: to be cut [m]
    length_error: Metres | None = None  #: hung longer (+) or shorter (−) than it should be [m]
    together: bool = False  #: in every span of the same row


@dataclass(frozen=True, slots=True, kw_only=True)
class AddDropper:
    """Add a dropper."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    do: Literal["add dropper"]
    tension_length: int
    span: int
    position: Metres  #: from the span's first mast [m]
    together: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDropper:
    """Remove a dropper."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    do: Literal["remove dropper"]
    tension_length: int
    span: int
    dropper: int
    together: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSpan:
    """Change the length or pre-sag of a span, or the number of equal spans."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    do: Literal["span"]
    tension_length: int
    span: int
    length: Metres | None = None  #: its droppers keep their shares of it [m]
    presag: Metres | None = None
    count: int | None = None  #: equal spans in its row, 1 to 2000
    together: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeMast:
    """Change the height or stagger at one mast, or move the mast along the track."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    do: Literal["mast"]
    tension_length: int
    mast: int  #: 0 is the first of the tension length
    contact_height: Metres | None = None
    stagger: Metres | None = None
    messenger_stagger: Metres | None = None
    lift: Metres | None = None
    along: Metres = 0.0  #: by how far it moves; the span before it gains what the span after it loses [m]


Edit = Annotated[
    SetValue | MoveDropper | AddDropper | RemoveDropper | ChangeSpan | ChangeMast,
    Discriminator("do"),  # so that a wrong value is told of the change that was meant alone
]


def apply_edit(raw: Mapping[str, Any], edit: Edit, *, source: object = "line") -> dict[str, Any]:
    """Apply one edit to a line; return validated plain data, or raise FileError or ModelError."""
    changed = copy.deepcopy(dict(raw))
    if isinstance(edit, SetValue):
        _set_value(changed, edit)
    else:
        line = parse.build(Line, raw, source=source)
        _EDIT_FUNCTIONS[type(edit)](_EditedLine(changed, line), edit)
    parse.build(Line, changed, source=source)
    return changed


class _EditedLine:
    """A line as written in its file, with the description it stands for."""

    def __init__(self, raw: dict[str, Any], line: Line) -> None:
        self.raw, self.line = raw, line
        self.pieces = self._tension_lengths()

    def _tension_lengths(self) -> list[PlacedTensionLength]:
        """First repetition of every tension length in the file."""
        pieces, found, at = Layout(self.line).pieces, [], 0
        for tl in self.line.tension_lengths:
            found.append(pieces[at])
            at += tl.repeat
        return found

    def piece(self, number: int) -> PlacedTensionLength:
        """Tension length by its index in the file."""
        if not 0 <= number < len(self.pieces):
            raise ModelError(f"there is no tension length {number}; valid numbers are 0 to {len(self.pieces) - 1}")
        return self.pieces[number]

    def span(self, tension_length: int, number: int) -> Span:
        """Description of a span."""
        spans = self.piece(tension_length).spans
        if not 0 <= number < len(spans):
            raise ModelError(
                f"{self.piece(tension_length).name}: there is no span {number + 1}; it has {len(spans)} spans"
            )
        return spans[number]

    def row(self, tension_length: int, number: int) -> tuple[list[dict[str, Any]], int, int, int]:
        """Rows of spans in the file, index of the row of a span, index of the span in it, and its number of spans."""
        self.span(tension_length, number)
        rows: list[dict[str, Any]] = self.raw["tension_lengths"][tension_length]["spans"]
        described = self.line.tension_lengths[tension_length].spans
        at, first = 0, 0
        while first + described[at].count <= number:
            first, at = first + described[at].count, at + 1
        return rows, at, number - first, described[at].count

    def words(self, tension_length: int, number: int, *, together: bool) -> dict[str, Any]:
        """Table that describes a span; split into a row of its own unless ``together``."""
        rows, at, before, count = self.row(tension_length, number)
        row = rows[at]
        if together:
            kind = row.get("kind")
            return row if kind is None else self.raw["span_kinds"][kind]
        content = row if row.get("kind") is None else self.raw["span_kinds"][row["kind"]]
        own = {key: copy.deepcopy(value) for key, value in content.items() if key != "count"}
        beside = [{**copy.deepcopy(row), "count": n} if n else None for n in (before, count - before - 1)]
        rows[at : at + 1] = [one for one in (beside[0], own, beside[1]) if one is not None]
        return own

    def droppers(self, tension_length: int, number: int, *, together: bool) -> list[dict[str, Any]]:
        """Droppers of a span, each as a table of its own in the file."""
        span, words = self.span(tension_length, number), self.words(tension_length, number, together=together)
        if not words.get("droppers"):
            words.pop("dropper_count", None)
            words.pop("dropper_positions", None)
            words["droppers"] = [{"position": _round(d.position)} for d in droppers_of(span)]
        return words["droppers"]  # type: ignore[no-any-return]


def _set_value(raw: dict[str, Any], edit: SetValue) -> None:
    if not edit.path:
        raise ModelError("set: path is empty; give the keys of a value")
    place: Any = raw
    for key in edit.path[:-1]:
        place = _descend(place, key, edit.path)
    last = edit.path[-1]
    if isinstance(place, dict) and isinstance(last, str):
        if edit.value is None:
            place.pop(last, None)
        else:
            place[last] = edit.value
    elif isinstance(place, list) and isinstance(last, int) and 0 <= last < len(place) and edit.value is not None:
        place[last] = edit.value
    else:
        raise ModelError(f"set: there is no place {'.'.join(map(str, edit.path))!r:.80}")


def _descend(place: Any, key: str | int, path: tuple[str | int, ...]) -> Any:
    if isinstance(place, dict) and isinstance(key, str):
        return place.setdefault(key, {})
    if isinstance(place, list) and isinstance(key, int) and 0 <= key < len(place):
        return place[key]
    raise ModelError(f"set: there is no place {'.'.join(map(str, path))!r:.80}")


def _move_dropper(sheet: _EditedLine, edit: MoveDropper) -> None:
    droppers = sheet.droppers(edit.tension_length, edit.span, together=edit.together)
    chosen = _dropper_table(droppers, edit.dropper)
    if edit.position is not None:
        chosen["position"] = _round(edit.position)
    if edit.length_error is not None:
        chosen["length_error"] = _round(edit.length_error)
    for key, other in (("sag", "length"), ("length", "sag")):
        value = getattr(edit, key)
        if value is not None:
            chosen.pop(other, None)
            chosen[key] = _round(value)


def _add_dropper(sheet: _EditedLine, edit: AddDropper) -> None:
    place, droppers = _round(edit.position), sheet.droppers(edit.tension_length, edit.span, together=edit.together)
    span = sheet.span(edit.tension_length, edit.span)
    before = sum(d.position < place for d in droppers_of(span))
    droppers.insert(before, {"position": place})


def _remove_dropper(sheet: _EditedLine, edit: RemoveDropper) -> None:
    droppers = sheet.droppers(edit.tension_length, edit.span, together=edit.together)
    droppers.remove(_dropper_table(droppers, edit.dropper))


def _change_span(sheet: _EditedLine, edit: ChangeSpan) -> None:
    if edit.count is not None:
        if not 1 <= edit.count <= _MAX_EQUAL_SPANS:
            raise ModelError(f"count: must be 1 to {_MAX_EQUAL_SPANS} equal spans, got {edit.count}")
        rows, at, _, _ = sheet.row(edit.tension_length, edit.span)
        rows[at]["count"] = edit.count
    if edit.length is None and edit.presag is None:
        return
    old = float(sheet.span(edit.tension_length, edit.span).length or 0.0)
    words = sheet.words(edit.tension_length, edit.span, together=edit.together)
    if edit.length is not None:
        words["length"] = _round(edit.length)
        if old > 0.0 and edit.length > 0.0:
            _scale_droppers(words, edit.length / old)
    if edit.presag is not None:
        words["presag"] = _round(edit.presag)


def _scale_droppers(words: dict[str, Any], share: float) -> None:
    """Scale the dropper positions of a span with its length, rounded to the millimetre."""
    moved = lambda x: round(in_unit(x, "m") * share, 3)
    if words.get("dropper_positions"):
        words["dropper_positions"] = [moved(x) for x in words["dropper_positions"]]
    for dropper in words.get("droppers", []):
        dropper["position"] = moved(dropper["position"])


def _change_mast(sheet: _EditedLine, edit: ChangeMast) -> None:
    piece, words = sheet.piece(edit.tension_length), sheet.raw["tension_lengths"][edit.tension_length]
    n = len(piece.spans)
    if not 0 <= edit.mast <= n:
        raise ModelError(f"{piece.name}: there is no mast {edit.mast}; valid numbers are 0 to {n}")
    changes = {k: getattr(edit, k) for k in ("contact_height", "stagger", "messenger_stagger", "lift")}
    changes = {k: _round(v) for k, v in changes.items() if v is not None}
    if changes:
        masts = words.setdefault("masts", [])
        at = next((k for k, m in enumerate(piece.described.masts) if m.at % (n + 1) == edit.mast), None)
        if at is None:
            masts.append({"at": edit.mast} | changes)
        else:
            masts[at].update(changes)
    if edit.along:
        _move_mast(sheet, piece, edit)


def _move_mast(sheet: _EditedLine, piece: PlacedTensionLength, edit: ChangeMast) -> None:
    if not 0 < edit.mast < len(piece.spans):
        raise ModelError(f"{piece.name}: its first and last mast cannot be moved; change the length of a span instead")
    lengths = [float(piece.spans[k].length or 0.0) for k in (edit.mast - 1, edit.mast)]
    for number, length in ((edit.mast, lengths[1] - edit.along), (edit.mast - 1, lengths[0] + edit.along)):
        sheet.words(edit.tension_length, number, together=False)["length"] = _round(length)
        sheet.line = parse.build(Line, sheet.raw, source="line")  # rows were written out
        sheet.pieces = sheet._tension_lengths()


def _dropper_table(droppers: list[dict[str, Any]], number: int) -> dict[str, Any]:
    if not 1 <= number <= len(droppers):
        raise ModelError(f"there is no dropper {number}; the span has {len(droppers)} droppers")
    return droppers[number - 1]


def _round(value: float) -> float:
    return round(float(value), _DIGITS)


_EDIT_FUNCTIONS: Mapping[type, Callable[[_EditedLine, Any], None]] = {
    MoveDropper: _move_dropper,
    AddDropper: _add_dropper,
    RemoveDropper: _remove_dropper,
    ChangeSpan: _change_span,
    ChangeMast: _change_mast,
}
