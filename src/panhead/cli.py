"""The command ``panhead``: run, list, schema, validate, doctor, report, fmi."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from panhead import __version__, scenarios
from panhead.errors import PanheadError, SimulationError
from panhead.fmi import commands as fmi
from panhead.jobs import Job

app = typer.Typer(
    help="Simulate mechanisms, and pantographs under overhead contact lines.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
app.add_typer(fmi.app, name="fmi")
say = Console(highlight=False)
complain = Console(stderr=True, highlight=False)

_MARKS = {True: "[green]ok[/]", False: "[bold red]OUT[/]", None: "[dim]–[/]"}

Settings = Annotated[list[str] | None, typer.Option("--set", help="Change an input: a.b=value.")]


def main() -> None:
    """Entry point: every error of ours becomes a message without a traceback and exit code 2."""
    try:
        app(standalone_mode=True)
    except PanheadError as error:
        complain.print(f"[bold red]{_kind_of(error)}[/] {_escape(str(error))}")
        sys.exit(2)
    except KeyboardInterrupt:
        complain.print("interrupted")
        sys.exit(130)


@app.command()
def run(
    scenario: Annotated[
        str, typer.Argument(help="Shipped name, FILE.toml or result.nc.")
    ] = "en50318-300",
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write to.")] = None,
    resume: Annotated[bool, typer.Option(help="Continue from the checkpoint in --out.")] = False,
    error_bars: Annotated[
        bool,
        typer.Option(
            "--error-bars", help="Repeat on another step or mesh to estimate the numerical error."
        ),
    ] = False,
) -> None:
    """Simulate a scenario; write result.nc and report.html; print a short table."""
    from panhead.files import results
    from panhead.report import page_of
    from panhead.report.render import write

    chosen = scenarios.read(scenario, settings or [])
    folder = out or Path("out") / chosen.name
    try:
        with _bar(chosen.name) as progress:
            job = Job(progress=progress, out=folder, resume=resume, error_bars=error_bars)
            dataset = chosen.simulate(job)
    except SimulationError as error:
        if error.partial is not None:
            partial = results.with_provenance(error.partial, chosen.inputs())
            kept = results.save(partial, folder / "partial.nc")
            complain.print(f"the run up to the failure is kept in {kept}")
        raise
    saved = results.save(dataset, folder / "result.nc")
    page = write(page_of(dataset), folder)
    _print_rows(chosen.name, chosen.kind.summarise(dataset))
    say.print(f"result  {saved}\nreport  {page}", soft_wrap=True)


@app.command(name="list")
def list_() -> None:
    """List what is shipped: scenarios and validation cases."""
    from panhead import cases
    from panhead.files import door

    table = Table("scenario", "kind", "what it shows", title="Scenarios (panhead run NAME)")
    for name, path in scenarios.shipped().items():
        raw = door.read_toml(path)
        table.add_row(name, raw.get("kind", ""), raw.get("about", ""))
    say.print(table)
    say.print("validation cases (panhead validate NAME): " + ", ".join(cases.names()))


@app.command()
def schema(
    kind: Annotated[str, typer.Argument(help="Kind of file: run, line, pantograph …")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON Schema.")] = False,
) -> None:
    """Show the keys of a kind of file with types, units and defaults."""
    from panhead.files import schema as keys

    if not kind:
        say.print("kinds (panhead schema KIND): " + ", ".join(keys.kinds()))
    elif as_json:
        print(json.dumps(keys.json_schema(kind), indent=1, ensure_ascii=False))
    else:
        for table in keys.tables(kind):
            shown = Table(
                "key", "type", "unit", "default", "meaning", title=f"{table.name}: {table.about}"
            )
            for key in table.keys:
                shown.add_row(*map(_escape, (key.name, key.type, key.unit, key.default, key.about)))
            say.print(shown)


@app.command()
def validate(
    case: Annotated[list[str] | None, typer.Argument(help="Cases; default: all.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compute validation cases anew and compare with their references; exit code 1 if one is outside."""
    from panhead import cases
    from panhead.cases import checks

    outcome: dict[str, Any] = {}
    for name in case or cases.names():
        outcome[name] = checks.as_json(cases.run(name))
        if not as_json:
            _print_checks(name, outcome[name])
    if as_json:
        print(json.dumps(outcome, indent=1, ensure_ascii=False))
    if any(entry["ok"] is False for table in outcome.values() for entry in table.values()):
        raise typer.Exit(1)


@app.command()
def doctor() -> None:
    """Show versions, processor, threads and the kernel cache: what to send with a bug report."""
    from panhead.doctor import findings

    table = Table(show_header=False, title=f"panhead {__version__}")
    for name, value in findings().items():
        table.add_row(name, value)
    say.print(table)


@app.command()
def report(
    result: Annotated[Path, typer.Argument(help="A result.nc written by panhead run.")],
) -> None:
    """Write report.html again from a stored result."""
    from panhead.files import results
    from panhead.report import page_of
    from panhead.report.render import write

    dataset = results.load(result)
    say.print(f"report  {write(page_of(dataset), result.parent)}", soft_wrap=True)


def _bar(name: str) -> Any:
    """A progress bar as a context manager that hands out ``progress(fraction, message)``."""
    from contextlib import contextmanager

    @contextmanager
    def shown() -> Any:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=complain, transient=True) as bar:
            task = bar.add_task(name, total=1.0)
            yield lambda fraction, message="": bar.update(
                task, completed=fraction, description=f"{name} {message}".strip()
            )

    return shown()


def _print_rows(title: str, rows: Any) -> None:
    table = Table("quantity", "value", "unit", "", title=title)
    for row in rows:
        value = f"{row.value:.6g}" if isinstance(row.value, float) else str(row.value)
        table.add_row(row.quantity, value, row.unit, row.note)
    say.print(table)


def _print_checks(name: str, checks: dict[str, dict[str, Any]]) -> None:
    table = Table("", "quantity", "value", "unit", "allowed", "reference", title=name)
    for quantity, c in checks.items():
        low, high = ("" if c[k] is None else f"{c[k]:.6g}" for k in ("low", "high"))
        reference = "" if c["reference"] is None else f"{c['reference']:.6g}"
        allowed = f"{low} … {high}" if low or high else "listed"
        mark = _MARKS[c["ok"]]
        table.add_row(mark, quantity, f"{c['value']:.6g}", c["unit"], allowed, reference)
    say.print(table)


def _kind_of(error: PanheadError) -> str:
    return "run failed:" if isinstance(error, SimulationError) else "cannot do that:"


def _escape(text: str) -> str:
    from rich.markup import escape

    return escape(text)
