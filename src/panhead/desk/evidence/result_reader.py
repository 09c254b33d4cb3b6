"""Read stored results of runs under a line, each with a unique short name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from panhead.desk.reports.judgement import Entry, entries
from panhead.errors import FileError, ModelError
from panhead.files import results
from panhead.files.result import Result


@dataclass(frozen=True, slots=True)
class StoredRun:
    """An assessed result and its path."""

    name: str
    path: Path
    result: Result

    @property
    def entries(self) -> list[Entry]:
        """Every pantograph of every variant."""
        return entries(self.result)


def read_run_results(paths: Sequence[str | Path]) -> list[StoredRun]:
    """Read assessed results of runs under a line; FileError names the first file that is not one."""
    names = _names([Path(path) for path in paths])
    return [StoredRun(name, Path(path), judged_result(path)) for name, path in zip(names, paths, strict=True)]


def judged_result(path: str | Path) -> Result:
    """The result of a run under a line, with its criteria."""
    found = results.load(path)
    if "criteria" not in found.attrs:
        raise FileError(path, "is not an assessed run under a line (it has no attribute 'criteria')")
    return found


def _names(paths: Sequence[Path]) -> list[str]:
    """The folder of a ``result.nc``, else the file's own name; equal names get a number."""
    short = [path.resolve().parent.name if path.stem == "result" else path.stem for path in paths]
    if len({path.resolve() for path in paths}) < len(paths):
        raise ModelError(f"the same result is given twice: {', '.join(map(str, paths))}")
    return [f"{name} ({short[: k + 1].count(name)})" if short.count(name) > 1 else name for k, name in enumerate(short)]
