"""Bodies that tumble freely at long steps: Euler's top by elliptic functions, momentum and energy of a bent tube."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.spatial.transform import Rotation
from scipy.special import ellipj

from panhead.engine.bodies import FloatingBody, RigidBody
from panhead.engine.methods.integrators import VariationalMidpoint
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.structures import BeamMaterial, Member, ReducedStructure, Section, frame, reduce_structure
from panhead.validation.checks import BEFORE, CLOSED_FORM, Check, below, near

_J = np.array([0.8, 1.7, 2.3])  # principal moments, rising [kg·m²]
_SPIN = (0.9, 0.0, 3.1)  # at the start; the third axis leads: 2 T J₂ < L² [rad/s]
_METHOD = VariationalMidpoint()


def _top(dt: float, duration: float) -> tuple[MultibodySystem, Trajectory]:
    body = RigidBody(name="top", mass=2.0, inertia=tuple(_J), spin=_SPIN, velocity=(0.3, -0.2, 0.1))
    system = Model(name="top", items=(body,), gravity=(0.0, 0.0, 0.0)).system()
    return system, simulate(system, system.start, duration=duration, dt=dt, method=_METHOD)


def _spin(e: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """ω in the body's axes, (n, 3): twice the vector part of ē ė."""
    scalar, vector, rate0, rates = e[:, :1], e[:, 1:], rate[:, :1], rate[:, 1:]
    return 2 * (scalar * rates - rate0 * vector - np.cross(vector, rates))


def _axes(e: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(np.roll(e, -1, axis=1)).as_matrix()


def _exact_spin(t: np.ndarray) -> np.ndarray:
    """Euler's equations by Jacobi's functions: ω = (a cn, b sn, c dn) of τ = n t                [Landau76, § 37]."""
    J1, J2, J3 = _J
    a, c = _SPIN[0], _SPIN[2]
    T2, L2 = J1 * a**2 + J3 * c**2, J1**2 * a**2 + J3**2 * c**2
    b = np.sqrt((T2 * J3 - L2) / (J2 * (J3 - J2)))
    n = np.sqrt((J3 - J2) * (L2 - T2 * J1) / (J1 * J2 * J3))
    m = (J2 - J1) * (T2 * J3 - L2) / ((J3 - J2) * (L2 - T2 * J1))
    sn, cn, dn, _ = ellipj(n * t, m)
    return np.column_stack([a * cn, b * sn, c * dn])


def _tube() -> ReducedStructure:
    steel = BeamMaterial(young=210e9, poisson=0.3, density=7850.0)
    section = Section.tube(diameter=0.03, thickness=0.002)
    corners = {"a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (1.0, 0.7, 0.2)}
    bars = tuple(Member(begin=x, end=y, section=section, material=steel, elements=6) for x, y in ("ab", "bc"))
    return reduce_structure(frame("bow", joints=corners, members=bars), modes=4)


def _moment(structure: ReducedStructure, motion: Trajectory) -> np.ndarray:
    """Σ m_j r_j × ṙ_j + R μ_j (ω + θ̇_j) over the nodes, (n, 3)."""
    k = len(structure.modes)
    e, e_dot, w, w_dot = motion.q[:, 3:7], motion.v[:, 3:7], motion.q[:, 7 : 7 + k], motion.v[:, 7 : 7 + k]
    R, omega = _axes(e), _spin(e, e_dot)
    place = structure.points + np.einsum("jak,nk->nja", structure.displacements, w)
    moving = np.einsum("jak,nk->nja", structure.displacements, w_dot) + np.cross(omega[:, None], place)
    r = motion.q[:, None, :3] + np.einsum("nab,njb->nja", R, place)
    r_dot = motion.v[:, None, :3] + np.einsum("nab,njb->nja", R, moving)
    turning = omega[:, None] + np.einsum("jak,nk->nja", structure.rotations, w_dot)
    own = np.einsum("nab,jbc,njc->na", R, structure.nodal_inertia, turning)
    return np.asarray(np.einsum("j,nja->na", structure.nodal_mass, np.cross(r, r_dot)) + own)


def _drift(x: np.ndarray) -> float:
    return float(np.linalg.norm(x - x[0], axis=-1).max() / np.linalg.norm(x[0]))


def free_flight() -> Sequence[Check]:
    """Order beside elliptic functions; momentum and energy at steps of a fifth of a radian and more."""
    errors = []
    for dt in (0.02, 0.01):
        _, motion = _top(dt, 2.0)
        errors.append(np.abs(_spin(motion.q[:, 3:7], motion.v[:, 3:7]) - _exact_spin(motion.t)).max())
    order = float(np.log2(errors[0] / errors[1]))
    rows = [
        near("Euler's top, observed order", order, 2.0, "1", "Jacobi's elliptic functions", tol=0.1, by=CLOSED_FORM),
        below("Euler's top, spin at steps of 10 ms", errors[1], 0.01, "rad/s", "Jacobi's elliptic functions",
              by=CLOSED_FORM),
    ]  # fmt: skip
    system, motion = _top(0.1, 20.0)
    moment = np.einsum("nab,nb->na", _axes(motion.q[:, 3:7]), _J * _spin(motion.q[:, 3:7], motion.v[:, 3:7]))
    energy = np.array([[sum(system.energy(0.0, q, v))] for q, v in zip(motion.q, motion.v, strict=True)])
    structure = _tube()
    bow = FloatingBody(name="bow", structure=structure, spin=(3.0, 9.0, 4.0), deformation=(2e-3, -1e-3, 0.0, 0.0))
    flexible = Model(name="bow", items=(bow,), gravity=(0.0, 0.0, 0.0)).system()
    flight = simulate(flexible, flexible.start, duration=1.0, dt=0.005, method=_METHOD)
    whole = np.array([[sum(flexible.energy(0.0, q, v))] for q, v in zip(flight.q, flight.v, strict=True)])
    return [
        *rows,
        below("Euler's top, drift of momentum, 0.32 rad a step", _drift(moment), 1e-10, "1", "conservation",
              by=CLOSED_FORM),
        below("Euler's top, drift of energy, 0.32 rad a step", _drift(energy), 1e-10, "1", "conservation",
              by=CLOSED_FORM),
        below("bent tube, drift of momentum", _drift(_moment(structure, flight)), 1e-10, "1", "sums over its nodes",
              by=CLOSED_FORM),
        below("bent tube, largest change of energy", _drift(whole), 1e-2, "1", "conservation", by=BEFORE),
    ]  # fmt: skip
