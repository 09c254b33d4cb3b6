"""What should be known of the line of a run: what it leaves out, which numbers are implausible, where it is broken."""

from __future__ import annotations

from collections.abc import Iterator

from panhead.line.assumptions import assumptions
from panhead.line.description import Line
from panhead.line.layout import Layout
from panhead.line.plausibility import implausible

_MOST = 6  # implausible numbers told one by one


def line_warnings(line: Line, layout: Layout, way: tuple[float, float]) -> Iterator[str]:
    """Sentences; ``line`` as described, without its weather; ``way``: where pantographs pass [m]."""
    named = f"line {line.name!r}"
    for left in assumptions(line):
        yield f"{named}, {left.place}: {left.words}. {left.remedy.capitalize()}"
    doubts = [f"{named}, {found.place}: {found.words}; {found.remedy}" for found in implausible(line)]
    yield from doubts[:_MOST]
    if len(doubts) > _MOST:
        yield f"{named}: {len(doubts) - _MOST} more numbers are implausible; panhead line check tells them"
    for junction in layout.junctions():
        if way[0] <= junction.x <= way[1]:
            yield f"{named}: {junction.words}; {junction.remedy}"
