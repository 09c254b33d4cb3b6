"""Impacts: velocities jump, positions do not; simultaneous contacts are solved together.

    M (v⁺ − v⁻) + Gᵀ Λ = Wᵀ P,   G v⁺ + g_t = 0,   γ = W v + w                           (1)

Without P the answer is linear, so that γ⁺ = γ⁻ + D P with D = W (M, G)⁻¹ Wᵀ, and the laws of the contacts choose P
[Glocker01, Brogliato16]. Work of the blow: ½ P·(γ⁺ + γ⁻), never more than nothing; surfaces that move add P·w.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, final

import numpy as np

from panhead.engine.kernels.contact_cone import NO_ANSWER, solve_contacts
from panhead.engine.kernels.sliders import NO_SLIDES
from panhead.engine.methods.contact_newton import polish
from panhead.engine.methods.linear_solvers import dense, saddle_matrix, solver_for
from panhead.engine.system import (
    CollisionTerms,
    CompiledFamilies,
    ContactRows,
    ContactTerms,
    System,
    TouchingShapes,
    Vector,
)
from panhead.errors import ModelError, NotConverged, SimulationError

_SLOW = 1e-13  # the same, above which Newton's method goes on where sweeps over the contacts end
_ROUNDS = 20  # of sweeps and Newton's method in turn
_UNSOLVED = 1e-6  # of the largest impulse: residual of the laws above which impulses are refused
_MOST_BLOWS = 200  # of each contact in one impact, one after the other
_MADE = 1e-9  # of the energy of the blow: above it, an impact that makes energy is refused


class ImpactResult(NamedTuple):
    """Result of an impact."""

    v: Vector  # v⁺ (nq,)
    P: Vector  # impulses of the contacts that took part (rows,) [N·s]
    before: Vector  # γ⁻ (rows,) [m/s]
    after: Vector  # γ⁺ (rows,)
    lost: Vector  # (contacts,) energy taken out at each [J]
    driven: float  # work of surfaces that move [J]


class ContactChoice(NamedTuple):
    """Subset of a system's contacts, as the impulse solver reads it."""

    which: np.ndarray  # (n,) places among all contacts
    rows: np.ndarray  # (m,) places among all rows
    first: np.ndarray  # (n + 1,)
    friction: Vector
    two_sided: np.ndarray


class Restitution(NamedTuple):
    """Restitution of the contacts of an impact: by Newton's rule a speed, by Poisson's a share of the impulse."""

    speed: Vector  # (n,) e γ_N⁻ ≤ 0 [m/s]
    share: Vector  # (n,) e

    @property
    def strikes(self) -> np.ndarray:
        """(n,) bool: contacts that bounce."""
        return (self.speed < 0) | (self.share > 0)


def no_restitution(n: int) -> Restitution:
    """Return zero restitution for n contacts."""
    return Restitution(np.zeros(n), np.zeros(n))


@final
class NoContacts:
    """Contacts of a system without any; see ``panhead.engine.system.ContactTerms``."""

    def __init__(self, nq: int) -> None:
        self.names: tuple[str, ...] = ()
        self.first = np.zeros(1, np.int64)
        self.restitution, self.friction, self.static_friction = np.zeros(0), np.zeros(0), np.zeros(0)
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


@final
class NoShapes:
    """Shapes of a system without any; see ``panhead.engine.system.CollisionTerms``."""

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.body, self.first_q = np.zeros(0, np.int64), np.zeros(0, np.int64)
        self.laws, self.radius = np.zeros((0, 4)), np.zeros(0)

    @property
    def families(self) -> CompiledFamilies:
        """None."""
        return CompiledFamilies(None, None, NO_SLIDES, np.zeros(0, np.int64))

    def touching(self, t: float, q: Vector, reach: Vector) -> TouchingShapes:
        """Nothing."""
        del t, q, reach
        return TouchingShapes(np.zeros((0, 2), np.int64), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))


