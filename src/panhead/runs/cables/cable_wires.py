"""Strung line as cables, droppers and supports: the nonlinear model of a line description.

x along the track, y to the left, z up; with ``planar`` the line lies in the x–y plane and its y is the height.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, final

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from panhead.engine.bodies import Cable, Lump, ground
from panhead.engine.bodies.measure import LineBetween as Between
from panhead.engine.forces import SpringDamper, TensionOnly
from panhead.engine.joints import Distance, Held, Spherical
from panhead.engine.roles import Item
from panhead.errors import ModelError
from panhead.railway.line import Strung
from panhead.railway.line.layout import Link, PlacedTensionLength, Post
from panhead.railway.line.span_mesh import AXIAL, BENDING, MASS, TENSION
from panhead.railway.line.stringing import StrungSpan

ONSET = 5e-4  # [m] over which a dropper's damper engages; with 1e-4 steps of 1 ms hop over it


class CableSupport(NamedTuple):
    """Contact wire at a mast."""

    mast: int  #: number along the line
    name: str
    x: float  #: [m]
    height: str  #: the coordinate that is its height


class DropperPlace(NamedTuple):
    """Position of a dropper."""

    name: str  #: of the item
    span: int  #: number along the line
    x: float  #: [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Catenary:
    """Items of a line, and their target heights and tensions at rest."""

    cables: dict[str, Cable]  #: by role; several tension lengths: role and number
    items: tuple[Item, ...]  #: droppers, holds, clamps
    targets: dict[str, float]  #: cable → mean tension wanted [N]
    heights: dict[str, tuple[str, float]]  #: dropper → coordinate it carries, height wanted [m]
    supports: tuple[CableSupport, ...]
    droppers: tuple[DropperPlace, ...]
    planar: bool

    @property
    def contact(self) -> Cable:
        """First wire that the pantograph touches."""
        return self.cables["contact"]

    def all_items(self) -> tuple[Item, ...]:
        return (*self.cables.values(), *self.items)


@dataclass(slots=True)
class _Builder:
    """Items collected while a line is built."""

    strung: Strung
    element_length: float
    planar: bool
    bilateral: bool
    contact_held: bool
    straight: bool
    mast_elements: int
    displaced: bool
    node: np.ndarray = field(default_factory=lambda: np.zeros(0, int))  # station → node of its cable
    cables: dict[str, Cable] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    held: dict[str, float] = field(default_factory=dict)
    targets: dict[str, float] = field(default_factory=dict)
    heights: dict[str, tuple[str, float]] = field(default_factory=dict)
    supports: list[CableSupport] = field(default_factory=list)
    droppers: list[DropperPlace] = field(default_factory=list)

    @property
    def up(self) -> str:
        """Index of the vertical axis."""
        return "y" if self.planar else "z"

    def point(self, x: float, y: float, z: float) -> tuple[float, ...]:
        return (x, z) if self.planar else (x, y, z)


def cables_of(
    strung: Strung,
    *,
    element_length: float,
    planar: bool = False,
    bilateral: bool = False,
    contact_held: bool = False,
    straight: bool = False,
    mast_elements: int = 1,
    displaced: bool = False,
) -> Catenary:
    """Build every wire of the line as a Cable with nodes at its stations.

    Elements that end at a mast are cut into ``mast_elements``, each half as long as the one before it and the last two
    alike, so that the shortest touch the mast.

    Droppers pull only, unless ``bilateral``. Steady arms leave the contact wire free to rise, unless it is
    ``contact_held`` at the masts. ``straight`` wires begin level from mast to mast with droppers cut to the
    encumbrance, so that the line sags as a whole once it hangs: both as in [Pappalardo16]. ``displaced`` wires are
    both, held along the track at masts as well, and have their tension before they sag instead of after it.
    """
    if mast_elements < 1:
        raise ModelError(f"mast_elements must be at least 1, got {mast_elements!r}")
    held, level = contact_held or displaced, straight or displaced
    b = _Builder(strung, element_length, planar, bilateral, held, level, mast_elements, displaced)
    for piece in strung.layout.pieces:
        _add_tension_length(b, piece, "" if len(strung.layout.pieces) == 1 else f" {piece.index + 1}")
    b.items.append(Held(name="holds", values=b.held))
    return Catenary(
        cables=b.cables,
        items=tuple(b.items),
        targets=b.targets,
        heights=b.heights,
        supports=tuple(b.supports),
        droppers=tuple(b.droppers),
        planar=planar,
    )


def _add_tension_length(b: _Builder, piece: PlacedTensionLength, suffix: str) -> None:
    spans = b.strung.spans(piece, element_length=b.element_length)
    first = b.strung.layout.mast_x[piece.first]
    starts = first + np.concatenate([[0.0], np.cumsum([s.mesh.x[-1] for s in spans])])
    counts = np.concatenate([[0], np.cumsum([len(s.mesh.x) - 1 for s in spans])])
    x = np.concatenate([starts[k] + s.mesh.x[(k > 0) :] for k, s in enumerate(spans)])
    fine = _grade_mesh(x, counts, b.mast_elements)
    b.node = np.searchsorted(fine, x - 1e-9)
    for role in ("contact", "contact2", "messenger", "auxiliary"):
        if role in spans[0].shape:
            shape = np.vstack([s.shape[role][(k > 0) :] for k, s in enumerate(spans)])
            if b.straight:
                shape[:, :2] = _level(spans[0].mesh.plan.left, role, shape), 0.0
            shape = _between(x, shape, fine)
            row, tension = spans[0].mesh.wires[role][0], _tension(spans[0], role)
            _add_cable(b, role + suffix, fine, shape, row, tension)
            _hold_ends(b, role + suffix, len(fine) - 1)
    for k, span in enumerate(spans):
        _add_droppers(b, span, suffix, k, int(counts[k]))
    posts = [spans[0].mesh.plan.left, *(s.mesh.plan.right for s in spans)]
    for k, post in enumerate(posts):
        pull = spans[min(k, len(spans) - 1)].arm_pull[1 if k == len(spans) else 0]
        _note_supports(b, piece, suffix, k, int(b.node[counts[k]]))
        _add_mast(b, post, suffix, int(b.node[counts[k]]), f"mast {k}{suffix}", float(pull))
    _add_stitches(b, spans, suffix, counts, starts)


def _grade_mesh(x: np.ndarray, masts: np.ndarray, n: int) -> np.ndarray:
    """Stations with the elements beside masts cut: h/2, h/4, … towards the mast."""
    shares = np.cumprod(np.full(n - 1, 0.5))
    cuts = [x]
    for k in masts:
        for other in (k - 1, k + 1):
            if 0 <= other < len(x):
                cuts.append(x[k] + (x[other] - x[k]) * shares)
    return np.sort(np.concatenate(cuts))


def _between(x: np.ndarray, shape: np.ndarray, fine: np.ndarray) -> np.ndarray:
    """Shape (n, 4), z, z′, y, y′, at finer stations by the same cubics."""
    if len(fine) == len(x):
        return shape
    curves = [CubicHermiteSpline(x, shape[:, k], shape[:, k + 1]) for k in (0, 2)]
    return np.column_stack([f for c in curves for f in (c(fine), c.derivative()(fine))])


def _level(post: Post, role: str, shape: np.ndarray) -> float:
    """Initial height of a straight wire."""
    return float(shape[0, 0]) if role in ("messenger", "auxiliary") else post.z_contact


def _tension(span: StrungSpan, role: str) -> float:
    """Tension H of a wire between stitches."""
    wires = span.mesh.plan.wires
    if role == "messenger" and wires.messenger is not None:
        return wires.messenger.tension
    return float(span.mesh.wires[role][0][TENSION])


def _add_cable(b: _Builder, name: str, x: np.ndarray, shape: np.ndarray, row: np.ndarray, tension: float) -> Cable:
    """Add a cable; shape (n, 4): z, z′, y, y′ at the stations x."""
    if not np.isfinite(row[AXIAL]):
        raise ModelError(
            f"the {name} wire has no axial stiffness, which cables need; give its area and material, or axial_stiffness"
        )
    z, dz, y, dy = shape.T
    slopes = np.column_stack([np.ones_like(x), dz] if b.planar else [np.ones_like(x), dy, dz])
    slopes /= np.linalg.norm(slopes, axis=1)[:, None]
    wire_drag, wire_beta = row[MASS] * row[3], row[4]
    cable = Cable(
        name=name,
        nodes=tuple(b.point(*p) for p in zip(x, y, z, strict=True)),
        slopes=tuple(map(tuple, slopes)),
        mass_per_length=float(row[MASS]),
        axial_stiffness=float(row[AXIAL]),
        bending_stiffness=float(row[BENDING]),
        tension=tension,
        drag=float(wire_drag),
        stretch_damping=float(wire_beta * row[AXIAL]),
        bend_damping=float(wire_beta * row[BENDING]),
    )
    b.cables[name] = cable
    if not b.displaced:
        b.targets[name] = tension
    return cable


def _hold_ends(b: _Builder, name: str, last: int) -> None:
    """Fix the positions of both ends; slopes are free."""
    for k in (0, last):
        for axis, value in zip("xyz", b.cables[name].nodes[k], strict=False):
            b.held[f"{name}.{k}{axis}"] = float(value)


def _add_droppers(b: _Builder, span: StrungSpan, suffix: str, number: int, first: int) -> None:
    for k, link in enumerate(span.mesh.links):
        if link.upper == "stitch":
            continue  # with the stitch wire
        station = int(b.node[first + int(span.mesh.link_station[k])])
        upper, lower = b.cables[link.upper + suffix], b.cables[link.lower + suffix]
        ends = (lower.at(lower.breaks[station]), upper.at(upper.breaks[station]))
        height, rest = f"{lower.name}.{station}{b.up}", float(span.unstretched[k])
        if b.straight:
            rest = upper.nodes[station][-1] - lower.nodes[station][-1]
        name = f"dropper {number + 1}-{k + 1}{suffix}"
        b.droppers.append(DropperPlace(name, number, float(lower.nodes[station][0])))
        _add_dropper(b, name, link, ends, rest, height)


def _add_dropper(b, name: str, link: Link, ends, unstretched: float, height: str) -> None:  # type: ignore[no-untyped-def]
    kind = link.kind
    common = {"stiffness": kind.stiffness, "damping": kind.damping, "rest": float(unstretched)}
    along = Between(a=ends[0], b=ends[1])
    if b.bilateral:
        b.items.append(SpringDamper(name=name, along=along, **common))
    else:
        b.items.append(TensionOnly(name=name, along=along, onset=ONSET, **common))
    half = kind.mass_per_length * unstretched / 2
    for end, clamp, where in zip(ends, (kind.bottom_clamp_mass, kind.top_clamp_mass), ("foot", "head"), strict=True):
        if clamp + half > 0:
            b.items.append(Lump(name=f"{name} {where}", at=end, mass=clamp + half))
    if link.length is None and link.error == 0.0 and not b.straight:
        b.heights[name] = (height, link.height)


def _note_supports(b: _Builder, piece: PlacedTensionLength, suffix: str, k: int, node: int) -> None:
    """Record where uplift is measured at mast k of a tension length."""
    layout = b.strung.layout
    for role, side in (("contact", ""), ("contact2", "-left")):
        if role + suffix in b.cables:
            mast = piece.first + k
            name, x = layout.mast_name(piece, mast) + side, float(layout.mast_x[mast])
            b.supports.append(CableSupport(mast, name, x, f"{role}{suffix}.{node}{b.up}"))


def _add_mast(b: _Builder, post: Post, suffix: str, node: int, name: str, pull: float) -> None:
    """Attach messenger and contact wire to the support; at an anchor everything is fixed already."""
    if post.anchor:
        return
    support, up = post.support, b.up
    messenger = f"messenger{suffix}.{node}"
    if support.messenger_stiffness is None:
        b.held[messenger + up] = _value(b, f"messenger{suffix}", node, up)
    else:
        b.items.append(
            SpringDamper(
                name=f"{name} messenger",
                along=messenger + up,
                stiffness=support.messenger_stiffness,
                damping=support.messenger_damping,
                rest=_value(b, f"messenger{suffix}", node, up),
                preload=0.0,
            )
        )
    if not b.planar:
        b.held[messenger + "y"] = _value(b, f"messenger{suffix}", node, "y")
    if b.displaced:
        roles = [role for role in ("messenger", "contact", "contact2", "auxiliary") if role + suffix in b.cables]
        b.held |= {f"{role}{suffix}.{node}x": _value(b, role + suffix, node, "x") for role in roles}
    for role in ("contact", "contact2"):
        if role + suffix in b.cables:
            _add_registration(b, post, role + suffix, node, f"{name} {role}", pull)
    if f"auxiliary{suffix}" in b.cables and not b.planar:
        b.held[f"auxiliary{suffix}.{node}y"] = _value(b, f"auxiliary{suffix}", node, "y")


def _value(b: _Builder, cable: str, node: int, axis: str) -> float:
    return float(b.cables[cable].nodes[node]["xyz".index(axis)])


def _add_registration(b: _Builder, post: Post, cable: str, node: int, name: str, pull: float) -> None:
    """Hold the contact wire laterally and, where the support does, vertically."""
    support, wire = post.support, b.cables[cable]
    place = wire.at(wire.breaks[node])
    if b.contact_held:
        b.held[f"{cable}.{node}{b.up}"] = post.z_contact
    if support.holding_stiffness or support.contact_damping:
        b.items.append(
            SpringDamper(
                name=f"{name} spring",
                along=f"{cable}.{node}{b.up}",
                stiffness=support.holding_stiffness,
                damping=support.contact_damping,
                rest=_value(b, cable, node, b.up),
            )
        )
    mass = support.holding_mass + (support.steady_arm.mass / 3 if support.steady_arm else 0.0)
    if mass:
        b.items.append(Lump(name=f"{name} arm", at=place, mass=mass))
    if b.planar:
        return
    arm = support.steady_arm
    if arm is not None:
        side = -np.sign(pull) if pull else 1.0
        reach = float(np.sqrt(arm.length**2 - arm.rise**2))
        x, y, z = wire.nodes[node]
        heel = ground.at((x, y + side * reach, z + arm.rise))
        b.items.append(Distance(name=f"{name} steady arm", a=heel, b=place, length=arm.length))
        if arm.damping:
            b.items.append(SpringDamper(name=f"{name} damper", along=f"{cable}.{node}z", damping=arm.damping))
    elif support.lateral_stiffness is None:
        b.held[f"{cable}.{node}y"] = _value(b, cable, node, "y")
    else:
        b.items.append(
            SpringDamper(
                name=f"{name} hold",
                along=f"{cable}.{node}y",
                stiffness=support.lateral_stiffness,
                rest=_value(b, cable, node, "y"),
            )
        )


def _add_stitches(b: _Builder, spans: list[StrungSpan], suffix: str, counts: np.ndarray, starts: np.ndarray) -> None:
    """Add a stitch wire over each inner mast, clamped to the messenger at both ends."""
    if "stitch" not in spans[0].shape:
        return
    messenger = b.cables[f"messenger{suffix}"]
    for k in range(1, len(spans)):
        left, right = spans[k - 1], spans[k]
        there = np.flatnonzero(np.isfinite(left.shape["stitch"][:, 0]) & (left.mesh.x > left.mesh.x[-1] / 2))
        here = np.flatnonzero(np.isfinite(right.shape["stitch"][:, 0]) & (right.mesh.x < right.mesh.x[-1] / 2))
        x = np.concatenate([starts[k - 1] + left.mesh.x[there], starts[k] + right.mesh.x[here[1:]]])
        shape = np.vstack([left.shape["stitch"][there], right.shape["stitch"][here[1:]]])
        wire = right.mesh.plan.wires.stitch
        assert wire is not None
        row = right.mesh.wires["stitch"][0]
        name = f"stitch {k}{suffix}"
        cable = _add_cable(b, name, x, shape, row, wire.wire.tension)
        stations = b.node[counts[k - 1] + np.concatenate([there, len(left.mesh.x) - 1 + here[1:]])]
        for end, node in ((0, int(stations[0])), (len(x) - 1, int(stations[-1]))):
            b.items.append(
                Spherical(
                    name=f"{name} clamp {end}", a=messenger.at(messenger.breaks[node]), b=cable.at(cable.breaks[end])
                )
            )
        for number, span, first in ((k, left, counts[k - 1]), (k + 1, right, counts[k])):
            _hang_on_stitch(b, span, suffix, number, int(first), cable, stations)


def _hang_on_stitch(
    b: _Builder, span: StrungSpan, suffix: str, number: int, first: int, stitch: Cable, stations: np.ndarray
) -> None:
    for k, link in enumerate(span.mesh.links):
        station = int(b.node[first + int(span.mesh.link_station[k])])
        if link.upper != "stitch" or station not in stations:
            continue
        lower = b.cables[link.lower + suffix]
        node = int(np.flatnonzero(stations == station)[0])
        ends = (lower.at(lower.breaks[station]), stitch.at(stitch.breaks[node]))
        name = f"dropper {number}-{k + 1}{suffix}"
        b.droppers.append(DropperPlace(name, number - 1, float(lower.nodes[station][0])))
        _add_dropper(b, name, link, ends, span.unstretched[k], f"{lower.name}.{station}{b.up}")
