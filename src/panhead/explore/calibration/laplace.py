"""Laplace approximation of the posterior, its intervals, and the combinations of parameters that data leave open.

    z ~ N(ẑ, (JᵀJ + I)⁻¹)

In coordinates with a standard normal prior the information of the data alone on the parameters, with the clocks
eliminated,

    D = J_xᵀJ_x − J_xᵀJ_c (J_cᵀJ_c + I)⁻¹ J_cᵀJ_x = Σ λ v vᵀ

tells by an eigenvalue λ < 1 a direction v of which the prior says more than the data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from panhead.explore.calibration.map_estimate import MapEstimate
from panhead.explore.calibration.unknowns import UnknownCoordinate

_OPEN = 1.0  # information below which a combination is left open
_LOAD = 0.3  # share of a coordinate in a combination that is named
_TIED = 0.95  # correlation of two parameters that is told


@dataclass(frozen=True, slots=True)
class ParameterEstimate:
    """A parameter after the fit."""

    title: str
    unit: str
    prior: float
    value: float  #: at the maximum
    deviation: float  #: standard deviation, in its unit
    interval: tuple[float, float]
    learned: float  #: 1 − posterior over prior standard deviation: 0 if the data say nothing


def covariance(estimate: MapEstimate) -> np.ndarray:
    """Covariance of z."""
    return np.asarray(np.linalg.inv(estimate.hessian))


def parameter_estimates(
    coordinates: Sequence[UnknownCoordinate], estimate: MapEstimate, confidence: float
) -> list[ParameterEstimate]:
    """Value, standard deviation and interval of every parameter; of several that change alike the first."""
    C, found = covariance(estimate), []
    quantile = float(ndtri(0.5 + 0.5 * confidence))
    for k, one in enumerate(coordinates):
        x, s = float(estimate.z[k]), float(np.sqrt(C[k, k]))
        low, high = (one.values(x + sign * quantile * s)[0] for sign in (-1.0, 1.0))
        value = one.values(x)[0]
        found.append(
            ParameterEstimate(one.title, one.unit, one.base[0], value, abs(one.slopes(x)[0]) * s, (low, high), 1.0 - s)
        )
    return found


def information(estimate: MapEstimate, count: int) -> np.ndarray:
    """D of the parameters, with the clocks eliminated; (count, count)."""
    x, c = estimate.J[:, :count], estimate.J[:, count:]
    inner = c.T @ c + np.eye(c.shape[1])
    return np.asarray(x.T @ x - x.T @ c @ np.linalg.solve(inner, c.T @ x))


def left_open(coordinates: Sequence[UnknownCoordinate], estimate: MapEstimate) -> list[str]:
    """Sentences on combinations that the data do not determine, and on pairs they hardly tell apart."""
    count = len(coordinates)
    values, vectors = np.linalg.eigh(information(estimate, count))
    found = [
        f"The data do not determine {_combination(coordinates, v)} (information {max(0.0, lam):.2g} of the prior's)."
        for lam, v in zip(values, vectors.T, strict=True)
        if lam < _OPEN
    ]
    C = covariance(estimate)[:count, :count]
    rho = C / np.sqrt(np.outer(np.diag(C), np.diag(C)))
    for i in range(count):
        for j in range(i):
            if abs(rho[i, j]) > _TIED:
                what = "sum" if rho[i, j] < 0 else "difference"
                if coordinates[i].relative and coordinates[j].relative:
                    what = "product" if rho[i, j] < 0 else "ratio"
                found.append(
                    f"{coordinates[j].title} and {coordinates[i].title}: little more than a {what} is known "
                    f"(correlation {rho[i, j]:+.2f})."
                )
    return found


def _combination(coordinates: Sequence[UnknownCoordinate], v: np.ndarray) -> str:
    """A direction in words: by how much each of its main parameters changes together."""
    v = v * np.sign(v[int(np.argmax(np.abs(v)))])
    main = [k for k in np.argsort(-np.abs(v)) if abs(v[k]) >= _LOAD]
    if len(main) == 1:
        return coordinates[main[0]].title
    words = []
    for k in main:
        one = coordinates[k]
        amount = f"{100 * one.scale * v[k]:+.2g} %" if one.relative else f"{one.scale * v[k]:+.2g} {one.unit}"
        words.append(f"{one.title} by {amount}")
    return " together with ".join(words)
