"""Inverse dynamics: control and constraint forces from a given motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.system import Matrix, System, Vector, no_controls
from panhead.errors import ModelError


class InverseDynamics(NamedTuple):
    """Controls u and multipliers lam that produce a motion, and what they cannot produce."""

    u: Vector  # (nu,)
    lam: Vector  # (nc,)
    missing: Vector  # (nq,) generalised force still needed; zero if the actuators suffice


def required_force(system: System, t: float, q: Vector, v: Vector, a: Vector) -> Vector:
    """The generalised force that must be added for the motion (q, v, a): M a − f(u = 0), shape (nq,)."""
    return system.mass(t, q) @ a - system.force(t, q, v, no_controls(system))


def inverse_dynamics(system: System, t: float, q: Vector, v: Vector, a: Vector) -> InverseDynamics:
    """Controls and multipliers of a given motion, least in norm where they are not unique.

    f_u u − g_qᵀ lam = M a − f(u = 0).  The motion must satisfy the constraints.
    """
    if system.constraints:
        left = system.constraint_q(t, q) @ a - system.constraint_bias(t, q, v)
        worst = int(np.abs(left).argmax())
        if np.abs(left[worst]) > 1e-6 * max(1.0, np.abs(a).max()):
            raise ModelError(
                f"the motion violates {system.constraints[worst]} of {system.name!r} at acceleration level by "
                f"{left[worst]:.3g}"
            )
    B = dense(system.force_u(t, q, v, no_controls(system)))
    G = dense(system.constraint_q(t, q))
    needed = required_force(system, t, q, v, a)
    solution = np.linalg.lstsq(np.hstack([B, -G.T]), needed, rcond=None)[0] if B.size + G.size else np.zeros(0)
    u, lam = solution[: B.shape[1]], solution[B.shape[1] :]
    return InverseDynamics(u, lam, needed - B @ u + G.T @ lam)


def constraint_forces(system: System, motion: Trajectory) -> dict[str, Matrix]:
    """Q_c = −C_qᵀ λ of each constraint along a motion        [Pappalardo20, eq. (17)].

    Name of the constraint → generalised force (n, nq).
    """
    forces = {name: np.empty_like(motion.q) for name in system.constraints}
    for i, (t, q) in enumerate(zip(motion.t, motion.q, strict=True)):
        G = dense(system.constraint_q(t, q))
        for k, name in enumerate(system.constraints):
            forces[name][i] = -G[k] * motion.lam[i, k]
    return forces
