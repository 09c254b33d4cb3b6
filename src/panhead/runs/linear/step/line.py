"""Wires of the line in a step: right-hand side and solve; adjoint, and gradients by their matrices.

    R = M m + C c + K u_f + Σ D₁ λ₁ (1 − α) + Σ D₀ λ₀ α = 0,   m = M_u u_f − s_M,   c = C_u u_f − s_C          (1)

∂J/∂ of a matrix is Σₙ ηₙ xₙᵀ where it has entries, x = u_f, m or c of step n. A station at a time: what its entries add
up to stays in registers while the steps go by. η is written step by step and read station by station; ``SIDE`` stations
lie side by side, so that either way goes through the memory in runs.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part, whole
from panhead.engine.jit.lanes import fma, four_zeros, put, put4, take, take4
from panhead.engine.jit.vector_rows import no_row, put_row, row, swapped
from panhead.engine.kernels import block_tridiagonal_lanes
from panhead.engine.kernels.block_tridiagonal import mix, multiply, solve
from panhead.engine.kernels.block_tridiagonal_lanes import add, tile_product
from panhead.runs.linear.step.contact import load_contacts
from panhead.runs.linear.step.dropper import elongation_in, load_droppers
from panhead.runs.linear.step.scheme import advance, averages
from panhead.runs.linear.step.step_arrays import CS, A, U, V
from panhead.runs.linear.step.superelement import push_far

SIDE = 15  # stations of which η lies side by side; not 16, whose 4 kB would all meet in the same lines of the cache


@part()
def predict_line(line, sc, q, f, eta, contact, drop, w, f1):
    """f1 = u₁, v₁, a₁ of the line without the forces of the new time; those of the old act.

    q (4, ns, nt, 4) and f (4, n), the same memory, and eta are the old state; f1 (4, n) the new one.
    """
    mix(sc.M_u, f[U], sc.M_v, f[V], w.s_flat)
    if not sc.lossless:
        mix(1.0, w.s_flat, sc.M_a, f[A], w.s_flat)
    multiply(line.M, w.s, w.rhs)
    if line.damped:
        mix(1.0, w.rhs_flat, sc.C_u, f[CS], w.rhs_flat)
    load_contacts(line, sc, contact, w.rhs)
    load_droppers(sc, q, drop, w.rhs)
    if line.gusts.shape[0] > 0:
        mix(1.0, w.rhs_flat, 1.0, w.push, w.rhs_flat)
    if eta.shape[1] > 0:
        push_far(line, sc, f, eta, w)
    solve(line.F, w.rhs, w.s)
    advance(sc, w.s_flat, f[U], f[V], f[A], f1[U], f1[V], f1[A])


@part()
def remember_damping(line, sc, q, f, s, s_flat):
    """Compute C s/C_u of a state q (f: the same memory, flat) for the next step; s is scratch."""
    if sc.lossless:  # s = C_u u
        multiply(line.C, q[U], q[CS])
        return
    mix(1.0, f[U], sc.C_v / sc.C_u, f[V], s_flat)
    mix(1.0, s_flat, sc.C_a / sc.C_u, f[A], s_flat)
    multiply(line.C, s, q[CS])


@part()
def solve_lanes(F, share, back, w):
    """back.eta = share A⁻¹ back.load."""
    block_tridiagonal_lanes.solve(F, share, back.load, back.half, back.eta)


@part()
def solve_single(F, share, back, w):
    """Solve back.eta = share A⁻¹ back.load for one objective, four coordinates at once."""
    for i in range(w.rhs_flat.shape[0]):
        w.rhs_flat[i] = share * back.load_flat[i]
    solve(F, w.rhs, back.eta)


@part()
def line_adjoint_single(line, sc, old, back, w):
    """``line_adjoint_lanes`` for one objective, four coordinates at once; w.s and w.rhs are scratch."""
    q, Me, Ce, load = back.q_flat, w.s_flat, w.rhs_flat, back.load_flat
    multiply(line.M, back.eta, w.s)
    if line.damped:
        multiply(line.C, back.eta, w.rhs)
    else:
        mix(0.0, Ce, 0.0, Ce, Ce)
    for i in range(load.shape[0]):
        load_0 = load[i] * old - Me[i] * sc.M_u - Ce[i] * sc.C_u
        v, v0 = q[V, i], -Me[i] * sc.M_v - Ce[i] * sc.C_v
        q[U, i], q[V, i] = load_0 - v * sc.C_u, v0 + v * sc.v_v
        if not sc.lossless:
            a = q[A, i]
            q[U, i], q[V, i] = q[U, i] - a * sc.a_u, q[V, i] + a * sc.a_v
            q[A, i] = v * sc.v_a + a * sc.a_a - Me[i] * sc.M_a - Ce[i] * sc.C_a


@part()
def line_adjoint_lanes(line, sc, old, back, w):
    """ū₀, v̄₀, ā₀ from those of the end of the step and η, in place; without loss ā is nothing. Dampers of droppers are
    left."""
    q, tile = back.q, back.tile
    for i in range(back.eta.shape[0]):
        for t in range(back.eta.shape[1]):
            put4(tile, (0,), tile_product(line.M, back.eta, i, t))
            if line.damped:
                put4(tile, (1,), tile_product(line.C, back.eta, i, t))
            for k in range(4):
                v, Me = take(q, (V, i, t, k)), take(tile, (0, k))
                u0, v0 = take(back.load, (i, t, k)) * old - Me * sc.M_u - v * sc.C_u, v * sc.v_v - Me * sc.M_v
                if line.damped:
                    u0, v0 = u0 - take(tile, (1, k)) * sc.C_u, v0 - take(tile, (1, k)) * sc.C_v
                if not sc.lossless:
                    a = take(q, (A, i, t, k))
                    u0, v0 = u0 - a * sc.a_u, v0 + a * sc.a_v
                    put(q, (A, i, t, k), v * sc.v_a + a * sc.a_a - Me * sc.M_a - take(tile, (1, k)) * sc.C_a)
                put(q, (U, i, t, k), u0)
                put(q, (V, i, t, k), v0)
    _entries_adjoint(line.M, sc.M_u, sc.M_v, sc.M_a, back)
    _entries_adjoint(line.C, sc.C_u, sc.C_v, sc.C_a, back)


@part()
def _entries_adjoint(matrix, by_u, by_v, by_a, back):
    """Contribution of the entries of M or C beside its pairs, times η, to ū₀, v̄₀, ā₀."""
    for n in range(matrix.place.shape[0]):
        i, d, j, e = matrix.place[n, 0], matrix.place[n, 1], matrix.place[n, 2], matrix.place[n, 3]
        _pass_on(i, d, take(back.eta, (j, e >> 2, e & 3)) * matrix.value[n], by_u, by_v, by_a, back)


@part()
def _pass_on(i, d, x, by_u, by_v, by_a, back):
    """ū₀, v̄₀, ā₀ −= their shares of x at coordinate d of station i."""
    add(back.q, (U, i, d >> 2, d & 3), x * -by_u)
    add(back.q, (V, i, d >> 2, d & 3), x * -by_v)
    add(back.q, (A, i, d >> 2, d & 3), x * -by_a)


@part()
def dampers_adjoint(sc, drop, back):
    """Contribution of the dampers of droppers, times η, to ū₀, v̄₀, ā₀; drop: the table before the step."""
    for r in range(drop.shape[0]):
        d = drop[r]
        if d.c != 0.0:
            e = elongation_in(d, back.eta)
            for k in range(4):
                _pass_on(d.station, d.dof[k], e * (d.c * d.weight[k]), sc.C_u, sc.C_v, sc.C_a, back)


@part()
def keep_eta(back, n):
    """Store the present η as step n of back.past."""
    for i in range(back.eta.shape[0]):
        for t in range(back.eta.shape[1]):
            put4(back.past, (i // SIDE, n, i % SIDE, t), take4(back.eta, (i, t)))


@whole
def average_steps(sc, kept, row, mean):
    """mean (3, steps, ns, nt, 4) = u_f, m and c of the steps that begin in these rows of ``kept``."""
    for n in range(row.shape[0]):
        q0, q1 = kept.q[row[n]], kept.q[row[n] + 1]
        for i in range(q0.shape[1]):
            for t in range(q0.shape[2]):
                for k in range(4):
                    u, v, a = q0[U, i, t, k], q0[V, i, t, k], q0[A, i, t, k]
                    mean[0, n, i, t, k], mean[1, n, i, t, k], mean[2, n, i, t, k] = averages(
                        sc, u, v, a, q1[U, i, t, k]
                    )


def _make_outer(add_entries):
    @whole
    def add_outer(line, eta, mean, steps, smooth, kinked):
        """K, M and C of two slopes += Σ ηₙ xₙᵀ: over the steps before steps[1, 0] and those after, numbers in steps[0].

        eta as ``Back.past``; mean (3, steps, ns, nt, 4).
        """
        ns, nt = mean.shape[2], mean.shape[3]
        half, whole = steps[1, 0], steps.shape[1]
        for i in range(ns):
            for t in range(nt):
                for d in range(3):
                    j = i + (0 if d == 0 else -1 if d == 1 else 1)
                    if 0 <= j < ns:
                        for slope, first, stop in ((smooth, 0, half), (kinked, half, whole)):
                            if first < stop:
                                add_entries(line.damped, eta, mean, steps[0, first:stop], (i, j, t, d), slope)
        for slope, first, stop in ((smooth, 0, half), (kinked, half, whole)):
            _add_rest(line.K.place, eta, mean[0], steps[0, first:stop], slope.K_rest)
            _add_rest(line.M.place, eta, mean[1], steps[0, first:stop], slope.M_rest)
            _add_rest(line.C.place, eta, mean[2], steps[0, first:stop], slope.C_rest)

    return add_outer


@part()
def _add_entries_lanes(damped, eta, mean, steps, at, slope):
    """Add the entries that couple tile t of station i with that of station j; at: i, j, t, d."""
    i, j, t, d = at
    _add_entries(eta, mean[0, :, j, t], steps, i, t, d, slope.K)
    _add_entries(eta, mean[1, :, j, t], steps, i, t, d, slope.M)
    if damped:
        _add_entries(eta, mean[2, :, j, t], steps, i, t, d, slope.C)


@part()
def _add_entries_single(damped, eta, mean, steps, at, slope):
    """Add these entries for one objective, four at once; all three matrices, so that η is read once."""
    i, j, t, d = at
    K0, K1, M0, M1, C0, C1 = no_row(), no_row(), no_row(), no_row(), no_row(), no_row()
    for n in steps:
        e = row(eta, (i // SIDE, n, i % SIDE, t))
        other = swapped(e)  # summed with the partners in each other's place
        y, z, x = row(mean, (0, n, j, t)), row(mean, (1, n, j, t)), row(mean, (2, n, j, t))
        K0, M0, C0 = fma(y, e, K0), fma(z, e, M0), fma(x, e, C0)
        K1, M1, C1 = fma(y, other, K1), fma(z, other, M1), fma(x, other, C1)
    _add_rows(slope.K, i, d, t, K0, swapped(K1))
    _add_rows(slope.M, i, d, t, M0, swapped(M1))
    if damped:
        _add_rows(slope.C, i, d, t, C0, swapped(C1))


@part()
def _add_rows(S, i, d, t, own, other):
    put_row(S, (i, d, t, 0), row(S, (i, d, t, 0)) + own)
    put_row(S, (i, d, t, 4), row(S, (i, d, t, 4)) + other)


@part()
def _add_entries(eta, x, steps, i, t, d, S):
    """The eight entries by which the coordinates of tile t at station i meet x (steps, 4), those of a neighbour."""
    own, other = four_zeros(eta), four_zeros(eta)
    for n in steps:
        e, y = take4(eta, (i // SIDE, n, i % SIDE, t)), x[n]
        own = (fma(y[0], e[0], own[0]), fma(y[1], e[1], own[1]), fma(y[2], e[2], own[2]), fma(y[3], e[3], own[3]))
        other = (
            fma(y[1], e[0], other[0]), fma(y[0], e[1], other[1]), fma(y[3], e[2], other[2]), fma(y[2], e[3], other[3]),
        )  # fmt: skip
    for k in range(4):
        add(S, (i, d, t, k), own[k])
        add(S, (i, d, t, 4 + k), other[k])


@part()
def _add_rest(place, eta, x, steps, S):
    """Add the entries beside the pairs."""
    for k in range(place.shape[0]):
        i, d, j, e = place[k, 0], place[k, 1], place[k, 2], place[k, 3]
        for n in steps:
            add(S, (k,), take(eta, (i // SIDE, n, i % SIDE, d >> 2, d & 3)) * x[n, j, e >> 2, e & 3])


add_outer_lanes, add_outer_single = _make_outer(_add_entries_lanes), _make_outer(_add_entries_single)
