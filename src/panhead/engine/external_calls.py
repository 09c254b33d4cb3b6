"""Calls of functions that no expression states, inside expressions: placeholders and the chain rule.

A call y = f(x) of expressions x returns symbols for y. Its derivatives are symbols as well, slope = ∂y/∂x and
curvature = ∂²y/∂x², filled by the function when the machine code runs. Total derivatives follow from

    de/dz = ∂e/∂z + Σ (∂e/∂y slope + ∂e/∂slope curvature) dx/dz,   over all calls on which e depends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, final

import casadi as ca

from panhead.errors import ModelError

Expression = Any  #: a CasADi SX matrix


class External(Protocol):
    """A function that machine code calls by its address, ``void f(const double *x, double *y)``."""

    name: str

    def address(self, order: int) -> int:
        """Address of the function that writes y; of order 1 also the slopes, of order 2 also the curvatures."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class ExternalCall:
    """One call: its arguments as expressions, its results as symbols."""

    function: External
    x: Expression  #: (k,)
    y: Expression  #: symbols (m,)
    slope: Expression  #: symbols (m k,), row by row
    curvature: Expression  #: symbols (m k k,), row by row

    def order(self, e: Expression) -> int:
        """Return the order of derivatives on which e depends; −1: e does not depend on the call."""
        return max((k for k, s in enumerate((self.y, self.slope, self.curvature)) if ca.depends_on(e, s)), default=-1)

    def results(self, order: int) -> Expression:
        """All symbols up to an order, as the function writes them."""
        return ca.vertcat(*(self.y, self.slope, self.curvature)[: order + 1])


_open: list[list[ExternalCall]] = []  # calls of the expressions that are being written, innermost last


@contextmanager
def record_calls() -> Iterator[list[ExternalCall]]:
    """Collect the calls made while expressions are written."""
    _open.append([])
    try:
        yield _open[-1]
    finally:
        _open.pop()


def call_external(function: External, x: Expression, size: int) -> Expression:
    """Return symbols for the ``size`` results of a function of the expressions x (k,)."""
    if not _open:
        raise ModelError(f"{function.name}: a plain function can be used in the items of a Model only")
    k, n = x.numel(), len(_open[-1])
    symbols = [
        ca.SX.sym(f"{what} {n}", count) for what, count in (("y", size), ("y_x", size * k), ("y_xx", size * k * k))
    ]
    _open[-1].append(ExternalCall(function, x, *symbols))
    return symbols[0]


def recorded() -> Sequence[ExternalCall]:
    """Calls made so far by the expressions that are being written."""
    return _open[-1] if _open else ()


def derivative(e: Expression, z: Expression, calls: Sequence[ExternalCall]) -> Expression:
    """Return de/dz through all calls; arguments of a call may depend on earlier ones."""
    total = ca.jacobian(e, z)
    for k in range(len(calls) - 1, -1, -1):
        call = calls[k]
        order = call.order(e)
        if order < 0:
            continue
        if order == 2:
            raise ModelError(f"{call.function.name}: a plain function has no third derivative, which is needed here")
        x_z = derivative(call.x, z, calls[:k])
        if x_z.nnz() == 0:
            continue
        size, count = call.y.numel(), call.x.numel()
        e_x = ca.jacobian(e, call.y) @ ca.reshape(call.slope, count, size).T
        if order == 1:
            e_x += ca.jacobian(e, call.slope) @ ca.reshape(call.curvature, count, size * count).T
        total += e_x @ x_z
    return total
