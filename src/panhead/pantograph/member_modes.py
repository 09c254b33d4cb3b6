"""Vibrations of a free member, told by what they do: which way it bends, whether it twists or its fork opens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.structures import Structure
from panhead.structures.flexibility import free, vibrations

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
    twin = _twins(structure.points)
    sign = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    kinds = []
    for x in shapes:
        same = float(np.sum(x[twin] * sign * x))
        apart = _energies(structure, x)[1]
        kind = "fork opening" if apart > _OPENS else "bending about y"
        kinds.append(kind if same > 0 else "bending about z")
    return _numbered(kinds, frequencies, shapes)


def beam_modes(structure: Structure, count: int = _LOOKED_AT) -> tuple[FreeMode, ...]:
    """Modes of a straight beam along y, by what has most of the kinetic energy."""
    frequencies, shapes = _vibrations(structure, count)
    kinds = []
    for x in shapes:
        e = _energies(structure, x)
        shares = {
            "bending about x": e[2] + e[3],
            "bending about z": e[0] + e[5],
            "torsion": e[4],
            "stretching": e[1],
        }
        kinds.append(max(shares, key=lambda k: float(shares[k])))
    return _numbered(kinds, frequencies, shapes)


def of_kind(modes: tuple[FreeMode, ...], kind: str) -> list[FreeMode]:
    """Those of one kind, by frequency."""
    return [mode for mode in modes if mode.kind == kind]


def _vibrations(structure: Structure, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies (count,) [Hz] and shapes (count, n, 6)."""
    X, squares = vibrations(free(structure), count)
    shapes = X.T.reshape(count, len(structure.points), 6)
    return np.sqrt(squares) / (2 * np.pi), shapes


def _numbered(
    kinds: list[str], frequencies: np.ndarray, shapes: np.ndarray
) -> tuple[FreeMode, ...]:
    return tuple(
        FreeMode(
            kind=kind,
            number=kinds[: k + 1].count(kind),
            frequency=float(frequencies[k]),
            shape=shapes[k],
        )
        for k, kind in enumerate(kinds)
    )


def _twins(points: np.ndarray) -> np.ndarray:
    """Number of every node's mirror image across y = 0, (n,)."""
    mirrored = points * np.array([1.0, -1.0, 1.0])
    return np.array([int(np.linalg.norm(points - p, axis=1).argmin()) for p in mirrored])


def _energies(structure: Structure, shape: np.ndarray) -> np.ndarray:
    """Shares of the kinetic energy in each of the six motions of the nodes, (6,)."""
    moved = structure.nodal_mass @ shape[:, :3] ** 2
    turned = np.einsum("jaa,ja->a", structure.nodal_inertia, shape[:, 3:] ** 2)
    both = np.concatenate([moved, turned])
    return np.asarray(both / both.sum())
