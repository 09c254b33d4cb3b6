"""A derived mechanism behind the seam."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, final

import casadi as ca
import numpy as np

from panhead.kernels.calls import call_terms
from panhead.kernels.constrained import split
from panhead.symbolic.derivation import Derivation, derive
from panhead.symbolic.mechanism import Mechanism
from panhead.symbolic.translate import compiled
from panhead.system import CompiledTerms, Energy, Matrix, Power, Vector


@final
class SymbolicSystem:
    """The System of a mechanism in generalised coordinates.

    ``compiled`` gives the terms as machine code. Once a method has asked for it, single terms come from it
    too; before that, and for derivatives, CasADi's interpreter evaluates them.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        derivation: Derivation | None = None,
        controls: tuple[str, ...] | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.derivation = derivation or derive(mechanism)
        self.name = mechanism.name
        self.coordinates = tuple(c.name() for c in mechanism.coordinates)
        self.constraints = tuple(n for c in mechanism.closures for n in c.names())
        self.controls = mechanism.controls() if controls is None else controls
        self.parameters: Mapping[str, float] = dict(mechanism.parameters.values)
        self.p = np.array(list(self.parameters.values()))
        self._evaluators: dict[str, Callable[..., Any]] = {}

    def with_parameters(self, **values: float) -> SymbolicSystem:
        """The same system with some parameters changed; nothing is derived or compiled again."""
        changed = SymbolicSystem(
            self.mechanism.with_parameters(values), self.derivation, self.controls
        )
        changed._evaluators = self._evaluators
        if "compiled" in self.__dict__:
            changed.__dict__["compiled"] = self.compiled
        return changed

    @functools.cached_property
    def compiled(self) -> CompiledTerms:
        """Compiled on first use, then kept on disk."""
        d = self.derivation
        inputs = [("t", d.t), ("x", ca.vertcat(d.q, d.v)), ("u", d.u), ("p", d.p)]
        terms = compiled("terms", inputs, [d.M, d.f, d.C, d.C_t, d.C_q, d.Q_d])
        powers = compiled(
            "powers",
            [*inputs, ("a", d.a), ("lam", d.lam)],
            [d.power_drivers, d.power_controls, d.dissipation],
        )
        return CompiledTerms(terms, powers)

    @property
    def families(self) -> None:
        """A mechanism is one piece, not a table of elements."""
        return

    def _evaluate(
        self, name: str, expression: Callable[[Derivation], Any], *values: Any
    ) -> np.ndarray:
        """Evaluate an expression of (t, q, v, u, a, lam, p); missing trailing values are zero."""
        if name not in self._evaluators:
            d = self.derivation
            symbols = [d.t, d.q, d.v, d.u, d.a, d.lam]
            self._evaluators[name] = ca.Function(name, [*symbols, d.p], [ca.densify(expression(d))])
        zeros = (0.0, *(np.zeros(n) for n in self._sizes()))
        filled = [*values, *zeros[len(values) :]]
        return np.array(self._evaluators[name](*filled, self.p))

    def _sizes(self) -> tuple[int, ...]:
        nq, nc, nu = len(self.coordinates), len(self.constraints), len(self.controls)
        return nq, nq, nu, nq, nc

    def _terms(
        self, t: float, q: Vector, v: Vector | None = None, u: Vector | None = None
    ) -> tuple[np.ndarray, ...]:
        """M, f, g, g_t, g_q, gamma from the compiled terms."""
        nq, nc, nu = len(self.coordinates), len(self.constraints), len(self.controls)
        x = np.zeros(2 * nq)
        x[:nq] = q
        if v is not None:
            x[nq:] = v
        out = np.empty(nq * nq + nq + 3 * nc + nc * nq)
        controls = np.zeros(nu) if u is None else np.ascontiguousarray(u, dtype=float)
        call_terms(self.compiled.terms, float(t), x, controls, self.p, out)
        return split(out, nq, nc)

    @property
    def _is_compiled(self) -> bool:
        return "compiled" in self.__dict__

    def mass(self, t: float, q: Vector) -> Matrix:
        return (
            self._terms(t, q)[0] if self._is_compiled else self._evaluate("M", lambda d: d.M, t, q)
        )

    def force(self, t: float, q: Vector, v: Vector, u: Vector) -> Vector:
        if self._is_compiled:
            return self._terms(t, q, v, u)[1]
        return self._evaluate("f", lambda d: d.f, t, q, v, u)[:, 0]

    def force_q(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        return self._evaluate("f_q", lambda d: ca.jacobian(d.f, d.q), t, q, v, u)

    def force_v(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        return self._evaluate("f_v", lambda d: ca.jacobian(d.f, d.v), t, q, v, u)

    def force_u(self, t: float, q: Vector, v: Vector, u: Vector) -> Matrix:
        return self._evaluate("f_u", lambda d: ca.jacobian(d.f, d.u), t, q, v, u)

    def constraint(self, t: float, q: Vector) -> Vector:
        return (
            self._terms(t, q)[2]
            if self._is_compiled
            else self._evaluate("g", lambda d: d.C, t, q).reshape(-1)
        )

    def constraint_q(self, t: float, q: Vector) -> Matrix:
        return (
            self._terms(t, q)[4]
            if self._is_compiled
            else self._evaluate("g_q", lambda d: d.C_q, t, q)
        )

    def constraint_t(self, t: float, q: Vector) -> Vector:
        return (
            self._terms(t, q)[3]
            if self._is_compiled
            else self._evaluate("g_t", lambda d: d.C_t, t, q).reshape(-1)
        )

    def constraint_bias(self, t: float, q: Vector, v: Vector) -> Vector:
        if self._is_compiled:
            return self._terms(t, q, v)[5]
        return self._evaluate("gamma", lambda d: d.Q_d, t, q, v).reshape(-1)

    def inertia_q(self, t: float, q: Vector, a: Vector) -> Matrix:
        zero = np.zeros(len(self.controls))
        return self._evaluate("Ma_q", lambda d: ca.jacobian(d.M @ d.a, d.q), t, q, 0 * q, zero, a)

    def reaction_q(self, t: float, q: Vector, lam: Vector) -> Matrix:
        zero = np.zeros(len(self.controls))
        return self._evaluate(
            "Gl_q", lambda d: ca.jacobian(d.C_q.T @ d.lam, d.q), t, q, 0 * q, zero, 0 * q, lam
        )

    def residual_p(
        self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector
    ) -> Matrix:
        return self._evaluate(
            "r_p", lambda d: ca.jacobian(d.M @ d.a + d.C_q.T @ d.lam - d.f, d.p), t, q, v, u, a, lam
        )

    def constraint_p(self, t: float, q: Vector) -> Matrix:
        return self._evaluate("g_p", lambda d: ca.jacobian(d.C, d.p), t, q)

    def energy(self, t: float, q: Vector, v: Vector) -> Energy:
        T, V = self._evaluate("energy", lambda d: ca.vertcat(d.kinetic, d.potential), t, q, v)[:, 0]
        return Energy(float(T), float(V))

    def power(self, t: float, q: Vector, v: Vector, a: Vector, lam: Vector, u: Vector) -> Power:
        three = self._evaluate(
            "power",
            lambda d: ca.vertcat(d.power_drivers, d.power_controls, d.dissipation),
            t,
            q,
            v,
            u,
            a,
            lam,
        )[:, 0]
        return Power(*map(float, three))

    def outputs(self, t: Vector, q: Matrix, v: Matrix, u: Matrix) -> dict[str, np.ndarray]:
        """Every declared output along a motion: name → (n,)."""
        declared = self.mechanism.outputs
        rows = self._along([o.expression for o in declared], t, q, v, u)
        return {o.name: row for o, row in zip(declared, rows, strict=True)}

    def energies(self, t: Vector, q: Matrix, v: Matrix) -> np.ndarray:
        """Kinetic and potential energy along a motion, (2, n)."""
        d = self.derivation
        u = np.zeros((len(t), len(self.controls)))
        return self._along([d.kinetic, d.potential], t, q, v, u)

    def outline(self, t: Vector, q: Matrix) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Every drawn part along a motion: name → x and y, each (n, points)."""
        parts = {}
        for name, points in self.mechanism.outline.items():
            flat = [c for point in points for c in point]
            rows = self._along(flat, t, q, 0 * q, np.zeros((len(t), len(self.controls))))
            parts[name] = (rows[0::2].T.copy(), rows[1::2].T.copy())
        return parts

    def _along(
        self, expressions: list[Any], t: Vector, q: Matrix, v: Matrix, u: Matrix
    ) -> np.ndarray:
        """Expressions of (t, q, v, u) along a motion: (len(expressions), n)."""
        if not expressions:
            return np.zeros((0, len(t)))
        d = self.derivation
        function = ca.Function(
            "along", [d.t, d.q, d.v, d.u, d.p], [ca.densify(ca.vertcat(*expressions))]
        )
        p = np.tile(self.p[:, None], (1, len(t)))
        return np.array(function.map(len(t))(t[None, :], q.T, v.T, u.T, p))
