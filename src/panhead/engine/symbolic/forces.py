"""Forces of a mechanism in generalised coordinates.

A force acts along a scalar measure s(q, t), its *stroke*: a length, an angle, a height. With magnitude F
(positive if it pushes s to grow) the generalised force and the power it gives to the mechanism are

    Q = F (∂s/∂q)ᵀ,   P = F ṡ,   ṡ = s_q v + s_t.

Each force says where its power comes from or goes to: potential energy, a damper, a control, a driver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

import casadi as ca

from panhead.engine.laws.gravity import GRAVITY
from panhead.engine.symbolic.bodies import PlacedBody
from panhead.errors import ModelError


class StrokeForce(ABC):
    """Base class of forces. Subclass it and override nothing but these methods."""

    name: str

    @abstractmethod
    def stroke(self) -> Any:
        """s(q, t) [m or rad]."""

    def potential(self) -> Any:
        """V(q, t) [J]; the force −∂V/∂s is added for you."""
        return ca.SX(0)

    def magnitude(self, rate: Any) -> Any:
        """The part of F without potential [N or N·m], given ṡ."""
        return ca.SX(0)

    def dissipation(self, rate: Any) -> Any:
        """Power taken out [W], ≥ 0, given ṡ; part of the power of ``magnitude``."""
        return ca.SX(0)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Spring(StrokeForce):
    """V = ½ k (s − s₀)²."""

    name: str
    along: Any  #: s(q, t) [m or rad]
    stiffness: Any  #: k [N/m or N·m/rad]
    rest: Any = 0.0  #: s₀ [m or rad]

    def stroke(self) -> Any:
        return ca.SX(self.along)

    def potential(self) -> Any:
        return 0.5 * self.stiffness * (self.along - self.rest) ** 2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Damper(StrokeForce):
    """F = −c ṡ, dissipating c ṡ²."""

    name: str
    along: Any  #: s(q, t) [m or rad]
    damping: Any  #: c [N·s/m or N·m·s/rad]

    def stroke(self) -> Any:
        return ca.SX(self.along)

    def magnitude(self, rate: Any) -> Any:
        return -self.damping * rate

    def dissipation(self, rate: Any) -> Any:
        return self.damping * rate**2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantForce(StrokeForce):
    """F = F₀, whatever the motion; V = −F₀ s."""

    name: str
    along: Any  #: s(q, t) [m or rad]
    force: Any  #: F₀ [N or N·m]

    def stroke(self) -> Any:
        return ca.SX(self.along)

    def potential(self) -> Any:
        return -self.force * self.along


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Potential(StrokeForce):
    """Any conservative force by its energy V(q, t), a nonlinear spring for instance."""

    name: str
    energy: Any  #: V(q, t) [J]

    def stroke(self) -> Any:
        return ca.SX(0)

    def potential(self) -> Any:
        return ca.SX(self.energy)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StrokeActuator(StrokeForce):
    """F = gain · u with the control called ``channel``."""

    name: str
    along: Any  #: s(q, t) [m or rad]
    channel: str  #: name of the control u [N or N·m]
    gain: Any = 1.0

    def stroke(self) -> Any:
        return ca.SX(self.along)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AppliedForce(StrokeForce):
    """F(q, v, t) given from outside; its power counts as that of a driver."""

    name: str
    along: Any  #: s(q, t) [m or rad]
    force: Any  #: F(q, v, t) [N or N·m]

    def stroke(self) -> Any:
        return ca.SX(self.along)

    def magnitude(self, rate: Any) -> Any:
        return ca.SX(self.force)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gravity:
    """Weight of every body that has a mass: V = Σ m g h, h the last component of its position."""

    acceleration: Any = GRAVITY  #: g [m/s²]

    def potential(self, bodies: tuple[PlacedBody, ...]) -> Any:
        """V(q, t) of all bodies together [J]."""
        heavy = [b for b in bodies if b.mass is not None]
        return sum((b.mass * self.acceleration * ca.SX(b.position[-1]) for b in heavy), ca.SX(0))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """Equations C(q, t) = 0 that close a loop or prescribe a motion, one name for all of them."""

    name: str
    equations: tuple[Any, ...]  #: expressions that must stay zero
    labels: tuple[str, ...] = ()  #: a word per equation, e.g. ("x", "y")

    def __post_init__(self) -> None:
        if not self.equations:
            raise ModelError(f"closure {self.name!r} has no equation")
        if self.labels and len(self.labels) != len(self.equations):
            raise ModelError(
                f"closure {self.name!r} has {len(self.equations)} equations, but {len(self.labels)} labels"
            )

    def names(self) -> tuple[str, ...]:
        """One name per equation, to be found again in messages and results."""
        if len(self.equations) == 1 and not self.labels:
            return (self.name,)
        labels = self.labels or tuple(str(i + 1) for i in range(len(self.equations)))
        return tuple(f"{self.name} {label}" for label in labels)
