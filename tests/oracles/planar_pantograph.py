"""Planar pantograph on a moving support: the five-bar chain of Pappalardo and Guida.

*Dynamic Analysis and Control Design of Kinematically-Driven Multibody Mechanical Systems*,
eqs (79)–(138) and Table II, corrected: in (86) and (102) the pan-head couples x with θ₂,
so the entry printed M₅^{3,4} is M₅^{2,4} (and its transpose M₅^{4,2}).

    M q̈ + C_qᵀλ = Q_v + Q_g + Q_k + Q_r + (0, 0, 0, u),     C_q q̈ = Q_d
    q = (θ₁, θ₂, θ₃, x),  e(φ) = (cos φ, sin φ)

    thrust rod      O → A        2L₁ e(θ₁)
    crank           A → B        2L₂ e(θ₂)
    upper arm       B → D        2L₄ e(θ₂ − β), fixed to the crank
    lower arm       B → C        2L₃ e(θ₃), closes the loop at (H₁, H₂)
    pan-head        D + (0, x)

Bars are uniform (mL²/3 about the centre, L half the length). The lifting force acts at E,
(L₃ + L_E) e(θ₃) from B: p₁ − k₁(y_E − H_E) − r₁ẏ_E. The support at the height H₀ + s pulls
the head, at the height y, with k₃(H₀ + s − y) + r₃(ṡ − ẏ); the *interaction force* is its
negative.

Checked symbolically: every other printed formula of (81)–(137) equals this derivation.
The motion in minimal coordinates is in `planar_pantograph_motion`.
"""

from typing import NamedTuple

import numpy as np


class Parameters(NamedTuple):
    """Table II."""

    L1: float = 0.700  #: half lengths [m]
    L2: float = 0.110
    L3: float = 0.850
    L4: float = 0.950
    H0: float = 2.635  #: support reference height [m]
    H1: float = 0.200  #: ground joint of the lower arm [m]
    H2: float = 0.140
    HE: float = 0.140  #: actuator reference height [m]
    LE: float = 0.500  #: actuator point beyond the lower arm's centre [m]
    beta: float = 0.209  #: crank to upper arm [rad]
    m1: float = 2.000  #: [kg]
    m2: float = 1.038
    m3: float = 1.038
    m4: float = 8.962
    m5: float = 0.500
    g: float = 9.810  #: [m/s²]
    p1: float = 1000.0  #: lift [N]
    k1: float = 100.0  #: [N/m]
    r1: float = 1.0  #: [N·s/m]
    k2: float = 200.0
    r2: float = 2.0
    k3: float = 300.0
    r3: float = 3.0


TABLE_II = Parameters()


def mass_matrix(q: np.ndarray, p: Parameters = TABLE_II) -> np.ndarray:
    """M, eqs (81)–(102)."""
    t1, t2, t3, _ = q
    c12, c12b = np.cos(t1 - t2), np.cos(t1 - t2 + p.beta)
    L1, L2, L3, L4 = p.L1, p.L2, p.L3, p.L4
    M = np.zeros((4, 4))
    M[0, 0] = 4.0 * L1**2 * (p.m1 / 3.0 + p.m2 + p.m3 + p.m4 + p.m5)
    M[1, 1] = (
        4.0 * L2**2 * (p.m2 / 3.0 + p.m3 + p.m4 + p.m5)
        + 4.0 * L4**2 * (p.m4 / 3.0 + p.m5)
        + 4.0 * L2 * L4 * np.cos(p.beta) * (p.m4 + 2.0 * p.m5)
    )
    M[2, 2] = 4.0 / 3.0 * p.m3 * L3**2
    M[3, 3] = p.m5
    M[0, 1] = (
        2.0 * L1 * L2 * (p.m2 + 2.0 * p.m3 + 2.0 * p.m4 + 2.0 * p.m5) * c12 + 2.0 * L1 * L4 * (p.m4 + 2.0 * p.m5) * c12b
    )
    M[0, 2] = 2.0 * L1 * L3 * p.m3 * np.cos(t1 - t3)
    M[1, 2] = 2.0 * L2 * L3 * p.m3 * np.cos(t2 - t3)
    M[0, 3] = 2.0 * p.m5 * L1 * np.cos(t1)
    M[1, 3] = 2.0 * p.m5 * (L2 * np.cos(t2) + L4 * np.cos(t2 - p.beta))
    return M + np.triu(M, 1).T


