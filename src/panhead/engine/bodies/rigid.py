"""Rigid bodies in space, with Euler parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.bodies.wires import direction_across
from panhead.engine.roles import (
    Body,
    Coordinate,
    Expression,
    Frame,
    Marker,
    Row,
    Symbols,
    Terms,
    Triple,
    WirePath,
    axes_along,
    frame_numbers,
    numbers,
)
from panhead.engine.rotations import Quaternion, matrix_of, rates_of, spin_matrix
from panhead.errors import ModelError, require_positive

_NAMES = ("x", "y", "z", "e0", "e1", "e2", "e3")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RigidBody(Body):
    """A rigid body, its frame B at the centre of mass.

    q = (p_WB, e),   e·e = 1,   w_WB_B = 2 L(e) ė                     [Nikravesh88, ch. 6]
    T = ½ m ṗ·ṗ + ½ wᵀ J w,   V = −m g·p
    """

    name: str
    mass: float  #: m [kg]
    inertia: tuple[float, ...]
    """J about the centre of mass in the body's axes: xx, yy, zz[, xy, xz, yz], or the 3×3 matrix [kg·m²]."""
    position: Triple = (0.0, 0.0, 0.0)  #: p_WB at the start [m]
    attitude: Quaternion = (1.0, 0.0, 0.0, 0.0)  #: Euler parameters at the start
    velocity: Triple = (0.0, 0.0, 0.0)  #: at the start, in the world's axes [m/s]
    spin: Triple = (0.0, 0.0, 0.0)  #: angular velocity at the start, in the body's axes [rad/s]

    def __post_init__(self) -> None:
        require_positive(self, "mass")
        J = np.array(self.inertia, dtype=float)
        if J.shape == (3, 3) and np.allclose(J, J.T, rtol=1e-12, atol=0.0):
            entries = J[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            object.__setattr__(self, "inertia", tuple(float(x) for x in entries))
        elif J.shape not in ((3,), (6,)) or not np.isfinite(J).all():
            raise ModelError(
                f"RigidBody {self.name!r}: inertia must be xx, yy, zz, or these and the entries xy, xz, yz of the "
                f"matrix, or a symmetric 3×3 matrix, got {self.inertia!r}"
            )
        eigenvalues = np.linalg.eigvalsh(self.inertia_matrix())
        if not eigenvalues[0] > 0:
            raise ModelError(f"RigidBody {self.name!r}: inertia must be positive definite, got {self.inertia!r}")
        if eigenvalues[2] > (1 + 1e-6) * (eigenvalues[0] + eigenvalues[1]):
            raise ModelError(
                f"RigidBody {self.name!r}: inertia {self.inertia!r} is not physical: no principal moment may "
                f"exceed the sum of the other two, but these are {', '.join(f'{x:g}' for x in eigenvalues)}"
            )
        if not abs(np.linalg.norm(self.attitude) - 1) < 1e-6:
            raise ModelError(f"RigidBody {self.name!r}: attitude must have length 1, got {self.attitude!r}")

    def inertia_matrix(self) -> np.ndarray:
        """J, (3, 3) [kg·m²]."""
        xx, yy, zz, xy, xz, yz = (*self.inertia, 0.0, 0.0, 0.0)[:6]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def coordinates(self) -> tuple[Coordinate, ...]:
        start = (*self.position, *self.attitude)
        rate = (*self.velocity, *rates_of(self.attitude, self.spin))
        units = ("m",) * 3 + ("",) * 4
        return tuple(
            Coordinate(name=n, unit=unit, start=x, rate=float(w))
            for n, unit, x, w in zip(_NAMES, units, start, rate, strict=True)
        )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (
            Row(
                law="rigid body",
                terms=_terms,
                owned=self.own(*_NAMES),
                numbers={"mass": self.mass}
                | numbers("inertia", (*self.inertia, 0.0, 0.0, 0.0)[:6])
                | numbers("gravity", gravity),
                constraints=self.own("unit length"),
            ),
        )

    def at(
        self, point: Triple = (0.0, 0.0, 0.0), *, axis: Triple = (0.0, 0.0, 1.0), across: Triple | None = None
    ) -> Marker:
        """A place on the body, in its axes; ``axis`` becomes the z axis of items attached there."""
        return Marker(
            body=self.name,
            law="rigid body",
            coordinates=self.own(*_NAMES),
            numbers=frame_numbers(self.name, point, axis, across),
            frame=_frame,
        )

    def at_world(self, point: Triple, *, axis: Triple = (0.0, 0.0, 1.0), across: Triple | None = None) -> Marker:
        """The place that has, at the start, this point of the world and the axes of ``ground.at``."""
        R = np.array(matrix_of(self.attitude))
        local = R.T @ (np.array(point) - np.array(self.position))
        axes = R.T @ axes_along(axis, across, owner=self.name)
        return self.at(tuple(local), axis=tuple(axes[:, 2]), across=tuple(axes[:, 0]))

    def edge(self, begin: Triple, end: Triple, *, start: float | None = None) -> WirePath:
        """The straight line between two points of the body as a track for sliders and contacts: a rod, a strip.

        ``start``: the length along it at which the slider starts; None: its middle.
        """
        along, length = np.subtract(end, begin), math.dist(begin, end)
        if not length > 0:
            raise ModelError(f"RigidBody {self.name!r}: an edge from {begin} to {end} has no length")
        at_start = np.array(matrix_of(self.attitude)) @ along
        return WirePath(
            body=self.name,
            law="edge",
            elements=(self.own(*_NAMES),),
            breaks=(0.0, length),
            position=_on_edge,
            across=direction_across(at_start[None]),
            numbers=numbers("from", begin) | numbers("along", along / length),
            start=length / 2 if start is None else start,
        )


def _on_edge(x: Expression, length: Expression, e: Expression, p: Mapping[str, Expression]) -> Expression:
    part = lambda name: ca.vertcat(*(p[f"{name}.{i}"] for i in range(3)))
    return e[:3] + _axes(e[3:7]) @ (part("from") + x * part("along"))


def _axes(e: Expression) -> Expression:
    return ca.vertcat(*(ca.horzcat(*row) for row in matrix_of(e)))


def _frame(s: Symbols) -> Frame:
    body = Frame(s.q[:3], _axes(s.q[3:7]))
    return body.shifted(s.vector("p"), ca.reshape(s.vector("R", 9), 3, 3).T)


def _terms(s: Symbols) -> Terms:
    p, e, m = s.own_q[:3], s.own_q[3:7], s.p["mass"]
    xx, yy, zz, xy, xz, yz = (s.p[f"inertia.{i}"] for i in range(6))
    J = ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))
    w = 2 * spin_matrix(e) @ s.own_v[3:7]
    return Terms(
        kinetic=0.5 * m * ca.sumsqr(s.own_v[:3]) + 0.5 * ca.dot(w, J @ w),
        potential=-m * ca.dot(s.vector("gravity"), p),
        constraint=ca.sumsqr(e) - 1,
    )
