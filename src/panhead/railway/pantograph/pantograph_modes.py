"""Vibration modes of a free member and of a whole pantograph, compared with published frequencies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
import scipy.linalg

from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.structures import ReducedStructure, Structure
from panhead.engine.structures.flexibility import free, vibrations
from panhead.railway.pantograph.flexible_member import Flexible, member_shape, member_structure
from panhead.railway.pantograph.linkage import Linkage
from panhead.railway.pantograph.members import ForkedArm, StripBeam
from panhead.railway.pantograph.pantograph_statics import PantographEquilibrium

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
_LOOKED_AT = 12  # modes among which the kinds wanted are sought
_OPENS = 0.2  # share of the kinetic energy that moves apart in a symmetric mode where a fork opens


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class FreeMode:
    """One vibration of a body free in space."""

    kind: str  #: "bending about z", "fork opening", "torsion" …
    number: int  #: among those of its kind, from 1
    frequency: float  #: [Hz]
    shape: np.ndarray  # (n, 6) displacements [m] and rotations [rad] of the nodes, xᵀM x = 1


def arm_modes(structure: Structure, count: int = _LOOKED_AT) -> tuple[FreeMode, ...]:
    """Modes of a body that is its own mirror image across y = 0, an arm along x.

    Antisymmetric: bending about z (with torsion). Symmetric: bending about y, or the fork opens where the
    y motion has more than a fifth of the energy.
    """
    frequencies, shapes = _vibrations(structure, count)
    twin = _mirror_nodes(structure.points)
    sign = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    kinds = []
    for x in shapes:
        same = float(np.sum(x[twin] * sign * x))
        apart = _energies(structure, x)[1]
        kind = "fork opening" if apart > _OPENS else "bending about y"
        kinds.append(kind if same > 0 else "bending about z")
    return _number_modes(kinds, frequencies, shapes)


def beam_modes(structure: Structure, count: int = _LOOKED_AT) -> tuple[FreeMode, ...]:
    """Modes of a straight beam along y, classified by the motion with most of the kinetic energy."""
    frequencies, shapes = _vibrations(structure, count)
    kinds = []
    for x in shapes:
        e = _energies(structure, x)
        shares = {"bending about x": e[2] + e[3], "bending about z": e[0] + e[5], "torsion": e[4], "stretching": e[1]}
        kinds.append(max(shares, key=lambda k: float(shares[k])))
    return _number_modes(kinds, frequencies, shapes)


def mode_names(linkage: Linkage, member: Flexible, structure: ReducedStructure) -> list[str]:
    """Names of the modes of a reduced member: vibrations by their motion, static corrections by their load."""
    by_kind = beam_modes if member == "head" else arm_modes
    kinds = [f"{m.kind}, {m.number}" for m in by_kind(member_structure(linkage, member))]
    return [kinds[k] if mode.words.startswith("free–free") else mode.words for k, mode in enumerate(structure.modes)]


def modes_of_kind(modes: tuple[FreeMode, ...], kind: str) -> list[FreeMode]:
    """Modes of one kind, by frequency."""
    return [mode for mode in modes if mode.kind == kind]


def _vibrations(structure: Structure, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies (count,) [Hz] and shapes (count, n, 6)."""
    X, squares = vibrations(free(structure), count)
    shapes = X.T.reshape(count, len(structure.points), 6)
    return np.sqrt(squares) / (2 * np.pi), shapes


def _number_modes(kinds: list[str], frequencies: np.ndarray, shapes: np.ndarray) -> tuple[FreeMode, ...]:
    return tuple(
        FreeMode(kind=kind, number=kinds[: k + 1].count(kind), frequency=float(frequencies[k]), shape=shapes[k])
        for k, kind in enumerate(kinds)
    )


def _mirror_nodes(points: np.ndarray) -> np.ndarray:
    """Number of every node's mirror image across y = 0, (n,)."""
    mirrored = points * np.array([1.0, -1.0, 1.0])
    return np.array([int(np.linalg.norm(points - p, axis=1).argmin()) for p in mirrored])


