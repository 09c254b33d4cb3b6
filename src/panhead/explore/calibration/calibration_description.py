"""Description of a calibration: measured passages, unknown parameters with their prior, and what is computed.

Everything is frozen and readable from a TOML file (``kind = "calibration"``). A number may carry a unit ("3 N").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import ModelError, require_not_negative, require_parts, require_positive
from panhead.files.units import Dimensionless, Hertz, Metres, Seconds

Posterior = Literal["laplace", "hmc", "surrogate"]
Quantity = float | str


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredPassage:
    """One passage of a train that was measured: the run that describes it, and its files."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    run: str  #: shipped scenario, FILE.toml or result.nc
    measured: tuple[str, ...]  #: CSV files with force, head_acceleration, uplift or wire_acceleration
    name: str = ""  #: name in this calibration; empty: that of the first file
    changes: Mapping[str, Any] = field(default_factory=dict)  #: changes of the run, such as its speed
    channels: tuple[str, ...] = ()  #: quantities to fit; empty: every one in the files
    pantograph: int = 1  #: number of the measured pantograph, from the front
    noise: Mapping[str, Quantity] = field(default_factory=dict)
    """Quantity → standard deviation of its samples after the filter; those that are absent are estimated."""
    instrument: Instrument | None = None  #: filter, delay and correction of the recorded force; None: not filtered
    validate_only: bool = False  #: predicted and compared, but not fitted

    def __post_init__(self) -> None:
        require_positive(self, "pantograph")
        if not self.measured:
            raise ModelError("passages: give at least one file in `measured`")

    @property
    def title(self) -> str:
        """Name of the passage on pages."""
        return self.name or self.measured[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownParameter:
    """A parameter to be found, with its prior: normal about its value, or log-normal if ``within`` is in per cent."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    parameter: str  #: family of parameters, such as pantograph.mass or wire.tension
    names: str = "*"  #: which of them, as a pattern, such as "*stage 1"; several change alike
    within: Quantity = "20 %"  #: standard deviation of the prior: "20 %" of the value, or an amount ("2 kg")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Unknown parameters and the passages that are to tell them."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    passages: tuple[MeasuredPassage, ...]  #: measured passages
    unknowns: tuple[UnknownParameter, ...]  #: parameters to be found
    cutoff: Hertz = 20.0  #: band of the traces that are fitted
    alignment: Metres = 1.0  #: standard deviation of the places of a record
    clock: Seconds = 5.0  #: standard deviation of the clock of a record by time, about its best correlation
    posterior: Posterior = "laplace"
    """laplace: normal about the maximum; hmc: Hamiltonian Monte Carlo with the exact gradient of every step; surrogate:
    trajectories on the linearised traces, each end accepted or refused by a run."""
    chains: int = 2  #: chains of a sampler
    draws: int = 100  #: draws of each chain, after as many quarter draws of adaptation
    iterations: int = 12  #: largest number of iterations of the search
    leave_out: bool = True  #: with several passages, predict each one from the others
    seed: int = 0  #: seed of a sampler
    confidence: Dimensionless = 0.9  #: probability of the intervals that are shown
    about: str = ""

    def __post_init__(self) -> None:
        require_parts(self, MeasuredPassage, "passages")
        require_parts(self, UnknownParameter, "unknowns")
        if not any(not passage.validate_only for passage in self.passages):
            raise ModelError("calibration: no passage to fit; give one in `passages` without validate_only")
        if not self.unknowns:
            raise ModelError("calibration: nothing is unknown; give at least one parameter in `unknowns`")
        require_positive(self, "cutoff", "alignment", "clock", "chains", "draws", "iterations")
        require_not_negative(self, "seed")
        if not 0.0 < self.confidence < 1.0:
            raise ModelError(f"calibration: confidence must be between 0 and 1, got {self.confidence!r}")
        titles = [passage.title for passage in self.passages]
        if len(set(titles)) < len(titles):
            raise ModelError(f"calibration: passages must have unique names, got {titles}")
