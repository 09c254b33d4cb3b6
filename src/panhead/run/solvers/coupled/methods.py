"""How the line steps, and where the strips are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.errors import ModelError, require_finite, require_positive
from panhead.kernels.interaction_arrays import Scheme
from panhead.line.elasticity import StaticLine
from panhead.line.linear import LinearLine
from panhead.run.solvers.linear.packing import scheme
from panhead.system import Vector


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Newmark:
    """M a₁ + C v₁ + K u₁ = f₁ with predictors and correctors                [Ambrosio11, eqs (20)–(23)]

        ũ = u₀ + dt v₀ + ½ dt² (1 − 2β) a₀,   ṽ = v₀ + dt (1 − γ) a₀
        (M + γ dt C + β dt² K) a₁ = f₁ − C ṽ − K ũ,   u₁ = ũ + β dt² a₁,   v₁ = ṽ + γ dt a₁

    β = ¼, γ = ½ is the trapezoidal rule, which loses no energy.
    """

    beta: float = 0.25
    gamma: float = 0.5

    def __post_init__(self) -> None:
        require_positive(self, "beta", "gamma")

    def scheme(self, h: float) -> Scheme:
        """The method's numbers for the step h, written for the unknown u₁."""
        b, g = self.beta, self.gamma
        return Scheme(
            h=h, alpha_f=0.0, alpha_m=0.0, M_u=1 / (b * h * h), M_v=1 / (b * h), M_a=0.5 / b - 1, C_u=g / (b * h),
            C_v=g / b - 1, C_a=h * (0.5 * g / b - 1), v_v=1 - g / b, v_a=h * (1 - 0.5 * g / b), a_u=1 / (b * h * h),
            a_v=-1 / (b * h), a_a=1 - 0.5 / b, lossless=False,
        )  # fmt: skip


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Alpha:
    """Generalized-α with spectral radius ρ at infinite frequency, as the multibody side has it   [Chung93]."""

    spectral_radius: float = 0.9

    def scheme(self, h: float) -> Scheme:
        """The method's numbers for the step h."""
        return scheme(h, self.spectral_radius)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """The way of the strips under the line: x = start + speed · t − behind."""

    speed: float  #: [m/s]
    start: float  #: where the first strip is at t = 0 [m]
    behind: tuple[float, ...] = (0.0,)  #: of each strip, behind the first [m]

    def __post_init__(self) -> None:
        require_finite(self, "speed", "start")
        if not self.behind or not np.isfinite(self.behind).all():
            raise ModelError(
                f"Passage: behind must hold a finite distance for every strip, got {self.behind!r}"
            )

    def position(self, t: float) -> Vector:
        """x of every strip [m]."""
        return self.start + self.speed * t - np.array(self.behind)


def standing_line(line: LinearLine, passage: Passage, forces: Sequence[float]) -> Vector:
    """Displacements (nl,) of a line at rest under a force up at every strip [N], droppers slack as they must be."""
    static, piece = StaticLine(line), line.paths[0].piece
    load = np.zeros(line.ns * line.b)
    for x, force in zip(passage.position(0.0), forces, strict=True):
        load += static.load(float(x), float(force), piece)
    return static.displace(load)[0]
