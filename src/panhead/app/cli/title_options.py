"""Options for the title block of a report and for its PDF, shared by commands that write pages."""

from __future__ import annotations

from typing import Annotated

import typer

TitleField = Annotated[str | None, typer.Option(help="Field of the title block; default: as the run file states it.")]
AsPdf = Annotated[
    bool, typer.Option("--pdf", help="Write a PDF as well, for print and signature (needs panhead[pdf]).")
]
