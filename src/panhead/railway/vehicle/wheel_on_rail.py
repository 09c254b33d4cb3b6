"""Wheel–rail contact as a constraint, with surface parameters as coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import casadi as ca
import numpy as np

from panhead.engine.roles import Constraint, Coordinate, Effort, Expression, Row, Symbols, Terms, Triple, numbers
from panhead.errors import ModelError, require_positive
from panhead.railway.vehicle.axle import RollingWheelset
from panhead.railway.vehicle.conicity import rigid_contact
from panhead.railway.vehicle.profiles import Curve
from panhead.railway.vehicle.wheel_contact import WheelRailContact

_NAMES = ("eta", "beta", "along", "across")
_NEAR = 4e-3  # half the stretch over which a profile is taken as a cubic [m]
_WHEELSET = 6  # coordinates of a wheelset, the turn last
Cubic = tuple[float, float, float, float]  #: lowest power first


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WheelOnRail(Constraint):
    """One wheel of a wheelset held on a straight rail, surface parameters kept (augmented)  [Pappalardo16, Shabana08].

        r_w(η, β) = p + R (ρ(η) sin β, ±η, −ρ(η) cos β)      wheel, a surface of revolution
        r_r(X, Y) = (X, ±Y, Z(Y)),   n = (0, ∓Z′, 1)          rail, a cylinder; + left, − right
        g = (r_w − r_r,  n·∂r_w/∂η,  n·∂r_w/∂β) = 0           five equations
        s = (η, β, X, Y) without inertia                      four coordinates:  g_sᵀ λ = 0

    What remains is one condition, and a force along n: λ = (N n/|n|, 0, 0). Creep is Kalker's linear law with
    coefficients that do not know N, at the speed V of the train; w is the speed of the wheel's material:

        F = −f₁₁/V (w·e_x) e_x − f₂₂/V (w·t) t,   t = (0, ±1, Z′)/|…|
    """

    name: str
    wheelset: RollingWheelset
    side: Literal["left", "right"]
    place: float  #: η₀ = Y₀ of the contact where the wheelset stands in the middle [m]
    wheel: Cubic  #: ρ over η − η₀ [m]
    rail: Cubic  #: Z over Y − Y₀ [m]
    speed: float = 1.0  #: V [m/s]
    creep: tuple[float, float] = (0.0, 0.0)  #: f₁₁, f₂₂ [N]

    def __post_init__(self) -> None:
        require_positive(self, "place", "speed")
        if min(self.creep) < 0.0:
            raise ModelError(
                f"WheelOnRail {self.name!r}: coefficients of creep must not be negative, got {self.creep!r}"
            )

    def radius(self, eta: float) -> float:
        """ρ of the wheel at η [m]."""
        return float(np.polynomial.Polynomial(self.wheel)(eta - self.place))

    def coordinates(self) -> tuple[Coordinate, ...]:
        start = (self.place, 0.0, self.wheelset.position[0], self.place)
        units, rates = ("m", "rad", "m", "m"), (0.0, 0.0, self.wheelset.velocity[0], 0.0)
        each = zip(_NAMES, units, start, rates, strict=True)
        return tuple(Coordinate(name=n, unit=unit, start=q, rate=v) for n, unit, q, v in each)

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        values = {"side": 1.0 if self.side == "left" else -1.0, "place": self.place}
        f11, f22 = self.creep
        return (
            Row(
                law=type(self),
                terms=_terms,
                owned=self.own(*_NAMES),
                numbers=values
                | numbers("wheel", self.wheel)
                | numbers("rail", self.rail)
                | {"c1": f11 / self.speed, "c2": f22 / self.speed},
                markers=(self.wheelset.whole(),),
                constraints=self.own("x", "y", "z", "tilt", "turn"),
            ),
        )


def _terms(s: Symbols) -> Terms:
    A, side = s.frames[0], s.p["side"]
    eta, beta, X, Y = ca.vertsplit(s.own_q)
    rho, rho_eta = _cubic(s, "wheel", eta - s.p["place"])
    Z, Z_Y = _cubic(s, "rail", Y - s.p["place"])
    c = ca.vertcat(rho * ca.sin(beta), side * eta, -rho * ca.cos(beta))
    over = ca.vertcat(rho_eta * ca.sin(beta), side, -rho_eta * ca.cos(beta))  # ∂c/∂η
    n = ca.vertcat(0, -side * Z_Y, 1) / ca.sqrt(1 + Z_Y**2)
    t = ca.vertcat(0, side, Z_Y) / ca.sqrt(1 + Z_Y**2)
    r = A.p + A.R @ c
    g = ca.vertcat(
        r - ca.vertcat(X, side * Y, Z),
        ca.dot(n, A.R @ over),
        ca.dot(n, A.R @ ca.vertcat(ca.cos(beta), 0, ca.sin(beta))),
    )
    # the material of the wheel: carried along with the axle, and turning about it
    still = ca.vertcat(s.v[:_WHEELSET], ca.SX.zeros(len(_NAMES)))
    w = ca.jtimes(r, s.q, still) + s.v[_WHEELSET - 1] * ca.cross(A.y, A.R @ c)
    slip = (w[0], ca.dot(w, t))
    efforts = tuple(Effort(-s.p[k] * x, x, "dissipated") for k, x in zip(("c1", "c2"), slip, strict=True))
    return Terms(constraint=g, efforts=efforts)


def _cubic(s: Symbols, name: str, x: Expression) -> tuple[Expression, Expression]:
    """Value and slope."""
    a, b, c, d = (s.p[f"{name}.{i}"] for i in range(4))
    return a + x * (b + x * (c + x * d)), b + x * (2 * c + 3 * x * d)


def wheels_on_rails(
    wheelset: RollingWheelset, contact: WheelRailContact, *, speed: float = 1.0, creep: tuple[float, float] = (0.0, 0.0)
) -> tuple[WheelOnRail, WheelOnRail]:
    """Both wheels, left and right, on the profiles of a contact.

    Each profile is the cubic nearest to it within 4 mm of the contact of a centred wheelset: right for lateral
    motions of some millimetres on the tread, not for flanges.
    """
    place = float(rigid_contact(contact, np.array([0.0])).distance[0, 0])
    wheel, rail = _near(contact.wheels.curve(), place), _near(contact.rails.curve(), place)
    made = (
        WheelOnRail(
            name=f"{wheelset.name} {side} wheel",
            wheelset=wheelset,
            side=side,
            place=place,
            wheel=wheel,
            rail=rail,
            speed=speed,
            creep=creep,
        )
        for side in ("left", "right")
    )
    left, right = made
    return left, right


def _near(curve: Curve, place: float) -> Cubic:
    """Least-squares cubic about a place, lowest power first."""
    points = curve.at(np.linspace(0.0, curve.length, 8001))
    close = points[np.abs(points[:, 0] - place) < _NEAR]
    fit = np.polynomial.Polynomial.fit(close[:, 0] - place, close[:, 1], 3, domain=[-1, 1], window=[-1, 1])
    a, b, c, d = map(float, fit.coef)
    return a, b, c, d
