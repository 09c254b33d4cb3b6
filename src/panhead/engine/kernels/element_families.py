"""Elements in tables: gather, call the family's machine code on LANES elements at once, scatter.

A family is one compiled function and a table. Local numbers of an element, in the order its function reads:

    t, c_a, c_v, c_q | q (n) | v (n) | a (n) | lam (m) | u (k) | p (np)

All families lie one behind the other in flat arrays; row f of ``sizes`` is
(elements, n, m, k, np, first of idx, first of p, first of slots, entries of the tangent, entries of g_q, first
of local, lanes its functions evaluate).
Row e of a family's part of ``idx`` is the n + m places of its coordinates and multipliers among the unknowns
(q, lam), then its k controls. Tangents hold only the entries that are not zero by their form; ``local`` tells
their rows and columns within the element.
"""

from typing import NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from panhead.engine.jit.compiler import allocating, part, whole

LANES = 4  # elements evaluated together
ELEMENTS, N, M, K, P, IDX, PAR, SLOT, NS, NG, LOCAL, WIDE = range(12)  # columns of sizes


class Tables(NamedTuple):
    """Families of elements, packed."""

    sizes: np.ndarray  # (nf, 12) see above
    idx: np.ndarray  # places of coordinates, multipliers, controls
    local: np.ndarray  # (2, ·) rows and columns of entries within an element
    p: np.ndarray  # parameters
    residual: np.ndarray  # (nf,) addresses: n + m numbers, M a − f + g_qᵀ lam and g
    tangent: np.ndarray  # (nf,) addresses: entries of c_a M + c_v D + c_q K, then of g_q
    account: np.ndarray  # (nf,) addresses: T, V, power of drivers, of controls, dissipated
    rates: np.ndarray  # (nf,) addresses: g_t (m), gamma (m)
    active: np.ndarray  # (nf,) 1 where the family moves energy in or out


class LaneRoom(NamedTuple):
    """Room for LANES elements of the largest family."""

    x: np.ndarray
    y: np.ndarray


@intrinsic
def call_at(typingctx, address, x, y):
    """Call ``void f(const double *x, double *y)`` that lives at ``address``."""

    def codegen(context, builder, signature, args):
        pointer = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [pointer, pointer])
        function = builder.inttoptr(args[0], kind.as_pointer())
        data = []
        for array, value in zip(signature.args[1:], args[1:], strict=True):
            view = context.make_array(array)(context, builder, value)
            data.append(builder.bitcast(view.data, pointer))
        builder.call(function, data)
        return context.get_dummy_value()

    return types.void(types.int64, x, y), codegen


@whole
def gather(tables, work, f, e, t, c, q, v, a, lam, u):
    """The local numbers of elements e … e + LANES − 1 of family f; the last one fills idle lanes."""
    x = work.x
    for lane in range(LANES):
        x[lane] = t
        x[LANES + lane] = c[0]
        x[2 * LANES + lane] = c[1]
        x[3 * LANES + lane] = c[2]
    if tables.sizes[f, WIDE] == LANES:
        _gather_lanes(tables, x, f, e, q, v, a, lam, u)
    else:
        _gather_one(tables, x, f, e, q, v, a, lam, u)


@part()
def _gather_one(tables, x, f, e, q, v, a, lam, u):
    """Into the first lane."""
    sizes = tables.sizes
    n, m, k, n_p = sizes[f, N], sizes[f, M], sizes[f, K], sizes[f, P]
    first, at = sizes[f, IDX] + e * (n + m + k), 4 * LANES
    for i in range(n):
        place = tables.idx[first + i]
        x[at + i * LANES] = q[place]
        x[at + (n + i) * LANES] = v[place]
        x[at + (2 * n + i) * LANES] = a[place]
    at += 3 * n * LANES
    for i in range(m):
        x[at + i * LANES] = lam[tables.idx[first + n + i] - q.shape[0]]
    at += m * LANES
    for i in range(k):
        x[at + i * LANES] = u[tables.idx[first + n + m + i]]
    first, at = sizes[f, PAR] + e * n_p, at + k * LANES
    for i in range(n_p):
        x[at + i * LANES] = tables.p[first + i]


