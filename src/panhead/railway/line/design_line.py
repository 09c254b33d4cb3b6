"""Lines made of a design: spans of any lengths, strung by its rules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from panhead.errors import ModelError
from panhead.files.units import Metres, to_si
from panhead.railway.line.line_description import Line, Overlap, Span, Stitch, TensionLength, Wires
from panhead.railway.line.line_design import LineDesign, require_span
from panhead.railway.line.parts import Support
from panhead.railway.line.wire_catalogue import find_wire

_STANDARD_COUNT = 20  # spans of a design that names none


def design_line(
    design: LineDesign, spans: Sequence[Metres] | None = None, *, repeat: int = 1, overlap: Overlap | None = None
) -> Line:
    """Line of a design with spans of these lengths [m]; ``repeat`` tension lengths of them, with overlaps.

    Without spans it has the design's standard ones: twenty of the longest.
    """
    lengths = standard_spans(design) if spans is None else list(spans)
    for span in lengths:
        require_span(design, span)
    kinds = {f"{span:g} m": _span(design, span) for span in sorted(set(lengths))}
    runs = [(span, len(list(group))) for span, group in groupby(lengths)]
    joined = (overlap or Overlap()) if repeat > 1 else overlap
    return Line(
        name=design.name,
        sources=source_lines(design),
        supply=design.supply,
        contact_height=design.contact_height,
        wires=_wires(design, max(lengths)),
        dropper=design.dropper,
        support=Support(encumbrance=design.encumbrance, stagger=design.stagger, steady_arm=design.steady_arm),
        span_kinds=kinds,
        tension_lengths=(
            TensionLength(
                name="T" if repeat > 1 else "T1",
                repeat=repeat,
                overlap=joined,
                spans=tuple(Span(kind=f"{span:g} m", count=count) for span, count in runs),
            ),
        ),
    )


def standard_spans(design: LineDesign) -> list[float]:
    """Lengths of the spans of a line for which none are given [m]."""
    named = design.standard_spans
    return parse_spans(named) if named else [design.longest_span] * _STANDARD_COUNT


def parse_spans(text: str) -> list[float]:
    """Lengths of spans [m] from text such as "64 m x 20" or "60 m x 8, 54 m, 60 m x 8"."""
    found: list[float] = []
    for item in filter(None, map(str.strip, text.split(","))):
        match = re.fullmatch(r"(.+?)(?:\s*[x×*]\s*(\d{1,4}))?", item)
        assert match is not None  # an item is not empty
        try:
            length = to_si(match[1], "m")
        except ValueError as error:
            raise ModelError(f'spans: {error}; write them as "64 m x 20" or "60 m x 8, 54 m"') from None
        count = int(match[2] or 1)
        if count == 0:
            raise ModelError(f"spans: {item!r} asks for no span; give a count of 1 or more")
        found += [length] * count
    if not found:
        raise ModelError(f'spans: {text!r} names no span; write them as "64 m x 20" or "60 m x 8, 54 m"')
    return found


def source_lines(design: LineDesign) -> tuple[str, ...]:
    """Sources of a line made of the design: keys of one source together, assumptions last."""
    by_source: dict[str, list[str]] = {}
    for path, source in design.sources.items():
        by_source.setdefault(source, []).append(path)
    for role in ("contact", "messenger", "stitch"):
        strung = getattr(design, role)
        if strung is not None:
            by_source.setdefault(f"wire {strung.wire}: {find_wire(strung.wire, design.wires).source}", []).append(role)
    return tuple(f"{', '.join(paths)}: {source}" for source, paths in by_source.items())


def _span(design: LineDesign, length: float) -> Span:
    droppers = design.droppers.droppers(length, twin=design.contact_count == 2)
    presag = round(design.presag * length, 6)
    if all(d.wire == "contact" for d in droppers):
        return Span(length=length, presag=presag, dropper_positions=tuple(d.position for d in droppers))
    return Span(length=length, presag=presag, droppers=droppers)


def _wires(design: LineDesign, longest: float) -> Wires:
    """Wires of the design; a stitch wire whose length depends on the span is that of the longest one."""
    damping = design.mass_damping, design.stiffness_damping
    of = lambda one: find_wire(one.wire, design.wires).under(one.tension, *damping)
    stitch = None
    if design.stitch is not None:
        length = design.droppers.rule(longest).stitch_length or design.stitch.length
        stitch = Stitch(wire=of(design.stitch), reach=0.5 * length)
    return Wires(
        contact=of(design.contact),
        messenger=of(design.messenger),
        stitch=stitch,
        contact_count=design.contact_count,
        contact_spacing=design.contact_spacing,
    )
