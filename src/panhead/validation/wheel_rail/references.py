"""Wheel–rail contact: contact points, Hertz, Kalker, creep curves; Klingel motion and hunting."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipe, ellipkm1

from panhead.engine.kernels.hertz import hertz
from panhead.railway.vehicle import (
    RailContactLaw,
    WheelRailContact,
    Wheels,
    Wheelset,
    critical_speed,
    hunting_eigenvalue,
    kalker_coefficients,
    klingel_wavelength,
    online,
    read_profile,
    rigid_contact,
    run,
    steady_rolling,
    swing_wavelength,
)
from panhead.railway.vehicle.kernels.creep_force import JOHNSON_VERMEULEN, POLACH, Friction, creep_force
from panhead.railway.vehicle.kernels.wheel_rail import WheelRail, patch_at, wheel_rail_force
from panhead.railway.vehicle.kernels.wheel_rail_contact import CONTACTS, RECORD
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, below, near

_HERTZ = "Johnson, Contact Mechanics, §4.2, elliptic integrals of SciPy"


def wheel_rail() -> Sequence[Check]:
    """Hertz's ellipse, limits of the creep laws, table against search."""
    contact = WheelRailContact()
    return [*_hertz(), *_creep_limits(), *_geometry(contact)]


def _hertz() -> list[Check]:
    """A known ellipse: from a, b and N to A, B and δ by the closed form, and back by the package."""
    a, b, N, E_star = 7.0e-3, 4.5e-3, 8.0e4, RailContactLaw().effective_modulus
    m1 = (b / a) ** 2
    K, E = float(ellipkm1(m1)), float(ellipe(1.0 - m1))
    p0 = 1.5 * N / (math.pi * a * b)
    A = p0 / E_star * b / (a * a * (1.0 - m1)) * (K - E)
    B = p0 / E_star * b / (a * a * (1.0 - m1)) * (E / m1 - K)
    delta = p0 * b * K / E_star
    out = np.empty(4)
    hertz(delta, A, B, E_star, out)
    steel = WheelRailContact().packed().steel
    quick = patch_at(steel.patch, steel.patch_start, steel.patch_step, A, B)
    size = math.sqrt(delta / (A + B))
    return [
        near("semi-axis along the rail", out[0], a, "m", _HERTZ, rel=1e-12, by=CLOSED_FORM),
        near("semi-axis across", out[1], b, "m", _HERTZ, rel=1e-12, by=CLOSED_FORM),
        near("normal force of an approach", out[2], N, "N", _HERTZ, rel=1e-12, by=CLOSED_FORM),
        near("normal force of the tabulated patch", quick[2] * E_star * delta * size, N, "N",
            f"{_HERTZ}; fourth-order interpolation at steps of 0.05", rel=1e-6, by=CLOSED_FORM),
    ]  # fmt: skip


def _creep_limits() -> list[Check]:
    """Slope at no creepage and force at much of it, both laws."""
    patch, N, mu = (8.2e10 * 3e-5, 5.5e-3, 4.12, 3.67, 1.47, 1.19), 6e4, 0.3
    checks = []
    for name, law in (("Johnson–Vermeulen", JOHNSON_VERMEULEN), ("Polach", POLACH)):
        friction = Friction(law=law, mu=mu, k_A=1.0, k_S=1.0, A=1.0, B=0.0)
        slope = -creep_force(1e-9, 0.0, 0.0, 0.0, patch, N, friction)[0] / 1e-9
        large = math.hypot(*creep_force(3.0, 4.0, 0.0, 0.0, patch, N, friction)[:2])
        checks += [
            near(f"{name}: slope at the origin", slope, patch[0] * patch[2], "N", "Kalker's linear theory",
                rel=1e-5, by=CLOSED_FORM),
            near(f"{name}: force at large creepage", large, mu * N, "N", "μN", rel=1e-3, by=CLOSED_FORM),
        ]  # fmt: skip
    return checks


