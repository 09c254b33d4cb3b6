"""Plausibility check of a line's numbers against ranges (``data/ranges/line.toml``).

Derived quantities are compared as well, for a wire of horizontal tension H, mass per length μ and section A:

    c = √(H/μ),   σ = H/A,   ρ = μ/A,   E = EA/A,   ε = H/EA,   EI / (E_Cu A_Cu²/4π) with A_Cu = μ/ρ_Cu
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from panhead.files.plausibility import Derived, Implausible, implausible_keys, implausible_quantities
from panhead.railway.line.assumptions import wires_of
from panhead.railway.line.line_description import Line
from panhead.railway.line.parts import Support
from panhead.railway.line.wires import MATERIALS

_COPPER: Final = MATERIALS["copper"]


def implausible(line: Line) -> Iterator[Implausible]:
    """Find every number of a line outside its plausible range."""
    yield from implausible_keys("line", line)
    yield from implausible_quantities(
        "line", (*_wire_quantities(line), *_rail_quantities(line), *_mast_quantities(line))
    )


def _wire_quantities(line: Line) -> Iterator[Derived]:
    for place, wire in wires_of(line):
        if not wire.tension > 0.0:
            continue
        own = " of the contact wire" if place.endswith(".contact") else " of the wire"
        yield Derived(place, f"wave speed{own}", wire.wave_speed, "m/s")
        yield Derived(place, "mass per length of the wire", wire.mu, "kg/m")
        copper = wire.mu / _COPPER.density
        solid = _COPPER.modulus * copper**2 / (4.0 * math.pi)
        what = f"bending stiffness{own} over that of a solid copper wire of the same mass"
        yield Derived(place, what, wire.EI / solid, "")
        if wire.diameter is not None:
            width = math.sqrt(4.0 * copper / math.pi)
            yield Derived(place, "width of the wire over that of its mass in copper", wire.diameter / width, "")
        if math.isfinite(wire.EA):
            yield Derived(place, "strain, tension over axial stiffness", wire.tension / wire.EA, "")
        if wire.area is not None:
            yield Derived(place, f"stress{own}", wire.tension / wire.area, "Pa")
            yield Derived(place, "density, mass per length over area", wire.mu / wire.area, "kg/m**3")
            if math.isfinite(wire.EA):
                yield Derived(place, "modulus, axial stiffness over area", wire.EA / wire.area, "Pa")


def _rail_quantities(line: Line) -> Iterator[Derived]:
    for number, length in enumerate(line.tension_lengths, 1):
        rail, place = (length.wires or line.wires).contact, "wires.contact"
        if rail.tension > 0.0:
            continue
        spans = [line.span_kinds[span.kind] if span.kind else span for span in length.spans]
        yield Derived(place, "mass per length of the rail", rail.mu, "kg/m")
        yield Derived(place, "bending stiffness of the rail", rail.EI, "N*m**2")
        if rail.diameter is not None:
            yield Derived(place, "diameter of the rail", rail.diameter, "m")
        if line.support.contact_stiffness > 0.0:
            weight = rail.mu * line.gravity * max(float(span.length or 0.0) for span in spans)
            what = "sinking of the rail at a support, weight of a span over its stiffness"
            yield Derived("support.contact_stiffness", what, weight / line.support.contact_stiffness, "m")
        for k, joint in enumerate(length.rail_joints, 1):
            place = f"tension_lengths.{number}.rail_joints.{k}"
            ratio = joint.bending_stiffness / rail.EI
            yield Derived(place, "bending stiffness of a joint over that of its rail", ratio, "")


def _mast_quantities(line: Line) -> Iterator[Derived]:
    for _, height in line.height_profile:
        yield Derived("height_profile", "height of the contact wire", height, "m")
    masts = [mast for length in line.tension_lengths for mast in length.masts]
    supports = {"support": line.support} | {f"support_kinds.{name}": s for name, s in line.support_kinds.items()}
    supports |= {f"masts.{m.at}.support": m.support for m in masts if isinstance(m.support, Support)}
    for place, support in supports.items():
        yield Derived(f"{place}.stagger", "stagger of the support", abs(support.stagger), "m")
        if line.wires.contact.tension > 0.0:
            what, held = "stiffness of the support under a contact wire", support.contact_stiffness
            yield Derived(f"{place}.contact_stiffness", what, held, "N/m")
