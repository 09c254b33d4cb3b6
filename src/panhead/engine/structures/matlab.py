"""Matrices from MATLAB files: version 5 to 7 by SciPy, version 7.3 (HDF5) by h5py."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from panhead.engine.structures.matrices import BROKEN, structure_from_file
from panhead.engine.structures.structure import Structure
from panhead.errors import FileError

Array = np.ndarray | sp.sparray


def from_mat(
    path: str | Path,
    *,
    points: str = "points",
    stiffness: str = "K",
    mass: str = "M",
    places: Mapping[str, tuple[int, ...]] | None = None,
    name: str | None = None,
) -> Structure:
    """A structure from the variables of a MATLAB file, full or sparse: nodes (n, 3), stiffness and mass (N, N).

    Rows run node by node; ``places`` counts nodes from 0.
    """
    found = read_mat(path, (points, stiffness, mass))
    nodes = found[points]
    dense = nodes.toarray() if sp.issparse(nodes) else nodes
    return structure_from_file(Path(path), name, dense, found[stiffness], found[mass], places or {})


def read_mat(path: str | Path, names: tuple[str, ...]) -> dict[str, Any]:
    """Named numeric variables of a MATLAB file, arrays or sparse; FileError names what is missing."""
    from h5py import is_hdf5  # loaded with the first MATLAB file: an engine without one starts without them

    path = Path(path)
    try:
        found = _hdf5(path, names) if is_hdf5(path) else _version_5(path, names)
    except BROKEN as error:
        raise FileError(path, f"cannot be read as a MATLAB file: {error or type(error).__name__}") from None
    for name in names:
        if name not in found:
            raise FileError(path, f"{name}: missing; the file holds {', '.join(_names(path)) or 'nothing'}")
        if found[name].dtype.kind not in "fiu":
            raise FileError(path, f"{name}: must hold real numbers, got {found[name].dtype}")
    return found


def _version_5(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    import scipy.io

    variables = scipy.io.loadmat(path, variable_names=names, appendmat=False, spmatrix=False)
    return {name: variables[name] for name in names if name in variables}


def _hdf5(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """Arrays stand transposed; a sparse one is a group of data, row indices ``ir`` and column starts ``jc``."""
    import h5py

    found: dict[str, Any] = {}
    with h5py.File(path, "r") as file:
        for name in names:
            item = file.get(name)
            if isinstance(item, h5py.Dataset):
                found[name] = np.asarray(item).T
            elif isinstance(item, h5py.Group):
                parts = [np.asarray(item[key]) if key in item else np.zeros(0) for key in ("data", "ir", "jc")]
                found[name] = _sparse(parts, int(item.attrs["MATLAB_sparse"]))
    return found


def _sparse(parts: list[np.ndarray], rows: int) -> sp.csc_array:
    data, indices, starts = parts[0], parts[1].astype(np.int64), parts[2].astype(np.int64)
    if (
        (np.diff(starts) < 0).any()
        or starts[-1] != len(data)
        or (len(indices) and not 0 <= indices.min() <= indices.max() < rows)
    ):
        raise ValueError("a sparse variable points outside itself")
    return sp.csc_array((data, indices, starts), shape=(rows, len(starts) - 1))


def _names(path: Path) -> list[str]:
    import h5py
    import scipy.io

    if h5py.is_hdf5(path):
        with h5py.File(path, "r") as file:
            return sorted(key for key in file if not key.startswith("#"))
    return sorted(name for name, _, _ in scipy.io.whosmat(path, appendmat=False))
