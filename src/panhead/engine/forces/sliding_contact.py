"""Sliding contact of a point with a wire through an elastic contact law, one-sided or two-sided."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.bodies.wires import NearestPlace, nearest, nearest_place
from panhead.engine.forces.springs import one_sided
from panhead.engine.roles import (
    Coordinate,
    Effort,
    Expression,
    Force,
    Marker,
    Row,
    Symbols,
    Terms,
    Triple,
    WirePath,
    numbers,
    require_axis,
    require_places,
)
from panhead.errors import ModelError, require_not_negative, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Rubbing:
    """Coulomb's friction with stiction, by a bristle z that bends and slips      [Canudas95, Dupont02].

        ż = v − α σ₀ |v| z / G,   G(v) = slip + (stick − slip) exp(−(v / v_s)²),   F = N (σ₀ z + σ₁ ż)

    N is the normal force, v the speed along the wire, σ₁ fades as 1 / (1 + σ₁ |v| / G). α is 0 while σ₀ z stays
    below ``elastic_share`` of G, so that what sticks does not creep, and 1 from G on.
    """

    slip: float  #: coefficient while sliding fast
    stick: float | None = None  #: that breaks it loose; None: the same
    stribeck_speed: float = 0.01  #: v_s [m/s]
    bristle_stiffness: float = 1e4  #: σ₀ [1/m]
    bristle_damping: float = 10.0  #: σ₁ [s/m]
    elastic_share: float = 0.7

    def __post_init__(self) -> None:
        require_positive(self, "slip", "stribeck_speed", "bristle_stiffness")
        require_not_negative(self, "bristle_damping")
        if self.stick is not None and not self.slip <= self.stick < np.inf:
            raise ModelError(f"Rubbing: stick must be finite and at least slip {self.slip!r}, got {self.stick!r}")
        if not 0.0 <= self.elastic_share < 1.0:
            raise ModelError(f"Rubbing: elastic_share must be ≥ 0 and < 1, got {self.elastic_share!r}")

    def numbers(self) -> dict[str, float]:
        fields = ("slip", "stribeck_speed", "bristle_stiffness", "bristle_damping", "elastic_share")
        values = {name: float(getattr(self, name)) for name in fields}
        return values | {"stick": float(self.stick or self.slip)}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SlidingContact(Force):
    """The elastic form of the sliding joint: point p of a body, nearest point r(s) of a wire.

        (p − r)·r′ = 0 gives s;   d = p − r

    Without ``normal`` the wire holds the point from all sides: V = ½ k d·d. With it the wire only pushes:
    n is ``normal`` without its part along the wire, δ = −n·d how deep the point has gone in, F(k δ, c δ̇) the law of
    ``engine/laws/unilateral_spring``, and the point may leave the wire, or slide on it across n.
    """

    name: str
    point: Marker
    wire: WirePath
    stiffness: float  #: k [N/m]
    damping: float = 0.0  #: c [N·s/m]
    normal: Triple | None = None  #: the direction in which the wire pushes the point; None: it holds it
    friction: Rubbing | None = None

    def __post_init__(self) -> None:
        require_places(self)
        require_positive(self, "stiffness")
        require_not_negative(self, "damping")
        if self.normal is not None:
            require_axis(f"SlidingContact {self.name!r}", "normal", self.normal)
        if self.point.body == self.wire.body:
            raise ModelError(
                f"SlidingContact {self.name!r}: the point lies on the wire {self.wire.body!r} itself; name a "
                "point of another body"
            )

    def coordinates(self) -> tuple[Coordinate, ...]:
        return (Coordinate(name="bristle", first_order=True),) if self.friction else ()

    def start_coordinates(self, start: Mapping[str, tuple[float, float]]) -> tuple[Coordinate, ...]:
        """The bristle starts straight and follows the motion along the wire."""
        if self.friction is None:
            return ()
        _, rate = nearest(self.point, self.wire, start)
        return (Coordinate(name="bristle", first_order=True, rate=rate),)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        values = {"slide": self.wire.start, "k": self.stiffness, "c": self.damping}
        if self.normal is not None:
            values |= numbers("normal", require_axis(self.name, "normal", self.normal))
        rubs = self.friction is not None
        return (
            Row(
                law=(type(self), self.normal is not None, rubs),
                terms=_Terms(self.normal is not None, rubs),
                owned=self.own("bristle") if rubs else (),
                numbers=values | (self.friction.numbers() if self.friction else {}),
                markers=(self.point,),
                tracks=(self.wire,),
            ),
        )


@final
@dataclass(frozen=True, slots=True)
class _Terms:
    """Energies and efforts; the hidden variable is s."""

    unilateral: bool
    rubs: bool

    def __call__(self, s: Symbols) -> Terms:
        place = nearest_place(s)
        arc, closure = place.arc, place.closure
        arc_rate = -s.rate(closure) / ca.jacobian(closure, arc)
        total = lambda e: s.rate(e) + ca.jacobian(e, arc) * arc_rate
        V, damper, N, depth = self._normal(s, place, total)
        rows, efforts = None, [damper]
        if self.rubs:
            speed = ca.dot(place.t, s.rate(place.d))
            force, bent = _friction_rates(s, speed)
            efforts.append(Effort(-N * force, speed, "dissipated"))
            rows = ca.vertcat(ca.SX.zeros(s.q.numel() - 1), s.own_v - bent)
        return Terms(
            potential=V,
            efforts=tuple(efforts),
            rows=rows,
            hidden=arc,
            closure=closure,
            outputs={"arc": arc, "depth": depth, "normal force": N},
        )

    def _normal(
        self, s: Symbols, place: NearestPlace, total: Callable[[Expression], Expression]
    ) -> tuple[Expression, Effort, Expression, Expression]:
        """Potential, damper, normal force, depth."""
        k, c, d = s.p["k"], s.p["c"], place.d
        if not self.unilateral:
            rate = total(d)
            depth = ca.sqrt(ca.sumsqr(d) + 1e-30)
            return 0.5 * k * ca.sumsqr(d), Effort(-c * rate, rate, "dissipated"), k * depth, depth
        depth = -ca.dot(place.across(s.vector("normal")), d)
        push = one_sided(depth, total(depth), k, c)
        return push.potential, push.efforts[0], push.outputs["force"], depth


def _friction_rates(s: Symbols, v: Expression) -> tuple[Expression, Expression]:
    """F / N and ż."""
    p, z = s.p, s.own_q
    k, fabs_v = p["bristle_stiffness"], ca.fabs(v)
    G = p["slip"] + (p["stick"] - p["slip"]) * ca.exp(-((v / p["stribeck_speed"]) ** 2))
    share = p["elastic_share"]
    bent_far = ca.fmin(1, ca.fmax(0, (k * z * ca.sign(v) / G - share) / (1 - share)))
    alpha = 0.5 - 0.5 * ca.cos(np.pi * bent_far)
    bent = v - alpha * k * fabs_v * z / G
    damping = p["bristle_damping"] / (1 + p["bristle_damping"] * fabs_v / G)
    return k * z + damping * bent, bent


def contact_events(t: np.ndarray, depth: np.ndarray) -> list[tuple[float, str]]:
    """Times at which a contact opens and closes: sign changes of the depth (n,), interpolated linearly."""
    found = []
    for k in np.flatnonzero((depth[:-1] > 0) != (depth[1:] > 0)):
        share = depth[k] / (depth[k] - depth[k + 1])
        found.append((float(t[k] + share * (t[k + 1] - t[k])), "closes" if depth[k + 1] > 0 else "opens"))
    return found
