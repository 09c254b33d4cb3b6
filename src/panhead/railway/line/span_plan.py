"""Plan of one span of one tension length: heights and places from the description."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from panhead.errors import ModelError, alternatives
from panhead.railway.line.alignment import corners_between, tilt_at
from panhead.railway.line.conductor_rail import rail_joint_segments
from panhead.railway.line.insulators import Let, insulator_marks, insulators_in_span
from panhead.railway.line.layout import Link, PlacedTensionLength, Post, SpanPlan, droppers_of
from panhead.railway.line.line_description import Line, Mast, Wires
from panhead.railway.line.parts import Dropper, DropperKind, Support
from panhead.railway.line.presag import presag_at_midspan, sag_at, sag_slope

if TYPE_CHECKING:
    from panhead.railway.line.layout import Layout

T = TypeVar("T")


def span_plan(layout: Layout, piece: PlacedTensionLength, number: int, marks: tuple[float, ...]) -> SpanPlan:
    """Plan of span ``number`` (along the line) of ``piece`` with stations at ``marks``."""
    line, local = layout.line, number - piece.first
    left, right = post_of(layout, piece, local), post_of(layout, piece, local + 1)
    span, wires = piece.spans[local], piece.described.wires or line.wires
    length = float(span.length or 0.0)
    worn, spots = _irregular(layout, piece, number)
    return SpanPlan(
        length=length,
        left=left,
        right=right,
        wires=wires,
        gravity=line.gravity,
        links=tuple(_links(line, piece, local, left, right)),
        marks=marks,
        stitch=_stitch(wires, length, left.anchor, right.anchor),
        worn=worn,
        spots=spots,
        let_in=_insulators_and_joints(layout, piece, number),
        track=corners_between(line.alignment, float(layout.mast_x[number]), length),
    )


def own_marks(layout: Layout, piece: PlacedTensionLength, number: int) -> set[float]:
    """Places inside the span where this tension length needs stations (rounded to 1 µm)."""
    local = number - piece.first
    span, wires = piece.spans[local], piece.described.wires or layout.line.wires
    length = float(span.length or 0.0)
    worn, spots = _irregular(layout, piece, number)
    anchors = local == 0, local == len(piece.spans) - 1
    x = [d.position for d in droppers_of(span)] + list(span.auxiliary_positions)
    x += [*_stitch(wires, length, *anchors), *(s[0] for s in spots)]
    x += [place for section in worn for place in section[:2]]
    x += insulator_marks(_insulators_and_joints(layout, piece, number), length)
    x += [corner[0] for corner in corners_between(layout.line.alignment, float(layout.mast_x[number]), length)]
    return {round(place, 6) for place in x}


def _insulators_and_joints(layout: Layout, piece: PlacedTensionLength, number: int) -> tuple[Let, ...]:
    """Insulators and rail joints of one span, measured from its first mast."""
    first, last = layout.mast_x[piece.first], layout.mast_x[piece.stop]
    start, stop = (float(layout.mast_x[k] - first) for k in (number, number + 1))
    described = piece.described
    found = insulators_in_span(described.insulators(), start, stop - start)
    if not described.rail_joints:
        return found
    wires = described.wires or layout.line.wires
    if wires.messenger is not None:
        raise ModelError(f"{piece.name}: rail_joints apply to a conductor rail, a line without messenger; remove them")
    joints = rail_joint_segments(described.rail_joints, wires.contact.EI, float(last - first), piece.name)
    here = (
        (round(a - start, 6), round(b - start, 6), m, k, d, r) for a, b, m, k, d, r in joints if a < stop and b > start
    )
    return (*found, *here)


def _stitch(wires: Wires, length: float, left_anchor: bool, right_anchor: bool) -> tuple[float, float]:
    """Clamp positions of the stitch wires of the two masts; none over an anchor."""
    reach = wires.stitch.reach if wires.stitch else 0.0
    left, right = 0.0 if left_anchor else reach, length if right_anchor else length - reach
    if left >= right:
        raise ModelError(f"Stitch: two reaches of {reach:g} m do not fit into a span of {length:g} m; shorten reach")
    return left, right


def post_of(layout: Layout, piece: PlacedTensionLength, local: int) -> Post:
    line, n = layout.line, len(piece.spans)
    change = next((m for m in piece.described.masts if m.at % (n + 1) == local), Mast(at=local))
    support = _part_by_name(change.support, line.support_kinds, f"{piece.name}, mast {local}: support") or line.support
    if change.encumbrance is not None:
        support = replace(support, encumbrance=change.encumbrance)
    _require_carried(line, piece, local, support)
    side = -1.0 if local % 2 else 1.0
    lift, y_overlap = _overlap_position(piece, local)
    stagger = side * support.stagger if y_overlap is None else y_overlap
    messenger = side * support.messenger_stagger if y_overlap is None else y_overlap
    height = float(_profile(line, layout.mast_x[piece.first + local]))
    return Post(
        z_contact=height if change.contact_height is None else change.contact_height,
        lift=lift if change.lift is None else change.lift,
        y_contact=stagger if change.stagger is None else change.stagger,
        y_messenger=messenger if change.messenger_stagger is None else change.messenger_stagger,
        support=support,
        anchor=local in (0, n),
        tilt=tilt_at(line.alignment, float(layout.mast_x[piece.first + local])),
    )


def _require_carried(line: Line, piece: PlacedTensionLength, local: int, support: Support) -> None:
    """Raise ModelError unless a rail without messenger has support stiffness, and no overlap."""
    wires = piece.described.wires or line.wires
    if wires.messenger is None and not support.holding_stiffness > 0.0:
        raise ModelError(
            f"{piece.name}, mast {local}: without a messenger the support must carry the wire or rail; give "
            "contact_stiffness or cross_span of the support (or wires.messenger)"
        )


def _kind(line: Line, own: DropperKind | None, place: str) -> DropperKind:
    kind = own or line.dropper
    if kind is None:
        raise ModelError(f"Line {line.name!r}: {place} has no properties; give dropper")
    return kind


def _part_by_name(given: T | str | None, known: Mapping[str, T], where: str) -> T | None:
    """Return a part given directly, or the one of that name."""
    if not isinstance(given, str):
        return given
    if given not in known:
        raise ModelError(f"{where} {given!r} is not defined; {alternatives(given, known)}")
    return known[given]


def _profile(line: Line, x: float) -> float:
    """Contact-wire height at the support at x: level, or straight between the profile's corners."""
    if not line.height_profile:
        return line.contact_height
    corners = np.array(line.height_profile)
    return float(np.interp(x, corners[:, 0], corners[:, 1]))


