"""The factorized form of a mechanism: Tᵀ d/dt(T ẋ) = τ, with T from positions alone.

    T = √N₀ ∂P₀/∂x,   M = TᵀT,   N = TᵀṪ                    [Tebaldi25, eqs (2), (3), (6)]

P₀ lists everything that moves and has inertia: position components and angles, in space the nine
entries of the rotation matrix. *External variables* are parameters of the mechanism that are
measured while it moves (the tilt of a variator's rollers): they enter T, but their rate does not
enter the factorized form.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.engine.symbolic.bodies import PlacedBody
from panhead.engine.symbolic.derivation import derive
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.engine.symbolic.parameters import Parameters, time
from panhead.errors import ModelError


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Factorization:
    """T and the terms derived from it, as CasADi expressions of (t, q, v, a, u, w, w_dot, p)."""

    q: Any
    v: Any
    a: Any
    u: Any
    t: Any
    w: Any  # (nw, 1) external variables
    w_dot: Any  # (nw, 1) their rates, which only the Euler–Lagrange form needs
    p: Any  # the other parameters
    values: tuple[float, ...]  # of p
    rows: tuple[str, ...]  # what each row of T belongs to
    T: Any  # (m, nq)
    T_dot: Any  # (m, nq)
    Q_e: Any  # (nq, 1) forces of the description: springs, dampers, gravity, actuators

    @property
    def M(self) -> Any:
        """TᵀT, eq. (3)."""
        return self.T.T @ self.T

    @property
    def N(self) -> Any:
        """TᵀṪ, eq. (3)."""
        return self.T.T @ self.T_dot

    @property
    def torque(self) -> Any:
        """τ = Tᵀ d/dt(T ẋ) − Q_e, eq. (2): what must be added to the forces of the description.

        d/dt(T ẋ) is taken along the motion, as one directional derivative: Ṫ is never formed.
        """
        y = self.T @ self.v
        y_dot = self.T @ self.a + _time_derivative(y, self.q, self.v, self.w, self.w_dot)
        return self.T.T @ y_dot - self.Q_e

    @property
    def torque_euler_lagrange(self) -> Any:
        """τ = M ẍ + N ẋ − Q_e, eqs (1) and (14)."""
        return self.M @ self.a + self.N @ self.v - self.Q_e

    def integral(self, y: Any) -> tuple[Any, Any]:
        """ẋ = T⁺ y and ẏ = (T⁺)ᵀ Q_e + P Ṫ ẋ: Theorem 2, with T⁺ = (TᵀT)⁻¹ Tᵀ and P = 1 − T T⁺."""
        pseudo_inverse = ca.solve(self.M, self.T.T)
        rate = pseudo_inverse @ y
        turn = ca.substitute(self.T_dot, self.v, rate) @ rate
        force = pseudo_inverse.T @ ca.substitute(self.Q_e, self.v, rate)
        return rate, force + turn - self.T @ (pseudo_inverse @ turn)


def factorize(mechanism: Mechanism, external: Sequence[str] = ()) -> Factorization:
    """Derive T of a mechanism in independent coordinates; ``external`` names parameters that are
    measured.

    Closures and positions that depend on time have no place in this form and are refused.
    """
    _require_factorizable(mechanism, external)
    d = derive(mechanism)
    symbols = mechanism.parameters.symbols
    w = _column([symbols[name] for name in external])
    w_dot = ca.SX.sym("w_dot", len(external))
    others = [name for name in symbols if name not in external]
    positions, names = [], []
    for body in mechanism.bodies:
        for name, position in _weighted_positions(body, mechanism.parameters):
            names.append(name)
            positions.append(position)
    T = ca.densify(ca.jacobian(ca.vertcat(*positions), d.q))
    flat = ca.reshape(T, T.numel(), 1)
    T_dot = ca.reshape(_time_derivative(flat, d.q, d.v, w, w_dot), *T.shape)
    return Factorization(
        q=d.q,
        v=d.v,
        a=d.a,
        u=d.u,
        t=d.t,
        w=w,
        w_dot=w_dot,
        p=_column([symbols[n] for n in others]),
        values=tuple(mechanism.parameters.values[n] for n in others),
        rows=tuple(names),
        T=T,
        T_dot=T_dot,
        Q_e=d.Q_e,
    )


def _require_factorizable(mechanism: Mechanism, external: Sequence[str]) -> None:
    """ModelError that explains why a mechanism has no factorized form."""
    unknown = sorted(set(external) - set(mechanism.parameters.symbols))
    if unknown:
        raise ModelError(
            f"external variable {', '.join(unknown)}: mechanism {mechanism.name!r} has no such "
            "parameter; "
            f"it has {', '.join(mechanism.parameters.symbols)}"
        )
    if mechanism.closures:
        raise ModelError(
            f"mechanism {mechanism.name!r} has the closure {mechanism.closures[0].name!r}; the "
            "factorized form needs independent coordinates. Write positions in terms of those, "
            "or use SymbolicSystem"
        )
    for body in mechanism.bodies:
        moving = [
            *body.position,
            *([] if body.angle is None else [body.angle]),
            *([] if body.rotation is None else [body.rotation]),
        ]
        if any(ca.depends_on(ca.SX(e), time) for e in moving):
            raise ModelError(
                f"body {body.name!r} of {mechanism.name!r} has a prescribed motion, which the factorized form "
                "does not support. Make the driven quantity a coordinate, or use SymbolicSystem"
            )


def _weighted_positions(body: PlacedBody, parameters: Parameters) -> list[tuple[str, Any]]:
    """√N_jk P_jk of one body with a name for each, step 3 and 4 of the paper's procedure."""
    found = []
    if body.mass is not None:
        found += [
            (f"{body.name} {axis}", ca.sqrt(body.mass) * ca.SX(e))
            for axis, e in zip("xyz", body.position, strict=False)
        ]
    if body.inertia is not None and body.rotation is None:
        found.append((f"{body.name} angle", ca.sqrt(body.inertia_matrix()) * ca.SX(body.angle)))
    if body.inertia is not None and body.rotation is not None:
        weighted = ca.SX(body.rotation) @ _root_of_pseudo_inertia(body, parameters)
        found += [(f"{body.name} R{i + 1}{j + 1}", weighted[i, j]) for i in range(3) for j in range(3)]
    return found


