"""RunFamily of runs from which episodes are drawn: lines, speeds, wind, errors of erection, number of pantographs.

An episode is a number of the family: the same seed and split give the same run, on every machine. Lines are divided
once by ``split_seed``: those of the split "test" are never drawn for training.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar, Final, Literal

import numpy as np

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.explore.studies.distributions import Distribution
from panhead.explore.studies.scatter import AsBuilt
from panhead.explore.studies.study_description import Scatter
from panhead.files.units import Dimensionless, Metres, MetresPerSecond
from panhead.railway.line.conditions import Conditions, Wind
from panhead.railway.line.design_line import design_line
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_design import read_design, shipped_designs
from panhead.railway.line.line_files import read_line
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.railway.pantograph.pantograph_files import resolve_pantograph
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.static_force_search import upper_mean_force

Split = Literal["train", "test"]
_STANDARD: Final = "en50367-2012"  # whose upper limit of the mean force the pantographs are set to
#: designs of the catalogue and shipped lines, simple, stitched and twin
LINES: Final = (
    "en50318-2002", "SNCF type", "C-350", "Re 250", "Re 330", "S25", "SICAT H1.0", "CA-220/25kV",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFamily:
    """Runs of one kind: each episode draws line, speed, wind and errors of erection."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    lines: tuple[str, ...] = LINES  #: names of line designs, of shipped lines, or FILE.toml
    spans: int = 10  #: spans of a line made of a design, each of the design's longest
    pantograph: str = "en50318-2002"  #: shipped name or FILE.toml
    pantographs: int = 1  #: of the train
    spacing: Metres = 100.0  #: distance between pantographs
    speeds: tuple[Dimensionless, Dimensionless] = (0.8, 1.0)  #: range of speeds, as a share of the line's own
    highest: MetresPerSecond = 83.333333  #: speed of a shipped line that names none, and limit of all
    wind: MetresPerSecond = 0.0  #: largest mean wind across the track, either way; 0: calm
    intensity: Dimensionless = 0.0  #: of gusts; above 0 the wires move sideways, too
    scatter: tuple[Scatter, ...] = ()  #: errors of erection
    held_out: Dimensionless = 0.25  #: share of lines that belong to the split "test"
    split_seed: int = 0  #: seed of that division
    step: float = 1e-3  #: time step [s]
    element_length: Metres = 1.0

    def __post_init__(self) -> None:
        require_positive(self, "spans", "pantographs", "spacing", "highest", "step", "element_length")
        require_not_negative(self, "wind", "intensity", "split_seed")
        if not self.lines or len(set(self.lines)) < len(self.lines):
            raise ModelError(f"RunFamily: give lines, each once; got {self.lines}")
        low, high = self.speeds
        if not 0.0 < low <= high <= 1.5:
            raise ModelError(
                f"RunFamily: speeds must be two rising shares of the line's speed up to 1.5, got {self.speeds}"
            )
        if not 0.0 <= self.held_out < 1.0:
            raise ModelError(f"RunFamily: held_out must be a share from 0 to below 1, got {self.held_out!r}")
        if self.intensity and not self.wind:
            raise ModelError("RunFamily: intensity is a share of the wind, and there is none; give `wind`")

    def names(self, split: Split) -> tuple[str, ...]:
        """Lines of a split; a family of one line has it in both."""
        order = np.random.default_rng(self.split_seed).permutation(len(self.lines))
        tests = round(self.held_out * len(self.lines))
        tests = min(max(tests, 1 if self.held_out else 0), len(self.lines) - 1)
        if not tests:
            return self.lines
        chosen = set(order[:tests].tolist()) if split == "test" else set(order[tests:].tolist())
        return tuple(name for k, name in enumerate(self.lines) if k in chosen)

    def draw(self, rng: np.random.Generator, split: Split, line: str | None = None) -> Run:
        """Run of the next episode; ``line`` fixes its line."""
        names = self.names(split)
        drawn = names[int(rng.integers(len(names)))]
        share, wind, gusts = rng.uniform(*self.speeds), rng.uniform(-1.0, 1.0), int(rng.integers(2**31))
        name = drawn if line is None else line
        if name not in self.lines:
            raise ModelError(f"RunFamily: {name!r} is not one of its lines: {', '.join(self.lines)}")
        nominal, fastest = _line(name, self.spans)
        speed = share * min(self.highest, fastest or self.highest)
        built = nominal
        if self.scatter:
            as_built = _as_built(name, self.spans, self.scatter, self.element_length)
            built = as_built.line(rng.random(as_built.dimension))
        return self._run(built, speed, wind * self.wind, gusts)

    def _run(self, line: Line, speed: float, wind: float, gusts: int) -> Run:
        force = upper_mean_force(_STANDARD, speed, line.supply)
        train = tuple(
            OnTrain(pantograph=_set_to(self.pantograph, force, speed), behind=k * self.spacing)
            for k in range(self.pantographs)
        )
        blown = Conditions(wind=Wind(speed=wind, intensity=self.intensity, seed=gusts)) if self.wind else None
        return Run(
            line=line,
            train=train,
            speed=speed,
            conditions=blown,
            lateral=self.intensity > 0.0,
            journey=Journey(ramp=1.0),
            numerics=Numerics(step=self.step, element_length=self.element_length, repeat="none", explain="none"),
            about=f"{line.name} at {3.6 * speed:.0f} km/h",
        )


def small_errors() -> tuple[Scatter, ...]:
    """Errors of erection as a family may have them: 5 mm of every dropper, 10 mm of every support's height."""
    of = lambda part, size: Scatter(
        of=part, distribution=Distribution(kind="normal", mean="0 m", deviation=f"{size} m")
    )
    return of("dropper length", 0.005), of("contact height", 0.01)


@lru_cache(32)
def _line(name: str, spans: int) -> tuple[Line, float | None]:
    """Line of this name, and its line speed if it has one [m/s]."""
    if name in shipped_designs():
        design = read_design(name)
        return design_line(design, [design.longest_span] * spans), design.line_speed
    return read_line(name, {}), None


@lru_cache(32)
def _as_built(name: str, spans: int, scatter: tuple[Scatter, ...], element_length: float) -> AsBuilt:
    return AsBuilt.of(_line(name, spans)[0], scatter, element_length)


@lru_cache(32)
def _read(pantograph: str) -> LumpedPantograph:
    found: Any = resolve_pantograph(pantograph, {})
    if not isinstance(found, LumpedPantograph):
        raise ModelError(f"RunFamily: pantograph {pantograph!r} is not a chain of masses; use a lumped one")
    return found


def _set_to(pantograph: str, force: float, speed: float) -> LumpedPantograph:
    """The pantograph with the static force that gives this quasi-static mean force at a speed."""
    found = _read(pantograph)
    missing = force - found.total_uplift(speed)
    assert math.isfinite(missing)
    return replace(found, static_force=found.static_force + missing)
