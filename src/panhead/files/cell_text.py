"""Words in the cells of CSV and Excel files: no name becomes a formula or a comment, none holds a control character.

A spreadsheet evaluates a cell that begins with = + - @, whoever has named a mast so. Such words get an apostrophe in
front, the spreadsheets' own mark for text; ``original_text`` takes it away again.
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
    """A cell as it may be written: text that would be evaluated behind an apostrophe, control characters as �."""
    if not isinstance(cell, str):
        return cell
    if _CONTROL.search(cell):
        warnings.warn(RunWarning(f"{cell!r:.80} holds control characters; the file has � for them"), stacklevel=2)
        cell = _CONTROL.sub("\ufffd", cell)
    return f"'{cell}" if _EVALUATED.match(cell) and not _HARMLESS.fullmatch(cell) else cell


def original_text(text: str) -> str:
    """What ``safe_cell`` was given."""
    return text[1:] if text.startswith("'") and _EVALUATED.match(text[1:]) else text


def csv_lines(rows: Iterable[Iterable[Any]], delimiter: str = ",") -> str:
    """Rows as the text of a CSV file."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(map(safe_cell, row) for row in rows)
    return text.getvalue()
