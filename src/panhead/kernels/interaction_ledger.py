"""Works and energies of a step: the ledger closes because it books the scheme's own averages.

Multiplying the discrete equation of motion by Δu gives, exactly,

    Δ(½ vᵀM v + ½ uᵀK u) = Δuᵀ f_f − Δuᵀ C v_f − ν
    ν = (½ − α_f) ΔuᵀK Δu + ΔuᵀM a_m − ½ (v₀ + v₁)ᵀM Δv                          (1)

ν is what the integrator takes out; for ρ∞ = 1 (trapezoidal rule) it is zero. A contact moves along
the wire. With n the wire's shape functions at the contact point, the force that pushes wire and head
apart does the work −F_f Δδ, and the rest of what it does is the train's,

    W_train = (1 − α_f) F₁ (n₀ − n₁)·u₀ + α_f F₀ (n₀ − n₁)·u₁ − F_f Δz₀             (2)

the discrete −F v dz/dx. What a law has stored is its potential; the rest of its work is heat.
"""

from __future__ import annotations

from panhead.kernels.block_tridiagonal import dot, dot_of_changes, mix, multiply
from panhead.kernels.bowing import bow_energy
from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction_arrays import (
    CS,
    D_CONTACT,
    D_DROPPERS,
    D_LINE,
    D_NUMERICAL,
    ENERGIES,
    LEDGER,
    W_TRAIN,
    A,
    U,
    V,
)
from panhead.kernels.interaction_far import far_energy
from panhead.kernels.laws import contact_potential, dropper_potential
from panhead.kernels.pantograph import quadratic, stop_energy
from panhead.kernels.unilateral import LANKARANI

N_ENERGIES, N_LEDGER = len(ENERGIES), len(LEDGER)


@part()
def dropper_energy(d, e):
    """Potential of a dropper about its rest: ∫ (N − N₀₊) de = V(N₀ + k e) − V(N₀) − N₀₊ e [J]."""
    if d.bows == 1:
        return bow_energy(d, e)
    if d.bilateral == 1:
        return 0.5 * d.k * e * e
    stored = dropper_potential(d.N0 + d.k * e, d.k) - dropper_potential(d.N0, d.k)
    return stored - max(d.N0, 0.0) * e


@part()
def contact_energy(law, g):
    """What a contact has stored at penetration g [J]; law: a slot or a head."""
    return contact_potential(g, law.k, law.power if law.kind == LANKARANI else 1.0)


@part()
def book_dropper(sc, d, e1, N1, ledger):
    """Book the work of a dropper whose record is still the old one but for its bow: pull N₁ at elongation e₁."""
    pull_f = (1.0 - sc.alpha_f) * N1 + sc.alpha_f * d.N - max(d.N0, 0.0)
    before = d.bow_stored if d.bows == 1 else dropper_energy(d, d.e)
    ledger[D_DROPPERS] += (e1 - d.e) * pull_f - (dropper_energy(d, e1) - before)


@part()
def at_contact(u, station, dof, weight):
    """Σ weight · u over a contact point's four coordinates; u (ns, nt, 4)."""
    r, k = dof >> 2, dof & 3  # w and w′ are neighbours in one tile
    return (
        weight[0] * u[station, r, k]
        + weight[1] * u[station, r, k + 1]
        + weight[2] * u[station + 1, r, k]
        + weight[3] * u[station + 1, r, k + 1]
    )


@part()
def book_contact(sc, c, dof, s, u0, u1, dz, ledger):
    """Book one contact, eq. (2); its record c is still the old one. dz: motion of the head."""
    F0, F1 = sc.alpha_f * c.F, (1.0 - sc.alpha_f) * s.lam
    # weights are −n, so the work on the line is −(weight · Δu) F
    work, train, stored = -dz * (F0 + F1), 0.0, 0.0
    if c.on == 1:
        work -= F0 * (at_contact(u1, c.station, dof, c.weight) - at_contact(u0, c.station, dof, c.weight))
        stored -= contact_energy(s, c.g)
    if s.on == 1:
        i = s.station[0]
        work -= F1 * (at_contact(u1, i, dof, s.weight) - at_contact(u0, i, dof, s.weight))
        stored += contact_energy(s, s.g)
        if c.on == 1:
            moved0 = at_contact(u0, i, dof, s.weight) - at_contact(u0, c.station, dof, c.weight)
            moved1 = at_contact(u1, i, dof, s.weight) - at_contact(u1, c.station, dof, c.weight)
            train = F1 * moved0 + F0 * moved1 - (F0 + F1) * (s.z - c.z)
    ledger[W_TRAIN] += train
    ledger[D_CONTACT] += train - work - stored


