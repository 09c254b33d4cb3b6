"""A short stretch of the reference line and its pantograph, coarse enough for tests."""

import functools
from dataclasses import replace

from panhead.railway.line import linear_line, read_line, string
from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.coupled.coupled_problem import CoupledProblem
from panhead.runs.coupled.placement import place_lifted
from panhead.runs.description import ContactLaw
from panhead.runs.timetable import Timetable

SPEED = 250 / 3.6
LANKARANI = ContactLaw(kind="lankarani-nikravesh", stiffness=3e6, restitution=0.7)


@functools.cache
def line(name: str = "en50318-2002", spans: int = 2, lateral: bool = False) -> LinearLine:
    strung = string(read_line(name))
    return linear_line(strung, element_length=4.0, spans=(0, spans), lateral=lateral)


def encounter(
    law: ContactLaw | None = None, *, start: float = 15.0, ramp: float = 0.05, head_mass: float | None = None
) -> CoupledProblem:
    """It touches where the wire still descends towards mid-span, so that it is soon pressed."""
    pantograph = read_pantograph("en50318-2002")
    if head_mass is not None:
        head, *others = pantograph.stages
        pantograph = replace(pantograph, stages=(replace(head, mass=head_mass), *others))
    return place_lifted(line(), way(start), pantograph, law, ramp=ramp).encounter


def way(start: float, speed: float = SPEED) -> Timetable:
    return Timetable.of(speed, (), start, 0.0)
