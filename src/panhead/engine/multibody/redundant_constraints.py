"""Models with redundant constraints: a full-rank subset is integrated, multipliers of least norm are reported.

Where rows of G = g_q depend on one another the motion is unique, the multipliers are not: Gᵀ lam is. The run keeps as
many rows as G has rank, chosen by QR with pivoting, and finds among all lam with the same Gᵀ lam the shortest
[Wojtyra13]. A row that was left out must stay satisfied; where it does not, the dependency was one of the start only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy.linalg

from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.rank import RANK_TOLERANCE
from panhead.engine.methods.trajectory import State, Trajectory
from panhead.engine.multibody.family_assembly import pack
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Item, Triple
from panhead.errors import SimulationError

_STAYS = 1e-6  # [m] or [rad]: by how much a constraint that was left out may be open


def independent_system(
    system: MultibodySystem, items: Sequence[Item], gravity: Triple, start: State
) -> tuple[MultibodySystem, tuple[str, ...]]:
    """Return the system with as many constraints as have rank at the start, and the names of the others."""
    G = dense(system.constraint_q(start.t, start.q))
    size = np.linalg.norm(G, axis=1)
    scaled = G / np.where(size > 0.0, size, 1.0)[:, None]
    _, R, order = scipy.linalg.qr(scaled.T, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    rank = int((pivots > RANK_TOLERANCE * max(float(pivots.max(initial=0.0)), 1e-300)).sum())
    dropped = tuple(system.constraints[k] for k in sorted(order[rank:]))
    return MultibodySystem(system.name, pack(items, gravity, without=frozenset(dropped))), dropped


def with_all_multipliers(full: MultibodySystem, part: MultibodySystem, motion: Trajectory) -> Trajectory:
    """Return the motion of ``part`` with residuals and least-norm multipliers of all constraints of ``full``.

    SimulationError where a constraint that was left out does not stay satisfied.
    """
    lam, g, g_dot = (np.zeros((len(motion.t), full.nc)) for _ in range(3))
    for k, (t, q, v) in enumerate(zip(motion.t, motion.q, motion.v, strict=True)):
        G = dense(full.constraint_q(float(t), q))
        pull = dense(part.constraint_q(float(t), q)).T @ motion.lam[k]
        lam[k] = np.linalg.lstsq(G.T, pull, rcond=RANK_TOLERANCE)[0]
        g[k], g_dot[k] = full.constraint(float(t), q), G @ v + full.constraint_t(float(t), q)
    worst = np.abs(g).max(axis=0)
    if worst.max() > _STAYS:
        k = int(worst.argmax())
        at = float(motion.t[int(np.argmax(np.abs(g[:, k]) > _STAYS))])
        raise SimulationError(
            f"constraints of {full.name!r} that depend on one another at the start do not later: "
            f"{full.constraints[k]} is open by {worst[k]:.3g} from t = {at:.6g} s on. The start is a singular "
            "position: start from another one, or remove a constraint",
            partial=motion,
        )
    return replace(motion, lam=lam, g=g, g_dot=g_dot)
