"""Feedback laws of the pan-head: rates, contact force, and linear-quadratic regulator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
import scipy.linalg

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.runs.cables.head_laws import Controller, Measurements


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RateFeedback:
    """u = −g₁ ẏ₁ − g₂ ẏ₂ of pan-head and plunger; g₂ = −g₁ is a damper between them, which needs no energy."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    head: float = 0.0  #: g₁ [N·s/m]
    plunger: float = 0.0  #: g₂ [N·s/m]

    def __post_init__(self) -> None:
        require_finite(self, "head", "plunger")

    def begin(self, period: float) -> Controller:
        return lambda t, m: -self.head * m.head_rate - self.plunger * m.plunger_rate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ForceFeedback:
    """Proportional and leaky integral feedback of the deviation of the force from its slow mean:

        u = p e + w,   ẇ = g e − w / T_u,   e = F̄ − F,   T_F dF̄/dt = F − F̄

    An internal force cannot change the mean of the contact force, so the mean is left to the uplift force.
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
class Regulator:
    """The linear-quadratic regulator of head and arms under a wire whose height wanders:

        m₁ ÿ₁ = −k (y₁ − y₂) − c (ẏ₁ − ẏ₂) − F + u,   m₂ ÿ₂ = k (y₁ − y₂) + c (ẏ₁ − ẏ₂) − d ẏ₂ − u
        F = k_w (y₁ − w) + c_w ẏ₁,   ẇ = −w / T_w + noise,   J = ∫ F² + ρ u² dt,   u = −K x

    x = (y₁, y₂, ẏ₁, ẏ₂, w) about slow means. The height w of the wire without a pantograph is no state that is
    measured: it is taken from the force and the head's own motion, w = y₁ − (F − c_w ẏ₁) / k_w.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    effort: float = 0.05  #: ρ [1]
    line_stiffness: float = 1000.0  #: k_w [N/m]
    line_damping: float = 0.0  #: c_w [N·s/m]
    wander: float = 0.03  #: T_w [s]
    head_mass: float = 9.5  #: m₁ [kg]; this and the next two are the pantograph's in a run
    head_stiffness: float = 7200.0  #: k [N/m]
    head_damping: float = 26.0  #: c [N·s/m]
    arm_mass: float = 15.56  #: m₂, what arms and plunger weigh at the plunger [kg]
    arm_damping: float = 0.0  #: d, of the arms at the plunger [N·s/m]
    mean: float = 2.0  #: time constant of the slow means [s]

    def __post_init__(self) -> None:
        require_positive(self, "effort", "line_stiffness", "wander", "head_mass", "arm_mass", "mean")
        require_not_negative(self, "line_damping", "head_stiffness", "head_damping", "arm_damping")

    def model(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A (5, 5), B (5, 1), and the row C (1, 5) of the contact force: ẋ = A x + B u, F = C x."""
        k, c = self.head_stiffness, self.head_damping
        F = np.array([self.line_stiffness, 0.0, self.line_damping, 0.0, -self.line_stiffness])
        inner = np.array([k, -k, c, -c, 0.0])
        A = np.zeros((5, 5))
        A[0, 2] = A[1, 3] = 1.0
        A[2] = -(inner + F) / self.head_mass
        A[3] = inner / self.arm_mass
        A[3, 3] -= self.arm_damping / self.arm_mass
        A[4, 4] = -1 / self.wander
        B = np.array([[0.0, 0.0, 1 / self.head_mass, -1 / self.arm_mass, 0.0]]).T
        return A, B, F[None, :]

    def gains(self) -> np.ndarray:
        """K (5,), from the algebraic Riccati equation [N/m, N/m, N·s/m, N·s/m, N/m]."""
        A, B, C = self.model()
        try:
            P = scipy.linalg.solve_continuous_are(A, B, C.T @ C, np.array([[self.effort]]))
        except np.linalg.LinAlgError:
            raise ModelError(
                f"Regulator: the Riccati equation has no solution for effort = {self.effort:.6g}; increase it"
            ) from None
        return np.asarray((B.T @ P / self.effort)[0])

    def begin(self, period: float) -> Controller:
        K, share = self.gains(), 1 - float(np.exp(-period / self.mean))
        kept: list[np.ndarray] = []

        def u(t: float, m: Measurements) -> float:
            wire = m.head - (m.force - self.line_damping * m.head_rate) / self.line_stiffness
            heights = np.array([m.head, m.plunger, wire])
            mean = kept.pop() if kept else heights
            kept.append(mean + share * (heights - mean))
            y1, y2, w = heights - kept[0]
            return -float(K @ np.array([y1, y2, m.head_rate, m.plunger_rate, w]))

        return u
