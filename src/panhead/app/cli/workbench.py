"""``panhead workbench``: the page in which a line is drawn, changed, run and judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_argument


def workbench(
    folder: Annotated[Path, path_argument("The project: a folder of TOML files.")] = Path("."),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    workers: Annotated[
        int, typer.Option(min=0, max=64, help="Processes for runs, and for studies; 0: two, and one for each core.")
    ] = 0,
) -> None:
    """Open a project in the browser: draw a line, run, judge, compare, save. This machine alone is served."""
    from panhead.app.workbench.serve import serve

    def told(address: str) -> None:
        print(f"{folder.resolve()} is open at\n  {address}\nCtrl-C ends it.", flush=True)

    serve(folder, port=port, browser=browser, hands=workers, told=told)
