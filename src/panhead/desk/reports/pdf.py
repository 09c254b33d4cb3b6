"""A report as a PDF of A4 pages, set by Typst: an executive page first, then every table and figure.

Typst is a library without system packages (``pip install panhead[pdf]``); it brings its own fonts, so that a page looks
the same on every machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from panhead import __version__
from panhead.desk.drawing import svg
from panhead.desk.drawing.figures import COLORS
from panhead.desk.reports.page import Block, Mood, Page, PageList, PageTable, Picture
from panhead.errors import ModelError

_FONT: Final = "Libertinus Serif"
_COLORS: Final[dict[Mood, tuple[str, str, str]]] = {
    "good": ("OK", "#166534", "#e8f6ec"),
    "warning": ("Attention", "#92400e", "#fdf3dc"),
    "bad": ("Fail", "#991b1b", "#fdeaea"),
    "neutral": ("Result", "#1e40af", "#eaf0fc"),
}
_MARKS: Final[dict[str, str]] = {"good": "✓", "warning": "!", "bad": "✗", "neutral": "i"}
_SIGNED: Final = ("Author", "Checker")  # fields of a title block with room for a signature
_WIDE: Final = 6  # columns from which a table is set smaller


def write_pdf(page: Page, path: Path) -> Path:
    """Write a report as a PDF; the file appears whole or not at all."""
    from panhead.files.atomic_files import write_atomic

    return write_atomic(path, pdf(page))


def pdf(page: Page) -> bytes:
    """The report as the bytes of a PDF; ModelError with the remedy where Typst is not installed."""
    try:
        import typst
    except ImportError:
        raise ModelError("report --pdf needs Typst; install it with: pip install 'panhead[pdf]'") from None
    with tempfile.TemporaryDirectory(prefix="panhead-pdf-") as folder:
        for picture in (b for section in page.sections for b in section.blocks if isinstance(b, Picture)):
            drawn = svg.document(picture.chart).replace(svg.FONT, _FONT)
            (Path(folder) / f"{picture.name}.svg").write_text(drawn, encoding="utf-8")
        source = Path(folder) / "report.typ"
        source.write_text(typst_source(page), encoding="utf-8")
        made: bytes = typst.compile(str(source), root=folder)
    return made


def typst_source(page: Page) -> str:
    """The report as Typst source; pictures are files ``NAME.svg`` beside it."""
    first, *others = page.sections
    parts = [_preamble(page), _head(page), _verdict(page), *(_block(b) for b in first.blocks)]
    for number, section in enumerate(others):
        break_ = "#pagebreak()\n" if number == 0 else ""
        blocks = [_block(b) for b in section.blocks]
        if any(blocks):  # an animation is not printed, and no heading of it
            parts += [f"{break_}= {_inline(section.heading)}\n", *blocks]
    return "\n".join(parts)


def _string(text: str) -> str:
    """A string literal of Typst."""
    plain = text.replace("\u00a0", " ").replace("✕", "✗")
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _inline(text: str) -> str:
    """Text in markup, taken literally."""
    return f"#{_string(text)}"


def _preamble(page: Page) -> str:
    foot = f"{page.title} · Panhead {__version__}"
    return f"""#set document(title: {_string(page.title)})
#set page(paper: "a4", margin: (x: 16mm, top: 16mm, bottom: 18mm), footer: context [
  #set text(8pt, fill: rgb("{COLORS["grey"][0]}"))
  #{_string(foot)} #h(1fr) page #counter(page).display() of #counter(page).final().first()])
