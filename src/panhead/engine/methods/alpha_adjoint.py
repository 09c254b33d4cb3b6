"""The discrete adjoint of the generalized-α method on any system: the transposed Newton matrix, step by step.

With q̈ written c, a step ties (q, v, a, c, lam) to the step before by

    R₁  q₁ − q₀ − dt v₀ − dt² (½ − β) a₀ − dt² β a₁ = 0
    R₂  v₁ − v₀ − dt (1 − γ) a₀ − dt γ a₁ = 0
    R₃  (1 − α_m) a₁ + α_m a₀ − (1 − α_f) c₁ − α_f c₀ = 0
    R₄  M c₁ + Gᵀ lam₁ − f(t₁, q₁, v₁, u₁) = 0,     R₅  g(t₁, q₁) = 0.

Eliminating the multipliers μ₁, μ₂, μ₃ of the linear rows leaves, with s = (1 − α_f)/(1 − α_m),

    [M/s + dt² β K + dt γ C]ᵀ μ₄ + Gᵀ (dt² β μ₅) = c̄/s + ā + dt² β q̄ + dt γ v̄,     G μ₄ = lam_bar:

the matrix Newton has factorised, transposed. A parameter p has dJ/dp = −Σ μ₄·∂R₄/∂p + μ₅·∂g/∂p.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy.sparse

from panhead.engine.methods.integrators.generalized_alpha import AlphaCoefficients, GeneralizedAlpha
from panhead.engine.methods.linear_solvers import saddle_matrix, solver_for
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.system import System, Vector
from panhead.errors import ModelError, alternatives

Bars = dict[str, np.ndarray]  #: adjoints of q, v, the method's a, c = q̈, and lam
SERIES = ("q", "v", "a", "lam")  #: of a motion, that may carry weights


@final
@dataclass(frozen=True, slots=True)
class Instant:
    """One grid point of a motion."""

    t: float
    q: Vector
    v: Vector
    c: Vector  #: q̈
    lam: Vector
    u: Vector


@final
@dataclass(frozen=True, slots=True)
class MotionGradient:
    """Gradient of J with respect to the parameters and controls of a motion from a given start."""

    value: float
    parameters: dict[str, float]  #: NaN: it is in a constraint, so that the start would move with it
    controls: np.ndarray  #: (n + 1, nu)


def motion_gradient(
    system: System, motion: Trajectory, weights: Mapping[str, np.ndarray], method: GeneralizedAlpha
) -> MotionGradient:
    """∂/∂ of J = Σ weight · series by every number of a system's parts and by the controls, from a given start.

    ``motion`` has been found by ``method`` with every step kept; ``weights`` are on q, v, a (q̈) or lam, each of the
    shape the motion has it in. For another J give its derivatives by the series.
    """
    _require_differentiable(motion, method)
    weights = {name: _weight(motion, name, values) for name, values in weights.items()}
    coefficients, names, last = method.coefficients, list(system.parameters), len(motion.t) - 1
    by_p, by_u = np.zeros(len(names)), np.zeros_like(motion.u)
    fixed = np.zeros(len(names), dtype=bool)
    bars = zero_cotangents(motion.q.shape[1], motion.lam.shape[1])
    for n in range(last, 0, -1):
        here, dt = instant(motion, n), float(motion.t[n] - motion.t[n - 1])
        _add(bars, weights, n)
        mu4, mu5, bars = backward_step(system, coefficients, dt, here, bars)
        by_p -= system.residual_p(here.t, here.q, here.v, here.c, here.lam, here.u).T @ mu4
        if by_u.shape[1]:
            by_u[n] += system.force_u(here.t, here.q, here.v, here.u).T @ mu4
        if len(mu5):
            in_constraint = system.constraint_p(here.t, here.q)
            fixed |= np.asarray(abs(in_constraint).sum(axis=0)).ravel() > 0.0
    _add(bars, weights, 0)
    w, here = _start(system, motion, bars), instant(motion, 0)
    by_p -= system.residual_p(here.t, here.q, here.v, here.c, here.lam, here.u).T @ w
    if by_u.shape[1]:
        by_u[0] += system.force_u(here.t, here.q, here.v, here.u).T @ w
    value = sum(float((rows * getattr(motion, name)).sum()) for name, rows in weights.items())
    return MotionGradient(value, dict(zip(names, np.where(fixed, np.nan, by_p).tolist(), strict=True)), by_u)


def _require_differentiable(motion: Trajectory, method: GeneralizedAlpha) -> None:
    if motion.notes.get("rejected"):
        raise ModelError(
            "motion_gradient: the motion had to shorten its steps, which is not differentiable; use a smaller dt"
        )
    if method.rates != "free" or method.local_error is not None:
        raise ModelError(
            "motion_gradient: projected rates and adaptive steps are not differentiable; use "
            "GeneralizedAlpha(rates='free') without local_error for the motion and here"
        )


def _weight(motion: Trajectory, name: str, values: np.ndarray) -> np.ndarray:
    if name not in SERIES:
        raise ModelError(f"motion_gradient: a motion has no series {name!r}; {alternatives(name, SERIES)}")
    found, wanted = np.asarray(values, float), getattr(motion, name).shape
    if found.shape != wanted or not np.isfinite(found).all():
        raise ModelError(f"motion_gradient: weights of {name} must be finite and of shape {wanted}, got {found.shape}")
    return found


def _add(bars: Bars, weights: Mapping[str, np.ndarray], n: int) -> None:
    for name, rows in weights.items():
        place = "c" if name == "a" else name
        bars[place] = bars[place] + rows[n]


def instant(motion: Trajectory, n: int) -> Instant:
    """Grid point n of a motion."""
    return Instant(float(motion.t[n]), motion.q[n], motion.v[n], motion.a[n], motion.lam[n], motion.u[n])


def zero_cotangents(nq: int, nc: int) -> Bars:
    """Zero cotangents of a state."""
    return {k: np.zeros(nq) for k in ("q", "v", "a", "c")} | {"lam": np.zeros(nc)}


def backward_step(
    system: System, c: AlphaCoefficients, dt: float, here: Instant, bar: Bars
) -> tuple[np.ndarray, np.ndarray, Bars]:
    """μ₄ and μ₅ of the step that ends here, and the adjoints of the state before it."""
    nq, h2b, share = len(here.q), c.beta * dt * dt, (1 - c.alpha_f) / (1 - c.alpha_m)
    A, K, C, G = _matrix(system, c, dt, here)
    load = bar["c"] / share + bar["a"] + h2b * bar["q"] + c.gamma * dt * bar["v"]
    z = solver_for(A).solve_T(np.concatenate([load, bar["lam"]]))
    mu4, mu5 = z[:nq], z[nq:] / h2b
    mu1 = bar["q"] - K.T @ mu4 - G.T @ mu5
    mu2 = bar["v"] - C.T @ mu4
    mu3 = (bar["a"] + h2b * mu1 + c.gamma * dt * mu2) / (1 - c.alpha_m)
    before = {
        "q": mu1,
        "v": dt * mu1 + mu2,
        "a": dt * dt * (0.5 - c.beta) * mu1 + dt * (1 - c.gamma) * mu2 - c.alpha_m * mu3,
        "c": c.alpha_f * mu3,
        "lam": np.zeros(len(here.lam)),
    }
    return mu4, mu5, before


def _matrix(system: System, c: AlphaCoefficients, dt: float, here: Instant) -> tuple[Any, Any, Any, Any]:
    """The Newton matrix at the end of a step, and K, C, G."""
    nq, share = len(here.q), (1 - c.alpha_f) / (1 - c.alpha_m)
    tangent = lambda *c: system.tangent(c, here.t, here.q, here.v, here.c, here.lam, here.u)
    A = tangent(1.0 / share, c.gamma * dt, c.beta * dt * dt)
    return A, tangent(0.0, 0.0, 1.0)[:nq, :nq], tangent(0.0, 1.0, 0.0)[:nq, :nq], A[nq:, :nq]


def _start(system: System, motion: Trajectory, bar: Bars) -> np.ndarray:
    """Adjoint of M c₀ + Gᵀ lam₀ = f, G c₀ = …, by which the start got its accelerations (``accelerations``)."""
    t, q = float(motion.t[0]), motion.q[0]
    M, G = (scipy.sparse.csc_array(x) for x in (system.mass(t, q), system.constraint_q(t, q)))
    bare = (abs(M).sum(axis=0) == 0) & (abs(G).sum(axis=0) == 0)
    M = M + scipy.sparse.diags_array(bare.astype(float))
    load = np.concatenate([np.where(bare, 0.0, bar["c"] + bar["a"]), bar["lam"]])
    return np.asarray(solver_for(saddle_matrix(M, G) if G.shape[0] else M).solve(load))[: len(q)]
