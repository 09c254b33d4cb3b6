"""Planar rigid bodies, which stay in the x–y plane, and planar points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import casadi as ca
import numpy as np

from panhead.engine.roles import (
    Body,
    Coordinate,
    Frame,
    Marker,
    Row,
    Symbols,
    Terms,
    Triple,
    axes_along,
    frame_numbers,
    numbers,
)
from panhead.errors import require_finite, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PlanarBody(Body):
    """A rigid body in the plane: q = (x, y, angle), T = ½ m (ẋ² + ẏ²) + ½ J φ̇², V = −m g·p."""

    name: str
    mass: float  #: [kg]
    inertia: float  #: J about the centre of mass [kg·m²]
    position: tuple[float, float] = (0.0, 0.0)  #: of the centre of mass at the start [m]
    angle: float = 0.0  #: at the start [rad]
    velocity: tuple[float, float] = (0.0, 0.0)  #: [m/s]
    spin: float = 0.0  #: [rad/s]
    planar: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_positive(self, "mass", "inertia")
        require_finite(self, "angle", "spin")

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (
            Coordinate(name="x", start=self.position[0], rate=self.velocity[0]),
            Coordinate(name="y", start=self.position[1], rate=self.velocity[1]),
            Coordinate(name="angle", unit="rad", start=self.angle, rate=self.spin),
        )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        values = {"mass": self.mass, "inertia": self.inertia} | numbers("gravity", gravity)
        return (Row(law="planar body", terms=_terms, owned=self.own("x", "y", "angle"), numbers=values),)

    def at(
        self, point: tuple[float, ...] = (0.0, 0.0), *, axis: Triple = (0.0, 0.0, 1.0), across: Triple | None = None
    ) -> Marker:
        """A place on the body, in its axes."""
        return Marker(
            body=self.name,
            law="planar body",
            coordinates=self.own("x", "y", "angle"),
            numbers=frame_numbers(self.name, point, axis, across, planar=True),
            frame=_frame,
        )

    def at_world(
        self, point: tuple[float, ...], *, axis: Triple = (0.0, 0.0, 1.0), across: Triple | None = None
    ) -> Marker:
        """The place that has, at the start, this point of the world and the axes of ``ground.at``."""
        c, s = np.cos(self.angle), np.sin(self.angle)
        R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        axes = R.T @ axes_along(axis, across, owner=self.name)
        local = R.T @ np.array([point[0] - self.position[0], point[1] - self.position[1], 0.0])
        return self.at(tuple(local[:2]), axis=tuple(axes[:, 2]), across=tuple(axes[:, 0]))


def _frame(s: Symbols) -> Frame:
    c, w = ca.cos(s.q[2]), ca.sin(s.q[2])
    R = ca.vertcat(ca.horzcat(c, -w, 0), ca.horzcat(w, c, 0), ca.horzcat(0, 0, 1))
    body = Frame(ca.vertcat(s.q[0], s.q[1], 0), R, True)
    return body.shifted(s.vector("p"), ca.reshape(s.vector("R", 9), 3, 3).T)


def _terms(s: Symbols) -> Terms:
    x, v, m = s.own_q, s.own_v, s.p["mass"]
    return Terms(
        kinetic=0.5 * m * (v[0] ** 2 + v[1] ** 2) + 0.5 * s.p["inertia"] * v[2] ** 2,
        potential=-m * (s.p["gravity.0"] * x[0] + s.p["gravity.1"] * x[1]),
    )
