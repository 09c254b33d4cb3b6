"""The ground, and carriers with prescribed motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.roles import Body, Expression, Frame, Marker, Row, Symbols, Triple, frame_numbers
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ground(Body):
    """The fixed ground; it need not be listed in a model."""

    name: str = "ground"

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return ()

    def at(
        self,
        point: tuple[float, ...] = (0.0, 0.0, 0.0),
        *,
        axis: Triple = (0.0, 0.0, 1.0),
        across: Triple | None = None,
    ) -> Marker:
        """A place in the world, in a planar model (x, y); ``axis`` becomes the z axis of items attached there."""
        return Marker(
            body=self.name,
            law="ground",
            coordinates=(),
            numbers=frame_numbers(self.name, point, axis, across, planar=True),
            frame=fixed_frame,
        )


def fixed_frame(s: Symbols) -> Frame:
    """Point and axes from the table."""
    return Frame(s.vector("p"), ca.reshape(s.vector("R", 9), 3, 3).T, True)


ground = Ground()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier(Body):
    """A body whose position is a given function of time; it does not turn and needs no inertia.

    ``position`` writes p_WB(t) as three expressions of t; it must be twice differentiable.
    """

    name: str
    position: Callable[[Expression], Expression]  #: [m]

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return ()

    def place(self, t: float) -> np.ndarray:
        """p_WB at a time [m]."""
        return np.array(ca.DM(ca.evalf(_column(self.position(ca.SX(t))))))[:, 0]

    def at(
        self,
        point: tuple[float, ...] = (0.0, 0.0, 0.0),
        *,
        axis: Triple = (0.0, 0.0, 1.0),
        across: Triple | None = None,
    ) -> Marker:
        """A place on it, in its axes; in a planar model (x, y)."""
        position, name = self.position, self.name

        def frame(s: Symbols) -> Frame:
            p = _column(position(s.t))
            if p.numel() != 3:
                raise ModelError(f"Carrier {name!r}: position must be three expressions, got {p.numel()}")
            local = fixed_frame(s)
            return Frame(p + local.p, local.R, True)

        return Marker(
            body=self.name,
            law=("carrier", self.position),
            coordinates=(),
            numbers=frame_numbers(self.name, point, axis, across, planar=True),
            frame=frame,
        )


def _column(position: Expression) -> Expression:
    """Three expressions, together or one by one, as a column."""
    return position if isinstance(position, ca.SX) else ca.vertcat(*position)
