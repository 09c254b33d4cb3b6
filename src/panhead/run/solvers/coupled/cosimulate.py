"""The front door: an encounter, solved by two codes and judged by the same model in one piece."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.jobs import Job
from panhead.methods.integrators import GeneralizedAlpha
from panhead.run.solvers.coupled.couple import couple
from panhead.run.solvers.coupled.encounter import Encounter
from panhead.run.solvers.coupled.methods import Alpha
from panhead.run.solvers.coupled.monolith import monolithic
from panhead.run.solvers.coupled.schemes import Iterated, Scheme

if TYPE_CHECKING:
    import xarray as xr

#: An error δq that Newton's iteration leaves in a step acts as an acceleration δq/β dt² over it, and these add up; so
#: it is bounded by that acceleration [m/s²], not far above round-off: of heights of metres, or of small displacements.
_LEFT, _LEFT_LINEAR = 4e-8, 1e-10


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """Steps of both codes and between them."""

    step: float = 1e-3  #: of the line, fixed [s]
    every: int = 1  #: line steps in an exchange step
    pantograph_steps: int = (
        1  #: in an exchange step, at least ``every``; ignored with ``local_error``
    )
    local_error: float | None = (
        None  #: of pantograph positions in a step [m, rad]: it chooses its steps
    )
    spectral_radius: float = 1.0  #: of both methods at infinite frequency; 1: trapezoidal rule
    tolerance: float = 1e-13  #: of the pantograph's Newton steps [m, rad]

    def __post_init__(self) -> None:
        require_positive(self, "step", "every", "pantograph_steps", "tolerance")
        require_not_negative(self, "spectral_radius")
        if self.pantograph_steps < self.every and self.local_error is None:
            raise ModelError(
                f"Clocks: {self.pantograph_steps} steps of the pantograph in {self.every} of the line; its steps are "
                "never longer than the line's. Raise pantograph_steps"
            )

    @property
    def exchange_step(self) -> float:
        """[s]."""
        return self.every * self.step

    @property
    def method(self) -> GeneralizedAlpha:
        """The pantograph's method."""
        return GeneralizedAlpha(
            spectral_radius=self.spectral_radius,
            tolerance=self.tolerance,
            local_error=self.local_error,
        )


def cosimulate(
    encounter: Encounter,
    scheme: Scheme | None = None,
    *,
    duration: float,
    clocks: Clocks | None = None,
    truth: xr.Dataset | bool = True,
    job: Job | None = None,
) -> xr.Dataset:
    """Line and pantograph as two codes for ``duration`` [s]; see ``couple`` for what is told.

    ``truth``: the same encounter in one piece (``monolithic``), computed first if True, left out if False.
    """
    scheme, clocks = scheme or Iterated(), clocks or Clocks()
    if isinstance(truth, bool):
        found = (
            in_one_piece(encounter, duration=duration, clocks=clocks, job=job) if truth else None
        )
    else:
        found = truth
    return couple(
        encounter.line_side(clocks.step, Alpha(spectral_radius=clocks.spectral_radius)),
        encounter.pantograph_side(clocks.method, steps=clocks.pantograph_steps),
        scheme,
        duration=duration,
        exchange_step=clocks.exchange_step,
        truth=found,
        job=job,
    )


def in_one_piece(
    encounter: Encounter, *, duration: float, clocks: Clocks | None = None, job: Job | None = None
) -> xr.Dataset:
    """The truth for the same steps of the line and the same spectral radius."""
    clocks = clocks or Clocks()
    left = _LEFT if encounter.pantograph.constraints else _LEFT_LINEAR
    method = GeneralizedAlpha(
        spectral_radius=clocks.spectral_radius,
        tolerance=0.25 * clocks.step**2 * left,
        max_iterations=60,
    )
    return monolithic(encounter, duration=duration, step=clocks.step, method=method, job=job)
