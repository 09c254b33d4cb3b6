"""Accelerations and multipliers of a system at one state."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from panhead.engine.methods.linear_solvers import saddle_matrix, solver_for
from panhead.engine.system import MechanicalTerms, Vector


def accelerations(system: MechanicalTerms, t: float, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector]:
    """a and lam of the augmented system at one state              [Pappalardo20, eq. (14)]

    A coordinate whose equation has no acceleration in it gets none.
    """
    M = scipy.sparse.csc_array(system.mass(t, q))
    G = scipy.sparse.csc_array(system.constraint_q(t, q))
    bare = (abs(M).sum(axis=0) == 0) & (abs(G).sum(axis=0) == 0)
    M = M + scipy.sparse.diags_array(bare.astype(float))
    f = np.where(bare, 0.0, system.force(t, q, v, u))
    b = np.concatenate([f, system.constraint_bias(t, q, v)])
    x = solver_for(saddle_matrix(M, G) if G.shape[0] else M).solve(b)
    return x[: len(q)], x[len(q) :]
