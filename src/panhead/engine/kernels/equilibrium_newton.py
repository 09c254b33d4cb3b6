"""Newton's method for static equilibrium, or one implicit time step from rest, over tables of elements."""

from typing import NamedTuple

import numpy as np

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels import bordered_matrix, element_families
from panhead.engine.kernels.table_model import follow

OK, PIVOT, NOT_CONVERGED = range(3)
_SMALL_PIVOT = 1e-9  # of its column: below it another order of pivots is asked for


class EquilibriumSearch(NamedTuple):
    """State, targets and work arrays of the search."""

    q: np.ndarray  # (nq,)
    lam: np.ndarray  # (nc,)
    left: np.ndarray  # (nq + nc,) what r has to become
    aim: np.ndarray  # (nq,) where an inertia ``heavy`` draws q to
    a: np.ndarray  # (nq,) heavy (q − aim)
    moved: np.ndarray  # (nq,) the last step
    r: np.ndarray  # (nq + nc,)
    rest: np.ndarray  # (nq,) zeros
    nothing: np.ndarray  # (nc + nu,) zeros
    own: np.ndarray  # (families,) 1 where the tangent takes the last step for v
    found: np.ndarray  # (4,) iterations, first and last step [m, rad], largest residual over ``scale``


class EquilibriumNumbers(NamedTuple):
    """Numbers of one search."""

    scale: float  # of forces [N]
    stiff: float  # largest entry of the stiffness [N/m]
    idle: float  # share of M in the matrix that holds idle freedoms [1/s²]
    heavy: float  # 1/dt² of a step of time; 0: at rest [1/s²]
    small: float  # a step that moves nothing any more, of the largest coordinate
    growth: float  # longest step allowed, in first ones
    most: int  # iterations


@whole
def balance(model, s, n, t, u):
    """s.r = (M heavy (q − aim) − f + g_qᵀ lam, g) − left; returns the largest, forces over ``scale``."""
    nq, out = s.q.shape[0], s.r
    follow(model, s.q, t, s.nothing)
    for i in range(nq):
        s.a[i] = n.heavy * (s.q[i] - s.aim[i])
    for i in range(out.shape[0]):
        out[i] = 0.0
    element_families.add_residual(model.tables, model.work, t, s.q, s.rest, s.a, s.lam, u, out)
    largest = 0.0
    for i in range(out.shape[0]):
        out[i] -= s.left[i]
        size = abs(out[i]) / n.scale if i < nq else abs(out[i])
        if not size <= largest:  # so that NaN stays
            largest = size
    return largest


@whole
def factorise(model, s, n, t, u):
    """J = [[(K + (heavy + idle) M) / stiff, g_qᵀ], [g_q, 0]]: forces in units of the largest stiffness."""
    values = model.matrix.values
    for i in range(values.shape[0]):
        values[i] = 0.0
    c = ((n.heavy + n.idle) / n.stiff, 0.0, 1.0 / n.stiff)
    for f in range(s.own.shape[0]):
        v = s.moved if s.own[f] else s.rest
        element_families.add_family_tangent(
            model.tables, model.work, model.slots, f, t, c, s.q, v, s.a, s.lam, u, values
        )
    return PIVOT if bordered_matrix.factorise(model.matrix, _SMALL_PIVOT) >= 0 else OK


@part()
def _move(model, s, n):
    """z −= J⁻¹ r; returns |Δq|."""
    nq, r = s.q.shape[0], s.r
    for i in range(nq):
        r[i] /= n.stiff
    bordered_matrix.solve(model.matrix, r, r)
    square = 0.0
    for i in range(nq):
        s.q[i] -= r[i]
        s.moved[i] = -r[i]
        square += r[i] * r[i]
    for i in range(s.lam.shape[0]):
        s.lam[i] -= n.stiff * r[nq + i]
    return np.sqrt(square)


@whole
def newton(model, s, n, t, u):
    """Full steps until r is rounding or nothing moves any more. Returns a status; s.found counts on."""
    settled = False
    while True:
        s.found[3] = balance(model, s, n, t, u)
        if settled or s.found[3] <= 1e-13:
            return OK
        if not np.isfinite(s.found[3]) or s.found[0] >= n.most:
            return NOT_CONVERGED
        if factorise(model, s, n, t, u) != OK:
            return PIVOT
        far, size = _move(model, s, n), 1.0
        if s.found[0] == 0:
            s.found[1] = far
        s.found[0] += 1
        s.found[2] = far
        if not far <= n.growth * s.found[1]:
            return NOT_CONVERGED
        for i in range(s.q.shape[0]):
            size = max(size, abs(s.q[i]))
        settled = far <= n.small * size


@whole
def solve(model, s, n, b, out):
    """out = J⁻¹ b with the factors at hand: b and out (nq + nc,) in newtons and metres, of q and lam."""
    nq = s.q.shape[0]
    for i in range(b.shape[0]):
        out[i] = b[i] / n.stiff if i < nq else b[i]
    bordered_matrix.solve(model.matrix, out, out)
    for i in range(nq, b.shape[0]):
        out[i] *= n.stiff
