"""Small lines for the tests of this folder."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from panhead.railway.line import (
    Dropper,
    DropperKind,
    Line,
    LinearLine,
    Span,
    SteadyArm,
    Support,
    TensionLength,
    Wire,
    Wires,
    linear_line,
    string,
)
from panhead.railway.line.stringing import StrungSpan

G = 9.81  # m/s², of every line here
POSITIONS = (5.0, 10.5, 17.0, 23.5, 30.0, 36.5, 43.0, 49.5, 55.0)
CONTACT = Wire(tension=20e3, mass_per_length=1.35, bending_stiffness=195.0, mass_damping=0.0, stiffness_damping=0.0)
MESSENGER = replace(CONTACT, tension=16e3, mass_per_length=1.07, bending_stiffness=131.7)
DROPPER = DropperKind(stiffness=1e5, mass_per_length=0.0, top_clamp_mass=0.0, bottom_clamp_mass=0.0)
STAGGERED = Support(encumbrance=1.2, stagger=0.2)
ZIGZAG = replace(STAGGERED, steady_arm=SteadyArm(length=1.0, mass=1.5, rise=0.03))


def plain_line(*, spans: int = 5, **changes: Any) -> Line:
    """The wires and droppers of EN 50318:2002, level, without damping, in a few spans."""
    values: dict[str, Any] = {
        "name": "plain",
        "supply": "25 kV AC",
        "wires": Wires(contact=CONTACT, messenger=MESSENGER),
        "dropper": DROPPER,
        "support": Support(encumbrance=1.2),
        "tension_lengths": (
            TensionLength(name="T", spans=(Span(length=60.0, count=spans, dropper_positions=POSITIONS),)),
        ),
    }
    return Line(**(values | changes))


def with_tension_length(line: Line, **changes: Any) -> Line:
    """The same line with fields of its only tension length changed."""
    return replace(line, tension_lengths=(replace(line.tension_lengths[0], **changes),))


def bare_line(*, length: float = 60.0, spans: int = 1, **wire: float) -> Line:
    """A messenger and a contact wire that do not know of each other: no droppers."""
    values = {"tension": 20e3, "mass_per_length": 1.35} | wire
    return plain_line(
        wires=Wires(contact=Wire(**values), messenger=Wire(**values)),
        tension_lengths=(TensionLength(name="T", spans=(Span(length=length, count=spans),)),),
    )


def spans_of(line: Line, **options: float) -> list[StrungSpan]:
    """The strung spans of its first tension length."""
    strung = string(line)
    return strung.spans(strung.layout.pieces[0], **options)


def model(line: Line, **options: Any) -> LinearLine:
    """The linear line of a line."""
    return linear_line(string(line), **options)


def cut(line: Line) -> Line:
    """The same line described by the lengths of its droppers instead of the heights wanted."""
    described = tuple(
        Span(
            length=span.mesh.plan.length,
            droppers=tuple(
                Dropper(position=link.x, length=float(length))
                for link, length in zip(span.mesh.links, span.unstretched, strict=True)
            ),
        )
        for span in spans_of(line)
    )
    return with_tension_length(line, spans=described)
