"""Design parameters of a line, a pantograph or a control law: read their values, make a copy with others."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from panhead.errors import ModelError
from panhead.railway.line.line_description import Line, Span
from panhead.railway.line.line_variants import with_cut_lengths
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.runs.cables.cables_options import HeadLaw

Values = dict[str, float]


@dataclass(frozen=True, slots=True)
class Changeable:
    """A family of parameters that a description holds."""

    part: Literal["line", "pantograph", "law"]
    values: Callable[[Any], Values]  #: of the part, by name
    put: Callable[[Any, Mapping[str, float]], Any]  #: the same with other values, by name
    own: Callable[[str], str]  #: the name here of what ``gradient`` calls so
    finest: float | None = None  #: values are written in steps of this; None: five figures


def dropper_name(tension_length: str, span: int, dropper: int) -> str:
    """Name of a dropper; span and dropper count from 1."""
    return f"{tension_length}, span {span}, dropper {dropper}"


def _lengths(line: Line) -> Values:
    return {
        dropper_name(tl.name, k, n): float(d.length or 0.0)
        for tl in line.tension_lengths
        for k, span in enumerate(tl.spans, 1)
        for n, d in enumerate(span.droppers, 1)
    }


def _with_lengths(line: Line, values: Mapping[str, float]) -> Line:
    def of(name: str, k: int, span: Span) -> Span:
        droppers = (
            replace(d, length=values.get(dropper_name(name, k, n), d.length)) for n, d in enumerate(span.droppers, 1)
        )
        return replace(span, droppers=tuple(droppers))

    lengths = (
        replace(tl, spans=tuple(of(tl.name, k, s) for k, s in enumerate(tl.spans, 1))) for tl in line.tension_lengths
    )
    return replace(line, tension_lengths=tuple(lengths))


def _of_wires(field: str) -> Changeable:
    """A number of every wire of the line, by its role."""
    family = {"mass_per_length": "wire.mass"}.get(field, f"wire.{field}")

    def values(line: Line) -> Values:
        own = [tl.name for tl in line.tension_lengths if tl.wires is not None]
        if own:
            raise ModelError(
                f"change {family!r}: tension length {own[0]!r} has its own wires; define wires for the whole line only"
            )
        wires = line.wires
        stitch = None if wires.stitch is None else wires.stitch.wire
        there = {"contact": wires.contact, "messenger": wires.messenger, "auxiliary": wires.auxiliary, "stitch": stitch}
        found = {role: getattr(wire, field) for role, wire in there.items() if wire is not None}
        if None in found.values():
            raise ModelError(f"change {family!r}: a wire is given by its material; give its {field} instead")
        return {role: float(value) for role, value in found.items()}

    def put(line: Line, values: Mapping[str, float]) -> Line:
        wires = line.wires
        for role, value in values.items():
            own: dict[str, Any] = {field: value}
            if role == "stitch" and wires.stitch is not None:
                wires = replace(wires, stitch=replace(wires.stitch, wire=replace(wires.stitch.wire, **own)))
            else:
                changed: dict[str, Any] = {role: replace(getattr(wires, role), **own)}
                wires = replace(wires, **changed)
        return replace(line, wires=wires)

    return Changeable("line", values, put, lambda name: name.rpartition(", ")[2])


def _presag(line: Line) -> Values:
    spans = [s for tl in line.tension_lengths for s in tl.spans] + list(line.span_kinds.values())
    if any(s.presag is not None or any(d.length or d.sag for d in s.droppers) for s in spans):
        raise ModelError("change 'presag': spans or droppers have individual heights or lengths; change those instead")
    return {"line": line.presag}


def _of_stages(field: str) -> Changeable:
    def values(p: LumpedPantograph) -> Values:
        return {f"{p.name}, stage {k}": float(getattr(s, field)) for k, s in enumerate(p.stages, 1)}

    def put(p: LumpedPantograph, values: Mapping[str, float]) -> LumpedPantograph:
        stages = list(p.stages)
        for k, stage in enumerate(stages):
            changed: dict[str, Any] = {field: values.get(f"{p.name}, stage {k + 1}", getattr(stage, field))}
            stages[k] = replace(stage, **changed)
        return replace(p, stages=tuple(stages))

    return Changeable("pantograph", values, put, _strip_number)


def _of_whole(field: str) -> Changeable:
    def put(p: LumpedPantograph, values: Mapping[str, float]) -> LumpedPantograph:
        changed: dict[str, Any] = {field: values.get(p.name, getattr(p, field))}
        return replace(p, **changed)

    return Changeable("pantograph", lambda p: {p.name: float(getattr(p, field))}, put, _strip_number)


def _strip_number(name: str) -> str:
    """Name without the number of the pantograph in its train."""
    return re.sub(r"^\d+: ", "", name)


CHANGEABLE: Mapping[str, Changeable] = {
    "dropper.length": Changeable("line", _lengths, _with_lengths, lambda name: name.removesuffix(" left"), 1e-4),
    "wire.tension": _of_wires("tension"),
    "wire.mass": _of_wires("mass_per_length"),
    "wire.mass_damping": _of_wires("mass_damping"),
    "wire.stiffness_damping": _of_wires("stiffness_damping"),
    "presag": Changeable("line", _presag, lambda line, v: replace(line, presag=v["line"]), lambda name: name, 1e-4),
    "pantograph.mass": _of_stages("mass"),
    "pantograph.stiffness": _of_stages("stiffness"),
    "pantograph.damping": _of_stages("damping"),
    "pantograph.static_force": _of_whole("static_force"),
    "pantograph.aerodynamic": _of_whole("aerodynamic"),
    "contact.stiffness": _of_whole("contact_stiffness"),
    "contact.damping": _of_whole("contact_damping"),
    "control.gain": Changeable("law", HeadLaw.numbers, HeadLaw.at, lambda name: name),
}


def with_dropper_lengths(line: Line, families: set[str], element_length: float) -> Line:
    """The line as a design begins with it: where droppers' lengths change, every one has its length."""
    if "dropper.length" not in families:
        return line
    if "presag" in families:
        raise ModelError(
            "design: dropper.length and presag cannot change together, because the lengths determine the "
            "sag; remove one of them"
        )
    return with_cut_lengths(line, element_length=element_length)
