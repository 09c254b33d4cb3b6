"""Wheelset body for multibody models, the rails' forces on it, and rails that hold it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import casadi as ca
import numpy as np

from panhead.engine.multibody.native_rows import directory
from panhead.engine.roles import (
    Body,
    Constraint,
    Coordinate,
    Force,
    Frame,
    Marker,
    Native,
    Row,
    Symbols,
    Terms,
    Triple,
    frame_numbers,
    numbers,
)
from panhead.errors import ModelError, require_finite, require_positive
from panhead.railway.vehicle.kernels.track_frame import TrackArrays
from panhead.railway.vehicle.kernels.wheel_rail import WheelRail
from panhead.railway.vehicle.wheel_contact import aboard

if TYPE_CHECKING:
    from panhead.railway.vehicle.kernels.wheelset_constraint_row import HeldRoom

_NAMES = ("x", "y", "z", "yaw", "roll", "turn")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RollingWheelset(Body):
    """A body of revolution that rolls about its y axis; markers on it do not turn with the wheels.

        q = (p_WC, ψ, φ, χ),   R_WC = R_z(ψ) R_x(φ)   axes of the axle, C its centre
        w_C = (φ̇, χ̇ + ψ̇ sin φ, ψ̇ cos φ)
        T = ½ m ṗ·ṗ + ½ J_d (w₁² + w₃²) + ½ J_a w₂²,   V = −m g·p

    The turn χ enters no term. Roll must stay below a quarter turn.
    """

    name: str
    mass: float  #: m [kg]
    inertia: float  #: J_d about a diameter [kg·m²]
    spin_inertia: float  #: J_a about the axle [kg·m²]
    position: Triple = (0.0, 0.0, 0.0)  #: p_WC at the start [m]
    yaw: float = 0.0  #: ψ at the start [rad]
    roll: float = 0.0  #: φ at the start [rad]
    velocity: Triple = (0.0, 0.0, 0.0)  #: at the start [m/s]
    turn_rate: float = 0.0  #: χ̇ at the start [rad/s]

    def __post_init__(self) -> None:
        require_positive(self, "mass", "inertia", "spin_inertia")
        require_finite(self, "yaw", "roll", "turn_rate")

    def coordinates(self) -> tuple[Coordinate, ...]:
        start = (*self.position, self.yaw, self.roll, 0.0)
        rate = (*self.velocity, 0.0, 0.0, self.turn_rate)
        units = ("m",) * 3 + ("rad",) * 3
        return tuple(
            Coordinate(name=n, unit=unit, start=float(q), rate=float(v))
            for n, unit, q, v in zip(_NAMES, units, start, rate, strict=True)
        )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        return (
            Row(
                law="rolling wheelset",
                terms=_terms,
                owned=self.own(*_NAMES),
                numbers={n: float(getattr(self, n)) for n in ("mass", "inertia", "spin_inertia")}
                | numbers("gravity", gravity),
            ),
        )

    def at(
        self, point: Triple = (0.0, 0.0, 0.0), *, axis: Triple = (0.0, 0.0, 1.0), across: Triple | None = None
    ) -> Marker:
        """Marker on the axle's bearings, in the axes of the axle; it does not turn with the wheels."""
        return Marker(
            body=self.name,
            law="rolling wheelset",
            coordinates=self.own(*_NAMES),
            numbers=frame_numbers(self.name, point, axis, across),
            frame=_frame,
        )

    def whole(self) -> Marker:
        """Marker with all coordinates of the wheelset."""
        return Marker(
            body=self.name, law="whole rolling wheelset", coordinates=self.own(*_NAMES), numbers={}, frame=_axle
        )


def _axle(s: Symbols) -> Frame:
    yaw, roll = s.q[3], s.q[4]
    cy, sy, cr, sr = ca.cos(yaw), ca.sin(yaw), ca.cos(roll), ca.sin(roll)
    R = ca.vertcat(ca.horzcat(cy, -sy * cr, sy * sr), ca.horzcat(sy, cy * cr, -cy * sr), ca.horzcat(0, sr, cr))
    return Frame(s.q[:3], R)


def _frame(s: Symbols) -> Frame:
    return _axle(s).shifted(s.vector("p"), ca.reshape(s.vector("R", 9), 3, 3).T)


