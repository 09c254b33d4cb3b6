"""The CX pantograph and an overhead line as two codes: run together, and looked at on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from panhead.errors import ModelError, SimulationError
from panhead.jobs import Job
from panhead.kernels.interaction_arrays import U
from panhead.line.linear import LinearLine
from panhead.multibody.system import MultibodySystem
from panhead.pantograph.cx_model import CxModel
from panhead.pantograph.cx_statics import LIFT
from panhead.run.description import ContactLaw
from panhead.run.solvers.coupled.cosimulate import Clocks, in_one_piece
from panhead.run.solvers.coupled.couple import couple
from panhead.run.solvers.coupled.encounter import Encounter
from panhead.run.solvers.coupled.methods import Alpha, Passage
from panhead.run.solvers.coupled.schemes import Iterated, Scheme
from panhead.run.solvers.coupled.side_view import side_view
from panhead.run.solvers.coupled.standing import cx_encounter
from panhead.run.solvers.coupled.watched import Watched
from panhead.run.solvers.linear.pictures import at_rest, wires_of
from panhead.system import Vector

if TYPE_CHECKING:
    import xarray as xr

_FRAME = 0.02  # between two pictures of the line [s]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CxRide:
    """One run: which line, which pantograph, how fast, how tightly coupled."""

    line: LinearLine
    pantograph: CxModel
    law: ContactLaw
    speed: float  #: [m/s]
    start: float  #: where the strip is at t = 0 [m]
    duration: float  #: [s]
    force: float = 157.3  #: static contact force [N]
    height: float = 1.51  #: of the strip above the base at the start [m]
    scheme: Scheme = field(default_factory=Iterated)
    clocks: Clocks = field(default_factory=Clocks)

    def __post_init__(self) -> None:
        first, last = float(self.line.x[0]), float(self.line.x[-1])
        rear = self.start - self.pantograph.strip_gap * (self.pantograph.strips - 1)
        stop = self.start + self.speed * self.duration
        if not first <= rear <= stop < last:
            raise ModelError(
                f"the strip runs from {self.start:g} m to {stop:g} m, but the line goes from {first:g} m to "
                f"{last:g} m; move the start, or shorten the duration"
            )

    def encounter(self) -> Encounter:
        """Line and pantograph at rest under the static force, at the moment they set out at full speed."""
        gaps = (0.0, self.pantograph.strip_gap)[: self.pantograph.strips]
        return cx_encounter(
            self.line,
            Passage(speed=self.speed, start=self.start, behind=gaps),
            law=self.law,
            model=self.pantograph,
            force=self.force,
            height=self.height,
        )


def ridden(ride: CxRide, job: Job | None = None, *, truth: float = 0.0) -> xr.Dataset:
    """Run both sides together: contact, the pantograph's coordinates, uplifts at supports, pictures of the line.

    The first ``truth`` seconds are also computed in one piece, and the distance from that is told. A failure or
    Ctrl-C carries the same of the run so far as ``partial``.
    """
    encounter = ride.encounter()
    views = Views(ride, encounter)
    known = in_one_piece(encounter, duration=truth, clocks=ride.clocks) if truth else None
    try:
        result = couple(
            views.line,
            views.pantograph,
            ride.scheme,
            duration=ride.duration,
            exchange_step=ride.clocks.exchange_step,
            truth=known,
            job=job,
        )
    except SimulationError as error:
        error.partial = views.added(error.partial)
        raise
    return views.added(result)


@final
class Views:
    """What is looked at on the way, and how it joins the result."""

    def __init__(self, ride: CxRide, encounter: Encounter) -> None:
        self.ride, self.encounter, linear, clocks = ride, encounter, ride.line, ride.clocks
        side = encounter.line_side(clocks.step, Alpha(spectral_radius=clocks.spectral_radius))
        other = encounter.pantograph_side(clocks.method, steps=clocks.pantograph_steps)
        supports, every = linear.supports, max(1, round(_FRAME / clocks.exchange_step))
        shape = lambda: side.state.q[U].reshape(linear.ns, -1)
        wires, stations = wires_of(linear), np.arange(linear.ns)
        due = lambda: round(side.time / clocks.exchange_step) % every == 0
        picture = lambda: np.stack([z0 + shape()[stations, dof] for z0, dof in wires])
        self.uplift = Watched(side, lambda: np.array(shape()[supports.station, supports.dof]))
        self.line = Watched(self.uplift, lambda: picture() if due() else None)
        self.pantograph = Watched(other, lambda: np.array(other.stepper.q))

    def added(self, result: xr.Dataset) -> xr.Dataset:
        """The result with everything that was seen."""
        linear, system, ride = self.ride.line, self.encounter.pantograph, self.ride
        n = result.sizes["time"]
        times, pictures = self.line.seen()
        return result.assign_coords(
            coordinate=list(system.coordinates), support_x=linear.supports.x, station=linear.x
        ).assign(
            q=(("time", "coordinate"), self.pantograph.seen()[1][:n]),
            contact_x=("time", ride.start + ride.speed * result["time"].to_numpy(), _m("place along the track")),
            support_uplift=("support_x", self.uplift.seen()[1][:n].max(axis=0), _m("largest uplift")),
            frame_time=("frame", times, {"units": "s"}),
            wire_z=(("frame", "wire", "station"), pictures.astype(np.float32), _m("height")),
            static_z=(("wire", "station"), at_rest(linear)[:, 1:].T, _m("height at rest")),
            dropper_x=("dropper", linear.droppers.x, _m("place of the dropper")),
        ).assign(self._side(times)).assign_attrs(self._attributes())  # fmt: skip

    def _attributes(self) -> dict[str, float]:
        paths, begin = self.ride.line.paths, self.encounter.start
        strip = self.encounter.strips[0].touch(0.0, begin.q, begin.v, 0.0)
        return {
            "speed": self.ride.speed,
            "start": self.ride.start,
            "strip_x": strip.x,
            "base_z": strip.height - self.ride.height,
            "moment": self.encounter.pantograph.parameters[LIFT],
            "wave_speed": min(float(np.sqrt(p.tension / p.mass_per_length)) for p in paths),
        }

    def _side(self, times: Vector) -> dict[str, Any]:
        """The linkage from the side at the times of the pictures; a flexible member is not drawn so."""
        ride, system = self.ride, self.encounter.pantograph
        if ride.pantograph.flexible != "none" or not isinstance(system, MultibodySystem):
            return {}
        at = np.round(times / ride.clocks.exchange_step).astype(int)
        q = self.pantograph.seen()[1][at]
        found = side_view(system, ride.pantograph.linkage, q)
        words = _m("joints from the side, relative to the base: x, z")
        return {
            f"side {name}": (("frame", f"{name} joint", "xz"), points, words)
            for name, points in found.items()
        }


def _m(words: str) -> dict[str, str]:
    return {"units": "m", "long_name": words}