def _overlap_position(piece: PlacedTensionLength, local: int) -> tuple[float, float | None]:
    """Lift and lateral position of a mast in an overlap; position None if it is in none."""
    n = len(piece.spans)
    for overlap, steps, side in ((piece.after, n - local, 0.5), (piece.before, local, -0.5)):
        if overlap is None or steps >= overlap.spans:
            continue
        # steps counts masts inwards from the anchor; the last lifted one has the plain lift
        lifted = (overlap.spans + 1) // 2
        share = (lifted - 1 - steps) / (lifted - 1) if lifted > 1 else 0.0
        lift = overlap.lift + share * (overlap.end_lift - overlap.lift) if steps < lifted else 0.0
        return lift, side * overlap.separation
    return 0.0, None


def _shape(piece: PlacedTensionLength, local: int) -> str:
    """Shape of the contact wire's rise over this span: linear, or only in its second or first half."""
    n = len(piece.spans)
    if piece.after and local == n - (piece.after.spans + 1) // 2:
        return "late"
    if piece.before and local == (piece.before.spans + 1) // 2 - 1:
        return "early"
    return "even"


def _rise(shape: str, xi: float, left: float, right: float) -> float:
    if shape == "late":
        return left + (right - left) * max(0.0, 2.0 * xi - 1.0) ** 2
    if shape == "early":
        return right + (left - right) * max(0.0, 1.0 - 2.0 * xi) ** 2
    return left + (right - left) * xi


def height_slope(layout: Layout, piece: PlacedTensionLength, number: int, link: Link) -> float:
    """Slope d(prescribed height)/dx at a dropper of span ``number``."""
    local = number - piece.first
    left, right = post_of(layout, piece, local), post_of(layout, piece, local + 1)
    span = piece.spans[local]
    length, xi = float(span.length or 0.0), link.x / float(span.length or 1.0)
    rise = {"late": 4.0 * max(0.0, 2.0 * xi - 1.0), "early": 4.0 * max(0.0, 1.0 - 2.0 * xi), "even": 1.0}[
        _shape(piece, local)
    ]
    found = (right.z_contact - left.z_contact + rise * (right.lift - left.lift)) / length
    if link.lower == "auxiliary":
        above = [post.support.auxiliary_height or 0.0 for post in (left, right)]
        found += (above[1] - above[0]) / length
    elif droppers_of(span)[link.number - 1].sag is not None:
        return found
    return found - sag_slope(presag_at_midspan(layout.line, span), link.x, length)


