"""Equations shared by all rows of one family, derived on demand and compiled once."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from panhead.engine.external_calls import ExternalCall, derivative
from panhead.engine.kernels.element_families import LANES
from panhead.engine.machine_code import MachineCode, machine_code

Expression = Any  #: a CasADi SX matrix


class CompiledLaw(ABC):
    """r(t, q, v, a, lam, u; p) = M a − f + g_qᵀ lam, (n,), and g(t, q; p), (m,), with derivatives, as machine code.

    A subclass writes r, g, g_q, g_t and the account as expressions; ``by_q`` is a total derivative.
    """

    lanes: int = LANES  #: elements evaluated at once
    whole: bool = False  #: whether it is a system in one piece
    calls: Sequence[ExternalCall] = ()  #: external functions that the expressions call
    numbers: tuple[str, ...]  #: names of the parameters p
    n: int  #: coordinates
    m: int  #: constraints
    k: int  #: controls
    t: Expression
    q: Expression
    v: Expression
    a: Expression
    lam: Expression
    u: Expression
    p: Expression
    r: Expression
    g: Expression
    g_q: Expression
    g_t: Expression

    @functools.cached_property
    def c(self) -> Expression:
        """Weights of the tangents by a, v and q."""
        return ca.SX.sym("c", 3)

    @abstractmethod
    def by_q(self, e: Expression) -> Expression:
        """∂e/∂q."""

    def jacobian(self, e: Expression, z: Expression) -> Expression:
        """∂e/∂z, through external functions too."""
        return derivative(e, z, self.calls) if self.calls else ca.jacobian(e, z)

    def by_p(self, e: Expression) -> Expression:
        """∂e/∂p."""
        return self.jacobian(e, self.p)

    @abstractmethod
    def gamma(self) -> Expression:
        """g̈ = g_q a − gamma, (m,)."""

    @abstractmethod
    def energies(self) -> tuple[Expression, Expression]:
        """T and V [J]."""

    @abstractmethod
    def powers(self) -> list[Expression]:
        """Power of drivers, of controls, dissipated [W]."""

    def inputs(self) -> list[Expression]:
        """Inputs of a compiled function, in the order of ``panhead.engine.kernels.element_families``."""
        return [self.t, self.c, self.q, self.v, self.a, self.lam, self.u, self.p]

    def code(self, *outputs: Expression) -> MachineCode:
        """The outputs as machine code."""
        return machine_code(self.inputs(), outputs, lanes=self.lanes, calls=self.calls)

    @functools.cached_property
    def residual(self) -> MachineCode:
        """r (n), g (m)."""
        return self.code(self.r, self.g)

    @functools.cached_property
    def _tangents(self) -> tuple[Expression, Expression]:
        """c_a ∂r/∂a + c_v ∂r/∂v + c_q ∂r/∂q, (n, n), and g_q, (m, n), both sparse."""
        S = self.c[0] * ca.jacobian(self.r, self.a) + self.c[1] * self.jacobian(self.r, self.v)
        return ca.sparsify(S + self.c[2] * self.by_q(self.r)), ca.sparsify(self.g_q)

    @functools.cached_property
    def tangent(self) -> MachineCode:
        """The entries of the tangent, then those of g_q, in the order of ``entries``."""
        return self.code(*(_entries(x) for x in self._tangents))

    @functools.cached_property
    def at_rest(self) -> MachineCode | None:
        """A tangent for Newton's method at rest, which takes its last step for v; None: ``tangent`` serves."""
        return None

    @functools.cached_property
    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Rows and columns of the entries of the tangent, (2, ·), and of g_q, (2, ·)."""
        S, G = (_places(x) for x in self._tangents)
        return S, G

    @functools.cached_property
    def rates(self) -> MachineCode:
        """g_t (m), gamma (m): ġ = g_q v + g_t, g̈ = g_q a − gamma."""
        return self.code(self.g_t, self.gamma())

    @functools.cached_property
    def _mass(self) -> Expression:
        return ca.sparsify(ca.jacobian(self.r, self.a))

    @functools.cached_property
    def mass_entries(self) -> np.ndarray:
        """Rows and columns of the entries of M, (2, ·)."""
        return _places(self._mass)

    @functools.cached_property
    def explicit(self) -> MachineCode:
        """f (n), g (m), g_t (m), gamma (m), entries of M, of g_q; in one piece: as equations has it."""
        rest = ca.vertcat(self.a, self.lam)
        f = -ca.substitute(self.r, rest, ca.SX.zeros(rest.numel(), 1))
        if self.whole:
            terms = (self._mass, f, self.g, self.g_t, self.g_q, self.gamma())
            return machine_code([self.t, self.q, self.v, self.u, self.p], terms, lanes=1, stride=1, calls=self.calls)
        M, G = _entries(self._mass), _entries(ca.sparsify(self.g_q))
        return self.code(f, self.g, self.g_t, self.gamma(), M, G)

    @functools.cached_property
    def account(self) -> MachineCode:
        """T, V [J]; power of drivers, of controls, dissipated [W]."""
        return self.code(*self.energies(), *self.powers())

    @functools.cached_property
    def active(self) -> bool:
        """True if it moves energy into or out of the model."""
        return not all(x.is_zero() for x in self.powers())

    @functools.cached_property
    def by_control(self) -> MachineCode:
        """∂r/∂u, (n, k)."""
        return self.code(self.jacobian(self.r, self.u))

    @functools.cached_property
    def by_number(self) -> MachineCode:
        """∂(r, g)/∂p, (n + m, np)."""
        return self.code(ca.densify(self.by_p(ca.vertcat(self.r, self.g))))

    @functools.cached_property
    def rate_slopes(self) -> MachineCode:
        """∂(ġ, gamma)/∂(q, v, p), (2 m, 2 n + np), row by row."""
        return self.code(self.slopes(ca.vertcat(self.g_q @ self.v + self.g_t, self.gamma())))

    def slopes(self, e: Expression) -> Expression:
        """∂e/∂(q, v, p), dense."""
        return ca.densify(ca.horzcat(self.by_q(e), self.jacobian(e, self.v), self.by_p(e)))


def _entries(A: Expression) -> Expression:
    return ca.vertcat(*A.nonzeros(), ca.SX(0, 1))


def _places(A: Expression) -> np.ndarray:
    return np.array(A.sparsity().get_triplet(), dtype=np.int64).reshape(2, -1)
