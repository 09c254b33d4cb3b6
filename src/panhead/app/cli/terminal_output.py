"""Terminal output: tables, errors, warnings and verdicts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

if TYPE_CHECKING:
    from panhead.desk.reports.page import PageVerdict

_MARKS = {True: "[green]ok[/]", False: "[bold red]OUT[/]", None: "[dim]–[/]"}


def stdout_console() -> Console:
    """Console on standard output."""
    return Console(highlight=False)


def stderr_console() -> Console:
    """Console on standard error."""
    return Console(stderr=True, highlight=False)


def print_error(message: str) -> None:
    """Print an error to standard error."""
    stderr_console().print(f"[bold red]error:[/] {escape(message)}")


def print_warning(message: str) -> None:
    """Print a warning to standard error."""
    stderr_console().print(f"[bold yellow]warning:[/] {escape(message)}")


def print_table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table of plain text; without heads, a table of names and values."""
    heads = tuple(heads)
    table = Table(*heads, title=escape(title), show_header=bool(heads))
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    stdout_console().print(table)


def print_sentences(result: Any) -> None:
    """Print the verdict of an assessed result, a line for each group of criteria."""
    from panhead.assess import verdict_sentences

    for number, one in enumerate(verdict_sentences(result)):
        print(f"{'verdict' if not number else '       '} {one.sentence}", flush=True)


def print_page_verdict(verdict: PageVerdict) -> None:
    """Print the verdict of a page: its sentence, those of other groups, its details."""
    for line in (verdict.sentence, *(words for _, words in verdict.beside), *verdict.details):
        print(line)


def print_checks(name: str, checks: dict[str, dict[str, Any]]) -> None:
    """Print the table of a validation case."""
    table = Table("", "quantity", "value", "unit", "allowed", "set by", "reference", title=escape(name))
    for quantity, c in checks.items():
        low, high = ("" if c[k] is None else f"{c[k]:.6g}" for k in ("low", "high"))
        reference = "" if c["reference"] is None else f"{c['reference']:.6g}"
        allowed = f"{low} … {high}" if low or high else "listed"
        table.add_row(
            _MARKS[c["ok"]], quantity, f"{c['value']:.6g}", c["unit"], allowed, c["bound_by"] or "", reference
        )
    stdout_console().print(table)


def print_counts(found: list[bool | None]) -> None:
    """Print how many rows are inside their bounds, outside, or only listed."""
    inside, outside, listed = (sum(ok is kind for ok in found) for kind in (True, False, None))
    stdout_console().print(
        f"{inside} inside, {outside} outside, {listed} listed (no bound, or a bound set after the result was known)"
    )
