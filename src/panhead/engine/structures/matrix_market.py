"""Read a matrix from a Matrix Market file with full checks, because SciPy's reader trusts a file and can crash."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
import scipy.sparse as sp

from panhead.errors import FileError

_HEAD = re.compile(r"%%MatrixMarket\s+matrix\s+(coordinate|array)\s+(?:real|integer)\s+(general|symmetric)\s*", re.I)


def read_matrix(path: str | Path) -> np.ndarray | sp.coo_array:
    """An ``array`` as (rows, columns), a ``coordinate`` file as a sparse matrix; real, general or symmetric."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            head = _HEAD.fullmatch(file.readline(200))
            if head is None:
                raise ValueError(
                    "its first line is not '%%MatrixMarket matrix coordinate|array real general|symmetric'"
                )
            size = [int(word) for word in next(_lines(file), "").split()]
            if len(size) != (2 if head[1].lower() == "array" else 3) or min(size) < 1:
                raise ValueError(f"its size line reads {' '.join(map(str, size))!r:.60}")
            rows = _numbers(file)
    except (OSError, ValueError) as error:  # among them a file that is not UTF-8
        raise FileError(path, f"cannot be read as Matrix Market: {error}") from None
    symmetric = head[2].lower() == "symmetric"
    try:
        return _dense(rows, size, symmetric) if len(size) == 2 else _sparse(rows, size, symmetric)
    except ValueError as error:
        raise FileError(path, f"does not match the size in its Matrix Market header: {error}") from None


def _lines(file: TextIO) -> Iterator[str]:
    return (line for line in file if line.strip() and not line.startswith("%"))


def _numbers(file: TextIO) -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a file without numbers is told by its sizes
        return np.loadtxt(_lines(file), ndmin=2)


def _dense(rows: np.ndarray, size: list[int], symmetric: bool) -> np.ndarray:
    """Column by column; of a symmetric matrix the lower triangle."""
    n, m = size
    wanted = n * (n + 1) // 2 if symmetric else n * m
    if rows.size != wanted or (symmetric and n != m):
        raise ValueError(f"{n} × {m} needs {wanted} numbers, the file has {rows.size}")
    if not symmetric:
        return rows.reshape(m, n).T
    upper = np.zeros((n, n))
    upper[np.triu_indices(n)] = rows.ravel()
    return upper + np.triu(upper, 1).T


def _sparse(rows: np.ndarray, size: list[int], symmetric: bool) -> sp.coo_array:
    n, m, count = size
    if rows.shape != (count, 3):
        raise ValueError(f"{count} entries of row, column and value are announced, the file has {rows.shape}")
    place = rows[:, :2] - 1.0
    if not ((place >= 0) & (place < (n, m)) & (place == np.floor(place))).all():
        raise ValueError(f"an entry lies outside the {n} × {m} matrix")
    i, j = place.astype(np.int64).T
    values, beside = rows[:, 2], (i != j) & symmetric
    entries = np.concatenate([values, values[beside]])
    return sp.coo_array((entries, (np.append(i, j[beside]), np.append(j, i[beside]))), shape=(n, m))