#set text(font: ("{_FONT}", "New Computer Modern", "DejaVu Sans Mono"), size: 10pt, lang: "en")
#set par(justify: false)
#set table(stroke: none, inset: (x: 4pt, y: 3pt))
#show heading: it => block(above: 14pt, below: 7pt, sticky: true, it)
"""


def _head(page: Page) -> str:
    rows = [f"#text(18pt, weight: 700)[{_inline(page.title)}]"]
    if page.subtitle:
        rows.append(f'#text(fill: rgb("{COLORS["grey"][0]}"))[{_inline(page.subtitle)}]')
    if page.title_block:
        cells = ", ".join(
            f"[#text(7pt)[{_inline(name)}] \\ #strong[{_inline(value)}]{_signature(name)}]"
            for name, value in page.title_block
        )
        count = len(page.title_block)
        rows.append(f"#table(columns: {_tuple(['1fr'] * count)}, stroke: 0.5pt, inset: 4pt, {cells})")
    return "\n\n".join(rows) + "\n"


def _signature(name: str) -> str:
    return " \\ #v(6mm) #line(length: 100%, stroke: 0.4pt) #text(7pt)[signature]" if name in _SIGNED else ""


def _verdict(page: Page) -> str:
    verdict = page.verdict
    word, ink, paper = _COLORS[verdict.mood]
    lines = [
        f'#text(13pt, weight: 700)[#text(fill: rgb("{ink}"))[{_inline(word.upper())}] {_inline(verdict.sentence)}]'
    ]
    for mood, words in verdict.beside:
        mark = f'#text(fill: rgb("{_COLORS[mood][1]}"), weight: 700)[{_inline(_MARKS[mood])}]'
        lines.append(f"{mark} {_inline(words)}")
    lines += [f"#text(9pt)[– {_inline(words)}]" for words in verdict.details]
    inside = "\n\n".join(lines)
    return f'#block(fill: rgb("{paper}"), stroke: (left: 4pt + rgb("{ink}")), inset: 9pt, width: 100%)[\n{inside}\n]\n'


def _block(block: Block) -> str:
    if isinstance(block, PageTable):
        return _table(block)
    if isinstance(block, PageList):
        return "\n".join([*_title(block.title), *(f"- {_inline(item)}" for item in block.items), ""])
    if isinstance(block, Picture):
        drawing = f'#image("{block.name}.svg", width: 100%)'
        note = f"#text(8.5pt)[{_inline(block.caption)}]" if block.caption else ""
        body = "\n".join([*_title(block.title), drawing, note])
        return f"#block(breakable: false)[\n{body}\n]\n"
    return f"{_inline(block)}\n" if isinstance(block, str) else ""  # what moves is not printed


def _title(text: str) -> Iterator[str]:
    if text:
        yield f"#block(above: 10pt, below: 5pt, sticky: true)[#strong[{_inline(text)}]]"


def _table(table: PageTable) -> str:
    """A table that repeats its heads on every page; the first column and those of words take the room that is left."""
    marked = bool(table.moods)
    heads = ([""] if marked else []) + [str(h) for h in table.headings]
    columns = (["auto"] if marked else []) + _widths(table)
    cells = [f"table.header({', '.join(f'strong({_string(h)})' for h in heads)})", "table.hline(stroke: 0.6pt)"]
    for k, row in enumerate(table.rows):
        mood = table.moods[k] if marked else ""
        mark = [f'text(fill: rgb("{_COLORS[mood][1]}"), weight: 700, {_string(_MARKS[mood])})'] if mood else []
        cells.append(", ".join([*mark, *(_string(str(cell)) for cell in row)]))
    size = "7.5pt" if len(heads) > _WIDE else "8.5pt"
    note = f"\n#text(8pt)[{_inline(table.note)}]" if table.note else ""
    body = f"#table(columns: {_tuple(columns)}, {', '.join(cells)})"
    return "\n".join([*_title(table.title), f"#text({size})[{body}]{note}\n"])


def _widths(table: PageTable) -> list[str]:
    """Columns of long words share the width, others take what they need."""
    longest = [max([len(str(row[k])) for row in table.rows] or [0]) for k in range(len(table.headings))]
    widths = ["1fr" if size > 24 else "auto" for size in longest]
    return widths if "1fr" in widths else ["1fr", *widths[1:]]


def _tuple(items: Sequence[str]) -> str:
    return f"({', '.join(items)},)"
