"""Optimisation variables: controls parametrised by a few knots each, and named parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np
import scipy.sparse
from scipy.interpolate import CubicSpline

from panhead.engine.control.problem import ControlProblem, Gradient
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Parametrisation of controls in time: ``knots`` values each, joined by lines or a natural cubic spline or held."""

    knots: int | None = None  #: None: one number per grid point
    between: Literal["linear", "spline", "hold"] = "linear"
    low: float = -np.inf  #: bounds of every number
    high: float = np.inf

    def __post_init__(self) -> None:
        if self.knots is not None and self.knots < 1:
            raise ModelError(f"a control needs at least one knot, got {self.knots}")
        if not self.low <= self.high:
            raise ModelError(
                f"the lower bound {self.low:g} of the controls exceeds their upper bound {self.high:g}; "
                "change the bounds"
            )

    def basis(self, t: np.ndarray) -> scipy.sparse.csr_array:
        """B (N + 1, knots) with u = B θ on the grid."""
        n = len(t)
        if self.knots is None or self.knots == n:
            return scipy.sparse.eye_array(n, format="csr")
        if self.knots == 1:
            return scipy.sparse.csr_array(np.ones((n, 1)))
        if self.between == "hold":
            owner = np.minimum(np.arange(n) * self.knots // (n - 1), self.knots - 1)
            return scipy.sparse.csr_array((np.ones(n), (np.arange(n), owner)), shape=(n, self.knots))
        if self.between == "spline":
            places = np.linspace(t[0], t[-1], self.knots)
            return scipy.sparse.csr_array(CubicSpline(places, np.eye(self.knots), bc_type="natural")(t))
        place = (t - t[0]) / (t[-1] - t[0]) * (self.knots - 1)
        left = np.minimum(place.astype(int), self.knots - 2)
        share = place - left
        rows = np.repeat(np.arange(n), 2)
        columns = np.column_stack([left, left + 1]).ravel()
        return scipy.sparse.csr_array(
            (np.column_stack([1 - share, share]).ravel(), (rows, columns)), shape=(n, self.knots)
        )


@final
class Variables:
    """The vector θ = (numbers of every control, chosen parameters) of one problem.

    Controls are scaled by the root of the time between knots, so that |θ| is the L² norm of the control
    and the descent does not depend on the grid; parameters by their starting values.
    """

    def __init__(
        self, problem: ControlProblem, shape: Shape | None = None, bounds: dict[str, tuple[float, float]] | None = None
    ) -> None:
        self.problem, self.shape = problem, shape or Shape()
        self.basis = self.shape.basis(problem.t)
        self.knots = self.basis.shape[1]
        self.control_scale = float(np.sqrt(self.knots / (problem.t[-1] - problem.t[0])))
        values = problem.values()
        self.scale = np.where(values != 0, np.abs(values), 1.0)
        self.parameter_bounds = [(bounds or {}).get(name, (-np.inf, np.inf)) for name in problem.parameters]
        for name, (low, high) in zip(problem.parameters, self.parameter_bounds, strict=True):
            if not low <= high:
                raise ModelError(
                    f"the lower bound {low:g} of {name} exceeds its upper bound {high:g}; change the bounds"
                )

    def start(self) -> np.ndarray:
        """Zero control (or the nearest value within the bounds), parameters unchanged."""
        nothing = np.clip(np.zeros(self.knots * self.problem.nu), self.shape.low, self.shape.high)
        return np.concatenate([nothing / self.control_scale, self.problem.values() / self.scale])

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Lower and upper bound of every entry."""
        n = self.knots * self.problem.nu
        low = [
            np.full(n, self.shape.low / self.control_scale),
            np.array([b[0] for b in self.parameter_bounds]) / self.scale,
        ]
        high = [
            np.full(n, self.shape.high / self.control_scale),
            np.array([b[1] for b in self.parameter_bounds]) / self.scale,
        ]
        return np.concatenate(low), np.concatenate(high)

    def bounded(self) -> bool:
        """True if any bound is finite."""
        return bool(np.isfinite(np.concatenate(self.bounds())).any())

    def split(self, theta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Controls on the grid (N + 1, nu), and parameter values."""
        n = self.knots * self.problem.nu
        u = self.basis @ theta[:n].reshape(self.knots, self.problem.nu)
        return np.ascontiguousarray(u) * self.control_scale, theta[n:] * self.scale

    def pull(self, gradient: Gradient) -> np.ndarray:
        """∂J/∂θ."""
        return np.concatenate([(self.basis.T @ gradient.u).ravel() * self.control_scale, gradient.p * self.scale])
