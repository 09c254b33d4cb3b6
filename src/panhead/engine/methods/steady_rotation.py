"""Linearisation about a steady rotation: gyroscopic terms, whirling frequencies over the speed.

Deviations are written in axes that do not turn, δq = T(q) x: a body in space by its displacement and a small turn δθ
in the world's axes, δe = ½ (0, δθ) ∘ e [Genta05, ch. 4]. Along the motion

    δv = T ẋ + Ṫ x,   δa = T ẍ + 2 Ṫ ẋ + T̈ x,

so that, with r(t, q, v, a, lam) the residual of motion and Z a basis of the directions the joints leave free,

    M = Zᵀ Tᵀ r_a T Z,   C = Zᵀ Tᵀ (r_v T + 2 r_a Ṫ) Z,   K = Zᵀ Tᵀ (r_q T + r_v Ṫ + r_a T̈) Z.

They are constant where what turns is symmetric about its axis. C then holds the gyroscopic terms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import scipy.linalg

from panhead.engine.laws.gravity import GRAVITY
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.modes import Linearisation, modes
from panhead.engine.methods.trajectory import State
from panhead.engine.system import System, Vector, no_controls, require_no_contacts
from panhead.errors import ModelError

_STEADY = 1e-6  # of ω² or g: acceleration in axes that do not turn above which a motion is not steady


def linearise_motion(system: System, q: Vector, v: Vector, *, t: float = 0.0, u: Vector | None = None) -> Linearisation:
    """Small deviations from the steady motion through (q, v), in axes that do not turn.

    ModelError where the motion is not steady: a body's place or its angular velocity changes.
    """
    require_no_contacts(system, "a linearisation")
    u = no_controls(system) if u is None else u
    a, lam = accelerations(system, t, q, v, u)
    turning = [k for k, name in enumerate(system.coordinates) if name.endswith(".e0")]
    T, T_dot, T_ddot = (_basis(system, turning, e, one) for e, one in ((q, True), (v, False), (a, False)))
    _require_steady(system, turning, q, v, a)
    part = lambda *c: dense(system.tangent(c, t, q, v, a, lam, u))[: len(q), : len(q)]
    M, C, K = part(1.0, 0.0, 0.0), part(0.0, 1.0, 0.0), part(0.0, 0.0, 1.0)
    G = dense(system.constraint_q(t, q)) @ T
    Z = scipy.linalg.null_space(G, rcond=1e-10) if len(G) else np.eye(T.shape[1])
    TZ = T @ Z
    return Linearisation(
        M=TZ.T @ M @ TZ,
        C=TZ.T @ (C @ T + 2.0 * M @ T_dot) @ Z,
        K=TZ.T @ (K @ T + C @ T_dot + M @ T_ddot) @ Z,
        B=TZ.T @ dense(system.force_u(t, q, v, u)),
        Z=TZ,
    )


def campbell(model: Callable[[float], tuple[System, State]], speeds: Sequence[float]) -> np.ndarray:
    """Natural frequencies over the speed of rotation, (speeds, modes) [Hz], each row in order.

    ``model`` gives the system and its steady motion at a speed [rad/s]. Rigid motions have the frequency 0.
    """
    rows = []
    for speed in speeds:
        system, at = model(speed)
        found = modes(linearise_motion(system, at.q, at.v, t=at.t)).eigenvalues
        rows.append(np.sort(np.abs(found.imag)) / (2 * np.pi))
    if len({len(row) for row in rows}) > 1:
        most = max(len(row) for row in rows)  # a pair of real eigenvalues counts twice
        rows = [np.concatenate([np.zeros(most - len(row)), row]) for row in rows]
    return np.array(rows)


def _basis(system: System, turning: Sequence[int], e: Vector, one: bool) -> np.ndarray:
    """T (nq, nx), or its rate: identity (or nothing) but for Euler parameters, of which three turns remain."""
    keep = np.ones(len(system.coordinates), dtype=bool)
    for k in turning:
        keep[k + 3] = False
    columns = np.flatnonzero(keep)
    T = np.eye(len(keep))[:, columns] if one else np.zeros((len(keep), len(columns)))
    for k in turning:
        first = int(np.searchsorted(columns, k))
        T[k : k + 4, first : first + 3] = _turns(e[k : k + 4])
    return T


def _turns(e: Vector) -> np.ndarray:
    """½ of the matrix of (0, δθ) ∘ e, (4, 3)."""
    a, b, c, d = e
    return 0.5 * np.array([[-b, -c, -d], [a, d, -c], [-d, a, b], [c, -b, a]])


def _require_steady(system: System, turning: Sequence[int], q: Vector, v: Vector, a: Vector) -> None:
    left = a.copy()
    scale = GRAVITY
    for k in turning:
        spin = 4.0 * _turns(q[k : k + 4]).T @ v[k : k + 4]  # ω = 2 Hᵀ ė of H = 2 · _turns
        change = 4.0 * (_turns(q[k : k + 4]).T @ a[k : k + 4] + _turns(v[k : k + 4]).T @ v[k : k + 4])
        left[k : k + 3], left[k + 3] = change, 0.0
        scale = max(scale, float(spin @ spin))
    if np.abs(left).max(initial=0.0) > _STEADY * scale:
        raise ModelError(
            f"the motion of {system.name!r} is not steady in axes that do not turn: "
            f"{system.coordinates[int(np.abs(left).argmax())]} accelerates by {np.abs(left).max():.3g}. Start from a "
            "steady rotation about the axis of a symmetric rotor, its centre of mass at rest"
        )
