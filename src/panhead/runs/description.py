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
from panhead.railway.line.line_places import LinePlace
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_files import pantograph_of
from panhead.railway.vehicle.ride_numerics import RideNumerics
from panhead.railway.vehicle.track import Track
from panhead.railway.vehicle.vehicle_description import Vehicle
from panhead.runs.cables.cables_options import CableOptions, HeadLaw
from panhead.runs.coupled.coupled_options import Coupling
from panhead.runs.force_histories import PushInTime
from panhead.runs.hertz import HertzContact
from panhead.runs.sway import Sway
from panhead.runs.title_block import TitleBlock

_LONGEST_KEEP = 1e6  # between samples that are kept [s]
_NEAREST = 2  # spans
_HERTZ = 1.5  # exponent of Hertz's law for a point contact
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
    """linear: spring and damper; lankarani-nikravesh: Hertzian with hysteresis; joint: rigid sliding joint (solver
    "cables")."""
    stiffness: NewtonsPerMetre | None = None  #: contact stiffness k [N/m, N/mⁿ]; None: the pantograph's
    damping: NewtonSecondsPerMetre | None = None  #: contact damping c [N·s/m]; None: the pantograph's
    exponent: Dimensionless = 1.5  #: exponent n of the law "lankarani-nikravesh"
    restitution: Dimensionless = 0.9  #: coefficient of restitution e of the law "lankarani-nikravesh"
    least_impact_speed: MetresPerSecond = 0.05  #: lower bound of the closing speed δ̇⁻ [m/s]
    form: Literal["embedded", "augmented"] = "embedded"  #: formulation of the sliding joint (kind "joint")
    hertz: HertzContact | None = None
    """Radii and moduli of wire and strip, which give the stiffness k instead (law "lankarani-nikravesh", n = 3/2)."""

    def __post_init__(self) -> None:
        require_positive(self, "exponent", "least_impact_speed")
        if self.hertz is not None:
            self._check_hertz()
        for name in ("stiffness", "damping"):
            if getattr(self, name) is not None:
                (require_positive if name == "stiffness" else require_not_negative)(self, name)
        if not 0.0 <= self.restitution <= 1.0:
            raise ModelError(f"ContactLaw: restitution must be between 0 and 1, got {self.restitution!r}")

    @property
    def given_stiffness(self) -> float | None:
        """Stiffness as given, or from radii and moduli; None: the pantograph's [N/m, N/mⁿ]."""
        return self.stiffness if self.hertz is None else self.hertz.stiffness

    def _check_hertz(self) -> None:
        """ModelError if another stiffness is given as well, or the law is not Hertz's."""
        if self.kind != "lankarani-nikravesh" or self.exponent != _HERTZ:
            raise ModelError(
                f"ContactLaw: hertz needs kind = 'lankarani-nikravesh' and exponent = 1.5, got {self.kind!r} and "
                f"{self.exponent:g}; change them, or give `stiffness` instead of `hertz`"
            )
        if self.stiffness is not None:
            raise ModelError(
                f"ContactLaw: hertz gives the stiffness, and `stiffness` is {self.stiffness:g}; remove one of them"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTrain:
    """One pantograph on the train."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    pantograph: str | LumpedPantograph | Any = field(
        metadata={NAMES: "panhead.railway.pantograph.pantograph_files:read_pantograph"}
    )
    """Shipped name, file, or the description itself."""
    behind: Metres = 0.0  #: distance behind the first pantograph [m]
    changes: Mapping[str, Any] = field(default_factory=dict)  #: changed fields of the pantograph
    sway: Sway | None = None  #: lateral sway with the vehicle in curves; None: the head stays over the track centre
    mean_force: Newtons | Literal["upper limit"] | None = None
    """Prescribed mean contact force over the assessed section; the static force for it is computed. "upper limit": what
    ``standard`` allows at the speed and supply of the run."""

    def __post_init__(self) -> None:
        require_not_negative(self, "behind")
        if self.mean_force is not None and not isinstance(self.mean_force, str):
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
    track: Track  #: track under the vehicle
    foot: tuple[Metres, Metres, Metres]  #: position of the pantograph's foot in the vehicle's axes [m]
    start: Metres = 5.0  #: initial position of the vehicle's origin on the track [m]
    numerics: RideNumerics = field(default_factory=RideNumerics)  #: time step and stored output of the ride


JOURNEY_PLACES: Final = ("start", "stop", "judged_from", "judged_to")  #: fields of a journey that are places


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Start and stop of the first pantograph, and the assessed section."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    start: LinePlace | None = None
    """Start of the first pantograph: metres from the first mast, "km 12+345" or "mast 12-07"; None: the last pantograph
    is half a span into the line."""
    stop: LinePlace | None = None
    """End of the run, position of the first pantograph; None: half a span before the end of the line."""
    duration: Seconds | None = None  #: duration of the run, instead of a stop
    judged_from: LinePlace | None = None
    """Start of the assessed section; None: the first support after the run-in, or earlier to include two spans."""
    judged_to: LinePlace | None = None
    """End of the assessed section; None: the last support at least one span before the stop."""
    settled: bool | None = None
    """Start in static equilibrium under the line, instead of raising the force over the ramp; None: solver "linear"
    uses the ramp, the others start in equilibrium."""
    ramp: Seconds = 2.0  #: time over which the uplift force grows smoothly from zero
    run_in: Metres | None = None
    """Distance after the ramp before the assessment starts; None: 60 m times c/(c − v), at least 120 m, with the wave
    speed c of the contact wire."""

    def __post_init__(self) -> None:
        require_not_negative(self, "ramp", *([] if self.run_in is None else ["run_in"]))
        require_finite(self, *(name for name in JOURNEY_PLACES if not isinstance(getattr(self, name), str)))
        if self.duration is not None:
            require_positive(self, "duration")
            if self.stop is not None:
                raise ModelError("Journey: give either `stop` or `duration`, not both")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numerics:
    """Time step, mesh, window and stored output of a run."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    step: Seconds = 1e-3  #: time step
    element_length: Metres = 1.0  #: length of the finite elements of the wires
    spectral_radius: Dimensionless | None = None
    """Spectral radius of generalized-α at infinite frequency; 1: trapezoidal rule, no numerical damping. None: 1 for
    the solver "linear", 0.7 for the others."""
    window: Literal["auto", "whole", "moving"] = "auto"
    """Part of the line that is computed (solver "linear"); auto: a moving window if the line is longer than 5 km."""
    ahead: int = 48  #: spans of a moving window ahead of the first pantograph
    behind: int = 40  #: spans of a moving window behind the last pantograph
    absorbing: int = 10  #: spans at each end of a moving window over which waves are faded out
    near: int | None = None
    """Spans on each side of the pantographs that have all their elements; farther ones are superelements with
    low-frequency modes only. None: 3, or all if damping does not attenuate high-frequency waves over that distance."""
    keep: Seconds = 0.01  #: time between stored samples of energies, uplifts and dropper forces
    repeat: Literal["coarser", "finer", "none"] = "coarser"
    """Second run for error bars, unless an option of the command says otherwise."""
    explain: Literal["none", "sweep", "trials"] = "sweep"
    """Attribution of σ and force peaks, unless an option of the command says otherwise. sweep: to droppers, supports
    and tensions by one backward sweep, unless the run is long; trials: ten peaks and ten minima, with a run for
    each in which a dropper is changed (about nine runs)."""
    coarse: bool = False  #: run even if mesh or step is too coarse for the result; the report says so

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

    name: str  #: name of the variant
    changes: Mapping[str, Any] = field(default_factory=dict)  #: changes of the run, merged into its tables
    without: tuple[str, ...] = ()  #: fields reset to their defaults
    published: tuple[Newtons, Newtons] | None = None  #: published mean and standard deviation of the contact force [N]

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
    train: tuple[OnTrain, ...]  #: pantographs of the train, from front to rear
    speed: MetresPerSecond | None = None  #: constant speed
    speed_table: tuple[tuple[Seconds, MetresPerSecond], ...] = ()
    """Time and speed, linear in between (solver "linear")."""
    solver: Solver = "linear"
    """linear: small motions of taut wires, lumped pantographs; cables: wires with large deflections, any pantograph,
    one system; coupled: co-simulation of a linear line and any pantograph."""
    line_changes: Mapping[str, Any] = field(default_factory=dict)  #: changed fields of the line
    lateral: bool = False  #: include lateral motion of the wires; the solver "cables" always does
    conditions: Conditions | None = None  #: weather; None: as on the day of erection
    droppers: Literal["slackening", "bilateral"] = "slackening"
    """slackening: tension only; bilateral: droppers carry compression, too."""
    contact: ContactLaw = ContactLaw()  #: contact law between head and contact wire
    roof: tuple[tuple[Seconds, Metres], ...] = ()
    """Time and height of a moving roof under the pantograph (solver "linear"); None: level."""
    pushes: tuple[PushInTime, ...] = ()  #: prescribed forces over time on masses of the pantographs (solver "linear")
    vehicle: OnVehicle | None = None  #: vehicle that carries the pantograph; None: a level roof at the train's speed
    control: HeadLaw | None = None
    """Control law of the pantograph head; the solver "linear" supports velocity feedback only."""
    journey: Journey = Journey()  #: start, stop and assessed section
    numerics: Numerics = Numerics()  #: time step, mesh, window and stored output
    cables: CableOptions | None = None  #: options of the solver "cables"
    coupling: Coupling | None = None  #: options of the solver "coupled"
    standard: str | Edition = field(default="en50367-2012", metadata={NAMES: "panhead.assess.limits:read"})
    """Edition of limits for the assessment: shipped name, file, or the table itself."""
    reference: str | Edition | None = field(default=None, metadata={NAMES: "panhead.assess.limits:read"})
    """Ranges of EN 50318 that a simulation of this reference model must reproduce; reported before the limits."""
    title_block: TitleBlock | None = None  #: project, author, checker, revision and date on the report
    about: str = ""  #: description of the run
    source: str = ""  #: source of published values
    variants: tuple[Variant, ...] = ()  #: the same run with changes, reported side by side

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
