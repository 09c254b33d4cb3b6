"""Read Excel workbooks (.xlsx) safely, from untrusted files.

The XML is parsed as a stream: sizes are bounded before anything is stored, and this reader sees what libraries that
return values only ignore: formulas that were never calculated, merged cells, dates, errors, hidden rows.
"""

from __future__ import annotations

import contextlib
import lzma
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.parsers import expat

from panhead.errors import FileError, alternatives
from panhead.files.sheet_xml import Sheet, SheetParser, StringsParser, StylesParser

_FILE: Final = 32_000_000  # bytes of a workbook
_PART: Final = 64_000_000  # bytes of one of its parts, unpacked: a survey of a hundred kilometres
_RATIO: Final = 400  # of unpacked to packed size; columns of equal numbers reach a hundred
_SMALL: Final = 1_000_000  # bytes: parts below may have any ratio
_CHUNK: Final = 1_000_000  # bytes that are parsed at a time
_DEEPEST: Final = 40  # elements inside one another
_ELEMENTS: Final = 8_000_000  # of one part
_BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, struct.error),
    *(expat.ExpatError, LookupError, ValueError, OverflowError, MemoryError),
)

Attributes = Mapping[str, str]


def sheet_names(path: Path) -> list[str]:
    """Names of the sheets of cells in a workbook."""
    with _open_workbook(path) as book:
        return list(book.sheets)


def read_sheet(path: Path, wanted: str) -> Sheet:
    """Read the named sheet (case ignored); a workbook with a single sheet needs no name."""
    with _open_workbook(path) as book:
        names, wanted = {name.strip().lower(): name for name in book.sheets}, wanted.strip().lower()
        if wanted not in names and len(names) != 1:
            raise FileError(path, f"has no sheet {wanted!r}; {alternatives(wanted, book.sheets)}")
        strings, styles = StringsParser(), StylesParser()
        for parser, part in ((strings, book.strings), (styles, book.styles)):
            if part is not None:
                book.parse(part, parser.begin, parser.end, parser.text)
        chosen = names.get(wanted, next(iter(book.sheets)))
        sheet = SheetParser(strings.found, styles.kinds())
        book.parse(book.sheets[chosen], sheet.begin, sheet.end, sheet.text)
        return sheet.finished()


@contextlib.contextmanager
def _open_workbook(path: Path) -> Iterator[_Book]:
    """Open a workbook; any error in the archive or XML becomes a FileError."""
    try:
        if not path.is_file():
            raise FileError(path, "no such file")
        if path.stat().st_size > _FILE:
            raise FileError(path, f"is larger than the limit of {_FILE // 1_000_000} MB")
        with zipfile.ZipFile(path) as archive:
            yield _Book(path, archive)
    except FileError:
        raise
    except _BROKEN as error:
        raise FileError(path, f"is not a readable Excel file (.xlsx): {error or type(error).__name__}") from None


@dataclass(slots=True)
class _Relation:
    kind: str
    target: str


class _Book:
    """Parts of a workbook: places of sheets, shared strings and styles."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self.path, self.archive = path, archive
        self.sheets: dict[str, str] = {}
        main = next((r.target for r in self._relations("").values() if r.kind == "officeDocument"), "xl/workbook.xml")
        related = self._relations(main)
        one = lambda kind: next((r.target for r in related.values() if r.kind == kind), None)
        self.strings, self.styles = one("sharedStrings"), one("styles")

        def begin(name: str, given: Attributes) -> None:
            link = next((v for k, v in given.items() if k.endswith(":id")), "")
            if name == "sheet" and link in related and related[link].kind == "worksheet":
                self.sheets[given.get("name", "")] = related[link].target

        self.parse(main, begin)
        if not self.sheets:
            raise ValueError("it has no sheet")

    def _relations(self, part: str) -> dict[str, _Relation]:
        """Id → type and target of every relationship of a part."""
        folder, name = posixpath.split(part)
        listed = posixpath.join(folder, "_rels", f"{name}.rels")
        found: dict[str, _Relation] = {}

        def begin(name: str, given: Attributes) -> None:
            if name == "Relationship":
                target = posixpath.normpath(posixpath.join("/", folder, given.get("Target", ""))).lstrip("/")
                found[given.get("Id", "")] = _Relation(posixpath.basename(given.get("Type", "")), target)

        if listed in self.archive.namelist():
            self.parse(listed, begin)
        return found

    def parse(
        self,
        part: str,
        begin: Callable[[str, Attributes], None],
        end: Callable[[str], None] = lambda _: None,
        text: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Parse a part and pass its elements on, names without prefix."""
        parser, depth, count = expat.ParserCreate(), 0, 0

        def started(name: str, given: Attributes) -> None:
            nonlocal depth, count
            depth, count = depth + 1, count + 1
            if depth > _DEEPEST:
                raise ValueError(f"{part}: elements are nested more than {_DEEPEST} levels deep")
            if count > _ELEMENTS:
                raise ValueError(f"{part} has more than {_ELEMENTS} elements, the limit")
            begin(name.rpartition(":")[2], given)

        def ended(name: str) -> None:
            nonlocal depth
            depth -= 1
            end(name.rpartition(":")[2])

        def refuse(*_: object) -> None:
            raise ValueError(f"{part} declares a document type, which a workbook must not have")

        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = started, ended
        parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, refuse
        for chunk in self._chunks(part):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)

    def _chunks(self, part: str) -> Iterator[bytes]:
        """Yield a part in chunks, up to the size limit, whatever size the archive declares."""
        about = self.archive.getinfo(part)
        most = min(_PART, max(_SMALL, _RATIO * about.compress_size))
        size = about.file_size
        with self.archive.open(about) as file:
            read = 0
            while size <= most and (chunk := file.read(_CHUNK)):
                read += len(chunk)
                size = max(size, read)
                yield chunk
        if size > most:
            kind = f"more than {_RATIO} times its packed size" if most < _PART else f"{size // 1_000_000} MB"
            raise ValueError(f"{part} unpacks to {kind}, above the limit")


def is_workbook(path: str | Path) -> bool:
    """Return whether a file is a workbook, by its name."""
    return Path(path).suffix.lower() in (".xlsx", ".xlsm")
