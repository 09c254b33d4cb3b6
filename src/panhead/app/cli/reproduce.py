"""``panhead reproduce``: a source document's tables and figures with ours beside them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from panhead.app.cli.paths import path_option


def reproduce(
    paper: Annotated[str | None, typer.Argument(help="Document; default: list them.")] = None,
    output: Annotated[Path | None, path_option("--output", "Markdown file to write; default: print the page.")] = None,
    results: Annotated[
        Path | None, path_option("--results", "Results of `panhead validate --json`, instead of computing them.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of cases computed in parallel.")] = 1,
) -> None:
    """Compute a source document's tables and figures and write one page with ours beside them."""
    from panhead.files.atomic_files import check_output_is_no_input, write_atomic
    from panhead.validation import papers

    if paper is None:
        for name in papers.names():
            print(f"{name}: {papers.read_paper(name).title}")
        return
    check_output_is_no_input([output] if output else [], [results])
    wanted = papers.read_paper(paper)
    text = papers.page(wanted, _case_results(wanted.cases, results, jobs))
    if output is None:
        print(text)
        return
    write_atomic(output, text.encode())
    print(f"written: {output}")


def _case_results(cases: tuple[str, ...], results: Path | None, jobs: int) -> dict[str, Any]:
    """Results of the cases, read or computed."""
    from panhead import validation
    from panhead.errors import FileError

    if results is None:
        return dict(validation.tables(cases, jobs, _report_computed))
    try:
        found: dict[str, Any] = json.loads(results.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(str(results), f"cannot be read as results of `panhead validate --json`: {error}") from error
    tables = found if isinstance(found, dict) else {}
    if lost := [case for case in cases if not tables.get(case)]:
        raise FileError(str(results), f"has no results of {', '.join(lost)}; compute them with `panhead validate`")
    if odd := [case for case in cases if not _is_table(tables[case])]:
        raise FileError(str(results), f"{odd[0]}: is no table of rows with value, reference, unit and ok")
    return tables


def _is_table(rows: Any) -> bool:
    """Return whether the rows are those of a validation case."""
    return isinstance(rows, dict) and all(
        isinstance(row, dict)
        and isinstance(row.get("value"), int | float)
        and isinstance(row.get("reference", ""), int | float | None)
        and isinstance(row.get("unit"), str)
        and row.get("ok", "") in (True, False, None)
        for row in rows.values()
    )


def _report_computed(case: str) -> None:
    print(f"{case}: computed", file=sys.stderr)
