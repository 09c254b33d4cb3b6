"""``panhead view``: show a stored result in 3D in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_argument, path_option


def view(
    result: Annotated[Path, path_argument("A result.nc written by panhead run.")],
    out: Annotated[Path | None, path_option("--out", "Page to write; default: view.html next to the result.")] = None,
    variant: Annotated[str, typer.Option(help="Variant of the result; default: the first.")] = "",
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Show a result in 3D with rotation, zoom and playback, as one page that opens offline."""
    import webbrowser

    from panhead.desk.viewer import view as view_of
    from panhead.files import results
    from panhead.files.atomic_files import check_output_is_no_input

    out = out or result.with_name("view.html")
    check_output_is_no_input([out], [result])
    dataset = results.load(result)
    with results.damaged_file_error(result, "cannot be shown in 3D"):
        shown = view_of(dataset, variant)
    path = shown.save(out)
    print(f"view    {path}")
    if browser:
        webbrowser.open(path.resolve().as_uri())
