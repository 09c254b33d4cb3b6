"""Vehicle runs: static equilibrium, rolling start, time integration along the track, outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from panhead.engine.jobs import ignore_progress
from panhead.engine.methods.checkpoints import NO_CHECKPOINTS, Checkpoints
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.errors import Interrupted, ModelError, NotConverged, SimulationError
from panhead.railway.vehicle.axle import HeldOnRails, OnRails
from panhead.railway.vehicle.kernels import wheelset_observe as observe
from panhead.railway.vehicle.kernels.wheel_rail import DERAILED, FLANGE, LIFTED
from panhead.railway.vehicle.vehicle_model import Assembled
from panhead.railway.vehicle.wheel_contact import aboard

_CURVE = [7, 8]  # columns of a track's line: curvature and roll
_ROLLING = 5  # Newton steps to the turning of wheels

Outcome = Literal["on the track", "a wheel lifted", "derailed", "the track ended", "stopped"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A vehicle at rest on its rails."""

    assembled: Assembled
    system: MultibodySystem
    q: np.ndarray  # (nq,)
    lam: np.ndarray  # (nc,)

    def wheel_loads(self) -> np.ndarray:
        """Upward force on the left and right wheel of every wheelset, from the front, (axles, 2) [N]."""
        still = np.zeros((1, len(self.q)))
        seen = observe_rail_forces(self.assembled, self.system, self.q[None], still, self.lam[None])
        return seen.force[0, :, :, 2]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """Wheel–rail forces of every wheel; n times, axles from the front, wheels left and right."""

    place: np.ndarray  # (n, axles) along the track [m]
    lateral: np.ndarray  # (n, axles) of the axle's centre in the track frame [m]
    yaw: np.ndarray  # (n, axles) against the track [rad]
    force: np.ndarray  # (n, axles, 2, 3) on the wheel, along, across, up in the track frame [N]
    wear: np.ndarray  # (n, axles, 2) |T γ|, loss per way [N]
    status: np.ndarray  # (n, axles, 2)
    inside: np.ndarray  # (n, axles) bool


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ride:
    """Motion of a vehicle along its track, up to derailment or the end of the track."""

    standing: Standing
    motion: Trajectory
    seen: Seen
    outcome: Outcome
    message: str  #: what happened, in words


def stand(assembled: Assembled) -> Standing:
    """Find the static equilibrium on the rails at the vehicle's place."""
    system = assembled.model.system()
    with explain_missing_equilibrium(assembled):
        q, lam = equilibrium(system, system.start.q)
    return Standing(assembled=assembled, system=system, q=q, lam=lam)


@contextmanager
def explain_missing_equilibrium(assembled: Assembled) -> Iterator[None]:
    """Context of an equilibrium search; if it fails on rails that are not straight and even, the error says so."""
    try:
        yield
    except NotConverged as error:
        wrong = _describe_rails(assembled)
        if not wrong:
            raise
        last = max(axle.position[0] for axle in assembled.wheelsets)
        raise NotConverged(
            f"vehicle {assembled.vehicle.name!r} has no equilibrium at its place, with its first wheels {last:.4g} m "
            f"along the track {assembled.track.name!r}: {wrong}. Make the track begin straight and its irregularity "
            f"beyond the vehicle's first wheels (even = {math.ceil(last) + 1} m or more; zeros in a measured one), or "
            "change where the vehicle starts"
        ) from error


def _describe_rails(assembled: Assembled) -> str:
    """Description of the rails under the wheels, unless they are straight, level and even."""
    track, places = assembled.rails[0].track, [axle.position[0] for axle in assembled.wheelsets]
    at = track.rough_step * np.arange(len(track.rough))
    off = max(float(np.abs(np.interp(places, at, track.rough[:, 2 * k])).max()) for k in range(4))
    if off > 0.0:
        return f"the rails under its wheels are up to {1e3 * off:.2g} mm off their line"
    nodes = np.clip(np.round(np.array(places) / track.step).astype(int), 0, len(track.line) - 1)
    curved = bool(np.any(track.line[np.ix_(nodes, _CURVE)]))
    return "it stands in a curve" if curved else ""


