"""Feedback beyond damping: of the contact force itself, and of the state of a linearised pantograph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import scipy.linalg

from panhead.catenary.laws import Controller, Measurements
from panhead.errors import ModelError, require_not_negative, require_positive
from panhead.pantograph.cx import MASSES


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ForceFeedback:
    """Answers what the force lacks of its own slow mean, at once and by an integral that forgets:

        u = p e + w,   ẇ = g e − w / T_u,   e = F̄ − F,   T_F dF̄/dt = F − F̄

    An inner force cannot move the mean of the contact force, so that the mean is left to the uplift.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    proportional: float = 0.2  #: p [1]
    gain: float = 1450.0  #: g [1/s]
    forget: float = 0.2  #: T_u [s]
    mean: float = 2.0  #: T_F [s]

    def __post_init__(self) -> None:
        require_not_negative(self, "proportional", "gain")
        require_positive(self, "forget", "mean")

    def begin(self, period: float) -> Controller:
        keep, share = float(np.exp(-period / self.forget)), 1 - float(np.exp(-period / self.mean))
        state = {"w": 0.0, "mean": float("nan")}

        def u(t: float, m: Measurements) -> float:
            before = m.force if np.isnan(state["mean"]) else state["mean"]
            state["mean"] = before + share * (m.force - before)
            lacks = state["mean"] - m.force
            state["w"] = keep * state["w"] + period * self.gain * lacks
            return self.proportional * lacks + state["w"]

        return u


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StateFeedback:
    """u = −K (x − x̄), x = (y₁, y₂, ẏ₁, ẏ₂); x̄ is the slow mean of the heights."""

    gains: tuple[float, float, float, float]  #: [N/m, N/m, N·s/m, N·s/m]
    mean: float = 2.0  #: time constant of the mean [s]

    def __post_init__(self) -> None:
        require_positive(self, "mean")
        if not np.isfinite(self.gains).all():
            raise ModelError(f"StateFeedback: gains must be finite, got {self.gains!r}")

    def begin(self, period: float) -> Controller:
        K, share = np.array(self.gains), 1 - float(np.exp(-period / self.mean))
        kept: list[np.ndarray] = []

        def u(t: float, m: Measurements) -> float:
            heights = np.array([m.head, m.plunger])
            mean = kept.pop() if kept else heights
            kept.append(mean + share * (heights - mean))
            x = np.concatenate([heights - kept[0], [m.head_rate, m.plunger_rate]])
            return -float(K @ x)

        return u


def regulator(
    *,
    head_stiffness: float,
    head_damping: float,
    arm_mass: float,
    line_stiffness: float,
    line_damping: float,
    effort: float,
    arm_damping: float = 0.0,
) -> StateFeedback:
    """The linear-quadratic regulator of head and arms under a wire that yields as a spring beside a damper.

        m₁ ÿ₁ = −k (y₁ − y₂) − c (ẏ₁ − ẏ₂) − F + u,   m₂ ÿ₂ = k (y₁ − y₂) + c (ẏ₁ − ẏ₂) − d ẏ₂ − u
        F = k_w y₁ + c_w ẏ₁,   J = ∫ F² + ``effort`` u² dt

    ``arm_mass`` is what the arms weigh at the plunger, plunger included.
    """
    if min(effort, arm_mass, line_stiffness) <= 0:
        raise ModelError("regulator: effort, arm_mass and line_stiffness must be > 0")
    m1, k, c = MASSES["pan-head"], head_stiffness, head_damping
    spring, damper = np.array([[k, -k], [-k, k]]), np.array([[c, -c], [-c, c]])
    spring[0, 0] += line_stiffness
    damper[0, 0] += line_damping
    damper[1, 1] += arm_damping
    inverse = np.diag([1 / m1, 1 / arm_mass])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-inverse @ spring, -inverse @ damper]])
    B = np.concatenate([np.zeros(2), inverse @ np.array([1.0, -1.0])])[:, None]
    F = np.array([[line_stiffness, 0.0, line_damping, 0.0]])
    P = scipy.linalg.solve_continuous_are(A, B, F.T @ F, np.array([[effort]]))
    a, b, d, e = (float(x) for x in (B.T @ P / effort)[0])
    return StateFeedback(gains=(a, b, d, e))
