"""Impacts: velocities jump, positions do not; several contacts share one blow.

    M (v⁺ − v⁻) + Gᵀ Λ = Wᵀ P,   G v⁺ + g_t = 0,   γ = W v + w                           (1)

Without P the answer is linear, so that γ⁺ = γ⁻ + D P with D = W (M, G)⁻¹ Wᵀ, and the laws of the contacts choose P
[Glocker01, Brogliato16]. Work of the blow: ½ P·(γ⁺ + γ⁻), never more than nothing; surfaces that move add P·w.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from panhead.errors import NotConverged, SimulationError
from panhead.kernels.contact_cone import solve_contacts
from panhead.kernels.slides import NO_SLIDES
from panhead.methods.linear_solvers import dense, saddle_matrix, solver_for
from panhead.system import CompiledFamilies, ContactRows, ContactTerms, System, Vector

_MADE = 1e-9  # of the energy of the blow: above it, an impact that makes energy is refused


class Blow(NamedTuple):
    """What an impact did."""

    v: Vector  # v⁺ (nq,)
    P: Vector  # impulses of the contacts that took part (rows,) [N·s]
    before: Vector  # γ⁻ (rows,) [m/s]
    after: Vector  # γ⁺ (rows,)
    lost: Vector  # (contacts,) energy taken out at each [J]
    driven: float  # work of surfaces that move [J]


class ContactChoice(NamedTuple):
    """Some of a system's contacts: what the solver of impulses reads."""

    which: np.ndarray  # (n,) places among all contacts
    rows: np.ndarray  # (m,) places among all rows
    first: np.ndarray  # (n + 1,)
    friction: Vector
    two_sided: np.ndarray


@final
class NoContacts:
    """A system that touches nothing; see ``panhead.system.ContactTerms``."""

    def __init__(self, nq: int) -> None:
        self.names: tuple[str, ...] = ()
        self.first = np.zeros(1, np.int64)
        self.restitution, self.friction = np.zeros(0), np.zeros(0)
        self.poisson, self.two_sided = np.zeros(0, bool), np.zeros(0, bool)
        self._rows = ContactRows(np.zeros(0), np.zeros((0, nq)), np.zeros(0))

    @property
    def families(self) -> CompiledFamilies:
        """None."""
        return CompiledFamilies(None, None, NO_SLIDES, np.zeros(0, np.int64))

    def at(self, t: float, q: Vector) -> ContactRows:
        """Nothing."""
        del t, q
        return self._rows


def chosen_contacts(contacts: ContactTerms, which: np.ndarray) -> ContactChoice:
    """The contacts at the places ``which`` (n,)."""
    widths = np.diff(contacts.first)[which]
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    rows = np.concatenate([[0], *(np.arange(contacts.first[i], contacts.first[i + 1]) for i in which)])[1:]
    return ContactChoice(which, rows.astype(np.int64), first, contacts.friction[which], contacts.two_sided[which])


def impulses(
    names: Sequence[str], D: np.ndarray, c: Vector, choice: ContactChoice, guess: Vector, least: Vector | None = None
) -> Vector:
    """P with y = D P + c under the laws of ``panhead.kernels.contact_cone``; NotConverged if there is none."""
    P = guess.copy()
    least = np.zeros(len(choice.which)) if least is None else least
    args = (np.ascontiguousarray(D), c, choice.first, choice.friction, choice.two_sided)
    if not solve_contacts(*args, least, P):
        raise NotConverged(
            f"no impulses of {', '.join(names)} agree with their friction coefficients "
            f"({', '.join(f'{x:g}' for x in choice.friction)}): the equations jam or have no answer, as Painlevé's "
            "rod. Lower the friction, or let one of the bodies yield (a spring)."
        )
    return P


def blow(system: System, t: float, q: Vector, v: Vector, which: np.ndarray, rest_speed: float) -> Blow:
    """The impact of the contacts ``which`` (n,), all of them closed, at one instant.

    What would part slower than ``rest_speed`` [m/s] does not bounce.
    """
    contacts = system.contacts
    assert contacts is not None
    rows: ContactRows = contacts.at(t, q)
    choice = chosen_contacts(contacts, which)
    W, w = rows.W[choice.rows], rows.w[choice.rows]
    nq, G = len(q), dense(system.constraint_q(t, q))
    solver = solver_for(saddle_matrix(dense(system.mass(t, q)), G))
    B = solver.solve(np.vstack([W.T, np.zeros((len(G), len(W)))]))[:nq]
    D, before = W @ B, W @ v + w
    normals = choice.first[:-1]
    e = contacts.restitution[which]
    e = np.where(-e * before[normals] > rest_speed, e, 0.0)
    names = [contacts.names[i] for i in which]
    newton = np.where(contacts.poisson[which], 0.0, e) * np.minimum(before[normals], 0.0)
    c = before.copy()
    c[normals] += newton
    P = impulses(names, D, c, choice, np.zeros(len(c)))
    expansion = np.where(contacts.poisson[which], e, 0.0) * np.maximum(P[normals], 0.0)
    if expansion.any():  # Poisson's second phase
        P = P + impulses(names, D, c + D @ P, choice, np.zeros(len(c)), expansion)
    after = before + D @ P
    work = P * (before + after) / 2
    lost = -np.add.reduceat(work, normals)
    _refuse_made_energy(names, t, lost, P, before)
    return Blow(v + B @ P, P, before, after, lost, float(P @ w))


def _refuse_made_energy(names: list[str], t: float, lost: Vector, P: Vector, before: Vector) -> None:
    scale = float(np.abs(P) @ np.abs(before))
    if lost.sum() < -_MADE * scale:
        raise SimulationError(
            f"the impact of {', '.join(names)} at t = {t:.6g} s would make {-lost.sum():.3g} J: with friction this "
            "restitution contradicts itself (Kane's paradox). Use rule='poisson', less restitution or less friction."
        )
