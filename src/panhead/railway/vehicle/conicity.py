"""Wheel–rail kinematics: rolling radius difference, equivalent conicity, Klingel wavelength."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from panhead.errors import ModelError
from panhead.railway.vehicle.kernels.wheel_rail_contact import CONTACTS, NY, NZ, RADIUS, RECORD, RY, U
from panhead.railway.vehicle.kernels.wheel_rail_search import find_contacts, touch_height
from panhead.railway.vehicle.wheel_contact import WheelRailContact, online


@dataclass(frozen=True, slots=True, kw_only=True)
class RigidContact:
    """A rigid wheelset on rigid rails over its lateral position; arrays (n,), or (n, 2) left, right."""

    y: np.ndarray  #: [m]
    height: np.ndarray  #: of the wheelset's centre [m]
    roll: np.ndarray  #: [rad]
    radius: np.ndarray  #: (n, 2) rolling radii [m]
    angle: np.ndarray  #: (n, 2) contact angles, > 0 where the rail pushes to the middle of the track [rad]
    distance: np.ndarray  #: (n, 2) of the contact points from the wheelset's middle [m]

    @property
    def radius_difference(self) -> np.ndarray:
        """r_left − r_right [m]."""
        return self.radius[:, 0] - self.radius[:, 1]


def rigid_contact(contact: WheelRailContact, y: np.ndarray) -> RigidContact:
    """Contact of a rigid wheelset at lateral positions y (n,) [m]: both wheels touch without penetration."""
    rows = [_contact_radii(contact, float(value)) for value in np.atleast_1d(y)]
    height, roll, radius, angle, distance = (np.array(part) for part in zip(*rows, strict=True))
    return RigidContact(y=np.atleast_1d(y), height=height, roll=roll, radius=radius, angle=angle, distance=distance)


def _contact_radii(contact: WheelRailContact, y: float) -> tuple[object, ...]:
    geometry = online(contact).packed().geometry
    records = np.zeros((CONTACTS, RECORD))
    top = contact.wheels.radius + 0.04

    def height(side: float, roll: float) -> float:
        return float(touch_height(geometry, side * y, side * roll, top, records))

    roll = brentq(lambda r: height(1.0, r) - height(-1.0, r), -0.03, 0.03, xtol=1e-13)
    wheels = []
    for side in (1.0, -1.0):
        z = height(side, roll) - 1e-8  # a touch deeper, so that the contact is found
        pose = (side * y, z, 0.0, math.sqrt(1.0 - roll * roll), side * roll)
        count = find_contacts(geometry, pose, records)
        if count == 0:
            raise ModelError(f"a wheel does not touch the rail at y = {y:g} m; use a smaller lateral displacement")
        wheels.append(records[:count][records[:count, U].argmin()].copy())
    pair = lambda column: tuple(w[column] for w in wheels)
    angle = tuple(math.atan2(-w[NY], w[NZ]) for w in wheels)
    return height(1.0, roll), roll, pair(RADIUS), angle, pair(RY)


def equivalent_conicity(contact: WheelRailContact, amplitude: float) -> float:
    """γ_e of the cone with the same linear part of Δr over a harmonic y of this amplitude [m]:

    γ_e = 1/(π ŷ) ∫₀^π Δr(ŷ cos θ) cos θ dθ

    by quasi-linearisation, over a midpoint rule of 32 angles.
    """
    if not amplitude > 0.0:
        raise ModelError(f"the amplitude must be > 0 m, got {amplitude!r}")
    theta = (np.arange(32) + 0.5) * math.pi / 32
    y = amplitude * np.cos(theta)
    half = rigid_contact(contact, y[:16])
    difference = np.concatenate([half.radius_difference, -half.radius_difference[::-1]])  # odd in y
    return float((difference * np.cos(theta)).sum() / 32.0 / amplitude)


def klingel_wavelength(contact: WheelRailContact, amplitude: float) -> float:
    """L = 2π √(r₀ s/(2 γ_e)) [m], s the distance between the contact points in the middle position.

    A free wheelset rolling slowly swings with this wavelength [Klingel83].
    """
    middle = rigid_contact(contact, np.zeros(1))
    s = float(middle.distance.sum())
    r0 = float(middle.radius.mean())
    return 2.0 * math.pi * math.sqrt(0.5 * r0 * s / equivalent_conicity(contact, amplitude))


def swing_wavelength(contact: WheelRailContact, amplitude: float) -> float:
    """Wavelength of pure rolling from rest at ``amplitude`` [m], roll and curved Δr included.

    Where the wheels touch, the wheelset is displaced by Y = y + r₀ φ(y), its roll carries it along.
    Rolling without slip Y′ = ψ, ψ′ = −Δr(y)/(r₀ s), so Y′² = 2/(r₀ s) ∫ Δr dY from Y to Ŷ, and the
    quarter wave is a quadrature.
    """
    grid = np.linspace(0.0, amplitude, 41)
    touching = rigid_contact(contact, grid)
    r0, s = float(touching.radius[0].mean()), float(touching.distance[0].sum())
    at_rail = grid + r0 * touching.roll
    work = CubicSpline(at_rail, touching.radius_difference).antiderivative()
    # Y = Ŷ sin θ takes the singularity at the turning point away
    theta = (np.arange(200) + 0.5) * math.pi / 400
    left = 2.0 / (r0 * s) * (work(at_rail[-1]) - work(at_rail[-1] * np.sin(theta)))
    quarter = (at_rail[-1] * np.cos(theta) / np.sqrt(left)).sum() * math.pi / 400
    return float(4.0 * quarter)
