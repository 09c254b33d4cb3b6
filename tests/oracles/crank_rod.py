"""Crank and connecting rod, offset slider: Tebaldi and Zanasi, eqs (7), (8).

*Efficient and Robust Modeling of Nonlinear Mechanical Systems*, section 3. One coordinate θ,
two inertias, the crank J_m and the piston m_p at P₂ = R cos θ + √(L² − (R sin θ − d)²):

    T = (√J_m, √m_p H),  M = J_m + m_p H²,  N = Ṁ/2 = m_p H Ḣ,  H = ∂P₂/∂θ.

The generalised torque is −b_m ω − b_p H² ω + τ_m + H F (the paper prints d_m for the first
and leaves out ω). No numbers are printed; `Parameters` holds a small engine's, chosen here.

Without torques ½Mω² is constant: ω(θ) = ω(0) √(M(θ(0))/M(θ)), and the time to turn from 0 to
θ is ∫ √M dθ / √(2E), which `turn_time` sums by the trapezoidal rule over one turn (spectrally
exact for a smooth periodic integrand).
"""

from typing import NamedTuple

import numpy as np


class Parameters(NamedTuple):
    """Chosen: the source prints none."""

    R: float = 0.05  #: crank [m]
    L: float = 0.15  #: rod [m]
    d: float = 0.01  #: offset of the slider's line [m]
    J_m: float = 0.01  #: crank inertia [kg·m²]
    m_p: float = 0.8  #: piston [kg]


CHOSEN = Parameters()


def piston(theta: np.ndarray, p: Parameters = CHOSEN) -> np.ndarray:
    """P₂ [m]."""
    return p.R * np.cos(theta) + np.sqrt(p.L**2 - (p.R * np.sin(theta) - p.d) ** 2)


def ratio(theta: np.ndarray, p: Parameters = CHOSEN) -> np.ndarray:
    """H = ∂P₂/∂θ [m/rad], eq. (8)."""
    e = p.R * np.sin(theta) - p.d
    return -p.R * np.sin(theta) - e * p.R * np.cos(theta) / np.sqrt(p.L**2 - e**2)


def ratio_slope(theta: np.ndarray, p: Parameters = CHOSEN) -> np.ndarray:
    """∂H/∂θ [m/rad²]."""
    s, c = np.sin(theta), np.cos(theta)
    e = p.R * s - p.d
    root = np.sqrt(p.L**2 - e**2)
    return -p.R * c + (e * p.R * s - (p.R * c) ** 2) / root - (e * p.R * c) ** 2 / root**3


def factor(theta: np.ndarray, p: Parameters = CHOSEN) -> np.ndarray:
    """T (2, …), eq. (7)."""
    H = ratio(theta, p)
    return np.array([np.sqrt(p.J_m) * np.ones_like(H), np.sqrt(p.m_p) * H])


def mass(theta: np.ndarray, p: Parameters = CHOSEN) -> np.ndarray:
    """M = TᵀT [kg·m²]."""
    return p.J_m + p.m_p * ratio(theta, p) ** 2


def coriolis(theta: np.ndarray, omega: np.ndarray, p: Parameters = CHOSEN) -> np.ndarray:
    """N = TᵀṪ [kg·m²/s]; the torque is M θ̈ + N θ̇."""
    return p.m_p * ratio(theta, p) * ratio_slope(theta, p) * omega


def torque(theta: np.ndarray, omega: np.ndarray, alpha: np.ndarray, p: Parameters = CHOSEN) -> np.ndarray:
    """τ [N·m] of inverse dynamics."""
    return mass(theta, p) * alpha + coriolis(theta, omega, p) * omega


def free_speed(theta: np.ndarray, theta0: float, omega0: float, p: Parameters = CHOSEN) -> np.ndarray:
    """ω [rad/s] at θ without torques: the exact answer."""
    return omega0 * np.sqrt(mass(theta0, p) / mass(theta, p))


def turn_time(theta0: float, omega0: float, p: Parameters = CHOSEN) -> float:
    """Time [s] of one free turn."""
    theta = 2.0 * np.pi * np.arange(512) / 512
    return float(2.0 * np.pi * np.mean(1.0 / free_speed(theta, theta0, omega0, p)))