def _links(line: Line, piece: PlacedTensionLength, local: int, left: Post, right: Post) -> Iterator[Link]:
    span, wires = piece.spans[local], piece.described.wires or line.wires
    length, shape = float(span.length or 0.0), _shape(piece, local)
    presag = presag_at_midspan(line, span)
    errors = {e.dropper: e.error for e in piece.described.dropper_errors if e.span == local + 1}
    clamps = _stitch(wires, length, left.anchor, right.anchor)
    if wires.messenger is None and (droppers_of(span) or span.auxiliary_positions):
        raise ModelError(
            f"{piece.name}, span {local + 1}: there is no messenger to carry droppers; remove them, or give messenger"
        )

    def level(x: float) -> float:
        xi = x / length
        return left.z_contact + (right.z_contact - left.z_contact) * xi + _rise(shape, xi, left.lift, right.lift)

    for number, dropper in enumerate(droppers_of(span), 1):
        x = round(dropper.position, 6)
        upper = "auxiliary" if wires.auxiliary else "messenger"
        if wires.stitch and not clamps[0] <= x <= clamps[1]:
            upper = "stitch"
        sag = sag_at(presag, x, length) if dropper.sag is None else dropper.sag
        kind = _part_by_name(
            dropper.kind, line.dropper_kinds, f"{piece.name}, span {local + 1}, dropper {number}: kind"
        )
        for lower in _lower(dropper, wires):
            yield Link(
                x=x,
                upper=upper,
                lower=lower,
                kind=_kind(line, kind, f"dropper {number} of span {local + 1}"),
                height=level(x) - sag if dropper.height is None else dropper.height,
                length=dropper.length,
                error=dropper.length_error + errors.get(number, 0.0),
                number=number,
            )
    if span.auxiliary_positions and wires.auxiliary is None:
        raise ModelError(
            f"{piece.name}, span {local + 1}: auxiliary_positions are given, but there is no auxiliary wire; "
            "give wires.auxiliary, or remove them"
        )
    for number, place in enumerate(span.auxiliary_positions, 1):
        x = round(place, 6)
        above = [post.support.auxiliary_height or 0.0 for post in (left, right)]
        height = level(x) + above[0] + (above[1] - above[0]) * x / length
        sag = sag_at(presag, x, length)
        yield Link(
            x=x,
            upper="messenger",
            lower="auxiliary",
            kind=_kind(line, None, f"auxiliary dropper {number} of span {local + 1}"),
            height=height - sag,
            length=None,
            error=0.0,
            number=number,
        )


def _lower(dropper: Dropper, wires: Wires) -> tuple[str, ...]:
    """Contact wires carried by a dropper; looking along x, left is the side of + y."""
    if wires.contact_count == 1:
        if dropper.wire != "contact":
            raise ModelError(
                f"Dropper at {dropper.position:g} m: there is no {dropper.wire} contact wire, only one; remove wire"
            )
        return ("contact",)
    return {"contact": ("contact", "contact2"), "right": ("contact",), "left": ("contact2",)}[dropper.wire]


def _irregular(
    layout: Layout, piece: PlacedTensionLength, number: int
) -> tuple[tuple[tuple[float, float, float], ...], tuple[tuple[float, float, float], ...]]:
    """Worn sections and hard spots of one span, measured from its first mast."""
    start = float(layout.mast_x[number] - layout.mast_x[piece.first])
    length = float(piece.spans[number - piece.first].length or 0.0)
    worn = tuple(
        (max(0.0, w.start - start), min(length, w.end - start), w.remaining)
        for w in piece.described.worn_sections
        if w.start < start + length and w.end > start
    )
    last = number == piece.stop - 1
    spots = tuple(
        (s.position - start, s.mass, s.stiffness)
        for s in piece.described.hard_spots
        if start <= s.position < start + length or (last and s.position >= start + length)
    )
    return worn, spots
