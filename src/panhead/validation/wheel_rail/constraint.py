"""Wheel–rail contact as a constraint against the elastic contact."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from panhead.engine.forces import Push
from panhead.engine.methods.equilibrium import assemble_configuration, equilibrium, project_onto_constraints
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.multibody import Model
from panhead.engine.multibody.model_dataset import accounts
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.railway.vehicle import WheelRailContact, Wheels, Wheelset, read_profile
from panhead.railway.vehicle.axle import RollingWheelset
from panhead.railway.vehicle.conicity import klingel_wavelength, rigid_contact, swing_wavelength
from panhead.railway.vehicle.wheel_on_rail import WheelOnRail, wheels_on_rails
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, below, listed, near
from panhead.validation.wheel_rail.references import creep_coefficients, crossings, swing

_SPEED, _AMPLITUDE, _GRAVITY = 5.0, 2e-3, 9.81
_ROUNDED = 5e-6  # by which the splines of a profile leave its arcs at most [m], theory/wheel_rail
_HELD = ("axle.x", "axle.y", "axle.yaw", "axle.turn")


def wheel_rail_constraint() -> Sequence[Check]:
    """Wheelset statics, lateral displacement and oscillation against closed forms and the elastic contact."""
    elastic = Wheelset(contact=WheelRailContact(wheels=Wheels(profile=read_profile("cone-1-20"))))
    system, wheel = on_rails(elastic)
    rigid = rigid_contact(elastic.contact, np.array([0.0, 3e-3]))
    q = assemble_configuration(system, _aside(system, 3e-3), fixed=_HELD)
    _, lam = equilibrium(system, system.start.q)
    pressed = float(np.linalg.norm(lam[:3]))
    motion = _swing(system, wheel, _AMPLITUDE, duration=4.6)
    x, y = (motion.q[:, system.place(f"axle.{n}")] for n in "xy")
    wave = float(np.diff(crossings(x, y))[0])
    x_elastic, y_elastic = swing(elastic, _AMPLITUDE, duration=4.6)
    straight = _swing(system, wheel, 0.0, duration=1.0)
    slowed = straight.v[-1, system.place("axle.x")] - _SPEED
    at_rest = "rigid surfaces that touch, found by lowering and a scan"
    return [
        near("normal force, standing", pressed, 0.5 * elastic.load / math.cos(rigid.angle[0, 0]), "N",
            "closed form: half the load over the cosine of the contact angle", rel=1e-4, by=CLOSED_FORM),
        near("height, 3 mm aside", q[system.place("axle.z")], rigid.height[1], "m", at_rest, tol=_ROUNDED,
            by=AFTER),
        near("roll, 3 mm aside", q[system.place("axle.roll")], rigid.roll[1], "rad", at_rest,
            tol=_ROUNDED / 1.5, by=AFTER),
        below("speed lost in 1 s of straight rolling", slowed, 1e-9, "m/s", "no slip", by=CLOSED_FORM),
        near("wavelength, Klingel", wave, klingel_wavelength(elastic.contact, _AMPLITUDE), "m",
            "Klingel 1883; bound of the elastic contact", rel=0.02, by=BEFORE),
        listed("wavelength, roll included", wave, swing_wavelength(elastic.contact, _AMPLITUDE), "m",
            "rolling without slip, first integral and quadrature; creep and inertia neglected"),
        near("wavelength of the elastic contact", wave, float(np.diff(crossings(x_elastic, y_elastic))[0]), "m",
            "the same wheelset by Hertz and Kalker; the bound of Klingel's", rel=0.02, by=BEFORE),
        below("energy not accounted for, relative", _missing(motion, system), 2e-3, "",
            "energy balance: stored, dissipated by creep; bound of vehicle-straight", by=BEFORE),
    ]  # fmt: skip


def on_rails(of: Wheelset) -> tuple[MultibodySystem, WheelOnRail]:
    """Wheelset under the same load with constrained contact, and its left wheel."""
    rigid = rigid_contact(of.contact, np.array([0.0]))
    r, b, angle = (float(x[0, 0]) for x in (rigid.radius, rigid.distance, rigid.angle))
    axle = RollingWheelset(
        name="axle",
        mass=of.mass,
        inertia=of.inertia,
        spin_inertia=of.spin_inertia,
        position=(0.0, 0.0, float(rigid.height[0])),
        velocity=(_SPEED, 0.0, 0.0),
    )
    f11, f22, *_ = creep_coefficients(of, r, b, angle)
    load = Push(name="load", at=axle.at(), force=(0.0, 0.0, of.mass * _GRAVITY - of.load))
    left, right = wheels_on_rails(axle, of.contact, speed=_SPEED, creep=(f11, f22))
    return Model(name="wheelset", items=(axle, load, left, right), gravity=(0.0, 0.0, -_GRAVITY)).system(), left


def _aside(system: MultibodySystem, y: float) -> np.ndarray:
    q = np.array(system.start.q)
    q[system.place("axle.y")] = y
    return q


def _swing(system: MultibodySystem, wheel: WheelOnRail, amplitude: float, duration: float) -> Trajectory:
    """Rolling straight ahead from a place aside, turning as a centred wheelset does."""
    middle, q = (assemble_configuration(system, _aside(system, y), fixed=_HELD) for y in (0.0, amplitude))
    v = np.array(system.start.v)
    v[system.place("axle.turn")] = _SPEED / wheel.radius(middle[system.place(f"{wheel.name}.eta")])
    start = project_onto_constraints(system, State(q=q, v=v))
    method = GeneralizedAlpha(spectral_radius=0.8, tolerance=1e-9)
    return simulate(system, start, duration=duration, dt=1e-4, method=method)


def _missing(motion: Trajectory, system: MultibodySystem) -> float:
    """Of what is turned over in the swing: kinetic energy exchanged, or lost by creep."""
    energies = accounts(system, motion)[:, :2]
    driven, controlled, lost = motion.work[-1]
    stored = energies.sum(axis=1)
    missing = stored[-1] - stored[0] - driven - controlled + lost
    return float(missing / max(float(np.ptp(energies[:, 0])), lost))
