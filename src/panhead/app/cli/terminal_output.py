"""Terminal output: tables, errors and warnings, a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

_REFRESH_INTERVAL = 0.25  # s, between drawings of a progress bar
_LOG_INTERVAL = 30.0  # s, between lines that say how far it is
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


@dataclass(frozen=True, slots=True)
class ProgressDisplay:
    """Progress of a run, as a bar on a terminal or as lines in a log."""

    progress: Callable[[float, str], None]
    bar: Progress | None = None

    def __call__(self, fraction: float, message: str = "") -> None:
        self.progress(fraction, message)

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Hide the bar while something else is printed."""
        if self.bar is not None:
            self.bar.stop()
        yield
        if self.bar is not None:
            self.bar.start()


@contextmanager
def progress_bar(name: str) -> Iterator[ProgressDisplay]:
    """Progress bar; call it with the completed fraction and a message."""
    console = stderr_console()
    if not console.is_terminal:  # the log of a batch job
        yield ProgressDisplay(_log_progress(name))
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:3.0f} %"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, refresh_per_second=1 / _REFRESH_INTERVAL) as bar:
        task, drawn = bar.add_task(name, total=1.0), monotonic()

        def progress(fraction: float, message: str = "") -> None:
            nonlocal drawn
            now = monotonic()
            refresh = now - drawn > _REFRESH_INTERVAL  # here and now: the bar's own thread waits while kernels compute
            drawn = now if refresh else drawn
            bar.update(task, completed=fraction, description=f"{name} {message}".strip(), refresh=refresh)

        yield ProgressDisplay(progress, bar)


def _log_progress(name: str) -> Callable[[float, str], None]:
    """Progress without a terminal: a line every half minute."""
    begun = told = monotonic()
    there: float | None = None  # done before, by a command that was stopped

    def progress(fraction: float, message: str = "") -> None:
        nonlocal told, there
        now = monotonic()
        if there is None:
            there = fraction
        if now - told >= _LOG_INTERVAL and there < fraction < 1:
            told = now
            left = (now - begun) * (1 - fraction) / (fraction - there)
            print(
                f"{name} {message} {100 * fraction:.0f} %, about {left / 60:.1f} min left", file=sys.stderr, flush=True
            )

    return progress


def print_table(title: str, heads: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print a table of plain text; without heads, a table of names and values."""
    heads = tuple(heads)
    table = Table(*heads, title=escape(title), show_header=bool(heads))
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    stdout_console().print(table)


def print_summary(title: str, rows: Any) -> None:
    """Print the summary table of a run."""
    cells = [(row.quantity, row.shown, row.unit, row.note) for row in rows]
    print_table(title, ("quantity", "value", "unit", ""), cells)


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
