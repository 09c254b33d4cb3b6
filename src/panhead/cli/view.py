"""``panhead view``: a stored result in space, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def view(
    result: Annotated[Path, typer.Argument(help="A result.nc written by panhead run.")],
    out: Annotated[Path | None, typer.Option("--out", help="Page to write; default: view.html beside it.")] = None,
    variant: Annotated[str, typer.Option(help="Of a result with variants; default: the first.")] = "",
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Show a result in space: turn, zoom and play it; one page that works offline (needs panhead[view])."""
    import webbrowser

    from panhead.files import results
    from panhead.viewer import view as view_of

    dataset = results.load(result)
    with results.told_of(result, "cannot be shown in space"):
        shown = view_of(dataset, variant)
    path = shown.save(out or result.with_name("view.html"))
    print(f"view    {path}")
    if browser:
        webbrowser.open(path.resolve().as_uri())
