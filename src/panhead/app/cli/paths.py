"""Options and arguments that name a file or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from panhead.files.atomic_files import require_path


def _path(text: str) -> Path:
    try:
        return require_path(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def path_argument(about: str) -> Any:
    """An argument that names a file or a folder."""
    return typer.Argument(help=about, parser=_path)


def path_option(name: str, about: str) -> Any:
    """An option that names a file or a folder."""
    return typer.Option(name, help=about, parser=_path, metavar="PATH")
