"""Active set of a step: columns of A⁻¹ of its slots, and their influence on each other."""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.kernels.block_tridiagonal import column
from panhead.runs.linear.step.step_arrays import A, U, V
from panhead.runs.linear.step.unilateral import LANKARANI

OK, NO_ANSWER, TOO_MANY, NOT_FINITE = 0, 1, 2, 3
TINY = 1e-16  # columns are cut where they are this small a part of their peak: round-off


@part()
def displacement(s, weight, u, base):
    """Σ weight · u at the coordinates of slot s; row k of u (…, nt, 4) is station base + k."""
    total = 0.0
    for k in range(4):
        total += weight[k] * u[s.station[k] - base, s.dof[k] >> 2, s.dof[k] & 3]
    return total


@part()
def take_column(F, i, w):
    """Compute column A⁻¹ D of slot i."""
    s = w.slot[i]
    for r in range(w.load.shape[1]):
        for k in range(4):
            w.load[0, r, k] = 0.0
            w.load[1, r, k] = 0.0
    for k in range(4):
        w.load[s.station[k] - s.station[0], s.dof[k] >> 2, s.dof[k] & 3] += s.weight[k]
    s.begin, s.first, s.last = column(F, s.station[0], w.load, TINY, w.y, w.X[i])


@part()
def _influence(i, j, speed, C_u, w):
    """Influence S[i, j] and R[i, j] of a unit force in slot j on slot i."""
    a, b = w.slot[i], w.slot[j]
    value, slope = 0.0, 0.0
    if b.first <= a.station[0] and a.station[3] < b.last:
        value = displacement(a, a.weight, w.X[j], b.begin)
        if a.kind <= LANKARANI:  # a contact point also moves along the wire
            slope = speed * displacement(a, a.weight_x, w.X[j], b.begin)
    if a.arm_x != 0.0:  # and across a head that rolls
        slope += speed * a.arm_x * w.P[j, a.roll]
    for k in range(w.D.shape[1]):
        value += w.D[i, k] * w.P[j, k]
    w.S[i, j] = value
    w.R[i, j] = C_u * value + slope


@part()
def connect(m, i, speed, C_u, w):
    """Row and column i of the influence matrices of m slots."""
    for j in range(m):
        _influence(i, j, speed, C_u, w)
        if j != i:
            _influence(j, i, speed, C_u, w)


@part()
def empty_slots(w):
    """Empty the slots of all droppers; those that need one get it in the next step."""
    w.count[0] = 0
    for r in range(w.slot_of.shape[0]):
        w.slot_of[r] = -1


@part()
def apply_forces(sc, m, q1, w):
    """Subtract u₁ −= Σ A⁻¹ Dⱼ λⱼ and update everything that depends on it."""
    tiles = w.X.shape[2]
    for j in range(m):
        s, X = w.slot[j], w.X[j]
        lam, base = s.lam, s.begin
        if lam == 0.0:
            continue
        for i in range(s.first, s.last):
            for r in range(tiles):
                for k in range(4):
                    du = X[i - base, r, k] * lam
                    q1[U, i, r, k] -= du
                    q1[V, i, r, k] -= sc.C_u * du
                    if not sc.lossless:
                        q1[A, i, r, k] -= sc.a_u * du
        for k in range(w.z.shape[1]):
            dz = w.P[j, k] * lam
            w.z[0, k] -= dz
            w.z[1, k] -= sc.C_u * dz
            w.z[2, k] -= sc.a_u * dz
