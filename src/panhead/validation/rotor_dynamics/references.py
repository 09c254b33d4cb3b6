"""A rigid symmetric rotor on two soft bearings: its whirl in closed form, and read off a motion in time.

translation   ω² = 2 k/m
cone          J ω² ∓ J_p Ω ω − 2 k l² = 0        forward and backward        [Genta05, ch. 4]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.engine.bodies import RigidBody, ground
from panhead.engine.forces import Bearing
from panhead.engine.methods.integrators import Adaptive
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.steady_rotation import campbell
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.validation.checks import CLOSED_FORM, INDEPENDENT, Check, below, near
from panhead.validation.rotor_dynamics.free_flight import free_flight

_M, _J, _JP, _K, _L = 12.0, 0.3, 0.5, 4e4, 0.25  # mass [kg], inertias [kg·m²], stiffness [N/m], half distance [m]
_SPEEDS = (0.0, 100.0, 300.0)  # [rad/s]


def rotor(speed: float, tilt_rate: float = 0.0) -> tuple[MultibodySystem, State]:
    """The rotor at a speed [rad/s], its axis tilted at a rate about x [rad/s]."""
    body = RigidBody(name="rotor", mass=_M, inertia=(_J, _J, _JP), spin=(tilt_rate, 0.0, speed))
    bearings = [
        Bearing(name=name, a=ground.at((0, 0, z)), b=body.at((0, 0, z)), stiffness=_K, axial_stiffness=_K)
        for name, z in (("low", -_L), ("high", _L))
    ]
    system = Model(name="rotor", items=(body, *bearings), gravity=(0.0, 0.0, 0.0)).system()
    return system, system.start


def _whirl(speed: float) -> tuple[float, float]:
    """Backward and forward whirl of the cone [rad/s]."""
    half = _JP * speed / (2 * _J)
    root = np.sqrt(2 * _K * _L**2 / _J + half**2)
    return float(root - half), float(root + half)


def rotor_dynamics() -> Sequence[Check]:
    """Frequencies by linearisation; one of them from a motion."""
    rows = []
    found = 2 * np.pi * campbell(rotor, _SPEEDS)
    for speed, frequencies in zip(_SPEEDS, found, strict=True):
        names = ("backward whirl", "forward whirl")
        for name, reference in (("translation", np.sqrt(2 * _K / _M)), *zip(names, _whirl(speed), strict=True)):
            value = float(frequencies[np.abs(frequencies - reference).argmin()])
            rows.append(
                near(f"{name} at {speed:g} rad/s", value, float(reference), "rad/s", "closed form", rel=1e-9,
                     by=CLOSED_FORM)
            )  # fmt: skip
    return [*rows, _whirl_in_time(), *free_flight()]


def _whirl_in_time() -> Check:
    """Tilt of the axis after a small kick, beside the two whirls of the closed form superposed.

    From rest at a tilt rate w about x: θ_x + i θ_y = −i w (e^{iω_f t} − e^{−iω_b t})/(ω_f + ω_b).
    """
    speed, kick = 100.0, 1e-4
    system, start = rotor(speed, kick)
    motion = simulate(system, start, duration=0.2, dt=1e-3, method=Adaptive(rtol=1e-11, atol=1e-15))
    e = motion.q[:, 3:7].T
    axis = np.array([2 * (e[1] * e[3] + e[0] * e[2]), 2 * (e[2] * e[3] - e[0] * e[1])])  # x and y of the rotor's axis
    back, forward = _whirl(speed)
    tilt = -1j * kick * (np.exp(1j * forward * motion.t) - np.exp(-1j * back * motion.t)) / (forward + back)
    size = np.abs(tilt).max()
    worst = np.abs(axis - np.array([tilt.imag, -tilt.real])).max() / size
    source = "superposed whirls; terms of second order in a tilt of 1e-6 rad, rtol of the integrator"
    return below("tilt over 0.2 s at 100 rad/s, of its largest", float(worst), 1e-6, "1", source, by=INDEPENDENT)
