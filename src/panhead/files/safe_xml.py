"""Safe XML parsing: no document types, so no entity expansion and no external entities."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from panhead.errors import FileError


def xml_tree(path: Path, text: str | bytes, *, called: str, language: str) -> ElementTree.Element:
    """Parse XML text into a tree; refuse a document type, because its entities can expand without limit."""

    def refuse(*_: object) -> None:
        raise FileError(path, f"{called} declares a document type, which {language} does not allow")

    guard = expat.ParserCreate()
    guard.StartDoctypeDeclHandler = refuse
    try:
        guard.Parse(text, True)
        return ElementTree.fromstring(text)
    except (expat.ExpatError, ElementTree.ParseError, ValueError, LookupError) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(path, f"{called} is not XML: {error}") from None