def contact_terms(system: System) -> ContactTerms | None:
    """The contacts of a system; ModelError if it has shapes that meet, which need ``ContactStepping``."""
    contacts = system.contacts
    if contacts is None or not isinstance(contacts, CollisionTerms):
        return contacts
    raise ModelError(
        f"{system.name!r} has shapes that meet ({', '.join(contacts.names[:3])} …), which MoreauJean does not "
        "support; use ContactStepping, or omit the method"
    )


def collision_terms(system: System) -> CollisionTerms:
    """The shapes of a system that meet, perhaps none; ModelError if it has single contacts instead."""
    contacts = system.contacts
    if contacts is None:
        return NoShapes()
    if isinstance(contacts, CollisionTerms):
        return contacts
    raise ModelError(
        f"{system.name!r} has single contacts ({', '.join(contacts.names[:3])} …), which ContactStepping does not "
        "support; use MoreauJean, or omit the method"
    )


def chosen_contacts(contacts: ContactTerms, which: np.ndarray) -> ContactChoice:
    """The contacts with the indices ``which`` (n,)."""
    widths = np.diff(contacts.first)[which]
    first = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
    rows = np.concatenate([[0], *(np.arange(contacts.first[i], contacts.first[i + 1]) for i in which)])[1:]
    return ContactChoice(which, rows.astype(np.int64), first, contacts.friction[which], contacts.two_sided[which])


def impulses(
    names: Sequence[str], D: np.ndarray, c: Vector, choice: ContactChoice, guess: Vector, least: Vector | None = None
) -> Vector:
    """P with y = D P + c under the laws of ``panhead.engine.kernels.contact_cone``; NotConverged if none is found."""
    P = guess.copy()
    least = np.zeros(len(choice.which)) if least is None else least
    args = (np.ascontiguousarray(D), c, choice.first, choice.friction, choice.two_sided)
    for _ in range(_ROUNDS):
        residual = solve_contacts(*args, least, P)
        if residual <= _SLOW:
            break
        P, residual = polish(*args, least, P)
        if residual <= _SLOW:
            break
    if residual == NO_ANSWER:
        raise NotConverged(
            f"no contact impulses of {', '.join(names)} satisfy their friction laws (coefficients "
            f"{', '.join(f'{x:g}' for x in choice.friction)}): the rigid-body contact problem has no "
            "solution, as in Painlevé's paradox. Lower the friction, or make one of the bodies compliant "
            "(a spring)."
        )
    if residual > _UNSOLVED:
        raise NotConverged(
            f"the impulses of {', '.join(names)} did not converge: a sweep over all contacts still changes them by "
            f"{residual:.2g} of the largest. Halve dt, or lower the friction (coefficients "
            f"{', '.join(f'{x:g}' for x in choice.friction)})."
        )
    return P


def restitution(contacts: ContactTerms, which: np.ndarray, rate: Vector, rest_speed: float) -> Restitution:
    """Return the restitution of contacts ``which`` whose gaps close at ``rate`` (n,); below rest_speed it is zero."""
    e = contacts.restitution[which]
    e = np.where(-e * rate > rest_speed, e, 0.0)
    poisson = contacts.poisson[which]
    return Restitution(np.where(poisson, 0.0, e * np.minimum(rate, 0.0)), np.where(poisson, e, 0.0))


def impact_with_restitution(
    names: Sequence[str], D: np.ndarray, c: Vector, choice: ContactChoice, back: Restitution, guess: Vector
) -> Vector:
    """P with y = D P + c after compression and, where Poisson's rule holds, expansion."""
    normals = choice.first[:-1]
    c = c.copy()
    c[normals] += back.speed
    P = impulses(names, D, c, choice, guess)
    expansion = back.share * np.maximum(P[normals], 0.0)
    if expansion.any():
        P = P + impulses(names, D, c + D @ P, choice, np.zeros(len(c)), expansion)
    return P


