"""Base class of joints between two places on bodies."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

import casadi as ca

from panhead.engine.roles import Constraint, Expression, Frame, Marker, Row, Symbols, Terms, Triple
from panhead.errors import ModelError, label


class HasEnds(Protocol):
    """Protocol of items between two places."""

    @property
    def a(self) -> Marker: ...
    @property
    def b(self) -> Marker: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint(Constraint):
    """Equations between frame A of one body and frame B of another, d = p_B − p_A.

    A subclass names its equations and writes them; in the plane it may have fewer.
    """

    labels: ClassVar[tuple[str, ...]]  #: one per equation
    planar_labels: ClassVar[tuple[str, ...]] = ()  #: the same for two planar bodies; none: not offered

    name: str
    a: Marker
    b: Marker

    def __post_init__(self) -> None:
        check_ends(self)

    @staticmethod
    @abstractmethod
    def residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        """The equations in space, (len(labels),)."""

    @staticmethod
    def planar_residual(A: Frame, B: Frame, s: Symbols) -> Expression:
        """The equations between planar bodies, (len(planar_labels),)."""
        raise NotImplementedError

    def numbers(self) -> Mapping[str, float]:
        """Numbers of the joint itself."""
        return {}

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        planar = self._is_planar()
        if planar and not self.planar_labels:
            raise ModelError(
                f"{type(self).__name__} {self.name!r} joins planar bodies {self.a.body!r} and "
                f"{self.b.body!r}; it is available only between bodies in three dimensions"
            )
        write = self.planar_residual if planar else self.residual
        labels = self.planar_labels if planar else self.labels
        return (
            Row(
                law=(type(self), planar),
                terms=lambda s: Terms(constraint=ca.vertcat(write(s.frames[0], s.frames[1], s))),
                numbers=self.numbers(),
                markers=(self.a, self.b),
                constraints=self.own(*labels),
            ),
        )

    def _is_planar(self) -> bool:
        return all(is_planar(m) for m in (self.a, self.b))


def check_ends(joint: HasEnds) -> None:
    """ModelError unless the joint is between two bodies of which one can move."""
    what, a, b = label(joint), joint.a, joint.b
    if a.body == b.body and a.body != "ground":
        raise ModelError(f"{what} joins {a.body!r} with itself; name two bodies")
    if not a.coordinates and not b.coordinates:
        raise ModelError(
            f"{what} joins {a.body!r} and {b.body!r}, neither of which has coordinates; at least one must "
            "be a body that can move"
        )


def is_planar(marker: Marker) -> bool:
    """True if what is attached here stays in the plane for any parameter values; known by the marker's law."""
    n, names = len(marker.coordinates), tuple(marker.numbers)
    key = (marker.law, n, names)
    if key not in _PLANAR:
        empty, p = ca.SX.sym("q", n), {name: ca.SX.sym(name) for name in names}
        frame = marker.frame(Symbols(ca.SX.sym("t"), empty, empty, empty, empty, ca.SX(0, 1), p, ()))
        _PLANAR[key] = frame.planar
    return _PLANAR[key]


_PLANAR: dict[Hashable, bool] = {}


def in_plane_normal(axis: Expression) -> Expression:
    """The direction in the plane that is 90° ahead of ``axis``."""
    return ca.vertcat(-axis[1], axis[0], 0)
