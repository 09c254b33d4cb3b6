"""``panhead export``: tables of a result as CSV or Excel, or the whole result as a MATLAB MAT file.

What shares a dimension shares a table: one row for each sample of time, support, dropper …; a variable of two
dimensions has a column for each item of the other. Units stand below the names.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from panhead.assess import judgement
from panhead.desk.sheets.table_rows import DeskTable, TableColumn, write_csv, write_excel
from panhead.files.atomic_files import write_atomic
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

_NAMES: Final = {"dropper": "dropper_name", "support": "support_name", "pantograph": "pantograph", "wire": "wire_name"}
_ROWS: Final = ("time", "sample", "frame")  # dimensions that go down, before others


def tables(result: xr.Dataset) -> list[DeskTable]:
    """The judgement, then a table for each dimension, of every variant."""
    found = [_judged_variables(result)] if "criteria" in result.attrs else []
    for variant, one in separate(result).items():
        by_dimension: dict[str, list[tuple[str, str, np.ndarray]]] = {}
        for name, x in one.variables.items():
            if 1 <= x.ndim <= 2:
                down = _row_dimension([str(d) for d in x.dims])
                by_dimension.setdefault(down, []).extend(_columns(one, str(name), down))
        for down, columns in by_dimension.items():
            heads = [TableColumn(name, unit) for name, unit, _ in columns]
            rows = list(zip(*(values.tolist() for _, _, values in columns), strict=True))
            found.append(DeskTable(f"{down}, {variant}" if variant else down, heads, rows))
    return found


def _row_dimension(dims: list[str]) -> str:
    return next((d for d in _ROWS if d in dims), dims[0])


def _columns(one: xr.Dataset, name: str, down: str) -> Iterator[tuple[str, str, np.ndarray]]:
    """A variable as columns: one, or one for each item of its other dimension."""
    x = one.variables[name]
    unit = str(x.attrs.get("units", ""))
    if x.ndim == 1:
        yield name, unit, x.to_numpy()
        return
    (across,) = (str(d) for d in x.dims if d != down)
    values = x.to_numpy() if x.dims[0] == down else x.to_numpy().T
    known = _NAMES.get(across, "")
    labels = [str(v) for v in one[known].to_numpy()] if known in one.variables else range(1, values.shape[1] + 1)
    yield from ((f"{name}[{label}]", unit, values[:, k]) for k, label in enumerate(labels))


def _judged_variables(result: xr.Dataset) -> DeskTable:
    heads = [
        "variant",
        "pantograph",
        "key",
        "name",
        "value",
        "error",
        "limit",
        "bound",
        "unit",
        "verdict",
        "place",
        "time",
    ]
    rows = [
        [variant, name, c.key, c.name, c.value, c.error, c.limit, c.bound, c.unit, c.verdict, c.place, c.time]
        for variant, of in judgement(result).items()
        for name, criteria in of.items()
        for c in criteria
    ]
    units = [*[""] * 4, "see unit", "see unit", "see unit", "", "", "", "m", "s"]
    return DeskTable("judgement", [TableColumn(*head) for head in zip(heads, units, strict=True)], rows)


def to_csv(result: xr.Dataset, folder: Path) -> list[Path]:
    """A file for each table, in UTF-8, numbers with every digit."""
    return write_csv(tables(result), folder)


def to_xlsx(result: xr.Dataset, path: Path) -> Path:
    """One workbook with a sheet for each table."""
    return write_excel(tables(result), path)


def to_mat(result: xr.Dataset, path: Path) -> Path:
    """One MAT file (version 5): every variable, its units in ``units``, the judgement in ``judgement``.

    With variants each is a structure of its own, ``variant_1`` …, with its ``name``.
    """
    from scipy.io import savemat

    several = separate(result)
    parts = {variant: _structure(one) for variant, one in several.items()}
    content: dict[str, Any] = parts[""] if "" in parts else {
        f"variant_{k}": part | {"name": variant} for k, (variant, part) in enumerate(parts.items(), 1)
    }  # fmt: skip
    if "criteria" in result.attrs:
        found = _judged_variables(result)
        columns = (np.array(column, dtype=object) for column in zip(*found.rows, strict=True))
        content["judgement"] = {c.name: _matlab(column) for c, column in zip(found.columns, columns, strict=True)}
    content["inputs"] = str(result.attrs.get("inputs", ""))
    file = io.BytesIO()
    savemat(file, content, long_field_names=True, do_compression=True, oned_as="column")
    return write_atomic(path, file.getvalue())


def _structure(one: xr.Dataset) -> dict[str, Any]:
    found = {str(name): _matlab(x.to_numpy()) for name, x in one.variables.items()}
    units = {str(name): str(x.attrs.get("units", "")) for name, x in one.variables.items()}
    plain = {k: v for k, v in one.attrs.items() if isinstance(v, (str, int, float, np.generic))}
    return found | {"units": units, "attributes": {k: v for k, v in plain.items() if not _json(v)}}


def _json(value: object) -> bool:
    try:
        return isinstance(value, str) and isinstance(json.loads(value), (dict, list))
    except ValueError:
        return False


def _matlab(values: np.ndarray) -> np.ndarray:
    """Text becomes a cell array; a missing number NaN."""
    if values.dtype.kind == "O":
        if any(isinstance(v, str) and v for v in values):
            return np.array(["" if v is None else str(v) for v in values], dtype=object)
        return np.array([np.nan if v in ("", None) else float(v) for v in values])
    return values.astype(object) if values.dtype.kind == "U" else values
