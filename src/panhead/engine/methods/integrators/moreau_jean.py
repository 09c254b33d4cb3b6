"""Moreau–Jean time stepping for contacts with impact and friction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, final

from panhead.engine.methods.formulations import Augmented, Baumgarte
from panhead.engine.methods.integrators.nonsmooth_march import NonsmoothMarch
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import ModelError, require_not_negative, require_one_of, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MoreauJean:
    """The θ-method on the level of velocities, where contacts and friction are complementary    [Moreau88, Jean99].

        M (v₁ − v₀) = h f(t_θ, q_θ, v_θ) − Gᵀ Λ + Wᵀ P,   q₁ = q₀ + h v_θ,   G₁ v₁ + g_t = 0
        0 ≤ γ_N ⟂ P_N ≥ 0,   |P_T| ≤ μ P_N against the slip

    ``located``: a step ends where a gap closes, the impact acts there, and the rest of the step follows; smooth
    motion, resting and rubbing contacts are of second order (θ = ½), and energy is lost in impacts and by rubbing
    alone. ``stepped``: no instant is sought, impacts happen within a step (γ₁ ≥ −e γ₀), of first order, for very many
    contacts. θ > ½ damps what vibrates fast. Positions are moved onto joints and closed contacts after every step.
    Where sticking holds more than sliding (``static_friction``), ``located`` also ends steps where it lets go.

    Bodies that touch when one of them is struck: ``simultaneous`` solves all contacts together with Newton's or
    Poisson's rule, so that the first of five equal balls in a row bounces back; ``sequential`` lets one contact act
    after the other, so that the last ball alone flies off, as in Newton's cradle. Rigid bodies leave it open: their
    stiffnesses decide. The second order of rubbing contacts holds where the direction of the slip does not turn, as in
    the plane; where it turns, the direction is that of the end of the step, and the order is 1.
    """

    order: ClassVar[int] = 2

    events: Literal["located", "stepped"] = "located"
    impacts: Literal["simultaneous", "sequential"] = "simultaneous"  #: of bodies that touch several others
    theta: float = 0.5  #: ½ … 1
    tolerance: float = 1e-11  #: of a change of the rates in an iteration, relative
    rest_speed: float = 1e-4  #: what would part slower does not bounce [m/s]
    gap_tolerance: float = 1e-9  #: how deep a contact may seem to be by rounding [m]

    def __post_init__(self) -> None:
        require_positive(self, "tolerance", "gap_tolerance")
        require_not_negative(self, "rest_speed")
        require_one_of(self, ("located", "stepped"), "events")
        require_one_of(self, ("simultaneous", "sequential"), "impacts")
        if self.impacts == "sequential" and self.events == "stepped":
            raise ModelError("MoreauJean: impacts='sequential' needs instants of impacts; use it with events='located'")
        if not 0.5 <= self.theta <= 1.0:
            raise ModelError(f"MoreauJean: theta must be ½ … 1, got {self.theta!r}")

    def run(self, problem: Problem) -> Trajectory:
        """March over the grid of the problem."""
        if problem.formulation != Augmented() or isinstance(problem.stabilisation, Baumgarte):
            raise ModelError("MoreauJean enforces the constraints itself: do not set formulation or stabilisation")
        return NonsmoothMarch(self, problem).trajectory()
