"""Semi-smooth Newton's method for the impulses of contacts with friction, where sweeps over them converge slowly.

The laws of ``panhead.engine.kernels.contact_cone`` as zeros of the natural map        [Alart91]

    F_N = P_N − max(least, P_N − r y_N),   F_T = P_T − Π(P_T − r y_T),   y = D P + c,

Π the projection onto the disc of radius μ |P_N|, r one over the stiffness of the contact. Steps are the shortest that
serve, so that a singular D, as under a table with four legs, does no harm.
"""

from __future__ import annotations

import numpy as np

_MOST = 40  # iterations
_CONVERGED = 1e-13  # of the largest impulse


def polish(
    D: np.ndarray, c: np.ndarray, first: np.ndarray, mu: np.ndarray, two_sided: np.ndarray, least: np.ndarray,
    P: np.ndarray,
) -> tuple[np.ndarray, float]:  # fmt: skip
    """Impulses better than P (rows,), and the residual of the laws with them, of the largest impulse."""
    laws = (D, c, first, mu, two_sided, least)
    F, J = _natural_map(*laws, P)
    for _ in range(_MOST):
        size = np.abs(F).max(initial=0.0)
        if size <= _CONVERGED * np.abs(P).max(initial=0.0):
            break
        step = np.linalg.lstsq(J, -F, rcond=1e-12)[0]
        share = 1.0
        while share > 1e-3:
            trial = P + share * step
            F_trial, J_trial = _natural_map(*laws, trial)
            if np.abs(F_trial).max() < (1 - 1e-4 * share) * size:
                break
            share /= 2
        else:
            break
        P, F, J = trial, F_trial, J_trial
    largest = float(np.abs(P).max(initial=0.0))
    return P, float(np.abs(F).max(initial=0.0)) / largest if largest > 0 else 0.0


def _natural_map(
    D: np.ndarray, c: np.ndarray, first: np.ndarray, mu: np.ndarray, two_sided: np.ndarray, least: np.ndarray,
    P: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """F (rows,) and one of its generalised Jacobians (rows, rows)."""
    y, one = D @ P + c, np.eye(len(P))
    F, J = P.copy(), one.copy()
    for i in range(len(first) - 1):
        k, tangents = first[i], slice(first[i] + 1, first[i + 1])
        r = 1 / D[k, k]
        if two_sided[i] or P[k] - r * y[k] > least[i]:
            F[k], J[k] = r * y[k], r * D[k]
        else:
            F[k] = P[k] - least[i]
        if mu[i] == 0.0 or tangents.start == tangents.stop:
            continue
        r = 1 / np.trace(D[tangents, tangents])
        z, dz = P[tangents] - r * y[tangents], one[tangents] - r * D[tangents]
        radius, length = mu[i] * abs(P[k]), float(np.linalg.norm(z))
        if length <= radius:
            F[tangents], J[tangents] = r * y[tangents], r * D[tangents]
            continue
        n = z / length
        F[tangents] = P[tangents] - radius * n
        J[tangents] = one[tangents] - np.outer(n, mu[i] * np.sign(P[k]) * one[k])
        J[tangents] -= radius / length * (dz - np.outer(n, n @ dz))
    return F, J
