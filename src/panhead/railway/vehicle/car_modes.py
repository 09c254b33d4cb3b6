"""Named vibration modes of a vehicle: bounce, pitch, roll, yaw, sway of the car body; hunting speed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.linalg
import scipy.optimize

from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.modes import Linearisation, modes
from panhead.errors import ModelError
from panhead.railway.vehicle.vehicle_description import CAR
from panhead.railway.vehicle.vehicle_ride import Standing, rolling_start

#: name of each motion of the car body: along x, y, z, about x, y, z
NAMES = ("surge", "sway", "bounce", "roll", "pitch", "yaw")
_LEAST = 0.3  # share of one motion of the car body in the kinetic energy, for a mode to be called so
_SWINGS = 0.3  # |Im s| above which a mode is an oscillation [1/s]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NamedModes:
    """Oscillatory modes of a vehicle, by frequency."""

    frequency: np.ndarray  # (n,) [Hz]
    damping: np.ndarray  # (n,) of critical
    eigenvalues: np.ndarray  # (n,) [1/s]
    shapes: np.ndarray  # (nq, n)
    car_share: np.ndarray  # (n,) of the kinetic energy
    moved: tuple[str, ...]  # (n,) the part with the largest share of the kinetic energy
    names: tuple[str, ...]  # (n,) "bounce", "pitch", "roll", "yaw", "sway", or the part that moves most

    def of(self, name: str) -> int:
        """Index of the mode with this name; ModelError if there is none."""
        if name not in self.names:
            raise ModelError(f"no mode is called {name!r}; known: {', '.join(self.names)}")
        return self.names.index(name)


def linearise(standing: Standing, speed: float = 0.0) -> Linearisation:
    """Linearise about standing or, with a speed [m/s], about straight rolling."""
    system, q, lam = standing.system, standing.q, standing.lam
    v = rolling_start(standing, speed).v if speed else np.zeros(len(q))
    none, zero = np.zeros(0), np.zeros(len(q))
    tangent = lambda c: dense(system.tangent(c, 0.0, q, v, zero, lam, none))[: len(q), : len(q)]
    G = dense(system.constraint_q(0.0, q))
    Z = scipy.linalg.null_space(G)
    return Linearisation(
        M=Z.T @ tangent((1.0, 0.0, 0.0)) @ Z,
        C=Z.T @ tangent((0.0, 1.0, 0.0)) @ Z,
        K=Z.T @ tangent((0.0, 0.0, 1.0)) @ Z,
        B=np.zeros((Z.shape[1], 0)),
        Z=Z,
    )


def named_modes(standing: Standing, *, speed: float = 0.0, highest: float = 20.0) -> NamedModes:
    """Oscillations up to ``highest`` Hz, named by the motion of the car body.

    For every mode the kinetic energy in each motion of the car body is computed, Σ ½ m |ẋ|², ½ J |θ̇|²; each name
    goes to the mode with the largest share of it, at most one name per mode.
    """
    found = modes(linearise(standing, speed))
    keep = (found.eigenvalues.imag > _SWINGS) & (found.frequency <= highest)
    shapes = found.shapes[:, keep]
    parts, energy = _energies(standing, shapes)
    car = _car_energies(standing, shapes) / energy.sum(axis=0)
    names = [parts[k] for k in energy.argmax(axis=0)]
    for motion, mode in zip(*scipy.optimize.linear_sum_assignment(-car[1:]), strict=True):
        if car[1 + motion, mode] > _LEAST:
            names[mode] = NAMES[1 + motion]
    return NamedModes(
        frequency=found.frequency[keep],
        damping=found.damping[keep],
        eigenvalues=found.eigenvalues[keep],
        shapes=shapes,
        car_share=car.sum(axis=0),
        moved=tuple(parts[k] for k in energy.argmax(axis=0)),
        names=tuple(names),
    )


def _energies(standing: Standing, shapes: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Bodies, and the kinetic energy of each in every mode, (bodies, modes); any scale.

    The rotation of a wheelset about its axle is excluded.
    """
    system = standing.system
    M = dense(system.mass(0.0, standing.q))
    places: dict[str, list[int]] = {}
    for k, name in enumerate(system.coordinates):
        if not name.endswith(".turn"):
            places.setdefault(name.rsplit(".", 1)[0], []).append(k)
    energy = [np.einsum("im,ij,jm->m", shapes[at].conj(), M[np.ix_(at, at)], shapes[at]).real for at in places.values()]
    return list(places), np.array(energy)


def _car_energies(standing: Standing, shapes: np.ndarray) -> np.ndarray:
    """Kinetic energy in the six motions of the car body, (6, modes), on the scale of ``_energies``."""
    system, car = standing.system, standing.assembled.vehicle.car
    at = [system.place(f"{CAR}.{n}") for n in ("x", "y", "z", "e1", "e2", "e3")]
    # it stands upright: small turns are twice the Euler parameters
    motion = shapes[at] * np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0])[:, None]
    inertia = np.array([car.mass] * 3 + list(car.inertia))
    return np.asarray(inertia[:, None] * np.abs(motion) ** 2)


def hunting_speed(standing: Standing, low: float, high: float) -> float:
    """Critical (hunting) speed between ``low`` and ``high``, above which an oscillation grows [m/s]."""
    growth = lambda v: float(named_modes(standing, speed=v).eigenvalues.real.max())
    if growth(low) > 0.0 or growth(high) < 0.0:
        raise ModelError(
            f"oscillations must decay at {low:g} m/s and grow at {high:g} m/s, got growth rates {growth(low):.3g} "
            f"and {growth(high):.3g} 1/s; move the bounds"
        )
    return float(scipy.optimize.brentq(growth, low, high, rtol=1e-5))
