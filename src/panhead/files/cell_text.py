"""Text in cells of CSV and Excel files, escaped against formula injection, comments and control characters.

A spreadsheet evaluates a cell that begins with = + - @, even if it is the name of a mast. Such text gets a leading
apostrophe, the spreadsheets' own mark for text; ``original_text`` removes it again.
"""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Iterable
from typing import Any, Final

from panhead.errors import RunWarning

Cell = float | int | str | None
_EVALUATED: Final = re.compile(r"'*(?:\s*[=+\-@#＝＋－＠]|\t)")  # and #, which begins a comment
_NUMBER: Final = r"(?:\d+(?:[.,]\d*)?(?:[eE][+-]?\d+)?|inf)"
_HARMLESS: Final = re.compile(rf"[+-]?{_NUMBER}(?: ?[^\W\d_][\w*/²³·°%]*)?|-")  # a number, a quantity, a dash
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def safe_cell(cell: Any) -> Any:
    """Escape a cell: an apostrophe before text that a spreadsheet would evaluate, � for control characters."""
    if not isinstance(cell, str):
        return cell
    if _CONTROL.search(cell):
        warnings.warn(RunWarning(f"{cell!r:.80} contains control characters; they are written as �"), stacklevel=2)
        cell = _CONTROL.sub("\ufffd", cell)
    return f"'{cell}" if _EVALUATED.match(cell) and not _HARMLESS.fullmatch(cell) else cell


def original_text(text: str) -> str:
    """Undo ``safe_cell``."""
    return text[1:] if text.startswith("'") and _EVALUATED.match(text[1:]) else text


def csv_lines(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    """Format rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(map(safe_cell, row) for row in rows)
    return text.getvalue()
