"""Structures from NASTRAN: matrices of a punch file (DMIG), whole or reduced after Craig and Bampton."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from panhead.engine.structures.craig_bampton import from_craig_bampton
from panhead.engine.structures.damping import Damping
from panhead.engine.structures.matrices import structure_from_file
from panhead.engine.structures.nastran_cards import Freedom, NastranDeck, read_cards
from panhead.engine.structures.reduced_structure import ReducedStructure
from panhead.engine.structures.reference_conditions import Reference
from panhead.engine.structures.structure import Structure
from panhead.errors import FileError, ModelError

Places = Mapping[str, Sequence[int]]  #: nodes of each place, by the numbers they have in the file


def from_nastran(
    path: str | Path,
    *,
    geometry: str | Path | None = None,
    places: Places | None = None,
    stiffness: str = "KAAX",
    mass: str = "MAAX",
    name: str | None = None,
) -> Structure:
    """A structure from the matrices of a punch file; ``geometry`` holds its GRID cards if the punch does not.

    Names of matrices are those of EXTSEOUT(…, DMIGPCH). Nodes have their numbers in the file; ``places`` uses them.
    """
    grids, points, K, M, scalars = _read(path, geometry, stiffness, mass)
    if scalars:
        raise FileError(
            path,
            f"has {scalars} scalar points, so it is a Craig–Bampton reduction; read it with craig_bampton_from_nastran",
        )
    return structure_from_file(Path(path), name, points, K, M, _places(path, places, grids))


def craig_bampton_from_nastran(
    path: str | Path,
    *,
    geometry: str | Path | None = None,
    places: Places | None = None,
    stiffness: str = "KAAX",
    mass: str = "MAAX",
    name: str | None = None,
    reference: Reference | None = None,
    damping: Damping | float = 0.0,
) -> ReducedStructure:
    """A reduced structure from a punch file: nodes are its interfaces, scalar points its fixed-interface modes."""
    grids, points, K, M, _ = _read(path, geometry, stiffness, mass)
    try:
        return from_craig_bampton(
            name or Path(path).stem, points=points, stiffness=K.toarray(), mass=M.toarray(),
            places=_places(path, places, grids), reference=reference, damping=damping,
        )  # fmt: skip
    except ModelError as error:
        raise FileError(path, str(error)) from error


def _read(
    path: str | Path, geometry: str | Path | None, stiffness: str, mass: str
) -> tuple[list[int], np.ndarray, sp.csr_array, sp.csr_array, int]:
    """Numbers and places of the nodes, both matrices in their order, and how many scalar points follow."""
    deck = read_cards(*([] if geometry is None else [geometry]), path)
    missing = [title for title in (stiffness, mass) if title.upper() not in deck.matrices]
    if missing:
        raise FileError(path, f"has no matrix {missing[0]}; it holds {', '.join(deck.matrices) or 'none'}")
    used = {f for title in (stiffness, mass) for pair in deck.matrices[title.upper()].entries for f in pair}
    grids, scalars = sorted({n for n, c in used if c}), sorted({n for n, c in used if not c})
    lost = [n for n in grids if n not in deck.grids]
    if lost:
        raise FileError(path, f"node {lost[0]} of its matrices has no GRID card; name the bulk data as geometry")
    per_node = 6 if scalars or any(c > 3 for _, c in used) else 3
    order: dict[Freedom, int] = {
        (n, c): per_node * k + c - 1 for k, n in enumerate(grids) for c in range(1, per_node + 1)
    }
    order |= {(n, 0): per_node * len(grids) + k for k, n in enumerate(scalars)}
    K, M = (_sparse_matrix(deck, title.upper(), order) for title in (stiffness, mass))
    return grids, np.array([deck.grids[n] for n in grids], dtype=float).reshape(-1, 3), K, M, len(scalars)


def _sparse_matrix(deck: NastranDeck, title: str, order: Mapping[Freedom, int]) -> sp.csr_array:
    given = deck.matrices[title]
    i, j = (np.array([order[pair[side]] for pair in given.entries], dtype=int) for side in (0, 1))
    x = np.array(list(given.entries.values()))
    if given.symmetric:  # one triangle stands in the file
        beside = i != j
        i, j, x = np.append(i, j[beside]), np.append(j, i[beside]), np.append(x, x[beside])
    return sp.csr_array(sp.coo_array((x, (i, j)), shape=(len(order), len(order))))


def _places(path: str | Path, places: Places | None, grids: list[int]) -> dict[str, tuple[int, ...]]:
    place = {number: k for k, number in enumerate(grids)}
    for name, nodes in (places or {}).items():
        wrong = [n for n in nodes if n not in place]
        if wrong:
            raise FileError(path, f"place {name!r} names node {wrong[0]}, which the matrices do not have")
    return {name: tuple(place[n] for n in nodes) for name, nodes in (places or {}).items()}
