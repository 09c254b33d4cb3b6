"""Driven double pendulum against its published equations [Pappalardo20]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.runs import scenarios
from panhead.runs.scenarios.motion_kind import system_of
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below
from panhead.validation.motions import CONSERVATION, energy_residual

_PAPER = "Pappalardo and Guida 2020"


def double_pendulum() -> Sequence[Check]:
    """The driven double pendulum: energy and work balance, and equality of the formulations."""
    scenario = scenarios.read("double-pendulum")
    result = scenario.simulate()
    system = system_of(scenario.description)
    t, q, v = 0.3, np.array([1.2, 2.1]), np.array([0.7, -1.3])
    return [
        below("energy balance over 10 s, relative", energy_residual(result), 1e-8, "1", CONSERVATION, by=BEFORE),
        below("mass matrix against eqs (60)-(61)", np.abs(system.mass(t, q) - _printed_mass(q)).max(), 1e-12,
            "kg m^2", f"{_PAPER}, eqs (60)-(61)", by=CLOSED_FORM),
        below("forces against eq. (78) corrected",
            np.abs(system.force(t, q, v, np.zeros(0)) - _printed_force(t, q, v)).max(), 1e-12, "N m",
            f"{_PAPER}, eq. (78) with the factor 2 of eq. (61)", by=CLOSED_FORM),
    ]  # fmt: skip


def _printed_mass(q: np.ndarray) -> np.ndarray:
    """Mass matrix of eqs (60)–(61)."""
    L1, L2, m1, m2, I1, I2 = 0.1, 0.2, 3.0, 4.0, 0.01, 0.05333
    off = 2 * L1 * L2 * m2 * np.cos(q[0] - q[1])
    return np.array([[m1 * L1**2 + I1 + 4 * m2 * L1**2, off], [off, m2 * L2**2 + I2]])


def _printed_force(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Force vector of eq. (78) with 2 m₂L₁L₂ in the Coriolis terms, as eq. (61) demands."""
    L1, L2, m1, m2, g, X0, W = 0.1, 0.2, 3.0, 4.0, 9.807, 0.5, 0.9425
    m12, s, x_ddot = (m1 + 2 * m2, 2 * m2 * L1 * L2 * np.sin(q[0] - q[1]), -(W**2) * X0 * np.sin(W * t))
    return np.array(
        [
            -s * v[1] ** 2 + L1 * m12 * np.sin(q[0]) * x_ddot - m12 * g * L1 * np.cos(q[0]),
            s * v[0] ** 2 + L2 * m2 * np.sin(q[1]) * x_ddot - m2 * g * L2 * np.cos(q[1]),
        ]
    )
