"""The quantities of a line that have limits, each with its place."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from panhead.line.elasticity import elasticity
from panhead.line.layout import Piece, SpanPlan
from panhead.line.stringing import StrungSpan
from panhead.line.strung import Strung
from panhead.line.wires import MATERIALS, Wire

_AIR: Final = 1.25  # density [kg/m³]
_DRAG: Final = 1.0  # of a round wire; EN 50119:2009, 6.2.4, recalled


@dataclass(frozen=True, slots=True)
class LineMeasure:
    """One quantity in one place."""

    quantity: str
    value: float  #: SI
    place: str
    x: float | None = None  #: along the line [m]
    note: str = ""


def mast_measures(strung: Strung, piece: Piece) -> Iterator[LineMeasure]:
    """Heights, staggers and encumbrances at the masts of one tension length, gradients between them.

    Where the wire is lifted out of running, no head feels its height.
    """
    layout = strung.layout
    plans = [layout.plan(piece, number) for number in range(piece.first, piece.stop)]
    posts = [plan.left for plan in plans] + [plans[-1].right]
    running = [post.lift == 0.0 for post in posts]
    x = layout.mast_x[piece.first : piece.stop + 1]
    names = [f"mast {layout.mast_name(piece, piece.first + k)}" for k in range(len(posts))]
    slopes: list[float | None] = []
    for k, plan in enumerate(plans):
        slope = (posts[k + 1].z_contact - posts[k].z_contact) / plan.length
        seen = running[k] and running[k + 1]
        slopes.append(slope if seen else None)
        if seen:
            yield LineMeasure(
                "wire_gradient", abs(slope), f"{piece.name}, span {k + 1}", float(x[k] + 0.5 * plan.length)
            )
    for k, (a, b) in enumerate(pairwise(slopes), 1):
        if a is not None and b is not None:
            yield LineMeasure("gradient_change", abs(b - a), names[k], float(x[k]))
    for k, post in enumerate(posts):
        yield LineMeasure("encumbrance", post.support.encumbrance, names[k], float(x[k]))
        if running[k]:
            yield LineMeasure("contact_height", post.z_contact, names[k], float(x[k]))
            yield LineMeasure("stagger", abs(post.y_contact), names[k], float(x[k]))


def dropper_measures(strung: Strung, piece: Piece, number: int, span: StrungSpan) -> Iterator[LineMeasure]:
    """Lengths, loads and distances of the droppers of one span."""
    start, place = float(strung.layout.mast_x[number]), f"{piece.name}, span {number - piece.first + 1}"
    for link, length, load in zip(span.mesh.links, span.unstretched, span.tension, strict=True):
        where, x = f"{place}, {link.label}", start + link.x
        yield LineMeasure("dropper_length", float(length), where, x)
        yield LineMeasure("dropper_load", float(load), where, x)
    for a, b in pairwise(sorted({link.x for link in span.mesh.links if link.lower.startswith("contact")})):
        yield LineMeasure("dropper_spacing", b - a, f"{place}, droppers at {a:g} and {b:g} m", start + 0.5 * (a + b))


def lateral_measure(strung: Strung, piece: Piece, number: int, span: StrungSpan, wind: float) -> LineMeasure:
    """The contact wire's largest distance from the track's middle in one span, wind from either side.

        |y(x)| + w x (ℓ − x)/(2 H),   w = ½ ρ v² C d

    the parabola of the contact wire alone [Kiessling18, ch. 4]: the messenger is left out, which helps it as a rule.
    """
    wire, x, length = span.mesh.plan.wires.contact, span.mesh.x, span.mesh.plan.length
    load = 0.5 * _AIR * wind**2 * _DRAG * diameter(wire)
    ways = [np.abs(span.shape[role][:, 2]) for role in span.shape if role.startswith("contact")]
    away = np.max(ways, axis=0) + load * x * (length - x) / (2.0 * wire.tension)
    worst = int(np.argmax(away))
    place = f"{piece.name}, span {number - piece.first + 1}, {x[worst]:.3g} m from its first mast"
    note = f"blown off by {load * length**2 / (8 * wire.tension):.3g} m at mid-span" if wind else "without wind"
    return LineMeasure("lateral", float(away[worst]), place, float(strung.layout.mast_x[number] + x[worst]), note)


def diameter(wire: Wire) -> float:
    """Of a round wire of its cross-section [m]; if only its mass is known, of copper."""
    area = wire.area if wire.area is not None else wire.mu / MATERIALS["copper"].density
    return 2.0 * math.sqrt(area / math.pi)


def uplift_measures(strung: Strung, force: float, space: float) -> Iterator[LineMeasure]:
    """Room for uplift over the lift that ``force`` [N] gives at each mast, standing still."""
    layout = strung.layout
    found: dict[tuple[SpanPlan, ...], float] = {}
    for number in range(1, layout.n_spans):
        piece = layout.pieces_at(number)[0]
        if number - 1 < piece.first:
            continue
        key = layout.plan(piece, number - 1), layout.plan(piece, number)
        if key not in found:
            curve = elasticity(strung, span=number, points=2, force=force, element_length=0.5, around=2)
            found[key] = float(curve.value[0]) * force
        lift = found[key]
        yield LineMeasure(
            "uplift_space_factor",
            space / lift,
            f"mast {layout.mast_name(piece, number)}",
            float(layout.mast_x[number]),
            f"{1e3 * lift:.3g} mm under {force:.4g} N at rest",
        )
