"""Dataset of a vehicle run: motion with energy balance, wheel–rail forces, the observed point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.engine.multibody.model_dataset import dataset
from panhead.engine.multibody.outline import positions
from panhead.railway.vehicle.kernels.track_frame import place_on_track, track_frame
from panhead.railway.vehicle.track import Track
from panhead.railway.vehicle.vehicle_description import CAR
from panhead.railway.vehicle.vehicle_ride import Ride

if TYPE_CHECKING:
    import xarray as xr

STATUS = ("tread", "flange", "lifted", "derailed")  #: words for the numbers of ``status``
_STEADY = 1e-9  # curvature changing less than this along the vehicle is constant [1/m]


def ride_dataset(ride: Ride, watched: tuple[float, float, float]) -> xr.Dataset:
    """Build the result dataset of a vehicle run; outcome and message are attributes.

    ``watched`` is a point on the car body in the vehicle's axes at rest; its lateral and vertical motion from there is
    recorded in the frame of the track beneath it.
    """
    standing = ride.standing
    assembled, seen = standing.assembled, ride.seen
    result = dataset(assembled.model, standing.system, ride.motion)
    result = result.drop_vars([n for n in result.variables if str(n).startswith("outline")])
    axles, m = [axle.name for axle in assembled.wheelsets], {"units": "m"}
    each = ("time", "axle")
    foot = watched_motion(ride, watched)
    needed = lateral_needed(ride)
    _, roll = curvature_at(assembled.track, seen.place)
    rise = 0.5 * assembled.track.rail_distance * np.abs(np.sin(roll)).mean(axis=1)
    across = seen.force[..., 1].sum(axis=(1, 2))
    result = result.assign_coords(axle=axles, wheel=["left", "right"], direction=["along", "across", "up"]).assign(
        place=(each, seen.place, m | {"long_name": "place along the track"}),
        lateral=(each, seen.lateral, m | {"long_name": "lateral displacement of the axle"}),
        axle_yaw=(each, seen.yaw, {"units": "rad", "long_name": "yaw of the axle"}),
        wheel_force=((*each, "wheel", "direction"), seen.force, {"units": "N"}),
        wear=((*each, "wheel"), seen.wear, {"units": "N", "long_name": "wear number"}),
        status=((*each, "wheel"), seen.status, {"flag_meanings": " ".join(STATUS)}),
        static_load=(("axle", "wheel"), standing.wheel_loads(), {"units": "N"}),
        watched_along=("time", foot[:, 0], _labels("way of the watched place", "m")),
        watched_lateral=("time", foot[:, 1], _labels("lateral motion of the watched place", "m")),
        watched_vertical=("time", foot[:, 2], _labels("vertical motion of the watched place", "m")),
        track_height=("time", rise, _labels("rise of the track's middle by cant", "m")),
        lateral_force=("time", across, _labels("lateral force of all wheels", "N")),
        lateral_needed=("time", needed, _labels("asked for by curve and cant", "N")),
    )
    gravity = abs(assembled.model.gravity[2])
    attrs: dict[str, Any] = {
        "outcome": ride.outcome,
        "message": ride.message,
        "vehicle": assembled.vehicle.name,
        "weight": assembled.vehicle.mass * gravity,
        "outputs": ["watched_vertical", "watched_lateral"],
    }
    steady = steady_curve(ride)
    if steady.any():
        attrs |= {"curve_lateral": float(across[steady].mean())}
        attrs |= {"curve_needed": float(needed[steady].mean())}
    return result.assign_attrs(attrs)


def _labels(name: str, unit: str) -> dict[str, str]:
    return {"long_name": name, "units": unit}


def watched_motion(ride: Ride, watched: tuple[float, float, float]) -> np.ndarray:
    """Way along the track, lateral and vertical motion in its frame of a place on the car body, (n, 3) [m]."""
    assembled, motion = ride.standing.assembled, ride.motion
    body: Any = next(item for item in assembled.model.items if item.name == CAR)
    centre = assembled.vehicle.car.centre
    marker = body.at(tuple(float(a - b) for a, b in zip(watched, centre, strict=True)))
    world = positions(ride.standing.system, motion, [marker])[:, 0]
    track = assembled.rails[0].track
    s, c, T, out = float(world[0, 0]), np.zeros(3), np.zeros((3, 3)), np.zeros((len(world), 3))
    for k, p in enumerate(world):
        s = place_on_track(track, p[0], p[1], s)
        track_frame(track, s, c, T)
        out[k] = s, *(T.T @ (p - c))[1:]
    out[:, 1:] -= out[0, 1:]
    return out


def curvature_at(track: Track, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Curvature [1/m] and roll [rad] of a track at places along it."""
    corner, bend, roll = track.corners()
    return np.interp(place, corner, bend), np.interp(place, corner, roll)


def lateral_needed(ride: Ride) -> np.ndarray:
    """Lateral force m (κ v² cos φ + g sin φ) that the curve requires, to the left in the plane of the rails, (n,) [N].

    κ > 0 to the left, where the outer rail, the right one, lies higher: φ < 0. Every axle counts alike.
    """
    assembled, motion, system = ride.standing.assembled, ride.motion, ride.standing.system
    bend, roll = curvature_at(assembled.track, ride.seen.place)
    columns = [system.place(f"{CAR}.{name}") for name in ("x", "y")]
    speed = np.linalg.norm(motion.v[:, columns], axis=1)[:, None]
    gravity = abs(assembled.model.gravity[2])
    each = bend * speed**2 * np.cos(roll) + gravity * np.sin(roll)
    return np.asarray(assembled.vehicle.mass * each.mean(axis=1))


def steady_curve(ride: Ride) -> np.ndarray:
    """True where all axles have been in the same curve for the last two seconds, (n,) bool."""
    bend, _ = curvature_at(ride.standing.assembled.track, ride.seen.place)
    same = (np.ptp(bend, axis=1) < _STEADY) & (np.abs(bend[:, 0]) > _STEADY)
    t = ride.motion.t
    first = np.searchsorted(t, t - 2.0)
    count = np.concatenate([[0], np.cumsum(same)])
    run = np.arange(len(t))
    return np.asarray((count[run + 1] - count[first] == run + 1 - first) & (t >= 2.0))
