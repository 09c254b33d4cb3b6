"""Planar two-link robot: Tebaldi and Zanasi, eqs (12)–(14).

*Efficient and Robust Modeling of Nonlinear Mechanical Systems*, section 5; x = (θ₁, θ₂), the
second angle relative to the first, no gravity, no friction. With α, β, δ as printed

    M = [[α + 2β cos θ₂, δ + β cos θ₂], [·, δ]],
    N = β sin θ₂ [[−θ̇₂, −(θ̇₁ + θ̇₂)], [θ̇₁, 0]],      τ = M ẍ + N ẋ = Tᵀ d/dt(T ẋ).

T (4 × 2) has the rows √(I₁ + m₁r₁²)(1, 0), √m₂ ∂P₂x/∂x, √m₂ ∂P₂y/∂x, √I₂(1, 1).

No numbers are printed. The source points at the MathWorks example "LTV Model of Two-Link Robot",
whose masses and lengths are used (3 and 2 kg, 0.3 m; uniform links, so r = L/2 and I = mL²/12);
that page prints N₁₂ with a plus sign, the minus here is right. The trajectory is chosen:
`motion` gives θ, θ̇, θ̈ in closed form, so torques are exact to round-off. Without torques the
energy ½ẋᵀMẋ and the angular momentum about the base, p₁ = (M ẋ)₁, are conserved.
"""

from typing import NamedTuple

import numpy as np


class Parameters(NamedTuple):
    """From the example the source points at; links uniform."""

    m1: float = 3.0  #: [kg]
    m2: float = 2.0
    L1: float = 0.3  #: first link [m]
    r1: float = 0.15  #: joint to centre of mass [m]
    r2: float = 0.15
    I1: float = 0.0225  #: about the centre of mass [kg·m²]
    I2: float = 0.015


UNIFORM = Parameters()


def constants(p: Parameters = UNIFORM) -> tuple[float, float, float]:
    """α, β, δ [kg·m²]."""
    delta = p.I2 + p.m2 * p.r2**2
    return p.I1 + p.m1 * p.r1**2 + p.m2 * p.L1**2 + delta, p.m2 * p.L1 * p.r2, delta


def mass_matrix(x: np.ndarray, p: Parameters = UNIFORM) -> np.ndarray:
    """M, eq. (13)."""
    alpha, beta, delta = constants(p)
    c = beta * np.cos(x[1])
    return np.array([[alpha + 2.0 * c, delta + c], [delta + c, delta]])


def coriolis_matrix(x: np.ndarray, v: np.ndarray, p: Parameters = UNIFORM) -> np.ndarray:
    """N = TᵀṪ, after eq. (13)."""
    h = constants(p)[1] * np.sin(x[1])
    return h * np.array([[-v[1], -(v[0] + v[1])], [v[0], 0.0]])


def factor(x: np.ndarray, p: Parameters = UNIFORM) -> np.ndarray:
    """T (4, 2) = √N₀ ∂P₀/∂x."""
    s1, c1, s12, c12 = np.sin(x[0]), np.cos(x[0]), np.sin(x[0] + x[1]), np.cos(x[0] + x[1])
    H = np.array([[1.0, 0.0], [-p.L1 * s1 - p.r2 * s12, -p.r2 * s12], [p.L1 * c1 + p.r2 * c12, p.r2 * c12], [1.0, 1.0]])
    return np.sqrt(np.array([p.m1 * p.r1**2 + p.I1, p.m2, p.m2, p.I2]))[:, None] * H


def torque(x: np.ndarray, v: np.ndarray, a: np.ndarray, p: Parameters = UNIFORM) -> np.ndarray:
    """τ (2,) [N·m], eq. (14)."""
    return mass_matrix(x, p) @ a + coriolis_matrix(x, v, p) @ v


def factorized_torque(x: np.ndarray, v: np.ndarray, a: np.ndarray, p: Parameters = UNIFORM) -> np.ndarray:
    """τ = Tᵀ d/dt(T ẋ) from the accelerations of the masses, eq. (2)."""
    e1 = np.array([np.cos(x[0]), np.sin(x[0])])
    e12 = np.array([np.cos(x[0] + x[1]), np.sin(x[0] + x[1])])
    n1, n12 = np.array([-e1[1], e1[0]]), np.array([-e12[1], e12[0]])
    w, w_dot = v[0] + v[1], a[0] + a[1]
    point = p.L1 * (n1 * a[0] - e1 * v[0] ** 2) + p.r2 * (n12 * w_dot - e12 * w**2)
    weights = np.sqrt(np.array([p.m1 * p.r1**2 + p.I1, p.m2, p.m2, p.I2]))
    return factor(x, p).T @ (weights * np.array([a[0], point[0], point[1], w_dot]))


def motion(t: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """θ, θ̇, θ̈, each (2, nt): θ₁ = 1.0 sin 2t, θ₂ = 0.8 (1 − cos 3t)."""
    t = np.asarray(t)
    x = np.array([np.sin(2.0 * t), 0.8 * (1.0 - np.cos(3.0 * t))])
    v = np.array([2.0 * np.cos(2.0 * t), 2.4 * np.sin(3.0 * t)])
    a = np.array([-4.0 * np.sin(2.0 * t), 7.2 * np.cos(3.0 * t)])
    return x, v, a


#: t [s] → τ [N·m] along `motion` with the chosen parameters
TORQUES = {
    0.0: (1.08, 0.432),
    0.5: (-2.15670423700711, -0.323273062343466),
    1.0: (-1.56006792273991, -0.576639523348129),
    2.0: (2.57395193991845, 0.87363690114358),
}


def energy(x: np.ndarray, v: np.ndarray, p: Parameters = UNIFORM) -> float:
    """½ẋᵀMẋ [J]."""
    return float(0.5 * v @ mass_matrix(x, p) @ v)


def base_momentum(x: np.ndarray, v: np.ndarray, p: Parameters = UNIFORM) -> float:
    """Angular momentum about the base joint [kg·m²/s]."""
    return float((mass_matrix(x, p) @ v)[0])
