"""Lagrange multipliers of bounds and limits at the optimum.

At a least objective f within bounds and limits c ≥ 0, ∇f = Σ λ ∇c with λ ≥ 0 for those that are active and none else
[Nocedal06, thm 12.1]; λ is by how much f would fall if that limit gave way by one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.explore.designs.search import KeptLimit, ObjectiveFunctions

_ACTIVE = 2e-3  # room of a limit, or distance of x from a bound, below which it is active


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Multipliers of the active bounds and limits."""

    limits: tuple[tuple[KeptLimit, float, float], ...]  #: limit, its room, −∂f/∂(limit) in 1 per unit of the number
    bounds: np.ndarray  #: (variables,) −1, 0, +1: at its lower bound, at none, at its upper one
    bound_prices: np.ndarray  #: (variables,) [1 per unit of the parameter]
    residual: float  #: |∇f − Σ λ ∇c| / |∇f|: 0 where first-order conditions hold


def multipliers_at(aim: ObjectiveFunctions, x: np.ndarray) -> Multipliers:
    """The multipliers at x, by non-negative least squares."""
    from scipy.optimize import nnls

    problem = aim.evaluator.problem
    low, high = problem.bounds
    at = np.where(x - low < _ACTIVE, -1, np.where(high - x < _ACTIVE, 1, 0))
    rooms, slopes = aim.margins(x), aim.margins_x(x)
    tight = np.flatnonzero(rooms < _ACTIVE)
    bound = np.flatnonzero(at)
    columns = [*(slopes[k] for k in tight), *(-at[j] * np.eye(x.size)[j] for j in bound)]
    f_x = aim.objective_x(x)
    lam, rest = nnls(np.array(columns).T, f_x) if columns else (np.zeros(0), float(np.linalg.norm(f_x)))
    by_limit = dict(zip(tight, lam, strict=False))
    by_bound = np.zeros(x.size)
    by_bound[bound] = lam[tight.size :] / problem.scale[bound]
    limits = tuple(
        (c, float(rooms[k]), float(by_limit.get(k, 0.0)) / c.scale) for k, c in enumerate(aim.limits)
    )  # fmt: skip
    return Multipliers(limits, at, by_bound, float(rest) / max(1e-300, float(np.linalg.norm(f_x))))
