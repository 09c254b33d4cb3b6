"""Full toroidal variator with a measured tilt angle: Tebaldi and Zanasi, eqs (9)–(11), Tables 1, 2.

*Efficient and Robust Modeling of Nonlinear Mechanical Systems*, section 4. Four wheels turn with
ω_a (1, R₁, R₂, R₃), the ratios depending on the tilt θ_t(t), which is no coordinate:

    R₁ = r_a/r_b2,  R₂ = R₁ r_b/r_c,  R₃ = R₁ r_b/r_d,   r_b, r_d = r_b1 ± r_c sin θ_t
    M = J_a + J_b R₁² + J_c R₂² + J_d R₃²,   T = √J (1, R₁, R₂, R₃),   N = TᵀṪ = Ṁ/2

Table 1 names r_b = 51.5 mm and r_d = 34.3 mm, (9) needs r_b1 and r_b2: r_b1 = 51.5, r_b2 = 34.3.
θ_t = 1.22 sin 3t, disturbance d = 0.0122 sin 3000t, ω_a(0) = 2000 rpm, no torque. Then

    ω_a(t) = ω_a(0) √(M(θ_t(0))/M(θ_t(t)))          exactly.

What the disturbance can do (γ = M′/2M, at most 0.826 on |θ_t| ≤ 1.22; percentages of the
noise-free ω_a, mean / max):

* factorized form, d in the differentiated signal alone: 0 / 0. Taken literally with the 4 × 1 T,
  eq. (5) does hold Ṫ, but only P Ṫ; Euler at 0.1 ms gives 0.003 / 0.011, noisy Ṫ or not. Leaving
  P Ṫ ẋ out is wrong by 6.1 / 12.5; with the 1 × 1 factor √M there is no such term.
* factorized form, d in T as well: ω_a carries −γd whatever the step, 0.37 / 1.013, so 0.1 % is
  out of reach by 10 times, except for the average over a noise period (0.0023 / 0.0055).
* Euler–Lagrange, exact derivative of the noisy tilt or fine steps: 0.37 / 1.01 as well.
* Euler–Lagrange, differenced tilt, Euler's rule: log ω_a also loses ¼ dt (γ·0.0122·3000)² a second
  (a product of factors 1 + x is not e^Σx). Over one tilt period (2.094 s), M noise-free:
  5.9 / 9.4 (1 ms), 2.6 / 4.7 (0.2 ms), 1.39 / 2.81 (0.1 ms), 0.40 / 1.14 (10 µs);
  over 10 s: 20.6 / 37.2, 9.6 / 18.3, 5.1 / 10.2, 0.63 / 1.96.
* the same with RK4 on held samples: 0.37–0.38 / 1.0–1.3 (2.094 s) with M noise-free; with M noisy
  0.87 / 2.64 (0.1 ms), 3.5 / 8.3 (1 ms): the lagging difference meets the noisy M′.

Table 2 (ω_a 1.73 / 2.35) prints neither step, span nor solver, and was not reproduced. Of some
40 000 combinations of step, span, difference, rule, reference and radii the nearest for ω_a are
first-order rules at 0.10 to 0.13 ms over about one tilt period against the factorized answer with
noisy T, 1.6–1.7 / 2.3–2.5 (ω_c 1.6–1.7 / 3.0–3.2, printed 1.74 / 3.60; ω_d 1.7 / 3.5–3.8, printed
1.81 / 5.02): picked by hindsight, so no evidence of what the authors did. None gives all six
numbers. With ω_a off by 2.35 % at most, 5.02 % in ω_d asks for 2.6 % of noise in R₃, and d puts in
1.30 % with r_b1 = 51.5 mm, 2.04 % with 34.3 mm. An adaptive pair of order 5 (tolerance 1e-3, with
a difference block or the exact rate) was wrong by 10 to 70 % in the mean.
"""

from typing import NamedTuple

import numpy as np


class Parameters(NamedTuple):
    """Table 1."""

    J_a: float = 0.026  #: [kg·m²]
    J_b: float = 7.56e-4
    J_c: float = 0.0018
    J_d: float = 0.179
    r_a: float = 17.2e-3  #: [m]
    r_b1: float = 51.5e-3
    r_b2: float = 34.3e-3
    r_c: float = 27.5e-3


TABLE_1 = Parameters()

OMEGA_START = 2000.0 * 2.0 * np.pi / 60.0  #: ω_a(0) [rad/s]
TILT, TILT_RATE = 1.22, 3.0  #: [rad], [rad/s]
NOISE, NOISE_RATE = 12.2e-3, 3.0e3

