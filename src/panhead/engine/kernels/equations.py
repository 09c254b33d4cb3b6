"""The terms of M a + g_qᵀ lam = f, g = 0 at one state, dense, from tables of elements.

``evaluate`` writes M (nq·nq), f (nq), g (nc), g_t (nc), g_q (nc·nq), gamma (nc) one behind the other; the
tangents come as full matrices too. For systems of some hundred coordinates.
"""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import carray, typeof, types
from numba.extending import intrinsic

from panhead.engine.jit.compiler import address_of, entrance, part, tuple_at
from panhead.engine.kernels.element_families import (
    ELEMENTS,
    IDX,
    LANES,
    LOCAL,
    NG,
    NS,
    K,
    LaneRoom,
    M,
    N,
    Tables,
    add_account,
    add_residual,
    call_at,
    gather,
)
from panhead.engine.kernels.sliders import NO_SLIDES, Slides, follow

_MASS = (1.0, 0.0, 0.0)


class Equations(NamedTuple):
    """A system for kernels that march over dense terms."""

    tables: Tables
    work: LaneRoom
    slides: Slides
    explicit: np.ndarray  # (nf,) addresses: f, g, g_t, gamma, entries of M, of g_q; 0: see _by_tangent; of a system in
    # one piece: everything that ``evaluate`` writes
    mass: np.ndarray  # (nf, 2) entries of M of an element, first of ``local``
    local: np.ndarray  # (2, ·) rows and columns of entries of M within an element
    nothing: np.ndarray  # (nq + nc + nu,) zeros
    account: np.ndarray  # (5,) room for T, V and three powers
    nq: int
    nc: int
    nu: int
    entry: int  # address of what reads the tables
    whole: np.ndarray  # (1 + 2 nq + nu + np,) t, q, v, u, p of a system in one piece, or nothing


def _kind() -> Any:
    """The type of all Equations."""
    v, i = np.zeros(0), np.zeros(0, np.int64)
    two = np.zeros((0, 0), np.int64)
    tables = Tables(two, i, two, v, i, i, i, i, i)
    return typeof(Equations(tables, LaneRoom(v, v), NO_SLIDES, i, two, two, v, v, 0, 0, 0, 0, v))


_KIND = _kind()


@part()
def _follow(eq, t, q):
    if eq.slides.rows.shape[0] > 0:
        follow(eq.tables, eq.work, eq.slides, t, q, eq.nothing)


@part()
def _add_mass_and_jacobian(eq, f, first, lane, at, places, columns, ns, g_first, nq, A, G):
    """Entries of M and g_q from work.y[at …] into A (nq·nq) and G (nc·nq), both flat."""
    tables, y = eq.tables, eq.work.y
    n = tables.sizes[f, N]
    for i in range(ns):
        row, column = tables.idx[first + places[i]], tables.idx[first + columns[i]]
        A[row * nq + column] += y[(at + i) * LANES + lane]
    at += ns
    for i in range(tables.sizes[f, NG]):
        row = tables.idx[first + n + tables.local[0, g_first + i]] - nq
        column = tables.idx[first + tables.local[1, g_first + i]]
        G[row * nq + column] += y[(at + i) * LANES + lane]


@part()
def _by_tangent(eq, f, e, nq, t, q, v, u, A, force, G):
    """M and f of hand-written rows (no constraints) by their residual and tangent."""
    tables, work, zero = eq.tables, eq.work, eq.nothing
    n, ns, local = tables.sizes[f, N], tables.sizes[f, NS], tables.sizes[f, LOCAL]
    width, lanes = n + tables.sizes[f, K], min(LANES, tables.sizes[f, ELEMENTS] - e)
    gather(tables, work, f, e, t, _MASS, q, v, zero, zero, u)
    call_at(tables.residual[f], work.x, work.y)
    for lane in range(lanes):
        first = tables.sizes[f, IDX] + (e + lane) * width
        for i in range(n):
            force[tables.idx[first + i]] -= work.y[i * LANES + lane]
    call_at(tables.tangent[f], work.x, work.y)
    rows, columns = tables.local[0, local : local + ns], tables.local[1, local : local + ns]
    for lane in range(lanes):
        first = tables.sizes[f, IDX] + (e + lane) * width
        _add_mass_and_jacobian(eq, f, first, lane, 0, rows, columns, ns, local + ns, nq, A, G)


@part()
def split(out, nq, nc):
    """M, f, g, g_t, g_q, gamma as views of the flat output."""
    i = nq * nq
    A = out[:i].reshape(nq, nq)
    f = out[i : i + nq]
    i += nq
    g = out[i : i + nc]
    g_t = out[i + nc : i + 2 * nc]
    i += 2 * nc
    G = out[i : i + nc * nq].reshape(nc, nq)
    i += nc * nq
    return A, f, g, g_t, G, out[i : i + nc]


