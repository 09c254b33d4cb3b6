"""Single wheelset, free or in a suspension: hunting motion, eigenvalues, critical speed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from scipy.optimize import brentq

from panhead.errors import ModelError, NotConverged, require_not_negative, require_positive
from panhead.files.units import (
    Kilograms,
    KilogramSquareMetres,
    Metres,
    MetresPerSecond,
    Newtons,
    NewtonSecondsPerMetre,
    NewtonsPerMetre,
    Seconds,
)
from panhead.railway.vehicle.kernels import wheelset_motion as kernel
from panhead.railway.vehicle.kernels.track_frame import TrackArrays
from panhead.railway.vehicle.kernels.wheel_rail import DERAILED
from panhead.railway.vehicle.kernels.wheel_rail_contact import CONTACTS, RECORD
from panhead.railway.vehicle.track import Track
from panhead.railway.vehicle.wheel_contact import WheelRailContact, central_height

#: names of the state's numbers
STATE = ("y", "z", "yaw", "roll", "v_x", "v_y", "v_z", "w_x", "w_y", "w_z", "x")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheelset:
    """A wheelset on straight rails; its suspension runs along at constant speed."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    contact: WheelRailContact = field(default_factory=WheelRailContact)
    mass: Kilograms = 1500.0  #: [kg]
    inertia: KilogramSquareMetres = 800.0  #: about a diameter [kg·m²]
    spin_inertia: KilogramSquareMetres = 100.0  #: about the axle [kg·m²]
    load: Newtons = 1e5  #: on both wheels together, own weight included [N]
    lateral_stiffness: NewtonsPerMetre = 0.0  #: [N/m]
    lateral_damping: NewtonSecondsPerMetre = 0.0  #: [N·s/m]
    yaw_stiffness: float = 0.0  #: [N·m/rad]
    yaw_damping: float = 0.0  #: [N·m·s/rad]
    roll_stiffness: float = 0.0  #: [N·m/rad]
    roll_damping: float = 0.0  #: [N·m·s/rad]
    traction_damping: NewtonSecondsPerMetre = 0.0  #: pulls the wheelset along at the speed [N·s/m]

    def __post_init__(self) -> None:
        require_positive(self, "mass", "inertia", "spin_inertia", "load")
        require_not_negative(self, "lateral_stiffness", "lateral_damping", "yaw_stiffness")
        require_not_negative(self, "yaw_damping", "roll_stiffness", "roll_damping")
        require_not_negative(self, "traction_damping")
        if self.contact.kind != "elastic":
            raise ModelError(
                f"Wheelset: contact.kind = {self.contact.kind!r} is for the wheelsets of a vehicle; a single one has "
                "elastic contact"
            )

    def suspended(self, speed: float, track: TrackArrays) -> kernel.Suspended:
        """Numbers for the kernel at a speed [m/s]."""
        return kernel.Suspended(
            m=self.mass,
            I_x=self.inertia,
            I_y=self.spin_inertia,
            load=self.load,
            k_y=self.lateral_stiffness,
            c_y=self.lateral_damping,
            k_yaw=self.yaw_stiffness,
            c_yaw=self.yaw_damping,
            k_roll=self.roll_stiffness,
            c_roll=self.roll_damping,
            c_x=self.traction_damping,
            V=speed,
            track=track,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelsetRun:
    """A wheelset's motion."""

    time: np.ndarray  #: (n,) [s]
    state: np.ndarray  #: (n, 11), columns named by ``STATE``
    worst: tuple[int, int]  #: worst status of left and right wheel: tread, flange, lifted, derailed
    ended: bool = False  #: the track ended before the time did

    def __getitem__(self, name: str) -> np.ndarray:
        return self.state[:, STATE.index(name)]

    @property
    def derailed(self) -> bool:
        """True if a wheel left its rail."""
        return max(self.worst) == DERAILED


#: straight, even, without end
_EVEN = TrackArrays(length=math.inf, step=1e9, line=np.zeros((2, 10)), rough_step=1e9, rough=np.zeros((2, 8)))


class _Rate:
    """Right-hand side dx/dt as a function of x, with its work arrays."""

    def __init__(self, wheelset: Wheelset, speed: float, track: Track | None = None) -> None:
        self.packed = wheelset.contact.packed()
        self.suspended = wheelset.suspended(speed, _EVEN if track is None else track.arrays())
        self.room = kernel.Room(
            p=np.zeros(3),
            R=np.eye(3),
            w=np.zeros(3),
            rail=np.zeros((2, 4)),
            records=np.zeros((2, CONTACTS, RECORD)),
            status=np.zeros(2, dtype=np.int64),
            wrench=np.zeros(6),
        )

    def __call__(self, x: np.ndarray) -> np.ndarray:
        out = np.empty(kernel.STATES)
        kernel.wheelset_rate(self.packed, self.suspended, x, self.room, out)
        return out

    def jacobian(self, x: np.ndarray) -> np.ndarray:
        """∂(dx/dt)/∂x by central differences, without x itself: (10, 10)."""
        steps = [1e-7, 1e-8, 1e-7, 1e-7, *[1e-5] * 3, *[1e-5] * 3]
        out = np.empty((10, 10))
        for k, h in enumerate(steps):
            e = np.zeros(kernel.STATES)
            e[k] = h
            out[:, k] = (self(x + e) - self(x - e))[:10] / (2.0 * h)
        return out


def steady_rolling(wheelset: Wheelset, speed: MetresPerSecond, *, y: Metres = 0.0) -> np.ndarray:
    """State (11,) of a wheelset that rolls at a lateral position y with both wheels loaded equally.

    Height and roll are found so that vertical force and roll moment vanish; the wheels turn with
    the mean of their rolling radii. At y = 0 this is the steady motion.
    """
    require_speed(speed)
    rate = _Rate(wheelset, speed)
    height = central_height(wheelset.contact.wheels, wheelset.contact.rails)
    x = np.zeros(kernel.STATES)
    x[0], x[1], x[4], x[8] = y, height - 3e-4, speed, speed / height  # deep: forces are convex in z
    pick, free, scale = [6, 7, 8], [1, 3, 8], np.array([1e-7, 1e-7, 1e-5])
    for _ in range(60):
        residual = rate(x)[pick]
        J = np.empty((3, 3))
        for k in range(3):
            e = np.zeros(kernel.STATES)
            e[free[k]] = scale[k]
            J[:, k] = (rate(x + e) - rate(x - e))[pick] / (2.0 * scale[k])
        step = np.linalg.solve(J, -residual)
        x[free] += step
        if np.all(np.abs(step) < [1e-12, 1e-11, 1e-9 * speed]):
            return x
    raise NotConverged(
        f"no steady rolling at y = {y:g} m and {speed:g} m/s; the last step still was "
        f"{np.abs(step).max():.1e}. Try a smaller y: flange contact has no equal loads"
    )


def run(
    wheelset: Wheelset,
    start: np.ndarray,
    *,
    speed: MetresPerSecond,
    duration: Seconds,
    dt: Seconds = 1e-4,
    every: int = 10,
    track: Track | None = None,
) -> WheelsetRun:
    """March a wheelset by Runge–Kutta steps of ``dt``; states are kept every so many steps.

    ``track`` must be straight; its rails may be irregular. Without one rails are even and endless. Where
    the track ends the motion does, too, and ``ended`` says so.
    """
    require_speed(speed)
    if not (duration > 0.0 and dt > 0.0):
        raise ModelError(f"duration and step must be > 0 s, got {duration!r} and {dt!r}")
    if track is not None and any(section.radius is not None for section in track.sections):
        raise ModelError(f"Track {track.name!r}: a single wheelset runs on straight track only")
    rate = _Rate(wheelset, speed, track)
    count = max(1, math.ceil(duration / (dt * every) - 1e-9))
    out, worst = np.empty((count + 1, kernel.STATES)), np.zeros(2, dtype=np.int64)
    kept = kernel.march_wheelset(
        rate.packed,
        rate.suspended,
        np.array(start, dtype=float),
        dt,
        every,
        rate.room,
        np.empty((5, kernel.STATES)),
        out,
        worst,
    )
    return WheelsetRun(
        time=dt * every * np.arange(kept),
        state=out[:kept],
        worst=(int(worst[0]), int(worst[1])),
        ended=kept < count + 1,
    )


def eigenvalues(wheelset: Wheelset, speed: MetresPerSecond) -> np.ndarray:
    """Eigenvalues of small motions about steady rolling [1/s], the least damped first."""
    x = steady_rolling(wheelset, speed)
    lam = np.linalg.eigvals(_Rate(wheelset, speed).jacobian(x))
    return lam[np.argsort(-lam.real)]


def hunting_eigenvalue(wheelset: Wheelset, speed: MetresPerSecond) -> complex:
    """The least damped oscillation's eigenvalue, imaginary part > 0 [1/s]."""
    lam = eigenvalues(wheelset, speed)
    swing = lam[lam.imag > 1e-3]
    return complex(swing[swing.real.argmax()])


def critical_speed(wheelset: Wheelset, low: MetresPerSecond, high: MetresPerSecond) -> float:
    """The speed between ``low`` and ``high`` at which small hunting neither grows nor decays [m/s]."""
    growth = lambda v: hunting_eigenvalue(wheelset, v).real
    if growth(low) > 0.0 or growth(high) < 0.0:
        raise ModelError(
            f"hunting must decay at {low:g} m/s and grow at {high:g} m/s, got growth rates "
            f"{growth(low):.3g} and {growth(high):.3g} 1/s; move the bounds"
        )
    return float(brentq(growth, low, high, rtol=1e-6))


def require_speed(speed: float) -> None:
    """Raise ModelError unless a speed is finite and > 0."""
    if not (speed > 0.0 and math.isfinite(speed)):
        raise ModelError(f"the speed must be finite and > 0 m/s, got {speed!r}")
