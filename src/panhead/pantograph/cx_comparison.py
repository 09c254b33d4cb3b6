"""Printed numbers of the CX pantograph beside computed ones: members, whole models, experiment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.linalg

from panhead.methods.linear_solvers import dense
from panhead.methods.modes import linearise, modes
from panhead.pantograph.cx_flexible import Flexible, member_structure
from panhead.pantograph.cx_statics import Settled
from panhead.pantograph.linkage import Linkage
from panhead.pantograph.member_modes import FreeMode, arm_modes, beam_modes, of_kind
from panhead.structures import Structure

#: Modes found by shaking the real pantograph at its head [Ambrosio11, table 1]: Hz, what moves.
EXPERIMENT = (
    (11.0, "rotation of the main frame around the base (Z)"),
    (19.3, "bending of the top link (Y)"),
    (40.1, "bending of the lower link (Y)"),
    (45.7, "bending of the head (Z)"),
    (49.3, "bending of the top arm (Z)"),
    (71.1, "bending of the top link (Z)"),
)
_SIDEWAYS, _IN_PLANE = ("y", "e1", "e3"), ("x", "z", "e0", "e2")  # coordinates of bodies
_ORDINAL = ("", "first", "second", "third", "fourth", "fifth")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedMode:
    """A printed frequency and the mode that is meant."""

    member: str
    words: str  #: "first bending about z"
    printed: float  #: [Hz]
    mode: FreeMode

    @property
    def off(self) -> float:
        """computed / printed − 1."""
        return self.mode.frequency / self.printed - 1


def printed_modes(linkage: Linkage, member: Flexible) -> tuple[PrintedMode, ...]:
    """The six printed frequencies of a member with the modes of the same kind and number, by printed frequency."""
    structure = member_structure(linkage, member)
    if member == "top arm":
        arm, found = linkage.top_arm, arm_modes(structure)
        printed = {
            "bending about z": arm.about_z,
            "bending about y": arm.about_y,
            "fork opening": (arm.opening,),
        }
    else:
        beam, found = linkage.strip_beam, beam_modes(structure)
        printed = {
            "bending about x": beam.about_x,
            "bending about z": beam.about_z,
            "torsion": beam.torsional,
        }
    rows = [
        PrintedMode(
            member=member,
            words=kind if kind == "fork opening" else f"{_ORDINAL[mode.number]} {kind}",
            printed=frequency,
            mode=mode,
        )
        for kind, frequencies in printed.items()
        for frequency, mode in zip(frequencies, of_kind(found, kind), strict=False)
    ]
    return tuple(sorted(rows, key=lambda row: row.printed))


def full_frequencies(structure: Structure, count: int, *, consistent: bool = False) -> np.ndarray:
    """Of all elements together, without any reduction: K x = ω² M x, rigid motions left out, (count,) [Hz]."""
    M = structure.consistent_mass if consistent else structure.mass_matrix()
    if M is None:
        M = structure.mass_matrix()
    squares = scipy.linalg.eigh(
        structure.stiffness.toarray(),
        M.toarray(),
        eigvals_only=True,
        subset_by_index=(6, 5 + count),
    )
    return np.sqrt(squares) / (2 * np.pi)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WholeMode:
    """A mode of a whole pantograph at rest under the wire."""

    frequency: float  #: [Hz]
    damping: float  #: ratio
    moves: str  #: the bodies with most of the kinetic energy, and which way they go


def whole_modes(settled: Settled, below: float) -> tuple[WholeMode, ...]:
    """Small motions of a settled pantograph under a constant contact force, slower than ``below`` [Hz]."""
    system, q = settled.system, settled.state.q
    found = modes(linearise(system, q, settled.lam, u=settled.u))
    M = dense(system.mass(0.0, q))
    owner, entry = (
        np.array(x) for x in zip(*(n.rsplit(".", 1) for n in system.coordinates), strict=True)
    )
    rows = []
    for k in np.flatnonzero(found.frequency < below):
        x = found.shapes[:, k]
        energy = np.real(np.conj(x) * (M @ x))
        share = {
            name: float(energy[owner == name].sum() / energy.sum()) for name in dict.fromkeys(owner)
        }
        first = sorted(share, key=lambda name: -share[name])[:2]
        sideways = energy[np.isin(entry, _SIDEWAYS)].sum()
        way = (
            "to the side" if sideways > energy[np.isin(entry, _IN_PLANE)].sum() else "in its plane"
        )
        moves = ", ".join(f"{name} {100 * share[name]:.0f} %" for name in first)
        rows.append(
            WholeMode(
                frequency=float(found.frequency[k]),
                damping=float(found.damping[k]),
                moves=f"{moves}; {way}",
            )
        )
    return tuple(rows)
