"""Lines that begin in the workbench: TOML text from a template, from tables or from a survey.

Uploaded files are written to a folder of their own for as long as they are read, and are called in messages what the
user calls them.
"""

from __future__ import annotations

import base64
import binascii
import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from panhead.errors import FileError, RunWarning
from panhead.files.atomic_files import check_name

if TYPE_CHECKING:
    from panhead.app.workbench.tasks import TaskContext
    from panhead.files.column_names import ColumnMapping
    from panhead.railway.line.line_description import Line

_SUFFIXES: Final = (".csv", ".txt", ".tsv", ".xlsx")
_TAUGHT: Final = 3  # droppers named in the notes of a fit
Text = dict[str, Any]  #: the TOML text, and notes for the user


def line_of_template(desk: TaskContext, asked: Mapping[str, Any]) -> Text:
    """A commented line from answers to the questions of ``panhead new line``."""
    from panhead.desk.starter.file_templates import new_text

    answers = {key: str(value) for key, value in asked["answers"].items() if str(value).strip()}
    return {"text": new_text("line", asked["name"], answers), "notes": []}


def line_of_tables(desk: TaskContext, asked: Mapping[str, Any]) -> Text:
    """A line from uploaded tables of masts, droppers and keys, as ``panhead line import`` makes it."""
    from panhead.desk.sheets.from_tables import line_from_tables

    names = ("masts", "droppers", "keys")
    base = _line_named(desk, asked["base"]) if asked["base"] else None
    with _uploaded({name: asked[name] for name in names}) as (paths, notes):
        droppers, keys = paths.get("droppers"), paths.get("keys")
        line = line_from_tables(paths["masts"], droppers, keys, base, _mapping(desk, asked))
    return {"text": _text(line, asked["name"]), "notes": notes}


def line_of_survey(desk: TaskContext, asked: Mapping[str, Any]) -> Text:
    """A line as built: dropper lengths and staggers from uploaded surveys, as ``panhead line fit`` finds them."""
    from panhead.desk.sheets.survey_fit import combine_passes, fit_survey, read_survey

    if not asked["surveys"]:
        raise FileError("survey", "no file was given; choose one for each pass")
    drawn, columns = _line_named(desk, asked["line"]), _mapping(desk, asked)
    files = {str(k): one for k, one in enumerate(asked["surveys"])}
    with _uploaded(files) as (paths, notes):
        passes = combine_passes([read_survey(path, drawn, columns) for path in paths.values()])
        found = fit_survey(drawn, passes, noise=asked["noise"], tolerance=asked["tolerance"])
    notes.insert(0, f"Fitted to {found.x.size} heights; what remains is {1e3 * found.rms:.2f} mm (rms).")
    worst = sorted(found.droppers, key=lambda d: -abs(d.length - d.drawn))[:_TAUGHT]
    notes += [f"{d.place}: {1e3 * (d.length - d.drawn):+.1f} mm against the design" for d in worst]
    return {"text": _text(found.line, asked["name"]), "notes": notes}


def _mapping(desk: TaskContext, asked: Mapping[str, Any]) -> ColumnMapping:
    """Names and units of columns; a file of names is one of the project."""
    from panhead.files.column_names import read_mapping

    columns = asked["columns"].strip()
    if columns.lower().endswith(".toml") and "=" not in columns:
        columns = str(desk.project.place(columns))
    return read_mapping(columns, asked["units"])


def _line_named(desk: TaskContext, path: str) -> Line:
    """Line of a project file or a shipped file."""
    from panhead.files import parse
    from panhead.railway.line.line_description import Line

    return parse.build(Line, desk.project.read(path).raw, source=path)


def _text(line: Line, name: str) -> str:
    from dataclasses import replace

    from panhead.desk.sheets.line_file import line_text

    return line_text(replace(line, name=name))


@contextmanager
def _uploaded(files: Mapping[str, Any]) -> Iterator[tuple[dict[str, Path], list[str]]]:
    """Paths of uploaded files in a temporary folder, and notes, to which the warnings of whoever reads them are added.

    Errors and warnings name the files as the user does.
    """
    with tempfile.TemporaryDirectory(prefix="panhead-upload-") as place, warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", RunWarning)
        folders = {key: Path(place).resolve() / str(k) for k, key in enumerate(files)}
        paths = {key: _write_upload(folders[key], one) for key, one in files.items() if one is not None}
        notes: list[str] = []
        try:
            yield paths, notes
        except FileError as error:
            named = [_without(problem, folders.values()) for problem in error.problems]
            raise FileError(_without(error.path, folders.values()), named) from None
        told = (str(w.message) for w in heard if issubclass(w.category, RunWarning))
        notes += dict.fromkeys(_without(words, folders.values()) for words in told)


def _write_upload(folder: Path, one: Mapping[str, Any]) -> Path:
    """Write one file into a folder of its own: two files may have the same name."""
    name, content = str(one["name"]), str(one["content"])
    if Path(name).suffix.lower() not in _SUFFIXES:
        raise FileError(name[:200], f"must be a table ({', '.join(_SUFFIXES)})")
    try:
        check_name(name)
        data = base64.b64decode(content, validate=True)
    except (ValueError, binascii.Error) as error:
        raise error if isinstance(error, FileError) else FileError(name[:200], f"cannot be read: {error}") from None
    folder.mkdir()
    path = folder / name
    path.write_bytes(data)
    return path


def _without(text: str, folders: Iterable[Path]) -> str:
    for folder in folders:
        text = text.replace(f"{folder}{os.sep}", "")
    return text
