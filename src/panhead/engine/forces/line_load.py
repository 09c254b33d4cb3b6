"""Distributed loads along a beam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.engine.bodies.beam import Beam
from panhead.engine.bodies.helicoid import attitude, axes_of, place
from panhead.engine.forces.applied_force import Course
from panhead.engine.laws.hermite import gauss
from panhead.engine.roles import Effort, Force, Row, Symbols, Terms, Triple, corners_of, numbers
from panhead.errors import ModelError

_POINTS = 3  # of Gauss in an element


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LineLoad(Force):
    """A force per length along the axis of a whole beam; ``course`` scales it in time.

    Q = ∫ (∂ṙ/∂v)ᵀ f dx,   f in the world's axes, or R f in those of the sections if it ``follows``
    """

    name: str
    on: Beam
    force: Triple  #: per length of the beam at rest [N/m]
    course: Course | None = None
    follows: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.on, Beam):
            raise ModelError(f"LineLoad {self.name!r}: on must be a Beam, got {self.on!r}")
        if np.shape(self.force) != (3,) or not np.isfinite(self.force).all():
            raise ModelError(f"LineLoad {self.name!r}: force must be three finite numbers, got {self.force!r}")

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        terms = _Terms(self.course, self.follows)
        return tuple(
            Row(
                law=(type(self), self.course, self.follows),
                corners=corners_of(self.course),
                terms=terms,
                owned=self.on.element_names(k),
                numbers={"length": float(length)} | numbers("force", self.force),
            )
            for k, length in enumerate(self.on.shape().lengths)
        )


@final
@dataclass(frozen=True, slots=True)
class _Terms:
    """The load on one element."""

    course: Course | None
    follows: bool

    def __call__(self, s: Symbols) -> Terms:
        length, q = s.p["length"], s.own_q
        size = s.vector("force") * length * (1 if self.course is None else self.course(s.t))
        efforts = []
        for z, w in gauss(_POINTS):
            f = axes_of(attitude(z, q[3:7], q[10:14])) @ size if self.follows else size
            efforts.append(Effort(w * f, s.rate(place(z * length, length, q)), "driver"))
        return Terms(efforts=tuple(efforts))