def quadratic_velocity_force(q: np.ndarray, v: np.ndarray, p: Parameters = TABLE_II) -> np.ndarray:
    """Q_v, eqs (105)–(110)."""
    t1, t2, t3, _ = q
    w1, w2, w3 = v[:3] ** 2
    h12 = 2.0 * p.L1 * p.L2 * (p.m2 + 2.0 * (p.m3 + p.m4 + p.m5)) * np.sin(t1 - t2)
    h12 += 2.0 * p.L1 * p.L4 * (p.m4 + 2.0 * p.m5) * np.sin(t1 - t2 + p.beta)
    h13 = 2.0 * p.L1 * p.L3 * p.m3 * np.sin(t1 - t3)
    h23 = 2.0 * p.L2 * p.L3 * p.m3 * np.sin(t2 - t3)
    head = p.L1 * np.sin(t1) * w1 + (p.L2 * np.sin(t2) + p.L4 * np.sin(t2 - p.beta)) * w2
    return np.array([-h12 * w2 - h13 * w3, h12 * w1 - h23 * w3, h13 * w1 + h23 * w2, 2.0 * p.m5 * head])


def gravity_force(q: np.ndarray, p: Parameters = TABLE_II) -> np.ndarray:
    """Q_g, eqs (111)–(116)."""
    c1, c2, c3 = np.cos(q[:3])
    c2b = np.cos(q[1] - p.beta)
    above = p.m3 + p.m4 + p.m5
    return -p.g * np.array(
        [
            p.L1 * (p.m1 + 2.0 * (p.m2 + above)) * c1,
            p.L2 * (p.m2 + 2.0 * above) * c2 + p.L4 * (p.m4 + 2.0 * p.m5) * c2b,
            p.m3 * p.L3 * c3,
            p.m5,
        ]
    )


def actuator_height(q: np.ndarray, p: Parameters = TABLE_II) -> tuple[float, np.ndarray]:
    """y_E [m] and ∂y_E/∂q (4,)."""
    s1, s2, s3 = np.sin(q[:3])
    c1, c2, c3 = np.cos(q[:3])
    y = 2.0 * p.L1 * s1 + 2.0 * p.L2 * s2 + (p.L3 + p.LE) * s3
    return y, np.array([2.0 * p.L1 * c1, 2.0 * p.L2 * c2, (p.L3 + p.LE) * c3, 0.0])


def head_height(q: np.ndarray, p: Parameters = TABLE_II) -> tuple[float, np.ndarray]:
    """y [m] of the pan-head and ∂y/∂q (4,)."""
    t1, t2, _, x = q
    y = 2.0 * p.L1 * np.sin(t1) + 2.0 * p.L2 * np.sin(t2) + 2.0 * p.L4 * np.sin(t2 - p.beta) + x
    d2 = 2.0 * p.L2 * np.cos(t2) + 2.0 * p.L4 * np.cos(t2 - p.beta)
    return y, np.array([2.0 * p.L1 * np.cos(t1), d2, 0.0, 1.0])


def elastic_force(q: np.ndarray, s: float, p: Parameters = TABLE_II) -> np.ndarray:
    """Q_k, eqs (117)–(124): lift p₁ and its spring, suspension, support."""
    y_E, y_E_q = actuator_height(q, p)
    y, y_q = head_height(q, p)
    suspension = np.array([0.0, 0.0, 0.0, -p.k2 * q[3]])
    return (p.p1 - p.k1 * (y_E - p.HE)) * y_E_q + suspension + p.k3 * (p.H0 + s - y) * y_q


def damping_force(q: np.ndarray, v: np.ndarray, s_dot: float, p: Parameters = TABLE_II) -> np.ndarray:
    """Q_r, eqs (125)–(134)."""
    y_E_q, y_q = actuator_height(q, p)[1], head_height(q, p)[1]
    suspension = np.array([0.0, 0.0, 0.0, -p.r2 * v[3]])
    return -p.r1 * (y_E_q @ v) * y_E_q + suspension + p.r3 * (s_dot - y_q @ v) * y_q


