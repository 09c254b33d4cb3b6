"""IFToMM benchmark A02, the N-four-bar mechanism, in its one degree of freedom.

N + 1 vertical rods A_i B_i and N couplers B_i B_{i+1}, uniform, 1 kg and 1 m each, ground
joints 1 m apart, g = 9.81 m/s². It starts upright with Ḃ₀ = (+1, 0) m/s and 10 s are asked for
(González, Dopico, Lugrís, Cuadrado 2006; benchmark library of IFToMM's multibody committee).

A parallelogram stays one: with φ the angle from the vertical, B_i = A_i + L (sin φ, cos φ),
the couplers only translate and

    T = ½ I φ̇²,  I = mL² ((N + 1)/3 + N),      V = W cos φ,  W = mgL ((N + 1)/2 + N).

Energy gives φ̇² = a + b (1 − cos φ), a = φ̇(0)², b = 2W/I; with ψ = (φ − π)/2, the half angle
from the bottom, ψ̇ = ω √(1 − k² sin²ψ), ω = ½√(a + 2b), k² = 2b/(a + 2b), so

    ψ(t) = am(ωt − K(k), k)          exactly (Jacobi's amplitude; period 2K/ω per turn).

`amplitude` evaluates am by the arithmetic-geometric mean; nothing is integrated.

The singular configurations
---------------------------
Twice a turn (φ = ±90°) all rods lie on one line. There the closure Jacobian loses one rank
per loop and an antiparallelogram branch meets the parallelogram; and the axial forces of the
couplers grow without bound, for N = 2 ∓(mg/36) tan φ (mean of both ends): rods 0 and 2 alone
would fall with 1.200 g sin φ, rod 1 with 1.125 g sin φ, and only couplers at right angles to
the velocity can make them equal. C_qᵀλ stays finite, λ does not, so multipliers and any error
estimate of the accelerations carry round-off/|cos φ|. Measured in redundant coordinates (the
six coordinates of B₀, B₁, B₂, five unit lengths), error of (B₀, Ḃ₀) at 10 s:

    augmented, no stabilisation        flies apart or turns antiparallelogram between 1.2 and
                                       5.4 s (RK4 at 10, 2, 1 ms; DOP853 at 1e-6, 1e-8)
    RK4 + projection of q and v        8e-5 (10 ms)   2.9e-8 (2 ms)   1.0e-9 (1 ms)
    RK4 + Baumgarte, α = β = 20 1/s    1.1e-3 (10 ms) 1.9e-6 (2 ms)   1.2e-7 (1 ms)
    DOP853, projection every 20 ms     3e-10 at rtol 1e-7 and 1e-8; stalls at 1e-9 and 1e-10
    DOP853 + Baumgarte 20 1/s          7e-6 (1e-6), 6e-8 (1e-8); stalls at 1e-10 and 1e-12
    penalty or ελ in the saddle point  3e-6 at best with projection; else 1e-1: energy leaks
    pseudo-inverse cut at 1e-4 σ_max   harmless with projection; cut at 1e-2: 5e-4

"Stalls": the step goes to zero at φ = ±90°, the tolerance being under the noise; one such run
changed the branch before it stopped. Other coordinates and implicit methods were not tried.
So: project after every step (mass-weighted, by least squares, q first, then v), a fixed step of
2 ms or less or a tolerance of 1e-8 and no tighter, and never a step or a start exactly on
φ = ±90°. Noise of 1e-9 a step in q and v gave 4e-6, 1e-7 gave 1e-4 (2 ms, one run each). The mechanism stays
a parallelogram (shear < 1e-12 m) whenever the projection keeps it on the closure.
"""

import numpy as np

GRAVITY = 9.81  #: [m/s²]

#: N = 2, t = 10 s: B₀ [m] and Ḃ₀ [m/s], equal to the benchmark's reference to its ten digits
REFERENCE_10S = ((0.3284581115, 0.9445185382), (1.4230514702, -0.4948688455))


def amplitude(u: np.ndarray, m: float) -> np.ndarray:
    """am(u | m), m = k² < 1, by the descending Landen (AGM) recurrence; any real u."""
    a, b, c = [1.0], [np.sqrt(1.0 - m)], [np.sqrt(m)]
    while c[-1] > 1e-17:
        a_n, b_n = a[-1], b[-1]
        a.append(0.5 * (a_n + b_n))
        b.append(np.sqrt(a_n * b_n))
        c.append(0.5 * (a_n - b_n))
    n = len(a) - 1
    phi = 2.0**n * a[n] * np.asarray(u)
    for i in range(n, 0, -1):
        phi = 0.5 * (phi + np.arcsin(c[i] / a[i] * np.sin(phi)))
    return phi


def quarter_period(m: float) -> float:
    """K(m) = π / (2 AGM(1, √(1 − m)))."""
    a, b = 1.0, np.sqrt(1.0 - m)
    while abs(a - b) > 1e-16 * a:
        a, b = 0.5 * (a + b), np.sqrt(a * b)
    return float(np.pi / (2.0 * a))


def constants(N: int = 2) -> tuple[float, float]:
    """I [kg·m²] and W [J] of the mechanism with N loops, m = L = 1."""
    return (N + 1) / 3.0 + N, GRAVITY * ((N + 1) / 2.0 + N)


def angle(t: np.ndarray, N: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """φ [rad] from the vertical, clockwise, and φ̇ [rad/s] at the times t."""
    inertia, weight = constants(N)
    a, b = 1.0, 2.0 * weight / inertia
    m, omega = 2.0 * b / (a + 2.0 * b), 0.5 * np.sqrt(a + 2.0 * b)
    psi = amplitude(omega * np.asarray(t) - quarter_period(m), m)
    return 2.0 * psi + np.pi, 2.0 * omega * np.sqrt(1.0 - m * np.sin(psi) ** 2)


def turn_time(N: int = 2) -> float:
    """Time of one full turn [s]."""
    inertia, weight = constants(N)
    b = 2.0 * weight / inertia
    m = 2.0 * b / (1.0 + 2.0 * b)
    return 2.0 * quarter_period(m) / (0.5 * float(np.sqrt(1.0 + 2.0 * b)))


def B0(t: np.ndarray, N: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Position (…, 2) and velocity (…, 2) of B₀; A₀ is the origin."""
    phi, phi_dot = angle(t, N)
    along = np.stack([np.sin(phi), np.cos(phi)], axis=-1)
    across = np.stack([np.cos(phi), -np.sin(phi)], axis=-1)
    return along, across * np.asarray(phi_dot)[..., None]


def energy(N: int = 2) -> float:
    """T + V, constant [J]; V = 0 with the ground joints' height."""
    inertia, weight = constants(N)
    return 0.5 * inertia + weight


def coupler_force(phi: np.ndarray) -> np.ndarray:
    """Axial force [N] of the first coupler for N = 2, tension positive, mean of its two ends.

    From rod 0 and half a coupler, (5/6) φ̈ = g sin φ + F cos φ with φ̈ = (7/6) g sin φ.
    """
    return -GRAVITY / 36.0 * np.tan(phi)