def rolling_start(standing: Standing, speed: float) -> State:
    """Initial state at a speed along x [m/s], the wheels rolling so that rails neither drive nor brake."""
    if not (np.isfinite(speed) and speed > 0.0):
        raise ModelError(f"the speed must be finite and > 0 m/s, got {speed!r}")
    system, q = standing.system, standing.q
    for rails, normal in zip(standing.assembled.rails, rail_multipliers(standing.assembled, system), strict=True):
        if isinstance(rails, HeldOnRails):
            rails.press(standing.lam[normal])
    along = [k for k, name in enumerate(system.coordinates) if name.endswith(".x")]
    turn = [k for k, name in enumerate(system.coordinates) if name.endswith(".turn")]
    v = np.zeros(len(q))
    v[along], v[turn] = speed, speed / standing.assembled.rolling_radius
    for _ in range(_ROLLING):  # Newton; creep is nearly linear
        moment = system.force(0.0, q, v, np.zeros(0))[turn]
        v[turn] -= moment / system.force_v(0.0, q, v, np.zeros(0)).diagonal()[turn]
    return State(q=q.copy(), v=v)


def ride(
    standing: Standing,
    *,
    speed: float,
    duration: float,
    dt: float = 1e-3,
    keep: float = 1e-2,
    method: GeneralizedAlpha | None = None,
    progress: Callable[[float, str], None] = ignore_progress,
    checkpoints: Checkpoints = NO_CHECKPOINTS,
) -> Ride:
    """Run the vehicle from an initial speed. A derailment or the end of the track ends the run without an error.

    An interrupted run raises ``Interrupted`` with the result so far.
    """
    for rails in standing.assembled.rails:
        rails.begin()
    method = method or GeneralizedAlpha(factor="while it serves", tolerance=1e-9)
    start, failure = rolling_start(standing, speed), ""
    try:
        motion = simulate(
            standing.system, start, duration=duration, dt=dt, keep=keep, method=method, progress=progress,
            checkpoints=checkpoints,
        )  # fmt: skip
    except Interrupted as stop:
        if isinstance(stop.partial, Trajectory):
            motion = stop.partial
            seen = observe_rail_forces(standing.assembled, standing.system, motion.q, motion.v, motion.lam)
            stop.partial = _ride(standing, motion, seen, str(stop))
        raise
    except SimulationError as error:
        if not isinstance(error.partial, Trajectory):
            raise
        motion, failure = error.partial, str(error)
    seen = observe_rail_forces(standing.assembled, standing.system, motion.q, motion.v, motion.lam)
    return _ride(standing, motion, seen, failure)


def _ride(standing: Standing, motion: Trajectory, seen: Seen, failure: str) -> Ride:
    """Truncate the run at the first time at which it cannot continue, and add the outcome."""
    outcome, message, last = outcome_of(standing.assembled, motion.t, seen, failure)
    return Ride(
        standing=standing, motion=_first(motion, last), seen=_first_seen(seen, last), outcome=outcome, message=message
    )