def _energies(structure: Structure, shape: np.ndarray) -> np.ndarray:
    """Shares of the kinetic energy in each of the six motions of the nodes, (6,)."""
    moved = structure.nodal_mass @ shape[:, :3] ** 2
    turned = np.einsum("jaa,ja->a", structure.nodal_inertia, shape[:, 3:] ** 2)
    both = np.concatenate([moved, turned])
    return np.asarray(both / both.sum())


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedMode:
    """A published frequency and the computed mode it refers to."""

    member: str
    words: str  #: "first bending about z"
    printed: float  #: [Hz]
    mode: FreeMode

    @property
    def off(self) -> float:
        """computed / printed − 1."""
        return self.mode.frequency / self.printed - 1


def member_modes(linkage: Linkage, member: Flexible) -> tuple[FreeMode, ...]:
    """Free modes of a flexible member, classified by their motion."""
    named = beam_modes if member == "head" else arm_modes
    return named(member_structure(linkage, member))


def printed_modes(linkage: Linkage, member: Flexible) -> tuple[PrintedMode, ...]:
    """The six printed frequencies of a member with the modes of the same kind and number, by printed frequency."""
    shape = member_shape(linkage, member)
    found = member_modes(linkage, member)
    printed: dict[str, tuple[float, ...]] = {}  # of a tube nothing is
    if isinstance(shape, ForkedArm):
        printed = {"bending about z": shape.about_z, "bending about y": shape.about_y, "fork opening": (shape.opening,)}
    if isinstance(shape, StripBeam):
        printed = {
            "bending about x": shape.about_x,
            "bending about z": shape.about_z,
            "torsion": shape.torsional,
            "stretching": (shape.stretching,),
        }
    rows = [
        PrintedMode(
            member=member,
            words=kind if kind == "fork opening" else f"{_ORDINAL[mode.number]} {kind}",
            printed=frequency,
            mode=mode,
        )
        for kind, frequencies in printed.items()
        for frequency, mode in zip(frequencies, modes_of_kind(found, kind), strict=False)
    ]
    return tuple(sorted(rows, key=lambda row: row.printed))


def full_frequencies(structure: Structure, count: int, *, consistent: bool = False) -> np.ndarray:
    """Frequencies of the full model without reduction: K x = ω² M x, rigid motions left out, (count,) [Hz]."""
    M = structure.consistent_mass if consistent else structure.mass_matrix()
    if M is None:
        M = structure.mass_matrix()
    squares = scipy.linalg.eigh(
        structure.stiffness.toarray(), M.toarray(), eigvals_only=True, subset_by_index=(6, 5 + count)
    )
    return np.sqrt(squares) / (2 * np.pi)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PantographMode:
    """A mode of a whole pantograph at rest under the wire."""

    frequency: float  #: [Hz]
    damping: float  #: ratio
    moves: str  #: the bodies with most of the kinetic energy, and which way they go


def pantograph_modes(settled: PantographEquilibrium, below: float) -> tuple[PantographMode, ...]:
    """Small motions of a settled pantograph under a constant contact force, slower than ``below`` [Hz]."""
    system, q = settled.system, settled.state.q
    found = modes(linearise(system, q, settled.lam, u=settled.u))
    M = dense(system.mass(0.0, q))
    owner, entry = (np.array(x) for x in zip(*(n.rsplit(".", 1) for n in system.coordinates), strict=True))
    rows = []
    for k in np.flatnonzero(found.frequency < below):
        x = found.shapes[:, k]
        energy = np.real(np.conj(x) * (M @ x))
        share = {name: float(energy[owner == name].sum() / energy.sum()) for name in dict.fromkeys(owner)}
        first = sorted(share, key=lambda name: -share[name])[:2]
        sideways = energy[np.isin(entry, _SIDEWAYS)].sum()
        way = "to the side" if sideways > energy[np.isin(entry, _IN_PLANE)].sum() else "in its plane"
        moves = ", ".join(f"{name} {100 * share[name]:.0f} %" for name in first)
        rows.append(
            PantographMode(
                frequency=float(found.frequency[k]), damping=float(found.damping[k]), moves=f"{moves}; {way}"
            )
        )
    return tuple(rows)
