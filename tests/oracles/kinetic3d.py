"""Three-dimensional checks in angles: a symmetric top and a spherical pendulum, pivots driven.

z points up. Each body hangs or stands on a pivot whose motion p(t) is prescribed:

    M q̈ = Q_v + Q_m + Q_e,   Q_m = −m (∂r_G/∂q)ᵀ p̈    (a pivot that only translates)

**Top**, q = (φ, θ, ψ), precession, nutation and spin: R = R_z(φ) R_x(θ) R_z(ψ). A is the moment
of inertia about the pivot across the axis, C along it, l the distance of the centre of mass:
r_G = p + l (sin θ sin φ, −sin θ cos φ, cos θ). With the pivot at rest p_φ, p_ψ and the energy
are conserved, and at a constant θ the top precesses with either root of

    (A − C) φ̇² cos θ − C ψ̇ φ̇ + mgl = 0     ⇔     A φ̇² cos θ − C ω₃ φ̇ + mgl = 0.

**Gyroscope on a turntable**: the same top with φ = α(t) prescribed, q = (θ, ψ): the one case
where bodies have a driven angular velocity, w(t) = α̇ e_z.

**Spherical pendulum**, q = (θ, φ), θ from the downward vertical, a point mass:
r = p + l (sin θ cos φ, sin θ sin φ, −cos θ). Pivot at rest: conical motion φ̇² = g/(l cos θ);
pivot on a circle of radius ρ at the rate Ω: the mass follows with tan θ = Ω²(ρ + l sin θ)/g.

Derived with a computer algebra system from L = T − V; the classical forms are in Goldstein,
*Classical Mechanics*, section 5.7.
"""

from typing import NamedTuple

import numpy as np


class Top(NamedTuple):
    A: float = 0.05  #: across the axis, about the pivot [kg·m²]
    C: float = 0.02  #: along the axis [kg·m²]
    m: float = 1.5  #: [kg]
    l: float = 0.15  #: pivot to centre of mass [m]
    g: float = 9.81


class Pendulum(NamedTuple):
    m: float = 2.0  #: [kg]
    l: float = 0.7  #: [m]
    g: float = 9.81


TOP, PENDULUM = Top(), Pendulum()

PIVOT_AMPLITUDE = np.array([0.30, 0.20, 0.10])  #: [m]
PIVOT_RATE = np.array([2.0, 3.1, 4.3])  #: [rad/s]


def pivot(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """p, ṗ, p̈ (3,) of the shaken pivot: p_i = a_i sin(w_i t)."""
    s, c = np.sin(PIVOT_RATE * t), np.cos(PIVOT_RATE * t)
    a, w = PIVOT_AMPLITUDE, PIVOT_RATE
    return a * s, a * w * c, -a * w**2 * s


def top_mass(q: np.ndarray, p: Top = TOP) -> np.ndarray:
    """M (3, 3)."""
    s, c = np.sin(q[1]), np.cos(q[1])
    return np.array([[p.A * s**2 + p.C * c**2, 0.0, p.C * c], [0.0, p.A, 0.0], [p.C * c, 0.0, p.C]])


def top_quadratic_velocity_force(q: np.ndarray, v: np.ndarray, p: Top = TOP) -> np.ndarray:
    """Q_v (3,)."""
    s, c = np.sin(q[1]), np.cos(q[1])
    phi, theta, psi = v
    return np.array(
        [
            theta * s * (2.0 * (p.C - p.A) * phi * c + p.C * psi),
            phi * s * ((p.A - p.C) * phi * c - p.C * psi),
            p.C * phi * theta * s,
        ]
    )


def top_lever(q: np.ndarray, p: Top = TOP) -> np.ndarray:
    """∂r_G/∂q (3, 3)."""
    sf, cf, s, c = np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1])
    return p.l * np.array([[s * cf, c * sf, 0.0], [s * sf, -c * cf, 0.0], [0.0, -s, 0.0]])


def top_driven_force(q: np.ndarray, p_ddot: np.ndarray, p: Top = TOP) -> np.ndarray:
    """Q_m (3,) for the pivot's acceleration p̈."""
    return -p.m * top_lever(q, p).T @ p_ddot


def top_gravity_force(q: np.ndarray, p: Top = TOP) -> np.ndarray:
    """Q_e (3,)."""
    return np.array([0.0, p.m * p.g * p.l * np.sin(q[1]), 0.0])


def top_acceleration(q: np.ndarray, v: np.ndarray, p_ddot: np.ndarray, p: Top = TOP) -> np.ndarray:
    """q̈ (3,)."""
    forces = top_quadratic_velocity_force(q, v, p) + top_driven_force(q, p_ddot, p)
    return np.linalg.solve(top_mass(q, p), forces + top_gravity_force(q, p))


def top_invariants(q: np.ndarray, v: np.ndarray, p: Top = TOP) -> np.ndarray:
    """(p_φ, p_ψ, T + V), constant while the pivot rests."""
    momenta = top_mass(q, p) @ v
    energy = 0.5 * v @ momenta + p.m * p.g * p.l * np.cos(q[1])
    return np.array([momenta[0], momenta[2], energy])


