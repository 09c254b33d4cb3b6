"""Measures along which forces act: distance, displacement or coordinate between places on bodies."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.roles import Expression, Frame, Marker, Symbols
from panhead.errors import ModelError, label


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LineBetween:
    """The distance between two places: e = |p_B − p_A| [m].

    Where the places meet it has no direction, and what acts along it has no force there.
    """

    a: Marker
    b: Marker


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Slide:
    """Displacement of B along the z axis of A: e = z_A · (p_B − p_A) [m], with sign."""

    a: Marker
    b: Marker


Along = LineBetween | Slide | str  #: the string is the full name of a coordinate, "body.x" or "hinge.angle"


@final
@dataclass(frozen=True, slots=True)
class Measure:
    """One number e(t, q) of one or two places."""

    kind: Hashable  #: with the laws of the markers, it determines ``write``
    markers: tuple[Marker, ...]
    write: Callable[[Symbols], Expression]


def measure(owner: object, along: Along) -> Measure:
    """Return the measure along which the force named ``owner`` acts; ModelError if it is not valid."""
    if isinstance(along, str):
        if "." not in along:
            raise ModelError(
                f"{label(owner)}: along must be a Line, a Slide or the full name of a coordinate such as "
                f"'body.x', got {along!r}"
            )
        return Measure("coordinate", (coordinate_marker(along),), _coordinate)
    if not isinstance(along, LineBetween | Slide):
        raise ModelError(f"{label(owner)}: along must be a Line, a Slide or a coordinate's name, got {along!r}")
    a, b = along.a, along.b
    if a.coordinates == b.coordinates and a.body == b.body:
        raise ModelError(
            f"{label(owner)} acts between two places on the same body {a.body!r}, whose distance cannot "
            "change; name places on two bodies"
        )
    if isinstance(along, LineBetween):
        return Measure("line", (a, b), _distance)
    return Measure("slide", (a, b), _displacement)


def _coordinate(s: Symbols) -> Expression:
    return s.q[0]


def _distance(s: Symbols) -> Expression:
    return distance(s.frames[0], s.frames[1])


def distance(A: Frame, B: Frame) -> Expression:
    """|p_B − p_A|, plus 1e-12 m at zero so that it is differentiable there."""
    return ca.sqrt(ca.sumsqr(B.p - A.p) + 1e-24)


def _displacement(s: Symbols) -> Expression:
    A, B = s.frames[:2]
    return ca.dot(A.z, B.p - A.p)


def coordinate_marker(name: str) -> Marker:
    """A coordinate as a marker to which forces can be attached."""
    return Marker(body=name.rsplit(".", 1)[0], law="coordinate", coordinates=(name,), numbers={}, frame=_zero_frame)


def _zero_frame(s: Symbols) -> Frame:
    return Frame(ca.SX.zeros(3), ca.SX.eye(3), True)


def spin_of(frame: Frame, s: Symbols) -> Expression:
    """w_WP, (3,): the angular velocity of a frame in the world's axes, ½ Σ aᵢ × ȧᵢ over its axes aᵢ."""
    return sum((ca.cross(a, s.rate(a)) for a in (frame.x, frame.y, frame.z)), ca.SX.zeros(3)) / 2


def at_start(
    key: Hashable,
    markers: Sequence[Marker],
    write: Callable[[Symbols], Expression],
    start: Mapping[str, tuple[float, float]],
) -> tuple[np.ndarray, np.ndarray]:
    """``write`` and its rate where the bodies start, at t = 0; ``start`` holds q and v by full name.

    ModelError if a marker's body is not among them. ``key`` with the markers' laws determines ``write``.
    """
    names = [n for m in markers for n in m.coordinates]
    missing = [n for n in names if n not in start]
    if missing:
        raise ModelError(
            f"something is attached to {missing[0].rsplit('.', 1)[0]!r}, which is not in the model; add that body"
        )
    q, v = ([start[n][k] for n in names] for k in (0, 1))
    p = [x for m in markers for x in m.numbers.values()]
    value, rate = measure_function(key, markers, write)(0.0, q, v, p)
    return np.array(value)[:, 0], np.array(rate)[:, 0]


def measure_function(key: Hashable, markers: Sequence[Marker], write: Callable[[Symbols], Expression]) -> ca.Function:
    """``write`` and its rate as a function of t, q, v and the numbers of the markers, cached by their laws."""
    law = (key, tuple((m.law, len(m.coordinates), tuple(m.numbers)) for m in markers))
    if law not in _MEASURES:
        _MEASURES[law] = _function(markers, write)
    return _MEASURES[law]


_MEASURES: dict[Any, ca.Function] = {}


def _function(markers: Sequence[Marker], write: Callable[[Symbols], Expression]) -> ca.Function:
    t = ca.SX.sym("t")
    q: list[Any] = []
    v: list[Any] = []
    numbers: list[Any] = []
    frames: list[Frame] = []
    for m in markers:
        mine, rates = ca.SX.sym("q", len(m.coordinates)), ca.SX.sym("v", len(m.coordinates))
        p = {name: ca.SX.sym(name) for name in m.numbers}
        frames.append(m.frame(Symbols(t, mine, rates, mine, rates, ca.SX(0, 1), p, ())))
        q, v, numbers = [*q, mine], [*v, rates], [*numbers, *p.values()]
    Q, V, P, none = ca.vertcat(*q), ca.vertcat(*v), ca.vertcat(*numbers, ca.SX(0, 1)), ca.SX(0, 1)
    s = Symbols(t, Q, V, none, none, none, {}, tuple(frames))
    e = ca.vertcat(write(s))
    return ca.Function("measure", [t, Q, V, P], [e, s.rate(e)])