@part()
def _evaluate(eq, t, x, u, out):
    """out = M, f, g, g_t, g_q, gamma at x = (q, v)."""
    nq, nc = eq.nq, eq.nc
    q, v, zero, tables, work = x[:nq], x[nq:], eq.nothing, eq.tables, eq.work
    _follow(eq, t, q)
    for i in range(out.shape[0]):
        out[i] = 0.0
    i = nq * nq
    A, force = out[:i], out[i : i + nq]
    i += nq
    rates = out[i : i + 2 * nc]  # g and g_t
    G, gamma = out[i + 2 * nc : i + 2 * nc + nc * nq], out[i + 2 * nc + nc * nq :]
    for f in range(tables.sizes.shape[0]):
        count, n, m = tables.sizes[f, ELEMENTS], tables.sizes[f, N], tables.sizes[f, M]
        width, ns = n + m + tables.sizes[f, K], eq.mass[f, 0]
        g_first = tables.sizes[f, LOCAL] + tables.sizes[f, NS]
        rows = eq.local[0, eq.mass[f, 1] : eq.mass[f, 1] + ns]
        columns = eq.local[1, eq.mass[f, 1] : eq.mass[f, 1] + ns]
        for e in range(0, count, LANES):
            if eq.explicit[f] == 0:
                _by_tangent(eq, f, e, nq, t, q, v, u, A, force, G)
                continue
            gather(tables, work, f, e, t, _MASS, q, v, zero, zero, u)
            call_at(eq.explicit[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width
                for i in range(n):
                    force[tables.idx[first + i]] += work.y[i * LANES + lane]
                for i in range(m):
                    row = tables.idx[first + n + i] - nq
                    rates[row] += work.y[(n + i) * LANES + lane]
                    rates[nc + row] += work.y[(n + m + i) * LANES + lane]
                    gamma[row] += work.y[(n + 2 * m + i) * LANES + lane]
                _add_mass_and_jacobian(eq, f, first, lane, n + 3 * m, rows, columns, ns, g_first, nq, A, G)


@intrinsic
def _call_entry(typingctx, address, eq, t, x, u, out):
    """Call ``void f(int64 eq, double t, double *x, double *u, double *out)`` that lives at ``address``."""

    def codegen(context, builder, signature, args):
        pointer = ir.IntType(8).as_pointer()
        kinds = [ir.IntType(64), ir.DoubleType(), pointer, pointer, pointer]
        function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), kinds).as_pointer())
        data = []
        for array, value in zip(signature.args[3:], args[3:], strict=True):
            view = context.make_array(array)(context, builder, value)
            data.append(builder.bitcast(view.data, pointer))
        builder.call(function, [args[1], args[2], *data])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.float64, x, u, out), codegen


@part()
def evaluate(eq, t, x, u, out):
    """out = M, f, g, g_t, g_q, gamma at x = (q, v).

    Tables are read behind an address, so that callers are compiled without what reads them.
    """
    if eq.whole.shape[0] == 0:
        _call_entry(eq.entry, address_of(eq), t, x, u, out)
        return
    eq.whole[0] = t
    for i in range(x.shape[0]):
        eq.whole[1 + i] = x[i]
    for i in range(u.shape[0]):
        eq.whole[1 + x.shape[0] + i] = u[i]
    call_at(eq.explicit[0], eq.whole, out)


def _entry(address, t, x, u, out):
    eq = tuple_at(address, _KIND)
    nq, nc = eq.nq, eq.nc
    size = nq * nq + nq + 3 * nc + nc * nq
    _evaluate(eq, t, carray(x, (2 * nq,)), carray(u, (eq.nu,)), carray(out, (size,)))


_COMPILED: list[Any] = []  # the entry, once it is needed


def entry_address() -> int:
    """Address of the compiled body of ``evaluate``; compiled on first use."""
    if not _COMPILED:
        double = types.CPointer(types.float64)
        signature = types.void(types.int64, types.float64, double, double, double)
        _COMPILED.append(entrance(signature)(_entry))
    return int(_COMPILED[0].address)


def equations(
    tables: Tables,
    work: LaneRoom,
    slides: Slides,
    explicit: np.ndarray,
    mass: np.ndarray,
    local: np.ndarray,
    sizes: tuple[int, int, int],
    whole: np.ndarray,
) -> Equations:
    """Equations of a system of nq, nc, nu = sizes."""
    entry = 0 if whole.size else entry_address()
    return Equations(
        tables, work, slides, explicit, mass, local, np.zeros(sum(sizes)), np.zeros(5), *sizes, entry, whole
    )  # fmt: skip


@part()
def residual(eq, t, q, v, a, lam, u, out):
    """out = (M a − f + g_qᵀ lam, g), (nq + nc,)."""
    _follow(eq, t, q)
    for i in range(out.shape[0]):
        out[i] = 0.0
    add_residual(eq.tables, eq.work, t, q, v, a, lam, u, out)


@part()
def tangent(eq, c, t, q, v, a, lam, u, A, G):
    """A = c_a ∂r/∂a + c_v ∂r/∂v + c_q ∂r/∂q, (nq, nq), and G = g_q, (nc, nq)."""
    tables, work, nq = eq.tables, eq.work, q.shape[0]
    _follow(eq, t, q)
    flat_A, flat_G = A.reshape(A.size), G.reshape(G.size)
    flat_A[:] = 0.0
    flat_G[:] = 0.0
    for f in range(tables.sizes.shape[0]):
        count, ns, local = tables.sizes[f, ELEMENTS], tables.sizes[f, NS], tables.sizes[f, LOCAL]
        width = tables.sizes[f, N] + tables.sizes[f, M] + tables.sizes[f, K]
        rows, columns = tables.local[0, local : local + ns], tables.local[1, local : local + ns]
        for e in range(0, count, LANES):
            gather(tables, work, f, e, t, c, q, v, a, lam, u)
            call_at(tables.tangent[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width
                _add_mass_and_jacobian(eq, f, first, lane, 0, rows, columns, ns, local + ns, nq, flat_A, flat_G)


@part()
def powers(eq, t, x, u, a, lam, out):
    """out (3,) = power of drivers, of controls, dissipated."""
    nq = a.shape[0]
    for i in range(5):
        eq.account[i] = 0.0
    add_account(eq.tables, eq.work, True, t, x[:nq], x[nq:], a, lam, u, eq.account)
    for i in range(3):
        out[i] = eq.account[2 + i]
