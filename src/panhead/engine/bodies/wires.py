"""Common base of wires and beams: places along them, and axes that follow the tangent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from panhead.engine.roles import Expression, Frame, Marker, Symbols, Triple, WirePath
from panhead.errors import ModelError

_CLOSE = 0.9  # cosine above which a tangent is too close to the direction across


def breaks_of(lengths: np.ndarray) -> tuple[float, ...]:
    """Lengths along the wire at which elements begin, and its end [m]."""
    return tuple(float(x) for x in np.concatenate([[0.0], np.cumsum(lengths)]))


def element_of(owner: str, breaks: Sequence[float], s: float) -> int:
    """The element that holds the length s along the wire; ModelError beyond its ends."""
    slack = 1e-9 * breaks[-1]  # sums of lengths are not exact
    if not -slack <= s <= breaks[-1] + slack:
        raise ModelError(f"{owner} extends from 0 to {breaks[-1]:g} m; {s!r} m lies outside")
    k = int(np.searchsorted(breaks, s, side="right") - 1)
    return max(0, min(k, len(breaks) - 2))


def node_of(breaks: Sequence[float], s: float) -> int | None:
    """The node at the length s, if there is one."""
    nearest = int(np.abs(np.array(breaks) - s).argmin())
    return nearest if abs(breaks[nearest] - s) < 1e-9 * breaks[-1] else None


def direction_across(tangents: np.ndarray) -> Triple:
    """A direction to which no tangent is parallel: the world's y, else z, else x, else the best there is.

    tangents (n, 2 or 3). The best is the one that the tangents, taken together, point along least, so a
    wire that bends in a plane, however far, gets the normal of its plane.
    """
    if tangents.shape[1] == 2:
        return (0.0, 0.0, 1.0)
    t = tangents / np.linalg.norm(tangents, axis=1)[:, None]
    best = np.linalg.svd(t)[2][-1]
    for axis in (np.eye(3)[1], np.eye(3)[2], np.eye(3)[0], best):
        if np.abs(t @ axis).max() < _CLOSE:
            break
    return (float(axis[0]), float(axis[1]), float(axis[2]))


def tangent_frame(p: Expression, slope: Expression, across: Expression) -> Frame:
    """Axes from one slope: z along it, x and y across it                    [Pappalardo16, eqs (4), (5)].

        z = r′ / |r′|,   x = z × h / |z × h|,   y = z × x

    The frame is singular where the slope points along h = ``across``; h = (0, 1, 0) gives the paper's
    eq. (4), h = (0, 0, ±1) its eq. (5) for a wire along y. See ``update_across``.
    """
    if slope.numel() == 2:
        t = ca.vertcat(slope / ca.norm_2(slope), 0)
        normal = ca.vertcat(-t[1], t[0], 0)
        return Frame(ca.vertcat(p, 0), ca.horzcat(normal, ca.vertcat(0, 0, 1), t), True)
    t = slope / ca.norm_2(slope)
    x = ca.cross(t, across)
    x = x / ca.norm_2(x)
    return Frame(p, ca.horzcat(x, ca.cross(t, x), t))


def update_across(slope: Expression, across: Expression) -> Expression:
    """Updated reference direction h: itself, or its part normal to the wire where the tangent comes near it.

        h ← (h − (h·z) z) / |…|   if |h·z| > 0.9 |h|,   z = r′ / |r′|

    z × h keeps its direction, so the axes of ``tangent_frame`` do not move at that moment: no smooth choice of h from z
    alone serves all directions, this one remembers. A wire that has come to lie along h all at once gets a spare.
    """
    t, h = slope / ca.norm_2(slope), across / ca.norm_2(across)
    close = ca.fabs(ca.dot(t, h))
    normal = h - ca.dot(t, h) * t
    spare = ca.if_else(
        ca.fabs(t[0]) < 0.6, ca.DM([1, 0, 0]), ca.if_else(ca.fabs(t[1]) < 0.6, ca.DM([0, 1, 0]), ca.DM([0, 0, 1]))
    )
    normal = ca.if_else(close < 1 - 1e-9, normal / (ca.norm_2(normal) + 1e-30), spare)
    return ca.if_else(close < _CLOSE, across, normal)


class NearestPlace(NamedTuple):
    """Point of a wire nearest to a given place: (p − r(s))·r′(s) = 0 gives s."""

    arc: Expression  #: s [m]
    d: Expression  #: p − r, (3,) [m]
    t: Expression  #: r′ / |r′|, (3,)
    closure: Expression  #: d·r′, zero there

    def across(self, direction: Expression) -> Expression:
        """Unit vector of a direction without its part along the wire."""
        n = direction - self.t * ca.dot(self.t, direction)
        return n / ca.norm_2(n)


def nearest_place(s: Symbols) -> NearestPlace:
    """The track of a row beside its first place; s is the number ``slide``."""
    arc = s.p["slide"]
    r = s.wires[0](arc)
    d, slope = s.frames[0].p - r, ca.jacobian(r, arc)
    return NearestPlace(arc, d, slope / ca.norm_2(slope), ca.dot(d, slope))


class CrossingPlaces(NamedTuple):
    """Nearest points of two wires: d·r′_A(s_A) = d·r′_B(s_B) = 0 gives both arc lengths."""

    arcs: Expression  #: s_A, s_B [m]
    p: Expression  #: r_A, (3,) [m]
    d: Expression  #: r_B − r_A, (3,) [m]
    across: Expression  #: t_A × t_B, (3,), as long as the sine of their angle
    slip: Expression  #: r′_A ṡ_A − r′_B ṡ_B, (3,): of the second over the first [m/s]
    closure: Expression  #: c = (−d·r′_A, d·r′_B), the gradient of ½ d·d; ṡ = −c_s⁻¹ ċ


def crossing_places(s: Symbols) -> CrossingPlaces:
    """Return the nearest points of the two tracks of a row; arc lengths are the numbers ``slide`` and ``slide 2``."""
    arcs = ca.vertcat(s.p["slide"], s.p["slide 2"])
    r_A, r_B = s.wires[0](s.p["slide"]), s.wires[1](s.p["slide 2"])
    a, b = ca.jacobian(r_A, s.p["slide"]), ca.jacobian(r_B, s.p["slide 2"])
    d = r_B - r_A
    across = ca.cross(a / ca.norm_2(a), b / ca.norm_2(b))
    closure = ca.vertcat(-ca.dot(d, a), ca.dot(d, b))
    rates = -ca.inv_minor(ca.jacobian(closure, arcs)) @ s.rate(closure)
    return CrossingPlaces(arcs, r_A, d, across, a * rates[0] - b * rates[1], closure)


def nearest(point: Marker, wire: WirePath, start: Mapping[str, tuple[float, float]]) -> tuple[float, float]:
    """Length along the wire nearest to the point where the bodies start, and its rate [m, m/s].

    ``start`` holds q and v by full name. Newton's method on (p − r(s))·r′(s) = 0 from the track's start.
    """
    for name in (*point.coordinates, *wire.elements[0]):
        if name not in start:
            owner = name.rsplit(".", 1)[0]
            raise ModelError(
                f"something slides between {point.body!r} and {wire.body!r}; {owner!r} is not in the model"
            )
    key = (point.law, tuple(point.numbers), wire.law, tuple(wire.numbers))
    if key not in _CLOSURES:
        _CLOSURES[key] = _closure(point, wire)
    both = lambda names: ([start[n][0] for n in names], [start[n][1] for n in names])
    s, breaks = wire.start, np.array(wire.breaks)
    for _ in range(50):
        k = int(np.clip(np.searchsorted(breaks, s, side="right") - 1, 0, len(breaks) - 2))
        own = [breaks[k], breaks[k + 1] - breaks[k], *wire.numbers.values()]
        c, slope, rate = _CLOSURES[key](
            s, *both(point.coordinates), list(point.numbers.values()), *both(wire.elements[k]), own
        )
        step = -float(c) / float(slope)
        s += step
        if not abs(step) > 1e-13 * breaks[-1]:
            break
    return s, float(rate)


_CLOSURES: dict[Any, ca.Function] = {}


def _closure(point: Marker, wire: WirePath) -> ca.Function:
    """c, ∂c/∂s and ṡ of the nearest point, from s and the coordinates and numbers of both."""
    t, s = ca.SX.sym("t"), ca.SX.sym("s")
    q, v = (ca.SX.sym(x, len(point.coordinates)) for x in "qv")
    e, e_dot = (ca.SX.sym(x, len(wire.elements[0])) for x in ("e", "e_dot"))
    p = {name: ca.SX.sym(name) for name in point.numbers}
    own = {name: ca.SX.sym(name) for name in ("begin", "length", *wire.numbers)}
    frame = point.frame(Symbols(t, q, v, q, v, ca.SX(0, 1), p, ()))
    r = wire.position(s - own["begin"], own["length"], e, own)
    c = ca.dot(frame.p - r, ca.jacobian(r, s))
    slope = ca.jacobian(c, s)
    rate = -(ca.jtimes(c, q, v) + ca.jtimes(c, e, e_dot) + ca.jacobian(c, t)) / slope
    numbers = [ca.vertcat(*x.values(), ca.SX(0, 1)) for x in (p, own)]
    outputs = [ca.substitute(x, t, 0) for x in (c, slope, rate)]
    return ca.Function("closure", [s, q, v, numbers[0], e, e_dot, numbers[1]], outputs)
