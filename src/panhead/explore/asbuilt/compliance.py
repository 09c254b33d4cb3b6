"""Probability that a tension length does not comply, with what the fit leaves uncertain.

About the line as built the quantities are normal with covariance g Σ gᵀ: g the exact gradient, Σ the covariance of the
parts. Where runs of drawn lines exist, their mean and covariance take its place. Geometry limits stand beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from panhead.assess.limits import Edition
from panhead.explore.asbuilt.dynamic_cost import QUANTITIES, LimitedQuantity, TensionLengthCost, TrainPassage
from panhead.explore.asbuilt.parts import BuiltPart

_DRAWS: Final = 4096
_RUNNING: Final = 0.03  # a wire drawn this far from the nominal height is out of running there [m]
_NEAR: Final = 60.0  # m within which a dropper or a support moves a wire
_MATTERS: Final = 0.02  # share of a quantity from which a part costs something


@dataclass(frozen=True, slots=True)
class GeometryFinding:
    """A part beyond a survey limit."""

    part: BuiltPart
    level: str  #: maintenance or critical
    quantity: str
    value: float  #: [m]
    limit: float  #: [m]
    clause: str


def gradient_of_limit(limit: LimitedQuantity, passage: TrainPassage) -> tuple[int, float] | None:
    """Which of QUANTITIES a limit hangs on, and its derivative by that quantity; None: on none with a gradient."""
    if limit.key == "deviation_ratio":
        return QUANTITIES.index("deviation"), 1.0 / passage.values["mean_force"]
    if limit.key in ("statistical_max", "statistical_min"):
        return QUANTITIES.index("deviation"), 3.0 if limit.key.endswith("max") else -3.0
    return (QUANTITIES.index(limit.key), 1.0) if limit.key in QUANTITIES else None


def limit_rows(passage: TrainPassage, gradient: np.ndarray) -> tuple[list[LimitedQuantity], np.ndarray]:
    """Limits with gradients, and ∂(value towards the limit)/∂θ, (limits, parts): positive is worse."""
    found = [(limit, of) for limit in passage.limits if (of := gradient_of_limit(limit, passage)) is not None]
    signs = [(1.0 if limit.bound == "upper" else -1.0) * scale for limit, (_, scale) in found]
    rows = [sign * gradient[k] for sign, (_, (k, _)) in zip(signs, found, strict=True)]
    return [limit for limit, _ in found], np.array(rows).reshape(len(found), gradient.shape[1])


def failure_probability(passage: TrainPassage, gradient: np.ndarray, covariance: np.ndarray, seed: int = 0) -> float:
    """Probability that any limit is exceeded; a limit without a gradient counts as it stands."""
    limits, rows = limit_rows(passage, gradient)
    if any(limit.margin < 0.0 for limit in passage.limits if limit not in limits):
        return 1.0
    if not limits:
        return 0.0
    spread = rows @ covariance @ rows.T
    values, vectors = np.linalg.eigh(0.5 * (spread + spread.T))
    draws = np.random.default_rng(seed).standard_normal((_DRAWS, len(limits)))
    moved = draws * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    margin = np.array([limit.margin for limit in limits])
    return float(np.mean((moved > margin).any(axis=1)))


def sampled_probability(drawn: Sequence[TrainPassage]) -> float:
    """Share of lines drawn from the fit's uncertainty that break a limit."""
    return float(np.mean([any(limit.margin < 0.0 for limit in one.limits) for one in drawn]))


def geometry_findings(
    table: Edition, nominal: float, parts: Sequence[BuiltPart], running: tuple[float, float] = (-np.inf, np.inf)
) -> list[GeometryFinding]:
    """Parts at which the wire lies beyond the maintenance or critical limits of an edition, where it is in running."""
    found = []
    for part in (p for p in parts if running[0] <= p.x <= running[1]):
        if part.kind in ("dropper length", "support height") and abs(part.level_drawn - nominal) < _RUNNING:
            quantity, value = "contact_height", part.level
        elif part.kind == "stagger" and abs(part.level_drawn - nominal) < _RUNNING:
            quantity, value = "stagger", part.drawn + part.deviation
        else:
            continue
        limit = table.survey_limit(quantity, nominal)
        for level in ("critical", "maintenance"):
            low, high = getattr(limit, level) if limit is not None else (-np.inf, np.inf)
            if limit is not None and not low <= value <= high:
                bound = low if value < low else high
                found.append(GeometryFinding(part, level, quantity, value, bound, limit.clause))
                break
    return found


def to_blame(parts: Sequence[BuiltPart], geometry: Sequence[GeometryFinding]) -> list[int]:
    """Named parts that a finding comes from: a stagger itself; of a height droppers and supports near by, tensions."""
    heights = [f.part.x for f in geometry if f.quantity == "contact_height"]
    found = []
    for k, part in enumerate(parts):
        near = any(abs(part.x - x) <= _NEAR for x in heights)
        own = any(f.part is part for f in geometry)
        shared = bool(heights) and part.kind.endswith("tension")
        if part.alarm and (own or shared or (near and part.kind != "stagger")):
            found.append(k)
    return found


def two_worlds(cost: TensionLengthCost, geometry: Sequence[GeometryFinding]) -> Mapping[str, list[str]]:
    """Parts by what geometry and dynamics say of them: both, geometry alone, dynamics alone."""
    beyond = {f.part.label for f in geometry}
    found: dict[str, list[str]] = {"both": [], "geometry only": [], "dynamics only": []}
    for one in cost.costs:
        costly = relative_cost(cost, one.share) > _MATTERS
        if one.part.label in beyond:
            found["both" if costly else "geometry only"].append(one.part.label)
        elif costly:
            found["dynamics only"].append(one.part.label)
    return found


def relative_cost(cost: TensionLengthCost, share: Mapping[str, float]) -> float:
    """Largest change of σ or of the uplift, as a fraction of what they are as drawn."""
    base = cost.drawn.values
    return max(abs(share.get(q, 0.0)) / max(abs(base[q]), 1e-12) for q in ("deviation", "uplift") if q in base)
