"""A Page becomes one self-contained HTML file that opens offline, on a desk or on a telephone."""

from __future__ import annotations

import base64
import functools
import os
import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from panhead import __version__
from panhead.errors import ModelError
from panhead.report import figures
from panhead.report.packing import animation_json
from panhead.report.page import Animation, Block, Page, Picture, Table

#: how a mood looks and what it is called: never colour alone
MARKS: Final = {
    "good": ("✓", "Good"),
    "warning": ("!", "Attention"),
    "bad": ("✕", "Not good"),
    "neutral": ("i", "Result"),
}
_LARGEST_SVG: Final = 600_000  # bytes; beyond it a PNG is smaller and opens faster


def render(page: Page) -> str:
    """The whole report as HTML text. It asks the network for nothing."""
    blocks = [block for section in page.sections for block in section.blocks]
    _unique_names(blocks)
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            version=__version__,
            marks=MARKS,
            show=_show,
            css=_asset("style.css"),
            js=_asset("player.js"),
            animated=any(isinstance(b, Animation) for b in blocks),
        )
    )


def write(page: Page, folder: Path) -> Path:
    """Write ``report.html`` and ``figures/*.png``; each file appears whole or not at all."""
    folder = Path(folder)
    html = render(page)  # first: if it fails, nothing is written
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Picture):
                _place(folder / "figures" / f"{block.name}.png", figures.to_png(block.figure))
    return _place(folder / "report.html", html.encode())


def _place(path: Path, content: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    return path


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("panhead.report", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@functools.cache
def _asset(name: str) -> Markup:
    """A stylesheet or script of ours, trusted as it stands."""
    return Markup((resources.files("panhead.report") / "templates" / name).read_text("utf-8"))


def _show(block: Block) -> Markup:
    macros: Any = _environment().get_template("blocks.html.j2").module
    if isinstance(block, Table):
        _check_shape(block)
        return macros.table(block, _numeric_columns(block), MARKS)
    if isinstance(block, Picture):
        return macros.picture(block, _data_uri(block))
    if isinstance(block, Animation):
        return macros.animation(block, Markup(animation_json(block)))
    return macros.paragraph(block)


def _data_uri(picture: Picture) -> str:
    content, kind = figures.to_svg(picture.figure), "svg+xml"
    if len(content) > _LARGEST_SVG:
        content, kind = figures.to_png(picture.figure), "png"
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def _unique_names(blocks: Sequence[Block]) -> None:
    names = [block.name for block in blocks if isinstance(block, Picture)]
    for name in names:
        if not re.fullmatch(r"[\w-]+", name):
            raise ModelError(f"Picture {name!r}: it names a file; use letters, digits, - and _")
        if names.count(name) > 1:
            raise ModelError(f"Picture {name!r}: two pictures have this name; rename one")


def _check_shape(table: Table) -> None:
    for row in table.rows:
        if len(row) != len(table.headings):
            raise ModelError(
                f"Table {table.title!r}: row {list(row)} has {len(row)} cells "
                f"under {len(table.headings)} headings"
            )
    if table.moods and len(table.moods) != len(table.rows):
        raise ModelError(
            f"Table {table.title!r}: {len(table.moods)} moods for {len(table.rows)} rows"
        )


def _numeric_columns(table: Table) -> list[bool]:
    """Whether a column holds numbers, perhaps with an error bar, and is set flush right."""

    def numeric(column: int) -> bool:
        cells = [row[column] for row in table.rows if row[column].strip(" –—")]
        return bool(cells) and all(re.match(r"^[<>≤≥±~]?\s*[-+−]?\d", cell) for cell in cells)

    return [column > 0 and numeric(column) for column in range(len(table.headings))]
