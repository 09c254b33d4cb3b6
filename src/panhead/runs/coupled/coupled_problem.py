"""Coupled problem of line and pantograph, solved by co-simulation or monolithically."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.integrators import BDF, GeneralizedAlpha, Method
from panhead.engine.methods.trajectory import State
from panhead.engine.system import System, Vector
from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.railway.line.line_matrices import LinearLine
from panhead.runs.coupled.exchange_loop import couple
from panhead.runs.coupled.exchange_schemes import CouplingScheme, Iterated
from panhead.runs.coupled.line_side import LineSide, preloaded_shape
from panhead.runs.coupled.multibody_side import Drives, MultibodySide, SampledControl, Surface
from panhead.runs.description import ContactLaw
from panhead.runs.linear.kernel_arrays import scheme as line_scheme
from panhead.runs.timetable import Timetable

if TYPE_CHECKING:
    import xarray as xr


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Step sizes of both codes and of their exchange."""

    step: float = 1e-3  #: of the line, fixed [s]
    every: int = 1  #: line steps in an exchange step
    pantograph_steps: int = 1  #: in an exchange step, at least ``every``; not with ``local_error``
    local_error: float | None = None  #: of the pantograph's positions: it chooses its steps [m, rad]
    spectral_radius: float = 1.0  #: of both methods at infinite frequency; 1: trapezoidal rule
    tolerance: float = 1e-13  #: of the pantograph's Newton steps [m, rad]
    gear: bool = False  #: the pantograph goes by Gear's steps, by their error

    def __post_init__(self) -> None:
        require_positive(self, "step", "every", "pantograph_steps", "tolerance")
        require_not_negative(self, "spectral_radius")
        if self.pantograph_steps < self.every and self.local_error is None:
            raise ModelError(
                f"Clocks: the pantograph takes {self.pantograph_steps} steps per {self.every} steps of the line; its "
                "steps must not be longer than those of the line. Raise pantograph_steps"
            )

    @property
    def exchange_step(self) -> float:
        """Exchange step [s]."""
        return self.every * self.step

    @property
    def method(self) -> Method:
        """Integration method of the pantograph."""
        if self.gear:
            return BDF(atol=self.local_error or BDF().atol)
        return GeneralizedAlpha(
            spectral_radius=self.spectral_radius, tolerance=self.tolerance, local_error=self.local_error
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CoupledProblem:
    """Line, pantograph with its strips, contact law and initial state."""

    line: LinearLine
    timetable: Timetable  #: way of the place from which ``behind`` counts
    law: ContactLaw
    pantograph: System
    start: State  #: of the pantograph
    strips: tuple[Surface, ...]
    behind: tuple[float, ...] = (0.0,)  #: of every strip [m]
    drives: Drives | None = None  #: the pantograph's controls, contacts left out
    preload: tuple[float, ...] | None = None  #: forces the line rests under at first [N]

    def __post_init__(self) -> None:
        places = len(self.behind)
        if len(self.strips) != places or len(self.preload or self.strips) != places:
            raise ModelError(
                f"CoupledProblem: {len(self.strips)} strips, {len(self.preload or self.strips)} preload forces and "
                f"{places} distances `behind`; give one of each per strip"
            )

    def line_side(self, clocks: Clocks | None = None) -> LineSide:
        """Line as a participant."""
        clocks = clocks or Clocks()
        return LineSide(
            self.line,
            self.timetable,
            self.behind,
            law=self.law,
            scheme=line_scheme(clocks.step, clocks.spectral_radius),
            preload=self.preload,
        )

    def pantograph_side(
        self, clocks: Clocks | None = None, *, method: Method | None = None, control: SampledControl | None = None
    ) -> MultibodySide:
        """Pantograph as a participant, with another method if given."""
        clocks = clocks or Clocks()
        return MultibodySide(
            self.pantograph, self.start, self.strips, drives=self.drives, method=method or clocks.method,
            steps=clocks.pantograph_steps, control=control,
        )  # fmt: skip

    def line_start(self) -> Vector:
        """Initial displacements of the line, (nl,) [m]."""
        if self.preload is None:
            return np.zeros(self.line.ns * self.line.b)
        x = float(self.timetable.position(np.asarray(0.0))) - np.array(self.behind)
        return preloaded_shape(self.line, x, self.preload)


def cosimulate(
    encounter: CoupledProblem,
    scheme: CouplingScheme | None = None,
    *,
    duration: float,
    clocks: Clocks | None = None,
    truth: xr.Dataset | bool = True,
    job: Job | None = None,
) -> xr.Dataset:
    """Co-simulate line and pantograph for ``duration`` [s]; see ``couple`` for the result.

    ``truth``: compute the monolithic solution first, for comparison.
    """
    from panhead.runs.coupled.monolith import solve_monolithic

    clocks = clocks or Clocks()
    if truth is True:
        truth = solve_monolithic(encounter, duration=duration, clocks=clocks, job=job)
    return couple(
        encounter.line_side(clocks),
        encounter.pantograph_side(clocks),
        scheme or Iterated(),
        duration=duration,
        exchange_step=clocks.exchange_step,
        truth=None if truth is False else truth,
        job=job,
    )
