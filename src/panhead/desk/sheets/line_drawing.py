"""``panhead line draw``: elevation and plan of a strung line with its dimensions, sheet by sheet."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np

from panhead import __version__
from panhead.desk.sheets.schedules import FINE
from panhead.desk.sheets.sheet import Anchor, Paper
from panhead.errors import ModelError
from panhead.files.chainage import format_chainage
from panhead.railway.line.layout import PlacedTensionLength, Post
from panhead.railway.line.line_description import Line
from panhead.railway.line.strung_line import Strung, string
from panhead.railway.line.strung_shape import StaticShape, static_shape

_LEFT, _RIGHT = 34.0, 404.0  # of what is drawn [mm]
_SCALES: Final = (10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000, 10_000, 20_000, 50_000)
_ELEVATION: Final = (44.0, 134.0)  # from messenger to contact wire [mm]
_PLAN: Final = (206.0, 262.0)
_HUES: Final = ("blue", "orange")  # of tension lengths, by turns
_ROWS: Final = (180.0, 184.5)  # of contact height and encumbrance at the masts [mm]
_MAST_ROOM, _SPAN_ROOM, _DROPPER_ROOM = 10.0, 22.0, 2.3  # for the words of a mast, of most spans, of a dropper [mm]
_CLOSEST: Final = 200  # scale along the track that crowded words may ask for
_LOOKS: Final = {"messenger": 0.25, "auxiliary": 0.25, "stitch": 0.2, "contact": 0.45, "contact2": 0.45}


@dataclass(frozen=True, slots=True)
class _View:
    """Metres to millimetres of one sheet."""

    x0: float  #: [m]
    across: int  #: scale 1 : across along the track
    z_low: float  #: [m]
    up: int
    y_left: float  #: [m]
    wide: int

    def x(self, x: Any) -> Any:
        return _LEFT + (x - self.x0) * 1e3 / self.across

    def z(self, z: Any) -> Any:
        return _ELEVATION[1] - (z - self.z_low) * 1e3 / self.up

    def y(self, y: Any) -> Any:
        return _PLAN[0] + (self.y_left - y) * 1e3 / self.wide


def draw_line(line: Line, *, spans: tuple[int, int] | None = None) -> list[Paper]:
    """A3 sheets of elevation and plan; ``spans``: numbers along the line of the first and of one beyond the last."""
    strung = string(line)
    x = strung.layout.mast_x
    n = strung.layout.n_spans
    first, stop = spans or (0, n)
    if not 0 <= first < stop <= n:
        raise ModelError(f"spans {first + 1} to {stop} do not exist; the line has spans 1 to {n}")
    across = _along(strung, first, stop)
    room = (_RIGHT - _LEFT) * across * 1e-3 + 1e-9
    cuts = [first]
    for k in range(first + 1, stop + 1):
        if x[k] - x[cuts[-1]] > room:
            cuts.append(k - 1)
    cuts.append(stop)
    pairs = list(pairwise(cuts))
    return [_sheet(strung, a, b, across, f"{k} of {len(pairs)}") for k, (a, b) in enumerate(pairs, 1)]


def _along(strung: Strung, first: int, stop: int) -> int:
    """Scale along the track: 1 : 1000, or larger where everything fits or labels would overlap."""
    x, room = strung.layout.mast_x[first : stop + 1], _RIGHT - _LEFT
    spans, apart = np.diff(x), [_closest(strung, k) for k in range(first, stop)]
    wanted = 1e3 * min(spans.min() / _MAST_ROOM, np.median(spans) / _SPAN_ROOM, min(apart) / _DROPPER_ROOM)
    crowded = max(_CLOSEST, max((s for s in _SCALES if s <= wanted), default=_SCALES[0]))
    least = _scale(float(spans.max()), room, _SCALES[0])  # at which the longest span fits a sheet
    return max(least, min(1000, crowded, _scale(float(x[-1] - x[0]), room, _SCALES[0])))


def _closest(strung: Strung, number: int) -> float:
    """The smallest distance of droppers in a span, one tension length at a time [m]."""
    plans = [strung.layout.plan(piece, number) for piece in strung.layout.tension_lengths_at(number)]
    places = [sorted({link.x for link in plan.links if link.lower != "auxiliary"}) for plan in plans]
    return min((b - a for some in places for a, b in pairwise(some)), default=math.inf)


def _scale(metres: float, room: float, least: int) -> int:
    """The largest usual scale at which a length fits."""
    return next((s for s in _SCALES if s >= least and metres * 1e3 / s <= room), _SCALES[-1])


def _sheet(strung: Strung, first: int, stop: int, across: int, number: str) -> Paper:
    line, x = strung.layout.line, strung.layout.mast_x
    shape = static_shape(strung, spans=(first, stop), element_length=FINE)
    z = np.concatenate([w.z for w in shape.wires])
    y = np.concatenate([w.y for w in shape.wires])
    low, high, side = float(np.nanmin(z)), float(np.nanmax(z)), max(0.3, float(np.nanmax(np.abs(y))))
    up = _scale(max(high - low, 0.5), _ELEVATION[1] - _ELEVATION[0], 20)
    wide = _scale(2.0 * side, _PLAN[1] - _PLAN[0], 20)
    view = _View(float(x[first]), across, low, up, side, wide)
    paper = Paper(f"{line.name}, sheet {number}")
    _frame(paper, strung, first, stop, view, number)
    _wires(paper, shape, view, [p.name for p in strung.layout.pieces])
    _droppers(paper, shape, view, strung)
    for mast in range(first, stop + 1):
        _mast(paper, strung, mast, view)
    for k in range(first, stop):
        at = 174.0
        paper.measure((view.x(x[k]), at), (view.x(x[k + 1]), at), f"{x[k + 1] - x[k]:.2f} m")
    return paper


def _frame(paper: Paper, strung: Strung, first: int, stop: int, view: _View, number: str) -> None:
    line, x = strung.layout.line, strung.layout.mast_x
    paper.line((8, 8), (412, 8), (412, 289), (8, 289), (8, 8), width=0.5)
    paper.line((8, 271), (412, 271), width=0.35)
    paper.words(12, 278, line.name, 4.0, "start")
    start, end = (format_chainage(line.chainage + float(x[k]), 2) for k in (first, stop))
    counted = f"spans {first + 1} to {stop} of {strung.layout.n_spans}"
    paper.words(12, 285, f"{start} to {end}, {counted}", 2.6, "start")
    scales = f"along 1 : {view.across}   heights 1 : {view.up}   across 1 : {view.wide}"
    paper.words(280, 278, scales, 2.6, "end")
    wires = {"contact": line.wires.contact, "messenger": line.wires.messenger}
    tensions = ", ".join(f"{name} {wire.tension / 1e3:g} kN" for name, wire in wires.items() if wire is not None)
    if line.wires.messenger is None:
        rail = f"conductor rail, EI {line.wires.contact.EI / 1e3:.4g} kN·m²"
        tensions = rail if line.wires.is_rail else f"{tensions}, no messenger"
    paper.words(280, 285, f"{tensions}, {line.supply}", 2.6, "end")
    paper.words(408, 278, f"sheet {number}", 3.0, "end")
    paper.words(408, 285, f"panhead {__version__}, dimensions in m, stagger in mm", 2.6, "end")
    paper.words(12, 16, "Elevation of the line at rest; rail level not to scale", 3.2, "start")
    paper.words(12, 193, "Plan: + left in the direction of increasing chainage", 3.2, "start")
    left, right = float(view.x(x[first])), float(view.x(x[stop]))
    paper.line((left, view.y(0.0)), (right, view.y(0.0)), color="grey", width=0.13, dash=(6, 1, 1, 1))
    paper.words(left - 2, float(view.y(0.0)) + 0.8, "track", 2.2, "end", color="grey")
    paper.line((left, 166), (right, 166), width=0.5)
    paper.words(left - 2, 166.8, "rail", 2.2, "end", color="grey")
    rows = [(148.0, "dropper"), (158.5, "from mast")] if line.wires.messenger else []
    rows += [(_ROWS[0], "contact wire"), *([(_ROWS[1], "encumbrance")] if line.wires.messenger else [])]
    for row, text in rows:
        paper.words(left - 8, row, text, 2.0, "end", color="grey")


def _wires(paper: Paper, shape: StaticShape, view: _View, names: list[str]) -> None:
    from panhead.desk.sheets.sheet import PaperLine

    for wire in shape.wires:
        hue = _HUES[names.index(wire.name) % 2]
        dash = (2.0, 1.0) if wire.role in ("messenger", "stitch") else ()
        along = np.asarray(view.x(wire.x))
        paper.parts.append(PaperLine(np.stack([along, view.z(wire.z)], axis=1), hue, _LOOKS[wire.role]))
        paper.parts.append(PaperLine(np.stack([along, view.y(wire.y)], axis=1), hue, _LOOKS[wire.role], dash))


def _droppers(paper: Paper, shape: StaticShape, view: _View, strung: Strung) -> None:
    """Lines between the wires; length and distance from the mast below, those of a second tension length above."""
    seen: set[tuple[str, float]] = set()
    table = shape.droppers
    for k, name in enumerate(table.names):
        x, piece = float(table.x[k]), name.partition(".span")[0]
        paper.line(
            (view.x(x), view.z(table.z_top[k])), (view.x(x), view.z(table.z_bottom[k])), color="grey", width=0.13
        )
        if "auxiliary" in name or (piece, round(x, 6)) in seen:
            continue
        seen.add((piece, round(x, 6)))
        number = strung.layout.span_at(x)
        later = (
            len(strung.layout.tension_lengths_at(number)) > 1
            and strung.layout.tension_lengths_at(number)[1].name == piece
        )
        at, hue = (36.0, _HUES[1]) if later else (148.0, "ink")
        paper.words(float(view.x(x)) + 0.7, at, f"{table.length[k]:.3f}", 2.0, angle=90, color=hue)
        if not later:
            from_mast = x - float(strung.layout.mast_x[number])
            paper.words(float(view.x(x)) + 0.7, 158.5, f"{from_mast:.2f}", 2.0, angle=90, color="grey")


def _mast(paper: Paper, strung: Strung, mast: int, view: _View) -> None:
    layout = strung.layout
    x, bottom = float(view.x(layout.mast_x[mast])), 166.0
    ends = [(p, _post(strung, p, mast)) for p in _tension_lengths_at_mast(strung, mast)]
    top = max(post.z_contact + post.lift + post.support.encumbrance for _, post in ends)
    paper.line((x, bottom), (x, float(view.z(top)) - 3), width=0.3)
    paper.words(x, 22, layout.mast_name(ends[0][0], mast).rpartition(".")[2], 2.4)
    chainage = format_chainage(layout.line.chainage + float(layout.mast_x[mast]), 2).removeprefix("km ")
    paper.words(x, 26, chainage, 2.2, color="grey")
    names = [p.name for p in layout.pieces]
    for k, (piece, post) in enumerate(ends):
        # of two tension lengths the first stands left of the mast, the second right of it, in their colours
        sides: tuple[tuple[Anchor, float], ...] = (
            (("end", -0.8), ("start", 0.8)) if len(ends) > 1 else (("middle", 0.0),)
        )
        anchor, aside = sides[k]
        hue = "ink" if len(ends) == 1 else _HUES[names.index(piece.name) % 2]
        told = [f"{post.z_contact + post.lift:.3f}"]
        if (piece.described.wires or layout.line.wires).messenger is not None:
            told.append(f"{post.support.encumbrance:.2f}")
        for row, text in zip(_ROWS, told, strict=False):
            paper.words(x + aside, row, text, 2.0, anchor, color=hue)
        y = float(view.y(post.y_contact))
        paper.line((x - 1.2, y), (x + 1.2, y), width=0.35)
        over = -1.6 if post.y_contact >= 0 else 3.4
        paper.words(x + aside, y + over, f"{1e3 * post.y_contact:+.0f}", 2.4, anchor, color=hue)
    paper.line((x, _PLAN[0]), (x, _PLAN[1]), color="pale", width=0.13)


def _tension_lengths_at_mast(strung: Strung, mast: int) -> list[PlacedTensionLength]:
    spans = [k for k in (mast - 1, mast) if 0 <= k < strung.layout.n_spans]
    found = {p.index: p for k in spans for p in strung.layout.tension_lengths_at(k)}
    return [found[k] for k in sorted(found) if found[k].first <= mast <= found[k].stop]


def _post(strung: Strung, piece: PlacedTensionLength, mast: int) -> Post:
    last = mast == piece.stop
    plan = strung.layout.plan(piece, mast - 1 if last else mast)
    return plan.right if last else plan.left
