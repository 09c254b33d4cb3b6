"""Double inverted pendulum on a cart whose motion x(t) = X₀ sin Ωt is prescribed.

Pappalardo and Guida, *Dynamic Analysis and Control Design of Kinematically-Driven Multibody
Mechanical Systems*, eqs (44)–(78) and Table I, with the Coriolis terms of (63) and (78)
corrected: they carry the factor 2 that (61) asks for.

    M q̈ = Q_v + Q_m + Q_e,      q = (θ₁, θ₂), absolute angles from the x axis, y up

Bar i has the half length L_i; its centre of mass is half way:

    R₁ = (x + L₁ cos θ₁, L₁ sin θ₁),
    R₂ = (x + 2L₁ cos θ₁ + L₂ cos θ₂, 2L₁ sin θ₁ + L₂ sin θ₂).

The cart has no mass, so the drive feels the momentum of the bars alone,
F = d/dt Σ m Ṙ_x, and puts in the power P = F ẋ = d(T + U)/dt.

State everywhere: q (2,) rad, v = q̇ (2,) rad/s.

Reference motions, from Taylor series of order 40 and 46 in 45 and 60 digits (they agree to
1e-22 at the worst), parameters and start taken as the nearest doubles:

* `UPRIGHT`, θ = (π/2 + 0.1, π/2 − 0.1) at rest, is chaotic. |∂x(t)/∂x(0)| is 4.4e2, 1.5e4,
  9.3e7, 1.5e15 at 1, 2, 5, 10 s (exponent 3.5 to 6 per second): with x(0) and Table I as real
  numbers instead of doubles the states move by 4e-14, 1.2e-12, 7e-9 and 0.1. SciPy's
  DOP853 at rtol 1e-13 was off by 4e-12, 1e-10, 7e-7; no double can reach the state at 10 s.
* `HANGING`, θ = (−π/2 + 0.1, −π/2 − 0.1) at rest, is regular: |∂x(t)/∂x(0)| ≤ 21 at those
  times, so all digits printed can be asked for.
"""

from typing import NamedTuple

import numpy as np


class Parameters(NamedTuple):
    """Table I."""

    L1: float = 0.1  #: half length [m]
    L2: float = 0.2
    m1: float = 3.0  #: [kg]
    m2: float = 4.0
    I1: float = 0.01  #: about the centre of mass [kg·m²]
    I2: float = 0.05333
    g: float = 9.807  #: [m/s²]
    X0: float = 0.5  #: cart amplitude [m]
    Omega: float = 0.9425  #: [rad/s]


TABLE_I = Parameters()

START_UPRIGHT = np.array([np.pi / 2 + 0.1, np.pi / 2 - 0.1, 0.0, 0.0])
START_HANGING = np.array([-np.pi / 2 + 0.1, -np.pi / 2 - 0.1, 0.0, 0.0])

#: t [s] → (θ₁, θ₂, θ̇₁, θ̇₂)
UPRIGHT = {
    1.0: (5.638376583662332, -8.883780704707424, -13.384252842228823, -14.640137995975858),
    2.0: (-3.9137579216232182, -4.5753705677224344, 3.8948547703477749, 1.8436791868502078),
    5.0: (3.7003674954000722, 25.9964765249989583, 19.0292589141012587, 17.9180001999248316),
    10.0: (19.6652608314010765, 55.6051523286832552, -10.6122369839580794, -9.1060295323222045),
}
#: the error a double precision code may have at those times, from the sensitivities above
UPRIGHT_TOLERANCE = {1.0: 1e-10, 2.0: 1e-8, 5.0: 1e-4}

HANGING = {
    1.0: (-1.51186465416733936, -1.53736094320303232, -1.45438679526054038, 1.31972642335548882),
    2.0: (-1.61922281850411340, -1.42547349748245542, -0.39778195415460653, 0.39241703354958557),
    5.0: (-1.54723633507480587, -1.68416677629862402, -1.09352943139763146, 0.90516248097964585),
    10.0: (-1.57606296894436128, -1.56095568585991799, -1.54880483598517526, 1.24218151389049782),
}


def cart(t: float, p: Parameters = TABLE_I) -> tuple[float, float, float]:
    """x, ẋ, ẍ of the cart, eqs (45), (46)."""
    s, c = np.sin(p.Omega * t), np.cos(p.Omega * t)
    return p.X0 * s, p.Omega * p.X0 * c, -(p.Omega**2) * p.X0 * s


def mass_matrix(q: np.ndarray, p: Parameters = TABLE_I) -> np.ndarray:
    """M, eqs (59)–(61)."""
    coupling = 2.0 * p.m2 * p.L1 * p.L2 * np.cos(q[0] - q[1])
    return np.array([[p.I1 + (p.m1 + 4.0 * p.m2) * p.L1**2, coupling], [coupling, p.I2 + p.m2 * p.L2**2]])


