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

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
import scipy.sparse

from panhead.engine.kernels.alpha_backward import Cotangents, Series, sweep
from panhead.engine.methods.integrators.generalized_alpha import AlphaCoefficients, GeneralizedAlpha
from panhead.engine.methods.integrators.table_alpha import projects_rates
from panhead.engine.methods.linear_solvers import dense, saddle_matrix, solver_for
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.system import System, Vector
from panhead.errors import ModelError, NotConverged, alternatives

Bars = dict[str, np.ndarray]  #: adjoints of q, v, the method's a, c = q̈, and lam
SERIES = ("q", "v", "a", "lam")  #: of a motion, that may carry weights
_DENSE = 150  # unknowns up to which the sweep is compiled over dense matrices


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
    """Gradient of J with respect to the parameters, the controls and the start of a motion."""

    value: float
    parameters: dict[str, float]
    controls: np.ndarray  #: (n + 1, nu)
    start_q: np.ndarray  #: (nq,) at fixed parameters; only its parts along the constraints mean a motion
    start_v: np.ndarray  #: (nq,)


def motion_gradient(
    system: System, motion: Trajectory, weights: Mapping[str, np.ndarray], method: GeneralizedAlpha
) -> MotionGradient:
    """∂/∂ of J = Σ weight · series by every number of a system's parts, by the controls and by the start.

    ``motion`` has been found by ``method`` with every step kept; ``weights`` are on q, v, a (q̈) or lam, each of the
    shape the motion has it in. For another J give its derivatives by the series. A number inside a constraint, such as
    a length, moves the start: positions to the nearest that satisfy the constraints, rates likewise
    (``start_gradient``).
    """
    _require_differentiable(system, motion, method)
    weights = {name: _weight(motion, name, values) for name, values in weights.items()}
    swept = _sweep_dense if motion.q.shape[1] + motion.lam.shape[1] <= _DENSE else _sweep_sparse
    mu, bars, by_p = swept(system, motion, weights, method.coefficients)
    _add(bars, weights, 0)
    by_u = np.zeros_like(motion.u)
    if by_u.shape[1]:
        for n in range(1, len(motion.t)):
            here = instant(motion, n)
            by_u[n] = system.force_u(here.t, here.q, here.v, here.u).T @ mu[n, : len(here.q)]
    start = start_gradient(system, instant(motion, 0), bars)
    if by_u.shape[1]:
        by_u[0] += start.u
    value = sum(float((rows * getattr(motion, name)).sum()) for name, rows in weights.items())
    parameters = dict(zip(system.parameters, (by_p + start.p).tolist(), strict=True))
    return MotionGradient(value, parameters, by_u, start.q, start.v)


_Sweep = tuple[np.ndarray, Bars, np.ndarray]  # μ (n + 1, nq + nc), adjoints of the start, by_p (np,)


def _sweep_sparse(
    system: System, motion: Trajectory, weights: Mapping[str, np.ndarray], coefficients: AlphaCoefficients
) -> _Sweep:
    """Backward sweep with sparse matrices."""
    nq, nc = motion.q.shape[1], motion.lam.shape[1]
    mu, by_p = np.zeros((len(motion.t), nq + nc)), np.zeros(len(system.parameters))
    bars = zero_cotangents(nq, nc)
    for n in range(len(motion.t) - 1, 0, -1):
        here, dt = instant(motion, n), float(motion.t[n] - motion.t[n - 1])
        _add(bars, weights, n)
        mu[n, :nq], mu[n, nq:], bars = backward_step(system, coefficients, dt, here, bars)
        by_p -= _weighed_numbers(system, mu[n], here)
    return mu, bars, by_p


def _sweep_dense(
    system: System, motion: Trajectory, weights: Mapping[str, np.ndarray], coefficients: AlphaCoefficients
) -> _Sweep:
    """The same, compiled, with dense matrices."""
    tabled, (nq, nc) = system.families, (motion.q.shape[1], motion.lam.shape[1])
    series = Series(*(np.ascontiguousarray(getattr(motion, name)) for name in SERIES))
    given = [np.ascontiguousarray(weights.get(name, np.zeros_like(x))) for name, x in zip(SERIES, series, strict=True)]
    mu, bar = np.zeros((len(motion.t), nq + nc)), Cotangents(*(np.zeros(nq) for _ in range(4)))
    by_number = np.zeros(len(tabled.tables.p))
    t, u = np.ascontiguousarray(motion.t), np.ascontiguousarray(motion.u)
    status = sweep(
        tabled.tables, tabled.work, tabled.slides, system.addresses_by_number, tuple(coefficients), t, series, u,
        Series(*given), bar, mu, by_number,
    )  # fmt: skip
    if status:
        raise NotConverged(f"the equations of {system.name!r} are singular at t = {motion.t[status]:.6g} s")
    bars = dict(zip("qvac", bar, strict=True)) | {"lam": np.zeros(nc)}
    return mu, bars, _by_name(system, by_number)


def _by_name(system: System, values: np.ndarray) -> np.ndarray:
    """Sums over the numbers that share a name, (np,)."""
    return np.array([values[places].sum() for places in system.places_of_numbers.values()])


def _weighed_numbers(system: System, mu: np.ndarray, at: Instant) -> np.ndarray:
    """μᵀ ∂(r, g)/∂p, (np,)."""
    return _by_name(system, system.weighed_by_number(mu, at.t, at.q, at.v, at.c, at.lam, at.u))


