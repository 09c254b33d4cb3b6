"""Read lines: shipped ones by name, others from TOML files."""

from __future__ import annotations

from pathlib import Path

from panhead.files import library
from panhead.railway.line.line_description import Line


def shipped_lines() -> dict[str, Path]:
    """Name → file of every line that comes with the package, sorted by name."""
    return library.shipped("lines")


def read_line(source: str | Path) -> Line:
    """Read a line by its shipped name or from a TOML file."""
    return library.read(Line, "lines", source)
