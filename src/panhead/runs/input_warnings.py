"""Warnings about the inputs of a run: assumed defaults, implausible values, discontinuities of the line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from panhead.files.plausibility import Implausible, implausible_keys
from panhead.railway.line.assumptions import assumptions
from panhead.railway.line.layout import Layout
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_plausibility import implausible
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_plausibility import has_no_damping, implausible_pantograph

if TYPE_CHECKING:
    from panhead.runs.description import Run

_MAX_LISTED = 6  # implausible numbers of a part told one by one


def line_warnings(line: Line, layout: Layout, way: tuple[float, float]) -> Iterator[str]:
    """Warnings about the line as described, without its weather; ``way``: where pantographs pass [m]."""
    named = f"line {line.name!r}"
    for left in assumptions(line):
        yield f"{named}, {left.place}: {left.words}. {left.remedy[0].upper()}{left.remedy[1:]}"
    yield from _plausibility_warnings(named, implausible(line))
    for junction in layout.junctions():
        if way[0] <= junction.x <= way[1]:
            yield f"{named}: {junction.words}; {junction.remedy}"


def pantograph_warnings(pantographs: Sequence[Any]) -> Iterator[str]:
    """Warnings about lumped pantographs; equal ones once."""
    for one in dict.fromkeys(p for p in pantographs if isinstance(p, LumpedPantograph)):
        named = f"pantograph {one.name!r}"
        if has_no_damping(one):
            yield (
                f"{named}, stages: no stage has damping, so 0 is assumed and the pantograph vibrates undamped. Give it "
                "(10 to 100 N·s/m are usual), or write 0 explicitly"
            )
        yield from _plausibility_warnings(named, implausible_pantograph(one))


def law_warnings(run: Run) -> Iterator[str]:
    """Warnings about implausible numbers of the contact law and the control law (data/ranges/run.toml)."""
    for named, law in (("contact", run.contact), ("control", run.control)):
        yield from _plausibility_warnings(named, implausible_keys("run", law))


def _plausibility_warnings(named: str, found: Iterator[Implausible]) -> Iterator[str]:
    doubts = [f"{named}, {odd.place}: {odd.words}; {odd.remedy}" for odd in found]
    yield from doubts[:_MAX_LISTED]
    if len(doubts) > _MAX_LISTED:
        yield f"{named}: {len(doubts) - _MAX_LISTED} more of its values are implausible"