def _geometry(contact: WheelRailContact) -> list[Check]:
    """Wheel S1002 on UIC 60: force from the table against force from the full search; symmetry."""
    fast, slow = contact.packed(), online(contact).packed()
    rng = np.random.default_rng(8)
    worst, wheelset = 0.0, Wheelset(contact=contact)
    for y in rng.uniform(-0.006, 0.006, 40):
        x = steady_rolling(wheelset, 20.0, y=float(y))
        pose = _pose(x, yaw=float(rng.uniform(-4e-3, 4e-3)))
        one, two = _wrench(fast, pose), _wrench(slow, pose)
        worst = max(worst, float(np.abs(one - two).max() / np.abs(two).max()))
    pair = rigid_contact(contact, np.array([-0.004, 0.004]))
    mirrored = pair.radius_difference.sum() / pair.radius_difference[1]
    return [
        below("force from the table against the search, relative", worst, 1e-9, "1",
            "both polish the same contact equations", by=CLOSED_FORM),
        below("left against right wheel, relative", float(mirrored), 1e-9, "1", "mirror symmetry", by=CLOSED_FORM),
    ]  # fmt: skip


def _pose(x: np.ndarray, yaw: float) -> tuple[np.ndarray, ...]:
    """p, R, v, w of a wheelset's state with another yaw."""
    c, s, roll = math.cos(yaw), math.sin(yaw), x[3]
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    lean = np.array([[1.0, 0.0, 0.0], [0.0, math.cos(roll), -math.sin(roll)], [0.0, math.sin(roll), math.cos(roll)]])
    R = turn @ lean
    return np.array([0.0, x[0], x[1]]), R, x[4:7].copy(), R @ x[7:10]


def _wrench(packed: WheelRail, pose: tuple[np.ndarray, ...]) -> np.ndarray:
    out, records = np.zeros(6), np.zeros((2, CONTACTS, RECORD))
    status = np.zeros(2, dtype=np.int64)
    p, R, v, w = pose
    wheel_rail_force(packed, p, R, v, w, np.zeros((2, 4)), records, status, out)
    return out


def klingel() -> Sequence[Check]:
    """A free wheelset swings as Klingel says; a suspended one hunts as its linear equations say."""
    cone = WheelRailContact(wheels=Wheels(profile=read_profile("cone-1-20")))
    worn = WheelRailContact()
    amplitude = 2e-3
    wave = _simulated_wave(Wheelset(contact=cone), amplitude)
    quarter = _simulated_quarter(Wheelset(contact=worn), amplitude)
    source = "Klingel 1883, equivalent conicity"
    exact = "rolling without slip, first integral and quadrature"
    checks = [
        near("wavelength, cone 1:20 on UIC 60", wave, klingel_wavelength(cone, amplitude), "m", source, rel=0.02,
            by=BEFORE),
        near("wavelength, cone, roll included", wave, swing_wavelength(cone, amplitude), "m", exact, rel=1e-3,
            by=AFTER),
        near("first quarter wave × 4, S1002 on UIC 60", quarter, klingel_wavelength(worn, amplitude), "m", source,
            rel=0.02, by=BEFORE),
    ]  # fmt: skip
    return [*checks, *_hunting(cone)]


def _simulated_wave(wheelset: Wheelset, amplitude: float) -> float:
    """Distance between two downward crossings of y = 0, free wheelset at 5 m/s [m]."""
    x, y = swing(wheelset, amplitude, duration=4.6)
    places = crossings(x, y)
    return float(places[1] - places[0])


def _simulated_quarter(wheelset: Wheelset, amplitude: float) -> float:
    x, y = swing(wheelset, amplitude, duration=1.0)
    return float(4.0 * crossings(x, y)[0])


def swing(wheelset: Wheelset, amplitude: float, duration: float) -> tuple[np.ndarray, np.ndarray]:
    motion = run(wheelset, steady_rolling(wheelset, 5.0, y=amplitude), speed=5.0, duration=duration, dt=2e-4)
    return motion["x"], motion["y"]