def outcome_of(assembled: Assembled, t: np.ndarray, seen: Seen, failure: str = "") -> tuple[Outcome, str, int]:
    """Outcome of a vehicle run in words, and the number of valid times among t (n,)."""
    names = [axle.name for axle in assembled.wheelsets]
    pulled = (seen.status == LIFTED).any(axis=(1, 2)) & seen.inside.all(axis=1)
    if assembled.vehicle.contact.kind == "constraint" and pulled.any():
        k = int(pulled.argmax())
        axle, wheel = np.argwhere(seen.status[k] == LIFTED)[0]
        message = (
            f"the {('left', 'right')[wheel]} wheel of the {names[axle]} would lift at t = {t[k]:.3f} s, "
            f"{seen.place[k, axle]:.1f} m along the track: the rail would have to pull, and the result ends there. "
            'Use contact.kind = "elastic", which lets wheels lift and strike'
        )
        return "a wheel lifted", message, k + 1
    off = ~seen.inside.all(axis=1)
    fallen = (seen.status == DERAILED).any(axis=(1, 2)) & ~off
    if fallen.any() and (not off.any() or fallen.argmax() < off.argmax()):
        k = int(fallen.argmax())
        axle, wheel = np.argwhere(seen.status[k] == DERAILED)[0]
        message = (
            f"the {('left', 'right')[wheel]} wheel of the {names[axle]} left its rail at t = {t[k]:.3f} s, "
            f"{seen.place[k, axle]:.1f} m along the track"
        )
        return "derailed", message, k + 1
    if off.any():
        k = int(off.argmax())
        first = names[int((~seen.inside[k]).argmax())]
        return "the track ended", f"the {first} reached the end of the track at t = {t[k]:.3f} s", max(1, k)
    if failure:
        return "stopped", failure, len(t)
    if (seen.status == LIFTED).any():
        k = int((seen.status == LIFTED).any(axis=(1, 2)).argmax())
        axle, wheel = np.argwhere(seen.status[k] == LIFTED)[0]
        share = float((seen.status == LIFTED).mean())
        message = (
            f"the {('left', 'right')[wheel]} wheel of the {names[axle]} was first without contact at t = "
            f"{t[k]:.3f} s; wheels were without it {100 * share:.3g} % of the time"
        )
        return "a wheel lifted", message, len(t)
    share = float((seen.status == FLANGE).mean())
    message = f"every wheel on its rail at every kept time; on the flange {100 * share:.3g} % of the time"
    return "on the track", message, len(t)


def _first(motion: Trajectory, n: int) -> Trajectory:
    rows = {name: getattr(motion, name)[:n] for name in ("t", "q", "v", "a", "lam", "u", "work", "g", "g_dot")}
    return Trajectory(**rows, notes=motion.notes)


def _first_seen(seen: Seen, n: int) -> Seen:
    names = ("place", "lateral", "yaw", "force", "wear", "status", "inside")
    return Seen(**{name: getattr(seen, name)[:n] for name in names})


def rail_multipliers(assembled: Assembled, system: MultibodySystem) -> np.ndarray:
    """Places of the normal forces among the multipliers, (axles, 2); (axles, 0) where the contact is elastic."""
    held = assembled.vehicle.contact.kind == "constraint"
    names = [rails.own("left", "right") if held else () for rails in assembled.rails]
    return np.array([[system.constraints.index(name) for name in pair] for pair in names], dtype=int)


def observe_rail_forces(
    assembled: Assembled, system: MultibodySystem, q: np.ndarray, v: np.ndarray, lam: np.ndarray
) -> Seen:
    """Recompute the rails' forces along a motion at every time; q, v (n, nq), lam (n, nc)."""
    n, axles = len(q), len(assembled.rails)
    where, force = np.zeros((axles, n, 6)), np.zeros((axles, n, 2, 5))
    status = np.zeros((axles, n, 2), dtype=np.int64)
    normal = rail_multipliers(assembled, system)
    for k, rails in enumerate(assembled.rails):
        columns = [system.place(f"{rails.wheelset.name}.{name}") for name in ("x", "y", "z", "yaw", "roll", "turn")]
        motion = np.ascontiguousarray(q[:, columns]), np.ascontiguousarray(v[:, columns])
        found = where[k], force[k], status[k]
        if isinstance(rails, OnRails):
            observe.observe_wheelset(rails.track, rails.contact, aboard(), rails.place, *motion, *found)
        else:
            pressed = np.ascontiguousarray(lam[:, normal[k]])
            observe.observe_held_wheelset(
                rails.track, rails.contact, rails.blend, aboard(), rails.held(), rails.place, *motion, pressed, *found
            )
    turned = lambda x: np.ascontiguousarray(np.moveaxis(x, 0, 1))
    where, force = turned(where), turned(force)
    return Seen(
        place=where[..., observe.PLACE],
        lateral=where[..., observe.LATERAL],
        yaw=where[..., observe.YAW],
        force=force[..., :3],
        wear=force[..., observe.WEAR],
        status=turned(status),
        inside=where[..., observe.INSIDE] > 0.5,
    )
