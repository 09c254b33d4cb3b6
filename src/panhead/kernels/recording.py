"""What is computed of a motion once it is known."""

from panhead.kernels.compiling import whole
from panhead.kernels.families import add_account
from panhead.kernels.slides import follow


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
