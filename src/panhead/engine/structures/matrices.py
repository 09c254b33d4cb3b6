"""Structures from given matrices: NPZ and Matrix Market files, or arrays at hand."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from panhead.engine.structures.matrix_market import read_matrix
from panhead.engine.structures.nodal_mass import lumped_mass
from panhead.engine.structures.structure import Structure
from panhead.errors import FileError, ModelError

#: What reading a damaged file can raise; a size that lies asks for more memory than there is.
BROKEN = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    EOFError,
    OverflowError,
    MemoryError,
    RuntimeError,
    SyntaxError,
    BadZipFile,
    zlib.error,
)
_KEPT = "the mass matrix is taken as given; what changes with the deformation is computed with masses at the nodes"
_PLACE = "place "  #: keys of an NPZ file that hold the nodes of a place begin so


def from_matrices(
    name: str,
    *,
    points: np.ndarray,
    stiffness: sp.sparray | np.ndarray,
    mass: sp.sparray | np.ndarray,
    places: Mapping[str, tuple[int, ...]] | None = None,
    mass_model: Literal["consistent", "diagonal"] = "consistent",
) -> Structure:
    """A structure from its nodes (n, 3), stiffness and mass (N, N), rows node by node: x, y, z[, turns].

    The mass is taken as it is; "diagonal" puts it to the nodes, as the structures of ``frame`` have it.
    """
    _require_real(name, {"points": points, "stiffness": stiffness, "mass": mass})
    points = np.asarray(points, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ModelError(f"Structure {name!r}: points must be (n, 3), got {points.shape}")
    if not (points.size and np.isfinite(points).all() and np.ptp(points, axis=0).any()):
        raise ModelError(f"Structure {name!r}: points must be finite and not all in one place")
    n = len(points)
    if stiffness.shape != mass.shape or stiffness.shape not in ((3 * n, 3 * n), (6 * n, 6 * n)):
        raise ModelError(
            f"Structure {name!r}: stiffness {stiffness.shape} and mass {mass.shape} must both have 3 or 6 rows and "
            f"columns for each of the {n} nodes"
        )
    K, M = sp.csr_array(stiffness, dtype=float), sp.csr_array(mass, dtype=float)
    if not np.isfinite(M.data).all() or abs(M - M.T).max() > 1e-7 * abs(M).max():
        raise ModelError(f"Structure {name!r}: the mass must be finite and symmetric")
    diagonal = lumped_mass(M, points)
    return Structure(
        name=name,
        points=points,
        stiffness=K,
        nodal_mass=diagonal.nodal_mass,
        nodal_inertia=diagonal.nodal_inertia,
        places=dict(places or {}),
        consistent_mass=M,
        notes=(diagonal.words if mass_model == "diagonal" else _KEPT,),
        mass_model=mass_model,
    )


def from_npz(path: str | Path, *, name: str | None = None) -> Structure:
    """A structure from one NPZ file.

    Keys: ``points`` (n, 3); ``stiffness`` and ``mass`` (N, N), or each as ``stiffness_data``, ``stiffness_indices``,
    ``stiffness_indptr`` (compressed rows); any number of ``place <name>`` with node numbers from 0.
    """
    path = Path(path)
    try:
        with np.load(path, allow_pickle=False) as file:
            if not isinstance(file, np.lib.npyio.NpzFile):
                raise FileError(path, "is a single array (NPY), not an NPZ file")
            entries = {key: file[key] for key in file.files}
    except FileError:
        raise
    except BROKEN as error:
        raise FileError(path, f"cannot be read as NPZ: {error or type(error).__name__}") from None
    missing = [k for k in ("points", "stiffness", "mass") if not _has(entries, k)]
    if missing:
        known = ", ".join(sorted(entries)) or "nothing"
        raise FileError(path, [f"{key}: missing; the file holds {known}" for key in missing])
    try:
        places = {key.removeprefix(_PLACE): _nodes(key, x) for key, x in entries.items() if key.startswith(_PLACE)}
        K, M = (_matrix(entries, key) for key in ("stiffness", "mass"))
    except ModelError as error:
        raise FileError(path, str(error)) from None
    return structure_from_file(path, name, entries["points"], K, M, places)


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
    nodes, K, M = (read_matrix(path) for path in (points, stiffness, mass))
    if sp.issparse(nodes):
        raise FileError(points, "is in coordinate format; write the points as a Matrix Market array (n, 3)")
    return structure_from_file(Path(stiffness), name, nodes, K, M, places or {})


_PARTS = ("data", "indices", "indptr")


def _has(entries: Mapping[str, np.ndarray], key: str) -> bool:
    return key in entries or all(f"{key}_{part}" in entries for part in _PARTS)


def _matrix(entries: Mapping[str, np.ndarray], key: str) -> sp.sparray | np.ndarray:
    """A matrix of the file; compressed rows that point outside it are refused before anything follows them."""
    if key in entries:
        return entries[key]
    parts = [entries[f"{key}_{part}"] for part in _PARTS]
    _require_real(key, {"data": parts[0]})
    try:
        indices, indptr = (x.astype(np.int64, casting="same_kind") for x in parts[1:])
        n, count = indptr.size - 1, parts[0].size
        rising = n > 0 and indptr[0] == 0 and indptr[-1] == count == indices.size and (np.diff(indptr) >= 0).all()
        if not rising or (count and not 0 <= indices.min() <= indices.max() < n):
            raise ValueError("indptr must rise from 0 to the number of entries, indices must be columns")
        return sp.csr_array((parts[0], indices, indptr), shape=(n, n))
    except (TypeError, ValueError) as error:
        raise ModelError(f"{key}: is not a valid CSR matrix: {error}") from None


def _nodes(key: str, numbers: np.ndarray) -> tuple[int, ...]:
    if numbers.dtype.kind not in "iu":
        raise ModelError(f"{key}: must hold node numbers from 0, got an array of {numbers.dtype}")
    return tuple(int(j) for j in numbers.ravel())


def _require_real(name: str, arrays: Mapping[str, Any]) -> None:
    """Real numbers only: no text, no dates, no complex values."""
    for field, array in arrays.items():
        if np.dtype(getattr(array, "dtype", float)).kind not in "fiu":
            raise ModelError(f"Structure {name!r}: {field} must hold real numbers, got {array.dtype}")


def structure_from_file(
    path: Path,
    name: str | None,
    points: np.ndarray,
    stiffness: sp.sparray | np.ndarray,
    mass: sp.sparray | np.ndarray,
    places: Mapping[str, tuple[int, ...]],
) -> Structure:
    """``from_matrices``, errors with the path; named after the file unless told otherwise."""
    try:
        return from_matrices(name or path.stem, points=points, stiffness=stiffness, mass=mass, places=places)
    except ModelError as error:
        raise FileError(path, str(error)) from error
