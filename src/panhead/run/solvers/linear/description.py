"""A run in words: which train passes under which line, how fast, from where to where, how finely.

Everything is frozen, in SI units, and readable from a TOML file (``panhead.scenarios.line``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files.units import (
    Dimensionless,
    Metres,
    MetresPerSecond,
    NewtonSecondsPerMetre,
    NewtonsPerMetre,
    Seconds,
)
from panhead.line.description import Line
from panhead.pantograph.lumped import LumpedPantograph


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactLaw:
    """How head and contact wire push each other apart at a penetration δ > 0; never a pull.

        linear               F = max(0, k δ + c δ̇)                                   ``laws/dropper``
        lankarani-nikravesh  F = k δⁿ max(0, 1 + χ δ̇/δ̇⁻),  χ = ¾ (1 − e²)          ``laws/contact`` [Lankarani90]

    δ̇⁻ is the speed with which the present contact began.
    """

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    kind: Literal["linear", "lankarani-nikravesh"] = "linear"
    stiffness: NewtonsPerMetre | None = None  #: k [N/m, N/mⁿ]; None: the pantograph's
    damping: NewtonSecondsPerMetre | None = None  #: c [N·s/m]; None: the pantograph's
    exponent: Dimensionless = 1.5  #: n
    restitution: Dimensionless = 0.9  #: e
    least_impact_speed: MetresPerSecond = 0.05  #: δ̇⁻ is not taken smaller [m/s]

    def __post_init__(self) -> None:
        require_positive(self, "exponent", "least_impact_speed")
        for name in ("stiffness", "damping"):
            if getattr(self, name) is not None:
                (require_positive if name == "stiffness" else require_not_negative)(self, name)
        if not 0.0 <= self.restitution <= 1.0:
            raise ModelError(
                f"ContactLaw: restitution must be between 0 and 1, got {self.restitution!r}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class OnTrain:
    """One pantograph on the train."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    model: str | LumpedPantograph  #: shipped name, file, or the description itself
    behind: Metres = 0.0  #: distance behind the first pantograph [m]

    def __post_init__(self) -> None:
        require_not_negative(self, "behind")


@dataclass(frozen=True, slots=True, kw_only=True)
class Journey:
    """Where the first pantograph starts and stops, and which part of its way is judged."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    start: Metres | None = (
        None  #: None: half a span into the line (the last pantograph's place) [m]
    )
    stop: Metres | None = None  #: None: half a span before the line's end [m]
    judged_from: Metres | None = None  #: None: after the run-in [m]
    judged_to: Metres | None = None  #: None: one span before the stop [m]
    ramp: Seconds = 2.0  #: the lifting force grows smoothly from zero over this time [s]
    run_in: Metres = (
        120.0  #: passed after the ramp before judging starts, where judged_from is None [m]
    )

    def __post_init__(self) -> None:
        require_not_negative(self, "ramp", "run_in")
        for name in ("start", "stop", "judged_from", "judged_to"):
            value = getattr(self, name)
            if value is not None and not math.isfinite(value):
                raise ModelError(f"Journey: {name} must be finite, got {value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Numerics:
    """How finely the run is computed and what is kept of it."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    step: Seconds = 1e-3
    element_length: Metres = 1.0
    spectral_radius: Dimensionless = (
        1.0  #: of generalized-α; 1: trapezoidal rule, no numerical loss
    )
    window: Literal["auto", "whole", "moving"] = (
        "auto"  #: auto: moving if the line is longer than 5 km
    )
    ahead: int = 32  #: spans of a moving window before the first pantograph
    behind: int = 26  #: spans behind the last pantograph
    absorbing: int = 24  #: of these, spans at each end over which waves fade
    keep: Seconds = 0.01  #: between samples of energies, uplifts and dropper forces
    repeat: Literal["finer", "coarser"] = "finer"  #: what --error-bars compares with

    def __post_init__(self) -> None:
        require_positive(self, "step", "element_length", "keep", "ahead", "behind")
        require_not_negative(self, "absorbing")
        if not 0.0 <= self.spectral_radius <= 1.0:
            raise ModelError(
                f"Numerics: spectral_radius must be between 0 and 1, got {self.spectral_radius!r}"
            )
        if self.absorbing >= min(self.ahead, self.behind):
            raise ModelError(
                f"Numerics: {self.absorbing} absorbing spans do not fit into a window of {self.behind} spans "
                f"behind and {self.ahead} ahead"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class LineRun:
    """Pantographs under an overhead line."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    line: str | Line  #: shipped name, file, or the description itself
    pantographs: tuple[OnTrain, ...]
    speed: MetresPerSecond | None = None  #: constant speed [m/s]
    speed_table: tuple[
        tuple[Seconds, MetresPerSecond], ...
    ] = ()  #: time and speed, straight between
    line_changes: Mapping[str, Any] = field(default_factory=dict)  #: fields of the line that differ
    lateral: bool = False  #: also let the wires move sideways
    droppers: Literal["slackening", "bilateral"] = "slackening"  #: bilateral ones push as well
    contact: ContactLaw = ContactLaw()
    journey: Journey = Journey()
    numerics: Numerics = Numerics()
    standard: str = "en50367-2012"  #: edition of limits to judge by
    about: str = ""

    def __post_init__(self) -> None:
        if not self.pantographs:
            raise ModelError("LineRun: there is no pantograph; give at least one in `pantographs`")
        if (self.speed is None) == (not self.speed_table):
            raise ModelError("LineRun: give either `speed` or `speed_table`")
        if self.speed is not None:
            require_positive(self, "speed")
        _check_table(self.speed_table)
        behind = [p.behind for p in self.pantographs]
        if sorted(set(behind)) != behind or behind[0] != 0.0:
            raise ModelError(
                f"LineRun: pantographs go from front to rear, the first at 0 m; got {behind} m"
            )


def _check_table(table: tuple[tuple[float, float], ...]) -> None:
    if not table:
        return
    times, speeds = zip(*table, strict=True)
    if len(table) < 2 or times[0] != 0.0 or any(b <= a for a, b in itertools.pairwise(times)):
        raise ModelError(
            f"LineRun: speed_table needs rising times from 0 s and at least two rows, got {times}"
        )
    if min(speeds) < 0.0 or max(speeds) <= 0.0 or not all(map(math.isfinite, speeds)):
        raise ModelError(
            f"LineRun: speeds in speed_table must be ≥ 0 and not all zero, got {speeds}"
        )
