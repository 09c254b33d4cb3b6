"""Inverse and forward dynamics in the factorized form, evaluated numerically."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, final

import casadi as ca
import numpy as np

from panhead.engine.factorized.form import factorize
from panhead.engine.kernels import factorized_steps as kernels
from panhead.engine.machine_code import SampledCode, machine_code
from panhead.engine.symbolic.mechanism import Mechanism
from panhead.errors import ModelError, NotConverged

Array = np.ndarray
Scheme = Literal["backward", "three-point", "central"]
Form = Literal["factorized", "Euler–Lagrange"]
FORMS: tuple[Form, ...] = ("factorized", "Euler–Lagrange")

_SAMPLED = ("t", "q", "v", "a", "w", "w_dot")  # what an expression over samples depends on
_TROUBLE = {
    kernels.SINGULAR: "the columns of T are linearly dependent, or turn by 90° in one step",
    kernels.NOT_CONVERGED: "the iteration of the step does not converge",
    kernels.NOT_FINITE: "the motion is not finite",
}


@final
class FactorizedModel:
    """A mechanism in factorized form, and in Euler–Lagrange form beside it for comparison.

    Samples are rows: q, v, a (n, nq), external variables w (n, nw), controls u (n, nu). An external
    variable that is left out keeps the parameter's value; a rate, control or time left out is zero.
    """

    def __init__(self, mechanism: Mechanism, external: Sequence[str] = ()) -> None:
        self.mechanism = mechanism
        self.expressions = factorize(mechanism, external)
        self.external = tuple(external)
        self.controls = mechanism.controls()
        self.p = np.array(self.expressions.values)
        self._code: dict[str, Any] = {}

    def factors(self, q: Array, w: Array | None = None) -> Array:
        """T of every sample, shape (n, m, nq)."""
        return self._over_samples("T", {"q": q, "w": w}).reshape(-1, *self.expressions.T.shape)

    def factor(self, q: Array, w: Array | None = None) -> Array:
        """T at one configuration, shape (m, nq)."""
        return np.asarray(self.factors(q, w)[0])

    def mass(self, q: Array, w: Array | None = None) -> Array:
        """M = TᵀT, shape (nq, nq)."""
        T = self.factor(q, w)
        return T.T @ T

    def coriolis(self, q: Array, v: Array, w: Array | None = None, w_dot: Array | None = None) -> Array:
        """N = TᵀṪ, shape (nq, nq)."""
        given = {"q": q, "v": v, "w": w, "w_dot": w_dot}
        return self._over_samples("N", given).reshape(self.expressions.N.shape)

    # --- derivative causality: torques from motion ---

    def torques(
        self,
        q: Array,
        v: Array,
        a: Array,
        *,
        form: Form = "factorized",
        w: Array | None = None,
        w_dot: Array | None = None,
        t: Array | None = None,
    ) -> Array:
        """Torques of every sample, shape (n, nq), by either form.

        τ = Tᵀ d/dt(T ẋ) − Q_e   or   τ = M ẍ + N ẋ − Q_e           [Tebaldi25, eqs (2), (14)]
        """
        if self.external and w_dot is None:
            raise ModelError(
                f"{self.mechanism.name!r} has the external variable {', '.join(self.external)}: give its "
                "rate, or use torques_from_samples, which does not need it"
            )
        name = "torque" if form == "factorized" else "torque_euler_lagrange"
        return self._over_samples(name, {"t": t, "q": q, "v": v, "a": a, "w": w, "w_dot": w_dot})

    def torques_from_samples(self, t: Array, q: Array, v: Array, w: Array | None = None) -> Array:
        """τ = Tᵀ d/dt(T ẋ) − Q_e with y = T ẋ differenced along the samples: without ẍ and ẇ.

        Second order in the step; t (n,) must be evenly spaced.
        """
        T = self.factors(q, w)
        y_dot = np.gradient(np.einsum("smi,si->sm", T, v), t, axis=0, edge_order=2)
        force = self._over_samples("Q_e", {"t": t, "q": q, "v": v, "w": w})
        return np.einsum("smi,sm->si", T, y_dot) - force

    def _over_samples(self, name: str, given: Mapping[str, Array | None]) -> Array:
        """An expression of the factorization over samples, each row flattened; nobody controls."""
        e, n = self.expressions, len(np.atleast_2d(np.asarray(given["q"])))
        if name not in self._code:
            expression = getattr(e, name)
            if e.u.numel():
                expression = ca.substitute(expression, e.u, ca.SX.zeros(e.u.shape))
            inputs = [getattr(e, key) for key in _SAMPLED]
            self._code[name] = SampledCode(inputs, e.p, [expression])
        samples = [self._rows(key, given.get(key), n) for key in _SAMPLED]
        return np.asarray(self._code[name](samples, self.p))

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
        e, symbol = self.expressions, ca.SX.sym("y", len(y))
        integral = ca.Function("f", [e.t, e.q, symbol, e.u, e.w, e.w_dot, e.p], e.integral(symbol))
        rest = (self._rows(k, x, 1)[0] for k, x in (("u", u), ("w", w), ("w_dot", w_dot)))
        rate, y_dot = integral(t, q, y, *rest, self.p)
        return np.array(rate)[:, 0], np.array(y_dot)[:, 0]

    def march(
        self, t: Array, q0: Array, v0: Array, *, u: Array | None = None, w: Array | None = None, tol: float = 1e-14
    ) -> tuple[Array, Array]:
        """The motion on the grid t (n,) without Ṫ: positions and rates, each (n, nq).

        y = T ẋ is pushed by half the force, carried into the next column space by the smallest
        rotation, and pushed again. Symmetric, second order; a free motion keeps |y|, its kinetic
        energy, to round-off.
        """
        e = self.expressions
        t, q, v, u, w = self._start(t, q0, v0, u, w)
        terms = self._terms("factor_and_force", ("u", "w"), [e.T, e.Q_e])
        m = e.T.shape[0]
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
        e = self.expressions
        t, q, v, u, w = self._start(t, q0, v0, u, w)
        if w_dot is None:
            w_dot = finite_difference(t, w, scheme)
        rate = self._rows("w_dot", w_dot, len(t))
        terms = self._terms("mass_and_force", ("u", "w", "w_dot"), [e.M, e.Q_e - e.N @ e.v])
        status, done = kernels.march_euler_lagrange(terms, t, u, w, rate, self.p, q, v)
        self._require_ok(status, done, t)
        return q, v

    def _terms(self, name: str, inputs: Sequence[str], outputs: Sequence[Any]) -> Any:
        """Terms that a march needs at one state x = (q, v), compiled once."""
        if name not in self._code:
            given = [getattr(self.expressions, key) for key in ("t", "q", "v", *inputs, "p")]
            self._code[name] = machine_code(given, outputs, lanes=1, stride=1)
        code = self._code[name]
        return kernels.PlainCode(code.address, np.zeros(code.inputs))

    def _start(self, t: Array, q0: Array, v0: Array, u: Array | None, w: Array | None) -> tuple[Array, ...]:
        t = np.ascontiguousarray(t, dtype=float)
        n, nq = len(t), len(self.mechanism.coordinates)
        if n < 2 or not (np.diff(t) > 0).all():
            raise ModelError("the time grid must increase and have at least one step")
        q, v = np.empty((n, nq)), np.empty((n, nq))
        q[0], v[0] = q0, v0
        if not (np.isfinite(q[0]).all() and np.isfinite(v[0]).all()):
            raise ModelError(f"start of {self.mechanism.name!r} must be finite, got q = {q0!r}, v = {v0!r}")
        return t, q, v, self._rows("u", u, n), self._rows("w", w, n)

    def _rows(self, key: str, given: Array | None, n: int) -> Array:
        """Samples of an input as (n, its size)."""
        size = getattr(self.expressions, key).numel()
        if given is None and key == "w":
            values = self.mechanism.parameters.values
            return np.tile(np.array([values[name] for name in self.external]), (n, 1))
        if given is None:
            return np.zeros((n, size))
        rows = np.ascontiguousarray(np.reshape(given, (n, size)), dtype=float)
        if key in ("w", "w_dot") and not np.isfinite(rows).all():
            raise ModelError(
                f"external variable {', '.join(self.external)} of {self.mechanism.name!r} contains a value "
                "that is not finite"
            )
        return rows

    def _require_ok(self, status: int, done: int, t: Array) -> None:
        if status != kernels.OK:
            raise NotConverged(
                f"{self.mechanism.name!r} stopped at t = {t[done]:.6g} s "
                f"(step {t[done + 1] - t[done]:.3g} s): "
                f"{_TROUBLE[status]}. Shorten the step, or look at the configuration there."
            )


def finite_difference(t: Array, w: Array, scheme: Scheme) -> Array:
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
        raise ModelError(f"differencing scheme must be backward, three-point or central, got {scheme!r}")
    return rate