@part()
def _gather_lanes(tables, x, f, e, q, v, a, lam, u):
    """Number by number, all lanes of each, so that what the family's code reads at once was also written at once.

    Places and counts are never negative: unsigned, they are not looked at from the end of an array.
    """
    sizes = tables.sizes
    n, m, k, n_p = np.uint64(sizes[f, N]), np.uint64(sizes[f, M]), np.uint64(sizes[f, K]), np.uint64(sizes[f, P])
    last = sizes[f, ELEMENTS] - 1
    e0, e1 = np.uint64(e), np.uint64(min(e + 1, last))
    e2, e3 = np.uint64(min(e + 2, last)), np.uint64(min(e + 3, last))
    first, width = np.uint64(sizes[f, IDX]), n + m + k
    r0, r1, r2, r3 = first + e0 * width, first + e1 * width, first + e2 * width, first + e3 * width
    idx, at, four = tables.idx, np.uint64(4 * LANES), np.uint64(LANES)
    for i in range(n):
        p0, p1 = np.uint64(idx[r0 + i]), np.uint64(idx[r1 + i])
        p2, p3 = np.uint64(idx[r2 + i]), np.uint64(idx[r3 + i])
        _write(x, at + i * four, q[p0], q[p1], q[p2], q[p3])
        _write(x, at + (n + i) * four, v[p0], v[p1], v[p2], v[p3])
        _write(x, at + (n + n + i) * four, a[p0], a[p1], a[p2], a[p3])
    at += (n + n + n) * four
    nq = np.uint64(q.shape[0])
    for i in range(m):
        p0, p1 = np.uint64(idx[r0 + n + i]) - nq, np.uint64(idx[r1 + n + i]) - nq
        p2, p3 = np.uint64(idx[r2 + n + i]) - nq, np.uint64(idx[r3 + n + i]) - nq
        _write(x, at + i * four, lam[p0], lam[p1], lam[p2], lam[p3])
    at += m * four
    for i in range(k):
        p0, p1 = np.uint64(idx[r0 + n + m + i]), np.uint64(idx[r1 + n + m + i])
        p2, p3 = np.uint64(idx[r2 + n + m + i]), np.uint64(idx[r3 + n + m + i])
        _write(x, at + i * four, u[p0], u[p1], u[p2], u[p3])
    at += k * four
    first, p = np.uint64(sizes[f, PAR]), tables.p
    r0, r1, r2, r3 = first + e0 * n_p, first + e1 * n_p, first + e2 * n_p, first + e3 * n_p
    for i in range(n_p):
        _write(x, at + i * four, p[r0 + i], p[r1 + i], p[r2 + i], p[r3 + i])


@part()
def _write(x, at, x0, x1, x2, x3):
    """Write all lanes of one number."""
    x[at], x[at + np.uint64(1)], x[at + np.uint64(2)], x[at + np.uint64(3)] = x0, x1, x2, x3


