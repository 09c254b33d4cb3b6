"""Parts of a tension length that may be other than drawn, and the line with them so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from panhead.explore.asbuilt.route_description import PartKind
from panhead.railway.line.layout import Layout, PlacedTensionLength, droppers_of
from panhead.railway.line.line_description import Line, Mast, Span, TensionLength, Wires
from panhead.railway.line.line_variants import with_cut_lengths

#: kind of part → family of gradients that it is a parameter of
FAMILY: Final[Mapping[str, str]] = {
    "dropper length": "dropper.length",
    "support height": "support.height",
    "stagger": "support.stagger",
    "contact tension": "wire.tension",
    "messenger tension": "wire.tension",
}


@dataclass(frozen=True, slots=True)
class BuiltPart:
    """One part as drawn and as found, in SI units."""

    kind: PartKind
    name: str  #: as a gradient names it; of a mast its own name
    place: tuple[int, int]  #: span and number of a dropper (from 0, from 1), or mast and 0
    x: float  #: chainage [m]
    drawn: float
    deviation: float = 0.0  #: found − drawn
    spread: float = 0.0  #: standard deviation of what was found
    prior: float = 0.0  #: standard deviation before the survey
    slack: bool = False  #: a dropper that hangs slack: as long as found, or longer
    level: float = 0.0  #: height of the contact wire there, as fitted [m]
    level_drawn: float = 0.0  #: as drawn [m]
    alarm: bool = False  #: it is farther from its drawing than it may be, and certainly so

    @property
    def label(self) -> str:
        """What a crew calls it."""
        kind = {"dropper length": "", "stagger": "stagger at ", "support height": "support "}.get(self.kind, "")
        return f"{kind}{self.name}"

    @property
    def known(self) -> bool:
        """True if the survey says more than was assumed before it."""
        return self.spread < 0.7 * self.prior


def parts_of(layout: Layout, piece: PlacedTensionLength, lengths: Mapping[tuple[int, int], float]) -> list[BuiltPart]:
    """All parts of a tension length as drawn; lengths: of its droppers by (span, number) [m]."""
    begin, wires = layout.line.chainage, piece.described.wires or layout.line.wires
    found = []
    for (span, number), length in lengths.items():
        at = droppers_of(piece.spans[span])[number - 1].position
        x = begin + float(layout.mast_x[piece.first + span]) + at
        name = f"{piece.name}, span {span + 1}, dropper {number}"
        found.append(BuiltPart("dropper length", name, (span, number), x, length))
    for kind in ("support height", "stagger"):
        for local in range(len(piece.spans) + 1):
            plan = layout.plan(piece, piece.first + min(local, len(piece.spans) - 1))
            post = plan.right if local == len(piece.spans) else plan.left
            drawn = post.z_contact + post.lift if kind == "support height" else post.y_contact
            x = begin + float(layout.mast_x[piece.first + local])
            found.append(BuiltPart(kind, layout.mast_name(piece, piece.first + local), (local, 0), x, drawn))  # type: ignore[arg-type]
    x = begin + float(layout.mast_x[piece.first])
    found.append(BuiltPart("contact tension", f"{piece.name}, contact", (0, 0), x, wires.contact.tension))
    if wires.messenger is not None:
        found.append(BuiltPart("messenger tension", f"{piece.name}, messenger", (0, 0), x, wires.messenger.tension))
        found.append(BuiltPart("pre-sag", f"{piece.name}, pre-sag", (0, 0), x, 0.0))
    return found


def built(line: Line, index: int, parts: Iterable[tuple[BuiltPart, float]]) -> Line:
    """A line whose tension length ``index`` has parts off by so much; its droppers are given by their lengths."""
    tl = line.tension_lengths[index]
    layout = Layout(line)
    piece = layout.pieces[index]
    off: dict[str, dict[tuple[int, int], float]] = {}
    for part, value in parts:
        off.setdefault(part.kind, {})[part.place] = value
    sag = off.get("pre-sag", {}).get((0, 0), 0.0)
    spans = tuple(_span(s, span, off.get("dropper length", {}), sag) for s, span in enumerate(tl.spans))
    masts = _masts(layout, piece, off.get("support height", {}), off.get("stagger", {}))
    tension = {role: off.get(f"{role} tension", {}).get((0, 0), 0.0) for role in ("contact", "messenger")}
    wires = _wires(tl.wires or line.wires, tension)
    changed: TensionLength = replace(tl, spans=spans, masts=masts, wires=wires)
    lengths = (*line.tension_lengths[:index], changed, *line.tension_lengths[index + 1 :])
    return replace(line, tension_lengths=lengths)


def _span(s: int, span: Span, off: Mapping[tuple[int, int], float], sag: float) -> Span:
    whole = float(span.length or 1.0)
    droppers = tuple(
        replace(d, length=float(d.length or 0.0) + off.get((s, n), 0.0) + sag * parabola(d.position, whole))
        for n, d in enumerate(span.droppers, 1)
    )
    return replace(span, droppers=droppers)


def parabola(x: float, length: float) -> float:
    """4 ξ (1 − ξ), ξ = x/length."""
    return 4.0 * (x / length) * (1.0 - x / length)


def _masts(
    layout: Layout,
    piece: PlacedTensionLength,
    heights: Mapping[tuple[int, int], float],
    staggers: Mapping[tuple[int, int], float],
) -> tuple[Mast, ...]:
    n = len(piece.spans)
    known = {m.at % (n + 1): m for m in piece.described.masts}
    for local in {place for place, _ in (*heights, *staggers)}:
        plan = layout.plan(piece, piece.first + min(local, n - 1))
        post = plan.right if local == n else plan.left
        known[local] = replace(
            known.get(local, Mast(at=local)),
            at=local,
            lift=post.lift,
            contact_height=post.z_contact + heights.get((local, 0), 0.0),
            stagger=post.y_contact + staggers.get((local, 0), 0.0),
            messenger_stagger=post.y_messenger,
        )
    return tuple(known[k] for k in sorted(known))


def _wires(wires: Wires, tension: Mapping[str, float]) -> Wires:
    contact = replace(wires.contact, tension=wires.contact.tension + tension["contact"])
    if wires.messenger is None:
        return replace(wires, contact=contact)
    messenger = replace(wires.messenger, tension=wires.messenger.tension + tension["messenger"])
    return replace(wires, contact=contact, messenger=messenger)


def around(line: Line, index: int, *, element_length: float) -> tuple[Line, int]:
    """Tension length ``index`` between its neighbours, as drawn: droppers by length, supports where overlaps put them.

    line: with no tension length repeated (``expand_spans``). Returns the short line and the number in it.
    """
    wide = range(max(0, index - 2), min(len(line.tension_lengths), index + 3))
    first, stop = max(0, index - 1), min(len(line.tension_lengths), index + 2)
    cut = with_cut_lengths(_slice(line, wide.start, wide.stop), element_length=element_length)
    layout = Layout(cut)
    every = [{(k, 0): 0.0 for k in range(len(piece.spans) + 1)} for piece in layout.pieces]
    fixed = tuple(
        replace(tl, masts=_masts(layout, piece, zero, zero))
        for tl, piece, zero in zip(cut.tension_lengths, layout.pieces, every, strict=True)
    )
    return _slice(replace(cut, tension_lengths=fixed), first - wide.start, stop - wide.start), index - first


def _slice(line: Line, first: int, stop: int) -> Line:
    """Some tension lengths of a line, at their chainage."""
    layout = Layout(line)
    x = float(layout.mast_x[layout.pieces[first].first])
    return replace(
        line,
        tension_lengths=line.tension_lengths[first:stop],
        height_profile=tuple((at - x, height) for at, height in line.height_profile),
        alignment=tuple(replace(point, at=point.at - x) for point in line.alignment),
        tunnels=tuple((a - x, b - x) for a, b in line.tunnels),
        chainage=line.chainage + x,
    )
