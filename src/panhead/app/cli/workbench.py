"""``panhead workbench``: open a project in the browser to edit a line, run it and assess it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panhead.app.cli.paths import path_argument


def workbench(
    folder: Annotated[
        Path, path_argument("Project: a folder of TOML files, or one of its files; a new folder is created.")
    ] = Path("."),
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: a free one.")] = 0,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
    workers: Annotated[
        int,
        typer.Option(
            min=0, max=64, help="Worker processes for runs and studies; 0: two for runs, one per core for studies."
        ),
    ] = 0,
) -> None:
    """Open a project in the browser: make or edit a line, run, assess, save. Reachable from this machine only."""
    from panhead.app.workbench.serve import serve

    def print_address(address: str) -> None:
        print(f"{folder.resolve()} is open at\n  {address}\nPress Ctrl-C to stop.", flush=True)

    serve(folder, port=port, browser=browser, hands=workers, told=print_address)