def solve_impact(
    system: System, t: float, q: Vector, v: Vector, which: np.ndarray, rest_speed: float, *, sequential: bool = False
) -> ImpactResult:
    """Impact of the contacts ``which`` (n,), all of them closed, at one instant.

    What would part slower than ``rest_speed`` [m/s] does not bounce. All contacts act together, or one after the
    other (``sequential``), each time the one that closes fastest, until none does: a blow that travels through a row
    of touching bodies.
    """
    contacts = contact_terms(system)
    assert contacts is not None
    rows: ContactRows = contacts.at(t, q)
    choice = chosen_contacts(contacts, which)
    W, w = rows.W[choice.rows], rows.w[choice.rows]
    nq, G = len(q), dense(system.constraint_q(t, q))
    solver = solver_for(saddle_matrix(dense(system.mass(t, q)), G))
    B = solver.solve(np.vstack([W.T, np.zeros((len(G), len(W)))]))[:nq]
    D, before = W @ B, W @ v + w
    normals = choice.first[:-1]
    names = [contacts.names[i] for i in which]
    if sequential:
        P, lost = _one_after_the_other(contacts, names, D, before, choice, rest_speed)
        return ImpactResult(v + B @ P, P, before, before + D @ P, lost, float(P @ w))
    P = impact_with_restitution(
        names, D, before, choice, restitution(contacts, which, before[normals], rest_speed), np.zeros(len(W))
    )
    after = before + D @ P
    lost = energy_lost(names, t, choice, P, before, after)
    return ImpactResult(v + B @ P, P, before, after, lost, float(P @ w))


def rates_after_closing(system: System, t: float, q: Vector, v: Vector) -> Vector:
    """Rates after constraints close at once, by impulses Gᵀ P alone: M (v⁺ − v) = Gᵀ P, G v⁺ + g_t = 0."""
    if not system.constraints:
        return v
    M, G = dense(system.mass(t, q)), dense(system.constraint_q(t, q))
    residual = G @ v + system.constraint_t(t, q)
    solver = solver_for(saddle_matrix(M, G))
    return v + solver.solve(np.concatenate([np.zeros(len(q)), -residual]))[: len(q)]


def _one_after_the_other(
    contacts: ContactTerms,
    names: Sequence[str],
    D: np.ndarray,
    before: Vector,
    choice: ContactChoice,
    rest_speed: float,
) -> tuple[Vector, Vector]:
    """Impulses (rows,) and energies lost (n,) of blows one after the other; what still closes after many stops.

    Each blow is an impact of one contact alone, with the restitution of its own approach.
    """
    P, lost, gamma = np.zeros(len(before)), np.zeros(len(names)), before.copy()
    normals = choice.first[:-1]
    single = [chosen_contacts(contacts, choice.which[[i]]) for i in range(len(names))]
    for _ in range(_MOST_BLOWS * len(names)):
        i = int(gamma[normals].argmin())
        if gamma[normals[i]] >= -min(rest_speed, 1e-12 + 1e-9 * float(np.abs(before[normals]).max())):
            return P, lost
        rows = slice(choice.first[i], choice.first[i + 1])
        back = restitution(contacts, choice.which[[i]], gamma[normals[[i]]], rest_speed)
        blow = impact_with_restitution(
            [names[i]], D[rows, rows], gamma[rows], single[i], back, np.zeros(rows.stop - rows.start)
        )
        after = gamma + D[:, rows] @ blow
        lost[i] -= float(blow @ (gamma[rows] + after[rows])) / 2
        P[rows] += blow
        gamma = after
    blow = impulses(names, D, gamma, choice, np.zeros(len(before)))
    lost -= np.add.reduceat(blow * (gamma + D @ blow / 2), choice.first[:-1])
    return P + blow, lost


def energy_lost(
    names: Sequence[str], t: float, choice: ContactChoice, P: Vector, before: Vector, after: Vector
) -> Vector:
    """−½ P·(γ⁻ + γ⁺) at each contact, (n,) [J]; SimulationError if their sum is negative."""
    lost = -np.add.reduceat(P * (before + after) / 2, choice.first[:-1])
    if lost.sum() < -_MADE * float(np.abs(P) @ np.abs(before)):
        raise SimulationError(
            f"the impact of {', '.join(names)} at t = {t:.6g} s would generate {-lost.sum():.3g} J: this "
            "restitution is inconsistent with friction (Kane's paradox). Use rule='poisson', less "
            "restitution or less friction."
        )
    return lost
