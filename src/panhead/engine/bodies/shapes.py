"""Reference configuration of a beam: sections along a straight line or along a curve."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from panhead.engine.laws.hermite import gauss
from panhead.engine.roles import Triple, axes_along
from panhead.engine.rotations import about, product, quaternion_of
from panhead.errors import ModelError

_STEP = 1e-4  # of the share of a curve, for its slope by five points: their error is 1e-12 for turns of some radians
_POINTS = 8  # of Gauss for the length of a piece


class BeamShape(NamedTuple):
    """A beam at rest."""

    places: list[np.ndarray]  #: of the nodes, (3,) each [m]
    attitudes: list[np.ndarray]  #: Euler parameters of their sections, (4,) each, neighbours on one side
    lengths: np.ndarray  #: of the elements along the axis [m]


def straight(begin: Triple, end: Triple, elements: int, across: Triple | None, twist: float, owner: str) -> BeamShape:
    """Equal elements from one place to the other."""
    along = np.subtract(end, begin)
    axes = _first_axes(along, across, owner)
    shares = np.linspace(0.0, 1.0, elements + 1)
    places = [np.array(begin) + s * along for s in shares]
    lengths = np.full(elements, float(np.linalg.norm(along)) / elements)
    return BeamShape(places, _twist_axes([axes] * (elements + 1), shares * twist), lengths)


def nodes_along(
    curve: Callable[[float], Triple], elements: int, across: Triple | None, twist: float, owner: str
) -> BeamShape:
    """Nodes at equal parameter steps of the curve; axes follow with least rotation, plus ``twist``."""
    shares = np.linspace(0.0, 1.0, elements + 1)
    places = [np.array(curve(float(s)), dtype=float) for s in shares]
    if any(p.shape != (3,) or not np.isfinite(p).all() for p in places):
        raise ModelError(f"{owner}: curve must return three finite numbers for every argument from 0 to 1")
    slopes = [_slope(curve, float(s)) for s in shares]
    lengths = np.array(
        [
            sum(w * (b - a) * float(np.linalg.norm(_slope(curve, a + z * (b - a)))) for z, w in gauss(_POINTS))
            for a, b in zip(shares[:-1].tolist(), shares[1:].tolist(), strict=True)
        ]
    )
    if not lengths.min() > 1e-12 * lengths.sum():
        raise ModelError(f"{owner}: element {int(lengths.argmin())} of its curve has no length")
    axes = [_first_axes(slopes[0], across, owner)]
    for before, after in itertools.pairwise(slopes):
        axes.append(_least_turn(before, after) @ axes[-1])
    return BeamShape(places, _twist_axes(axes, shares * twist), lengths)


def _slope(curve: Callable[[float], Triple], s: float) -> np.ndarray:
    at = lambda k: np.array(curve(s + k * _STEP), dtype=float)
    return np.asarray((8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * _STEP))


def _first_axes(along: np.ndarray, across: Triple | None, owner: str) -> np.ndarray:
    """x along the beam, y towards ``across``, by columns."""
    return axes_along((float(along[0]), float(along[1]), float(along[2])), across, owner=owner)[:, [2, 0, 1]]


def _least_turn(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The rotation that brings the direction a to b about their common normal, (3, 3)."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    n = np.cross(a, b)
    N = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    return np.asarray(np.eye(3) + N + N @ N / (1 + a @ b))


def _twist_axes(axes: list[np.ndarray], angles: np.ndarray) -> list[np.ndarray]:
    """Euler parameters of the axes, each turned about its own x, with signs that do not jump."""
    found: list[np.ndarray] = []
    for R, angle in zip(axes, angles, strict=True):
        e = np.array(product(quaternion_of(R), about((1.0, 0.0, 0.0), float(angle))))
        found.append(-e if found and e @ found[-1] < 0 else e)
    return found