def _terms(s: Symbols) -> Terms:
    m, roll = s.p["mass"], s.own_q[4]
    yaw_dot, roll_dot, turn_dot = s.own_v[3], s.own_v[4], s.own_v[5]
    across = roll_dot**2 + (yaw_dot * ca.cos(roll)) ** 2
    about = (turn_dot + yaw_dot * ca.sin(roll)) ** 2
    return Terms(
        kinetic=0.5 * m * ca.sumsqr(s.own_v[:3]) + 0.5 * s.p["inertia"] * across + 0.5 * s.p["spin_inertia"] * about,
        potential=-m * ca.dot(s.vector("gravity"), s.own_q[:3]),
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OnRails(Force):
    """The rails' forces on both wheels of a wheelset, by the contact search of ``wheel_contact``.

    Energies: 2/5 N δ of every contact is potential; damping and creep dissipate; rails that rise or sway
    as the wheel goes by are drivers.
    """

    name: str
    wheelset: RollingWheelset
    contact: WheelRail  #: packed
    track: TrackArrays
    place: float = 0.0  #: guess of the place along the track at the start [m]
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_finite(self, "place")

    def begin(self) -> None:
        """Reset the track position guess to the initial one, so that a repeated run is bit-identical."""
        if self._kept:
            self._kept["parts"][3][0] = self.place

    def here(self) -> np.ndarray:
        """Last position found along the track, (1,) [m]; a resumed run writes it."""
        return np.asarray(self._kept["parts"][3])

    def _terms(self, s: Symbols) -> Terms:
        raise ModelError(
            f"OnRails {self.name!r}: the rails' force has no symbolic expression; use absolute coordinates"
        )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        from panhead.railway.vehicle.kernels import wheelset_row as kernel

        if not self._kept:
            parts = (self.track, self.contact, aboard(), np.array([self.place]))
            self._kept.update(parts=parts, directory=directory(*parts))
        block = self._kept["directory"]
        return (
            Row(
                law="wheelset on rails",
                terms=self._terms,
                numbers={"directory": float(block.ctypes.data)},
                markers=(self.wheelset.whole(),),
                native=Native(
                    residual=int(kernel.residual.address or 0),
                    tangent=int(kernel.tangent.address or 0),
                    account=int(kernel.account.address or 0),
                    keep=self._kept,
                    memory=self.here(),
                ),
            ),
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HeldOnRails(Constraint):
    """Both wheels of a wheelset held on rigid rails, and creep by the normal forces that this takes.

    Two constraints: the blended depth of each wheel in its rail is zero; the multipliers are the normal forces. They
    push and pull: below zero the wheel would have lifted. The rails stand still, so nothing is driven.
    """

    name: str
    wheelset: RollingWheelset
    contact: WheelRail  #: packed
    track: TrackArrays
    blend: float  #: ε, the difference of depth over which contact points share the normal force [m]
    place: float = 0.0  #: guess of the place along the track at the start [m]
    _kept: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_finite(self, "place")
        require_positive(self, "blend")

    def begin(self) -> None:
        """Reset the track position guess to the initial one, so that a repeated run is bit-identical."""
        self._memory()[0] = self.place

    def press(self, normal: np.ndarray) -> None:
        """Tell the normal forces of left and right wheel (2,) [N] that creep has before multipliers are known."""
        self._memory()[1:] = normal

    def held(self) -> HeldRoom:
        """Room of the kernels."""
        self._memory()
        return self._kept["parts"][5]  # type: ignore[no-any-return]

    def _memory(self) -> np.ndarray:
        """Place along the track [m] and the last normal forces [N], (3,); a resumed run writes it."""
        from panhead.railway.vehicle.kernels import wheelset_constraint_row as kernel
        from panhead.railway.vehicle.kernels.blended_contact import BLENDED, CIRCLE, parts_of
        from panhead.railway.vehicle.kernels.wheelset_constraint import KNOWN

        if not self._kept:
            u = self.contact.geometry.wheel_scan[:, 0]
            most = len(u) * parts_of(self.blend, u[1] - u[0])
            sizes = (len(u),), (len(u),), (BLENDED,), (4, 3), (2, KNOWN), (2, most, CIRCLE), (5, 3)
            held = kernel.HeldRoom(*(np.zeros(size) for size in sizes))
            parts = (self.track, self.contact, aboard(), np.array([self.place, 0.0, 0.0]), self.blend, held)
            self._kept.update(parts=parts, directory=directory(*parts))
        return np.asarray(self._kept["parts"][3])

    def _terms(self, s: Symbols) -> Terms:
        raise ModelError(
            f"HeldOnRails {self.name!r}: the rails' constraint has no symbolic expression; use absolute coordinates"
        )

    def rows(self, gravity: Triple) -> tuple[Row, ...]:
        from panhead.railway.vehicle.kernels import wheelset_constraint_row as kernel

        memory = self._memory()
        return (
            Row(
                law="wheelset held on rails",
                terms=self._terms,
                numbers={"directory": float(self._kept["directory"].ctypes.data)},
                markers=(self.wheelset.whole(),),
                constraints=self.own("left", "right"),
                native=Native(
                    residual=int(kernel.residual.address or 0),
                    tangent=int(kernel.tangent.address or 0),
                    account=int(kernel.account.address or 0),
                    rates=int(kernel.rates.address or 0),
                    keep=self._kept,
                    memory=memory,
                ),
            ),
        )
