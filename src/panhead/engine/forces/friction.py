"""Dry friction with stiction, and a regularised smooth law that creeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.bodies.measure import Along, at_start, measure
from panhead.engine.roles import Coordinate, Effort, Expression, Force, Row, Symbols, Terms, Triple
from panhead.errors import ModelError, require_not_negative, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SmoothFriction(Force):
    """Regularised friction: F = R tanh(ė / v),   D = F ė ≥ 0; it creeps instead of sticking."""

    name: str
    along: Along
    force: float  #: R [N] or [N·m]
    speed: float  #: v, below which it fades [m/s] or [rad/s]

    def __post_init__(self) -> None:
        require_positive(self, "force", "speed")
        measure(self, self.along)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m = measure(self, self.along)

        def terms(s: Symbols) -> Terms:
            rate = s.rate(m.write(s))
            F = s.p["force"] * ca.tanh(rate / s.p["speed"])
            return Terms(efforts=(Effort(-F, rate, "dissipated"),), outputs={"force": F})

        values = {"force": self.force, "speed": self.speed}
        return (Row(law=(type(self), m.kind), terms=terms, numbers=values, markers=m.markers),)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class DryFriction(Force):
    """Dry friction by a bristle z that bends, holds and slips          [Canudas95], with true stiction [Dupont02].

        ż = ė − α σ₀ |ė| z / G,   G(ė) = slip + (stick − slip) exp(−(ė / v_s)²)
        F = σ₀ z + σ₁ ż / (1 + σ₁ |ė| / G) + σ₂ ė
        V = ½ σ₀ z²,   D = F ė − σ₀ z ż ≥ 0

    With w = σ₀ z sign(ė) / G: α = 0 for w below ``elastic_share`` (the contact only bends, and a load that stays
    below makes no drift at all), 1 for w ≥ 1, and a half sine wave between. The bristle's damping fades with the
    speed so that the friction never makes energy.
    """

    name: str
    along: Along
    slip_force: float  #: while sliding fast [N] or [N·m]
    stick_force: float | None = None  #: that breaks it loose; None: the same
    stribeck_rate: float = 0.01  #: v_s [m/s] or [rad/s]
    bristle_stiffness: float  #: σ₀ [N/m] or [N·m/rad]
    bristle_damping: float = 0.0  #: σ₁ [N·s/m] or [N·m·s/rad]
    viscous: float = 0.0  #: σ₂ [N·s/m] or [N·m·s/rad]
    elastic_share: float = 0.7  #: of the force that breaks it loose, carried by bending alone

    def __post_init__(self) -> None:
        require_positive(self, "slip_force", "stribeck_rate", "bristle_stiffness")
        require_not_negative(self, "bristle_damping", "viscous")
        if self.stick_force is not None and not self.slip_force <= self.stick_force < np.inf:
            raise ModelError(
                f"DryFriction {self.name!r}: stick_force must be finite and at least slip_force {self.slip_force!r}, "
                f"got {self.stick_force!r}"
            )
        if not 0.0 <= self.elastic_share < 1.0:
            raise ModelError(
                f"DryFriction {self.name!r}: elastic_share must be ≥ 0 and < 1, got {self.elastic_share!r}"
            )
        measure(self, self.along)

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(name="bristle", first_order=True),)

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        """The bristle starts straight and follows the motion."""
        m = measure(self, self.along)
        _, rate = at_start(m.kind, m.markers, m.write, start)
        return (Coordinate(name="bristle", first_order=True, rate=float(rate[0])),)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        m = measure(self, self.along)
        fields = ("slip_force", "stribeck_rate", "bristle_stiffness", "bristle_damping", "viscous")
        values = {n: float(getattr(self, n)) for n in (*fields, "elastic_share")}
        return (
            Row(
                law=(type(self), m.kind),
                terms=lambda s: _terms(s, s.rate(m.write(s))),
                owned=self.own("bristle"),
                numbers=values | {"stick_force": float(self.stick_force or self.slip_force)},
                markers=m.markers,
            ),
        )


def _terms(s: Symbols, e_dot: Expression) -> Terms:
    p, z, z_dot = s.p, s.own_q, s.own_v
    k = p["bristle_stiffness"]
    strength = p["slip_force"] + (p["stick_force"] - p["slip_force"]) * ca.exp(-((e_dot / p["stribeck_rate"]) ** 2))
    w = k * z * ca.sign(e_dot) / strength
    bent = e_dot - _slip_share(w, p["elastic_share"]) * k * ca.fabs(e_dot) * z / strength
    damping = p["bristle_damping"] / (1 + p["bristle_damping"] * ca.fabs(e_dot) / strength)
    force = k * z + damping * bent + p["viscous"] * e_dot
    return Terms(
        potential=0.5 * k * z**2,
        # the second effort takes the bristle's spring out of the equation of z, which is of first order
        efforts=(Effort(-force, e_dot, "dissipated"), Effort(k * z, z_dot, "dissipated")),
        rows=ca.vertcat(ca.SX.zeros(s.q.numel() - 1), z_dot - bent),
    )


def _slip_share(w: Expression, elastic: Expression) -> Expression:
    """α: 0 while the bristle only bends, 1 when it slips."""
    middle = ca.fmin(1, ca.fmax(0, (w - elastic) / (1 - elastic)))
    return 0.5 - 0.5 * ca.cos(np.pi * middle)