@part()
def book_roll(sc, c, s, phi0, phi1, ledger):
    """What eq. (2) has more on a head that rolls: the gap's part y φ, y the arm of the contact."""
    F0, F1 = sc.alpha_f * c.F, (1.0 - sc.alpha_f) * s.lam
    work = -(phi1 - phi0) * (F0 * c.arm + F1 * s.arm)
    train = (s.arm - c.arm) * (F1 * phi0 + F0 * phi1) if c.on == 1 and s.on == 1 else 0.0
    ledger[W_TRAIN] += train
    ledger[D_CONTACT] += train - work


@part()
def remember_damping(line, sc, q, f, s, s_flat):
    """Find C s/C_u of a state q (f: the same memory, flat) for the step to come; s is scratch."""
    if sc.lossless:  # s = C_u u
        multiply(line.C, q[U], q[CS])
        return
    mix(1.0, f[U], sc.C_v / sc.C_u, f[V], s_flat)
    mix(1.0, s_flat, sc.C_a / sc.C_u, f[A], s_flat)
    multiply(line.C, s, q[CS])


@part()
def book_line(line, sc, q0, f0, q1, f1, w, ledger):
    """Book damping and numerical losses of the line; finds C s/C_u for the next step.

    For the trapezoidal rule v_f = Δu/h, and C u is needed for the next step anyway.
    q0, q1 (4, ns, nt, 4) old and new, f0, f1 the same memory, flat.
    """
    if line.damped:
        remember_damping(line, sc, q1, f1, w.s, w.s_flat)
    if not sc.lossless:
        _book_numerical(line, sc, q0, f0, f1, w, ledger)
    elif line.damped:
        ledger[D_LINE] += dot_of_changes(f0[U], f1[U], f0[CS], f1[CS]) / sc.h


@part()
def _book_numerical(line, sc, q0, f0, f1, w, ledger):
    """Book Δuᵀ C v_f and ν, eq. (1), for ρ∞ < 1; the old C s is free to be scratch."""
    af, am, du = sc.alpha_f, sc.alpha_m, w.s_flat
    y, out = w.rhs, q0[CS]
    mix(1.0, f1[U], -1.0, f0[U], w.s_flat)
    mix(1.0 - af, f1[V], af, f0[V], w.rhs_flat)
    multiply(line.C, y, out)
    ledger[D_LINE] += dot(du, f0[CS])
    multiply(line.K, w.s, out)
    ledger[D_NUMERICAL] += (0.5 - af) * dot(du, f0[CS])
    mix(1.0 - am, f1[A], am, f0[A], w.rhs_flat)
    multiply(line.M, y, out)
    ledger[D_NUMERICAL] += dot(du, f0[CS])
    mix(1.0, f1[V], -1.0, f0[V], w.rhs_flat)
    multiply(line.M, y, out)
    ledger[D_NUMERICAL] -= 0.5 * (dot(f0[V], f0[CS]) + dot(f1[V], f0[CS]))


@part()
def line_energy(line, q, f, eta, drop, s, s_flat, masts):
    """Kinetic and potential energy of the line about its strung shape [J]; s, masts scratch."""
    multiply(line.M, q[V], s)
    kinetic = 0.5 * dot(f[V], s_flat)
    multiply(line.K, q[U], s)
    potential = 0.5 * dot(f[U], s_flat)
    for r in range(drop.shape[0]):
        potential += dropper_energy(drop[r], drop[r].e)
    if eta.shape[1] > 0:
        moving, stored = far_energy(line, f, eta, masts)
        kinetic, potential = kinetic + moving, potential + stored
    return kinetic, potential


@whole
def energy_of_line(line, state, s, s_flat, masts):
    """``line_energy`` for Python, both kinds in one number."""
    kinetic, potential = line_energy(line, state.q, state.flat, state.eta, state.drop, s, s_flat, masts)
    return kinetic + potential


@part()
def energies(line, train, state, q, f, w, out):
    """out = the energies stored, then the ledger; out (len(ENERGIES) + len(LEDGER),)."""
    out[0], out[1] = line_energy(line, q, f, state.eta, state.drop, w.s, w.s_flat, w.masts)
    out[2] = 0.5 * (quadratic(train.M, state.z[1], state.z[1]) + quadratic(train.K, state.z[0], state.z[0]))
    for k in range(state.element.shape[0]):
        out[2] += stop_energy(state.element[k], state.element[k].g)
    wires = line.path.shape[0]
    out[3] = 0.0
    for i in range(state.contact.shape[0]):
        if state.contact[i].on == 1:
            out[3] += contact_energy(train.head[i // wires], state.contact[i].g)
    for k in range(N_LEDGER):
        out[N_ENERGIES + k] = state.ledger[k]
