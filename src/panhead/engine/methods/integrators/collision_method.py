"""Time stepping for shapes that meet: hundreds of contacts, impacts at the beginning of steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from panhead.engine.methods.formulations import Augmented, Baumgarte
from panhead.engine.methods.integrators.collision_march import CollisionMarch
from panhead.engine.methods.trajectory import Problem, Trajectory
from panhead.errors import ModelError, require_not_negative, require_positive


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ContactStepping:
    """The implicit midpoint rule with contacts found anew in every step                    [Stewart96, Acary08].

        impact      M (v⁺ − v⁻) + Gᵀ Λ = Wᵀ P,   γ_N⁺ ≥ −e γ_N⁻, or ≥ −gap/h where it does not bounce
        step        M (v₁ − v⁺) = h f(t_½, q_½, v_½) − Gᵀ Λ + Wᵀ P,   q₁ = q₀ + h (v⁺ + v₁)/2
                    0 ≤ gap + h (γ_N⁺ + γ_N₁)/2 ⟂ P_N ≥ 0,   Coulomb's discs for sliding, spinning and rolling

    What will meet within a step strikes at its beginning, so that nothing passes through anything and an elastic impact
    keeps its energy. Contact points, normals and arms are those of the beginning of a step: of first order in general,
    of second where they do not change (smooth motion, balls that roll on planes, what slides straight).
    """

    order: ClassVar[int] = 2

    tolerance: float = 1e-9  #: residual of the laws of contact that is asked for, of the largest impulse
    sweeps: int = 2000  #: at most, in one solution
    rest_speed: float = 1e-3  #: what would part slower does not bounce [m/s]
    gap_tolerance: float = 1e-9  #: overlap above which bodies are moved apart [m]

    def __post_init__(self) -> None:
        require_positive(self, "tolerance", "sweeps", "gap_tolerance")
        require_not_negative(self, "rest_speed")

    def run(self, problem: Problem) -> Trajectory:
        """March over the grid of the problem."""
        if problem.formulation != Augmented() or isinstance(problem.stabilisation, Baumgarte):
            raise ModelError("ContactStepping enforces the constraints itself: do not set formulation or stabilisation")
        return CollisionMarch(self, problem).trajectory()