def _require_differentiable(system: System, motion: Trajectory, method: GeneralizedAlpha) -> None:
    if motion.notes.get("rejected"):
        raise ModelError(
            "motion_gradient: the motion had to shorten its steps, which is not differentiable; use a smaller dt"
        )
    projected = motion.notes.get("rates_projected") or projects_rates(method, slides=bool(system.families.sliders))
    if projected or method.local_error is not None:
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


@final
@dataclass(frozen=True, slots=True)
class InitialStateGradient:
    """Gradient by parameters, controls and the state at the start."""

    p: np.ndarray  # (np,)
    u: np.ndarray  # (nu,)
    q: np.ndarray  # (nq,)
    v: np.ndarray  # (nq,)


def start_gradient(system: System, at: Instant, bar: Bars) -> InitialStateGradient:
    """Carry adjoints of (q₀, v₀, a₀ = c₀, lam₀) back to what the start was made of.

    Accelerations follow from M c + Gᵀ lam = f and g̈ = 0 (``accelerations``), with multipliers w, κ. Where p moves a
    constraint, positions and rates go to the nearest that satisfy it: δq = −G⁺ g_p δp, δv = −G⁺ δ(G v + g_t). With
    D the derivative along the motion, at (t, q) + ε (1, v), and y(κ) = Gᵀ κ, z(κ) = g_pᵀ κ,

        κ·g̈ = c·y + D²(κ·g),   ∂/∂q = ∂(Gᵀκ)/∂q c + D² y,   ∂/∂v = 2 D y,   ∂/∂p = c·∂y/∂p + D² z.
    """
    nq, nc = len(at.q), len(at.lam)
    w, kappa = _start_multipliers(system, at, bar)
    nothing = np.zeros(nq)
    K = system.tangent((0.0, 0.0, 1.0), at.t, at.q, at.v, at.c, at.lam, at.u)[:nq, :nq]
    C = system.tangent((0.0, 1.0, 0.0), at.t, at.q, at.v, at.c, at.lam, at.u)[:nq, :nq]
    by_u = system.force_u(at.t, at.q, at.v, at.u).T @ w
    by_p = -_weighed_numbers(system, np.concatenate([w, np.zeros(nc)]), at)
    q_bar, v_bar = bar["q"] - K.T @ w, bar["v"] - C.T @ w
    if nc:
        bent = Instant(at.t, at.q, nothing, nothing, kappa, at.u)
        straight = Instant(at.t, at.q, nothing, nothing, np.zeros(nc), at.u)
        along = _AlongMotion(system, at)
        at_c = np.concatenate([at.c, np.zeros(nc)])
        by_p -= _weighed_numbers(system, at_c, bent) - _weighed_numbers(system, at_c, straight) + along.z(kappa, 2)
        q_bar = q_bar - system.reaction_q(at.t, at.q, kappa) @ at.c - along.y(kappa, 2)
        v_bar = v_bar - 2.0 * along.y(kappa, 1)
        G = dense(system.constraint_q(at.t, at.q))
        omega = np.linalg.lstsq(G.T, v_bar, rcond=None)[0]
        by_p -= along.z(omega, 1)
        free_q = q_bar - along.y(omega, 1)
        by_p -= along.z(np.linalg.lstsq(G.T, free_q, rcond=None)[0], 0)
    return InitialStateGradient(by_p, by_u, q_bar, v_bar)


@final
class _AlongMotion:
    """y = Gᵀ κ and z = g_pᵀ κ, and their derivatives at (t, q) + ε (1, v), by differences of fourth order."""

    def __init__(self, system: System, at: Instant) -> None:
        self.system, self.at = system, at
        self.step = 1e-3 / max(1.0, float(np.abs(at.v).max(initial=0.0)))

    def y(self, kappa: np.ndarray, order: int) -> np.ndarray:
        """The derivative of y of this order, (nq,)."""
        return self._derivative(lambda t, q: dense(self.system.constraint_q(t, q)).T @ kappa, order)

    def z(self, kappa: np.ndarray, order: int) -> np.ndarray:
        """The derivative of z of this order, (np,)."""
        at, mu = self.at, np.concatenate([np.zeros(len(self.at.q)), kappa])
        value = lambda t, q: _weighed_numbers(self.system, mu, Instant(t, q, at.v, at.c, np.zeros(len(kappa)), at.u))
        return self._derivative(value, order)

    def _derivative(self, value: Callable[[float, np.ndarray], np.ndarray], order: int) -> np.ndarray:
        t, q, v, h = self.at.t, self.at.q, self.at.v, self.step
        weights = {0: (0, 0, 1, 0, 0), 1: (1, -8, 0, 8, -1), 2: (-1, 16, -30, 16, -1)}[order]
        total = sum(w * value(t + k * h, q + k * h * v) for k, w in zip(range(-2, 3), weights, strict=True) if w)
        return np.asarray(total) / (1.0 if order == 0 else 12.0 * h**order)


def _start_multipliers(system: System, at: Instant, bar: Bars) -> tuple[np.ndarray, np.ndarray]:
    """w and κ of M c₀ + Gᵀ lam₀ = f, g̈ = 0, by which the start got its accelerations (``accelerations``)."""
    M, G = (scipy.sparse.csc_array(x) for x in (system.mass(at.t, at.q), system.constraint_q(at.t, at.q)))
    bare = (abs(M).sum(axis=0) == 0) & (abs(G).sum(axis=0) == 0)
    M = M + scipy.sparse.diags_array(bare.astype(float))
    load = np.concatenate([np.where(bare, 0.0, bar["c"] + bar["a"]), bar["lam"]])
    found = np.asarray(solver_for(saddle_matrix(M, G) if G.shape[0] else M).solve(load))
    return found[: len(at.q)], found[len(at.q) :]
