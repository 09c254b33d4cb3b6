"""What a line has beyond wires, droppers and masts on straight track: for those who cannot carry all of it to ask."""

from __future__ import annotations

from collections.abc import Iterator

from panhead.line.bows import bows
from panhead.line.conditions import Conditions
from panhead.line.description import Line
from panhead.line.rods import inner_nodes


def beyond_slopes(line: Line) -> Iterator[str]:
    """In words, each thing of a linear line that no gradient is taken through."""
    lengths = line.tension_lengths
    if line.tunnels:
        yield "tunnels"
    if inner_nodes(line):
        yield "droppers that are rods"
    if bows(line):
        yield "droppers that bow"
    if any(tl.insulators() for tl in lengths):
        yield "section insulators"
    sets = [tl.wires or line.wires for tl in lengths]
    if any(s.messenger is None for s in sets):
        yield "a conductor rail (wires without messenger)"


def beyond_plain(line: Line) -> Iterator[str]:
    """In words, each thing that only stringing and the linear line know."""
    if line.alignment:
        yield "a curved, canted or sloping track (alignment)"
    yield from beyond_slopes(line)
    sets = [tl.wires or line.wires for tl in line.tension_lengths]
    wires = [w for s in sets for w in (s.contact, s.messenger, s.auxiliary) if w is not None]
    if any(w.side_load or w.air_damping for w in wires):
        yield "wind on its wires (side_load)"


def beyond_cables(line: Line, conditions: Conditions | None) -> Iterator[str]:
    """The same for lines of cables, wind of the run included."""
    yield from beyond_plain(line)
    if conditions is not None and conditions.wind is not None:
        yield "wind (conditions.wind)"
