"""A line as a file to edit: what masts and spans have in common stands once at the top, then what differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import Any, Final

from panhead.errors import ModelError
from panhead.files.readable_toml import readable_toml
from panhead.railway.line.layout import Layout, PlacedTensionLength, Post, SpanPlan
from panhead.railway.line.line_description import Line, Mast, Span, TensionLength
from panhead.railway.line.span_plan import post_of

_OWN: Final = ("contact_height", "lift", "stagger", "messenger_stagger", "encumbrance")  # what a mast may give
_USUAL: Final = ("contact_height", "encumbrance", "stagger", "messenger_stagger")  # of which a line has a value for all
_HEAD: Final = """Quantities carry their unit; plain numbers are SI (m). `panhead schema line` tells every key.
Check it with `panhead line check`, draw it with `panhead line draw`."""
_COMMENTS: Final = {
    "contact_height": "above rail at every mast that says nothing else",
    "support": "every mast that says nothing else; stagger alternates from mast to mast",
    "dropper": "every dropper that says nothing else",
    "span_kinds": "spans that occur more than once",
    "tension_lengths": "from anchor to anchor; masts count from 0 and are listed where they differ from `support`",
}


def line_text(line: Line, first: str = "Overhead contact line.") -> str:
    """TOML text of a line that a person can edit, from its ``first`` line on; it reads back to the same spans."""
    short = with_common_values_on_top(line)
    comments = dict(_COMMENTS)
    if short.span_kinds:
        comments[f"span_kinds.{next(iter(short.span_kinds))}"] = comments.pop("span_kinds")
    return readable_toml(short, comments=comments, head=f"{first}\n{_HEAD}")


def with_common_values_on_top(line: Line) -> Line:
    """An equal line in which a mast gives only what differs and equal spans are described once.

    After each step every span is compared with the one it was made from; if one differs the step is undone.
    """
    usual = [partial(_with_usual_value, name=name) for name in _USUAL]
    steps: list[Callable[[Line], Line]] = [*usual, _with_default_masts, _with_span_kinds]
    for shorten in steps:
        try:
            short = shorten(line)
        except ModelError:  # a common encumbrance that does not go with another support, for instance
            continue
        line = short if _span_plans(short) == _span_plans(line) else line
    return line


def _span_plans(line: Line) -> list[SpanPlan]:
    """The plan of every span; staggers are those of the wires at its masts, not the default they came from."""
    layout = Layout(line)
    plans = [layout.plan(piece, number) for piece in layout.pieces for number in range(piece.first, piece.stop)]
    return [replace(plan, left=_without_usual(plan.left), right=_without_usual(plan.right)) for plan in plans]


def _without_usual(post: Post) -> Post:
    return replace(post, support=replace(post.support, stagger=0.0, messenger_stagger=0.0))


def _with_usual_value(line: Line, name: str) -> Line:
    """The most frequent value that masts give, as that of the line."""
    masts = [(mast, piece) for piece in Layout(line).pieces for mast in _all_masts(piece)]
    if name == "contact_height":
        height = _most_frequent([m.contact_height for m, _ in masts])
        return line if height is None or line.height_profile else replace(line, contact_height=height)
    plain = [(m, p) for m, p in masts if m.support is None]
    given = [getattr(m, name) for m, _ in plain]
    if "stagger" in name:
        sides = [1.0 - 2.0 * (m.at % (len(p.spans) + 1) % 2) for m, p in plain]
        given = [None if y is None else s * y for y, s in zip(given, sides, strict=True)]
    value = _most_frequent(given)
    change: dict[str, Any] = {} if value is None else {name: value + 0.0}
    return replace(line, support=replace(line.support, **change))


def _all_masts(piece: PlacedTensionLength) -> list[Mast]:
    """Masts of a tension length, those without changes too."""
    given = {m.at % (len(piece.spans) + 1): m for m in piece.described.masts}
    return [given.get(k, Mast(at=k)) for k in range(len(piece.spans) + 1)]


def _most_frequent(values: Sequence[float | None]) -> float | None:
    """The most frequent value, if most have one; those of an overlap, for instance, are left to its rule."""
    known = [value for value in values if value is not None]
    return Counter(known).most_common(1)[0][0] if 2 * len(known) > len(values) else None


def _with_default_masts(line: Line) -> Line:
    """Leave out what a mast gives and would have without."""
    bare = replace(line, tension_lengths=tuple(_bare(tl) for tl in line.tension_lengths))
    layout = Layout(bare)
    done = {id(piece.described): piece for piece in layout.pieces}
    lengths = []
    for tl, mine in zip(line.tension_lengths, bare.tension_lengths, strict=True):
        if tl.repeat > 1:
            lengths.append(tl)
            continue
        piece = done[id(mine)]
        masts = [_only_differences(layout, piece, mast) for mast in tl.masts]
        lengths.append(replace(tl, masts=tuple(m for m in masts if m != Mast(at=m.at))))
    return replace(line, tension_lengths=tuple(lengths))


def _bare(tl: TensionLength) -> TensionLength:
    nothing: dict[str, Any] = dict.fromkeys(_OWN)
    return tl if tl.repeat > 1 else replace(tl, masts=tuple(replace(m, **nothing) for m in tl.masts))


def _only_differences(layout: Layout, piece: PlacedTensionLength, mast: Mast) -> Mast:
    post = post_of(layout, piece, mast.at % (len(piece.spans) + 1))
    usual = {
        "contact_height": post.z_contact, "lift": post.lift, "stagger": post.y_contact,
        "messenger_stagger": post.y_messenger, "encumbrance": post.support.encumbrance,
    }  # fmt: skip
    change: dict[str, Any] = {name: None for name in _OWN if getattr(mast, name) == usual[name]}
    return replace(mast, **change)


def _with_span_kinds(line: Line) -> Line:
    """Droppers by their positions where they have nothing else; equal spans counted, or named if they come again."""
    every = [[_short(line, span) for span in tl.spans] for tl in line.tension_lengths]
    runs = [[(span, sum(s.count for s in group)) for span, group in _alike(spans)] for spans in every]
    times = Counter(span for tl in runs for span, _ in tl)
    kinds, names = dict(line.span_kinds), {}
    for span, count in times.items():
        if count > 1 and span.kind is None and (span.droppers or span.dropper_positions):
            names[span] = _new_name(kinds, f"{span.length:g} m")
            kinds[names[span]] = span
    lengths = []
    for tl, spans in zip(line.tension_lengths, runs, strict=True):
        listed = [Span(kind=names[s], count=n) if s in names else replace(s, count=n) for s, n in spans]
        lengths.append(replace(tl, spans=tuple(listed)))
    return replace(line, span_kinds=kinds, tension_lengths=tuple(lengths))


def _alike(spans: Sequence[Span]) -> list[tuple[Span, list[Span]]]:
    return [(key, list(group)) for key, group in groupby(spans, key=lambda s: replace(s, count=1))]


def _short(line: Line, span: Span) -> Span:
    if span.presag == line.presag:
        span = replace(span, presag=None)
    plain = [replace(d, position=0.0) for d in span.droppers]
    if plain and all(d == type(d)(position=0.0) for d in plain):
        return replace(span, droppers=(), dropper_positions=tuple(d.position for d in span.droppers))
    return span


def _new_name(kinds: dict[str, Span], wanted: str) -> str:
    return next(n for k in range(1, len(kinds) + 2) if (n := wanted if k == 1 else f"{wanted} ({k})") not in kinds)
