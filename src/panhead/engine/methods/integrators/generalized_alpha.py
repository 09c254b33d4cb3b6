"""The generalized-α method for constrained systems of index 3."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple, final

import numpy as np

from panhead.engine.laws.alpha_coefficients import coefficients
from panhead.engine.methods.checkpoints import NO_CHECKPOINTS
from panhead.engine.methods.formulations import Augmented, Baumgarte, Eliminated
from panhead.engine.methods.integrators.eliminated_alpha import EliminatedMarch
from panhead.engine.methods.integrators.table_alpha import TabledMarch
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import ModelError, NotConverged, RunWarning, SimulationError, require_one_of, require_positive

#: A factor is kept while each Newton step is at most this share of the one before.
FAST_ENOUGH = 0.2
_COARSE, _FINE = 0.15, 0.05  # turns of a body in one step [rad]: told, advised


class AlphaCoefficients(NamedTuple):
    """Coefficients of the method."""

    alpha_m: float
    alpha_f: float
    gamma: float
    beta: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedAlpha:
    """Second order, with numerical damping ρ of the highest frequencies        [Arnold07].

        q₁ = q₀ + dt v₀ + dt² ((½ − β) a₀ + β a₁),   v₁ = v₀ + dt ((1 − γ) a₀ + γ a₁)
        (1 − α_m) a₁ + α_m a₀ = (1 − α_f) q̈₁ + α_f q̈₀
        M q̈₁ + g_qᵀ lam₁ = f(t₁, q₁, v₁),   g(t₁, q₁) = 0

    Positions satisfy the constraints exactly. Newton's iteration stops at a small fraction of the discretisation error
    of the step, so that halving a step never makes the result worse. Equations are scaled with β dt²,
    so that the matrix stays well conditioned for small steps. A factorization is reused while Newton converges fast.
    """

    order: ClassVar[int] = 2

    spectral_radius: float = 0.9  #: ρ at infinite frequency, 0 … 1
    tolerance: float = 1e-10  #: of a Newton step [m, rad]; 1e-10 and below: tightened with the step
    max_iterations: int = 12
    fast_enough: float = FAST_ENOUGH  #: a factor is kept while each Newton step is this share of the last
    factor: Literal["each step", "while it serves"] = "each step"
    """Wires gain by keeping a factor over many steps; mechanisms near singular positions need fresh ones."""
    rates: Literal["free", "projected"] | None = None
    """Whether ġ is brought to zero after every step (index 2). None: with ρ > 0.75 where something slides along a
    wire, whose kinks in the slope feed vibrations of ġ that ρ = 0.9 does not damp, with ρ = 1, which damps none, and in
    a second attempt where Newton's method stops without it (a fast top)."""
    local_error: float | None = None  #: of positions in a step [m, rad]; None: the steps of the grid

    def __post_init__(self) -> None:
        require_positive(self, "tolerance", "max_iterations")
        require_one_of(self, ("each step", "while it serves"), "factor")
        require_one_of(self, (None, "free", "projected"), "rates")
        if not 0.0 <= self.spectral_radius <= 1.0:
            raise ModelError(f"GeneralizedAlpha: spectral_radius must be 0 … 1, got {self.spectral_radius!r}")

    @property
    def coefficients(self) -> AlphaCoefficients:
        """α_m, α_f, γ and β from the spectral radius."""
        return AlphaCoefficients(*coefficients(self.spectral_radius))

    def run(self, problem: Problem) -> Trajectory:
        """March over the grid of the problem."""
        if isinstance(problem.formulation, Eliminated):
            self._require_options_for_elimination()
            return EliminatedMarch(self, problem).trajectory()
        if problem.formulation != Augmented() or isinstance(problem.stabilisation, Baumgarte):
            raise ModelError(
                "the generalized-α method enforces the constraints itself: use it with the augmented saddle "
                "formulation and without Baumgarte's stabilisation"
            )
        motion = self._run_augmented(problem)
        if self.local_error is None:
            _warn_of_coarse_turns(problem, motion)
        return motion

    def _run_augmented(self, problem: Problem) -> Trajectory:
        try:
            return TabledMarch(self, problem, problem.system.families).trajectory()
        except NotConverged as stop:
            if self.rates is not None or not problem.system.constraints:
                raise
            try:
                return self._run_with_projected_rates(problem)
            except SimulationError:
                raise stop from None

    def _run_with_projected_rates(self, problem: Problem) -> Trajectory:
        """Repeat a run whose ġ vibrated until Newton's method stopped, as that of a fast top with ρ = 0.9."""
        held, again = replace(self, rates="projected"), replace(problem, checkpoints=NO_CHECKPOINTS)
        motion = TabledMarch(held, again, problem.system.families).trajectory()
        return replace(motion, notes=motion.notes | {"rates_projected": 1.0})

    def _require_options_for_elimination(self) -> None:
        """ModelError for an option that steps with eliminated coordinates do not have."""
        plain = GeneralizedAlpha()
        for option in ("factor", "fast_enough", "rates", "local_error"):
            if getattr(self, option) not in (getattr(plain, option), "free"):
                raise ModelError(
                    f"GeneralizedAlpha({option}={getattr(self, option)!r}) is not available with eliminated "
                    "coordinates, which use a new tangent in every iteration and fixed steps; remove this "
                    "option, or use the augmented formulation"
                )


def _warn_of_coarse_turns(problem: Problem, motion: Trajectory) -> None:
    """RunWarning if a body turns by more than ``_COARSE`` a step: ω = 2 |ė| of its Euler parameters e."""
    first = [k for k, name in enumerate(problem.system.coordinates) if name.endswith(".e0")]
    if not first:
        return
    rates = motion.v[:, np.array(first)[:, None] + np.arange(4)]
    turns = 2 * np.linalg.norm(rates, axis=2) * (dt := float(problem.t[1] - problem.t[0]))
    at, k = np.unravel_index(int(turns.argmax()), turns.shape)
    if not turns[at, k] > _COARSE:
        return
    body = problem.system.coordinates[first[k]].removesuffix(".e0")
    warnings.warn(
        f"{body!r} of {problem.system.name!r} turns by {turns[at, k]:.2g} rad in one step of {dt:g} s at t = "
        f"{motion.t[at]:.6g} s; above {_COARSE:g} rad the generalized-α method with fixed steps loses momentum and "
        f"energy. Use dt ≤ {_FINE / turns[at, k] * dt:.2g} s, GeneralizedAlpha(local_error=1e-8), or omit the method",
        RunWarning,
        stacklevel=5,
    )
