"""Description of a pantograph run: line, train, speed, journey, numerics, solver.

Everything is frozen, in SI units, and readable from a TOML file (``kind = "run"``).
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Final, Literal

from panhead.assess.limits import Edition
from panhead.errors import (
    ModelError,
    require_at_most,
    require_finite,
    require_not_negative,
    require_parts,
    require_positive,
)
from panhead.files import parse
from panhead.files.embed import NAMES
from panhead.files.units import (
    Dimensionless,
    Metres,
    MetresPerSecond,
    Newtons,
    NewtonSecondsPerMetre,
    NewtonsPerMetre,
    Seconds,
)
from panhead.railway.line.conditions import Conditions
from panhead.railway.line.line_description import Line
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_files import pantograph_of
from panhead.railway.vehicle.ride_numerics import RideNumerics
from panhead.railway.vehicle.track import Track
from panhead.railway.vehicle.vehicle_description import Vehicle
from panhead.runs.cables.cables_options import CableOptions, HeadLaw
from panhead.runs.coupled.coupled_options import Coupling
from panhead.runs.force_histories import PushInTime
from panhead.runs.sway import Sway

_LONGEST_KEEP = 1e6  # between samples that are kept [s]
_NEAREST = 2  # spans
FASTEST: Final = 1000.0  #: of a train [m/s]
Solver = Literal["linear", "cables", "coupled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactLaw:
    """Contact force between head and contact wire at a penetration δ > 0; never a pull.

        linear               F = max(0, k δ + c δ̇)                                   ``engine/laws/unilateral_spring``
        lankarani-nikravesh  F = k δⁿ max(0, 1 + χ δ̇/δ̇⁻),  χ = ¾ (1 − e²)          ``contact`` [Lankarani90]
        joint                no penetration: the head slides on the wire and cannot leave it (solver "cables")

    δ̇⁻ is the speed with which the present contact began.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    kind: Literal["linear", "lankarani-nikravesh", "joint"] = "linear"
    stiffness: NewtonsPerMetre | None = None  #: k [N/m, N/mⁿ]; None: the pantograph's
    damping: NewtonSecondsPerMetre | None = None  #: c [N·s/m]; None: the pantograph's
    exponent: Dimensionless = 1.5  #: n
    restitution: Dimensionless = 0.9  #: e
    least_impact_speed: MetresPerSecond = 0.05  #: δ̇⁻ is not taken smaller [m/s]
    form: Literal["embedded", "augmented"] = "embedded"  #: of a joint: how it is solved

    def __post_init__(self) -> None:
        require_positive(self, "exponent", "least_impact_speed")
        for name in ("stiffness", "damping"):
            if getattr(self, name) is not None:
                (require_positive if name == "stiffness" else require_not_negative)(self, name)
        if not 0.0 <= self.restitution <= 1.0:
            raise ModelError(f"ContactLaw: restitution must be between 0 and 1, got {self.restitution!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTrain:
    """One pantograph on the train."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    pantograph: str | LumpedPantograph | Any = field(
        metadata={NAMES: "panhead.railway.pantograph.pantograph_files:read_pantograph"}
    )
    """Shipped name, file, or the description itself."""
    behind: Metres = 0.0  #: distance behind the first pantograph [m]
    changes: Mapping[str, Any] = field(default_factory=dict)  #: fields of it that differ
    sway: Sway | None = None  #: with the vehicle in curves; None: the head stays over the track's middle
    mean_force: Newtons | None = None  #: wanted of its judged contact force; the static force that gives it is found

    def __post_init__(self) -> None:
        require_not_negative(self, "behind")
        if self.mean_force is not None:
            require_positive(self, "mean_force")
        if isinstance(self.pantograph, Mapping):
            object.__setattr__(self, "pantograph", pantograph_of(self.pantograph))
        if self.pantograph is None or isinstance(self.pantograph, bool | float | int | list):
            raise ModelError(f"OnTrain: pantograph must be a name, a file or a table, got {self.pantograph!r:.60}")


@dataclass(frozen=True, slots=True, kw_only=True)
class OnVehicle:
    """The vehicle that carries the pantograph along a track of its own."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    vehicle: str | Vehicle = field(metadata={NAMES: "panhead.railway.vehicle.vehicle_description:read_vehicle"})
    """Shipped name, file, or the description itself."""
    track: Track
    foot: tuple[Metres, Metres, Metres]  #: where the pantograph stands, in the vehicle's axes [m]
    start: Metres = 5.0  #: where the vehicle's origin stands on the track at the start [m]
    numerics: RideNumerics = field(default_factory=RideNumerics)


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Start and stop of the first pantograph, and the assessed section."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    start: Metres | None = None  #: None: half a span into the line (the last pantograph's place)
    stop: Metres | None = None  #: None: half a span before the line's end
    duration: Seconds | None = None  #: instead of a stop
    judged_from: Metres | None = None  #: None: at the first support after the run-in, or earlier to judge two spans
    judged_to: Metres | None = None  #: None: at the last support that is a span or more before the stop
    settled: bool | None = None
    """Begins in static equilibrium under the line, instead of being lifted over the ramp; None: solver "linear" lifts,
    the others settle."""
    ramp: Seconds = 2.0  #: the lifting force grows smoothly from zero over this time
    run_in: Metres | None = None
    """Passed (after the ramp) before judging starts; None: 60 m times c/(c − v), 120 m at least, with c of waves in the
    contact wire."""

    def __post_init__(self) -> None:
        require_not_negative(self, "ramp", *([] if self.run_in is None else ["run_in"]))
        require_finite(self, "start", "stop", "judged_from", "judged_to")
        if self.duration is not None:
            require_positive(self, "duration")
            if self.stop is not None:
                raise ModelError("Journey: give either `stop` or `duration`, not both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numerics:
    """Time step, mesh, window and stored output of a run."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    step: Seconds = 1e-3
    element_length: Metres = 1.0
    spectral_radius: Dimensionless | None = None
    """Of generalized-α at infinite frequency; 1: trapezoidal rule, no numerical loss. None: 1 for the solver "linear",
    0.7 for the others."""
    window: Literal["auto", "whole", "moving"] = "auto"
    """What is computed of the line (solver "linear"); auto: a moving window if the line is longer than 5 km."""
    ahead: int = 48  #: spans of a moving window before the first pantograph
    behind: int = 40  #: spans behind the last pantograph
    absorbing: int = 10  #: of these, spans at each end over which waves fade
    near: int | None = None
    """Of these, spans on each side of the pantographs that have all their elements; further ones are superelements
    with slow modes only. None: 3 or, if damping does not swallow quick waves on that way, all."""
    keep: Seconds = 0.01  #: between samples of energies, uplifts and dropper forces
    repeat: Literal["coarser", "finer", "none"] = "coarser"  #: what error bars come from where no option says
    explain: Literal["none", "sweep", "trials"] = "sweep"
    """What σ and the peaks are attributed to where no option says. sweep: droppers, supports and tensions, by one
    backward sweep, unless the run is long; trials: ten peaks and ten valleys, and a run for each with a dropper
    changed (some nine runs)."""
    coarse: bool = False  #: run although mesh or step decides the answer; the page says so

    def __post_init__(self) -> None:
        require_positive(self, "step", "element_length", "keep", "ahead", "behind")
        if self.keep > _LONGEST_KEEP:
            raise ModelError(f"Numerics: keep must be at most {_LONGEST_KEEP:g} s, got {self.keep!r} s")
        require_not_negative(self, "absorbing")
        if self.near is not None and self.near < _NEAREST:
            raise ModelError(
                f"Numerics: near must be at least {_NEAREST}, because spans around a pantograph need all their "
                f"elements; got {self.near}"
            )
        if self.spectral_radius is not None and not 0.0 <= self.spectral_radius <= 1.0:
            raise ModelError(f"Numerics: spectral_radius must be between 0 and 1, got {self.spectral_radius!r}")
        if self.absorbing >= min(self.ahead, self.behind):
            raise ModelError(
                f"Numerics: {self.absorbing} absorbing spans do not fit into a window of {self.behind} spans "
                f"behind and {self.ahead} ahead; reduce `absorbing`"
            )

    def radius(self, solver: Solver) -> float:
        """Spectral radius at infinite frequency for a solver."""
        own = 1.0 if solver == "linear" else 0.7
        return own if self.spectral_radius is None else self.spectral_radius


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Variant of a run: the same run with changes, computed and shown beside it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    name: str
    changes: Mapping[str, Any] = field(default_factory=dict)  #: of the run, merged deeply
    without: tuple[str, ...] = ()  #: fields set back to their defaults
    published: tuple[Newtons, Newtons] | None = None  #: mean and deviation in print [N]

    def __post_init__(self) -> None:
        if re.search(r"[/@\x00-\x1f\x7f-\x9f]", self.name):
            raise ModelError(
                f"Variant: the name {self.name!r} becomes part of variable names; remove /, @ and control codes"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Pantographs under an overhead line."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: str | Line = field(metadata={NAMES: "panhead.railway.line:read_line"})
    """Shipped name, file, or the description itself."""
    train: tuple[OnTrain, ...]  #: its pantographs, from front to rear
    speed: MetresPerSecond | None = None  #: constant speed
    speed_table: tuple[tuple[Seconds, MetresPerSecond], ...] = ()
    """Time and speed, straight between (solver "linear")."""
    solver: Solver = "linear"
    """linear: small motions of taut wires, pantographs as chains of masses; cables: wires of large deflection, any
    pantograph, one system; coupled: linear line and any pantograph as two codes that meet at every step."""
    line_changes: Mapping[str, Any] = field(default_factory=dict)  #: fields of the line that differ
    lateral: bool = False  #: also let the wires move sideways; cables always do
    conditions: Conditions | None = None  #: weather; None: that of the day the line was erected
    droppers: Literal["slackening", "bilateral"] = "slackening"  #: bilateral ones push as well
    contact: ContactLaw = ContactLaw()
    roof: tuple[tuple[Seconds, Metres], ...] = ()
    """Time and height of a roof that moves under the pantograph (solver "linear"); none: level."""
    pushes: tuple[PushInTime, ...] = ()  #: forces in time on masses of the pantographs (solver "linear")
    vehicle: OnVehicle | None = None  #: what carries the pantograph; None: a level roof at the speed
    control: HeadLaw | None = None  #: a law of the pan-head; solver "linear" carries those of rates
    journey: Journey = Journey()
    numerics: Numerics = Numerics()
    cables: CableOptions | None = None  #: how a line becomes cables (solver "cables")
    coupling: Coupling | None = None  #: how two codes exchange (solver "coupled")
    standard: str | Edition = field(default="en50367-2012", metadata={NAMES: "panhead.assess.limits:read"})
    """Edition of limits to judge by: shipped name, file, or the table itself."""
    about: str = ""
    source: str = ""  #: of published numbers
    variants: tuple[Variant, ...] = ()  #: the same run with changes, side by side

    def __post_init__(self) -> None:
        if not self.train:
            raise ModelError("Run: there is no pantograph; give at least one in `train`")
        require_parts(self, OnTrain, "train")
        require_parts(self, Variant, "variants")
        require_parts(self, PushInTime, "pushes")
        if (self.speed is None) == (not self.speed_table):
            raise ModelError("Run: give either `speed` or `speed_table`")
        if self.speed is not None:
            require_positive(self, "speed")
            require_at_most(self, FASTEST, "speed")
        _check_table(self.speed_table)
        behind = [p.behind for p in self.train]
        if sorted(set(behind)) != behind or behind[0] != 0.0:
            raise ModelError(
                f"Run: list pantographs from front to rear with increasing `behind`, the first at 0 m; got {behind} m"
            )
        names = [v.name for v in self.variants]
        if len(set(names)) < len(names) or not all(names):
            raise ModelError(f"Run: every variant needs a different name, got {names}")
        if self.vehicle is not None and self.roof:
            raise ModelError("Run: give either `vehicle` or `roof`, not both")

    def variant(self, variant: Variant) -> Run:
        """Run of one variant."""
        raw: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("variants", *variant.without):
            if name not in raw:
                raise ModelError(f"variant {variant.name!r}: `without` names {name!r}, which is not a key of a run")
            del raw[name]
        for name, change in variant.changes.items():
            old = raw.get(name)
            raw[name] = change if old is None else parse.merge(parse.to_plain(old), change)
        return parse.build(Run, raw, source=f"variant {variant.name!r}")


def _check_table(table: tuple[tuple[float, float], ...]) -> None:
    if not table:
        return
    times, speeds = zip(*table, strict=True)
    if len(table) < 2 or times[0] != 0.0 or any(b <= a for a, b in itertools.pairwise(times)):
        raise ModelError(f"Run: speed_table needs at least two rows with increasing times from 0 s, got {times}")
    if min(speeds) < 0.0 or not 0.0 < max(speeds) <= FASTEST or not all(map(math.isfinite, speeds)):
        raise ModelError(f"Run: speeds in speed_table must be 0 … {FASTEST:g} m/s and not all zero, got {speeds}")