def quadratic_velocity_force(q: np.ndarray, v: np.ndarray, p: Parameters = TABLE_I) -> np.ndarray:
    """Q_v, eq. (63) with its factor 2."""
    c = 2.0 * p.m2 * p.L1 * p.L2 * np.sin(q[0] - q[1])
    return np.array([-c * v[1] ** 2, c * v[0] ** 2])


def driven_force(t: float, q: np.ndarray, p: Parameters = TABLE_I) -> np.ndarray:
    """Q_m, eq. (73)."""
    x_ddot = cart(t, p)[2]
    return x_ddot * np.array([p.L1 * (p.m1 + 2.0 * p.m2) * np.sin(q[0]), p.L2 * p.m2 * np.sin(q[1])])


def gravity_force(q: np.ndarray, p: Parameters = TABLE_I) -> np.ndarray:
    """Q_e, eq. (77)."""
    return -p.g * np.array([(p.m1 + 2.0 * p.m2) * p.L1 * np.cos(q[0]), p.m2 * p.L2 * np.cos(q[1])])


def linear_kinetic_vector(t: float, q: np.ndarray, p: Parameters = TABLE_I) -> np.ndarray:
    """b of T_l = ½ bᵀq̇, eqs (64)–(66)."""
    x_dot = cart(t, p)[1]
    return -2.0 * x_dot * np.array([(p.m1 + 2.0 * p.m2) * p.L1 * np.sin(q[0]), p.m2 * p.L2 * np.sin(q[1])])


def scalar_kinetic_term(t: float, p: Parameters = TABLE_I) -> float:
    """c of T_c = ½ c, eqs (68)–(70)."""
    return (p.m1 + p.m2) * cart(t, p)[1] ** 2


def acceleration(t: float, q: np.ndarray, v: np.ndarray, p: Parameters = TABLE_I) -> np.ndarray:
    """q̈, eq. (58)."""
    Q_b = quadratic_velocity_force(q, v, p) + driven_force(t, q, p) + gravity_force(q, p)
    return np.linalg.solve(mass_matrix(q, p), Q_b)


def rate(t: float, state: np.ndarray) -> np.ndarray:
    """ẋ = f(t, x) of the state x = (q, v) with Table I."""
    q, v = state[:2], state[2:]
    return np.concatenate([v, acceleration(t, q, v)])


def kinetic_energy(t: float, q: np.ndarray, v: np.ndarray, p: Parameters = TABLE_I) -> float:
    """T = ½ q̇ᵀM q̇ + ½ bᵀq̇ + ½ c, cart without mass."""
    linear = 0.5 * linear_kinetic_vector(t, q, p) @ v
    return float(0.5 * v @ mass_matrix(q, p) @ v + linear + 0.5 * scalar_kinetic_term(t, p))


def potential_energy(q: np.ndarray, p: Parameters = TABLE_I) -> float:
    """U, eqs (74)–(76), zero on the cart's axis."""
    first = (p.m1 + 2.0 * p.m2) * p.L1 * np.sin(q[0])
    return float(p.g * (first + p.m2 * p.L2 * np.sin(q[1])))


def drive_force(t: float, q: np.ndarray, v: np.ndarray, a: np.ndarray, p: Parameters = TABLE_I) -> float:
    """F [N] of the drive on the cart along x: Σ m R̈_x."""
    s, c = np.sin(q), np.cos(q)
    first = (p.m1 + 2.0 * p.m2) * p.L1 * (s[0] * a[0] + c[0] * v[0] ** 2)
    second = p.m2 * p.L2 * (s[1] * a[1] + c[1] * v[1] ** 2)
    return float((p.m1 + p.m2) * cart(t, p)[2] - first - second)


def drive_power(t: float, q: np.ndarray, v: np.ndarray, p: Parameters = TABLE_I) -> float:
    """P = F ẋ [W] the drive puts in along the motion; equals d(T + U)/dt."""
    return drive_force(t, q, v, acceleration(t, q, v, p), p) * cart(t, p)[1]


def tip(t: float, q: np.ndarray, p: Parameters = TABLE_I) -> np.ndarray:
    """Point B, the free end of the second bar [m] (figures 4 to 6)."""
    x = cart(t, p)[0]
    return np.array([x, 0.0]) + 2.0 * np.array(
        [p.L1 * np.cos(q[0]) + p.L2 * np.cos(q[1]), p.L1 * np.sin(q[0]) + p.L2 * np.sin(q[1])]
    )
