"""Options of the co-simulation of line and pantograph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, final

from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.files.units import Metres, Newtons, Seconds

if TYPE_CHECKING:
    from panhead.runs.coupled.coupled_problem import Clocks
    from panhead.runs.coupled.exchange_schemes import CouplingScheme


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Coupling:
    """Exchange between line and pantograph in co-simulation."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    scheme: Literal["jacobi", "gauss-seidel", "iterated"] = "iterated"
    """jacobi: both sides in parallel; gauss-seidel: one after the other; iterated: repeated until they agree."""
    extrapolation: Literal["constant", "linear"] = "linear"  #: extrapolation of exchanged values that are not iterated
    exchange_step: Seconds | None = None  #: time between exchanges, a multiple of the run's step; None: that step
    tolerance: Newtons = 1e-6  #: tolerance of the contact force in the iteration
    own_error: Metres | None = None  #: local error by which the pantograph chooses its own steps; None: the run's step
    integration: Literal["generalized-alpha", "gear"] = "generalized-alpha"
    """gear: as in Ambrosio et al. (2011), Newmark's rule for the line and Gear's variable-order method for the
    pantograph."""
    truth: Seconds = 0.0  #: duration of a monolithic reference run with which the co-simulation is compared; 0: none

    def __post_init__(self) -> None:
        require_positive(self, "tolerance")
        require_not_negative(self, "truth")

    def method(self) -> CouplingScheme:
        """Coupling scheme of the options."""
        from panhead.runs.coupled.exchange_schemes import GaussSeidel, Iterated, Jacobi

        if self.scheme == "iterated":
            return Iterated(tolerance=self.tolerance)
        kind = Jacobi if self.scheme == "jacobi" else GaussSeidel
        return kind(extrapolation=self.extrapolation)

    def clocks(self, step: float, spectral_radius: float) -> Clocks:
        """Steps of both codes, the line's being ``step`` [s]."""
        from panhead.runs.coupled.coupled_problem import Clocks

        exchange = step if self.exchange_step is None else self.exchange_step
        every = round(exchange / step)
        if every < 1 or abs(every * step - exchange) > 1e-9 * exchange:
            raise ModelError(
                f"coupling: exchange_step {exchange:g} s is not a multiple of numerics.step {step:g} s; change one of "
                "them"
            )
        gear = self.integration == "gear"
        return Clocks(
            step=step,
            every=every,
            pantograph_steps=every,
            local_error=self.own_error,
            spectral_radius=1.0 if gear else spectral_radius,
            gear=gear,
        )
