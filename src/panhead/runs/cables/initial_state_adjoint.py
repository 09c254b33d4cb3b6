"""Adjoint of the initial state of a cable run: accelerations, consistent rates, static equilibrium.

With w and ω from the (symmetric) saddle matrix [[M, Gᵀ], [G, 0]] and the cotangents as right-hand side,

    accelerations   M c + Gᵀ lam = f,  G c = gamma      S (w, ω) = (c̄, lam_bar)
    rates           M Δ + Gᵀ ν = 0,    G (v* + Δ) = −g_t    S (w, ω) = (v̄, 0)
    rest            f = Gᵀ lam,        g = 0             [[K, Gᵀ], [G, 0]]ᵀ (w, ω) = (q̄, 0)

every equation F(q, v, p) = 0 adds −(w, ω)ᵀ ∂F/∂ of q, v and every parameter p.
"""

from __future__ import annotations

import numpy as np

from panhead.engine.methods.linear_solvers import saddle_matrix, solver_for
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.output_derivatives import StateCotangents, add_rate_adjoint
from panhead.engine.system import Vector
from panhead.runs.cables.cables_statics import IDLE

_REFINED = 5  # times that a solution with idle spins held is refined


def accelerations_back(
    system: MultibodySystem,
    q: Vector,
    v: Vector,
    c: Vector,
    lam: Vector,
    c_bar: Vector,
    lam_bar: Vector,
    bars: StateCotangents,
) -> Vector:
    """Adjoint of initial accelerations and multipliers: add to q, v and parameters; return ∂J/∂f, (nq,)."""
    nq, none = system.nq, np.zeros(system.nu)
    w, omega = _saddle(system, q, np.concatenate([c_bar, lam_bar]))
    bars.q -= system.tangent((0.0, 0.0, 1.0), 0.0, q, v, c, lam, none)[:nq, :nq].T @ w
    bars.v -= system.tangent((0.0, 1.0, 0.0), 0.0, q, v, c, lam, none)[:nq, :nq].T @ w
    bars.p -= _residual(system, w, q, v, c, lam)
    _bend(system, omega, c, q, bars)
    add_rate_adjoint(system, np.stack([np.zeros(len(omega)), omega]), 0.0, q, v, bars)
    return w


def rates_back(system: MultibodySystem, q: Vector, start: Vector, v: Vector, bars: StateCotangents) -> Vector:
    """Adjoint of the projection of rates from ``start`` onto ġ = 0: add to q and parameters; bars.v becomes zero.

    Returns ∂J/∂start.
    """
    nq, zero, nothing = system.nq, np.zeros(system.nq), np.zeros(system.nc)
    if not start.any() and not v.any():
        bars.v[:] = 0.0
        return zero
    G = system.constraint_q(0.0, q)
    delta, nu = _saddle(system, q, np.concatenate([zero, -(G @ start + system.constraint_t(0.0, q))]))
    w, omega = _saddle(system, q, np.concatenate([bars.v, nothing]))
    found = bars.v - G.T @ omega
    bars.v[:] = 0.0
    bars.q -= (system.inertia_q(0.0, q, delta) + system.reaction_q(0.0, q, nu))[:nq, :nq].T @ w
    bars.p -= _residual(system, w, q, zero, delta, nu) - _residual(system, w, q, zero, zero, nothing)
    by_rate = StateCotangents(system)
    add_rate_adjoint(system, np.stack([omega, np.zeros(len(omega))]), 0.0, q, v, by_rate)
    bars.q -= by_rate.q
    bars.p -= by_rate.p
    return np.asarray(found)


def rest_back(system: MultibodySystem, q: Vector, lam: Vector, bars: StateCotangents) -> Vector:
    """Adjoint of the static equilibrium: add to parameters; bars.q becomes zero. Return ∂J/∂f, (nq,)."""
    rest, none = np.zeros(system.nq), np.zeros(system.nu)
    matrix = system.tangent((0.0, 0.0, 1.0), 0.0, q, rest, rest, lam, none)
    held = matrix + IDLE * system.tangent((1.0, 0.0, 0.0), 0.0, q, rest, rest, np.zeros(system.nc), none)
    solver, load = solver_for(held), np.concatenate([bars.q, np.zeros(system.nc)])
    psi = np.zeros_like(load)
    for _ in range(_REFINED):
        psi += solver.solve_T(load - matrix.T @ psi)
    bars.q[:] = 0.0
    bars.p -= system.weighed_by_number(psi, 0.0, q, rest, rest, lam, none)
    return np.asarray(psi[: system.nq])


def _saddle(system: MultibodySystem, q: Vector, load: Vector) -> tuple[Vector, Vector]:
    M, G = system.mass(0.0, q), system.constraint_q(0.0, q)
    found = solver_for(saddle_matrix(M, G) if system.nc else M).solve(load)
    return found[: system.nq], found[system.nq :]


def _residual(system: MultibodySystem, w: Vector, q: Vector, v: Vector, c: Vector, lam: Vector) -> Vector:
    """wᵀ ∂(M c + Gᵀ lam − f)/∂p."""
    mu = np.concatenate([w, np.zeros(system.nc)])
    return system.weighed_by_number(mu, 0.0, q, v, c, lam, np.zeros(system.nu))


def _bend(system: MultibodySystem, omega: Vector, c: Vector, q: Vector, bars: StateCotangents) -> None:
    """Derivative of ωᵀ G c by q and the parameters: ∂(Gᵀ ω)/∂q is symmetric, so both are those of cᵀ (Gᵀ ω)."""
    zero, nothing = np.zeros(system.nq), np.zeros(system.nc)
    bars.q -= system.reaction_q(0.0, q, omega).T @ c
    bars.p -= _residual(system, c, q, zero, zero, omega) - _residual(system, c, q, zero, zero, nothing)
