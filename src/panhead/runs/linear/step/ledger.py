"""Energy ledger of a step: works and energies with the scheme's own averages, so that the balance closes.

Multiplying the discrete equation of motion by Δu gives, exactly,

    Δ(½ vᵀM v + ½ uᵀK u) = Δuᵀ f_f − Δuᵀ C v_f − ν
    ν = (½ − α_f) ΔuᵀK Δu + ΔuᵀM a_m − ½ (v₀ + v₁)ᵀM Δv                          (1)

ν is what the integrator takes out; for ρ∞ = 1 (trapezoidal rule) it is zero. A contact moves along
the wire. With n the wire's shape functions at the contact point, the force that pushes wire and head
apart does the work −F_f Δδ, and the rest of what it does is the train's,

    W_train = (1 − α_f) F₁ (n₀ − n₁)·u₀ + α_f F₀ (n₀ − n₁)·u₁ − F_f Δz₀             (2)

the discrete −F v dz/dx. What a law has stored is its potential; the rest of its work is heat. Droppers and far spans
book their own work where they are taken over into the state, wind where it blows.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part, whole
from panhead.engine.kernels.block_tridiagonal import dot, dot_of_changes, mix, multiply
from panhead.runs.linear.step.contact import book_contact, book_roll, contact_energy
from panhead.runs.linear.step.dropper import dropper_energy
from panhead.runs.linear.step.masses import book_element, book_masses, quadratic, stop_energy
from panhead.runs.linear.step.step_arrays import CS, D_LINE, D_NUMERICAL, ENERGIES, LEDGER, A, U, V
from panhead.runs.linear.step.superelement import far_energy
from panhead.runs.linear.step.wind import book_wind

N_ENERGIES, N_LEDGER = len(ENERGIES), len(LEDGER)


@part()
def book_step(line, train, sc, state, q0, f0, q1, f1, track, n, w):
    """Add step n of ``track`` from q0 to q1 to the ledger; the state's records are still the old ones, slots and w.z
    the new."""
    ledger, nc, wires = state.ledger, state.contact.shape[0], line.path.shape[0]
    for i in range(nc):
        head, c, s = train.head[i // wires], state.contact[i], w.slot[i]
        dz = w.z[0, head.mass] - state.z[0, head.mass]
        book_contact(sc, c, line.path[i % wires].dof_w, s, q0[U], q1[U], dz, ledger)
        if head.roll > 0:
            book_roll(sc, c, s, state.z[0, head.roll - 1], w.z[0, head.roll - 1], ledger)
    for k in range(state.element.shape[0]):
        book_element(sc, state.element[k], w.slot[nc + k], ledger)
    book_masses(train, sc, state.z, w.z, track.uplift[n], track.uplift[n + 1], ledger)
    if not sc.lossless:
        _book_numerical(line, sc, q0, f0, f1, w, ledger)
    elif line.damped:
        ledger[D_LINE] += dot_of_changes(f0[U], f1[U], f0[CS], f1[CS]) / sc.h
    book_wind(line, f0, f1, w, ledger)


@part()
def book_nothing(line, train, sc, state, q0, f0, q1, f1, track, n, w):
    """No ledger, for runs without energies."""


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


@part()
def no_energy(line, q, f, eta, drop, s, s_flat, masts):
    """No energies, for runs that do not need them."""
    return 0.0, 0.0


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
