"""The command ``panhead``: run, list, schema, validate, doctor, report, fmi.

What a command needs is loaded when it is called, so that ``--help`` answers at once.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from panhead import __version__
from panhead.errors import PanheadError, SimulationError
from panhead.fmi import commands as fmi

app = typer.Typer(
    help="Simulate mechanisms, and pantographs under overhead contact lines.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich would take longer to load than all the rest
)
app.add_typer(fmi.app, name="fmi")

_SHIPPED = ("lines", "pantographs", "linkages", "vehicles", "limits")  # folders of data that list shows

Settings = Annotated[list[str] | None, typer.Option("--set", help="Change an input: a.b=value.")]


def main() -> None:
    """Entry point: every error of ours becomes a message without a traceback and exit code 2."""
    try:
        app(standalone_mode=True)
    except PanheadError as error:
        from panhead.cli.printing import refuse

        refuse(_kind_of(error), str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"panhead {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Simulate mechanisms, and pantographs under overhead contact lines."""


@app.command()
def run(
    scenario: Annotated[str, typer.Argument(help="Shipped name, FILE.toml or result.nc.")] = "en50318-300",
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write to.")] = None,
    resume: Annotated[bool, typer.Option(help="Continue from the checkpoint in --out.")] = False,
    error_bars: Annotated[
        bool, typer.Option("--error-bars", help="Repeat on another step or mesh to estimate the numerical error.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust-foreign-code", help="Let units (FILE.fmu) run: native code with your rights.")
    ] = False,
) -> None:
    """Simulate a scenario; write result.nc and report.html; print a short table."""
    from panhead import scenarios
    from panhead.cli.printing import print_rows, progress_bar
    from panhead.files import results
    from panhead.jobs import Job

    chosen = scenarios.read(scenario, settings or [])
    folder = out or Path("out") / chosen.name
    try:
        with progress_bar(chosen.name) as progress:
            job = Job(progress=progress, out=folder, resume=resume, error_bars=error_bars, trust=trust)
            dataset = chosen.simulate(job)
    except SimulationError as error:
        if error.partial is not None:
            partial = results.with_provenance(error.partial, chosen.inputs())
            kept = results.save(partial, folder / "partial.nc")
            typer.echo(f"the run up to the failure is kept in {kept}", err=True)
        raise
    saved = results.save(dataset, folder / "result.nc")
    from panhead.reports import page_of  # not before the run has begun
    from panhead.reports.render import write

    page = write(page_of(dataset), folder)
    print_rows(chosen.name, chosen.kind.summarise(dataset))
    print(f"result  {saved}\nreport  {page}")


@app.command(name="list")
def list_() -> None:
    """List what is shipped: scenarios, lines, pantographs, vehicles, limits, validation cases."""
    from panhead import cases, scenarios
    from panhead.cli.printing import print_table
    from panhead.files import door, library

    files = [door.read_toml(path) | {"stem": name} for name, path in scenarios.shipped().items()]
    rows = [(raw["stem"], raw.get("kind", ""), raw.get("about", "")) for raw in files]
    print_table("Scenarios (panhead run NAME)", ("scenario", "kind", "what it shows"), rows)
    rows = [
        (folder, name, door.read_toml(path).get("name", ""))
        for folder in _SHIPPED
        for name, path in library.shipped(folder).items()
    ]
    print_table("Parts to name in a scenario", ("what", "name", "in full"), rows)
    print("validation cases (panhead validate NAME): " + ", ".join(cases.names()))


@app.command()
def schema(
    kind: Annotated[str, typer.Argument(help="Kind of file: run, line, pantograph …")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON Schema.")] = False,
) -> None:
    """Show the keys of a kind of file with types, units and defaults."""
    from panhead.cli.printing import print_table
    from panhead.files import schema as keys

    if not kind:
        print("kinds (panhead schema KIND): " + ", ".join(keys.kinds()))
    elif as_json:
        print(json.dumps(keys.json_schema(kind), indent=1, ensure_ascii=False))
    else:
        for table in keys.tables(kind):
            rows = [(key.name, key.type, key.unit, key.default, key.about) for key in table.keys]
            heads = ("key", "type", "unit", "default", "meaning")
            print_table(f"{table.name}: {table.about}", heads, rows)


@app.command()
def validate(
    case: Annotated[list[str] | None, typer.Argument(help="Cases; default: all.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    workers: Annotated[int, typer.Option(help="Cases computed at once, each by a process.")] = 1,
) -> None:
    """Compute validation cases anew and compare with their references; exit code 1 if one is outside."""
    from panhead import cases
    from panhead.cli.printing import print_checks

    outcome: dict[str, Any] = {}
    for name, table in cases.tables(case or cases.names(), workers):
        outcome[name] = table
        if not as_json:
            print_checks(name, outcome[name])
    if as_json:
        print(json.dumps(outcome, indent=1, ensure_ascii=False))
    if any(entry["ok"] is False for table in outcome.values() for entry in table.values()):
        raise typer.Exit(1)


@app.command()
def doctor() -> None:
    """Show versions, processor, threads and the kernel cache: what to send with a bug report."""
    from panhead.cli.printing import print_table
    from panhead.doctor import findings

    print_table(f"panhead {__version__}", (), findings().items())


@app.command()
def report(result: Annotated[Path, typer.Argument(help="A result.nc written by panhead run.")]) -> None:
    """Write report.html again from a stored result."""
    from panhead.files import results
    from panhead.reports import page_of
    from panhead.reports.render import write

    dataset = results.load(result)
    with results.told_of(result, "no report can be made of it"):
        page = page_of(dataset)
    print(f"report  {write(page, result.parent)}")


def _kind_of(error: PanheadError) -> str:
    return "run failed:" if isinstance(error, SimulationError) else "cannot do that:"