def steady_precession(theta: float, omega3: float, p: Top = TOP) -> tuple[float, float]:
    """Slow and fast φ̇ [rad/s] at constant θ, ω₃ = ψ̇ + φ̇ cos θ the total spin."""
    a, b, c = p.A * np.cos(theta), p.C * omega3, p.m * p.g * p.l
    root = np.sqrt(b**2 - 4.0 * a * c)
    return float(2.0 * c / (b + root)), float((b + root) / (2.0 * a))


def gyroscope_mass(p: Top = TOP) -> np.ndarray:
    """M (2, 2) for q = (θ, ψ); constant, so Q_v = 0."""
    return np.diag([p.A, p.C])


def gyroscope_driven_force(
    q: np.ndarray, v: np.ndarray, alpha_dot: float, alpha_ddot: float, p: Top = TOP
) -> np.ndarray:
    """Q_m (2,): gyroscopic, centrifugal and angular acceleration terms of the turntable."""
    s, c = np.sin(q[0]), np.cos(q[0])
    return np.array(
        [alpha_dot * s * ((p.A - p.C) * alpha_dot * c - p.C * v[1]), p.C * (alpha_dot * v[0] * s - alpha_ddot * c)]
    )


def turntable_torque(
    q: np.ndarray, v: np.ndarray, a: np.ndarray, alpha_dot: float, alpha_ddot: float, p: Top = TOP
) -> float:
    """Torque [N·m] about z that turns the table: ṗ_φ of the free top."""
    full_q, full_v = np.array([0.0, *q]), np.array([alpha_dot, *v])
    row = top_mass(full_q, p)[0] @ np.array([alpha_ddot, *a])
    return float(row - top_quadratic_velocity_force(full_q, full_v, p)[0])


def pendulum_mass(q: np.ndarray, p: Pendulum = PENDULUM) -> np.ndarray:
    """M (2, 2); singular at θ = 0, where φ has no meaning."""
    return p.m * p.l**2 * np.diag([1.0, np.sin(q[0]) ** 2])


def pendulum_quadratic_velocity_force(q: np.ndarray, v: np.ndarray, p: Pendulum = PENDULUM) -> np.ndarray:
    """Q_v (2,)."""
    sc = p.m * p.l**2 * np.sin(q[0]) * np.cos(q[0])
    return np.array([sc * v[1] ** 2, -2.0 * sc * v[0] * v[1]])


def pendulum_lever(q: np.ndarray, p: Pendulum = PENDULUM) -> np.ndarray:
    """∂r/∂q (3, 2)."""
    s, c, sf, cf = np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1])
    return p.l * np.array([[c * cf, -s * sf], [c * sf, s * cf], [s, 0.0]])


def pendulum_driven_force(q: np.ndarray, p_ddot: np.ndarray, p: Pendulum = PENDULUM) -> np.ndarray:
    """Q_m (2,)."""
    return -p.m * pendulum_lever(q, p).T @ p_ddot


def pendulum_gravity_force(q: np.ndarray, p: Pendulum = PENDULUM) -> np.ndarray:
    """Q_e (2,)."""
    return np.array([-p.m * p.g * p.l * np.sin(q[0]), 0.0])


def pendulum_acceleration(q: np.ndarray, v: np.ndarray, p_ddot: np.ndarray, p: Pendulum = PENDULUM) -> np.ndarray:
    """q̈ (2,)."""
    forces = pendulum_quadratic_velocity_force(q, v, p) + pendulum_driven_force(q, p_ddot, p)
    return (forces + pendulum_gravity_force(q, p)) / np.diag(pendulum_mass(q, p))


def pendulum_energy(t: float, q: np.ndarray, v: np.ndarray, p: Pendulum = PENDULUM) -> float:
    """T + V [J] in the world, V = 0 at the height 0."""
    position, velocity, _ = pivot(t)
    speed = velocity + pendulum_lever(q, p) @ v
    height = position[2] - p.l * np.cos(q[0])
    return float(0.5 * p.m * speed @ speed + p.m * p.g * height)


def pendulum_drive_force(
    q: np.ndarray, v: np.ndarray, a: np.ndarray, p_ddot: np.ndarray, p: Pendulum = PENDULUM
) -> np.ndarray:
    """Force (3,) [N] of the drive on the pivot, m (r̈ + g e_z); its power is F · ṗ."""
    s, c, sf, cf = np.sin(q[0]), np.cos(q[0]), np.sin(q[1]), np.cos(q[1])
    w1, w2 = v
    curl = p.l * np.array(
        [
            -s * cf * (w1**2 + w2**2) - 2.0 * c * sf * w1 * w2,
            -s * sf * (w1**2 + w2**2) + 2.0 * c * cf * w1 * w2,
            c * w1**2,
        ]
    )
    return p.m * (p_ddot + pendulum_lever(q, p) @ a + curl + np.array([0.0, 0.0, p.g]))


def conical_rate(theta: float, p: Pendulum = PENDULUM) -> float:
    """φ̇ [rad/s] of the conical motion with the pivot at rest."""
    return float(np.sqrt(p.g / (p.l * np.cos(theta))))