def crossings(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    k = np.flatnonzero((y[:-1] > 0.0) & (y[1:] <= 0.0))
    return np.asarray(x[k] + (x[k + 1] - x[k]) * y[k] / (y[k] - y[k + 1]))


def _hunting(contact: WheelRailContact) -> list[Check]:
    """Growth in time against eigenvalues, critical speed against equations written by hand."""
    wheelset = Wheelset(contact=contact, lateral_stiffness=5e5, yaw_stiffness=1e6, traction_damping=1e4)
    critical = critical_speed(wheelset, 20.0, 120.0)
    by_hand = float(brentq(lambda v: hand_growth(wheelset, v), 20.0, 120.0))
    checks = [
        near("critical speed", critical, by_hand, "m/s",
            "lateral and yaw equations by hand, roll following the rails, equal wheel loads", rel=0.03, by=AFTER)
    ]  # fmt: skip
    for word, factor in (("decay", 0.9), ("growth", 1.1)):
        speed = factor * critical
        checks.append(
            near(f"{word} at {factor:g} of the critical speed", _measured_growth(wheelset, speed),
                hunting_eigenvalue(wheelset, speed).real, "1/s", "eigenvalues of the linearised equations", rel=0.01,
                by=AFTER)
        )  # fmt: skip
    return checks


def _measured_growth(wheelset: Wheelset, speed: float) -> float:
    """Rate of the logarithm of successive maxima of y after a small displacement [1/s]."""
    start = steady_rolling(wheelset, speed)
    start[0] += 1e-4
    motion = run(wheelset, start, speed=speed, duration=1.5, dt=2e-4, every=1)
    y, t = motion["y"], motion.time
    peaks = np.flatnonzero((y[1:-1] > y[:-2]) & (y[1:-1] >= y[2:]))[2:] + 1
    return float(np.polyfit(t[peaks], np.log(y[peaks]), 1)[0])


def hand_growth(wheelset: Wheelset, speed: float) -> float:
    """Real part of the hunting eigenvalue of the textbook wheelset [1/s]:

    (m + I Γ²) ÿ + (2 f₂₂ g²/V) ẏ + (2 f₂₃ g/V − I_y Ω Γ) ψ̇ − 2 f₂₂ g ψ + (k_y + W h″) y = 0
    I ψ̈ + (2 f₁₁ b² + 2 f₃₃)/V ψ̇ − (2 f₂₃ g/V − I_y Ω Γ) ẏ + 2 f₁₁ b γ/r₀ y + (k_ψ + 2 f₂₃) ψ = 0

    with roll φ = Γ y and height h(y) from the rails, g = 1 + Γ r₀, Ω = V/r₀ [Shabana08].
    """
    step = 1e-3
    rigid = rigid_contact(wheelset.contact, np.array([0.0, step]))
    r0, b, angle = rigid.radius[0, 0], rigid.distance[0, 0], rigid.angle[0, 0]
    gamma, Gam = rigid.radius_difference[1] / (2.0 * step), rigid.roll[1] / step
    h2 = 2.0 * (rigid.height[1] - rigid.height[0]) / step**2
    f11, f22, f23, f33 = creep_coefficients(wheelset, r0, b, angle)
    g, V = 1.0 + Gam * r0, speed
    gyro = 2.0 * f23 * g / V - wheelset.spin_inertia * V / r0 * Gam
    M = np.diag([wheelset.mass + wheelset.inertia * Gam**2, wheelset.inertia])
    D = np.array([[2.0 * f22 * g * g / V, gyro], [-gyro, 2.0 * (f11 * b * b + f33) / V]])
    K = np.array(
        [
            [wheelset.lateral_stiffness + wheelset.load * h2, -2.0 * f22 * g],
            [2.0 * f11 * b * gamma / r0, wheelset.yaw_stiffness + 2.0 * f23],
        ]
    )
    rows = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    lam = np.linalg.eigvals(rows)
    return float(lam[lam.imag > 1e-3].real.max())


def creep_coefficients(wheelset: Wheelset, r0: float, b: float, angle: float) -> tuple[float, float, float, float]:
    """f₁₁, f₂₂ [N], f₂₃ [N·m], f₃₃ [N·m²] of a cone's wheel under half the load."""
    law, rail = wheelset.contact.law, wheelset.contact.rails.curve()
    s = brentq(lambda s: float(rail.y(s)) - b, 0.25 * rail.length, 0.75 * rail.length)
    A, B = 0.5 * math.cos(angle) / r0, 0.5 * float(rail.curvature(np.array([s]))[0])
    out = np.empty(4)
    load = 0.5 * wheelset.load / math.cos(angle)
    hertz(1e-4, A, B, law.effective_modulus, out)
    ab = out[0] * out[1] * (load / out[2]) ** (2.0 / 3.0)
    C = kalker_coefficients(np.array([out[0] / out[1]]), law.poisson)[0]
    G = law.shear_modulus
    return G * ab * C[0], G * ab * C[1], G * ab**1.5 * C[2], G * ab**2 * C[3]
