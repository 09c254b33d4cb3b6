"""Energies, powers and outputs computed along a known motion."""

from panhead.engine.jit.compiler import whole
from panhead.engine.kernels.element_families import LANES, add_account, call_at, gather
from panhead.engine.kernels.sliders import follow


@whole
def add_accounts(tables, work, slides, t, q, v, a, lam, u, nothing, out):
    """out[i] (5,) += kinetic, potential energy, power of drivers, of controls, dissipated at t[i].

    t (n,), q v a (n, nq), lam (n, nc), u (n, nu), out (n, 5); nothing is a zero vector at least as long as
    the multipliers and the controls.
    """
    for i in range(t.shape[0]):
        if slides.rows.shape[0] > 0:
            follow(tables, work, slides, t[i], q[i], nothing)
        add_account(tables, work, False, t[i], q[i], v[i], a[i], lam[i], u[i], out[i])


@whole
def observe(tables, work, slides, groups, wanted, t, q, v, u, rest, nothing, out):
    """out (n, ·): chosen outputs of elements at every time; accelerations and multipliers are taken as zero.

    groups (·, 4): family, first of LANES elements, address of its outputs, first row of ``wanted``; the last group is
    followed by a row that holds nothing but the number of rows. wanted (·, 3): lane, output, column of ``out``.
    t (n,), q v (n, nq), u (n, nu); rest (nq,) and nothing, at least as long as multipliers and controls, are zeros.
    """
    for i in range(t.shape[0]):
        if slides.rows.shape[0] > 0:
            follow(tables, work, slides, t[i], q[i], nothing)
        for g in range(groups.shape[0] - 1):
            gather(tables, work, groups[g, 0], groups[g, 1], t[i], (0.0, 0.0, 0.0), q[i], v[i], rest, nothing, u[i])
            call_at(groups[g, 2], work.x, work.y)
            for k in range(groups[g, 3], groups[g + 1, 3]):
                out[i, wanted[k, 2]] = work.y[wanted[k, 1] * LANES + wanted[k, 0]]
