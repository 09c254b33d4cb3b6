"""Closed-form elimination of multipliers and dependent coordinates.

With the coordinates split into independent ones u and as many dependent ones w as there are constraints,

    G_u v_u + G_w v_w + g_t = 0,      G_u a_u + G_w a_w = gamma                    [Lipinski23, eqs (22), (27)]
    lam = G_w⁻ᵀ (f − M a)_w                                                        the dependent rows, (25b)–(26)
    Zᵀ M Z a_u = Zᵀ (f − M b),   Z = (1, −G_w⁻¹ G_u),   b = (0, G_w⁻¹ gamma)        (28)–(31)

(25)–(31) with the reaction along the full Jacobian: Zᵀ Gᵀ = 0 takes it out of the independent rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np
import scipy.linalg

from panhead.errors import ModelError, NotConverged
from panhead.methods.integrators.dense_terms import DenseTerms
from panhead.methods.linear_solvers import SingularMatrix, dense
from panhead.system import System, Vector

_MAX_ITERATIONS = 25
_TOLERANCE = 1e-15
_ROUNDING = 1e-11
_WEAK = 0.2  # dependent coordinates are chosen anew when they are this much worse than the best


@final
class Elimination:
    """The split of a system's coordinates, and what follows from what."""

    def __init__(self, system: System, dependent: Sequence[str]) -> None:
        self.system, self.dependent = system, tuple(dependent)
        self._require_names()
        place = {name: i for i, name in enumerate(system.coordinates)}
        self.w = np.array([place[name] for name in self.dependent], dtype=np.int64)
        self.u = np.setdiff1d(np.arange(len(place)), self.w)
        self.terms = DenseTerms(system)

    def _require_names(self) -> None:
        system, names = self.system, self.dependent
        unknown = [n for n in names if n not in system.coordinates]
        if unknown or len(set(names)) != len(names) or len(names) != len(system.constraints):
            raise ModelError(
                f"{system.name!r} has {len(system.constraints)} constraints ({', '.join(system.constraints)}) "
                f"and needs as many different dependent coordinates, got {', '.join(names) or 'none'}"
                + (f"; {', '.join(unknown)} is none of its coordinates" if unknown else "")
            )

    def divided(self, G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """G_w⁻¹ G_u, (nc, nu), and G_w, (nc, nc); SingularMatrix where the split fails."""
        G_w = G[:, self.w]
        if G_w.size and not np.linalg.cond(G_w) < 1e12:
            raise SingularMatrix(
                f"{', '.join(self.dependent)} do not follow from the constraints here"
            )
        return np.linalg.solve(G_w, G[:, self.u]), G_w

    def settled(self, t: float, q: Vector) -> Vector:
        """q with the dependent coordinates on the constraints; one step suffices where g is linear in them."""
        q, last = np.array(q, dtype=float), np.inf
        for _ in range(_MAX_ITERATIONS):
            step = _solved(self.terms.jacobian(t, q)[:, self.w], self.terms.constraint(t, q))
            q[self.w] -= step
            size = np.abs(step).max(initial=0.0) / max(1.0, np.abs(q[self.w]).max(initial=0.0))
            # as near as rounding lets it
            if size <= _TOLERANCE or (size < _ROUNDING and size > last / 2):
                return q
            last = size
        raise NotConverged(
            f"{', '.join(self.dependent)} of {self.system.name!r} could not be found from the constraints "
            f"at t = {t:.6g} s"
        )

    def rates(self, t: float, q: Vector, v: Vector) -> Vector:
        """v with the dependent rates that ġ = 0 asks for."""
        v = np.array(v, dtype=float)
        ratio, G_w = self.divided(self.terms.jacobian(t, q))
        v[self.w] = -ratio @ v[self.u] - np.linalg.solve(G_w, self.system.constraint_t(t, q))
        return v

    def accelerations(self, t: float, q: Vector, v: Vector, u: Vector) -> tuple[Vector, Vector]:
        """a (nq,) and lam (nc,)                                          eqs (26)–(31)"""
        system = self.system
        M, G = self.terms.mass_and_jacobian(t, q)
        f = self.terms.force(t, q, v, u)
        ratio, G_w = self.divided(G)
        a = np.zeros(len(q))
        a[self.w] = np.linalg.solve(G_w, system.constraint_bias(t, q, v))
        rest = f - M @ a
        reduced, right = self.reduced(M, ratio), rest[self.u] - ratio.T @ rest[self.w]
        a[self.u] = _solved(reduced, right)
        a[self.w] -= ratio @ a[self.u]
        lam = np.linalg.solve(G_w.T, (f - M @ a)[self.w])
        return a, lam

    def reduced(self, A: np.ndarray, ratio: np.ndarray) -> np.ndarray:
        """Zᵀ A Z, (nu, nu)."""
        u, w = self.u, self.w
        right = A[:, u] - A[:, w] @ ratio
        return np.asarray(right[u] - ratio.T @ right[w])


def _solved(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError as error:
        raise SingularMatrix(str(error)) from None


def chosen(system: System, t: float, q: Vector) -> tuple[str, ...]:
    """Dependent coordinates by elimination with pivoting [Wehage82]."""
    G = dense(system.constraint_q(t, q))
    pivots = scipy.linalg.qr(G, mode="r", pivoting=True)[1]
    return tuple(system.coordinates[i] for i in sorted(pivots[: len(G)]))


def weak(split: Elimination, t: float, q: Vector) -> bool:
    """Whether another choice of dependent coordinates is much better conditioned."""
    G = dense(split.system.constraint_q(t, q))
    best = Elimination(split.system, chosen(split.system, t, q))
    smallest = lambda s: np.linalg.svd(G[:, s.w], compute_uv=False)[-1]
    return bool(smallest(split) < _WEAK * smallest(best))
