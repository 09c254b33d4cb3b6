"""Structures from given matrices: NPZ and Matrix Market files, or arrays at hand."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import scipy.io
import scipy.sparse as sp

from panhead.errors import FileError, ModelError
from panhead.structures.diagonal import diagonalised
from panhead.structures.structure import Structure

_PLACE = "place "  #: keys of an NPZ file that hold the nodes of a place begin so


def from_matrices(
    name: str,
    *,
    points: np.ndarray,
    stiffness: sp.sparray | np.ndarray,
    mass: sp.sparray | np.ndarray,
    places: Mapping[str, tuple[int, ...]] | None = None,
) -> Structure:
    """A structure from its nodes (n, 3), stiffness and consistent mass (N, N), rows node by node: x, y, z[, turns]."""
    points = np.asarray(points, dtype=float)
    K, M = sp.csr_array(stiffness), sp.csr_array(mass)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ModelError(f"Structure {name!r}: points must be (n, 3), got {points.shape}")
    if K.shape != M.shape or K.shape[0] not in (3 * len(points), 6 * len(points)):
        raise ModelError(
            f"Structure {name!r}: stiffness {K.shape} and mass {M.shape} must both have 3 or 6 rows and columns for "
            f"each of the {len(points)} nodes"
        )
    if not np.isfinite(M.data).all() or abs(M - M.T).max() > 1e-7 * abs(M).max():
        raise ModelError(f"Structure {name!r}: the mass must be finite and symmetric")
    diagonal = diagonalised(M, points)
    return Structure(
        name=name,
        points=points,
        stiffness=K,
        nodal_mass=diagonal.nodal_mass,
        nodal_inertia=diagonal.nodal_inertia,
        places=dict(places or {}),
        consistent_mass=M,
        notes=(diagonal.words,),
    )


def from_npz(path: str | Path, *, name: str | None = None) -> Structure:
    """A structure from one NPZ file.

    Keys: ``points`` (n, 3); ``stiffness`` and ``mass`` (N, N), or each as ``stiffness_data``, ``stiffness_indices``,
    ``stiffness_indptr`` (compressed rows); any number of ``place <name>`` with node numbers from 0.
    """
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            entries = {key: file[key] for key in file.files}
    except (OSError, ValueError, BadZipFile) as error:
        raise FileError(path, f"cannot be read as NPZ: {error}") from error
    missing = [k for k in ("points", "stiffness", "mass") if not _has(entries, k)]
    if missing:
        known = ", ".join(sorted(entries)) or "nothing"
        raise FileError(path, [f"{key}: missing; the file holds {known}" for key in missing])
    places = {
        key.removeprefix(_PLACE): tuple(int(j) for j in np.atleast_1d(nodes))
        for key, nodes in entries.items()
        if key.startswith(_PLACE)
    }
    K, M = (_matrix(entries, key) for key in ("stiffness", "mass"))
    return _from_file(path, name, entries["points"], K, M, places)


def to_npz(path: str | Path, structure: Structure) -> None:
    """Write what ``from_npz`` reads; the mass is the consistent one where it is known."""
    entries: dict[str, np.ndarray] = {"points": structure.points}
    M = structure.consistent_mass
    for key, matrix in (("stiffness", structure.stiffness), ("mass", structure.mass_matrix() if M is None else M)):
        entries |= {f"{key}_{part}": getattr(matrix, part) for part in _PARTS}
    entries |= {_PLACE + place: np.array(nodes) for place, nodes in structure.places.items()}
    np.savez_compressed(path, **entries)  # type: ignore[arg-type]


def from_matrix_market(
    *,
    points: str | Path,
    stiffness: str | Path,
    mass: str | Path,
    places: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
) -> Structure:
    """A structure from three Matrix Market files: nodes (n, 3) as an array, stiffness and mass as coordinates."""
    read = []
    for path in (points, stiffness, mass):
        try:
            read.append(scipy.io.mmread(path))
        except (OSError, ValueError) as error:
            raise FileError(path, f"cannot be read as Matrix Market: {error}") from error
    nodes = read[0].toarray() if sp.issparse(read[0]) else read[0]
    return _from_file(Path(stiffness), name, nodes, read[1], read[2], places or {})


_PARTS = ("data", "indices", "indptr")


def _has(entries: Mapping[str, np.ndarray], key: str) -> bool:
    return key in entries or all(f"{key}_{part}" in entries for part in _PARTS)


def _matrix(entries: Mapping[str, np.ndarray], key: str) -> sp.csr_array:
    if key in entries:
        return sp.csr_array(entries[key])
    data, indices, indptr = (entries[f"{key}_{part}"] for part in _PARTS)
    return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1,) * 2)


def _from_file(
    path: Path,
    name: str | None,
    points: np.ndarray,
    stiffness: sp.sparray | np.ndarray,
    mass: sp.sparray | np.ndarray,
    places: Mapping[str, tuple[int, ...]],
) -> Structure:
    try:
        return from_matrices(name or path.stem, points=points, stiffness=stiffness, mass=mass, places=places)
    except ModelError as error:
        raise FileError(path, str(error)) from error
