"""Pantographs as a small linear system of masses, advanced with the same scheme as the line."""

from __future__ import annotations

from panhead.kernels.compiling import part
from panhead.kernels.interaction_arrays import D_NUMERICAL, D_PANTOGRAPH, W_UPLIFT
from panhead.kernels.unilateral import STOP


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
def stop_energy(element, g):
    """What a stop or friction element has stored at gap g [J]."""
    return 0.5 * element.k * g * g if element.kind == STOP and g > 0.0 else 0.0


@part()
def book_masses(train, sc, z, z1, uplift0, uplift1, ledger):
    """Add the works done inside the pantographs during the step to the ledger.

    ΔE = Δzᵀ f_f − Δzᵀ C ż_f − ν, exactly, for the scheme's own averages; see ``interaction_ledger``.
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
    """Add what a stop or friction element has turned into heat; update its record."""
    force_f = (1.0 - sc.alpha_f) * slot.lam + sc.alpha_f * element.force
    stored = stop_energy(element, slot.g) - stop_energy(element, element.g)
    ledger[D_PANTOGRAPH] += (slot.g - element.g) * force_f - stored
    element.g, element.force, element.mode = slot.g, slot.lam, slot.mode
