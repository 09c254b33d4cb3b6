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

from panhead.kernels.compiling import allocating, whole

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
    sizes = tables.sizes
    n, m, k, n_p = sizes[f, N], sizes[f, M], sizes[f, K], sizes[f, P]
    width = n + m + k
    x = work.x
    nq = q.shape[0]
    for lane in range(sizes[f, WIDE]):
        row = min(e + lane, sizes[f, ELEMENTS] - 1)
        first = sizes[f, IDX] + row * width
        x[lane] = t
        x[LANES + lane] = c[0]
        x[2 * LANES + lane] = c[1]
        x[3 * LANES + lane] = c[2]
        at = 4 * LANES + lane
        for i in range(n):
            place = tables.idx[first + i]
            x[at + i * LANES] = q[place]
            x[at + (n + i) * LANES] = v[place]
            x[at + (2 * n + i) * LANES] = a[place]
        at += 3 * n * LANES
        for i in range(m):
            x[at + i * LANES] = lam[tables.idx[first + n + i] - nq]
        at += m * LANES
        for i in range(k):
            x[at + i * LANES] = u[tables.idx[first + n + m + i]]
        at += k * LANES
        first = sizes[f, PAR] + row * n_p
        for i in range(n_p):
            x[at + i * LANES] = tables.p[first + i]


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
    """What the function at ``address`` writes for every element of family f: (elements, count_out)."""
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
