"""Files of a data set: tables as Parquet (extra ``dataset``), or as one Zarr store, which needs no library."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, Literal, Protocol, final

import numpy as np

from panhead import __version__
from panhead.errors import ModelError
from panhead.files.atomic_files import write_atomic
from panhead.files.zarr_store import write_group

DatasetFormat = Literal["parquet", "zarr"]
_STORE = "data.zarr"
#: format → where the samples and where the curves are
PLACES: Final[Mapping[DatasetFormat, tuple[str, str]]] = {
    "parquet": ("samples.parquet", "curves/sample-N.parquet"),
    "zarr": (f"{_STORE}/samples", f"{_STORE}/curves/sample-N"),
}


class TableWriter(Protocol):
    """Writer of the tables of a data set."""

    def curve(self, number: int, columns: Mapping[str, Any]) -> str:
        """Write the force curve of a sample; where it is, in the data set's folder."""

    def samples(self, columns: Mapping[str, Any]) -> None:
        """Write the table of samples."""


def table_writer(form: DatasetFormat, folder: Path) -> TableWriter:
    """The writer of a format; ModelError if it needs a library that is not there."""
    return ParquetTables(folder) if form == "parquet" else ZarrTables(folder)


@final
class ParquetTables:
    """A Parquet file for each table."""

    def __init__(self, folder: Path) -> None:
        try:
            import pyarrow
            import pyarrow.parquet
        except ImportError:
            raise ModelError(
                "study --dataset: Parquet needs pyarrow: pip install panhead[dataset], or use --format zarr"
            ) from None
        self._arrow: Any = pyarrow
        self._folder = folder

    def curve(self, number: int, columns: Mapping[str, Any]) -> str:
        name = PLACES["parquet"][1].replace("N", str(number))
        self._write(name, columns)
        return name

    def samples(self, columns: Mapping[str, Any]) -> None:
        self._write(PLACES["parquet"][0], columns)

    def _write(self, name: str, columns: Mapping[str, Any]) -> None:
        table = self._arrow.table(dict(columns)).replace_schema_metadata({"panhead": __version__})
        memory = io.BytesIO()
        self._arrow.parquet.write_table(table, memory, compression="zstd")
        write_atomic(self._folder / name, memory.getvalue())


@final
class ZarrTables:
    """A Zarr store with a group for each table and an array for each column."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def curve(self, number: int, columns: Mapping[str, Any]) -> str:
        name = PLACES["zarr"][1].replace("N", str(number))
        write_group(self._folder / name, columns)
        return name

    def samples(self, columns: Mapping[str, Any]) -> None:
        write_group(self._folder / _STORE, attributes={"panhead": __version__})
        write_group(self._folder / _STORE / "curves")
        write_group(self._folder / PLACES["zarr"][0], {name: np.asarray(x) for name, x in columns.items()})
