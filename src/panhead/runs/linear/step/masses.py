"""Lumped pantographs as a small linear system, advanced with the scheme of the line; their stops and friction.

M z̈ + C ż + K z = f_uplift − Σ contact forces − Σ directions · element forces
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.jit.lanes import fma, put, take, zero
from panhead.engine.kernels.block_tridiagonal_lanes import add
from panhead.runs.linear.step.scheme import averages
from panhead.runs.linear.step.step_arrays import D_NUMERICAL, D_PANTOGRAPH, W_UPLIFT
from panhead.runs.linear.step.unilateral import CLOSED, FRICTION, STOP, law


@part()
def quadratic(A, x, y):
    """xᵀ A y."""
    s = 0.0
    for i in range(x.shape[0]):
        for j in range(y.shape[0]):
            s += A[i, j] * x[i] * y[j]
    return s


@part()
def _old_loads(train, sc, contact, element, f):
    """f −= α_f of the contact and element forces of the old time."""
    wires = contact.shape[0] // train.head.shape[0]
    for i in range(contact.shape[0]):
        head = train.head[i // wires]
        f[head.mass] -= sc.alpha_f * contact[i].F
        if head.roll > 0:
            f[head.roll - 1] -= sc.alpha_f * contact[i].F * contact[i].arm
    for k in range(element.shape[0]):
        for i in range(f.shape[0]):
            f[i] -= sc.alpha_f * train.direction[k, i] * element[k].force


@part()
def predict_masses(train, sc, z, contact, element, uplift0, uplift1, f, z1):
    """z₁, ż₁, z̈₁ without the contact forces and elements of the new time; those of the old act.

    z, z1 (3, nm): position, velocity, acceleration; uplift0, uplift1 (nm,): lifting forces at both
    ends of the step [N]; f (nm,) scratch.
    """
    nm = f.shape[0]
    for i in range(nm):
        s = sc.alpha_f * uplift0[i] + (1.0 - sc.alpha_f) * uplift1[i]
        for j in range(nm):
            s += train.M[i, j] * (sc.M_u * z[0, j] + sc.M_v * z[1, j] + sc.M_a * z[2, j])
            s += train.C[i, j] * (sc.C_u * z[0, j] + sc.C_v * z[1, j] + sc.C_a * z[2, j])
        f[i] = s
    _old_loads(train, sc, contact, element, f)
    for i in range(nm):
        x = 0.0
        for j in range(nm):
            x += train.A_inv[i, j] * f[j]
        dz = (x - z[0, i]) / (1.0 - sc.alpha_f)
        z1[0, i] = z[0, i] + dz
        z1[1, i] = sc.C_u * dz + sc.v_v * z[1, i] + sc.v_a * z[2, i]
        z1[2, i] = sc.a_u * dz + sc.a_v * z[1, i] + sc.a_a * z[2, i]


@part()
def lifted_masses(train, sc, state, track, n, w):
    """Set w.z = the masses of a train under its uplift forces, in the free response of step n."""
    predict_masses(train, sc, state.z, state.contact, state.element, track.uplift[n], track.uplift[n + 1], w.f, w.z)


@part()
def given_heights(train, sc, state, track, n, w):
    """Set w.z = strips with prescribed heights and rates."""
    for p in range(w.z.shape[1]):
        w.z[0, p], w.z[1, p], w.z[2, p] = track.given[n + 1, p, 0], track.given[n + 1, p, 1], 0.0


@part()
def open_element(e, direction, z1, s):
    """Fill slot s of a stop or friction element."""
    s.mode, s.lam = e.mode, e.force
    s.g_free, s.g_dot_free = -e.gap, 0.0
    for j in range(z1.shape[1]):
        s.g_free += direction[j] * z1[0, j]
        s.g_dot_free += direction[j] * z1[1, j]


@part()
def stop_energy(element, g):
    """Elastic energy of a stop or friction element at gap g [J]."""
    return 0.5 * element.k * g * g if element.kind == STOP and g > 0.0 else 0.0


@part()
def book_masses(train, sc, z, z1, uplift0, uplift1, ledger):
    """Add the works done inside the pantographs during the step to the ledger.

    ΔE = Δzᵀ f_f − Δzᵀ C ż_f − ν, exactly, for the scheme's own averages; see ``ledger``.
    """
    nm, af = z.shape[1], sc.alpha_f
    for i in range(nm):
        dz_i = z1[0, i] - z[0, i]
        ledger[W_UPLIFT] += dz_i * (af * uplift0[i] + (1.0 - af) * uplift1[i])
        for j in range(nm):
            ledger[D_PANTOGRAPH] += dz_i * train.C[i, j] * ((1.0 - af) * z1[1, j] + af * z[1, j])
            if not sc.lossless:
                zdd_m = (1.0 - sc.alpha_m) * z1[2, j] + sc.alpha_m * z[2, j]
                zd_i = 0.5 * (z1[1, i] + z[1, i])
                ledger[D_NUMERICAL] += (0.5 - af) * dz_i * train.K[i, j] * (z1[0, j] - z[0, j]) + train.M[i, j] * (
                    dz_i * zdd_m - zd_i * (z1[1, j] - z[1, j])
                )


@part()
def book_element(sc, element, slot, ledger):
    """Add the dissipation of a stop or friction element in a step; its record is still the old one."""
    force_f = (1.0 - sc.alpha_f) * slot.lam + sc.alpha_f * element.force
    stored = stop_energy(element, slot.g) - stop_energy(element, element.g)
    ledger[D_PANTOGRAPH] += (slot.g - element.g) * force_f - stored


@part()
def update_masses(state, nc, w):
    """Store elements and masses in the state."""
    for k in range(state.element.shape[0]):
        e, s = state.element[k], w.slot[nc + k]
        e.g, e.force, e.mode = s.g, s.lam, s.mode
    for k in range(w.z.shape[1]):
        for j in range(3):
            state.z[j, k] = w.z[j, k]


@part()
def masses_adjoint(train, sc, old, back):
    """Adjoints of the masses before a step from those after it and η_z, in place."""
    nm = train.M.shape[0]
    for i in range(nm):
        Me, Ce = zero(back.f), zero(back.f)
        for j in range(nm):
            Me = fma(train.M[j, i], take(back.eta_z, (j,)), Me)
            Ce = fma(train.C[j, i], take(back.eta_z, (j,)), Ce)
        v, a, load = take(back.z, (1, i)), take(back.z, (2, i)), take(back.f, (i,))
        put(back.z, (0, i), load * old - Me * sc.M_u - Ce * sc.C_u - v * sc.C_u - a * sc.a_u)
        put(back.z, (1, i), v * sc.v_v + a * sc.a_v - Me * sc.M_v - Ce * sc.C_v)
        put(back.z, (2, i), v * sc.v_a + a * sc.a_a - Me * sc.M_a - Ce * sc.C_a)


@part()
def elements_adjoint(train, sc, back):
    """Adjoints of the forces of elements before a step, which act in it with their share α_f."""
    for k in range(train.direction.shape[0]):
        total = zero(back.f)
        for j in range(train.direction.shape[1]):
            total = fma(sc.alpha_f * train.direction[k, j], take(back.eta_z, (j,)), total)
        put(back.element, (k,), total)


@part()
def element_gradient(s, mu, k, slope):
    """∂r/∂ of a stop or friction element."""
    if s.kind == STOP and s.mode == CLOSED:
        add(slope.element, (k, 0), mu * -s.g)
        add(slope.element, (k, 2), mu * s.k)
    elif s.kind == FRICTION:
        _, _, b = law(s)
        add(slope.element, (k, 0), mu * (-s.lam / s.k))
        add(slope.element, (k, 1), mu * (b * s.g_dot / s.c))


@part()
def masses_gradient(sc, z0, z1, eta_z, number, slope):
    """∂R/∂ of the masses' matrices and lifting forces."""
    for j in range(z0.shape[1]):
        z_f, m, c = averages(sc, z0[0, j], z0[1, j], z0[2, j], z1[0, j])
        for i in range(z0.shape[1]):
            add(slope.M_train, (i, j), take(eta_z, (i,)) * m)
            add(slope.C_train, (i, j), take(eta_z, (i,)) * c)
            add(slope.K_train, (i, j), take(eta_z, (i,)) * z_f)
        add(slope.uplift, (number, j), take(eta_z, (j,)) * (sc.alpha_f - 1.0))
        add(slope.uplift, (number - 1, j), take(eta_z, (j,)) * -sc.alpha_f)
