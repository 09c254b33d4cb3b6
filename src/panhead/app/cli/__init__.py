"""The command ``panhead``: new, line, run, study, design, workbench, list, schema, validate, doctor, report, fmi.

Commands import what they need when they are called, so that ``--help`` is fast.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import signal
import sys
import warnings
from pathlib import Path
from typing import Annotated, TextIO

import typer

from panhead import __version__
from panhead.app.cli import fmi
from panhead.app.cli.attribution_option import explain
from panhead.app.cli.designs import design
from panhead.app.cli.evidence import evidence
from panhead.app.cli.line import app as line
from panhead.app.cli.new import app as new
from panhead.app.cli.paths import path_argument
from panhead.app.cli.result_commands import compare, export, maintain, show
from panhead.app.cli.run import run
from panhead.app.cli.studies import study
from panhead.app.cli.validate import validate
from panhead.app.cli.view import view
from panhead.app.cli.workbench import workbench
from panhead.engine.jobs import ONE_THREAD
from panhead.errors import PanheadError

app = typer.Typer(
    help="Simulate mechanisms, and pantographs under overhead contact lines.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich would take longer to load than all the rest
)
app.add_typer(fmi.app, name="fmi")
app.add_typer(new, name="new")
app.add_typer(line, name="line")
for _command in (run, study, compare, export, show, view, maintain, evidence, design, workbench, validate):
    app.command()(_command)

_ASCII = "panhead.ascii"
_ASCII_REPLACEMENTS = {
    "≤": "<=", "≥": ">=", "±": "+-", "·": "*", "…": "...", "–": "-", "−": "-", "×": "x", "→": "->",
    "σ": "sigma", "²": "2", "³": "3", "°": "deg", "α": "alpha", "✓": "ok", "‘": "'", "’": "'",
}  # fmt: skip
_LISTED_FOLDERS = (
    "lines",
    "pantographs",
    "linkages",
    "vehicles",
    "limits",
    "studies",
    "designs",
)  # folders of data that list shows


def main() -> None:
    """Entry point: print a PanheadError as a message without a traceback and exit with code 2."""
    codecs.register_error(_ASCII, _replace_with_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ASCII)
    warnings.showwarning = _show_warning
    os.environ.update(ONE_THREAD)  # nothing has loaded NumPy yet
    before = signal.signal(signal.SIGTERM, _raise_interrupt)
    try:
        app(standalone_mode=True)
    except PanheadError as error:
        from panhead.app.cli.terminal_output import print_error

        print_error(str(error))
        sys.exit(2)
    except OSError as error:  # a disk that is full, a folder that may not be written
        from panhead.app.cli.terminal_output import print_error

        print_error(f"{error.filename or 'a file'}: {error.strerror or error}")
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGTERM, before)


def _raise_interrupt(*_: object) -> None:
    """Treat SIGTERM like Ctrl-C, in every command."""
    raise KeyboardInterrupt


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a warning as one sentence, without its source location."""
    from panhead.app.cli.terminal_output import print_warning

    del category, filename, lineno, file, line
    print_warning(str(message))


def _replace_with_ascii(error: UnicodeError) -> tuple[str, int]:
    """ASCII replacement for characters that the encoding of a terminal or file lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_ASCII_REPLACEMENTS.get(letter, "?") for letter in letters), error.end


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


@app.command(name="list")
def list_() -> None:
    """List what ships with Panhead: scenarios, lines, pantographs, vehicles, limits, validation cases."""
    from panhead import validation
    from panhead.app.cli.terminal_output import print_table
    from panhead.files import library, parse
    from panhead.runs import scenarios

    files = [parse.read_toml(path) | {"stem": name} for name, path in scenarios.shipped().items()]
    rows = [(raw["stem"], raw.get("kind", ""), raw.get("about", "")) for raw in files]
    print_table("Scenarios (panhead run NAME)", ("scenario", "kind", "what it shows"), rows)
    rows = [
        (folder, name, parse.read_toml(path).get("name", ""))
        for folder in _LISTED_FOLDERS
        for name, path in library.shipped(folder).items()
    ]
    print_table("Components a scenario can refer to", ("type", "name", "full name"), rows)
    print("validation cases (panhead validate NAME): " + ", ".join(validation.names()))


@app.command()
def schema(
    kind: Annotated[str, typer.Argument(help="Kind of file: run, line, pantograph …")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON Schema.")] = False,
) -> None:
    """Show the keys of a kind of file with types, units and defaults."""
    from panhead.app.cli.terminal_output import print_table
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
def doctor() -> None:
    """Show versions, processor, threads and the kernel cache. Include this output in a bug report."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.app.doctor import findings

    print_table(f"panhead {__version__}", (), findings().items())


@app.command()
def report(
    result: Annotated[Path, path_argument("A result.nc written by panhead run.")],
    why: Annotated[
        bool, typer.Option("--why", help="Attribute each force peak to its causes; costs about nine runs.")
    ] = False,
) -> None:
    """Rewrite report.html from a stored result."""
    if why:
        explain(result)
        return
    from panhead.desk.reports import page_of
    from panhead.desk.reports.render import write
    from panhead.files import results

    dataset = results.load(result)
    with results.damaged_file_error(result, "no report can be made of it"):
        page = page_of(dataset)
    print(f"report  {write(page, result.parent)}")
