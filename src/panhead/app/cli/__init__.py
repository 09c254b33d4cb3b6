"""The command ``panhead``: new, line, run, study, design, limits, workbench, list, schema, validate, report …

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
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from panhead import __version__
from panhead.app.cli import fmi
from panhead.app.cli.asbuilt import asbuilt
from panhead.app.cli.attribution_option import explain
from panhead.app.cli.calibration import calibrate, identify, measure
from panhead.app.cli.designs import design
from panhead.app.cli.evidence import evidence
from panhead.app.cli.help_groups import FAMILIES, LINE, RESULTS, RUN, START, TOOLS, GroupedCommands
from panhead.app.cli.leaderboard import leaderboard
from panhead.app.cli.limits import limits
from panhead.app.cli.line import app as line
from panhead.app.cli.new import app as new
from panhead.app.cli.paths import path_argument
from panhead.app.cli.reproduce import reproduce
from panhead.app.cli.result_commands import compare, export, maintain, show
from panhead.app.cli.run import run
from panhead.app.cli.studies import study
from panhead.app.cli.title_options import AsPdf, TitleField
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
    cls=GroupedCommands,
)
app.add_typer(new, name="new", rich_help_panel=START)
app.add_typer(line, name="line", rich_help_panel=LINE)
app.add_typer(fmi.app, name="fmi", rich_help_panel=TOOLS)
_GROUPED: dict[str, tuple[Callable[..., None], ...]] = {
    START: (workbench,),
    RUN: (run,),
    RESULTS: (compare, measure, show, view, export, maintain, evidence),
    FAMILIES: (study, design, asbuilt, calibrate, identify, leaderboard),
    TOOLS: (limits, validate, reproduce),
}
for _group, _commands in _GROUPED.items():
    for _command in _commands:
        app.command(rich_help_panel=_group)(_command)

_ASCII = "panhead.ascii"
_ASCII_REPLACEMENTS = {
    "≤": "<=", "≥": ">=", "±": "+-", "·": "*", "…": "...", "–": "-", "−": "-", "×": "x", "→": "->",
    "σ": "sigma", "²": "2", "³": "3", "°": "deg", "α": "alpha", "✓": "ok", "‘": "'", "’": "'",
}  # fmt: skip


# of wrong commands, options and arguments; typer exports only its subclass
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


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
        sys.exit(app(standalone_mode=False))  # the exit code, or None
    except typer.Abort:
        print("aborted", file=sys.stderr)
        sys.exit(1)
    except _UsageError as error:
        _print_usage_error(error)
        sys.exit(2)
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


def _print_usage_error(error: Any) -> None:
    """Print a wrong command, option or argument like any other error, and where its help is."""
    help_ = error.ctx.get_help() if error.ctx else ""
    if error.message == help_:  # a group of commands without a command
        print(help_, file=sys.stderr)
        return
    from panhead.app.cli.terminal_output import print_error

    said = error.format_message()
    hint = f" Run `{error.ctx.command_path} --help` for help." if error.ctx else ""
    print_error(said + "." * (said[-1:] not in ".?") + hint)


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


@app.command(name="list", rich_help_panel=START)
def list_(
    kind: Annotated[
        str, typer.Option("--kind", help="Only these: line, pantograph, vehicle, limits, study, run, motion …")
    ] = "",
) -> None:
    """List what ships with Panhead: scenarios, lines, pantographs, vehicles, limits, validation cases."""
    from panhead.app.cli.shipped_files import print_shipped

    print_shipped(kind)


@app.command(rich_help_panel=TOOLS)
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


@app.command(rich_help_panel=TOOLS)
def doctor() -> None:
    """Show versions, processor, threads and the kernel cache. Include this output in a bug report."""
    from panhead.app.cli.terminal_output import print_table
    from panhead.app.doctor import findings

    print_table(f"panhead {__version__}", (), findings().items())


@app.command(rich_help_panel=RESULTS)
def report(
    result: Annotated[Path, path_argument("A result.nc written by panhead run.")],
    why: Annotated[
        bool, typer.Option("--why", help="Attribute each force peak to its causes; costs about nine runs.")
    ] = False,
    as_pdf: AsPdf = False,
    project: TitleField = None,
    author: TitleField = None,
    checker: TitleField = None,
    revision: TitleField = None,
    date: TitleField = None,
) -> None:
    """Rewrite report.html from a stored result, with a title block and as PDF if asked."""
    if why:
        explain(result)
    from panhead.desk.reports import page_of, with_title_block
    from panhead.desk.reports.render import write
    from panhead.files import results

    given = {"project": project, "author": author, "checker": checker, "revision": revision, "date": date}
    if why and not as_pdf and not any(given.values()):
        return
    dataset = with_title_block(results.load(result), given)
    with results.damaged_file_error(result, "no report can be made of it"):
        page = page_of(dataset)
    print(f"report  {write(page, result.parent)}")
    if as_pdf:
        from panhead.desk.reports.pdf import write_pdf

        print(f"pdf     {write_pdf(page, result.with_name('report.pdf'))}")
