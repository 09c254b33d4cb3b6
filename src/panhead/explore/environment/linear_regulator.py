"""Regulators from the linear design model: a Kalman filter with a linear-quadratic regulator, or with a predictive one.

Both estimate the state from what is observed and minimise Σ F̃² + effort u², F̃ the part of the contact force that
varies. The regulator (``Lqg``) ignores the limits of the actuator; the predictive one (``Mpc``) solves

    min Σ_{j=1…N} F̃_j² + effort u_j²   over   |u_j| ≤ U,   |u_j − u_{j−1}| ≤ R Δ

at every sample, a quadratic programme of N unknowns, and applies its first value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.errors import require_positive
from panhead.explore.environment.design_model import MEASURED, DesignModel, LineModel, design_model
from panhead.explore.environment.episode_start import PreparedRun
from panhead.explore.environment.policies import Act, require_force, signal_reader, to_action
from panhead.explore.environment.task import ControlTask


class _Estimator:
    """Kalman filter over the signals of a task."""

    def __init__(self, model: DesignModel, task: ControlTask) -> None:
        self.model, self.gain, self.read = model, model.kalman(), signal_reader(task, *MEASURED)
        self.x = np.zeros(len(model.A))
        self.started = False

    def update(self, seen: np.ndarray) -> np.ndarray:
        """Correct the predicted state by an observation."""
        y = np.array(self.read(seen))
        if not self.started:  # at rest under the force that is measured first
            self.x[-1] = -y[0] / abs(self.model.c[-1])
            self.x[:-1] = self.model.at_rest(self.x[-1])
            self.started = True
        self.x = self.x + self.gain @ (y - self.model.H @ self.x)
        return self.x

    def predict(self, u: float) -> None:
        """Advance the estimate by one interval that ends with the force u."""
        self.x = self.model.A @ self.x + self.model.B * u + self.model.g


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lqg:
    """Kalman filter and linear-quadratic regulator."""

    effort: float = 0.3  #: weight of u² beside F²
    line: LineModel = field(default_factory=LineModel)

    def __post_init__(self) -> None:
        require_positive(self, "effort")

    def begin(self, prepared: PreparedRun, task: ControlTask) -> Act:
        model = design_model(prepared, task, self.line)
        gain = model.regulator(self.effort)
        return _loop(model, task, lambda x: -float(gain @ x))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Mpc:
    """Kalman filter and model predictive control within the limits of the actuator."""

    effort: float = 0.3  #: weight of u² beside F²
    horizon: int = 20  #: intervals that are looked ahead
    line: LineModel = field(default_factory=LineModel)

    def __post_init__(self) -> None:
        require_positive(self, "effort", "horizon")

    def begin(self, prepared: PreparedRun, task: ControlTask) -> Act:
        model = design_model(prepared, task, self.line)
        return _loop(model, task, _predictive(model, task, self.effort, self.horizon))


def _loop(model: DesignModel, task: ControlTask, law: Callable[[np.ndarray], float]) -> Act:
    """Estimate, subtract the state of rest, ask the law for a force within the limits of the actuator."""
    largest, estimator, before = require_force(task), _Estimator(model, task), [0.0]
    swing = np.inf if task.actuator.rate is None else task.actuator.rate * task.interval

    def act(seen: np.ndarray) -> float:
        x = estimator.update(seen)
        u = law(x[:-1] - model.at_rest(x[-1]))
        before[0] = float(np.clip(largest * to_action(u, largest), before[0] - swing, before[0] + swing))
        estimator.predict(before[0])
        return before[0] / largest

    return act


def _predictive(model: DesignModel, task: ControlTask, effort: float, horizon: int) -> Callable[[np.ndarray], float]:
    """Law of the quadratic programme: F̃ = Φ x + G u over the horizon."""
    k = model.controllable
    A, B, c, size = model.A[k, k], model.B[k], model.c[k], task.actuator.force
    swing = 1e9 if task.actuator.rate is None else task.actuator.rate * task.interval
    Phi, G = np.zeros((horizon, len(A))), np.zeros((horizon, horizon))
    power, impulse = np.eye(len(A)), np.zeros(horizon)
    for j in range(horizon):
        impulse[j] = c @ power @ B
        power = A @ power
        Phi[j] = c @ power
    for j in range(horizon):
        G[j, : j + 1] = impulse[: j + 1][::-1]
    H = 2.0 * (G.T @ G + effort * np.eye(horizon))
    rates = np.eye(horizon) - np.eye(horizon, k=-1)
    solver: Any = ca.conic(
        "mpc", "qrqp", {"h": ca.DM(H).sparsity(), "a": ca.DM(rates).sparsity()},
        {"print_iter": False, "print_header": False, "print_info": False, "error_on_fail": False},
    )  # fmt: skip
    last = [np.zeros(horizon)]

    def law(x: np.ndarray) -> float:
        u0 = x[-1]
        low = np.full(horizon, -swing)
        high = np.full(horizon, swing)
        low[0], high[0] = u0 - swing, u0 + swing
        found = solver(h=H, g=2.0 * G.T @ (Phi @ x), a=rates, lbx=-size, ubx=size, lba=low, uba=high, x0=last[0])
        u = np.array(found["x"]).ravel()
        last[0] = np.append(u[1:], u[-1])
        return float(u[0])

    return law
