"""``panhead validate``: recompute validation cases and compare them with their references."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer


def validate(
    case: Annotated[list[str] | None, typer.Argument(help="Cases; default: all.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    jobs: Annotated[int, typer.Option(help="Number of cases computed in parallel.")] = 1,
) -> None:
    """Recompute validation cases and compare them with their references; exit code 1 if a value is out of bounds."""
    from panhead import validation
    from panhead.app.cli.terminal_output import print_checks, print_counts

    outcome: dict[str, Any] = {}
    wanted = case or validation.names()
    ended: list[str] = []

    def print_started(name: str) -> None:
        ended.append(name)
        print(f"{name}: computed, {len(ended)} of {len(wanted)}", file=sys.stderr)

    try:
        for name, table in validation.tables(wanted, jobs, print_started):
            outcome[name] = table
            if not as_json:
                print_checks(name, outcome[name])
    except KeyboardInterrupt:
        print(f"interrupted; {len(outcome)} of {len(wanted)} cases were reported", file=sys.stderr)
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps(outcome, indent=1, ensure_ascii=False))
    found = [entry["ok"] for table in outcome.values() for entry in table.values()]
    if not as_json:
        print_counts(found)
    if False in found:
        raise typer.Exit(1)
