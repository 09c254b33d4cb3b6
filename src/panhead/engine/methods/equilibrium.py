"""Initial conditions: assembly of positions, consistent rates, static equilibrium."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np
import scipy.linalg
import scipy.sparse

from panhead.engine.methods.linear_solvers import (
    dense,
    is_large,
    least_norm,
    null_vectors,
    row_sizes,
    saddle_matrix,
    solver_for,
)
from panhead.engine.methods.statics import Equilibrium, StaticBalance, backtrack, find_equilibrium
from panhead.engine.methods.trajectory import State
from panhead.engine.system import Matrix, System, Vector, no_controls, require_no_contacts
from panhead.errors import ConstraintError, ModelError, NotConverged

_MAX_ITERATIONS = 60
_TOLERANCE = 1e-13


def assemble_configuration(system: System, guess: Vector, *, t: float = 0.0, fixed: Sequence[str] = ()) -> Vector:
    """Return the configuration nearest to ``guess`` that satisfies the constraints; ``fixed`` coordinates do not move.

    Gauss–Newton with least-norm steps Δq = −g_q⁺ g, halved while the residual grows.
    """
    q = np.array(guess, dtype=float)
    if q.shape != (len(system.coordinates),) or not np.isfinite(q).all():
        raise ModelError(
            f"a configuration of {system.name!r} must be {len(system.coordinates)} finite numbers "
            f"({', '.join(system.coordinates)}), got {guess!r}"
        )
    movable = _movable(system, fixed)
    g = system.constraint(t, q)
    for _ in range(_MAX_ITERATIONS):
        if g.size == 0 or np.abs(g).max() <= _TOLERANCE * max(1.0, np.abs(q).max()):
            return q
        step = np.zeros_like(q)
        step[movable] = -least_norm(finite_jacobian(system, t, q)[:, movable], g)
        q, g, length = backtrack(lambda q: system.constraint(t, q), q, step, g)
        if length * np.abs(step).max() < 1e-15 * max(1.0, np.abs(q).max()):
            break
    worst = int(np.abs(g).argmax())
    if np.abs(g[worst]) < 1e-10 * max(1.0, np.abs(q).max()):
        return q
    held = f" with {', '.join(fixed)} held" if fixed else ""
    raise ConstraintError(
        f"{system.name!r} cannot be assembled{held} at t = {t:g} s: the nearest configuration found "
        f"violates {system.constraints[worst]} by {g[worst]:.3g}. Check lengths and the initial guess."
    )


def _movable(system: System, held: Sequence[str]) -> np.ndarray:
    """Return which coordinates are not held; ModelError for an unknown name."""
    unknown = sorted(set(held) - set(system.coordinates))
    if unknown:
        raise ModelError(
            f"{', '.join(unknown)} is not a coordinate of {system.name!r}: {', '.join(system.coordinates)}"
        )
    return np.array([name not in held for name in system.coordinates])


def finite_jacobian(system: System, t: float, q: Vector) -> Matrix:
    """g_q; ConstraintError where a constraint has no derivative (decompositions would never end with NaN)."""
    G = system.constraint_q(t, q)
    size = np.asarray(abs(G).sum(axis=1)).ravel()
    if not np.isfinite(size).all():
        name = system.constraints[int(np.flatnonzero(~np.isfinite(size))[0])]
        raise ConstraintError(
            f"{name} of {system.name!r} has no derivative at t = {t:g} s: a length in it is zero or an axis has no "
            "direction. Start from another configuration."
        )
    return G


def require_inertia(system: System, state: State) -> None:
    """Raise ModelError if a direction the constraints leave free has no mass.

    A coordinate of an equation of first order (a rate in it, no acceleration) needs none.
    """
    M, G = system.mass(state.t, state.q), system.constraint_q(state.t, state.q)
    first_order = _first_order(system, state, M, G)
    if is_large(M):
        _require_sparse_inertia(system, M, G, first_order)
        return
    M, G = dense(M)[np.ix_(~first_order, ~first_order)], dense(G)[:, ~first_order]
    Z = scipy.linalg.null_space(G) if len(G) else np.eye(len(M))
    if Z.shape[1] == 0:
        return
    values, vectors = np.linalg.eigh(Z.T @ M @ Z)
    if not values[0] > 1e-13 * max(values[-1], 1e-300):
        _without_inertia(system, Z @ vectors[:, 0], first_order)


def _first_order(system: System, state: State, M: Matrix, G: Matrix) -> np.ndarray:
    """Coordinates without inertia and constraints whose own rate stands in their equation."""
    bare = np.asarray(abs(M).sum(axis=0) == 0).ravel() & np.asarray(abs(G).sum(axis=0) == 0).ravel()
    if not bare.any():
        return bare
    D = system.force_v(state.t, state.q, state.v, no_controls(system))
    return bare & (np.asarray(D.diagonal()) != 0)


def _require_sparse_inertia(system: System, M: Matrix, G: Matrix, first_order: np.ndarray) -> None:
    """A direction that neither M nor G feels is one without inertia; both scaled so that 1 is usual."""
    M, G = M[~first_order][:, ~first_order], G[:, ~first_order]
    size = np.sqrt(np.abs(M.diagonal()))
    scale = scipy.sparse.diags_array(1 / np.where(size > 0, size, 1.0))
    M, G = scale @ M @ scale, G @ scale
    stacked = scipy.sparse.vstack([M, scipy.sparse.diags_array(1 / row_sizes(G)) @ G], format="csc")
    found = null_vectors(stacked, tolerance=1e-12, most=8)
    if found.shape[1]:
        _without_inertia(system, scale @ found[:, 0], first_order)


def _without_inertia(system: System, direction: Vector, left_out: np.ndarray) -> NoReturn:
    names = [n for n, out in zip(system.coordinates, left_out, strict=True) if not out]
    raise ModelError(
        f"nothing in {system.name!r} has inertia when {names[int(np.abs(direction).argmax())]} moves; "
        "give mass to a body that moves with it, attach it to a body that has mass, or remove the "
        "coordinate"
    )


def consistent_rates(system: System, q: Vector, wanted: Vector, *, t: float = 0.0, keep: Sequence[str] = ()) -> Vector:
    """The rates nearest to ``wanted`` with g_q v + g_t = 0; rates named in ``keep`` are met exactly."""
    v = np.array(wanted, dtype=float)
    if not system.constraints:
        return v
    movable = _movable(system, keep)
    G, g_t = finite_jacobian(system, t, q), system.constraint_t(t, q)
    v[movable] -= least_norm(G[:, movable], G @ v + g_t)
    left = G @ v + g_t
    worst = int(np.abs(left).argmax())
    if np.abs(left[worst]) > 1e-9 * max(1.0, np.abs(v).max()):
        raise ConstraintError(
            f"no rates of {system.name!r} satisfy {system.constraints[worst]}: residual "
            f"{left[worst]:.3g}. Prescribe fewer rates, or check the prescribed motion of the constraint."
        )
    return v


def require_common_axes(system: System, state: State, *, tolerance: float = 0.01) -> None:
    """Raise ConstraintError if the axes of a joint's two sides point elsewhere at the start.

    The residual of an equation called "tilt …" is the cosine between an axis of one side and the axis of the other
    that must stay at a right angle to it.
    """
    for name, residual in zip(system.constraints, system.constraint(state.t, state.q), strict=True):
        joint, _, equation = name.rpartition(".")
        if equation.startswith("tilt") and abs(residual) > tolerance:
            angle = np.degrees(np.arcsin(min(1.0, abs(residual))))
            raise ConstraintError(
                f"the axes of the two sides of {joint!r} in {system.name!r} differ by {angle:.3g}° at the start. Give "
                "the same axis on both sides: a=….at(…, axis=…) and b=….at(…, axis=…), each in its body's axes; "
                "at_world takes it in the world's"
            )


def require_consistent(system: System, state: State, *, tolerance: float = 1e-6) -> None:
    """Raise ConstraintError unless positions and rates satisfy the constraints to ``tolerance``."""
    if not system.constraints:
        return
    g = system.constraint(state.t, state.q)
    rate = system.constraint_q(state.t, state.q) @ state.v + system.constraint_t(state.t, state.q)
    for what, residual, remedy in (("positions", g, "assemble_configuration"), ("rates", rate, "consistent_rates")):
        worst = int(np.abs(residual).argmax())
        if np.abs(residual[worst]) > tolerance:
            raise ConstraintError(
                f"the initial {what} of {system.name!r} do not satisfy {system.constraints[worst]}: residual "
                f"{residual[worst]:.3g}. Use panhead.engine.methods.equilibrium.{remedy} to find consistent "
                "ones, or correct them."
            )


def project_onto_constraints(system: System, state: State) -> State:
    """Return the state projected onto g = 0 and ġ = 0, nearest in the mass norm."""
    if not system.constraints:
        return state
    t, q, v, nq = state.t, state.q.copy(), state.v, len(state.q)
    zero = np.zeros(nq)
    for _ in range(20):
        solver = solver_for(saddle_matrix(system.mass(t, q), system.constraint_q(t, q)))
        step = solver.solve(np.concatenate([zero, -system.constraint(t, q)]))[:nq]
        q += step
        if np.abs(step).max() <= 1e-14 * max(1.0, np.abs(q).max()):
            break
    else:
        if np.abs(step).max() > 1e-11 * max(1.0, np.abs(q).max()):
            raise NotConverged(
                f"the motion of {system.name!r} could not be projected onto the constraints at t = {t:.6g} s; "
                "reduce the step, or check whether the mechanism locks there"
            )
    G = system.constraint_q(t, q)
    solver = solver_for(saddle_matrix(system.mass(t, q), G))
    v = v + solver.solve(np.concatenate([zero, -(G @ v + system.constraint_t(t, q))]))[:nq]
    return State(t=t, q=q, v=v)


def equilibrium(
    system: System, guess: Vector, *, t: float = 0.0, u: Vector | None = None, relax: bool = False
) -> Equilibrium:
    """Static equilibrium near ``guess``: q and lam with f(t, q, 0, u) = g_qᵀ lam and g = 0, and how it was found.

    Tried in turn: Newton's method; load steps chosen by convergence; Newton's method with step halving; and, at once
    with ``relax``, dynamic relaxation, for guesses that are far off. Steps have the least norm, so that free motions
    without stiffness (the rotation of a link about its own axis) do no harm.
    """
    require_no_contacts(system, "an equilibrium")
    u = no_controls(system) if u is None else u
    return find_equilibrium(StaticBalance(system, assemble_configuration(system, guess, t=t), t, u), relax=relax)
