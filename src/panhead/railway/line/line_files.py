"""Read lines: shipped ones and designs by name, others from TOML files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from panhead.files import library, parse
from panhead.railway.line.design_line import design_line
from panhead.railway.line.line_description import Line
from panhead.railway.line.line_design import read_design, shipped_designs


def shipped_lines() -> dict[str, Path]:
    """Name → file of every line that comes with the package, sorted by name."""
    return library.shipped("lines")


def read_line(source: str | Path, changes: Mapping[str, Any] | None = None) -> Line:
    """Read a line by its shipped name or from a TOML file, with ``changes`` merged in.

    A line of a design's name has the standard spans of the design.
    """
    if str(source) not in shipped_designs():
        return library.read(Line, "lines", source, changes=changes)
    line = design_line(read_design(source))
    return parse.build(Line, parse.merge(parse.to_plain(line), dict(changes)), source=source) if changes else line