def constraint(q: np.ndarray, p: Parameters = TABLE_II) -> np.ndarray:
    """C (2,) [m], eq. (135)."""
    L = 2.0 * np.array([p.L1, p.L2, p.L3])
    return np.array([L @ np.cos(q[:3]) - p.H1, L @ np.sin(q[:3]) - p.H2])


def constraint_jacobian(q: np.ndarray, p: Parameters = TABLE_II) -> np.ndarray:
    """C_q (2, 4), eq. (136)."""
    L = 2.0 * np.array([p.L1, p.L2, p.L3])
    return np.array([[*(-L * np.sin(q[:3])), 0.0], [*(L * np.cos(q[:3])), 0.0]])


def constraint_bias(q: np.ndarray, v: np.ndarray, p: Parameters = TABLE_II) -> np.ndarray:
    """Q_d (2,), eq. (137): C_q q̈ = Q_d."""
    L = 2.0 * np.array([p.L1, p.L2, p.L3]) * v[:3] ** 2
    return np.array([L @ np.cos(q[:3]), L @ np.sin(q[:3])])


def interaction_force(q: np.ndarray, v: np.ndarray, s: float, s_dot: float, p: Parameters = TABLE_II) -> float:
    """F = −[k₃(H₀ + s − y) + r₃(ṡ − ẏ)] [N], negative as in Table III."""
    y, y_q = head_height(q, p)
    return float(-(p.k3 * (p.H0 + s - y) + p.r3 * (s_dot - y_q @ v)))


def total_force(
    q: np.ndarray, v: np.ndarray, s: float, s_dot: float, u: float = 0.0, p: Parameters = TABLE_II
) -> np.ndarray:
    """Q_b, eq. (103)."""
    control = np.array([0.0, 0.0, 0.0, u])
    forces = gravity_force(q, p) + elastic_force(q, s, p) + damping_force(q, v, s_dot, p)
    return quadratic_velocity_force(q, v, p) + forces + control


def acceleration(
    q: np.ndarray, v: np.ndarray, s: float, s_dot: float, u: float = 0.0, p: Parameters = TABLE_II
) -> tuple[np.ndarray, np.ndarray]:
    """q̈ (4,) and λ (2,) of the augmented system, eq. (138)."""
    C_q = constraint_jacobian(q, p)
    K = np.block([[mass_matrix(q, p), C_q.T], [C_q, np.zeros((2, 2))]])
    right = np.concatenate([total_force(q, v, s, s_dot, u, p), constraint_bias(q, v, p)])
    x = np.linalg.solve(K, right)
    return x[:4], x[4:]


def kinetic_energy(q: np.ndarray, v: np.ndarray, p: Parameters = TABLE_II) -> float:
    return float(0.5 * v @ mass_matrix(q, p) @ v)


def potential_energy(q: np.ndarray, s: float, p: Parameters = TABLE_II) -> float:
    """Gravity, the constant lift (−p₁ y_E) and the three springs [J]."""
    s1, s2, s3 = np.sin(q[:3])
    y, y_E = head_height(q, p)[0], actuator_height(q, p)[0]
    weights = (
        (p.m1 + 2.0 * (p.m2 + p.m3 + p.m4)) * p.L1 * s1
        + (p.m2 + 2.0 * (p.m3 + p.m4)) * p.L2 * s2
        + p.m3 * p.L3 * s3
        + p.m4 * p.L4 * np.sin(q[1] - p.beta)
        + p.m5 * y
    )
    springs = p.k1 * (y_E - p.HE) ** 2 + p.k2 * q[3] ** 2 + p.k3 * (p.H0 + s - y) ** 2
    return float(p.g * weights - p.p1 * y_E + 0.5 * springs)


def dissipation(q: np.ndarray, v: np.ndarray, s_dot: float, p: Parameters = TABLE_II) -> float:
    """Power taken out by the three dampers [W], ≥ 0."""
    y_E_dot, y_dot = actuator_height(q, p)[1] @ v, head_height(q, p)[1] @ v
    return float(p.r1 * y_E_dot**2 + p.r2 * v[3] ** 2 + p.r3 * (s_dot - y_dot) ** 2)
