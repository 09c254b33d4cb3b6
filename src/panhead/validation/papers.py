"""One page for each source document: every table and figure in print, the reading, and our rows beside it.

``data/papers/<name>.toml`` lists what a document prints and which rows of which validation cases stand beside it.
``panhead reproduce NAME`` computes these cases and writes the page; the documentation writes it from recorded results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, final

from panhead.errors import FileError, ModelError
from panhead.files import library

#: Validation results as plain data: case → quantity → row.
Results = Mapping[str, Mapping[str, Mapping[str, Any]]]
Outcome = Literal["met", "fitted", "differs", "not shown", "drawing", "data"]
#: What an outcome means, in the words of the page.
OUTCOMES: Mapping[Outcome, str] = {
    "met": "reproduced",
    "fitted": "met by fitting",
    "differs": "**differs**",
    "not shown": "**not reproduced**",
    "drawing": "a sketch; nothing to compare",
    "data": "input, taken as printed unless the reading says otherwise",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PaperItem:
    """One table, figure or claim of a document."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    at: str  #: where it stands: "Table 5", "Figures 6–7", "text"
    shows: str  #: what it shows
    outcome: Outcome
    reading: str = ""  #: what is not printed and was chosen, misprints, what the difference means
    case: str = ""  #: validation case whose rows stand beside it
    rows: tuple[str, ...] = ()  #: names of the rows; none: all of the case
    command: str = ""  #: command that shows it, if not the validation case

    def __post_init__(self) -> None:
        if self.rows and not self.case:
            raise ModelError(f"paper item {self.at!r} names rows without a validation case; give `case`")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDocument:
    """A source document."""

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    key: str  #: in the bibliography
    title: str
    authors: str
    tables: tuple[str, ...]  #: numbers of its tables, as printed
    figures: int  #: number of its figures
    summary: str  #: what is reproduced and what is not, in two or three sentences
    items: tuple[PaperItem, ...]

    @property
    def cases(self) -> tuple[str, ...]:
        """Validation cases that the page needs, each once."""
        return tuple(dict.fromkeys(item.case for item in self.items if item.case))


def names() -> list[str]:
    """Names of all documents."""
    return list(library.shipped("papers"))


def read_paper(name: str) -> SourceDocument:
    """Read the list of a document; FileError if there is none of that name."""
    if name not in names():
        raise FileError(name, f"is not a source document. Documents: {', '.join(names())}")
    return library.read(SourceDocument, "papers", name)


def page(paper: SourceDocument, results: Results, cite: str = "{title}") -> str:
    """The page in Markdown; ``cite`` formats the reference from ``title`` and ``key``."""
    lines = [f"# {paper.authors}: {paper.title}", "", cite.format(title=paper.title, key=paper.key), "", paper.summary]
    lines += ["", *_overview(paper), ""]
    for item in paper.items:
        lines += [f"## {item.at}", "", f"{item.shows} *{_plain(item.outcome)}.*", ""]
        if item.reading:
            lines += [item.reading, ""]
        if item.case:
            lines += [*_table(item, results), ""]
        if command := item.command or (f"panhead validate {item.case}" if item.case else ""):
            lines += [f"Command: `{command}`", ""]
    return "\n".join(lines).rstrip() + "\n"


def _overview(paper: SourceDocument) -> Iterator[str]:
    yield "| in print | what it shows | here |"
    yield "|---|---|---|"
    for item in paper.items:
        yield f"| {item.at} | {item.shows} | {OUTCOMES[item.outcome]} |"


def _plain(outcome: Outcome) -> str:
    return OUTCOMES[outcome].replace("*", "").capitalize()


def _table(item: PaperItem, results: Results) -> Iterator[str]:
    rows = results.get(item.case, {})
    yield "| quantity | reference | here | difference | |"
    yield "|---|---|---|---|---|"
    for name in item.rows or tuple(rows):
        if name not in rows:
            raise ModelError(f"{item.at!r} names the row {name!r}, which the validation case {item.case!r} has not")
        yield _row(name, rows[name])


def _row(name: str, row: Mapping[str, Any]) -> str:
    value, reference = row["value"], row["reference"]
    unit = "" if row["unit"] in ("", "1") else f" {row['unit']}"
    judged = {True: "met", False: "**not met**", None: "listed"}[row["ok"]]
    shown = "" if reference is None else f"{reference:.5g}{unit}"
    cells = (escaped(name), shown, f"{value:.5g}{unit}", _difference(value, reference, unit), judged)
    return "| " + " | ".join(cells) + " |"


def _difference(value: float, reference: float | None, unit: str) -> str:
    if reference is None:
        return ""
    if reference == 0.0 or unit == " %":
        return f"{value - reference:+.3g}{unit}"
    return f"{100 * (value / reference - 1):+.2g} %"


def escaped(words: str) -> str:
    """Words for a cell of a Markdown table."""
    return re.sub(r"([|*_<`\[$])", r"\\\1", words)