#: noise in T moves the factorized ω_a by mean, max [%] over one tilt period
NOISY_FACTOR_PERCENT = (0.367, 1.0131)


def tilt(t: np.ndarray) -> np.ndarray:
    """θ_t [rad]."""
    return TILT * np.sin(TILT_RATE * t)


def tilt_rate(t: np.ndarray) -> np.ndarray:
    """dθ_t/dt [rad/s]."""
    return TILT * TILT_RATE * np.cos(TILT_RATE * t)


def noisy_tilt(t: np.ndarray) -> np.ndarray:
    """θ_t + d [rad]."""
    return tilt(t) + NOISE * np.sin(NOISE_RATE * t)


def ratios(theta: np.ndarray, p: Parameters = TABLE_1) -> np.ndarray:
    """(1, R₁, R₂, R₃) (4, …), eq. (9)."""
    R1 = p.r_a / p.r_b2
    r_b, r_d = p.r_b1 + p.r_c * np.sin(theta), p.r_b1 - p.r_c * np.sin(theta)
    one = np.ones_like(r_b)
    return np.array([one, R1 * one, R1 * r_b / p.r_c, R1 * r_b / r_d])


def factor(theta: np.ndarray, p: Parameters = TABLE_1) -> np.ndarray:
    """T (4, …), eq. (10)."""
    J = np.sqrt(np.array([p.J_a, p.J_b, p.J_c, p.J_d]))
    R = ratios(theta, p)
    return J.reshape(4, *([1] * (R.ndim - 1))) * R


def mass(theta: np.ndarray, p: Parameters = TABLE_1) -> np.ndarray:
    """M = TᵀT [kg·m²], eq. (11)."""
    T = factor(theta, p)
    return np.sum(T * T, axis=0)


def coriolis(theta: np.ndarray, theta_dot: np.ndarray, p: Parameters = TABLE_1) -> np.ndarray:
    """N = Ṁ/2 [kg·m²/s], eq. (11)."""
    r_b, r_d = p.r_b1 + p.r_c * np.sin(theta), p.r_b1 - p.r_c * np.sin(theta)
    R1 = p.r_a / p.r_b2
    inner = p.J_c / p.r_c**2 + 2.0 * p.r_b1 * p.J_d / r_d**3
    return r_b * p.r_c * theta_dot * np.cos(theta) * R1**2 * inner


def exact_speed(theta: np.ndarray, p: Parameters = TABLE_1) -> np.ndarray:
    """ω_a [rad/s] at the tilt θ, started at tilt 0, without torque."""
    return OMEGA_START * np.sqrt(mass(np.zeros(()), p) / mass(theta, p))


def differenced_speed(dt: float, n: int, *, noisy_mass: bool, p: Parameters = TABLE_1) -> np.ndarray:
    """ω_a (n + 1,) of the Euler–Lagrange form by Euler's rule with step dt.

    ω_{k+1} = ω_k (1 − dt N_k/M_k), dθ/dt by the backward difference of the noisy tilt (zero at
    first); `noisy_mass` puts the noisy tilt into M and N as well.
    """
    t = dt * np.arange(n + 1)
    measured = noisy_tilt(t)
    theta = measured if noisy_mass else tilt(t)
    theta_dot = np.diff(measured, prepend=measured[0]) / dt
    growth = 1.0 - dt * coriolis(theta, theta_dot, p) / mass(theta, p)
    return OMEGA_START * np.cumprod(np.concatenate([[1.0], growth[:-1]]))


def literal_speed(dt: float, n: int, *, noisy_factor: bool, p: Parameters = TABLE_1) -> np.ndarray:
    """ω_a (n + 1,) of eq. (5) as it stands, ż = P Ṫ ω, ω = T⁺z, by Euler's rule with step dt.

    Ṫ is the backward difference of T at the noisy tilt; `noisy_factor` puts it into T too.
    """
    t = dt * np.arange(n + 1)
    measured = factor(noisy_tilt(t), p)
    T = measured if noisy_factor else factor(tilt(t), p)
    dT = np.diff(measured, axis=1, prepend=measured[:, :1])
    z, omega = T[:, 0] * OMEGA_START, np.empty(n + 1)
    for k in range(n + 1):
        column = T[:, k]
        M = column @ column
        omega[k] = column @ z / M
        push = dT[:, k] * omega[k]
        z = z + push - column * (column @ push) / M  # P = I − T Tᵀ/M
    return omega
