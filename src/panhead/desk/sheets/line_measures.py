"""Geometric and static quantities of a line that have limits, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from panhead.railway.line.elasticity import elasticity
from panhead.railway.line.layout import PlacedTensionLength, SpanPlan
from panhead.railway.line.stringing import StrungSpan
from panhead.railway.line.strung_line import Strung


@dataclass(frozen=True, slots=True)
class LineMeasure:
    """One quantity in one place."""

    quantity: str
    value: float  #: SI
    place: str
    x: float | None = None  #: along the line [m]
    note: str = ""


def mast_measures(strung: Strung, piece: PlacedTensionLength) -> Iterator[LineMeasure]:
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
        if plans[0].wires.messenger is not None:
            yield LineMeasure("encumbrance", post.support.encumbrance, names[k], float(x[k]))
        if running[k]:
            yield LineMeasure("contact_height", post.z_contact, names[k], float(x[k]))
            yield LineMeasure("stagger", abs(post.y_contact), names[k], float(x[k]))


def dropper_measures(
    strung: Strung, piece: PlacedTensionLength, number: int, span: StrungSpan
) -> Iterator[LineMeasure]:
    """Lengths, loads and distances of the droppers of one span."""
    start, place = float(strung.layout.mast_x[number]), f"{piece.name}, span {number - piece.first + 1}"
    for link, length, load in zip(span.mesh.links, span.unstretched, span.tension, strict=True):
        where, x = f"{place}, {link.label}", start + link.x
        yield LineMeasure("dropper_length", float(length), where, x)
        yield LineMeasure("dropper_load", float(load), where, x)
    for a, b in pairwise(sorted({link.x for link in span.mesh.links if link.lower.startswith("contact")})):
        yield LineMeasure("dropper_spacing", b - a, f"{place}, droppers at {a:g} and {b:g} m", start + 0.5 * (a + b))


def arm_measures(strung: Strung, piece: PlacedTensionLength, number: int, span: StrungSpan) -> Iterator[LineMeasure]:
    """Static load of the steady arm at the second mast of a span.

    Not within an overlap: there it depends on where the wires are anchored to the side, which a line does not say.
    """
    post, mast = span.mesh.plan.right, number + 1
    begin = piece.first + (piece.before.spans if piece.before else 0)
    end = piece.stop - (piece.after.spans if piece.after else 0)
    if post.support.steady_arm is not None and not post.anchor and begin <= mast <= end:
        name, x = f"mast {strung.layout.mast_name(piece, mast)}", float(strung.layout.mast_x[mast])
        yield LineMeasure("steady_arm_pull", float(span.arm_pull[1]), name, x)


def overlap_measures(strung: Strung) -> Iterator[LineMeasure]:
    """Distances between the wires of two overlapping tension lengths.

    The separation counts in the middle span, where both contact wires run; the clearance of an insulated overlap
    counts between any wires, in every shared span.
    """
    layout = strung.layout
    for a, b in pairwise(layout.pieces):
        if a.after is None:
            continue
        middle = b.first + a.after.spans // 2
        for number in range(b.first, a.stop):
            pair = strung.span(a, number), strung.span(b, number)
            x, place = float(layout.mast_x[number]), (
                f"{a.name}, span {number - a.first + 1}, and {b.name}, span {number - b.first + 1}"
            )
            if number == middle:
                apart, at = _least_distance(*pair, contact=True)
                yield LineMeasure("overlap_separation", apart, place, x + at)
            if a.after.insulated:
                apart, at = _least_distance(*pair, contact=False)
                yield LineMeasure("overlap_clearance", apart, place, x + at)


def _least_distance(one: StrungSpan, other: StrungSpan, *, contact: bool) -> tuple[float, float]:
    """Least distance of the wires of two tension lengths in one span, and where from its first mast [m].

    ``contact``: of contact wires, across the track alone.
    """
    worst = (np.inf, 0.0)
    for mine in (s for r, s in one.shape.items() if not contact or r.startswith("contact")):
        for theirs in (s for r, s in other.shape.items() if not contact or r.startswith("contact")):
            up = 0.0 if contact else mine[:, 0] - theirs[:, 0]
            apart = np.hypot(up, mine[:, 2] - theirs[:, 2])
            k = int(np.nanargmin(apart)) if np.isfinite(apart).any() else 0
            if apart[k] < worst[0]:
                worst = float(apart[k]), float(one.mesh.x[k])
    return worst


def lateral_measure(winds: Sequence[Strung], piece: PlacedTensionLength, number: int, wind: float) -> LineMeasure:
    """The contact wire's largest distance from the track's middle in one span, in every wind given."""
    worst = (-1.0, 0.0)
    for strung in winds:
        span = strung.span(strung.layout.pieces[piece.index], number)
        for role in (r for r in span.shape if r.startswith("contact")):
            away = np.abs(span.shape[role][:, 2])
            k = int(np.argmax(away))
            worst = max(worst, (float(away[k]), float(span.mesh.x[k])))
    place = f"{piece.name}, span {number - piece.first + 1}, {worst[1]:.3g} m from its first mast"
    note = f"in a wind of {wind:g} m/s from either side" if wind else "without wind"
    return LineMeasure("lateral", worst[0], place, float(winds[0].layout.mast_x[number]) + worst[1], note)


def uplift_measures(strung: Strung, force: float, space: float) -> Iterator[LineMeasure]:
    """Uplift space divided by the static uplift under ``force`` [N], at each mast."""
    layout = strung.layout
    found: dict[tuple[SpanPlan, ...], float] = {}
    for number in range(1, layout.n_spans):
        piece = layout.tension_lengths_at(number)[0]
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
