"""Lines in files: shipped ones by name, others by path."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from panhead import door
from panhead.errors import FileError
from panhead.line.description import Line


def shipped_lines() -> dict[str, Path]:
    """Name → file of every line that comes with the package, sorted by name."""
    folder = Path(str(resources.files("panhead"))) / "data" / "lines"
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}


def read_line(source: str | Path) -> Line:
    """A line by its shipped name or from a TOML file."""
    path = shipped_lines().get(str(source), Path(source))
    if str(source) not in shipped_lines() and path.suffix != ".toml" and not path.exists():
        names = ", ".join(shipped_lines())
        raise FileError(source, f"is neither a file nor a shipped line. Shipped: {names}")
    return door.build(Line, door.read_toml(path), source=path)