@whole
def add_constraint(tables, work, t, q, zero, out):
    """out (nq + nc,) += (…, g): only what has constraints is evaluated; zero is a zero vector."""
    c = (0.0, 0.0, 0.0)
    for f in range(tables.sizes.shape[0]):
        count, n, m = tables.sizes[f, ELEMENTS], tables.sizes[f, N], tables.sizes[f, M]
        width = n + m + tables.sizes[f, K]
        for e in range(0, count if m > 0 else 0, LANES):
            gather(tables, work, f, e, t, c, q, q, q, zero, zero)
            call_at(tables.residual[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width + n
                for i in range(m):
                    out[tables.idx[first + i]] += work.y[(n + i) * LANES + lane]


@whole
def add_residual(tables, work, t, q, v, a, lam, u, out):
    """out += (M a − f + g_qᵀ lam, g) over all families; out (nq + nc,)."""
    c = (0.0, 0.0, 0.0)
    for f in range(tables.sizes.shape[0]):
        count = tables.sizes[f, ELEMENTS]
        rows = tables.sizes[f, N] + tables.sizes[f, M]
        width = rows + tables.sizes[f, K]
        for e in range(0, count, LANES):
            gather(tables, work, f, e, t, c, q, v, a, lam, u)
            call_at(tables.residual[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width
                for i in range(rows):
                    out[tables.idx[first + i]] += work.y[i * LANES + lane]


@whole
def add_family_tangent(tables, work, slots, f, t, c, q, v, a, lam, u, out):
    """add_tangent for one family."""
    count, ns, ng = tables.sizes[f, ELEMENTS], tables.sizes[f, NS], tables.sizes[f, NG]
    for e in range(0, count, LANES):
        gather(tables, work, f, e, t, c, q, v, a, lam, u)
        call_at(tables.tangent[f], work.x, work.y)
        for lane in range(min(LANES, count - e)):
            first = tables.sizes[f, SLOT] + (e + lane) * (ns + 2 * ng)
            for i in range(ns + ng):
                out[slots[first + i]] += work.y[i * LANES + lane]
            first += ns + ng
            for i in range(ng):
                out[slots[first + i]] += work.y[(ns + i) * LANES + lane]


@whole
def add_tangent(tables, work, slots, t, c, q, v, a, lam, u, out):
    """out[slots] += c_a M + c_v D + c_q K and the constraint Jacobian, twice (g_q and its transpose).

    slots holds, per element, the places of the first and, twice, of the second; out is any flat storage.
    """
    for f in range(tables.sizes.shape[0]):
        add_family_tangent(tables, work, slots, f, t, c, q, v, a, lam, u, out)


@whole
def add_border_tangent(tables, work, border_slots, touching, t, c, q, v, a, lam, u, out):
    """add_tangent for the families that touch the border only."""
    for k in range(touching.shape[0]):
        add_family_tangent(tables, work, border_slots, touching[k], t, c, q, v, a, lam, u, out)


@whole
def add_account(tables, work, only_active, t, q, v, a, lam, u, out):
    """out (5,) += kinetic, potential energy, power of drivers, of controls, dissipated."""
    c = (0.0, 0.0, 0.0)
    for f in range(tables.sizes.shape[0]):
        if only_active and tables.active[f] == 0:
            continue
        count = tables.sizes[f, ELEMENTS]
        for e in range(0, count, LANES):
            gather(tables, work, f, e, t, c, q, v, a, lam, u)
            call_at(tables.account[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                for i in range(5):
                    out[i] += work.y[i * LANES + lane]


@whole
def add_rates(tables, work, t, q, v, lam, u, out):
    """out (2, nc) += g_t and gamma of every constraint."""
    c = (0.0, 0.0, 0.0)
    nq = q.shape[0]
    for f in range(tables.sizes.shape[0]):
        count, n, m = tables.sizes[f, ELEMENTS], tables.sizes[f, N], tables.sizes[f, M]
        if m == 0:
            continue
        width = n + m + tables.sizes[f, K]
        for e in range(0, count, LANES):
            gather(tables, work, f, e, t, c, q, v, v, lam, u)
            call_at(tables.rates[f], work.x, work.y)
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width + n
                for i in range(m):
                    row = tables.idx[first + i] - nq
                    out[0, row] += work.y[i * LANES + lane]
                    out[1, row] += work.y[(m + i) * LANES + lane]


@allocating
def evaluate(tables, work, f, address, count_out, t, q, v, a, lam, u):
    """Evaluate the function at ``address`` for every element of family f: (elements, count_out)."""
    c = (0.0, 0.0, 0.0)
    count = tables.sizes[f, ELEMENTS]
    out = np.zeros((count, count_out))
    for e in range(0, count, LANES):
        gather(tables, work, f, e, t, c, q, v, a, lam, u)
        call_at(address, work.x, work.y)
        for lane in range(min(LANES, count - e)):
            for i in range(count_out):
                out[e + lane, i] = work.y[i * LANES + lane]
    return out


@whole
def add_constraint_rate(tables, work, t, q, v, zero, rates, out):
    """out[nq:] += g_q v + g_t; zero is a zero vector, rates (2, nc) room for g_t and gamma."""
    nq = q.shape[0]
    for i in range(rates.shape[1]):
        rates[0, i] = 0.0
    add_rates(tables, work, t, q, v, zero, zero, rates)
    for i in range(rates.shape[1]):
        out[nq + i] += rates[0, i]
    for f in range(tables.sizes.shape[0]):
        count, n, m = tables.sizes[f, ELEMENTS], tables.sizes[f, N], tables.sizes[f, M]
        width = n + m + tables.sizes[f, K]
        if m == 0:
            continue
        for e in range(0, count, LANES):
            gather(tables, work, f, e, t, (0.0, 0.0, 0.0), q, v, v, zero, zero)
            call_at(tables.tangent[f], work.x, work.y)
            ns, at = tables.sizes[f, NS], tables.sizes[f, LOCAL] + tables.sizes[f, NS]
            for lane in range(min(LANES, count - e)):
                first = tables.sizes[f, IDX] + (e + lane) * width
                for i in range(tables.sizes[f, NG]):
                    row, column = tables.local[0, at + i], tables.local[1, at + i]
                    G = work.y[(ns + i) * LANES + lane]
                    out[tables.idx[first + n + row]] += G * v[tables.idx[first + column]]


@allocating
def entries(tables):
    """Rows and columns among the unknowns of every number that ``add_tangent`` scatters, in its order."""
    total = 0
    for f in range(tables.sizes.shape[0]):
        total += tables.sizes[f, ELEMENTS] * (tables.sizes[f, NS] + 2 * tables.sizes[f, NG])
    rows, columns = np.zeros(total, dtype=np.int64), np.zeros(total, dtype=np.int64)
    s = 0
    for f in range(tables.sizes.shape[0]):
        n, ns, ng = tables.sizes[f, N], tables.sizes[f, NS], tables.sizes[f, NG]
        width, local = n + tables.sizes[f, M] + tables.sizes[f, K], tables.sizes[f, LOCAL]
        for e in range(tables.sizes[f, ELEMENTS]):
            at = tables.sizes[f, IDX] + e * width
            for i in range(ns + ng):
                row = at + tables.local[0, local + i] + (0 if i < ns else n)
                column = at + tables.local[1, local + i]
                rows[s + i], columns[s + i] = tables.idx[row], tables.idx[column]
                if i >= ns:
                    rows[s + ng + i], columns[s + ng + i] = tables.idx[column], tables.idx[row]
            s += ns + 2 * ng
    return rows, columns