def _root_of_pseudo_inertia(body: PlacedBody, parameters: Parameters) -> Any:
    """√Σ with Σ = ½ tr(I) 1 − I, for which ½ ωᵀ I ω = ½ tr(Ṙ Σ Ṙᵀ): the rows of T are gradients.

    Σ is the second moment ∫ r rᵀ dm: a body of positive masses has Σ ≥ 0. A diagonal Σ keeps its
    parameters; another one is rooted by its eigenvectors at the parameters' values.
    """
    inertia = body.inertia_matrix()
    sigma = ca.densify(0.5 * ca.trace(inertia) * ca.SX.eye(3) - inertia)
    values = np.array([[parameters.evaluate(sigma[i, j]) for j in range(3)] for i in range(3)])
    lengths, axes = np.linalg.eigh(values)
    scale = np.abs(lengths).max()
    if lengths.min() < -1e-12 * scale:
        listed = ", ".join(f"{x:.6g}" for x in np.sort(np.trace(values) - lengths))
        raise ModelError(
            f"body {body.name!r}: principal inertias {listed} kg·m² are not physical: the largest exceeds "
            "the sum of the other two, so T would be complex. Correct the inertia"
        )
    if np.abs(values - np.diag(np.diag(values))).max() == 0.0:
        # a lamina has a zero here: √0 of a parameter expression must not be differentiated
        return ca.diag(ca.vertcat(*(ca.sqrt(sigma[i, i]) if values[i, i] > 0 else 0 for i in range(3))))
    return ca.SX(ca.DM(axes @ np.diag(np.sqrt(np.maximum(lengths, 0.0))) @ axes.T))


def _time_derivative(expression: Any, q: Any, v: Any, w: Any, w_dot: Any) -> Any:
    """d/dt of an expression of (q, w)."""
    rate = ca.jtimes(expression, q, v)
    return rate + ca.jtimes(expression, w, w_dot) if w.numel() else rate


def _column(symbols: list[Any]) -> Any:
    return ca.vertcat(*symbols) if symbols else ca.SX(0, 1)
