"""Both causalities of the factorized form in numbers: torques from motion, motion from torques."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, Literal, final

import casadi as ca
import numpy as np

from panhead.errors import ModelError, NotConverged
from panhead.factorized.form import factorize
from panhead.kernels import factorized as kernels
from panhead.machine_code import MachineCode, SampledCode, machine_code
from panhead.symbolic.mechanism import Mechanism

Array = np.ndarray
Scheme = Literal["backward", "three-point", "central"]

_TROUBLE = {
    kernels.SINGULAR: "the columns of T depend on one another, or turn by 90° in one step",
    kernels.NOT_CONVERGED: "the step's iteration does not settle",
    kernels.NOT_FINITE: "the motion is not finite",
}


@final
class FactorizedModel:
    """A mechanism in factorized form, and in Euler–Lagrange form beside it for comparison.

    Samples are rows: q, v, a (n, nq), external variables w (n, nw), controls u (n, nu).
    """

    def __init__(self, mechanism: Mechanism, external: Sequence[str] = ()) -> None:
        self.mechanism = mechanism
        self.expressions = factorize(mechanism, external)
        self.external = tuple(external)
        self.controls = mechanism.controls()
        self.p = np.array(self.expressions.values)
        self._functions: dict[str, Any] = {}

    def factor(self, q: Array, w: Array | None = None) -> Array:
        """T at one configuration, shape (m, nq)."""
        return self._evaluate("T", self.expressions.T, q, self._none(q), w, None)

    def mass(self, q: Array, w: Array | None = None) -> Array:
        """M = TᵀT, shape (nq, nq)."""
        T = self.factor(q, w)
        return T.T @ T

    def coriolis(
        self, q: Array, v: Array, w: Array | None = None, w_dot: Array | None = None
    ) -> Array:
        """N = TᵀṪ, shape (nq, nq)."""
        return self._evaluate("N", self.expressions.N, q, v, w, w_dot)

    def _none(self, q: Array) -> Array:
        return np.zeros(np.shape(q)[-1])

    def _evaluate(
        self, name: str, expression: Any, q: Array, v: Array, w: Array | None, w_dot: Array | None
    ) -> Array:
        e, nw = self.expressions, len(self.external)
        if name not in self._functions:
            self._functions[name] = ca.Function(
                name, [e.q, e.v, e.w, e.w_dot, e.p], [ca.densify(expression)]
            )
        zero = np.zeros(nw)
        return np.array(
            self._functions[name](
                q, v, zero if w is None else w, zero if w_dot is None else w_dot, self.p
            )
        )

    # --- derivative causality: torques from motion ---

    def torques(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        w: Array | None = None,
        w_dot: Array | None = None,
        t: Array | None = None,
    ) -> Array:
        """τ = Tᵀ d/dt(T ẋ) − Q_e of every sample, shape (n, nq)        [Tebaldi25, eq. (2)]."""
        return self._torques(self._compiled_torques, q, v, a, w, w_dot, t)

    def torques_euler_lagrange(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        w: Array | None = None,
        w_dot: Array | None = None,
        t: Array | None = None,
    ) -> Array:
        """τ = M ẍ + N ẋ − Q_e of every sample, shape (n, nq)           [Tebaldi25, eq. (14)]."""
        return self._torques(self._compiled_torques_euler_lagrange, q, v, a, w, w_dot, t)

    def torques_from_samples(
        self, t: Array, q: Array, v: Array, *, w: Array | None = None
    ) -> Array:
        """τ = Tᵀ d/dt(T ẋ) − Q_e with y = T ẋ differenced along the samples: neither ẍ nor ẇ is
        needed.

        Second order in the step; t (n,) must be evenly spaced.
        """
        t, q, v, w = self._samples(t, q, v, w)
        y = np.einsum("smi,si->sm", self.factors(q, w), v)
        y_dot = np.gradient(y, t, axis=0, edge_order=2)
        e = self.expressions
        force = ca.Function("Q", [e.t, e.q, e.v, e.u, e.w, e.p], [ca.densify(e.Q_e)])
        given = np.array(
            [
                np.array(force(*row, self.p))[:, 0]
                for row in zip(t, q, v, np.zeros((len(t), len(self.controls))), w, strict=True)
            ]
        )
        return np.einsum("smi,sm->si", self.factors(q, w), y_dot) - given

    def factors(self, q: Array, w: Array | None = None) -> Array:
        """T of every sample, shape (n, m, nq)."""
        q = _rows(q)
        out = self._compiled_factor([q, self._external(w, len(q))], self.p)
        return out.reshape(len(q), *self.expressions.T.shape)

    def _torques(
        self,
        function: SampledCode,
        q: Array,
        v: Array,
        a: Array,
        w: Array | None,
        w_dot: Array | None,
        t: Array | None,
    ) -> Array:
        if self.external and w_dot is None:
            raise ModelError(
                f"{self.mechanism.name!r} has the external variable {', '.join(self.external)}: "
                "give its rate, or use "
                "torques_from_samples, which does without"
            )
        q = _rows(q)
        n = len(q)
        times = (
            np.zeros((n, 1))
            if t is None
            else np.ascontiguousarray(np.reshape(t, (n, 1)), dtype=float)
        )
        samples = [times, q, _rows(v), _rows(a), self._external(w, n), self._external(w_dot, n)]
        return function(samples, self.p)

    @functools.cached_property
    def _compiled_torques(self) -> SampledCode:
        return self._compiled_inverse(self.expressions.torque)

    @functools.cached_property
    def _compiled_torques_euler_lagrange(self) -> SampledCode:
        return self._compiled_inverse(self.expressions.torque_euler_lagrange)

    @functools.cached_property
    def _compiled_factor(self) -> SampledCode:
        e = self.expressions
        return SampledCode([e.q, e.w], e.p, [e.T])

    def _compiled_inverse(self, expression: Any) -> SampledCode:
        e = self.expressions
        unforced = (
            ca.substitute(expression, e.u, ca.SX.zeros(e.u.numel(), 1))
            if e.u.numel()
            else expression
        )
        return SampledCode([e.t, e.q, e.v, e.a, e.w, e.w_dot], e.p, [unforced])

    # --- integral causality: motion from torques ---

    def rates(
        self,
        t: float,
        q: Array,
        y: Array,
        *,
        u: Array | None = None,
        w: Array | None = None,
        w_dot: Array | None = None,
    ) -> tuple[Array, Array]:
        """ẋ and ẏ of y = T ẋ                                   [Tebaldi25, Theorem 2, corrected].

        ẋ = T⁺ y,   ẏ = (T⁺)ᵀ τ + P Ṫ ẋ,   T⁺ = (TᵀT)⁻¹ Tᵀ,   P = 1 − T T⁺
        """
        e = self.expressions
        if "integral" not in self._functions:
            symbol = ca.SX.sym("y", e.T.shape[0])
            self._functions["integral"] = ca.Function(
                "integral", [e.t, e.q, symbol, e.u, e.w, e.w_dot, e.p], list(e.integral(symbol))
            )
        zero_u, zero_w = np.zeros(len(self.controls)), np.zeros(len(self.external))
        rate, y_dot = self._functions["integral"](
            t,
            q,
            y,
            zero_u if u is None else u,
            zero_w if w is None else w,
            zero_w if w_dot is None else w_dot,
            self.p,
        )
        return np.array(rate)[:, 0], np.array(y_dot)[:, 0]

    def march(
        self,
        t: Array,
        q0: Array,
        v0: Array,
        *,
        u: Array | None = None,
        w: Array | None = None,
        tol: float = 1e-14,
    ) -> tuple[Array, Array]:
        """The motion on the grid t (n,) without Ṫ: positions and rates, each (n, nq).

        y = T ẋ is pushed by half the force, carried into the next column space by the smallest
        rotation, and pushed again. Symmetric, second order; a free motion keeps |y|, its kinetic
        energy, to round-off.
        """
        t, q, v, u, w = self._start(t, q0, v0, u, w)
        m = self.expressions.T.shape[0]
        code = self._compiled_march
        terms = kernels.PlainCode(code.address, np.zeros(code.inputs))
        status, done = kernels.march_factorized(terms, t, u, w, self.p, m, tol, q, v)
        self._require_ok(status, done, t)
        return q, v

    def march_euler_lagrange(
        self,
        t: Array,
        q0: Array,
        v0: Array,
        *,
        u: Array | None = None,
        w: Array | None = None,
        w_dot: Array | None = None,
        scheme: Scheme = "central",
    ) -> tuple[Array, Array]:
        """The motion on the grid t by M v̇ = Q_e − N v (Heun's rule).

        ẇ is differenced by ``scheme`` if it is not given.
        """
        t, q, v, u, w = self._start(t, q0, v0, u, w)
        rate = differenced(t, w, scheme) if w_dot is None else self._external(w_dot, len(t))
        code = self._compiled_march_euler_lagrange
        terms = kernels.PlainCode(code.address, np.zeros(code.inputs))
        status, done = kernels.march_euler_lagrange(terms, t, u, w, rate, self.p, q, v)
        self._require_ok(status, done, t)
        return q, v

    @functools.cached_property
    def _compiled_march(self) -> MachineCode:
        e = self.expressions
        return machine_code([e.t, e.q, e.v, e.u, e.w, e.p], [e.T, e.Q_e], lanes=1, stride=1)

    @functools.cached_property
    def _compiled_march_euler_lagrange(self) -> MachineCode:
        e = self.expressions
        inputs = [e.t, e.q, e.v, e.u, e.w, e.w_dot, e.p]
        return machine_code(inputs, [e.M, e.Q_e - e.N @ e.v], lanes=1, stride=1)

    def _start(
        self, t: Array, q0: Array, v0: Array, u: Array | None, w: Array | None
    ) -> tuple[Array, ...]:
        t = np.ascontiguousarray(t, dtype=float)
        n, nq, nu = len(t), len(self.mechanism.coordinates), len(self.controls)
        if n < 2 or not (np.diff(t) > 0).all():
            raise ModelError("the grid of times must grow and have at least one step")
        q, v = np.empty((n, nq)), np.empty((n, nq))
        q[0], v[0] = q0, v0
        if not (np.isfinite(q[0]).all() and np.isfinite(v[0]).all()):
            raise ModelError(
                f"start of {self.mechanism.name!r} must be finite, got q = {q0!r}, v = {v0!r}"
            )
        controls = (
            np.zeros((n, nu))
            if u is None
            else np.ascontiguousarray(np.reshape(u, (n, nu)), dtype=float)
        )
        return t, q, v, controls, self._external(w, n)

    def _samples(
        self, t: Array, q: Array, v: Array, w: Array | None
    ) -> tuple[Array, Array, Array, Array]:
        t = np.asarray(t, dtype=float)
        return t, _rows(q), _rows(v), self._external(w, len(t))

    def _external(self, w: Array | None, n: int) -> Array:
        """External variables as (n, nw); an omitted one keeps the parameter's value."""
        if w is None:
            rest = [self.mechanism.parameters.values[name] for name in self.external]
            return np.tile(np.array(rest), (n, 1))
        w = np.ascontiguousarray(np.reshape(w, (n, len(self.external))), dtype=float)
        if not np.isfinite(w).all():
            raise ModelError(
                f"external variable {', '.join(self.external)} of {self.mechanism.name!r} "
                "holds a number that is not finite"
            )
        return w

    def _require_ok(self, status: int, done: int, t: Array) -> None:
        if status != kernels.OK:
            raise NotConverged(
                f"{self.mechanism.name!r} stopped at t = {t[done]:.6g} s "
                f"(step {t[done + 1] - t[done]:.3g} s): "
                f"{_TROUBLE[status]}. Shorten the step, or look at the configuration there."
            )


def differenced(t: Array, w: Array, scheme: Scheme) -> Array:
    """ẇ from evenly spaced samples w (n, nw).

    ``backward`` (w_k − w_{k−1})/h · ``three-point`` (3w_k − 4w_{k−1} + w_{k−2})/2h, both of the
    past alone · ``central`` (w_{k+1} − w_{k−1})/2h, which knows the next sample. The first samples
    look forward.
    """
    h = t[1] - t[0]
    rate = np.gradient(w, h, axis=0, edge_order=2 if len(t) > 2 else 1)
    if scheme == "backward":
        rate[1:] = np.diff(w, axis=0) / h
    elif scheme == "three-point":
        rate[2:] = (3 * w[2:] - 4 * w[1:-1] + w[:-2]) / (2 * h)
    elif scheme != "central":
        raise ModelError(
            f"differencing scheme must be backward, three-point or central, got {scheme!r}"
        )
    return rate


def _rows(values: Array) -> Array:
    return np.ascontiguousarray(np.atleast_2d(values), dtype=float)
