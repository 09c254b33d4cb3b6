"""A short line of four spans, hung once for all tests that only look at it."""

import dataclasses
import functools

from panhead.line import Strung, read_line, string
from panhead.pantograph.cx import CxPantograph
from panhead.run.solvers.cables.assembly import GRAVITY, Assembled, Ride, assembled
from panhead.run.solvers.cables.statics import Hung, hung
from panhead.run.solvers.cables.wires import cables_of

SPEED = 200 / 3.6
SPAN = 56.25


@functools.cache
def strung(spans: int = 4) -> Strung:
    """The simple line, cut to a few spans."""
    whole = read_line("ancf-simple")
    length = whole.tension_lengths[0]
    few = dataclasses.replace(length.spans[0], count=spans)
    pieces = (dataclasses.replace(length, spans=(few,)),)
    return string(dataclasses.replace(whole, tension_lengths=pieces))


@functools.cache
def line(*, spans: int = 4, bilateral: bool = True, held: bool = False) -> Hung:
    """Its cables at rest."""
    cables = cables_of(strung(spans), element_length=6.25, bilateral=bilateral, contact_held=held)
    return hung(cables, GRAVITY)


def made(hung_line: Hung, *, x: float = 1.5 * SPAN, speed: float = SPEED, **ride) -> Assembled:
    """The CX pantograph under it; what CxPantograph knows goes there, the rest to the ride."""
    known = {f.name for f in dataclasses.fields(CxPantograph)}
    own = {k: ride.pop(k) for k in list(ride) if k in known}
    return assembled(hung_line, Ride(pantograph=CxPantograph(x=x, **own), speed=speed, **ride))
