"""The command ``panhead``: new, line, run, study, design, workbench, list, schema, validate, doctor, report, fmi.

What a command needs is loaded when it is called, so that ``--help`` answers at once.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
import re
import shlex
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, TextIO

import typer

from panhead import __version__
from panhead.cli.after import compare, export, maintain, show
from panhead.cli.designs import design
from panhead.cli.evidence import evidence
from panhead.cli.line import app as line
from panhead.cli.new import app as new
from panhead.cli.studies import study
from panhead.cli.view import view
from panhead.cli.why import explain
from panhead.cli.workbench import workbench
from panhead.errors import Interrupted, PanheadError, SimulationError
from panhead.fmi import commands as fmi

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
app.command()(study)
for _command in (compare, export, show, view, maintain, evidence):
    app.command()(_command)
app.command()(design)
app.command()(workbench)

_ASCII = "panhead.ascii"
_LETTERS = {
    "≤": "<=", "≥": ">=", "±": "+-", "·": "*", "…": "...", "–": "-", "−": "-", "×": "x", "→": "->",
    "σ": "sigma", "²": "2", "³": "3", "°": "deg", "α": "alpha", "✓": "ok", "‘": "'", "’": "'",
}  # fmt: skip
_SHIPPED = (
    "lines",
    "pantographs",
    "linkages",
    "vehicles",
    "limits",
    "studies",
    "designs",
)  # folders of data that list shows

Settings = Annotated[list[str] | None, typer.Option("--set", help="Change an input: a.b=value.")]


def main() -> None:
    """Entry point: every error of ours becomes a message without a traceback and exit code 2."""
    codecs.register_error(_ASCII, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ASCII)
    warnings.showwarning = _warn
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        app(standalone_mode=True)
    except PanheadError as error:
        from panhead.cli.printing import refuse

        refuse(_kind_of(error), str(error))
        sys.exit(2)
    except OSError as error:  # a disk that is full, a folder that may not be written
        from panhead.cli.printing import refuse

        refuse("cannot do that:", f"{error.filename or 'a file'}: {error.strerror or error}")
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(*_: object) -> None:
    """SIGTERM is answered like Ctrl-C, by every command."""
    raise KeyboardInterrupt


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning is a sentence here; where in the code it arose tells a user nothing."""
    from panhead.cli.printing import warn

    del category, filename, lineno, file, line
    warn(str(message))


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """What a terminal or a file that is not UTF-8 shows instead of a letter it does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(_LETTERS.get(letter, "?") for letter in letters), error.end


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
    resume: Annotated[
        bool, typer.Option(help="Go on from the last checkpoint in --out; after a finished run, do nothing.")
    ] = False,
    error_bars: Annotated[
        bool | None,
        typer.Option(
            "--error-bars/--no-error-bars",
            help="Numerical error by a repeat of half the step and mesh; without the option, of twice them.",
        ),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust-foreign-code", help="Let units (FILE.fmu) run: native code with your rights.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit code 3 unless the verdict is met.")] = False,
    why: Annotated[bool, typer.Option("--why", help="Tell what made each peak, of a long run too.")] = False,
) -> None:
    """Simulate a scenario; write result.nc and report.html; print a short table and the verdict."""
    from panhead import scenarios
    from panhead.cli.printing import complain, print_rows, progress_bar
    from panhead.jobs import ErrorBars, Job
    from panhead.scenarios.keeping import carry_out

    chosen = scenarios.read(scenario, settings or [])
    folder = out or Path("out") / _folder_name(chosen.name, settings or [])
    with _stoppable(folder), progress_bar(chosen.name) as progress:
        say = lambda words: complain().print(words, markup=False)
        bars: ErrorBars = "described" if error_bars is None else "finer" if error_bars else "none"
        job = Job(progress=progress, say=say, out=folder, resume=resume, error_bars=bars, trust=trust)
        kept = carry_out(chosen, folder, job)
    print_rows(chosen.name, chosen.kind.summarise(kept.result))
    verdict = kept.result.verdict
    if verdict:
        from panhead.reports.judgement import entries, headline

        print(f"verdict {verdict}. {headline(kept.result, entries(kept.result)).sentence}")
    print(f"result  {kept.saved}\nreport  {kept.report}")
    if why and "why_force" not in kept.result:
        explain(kept.saved)
    if check and verdict != "met":
        raise typer.Exit(3)


def _folder_name(name: str, settings: list[str]) -> str:
    """The default folder of a run; one of its own for every choice of ``--set``."""
    if not settings:
        return name
    words = ",".join(re.sub(r"[^\w.=-]+", "", setting) for setting in settings)[:60]
    return f"{name},{words},{hashlib.sha256(json.dumps(settings).encode()).hexdigest()[:6]}"


@contextmanager
def _stoppable(folder: Path) -> Iterator[None]:
    """Ctrl-C says what is kept and how to go on."""
    try:
        yield
    except (KeyboardInterrupt, Interrupted) as stopped:
        from panhead.scenarios.keeping import can_continue

        again = shlex.join(["panhead", *(word for word in sys.argv[1:] if word != "--resume"), "--resume"])
        if can_continue(folder):
            print(
                f"interrupted; the run up to its last checkpoint is kept in {folder}. Go on with\n  {again}",
                file=sys.stderr,
            )
        elif isinstance(stopped, Interrupted):
            print(f"interrupted: {stopped}", file=sys.stderr)
        else:
            print("interrupted; there was no checkpoint yet, nothing is kept", file=sys.stderr)
        raise typer.Exit(130) from None


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
    jobs: Annotated[int, typer.Option(help="Cases computed at once, each by a process.")] = 1,
) -> None:
    """Compute validation cases anew and compare with their references; exit code 1 if one is outside."""
    from panhead import cases
    from panhead.cli.printing import print_checks, print_counts

    outcome: dict[str, Any] = {}
    wanted = case or cases.names()
    ended: list[str] = []

    def told(name: str) -> None:
        ended.append(name)
        print(f"{name}: computed, {len(ended)} of {len(wanted)}", file=sys.stderr)

    try:
        for name, table in cases.tables(wanted, jobs, told):
            outcome[name] = table
            if not as_json:
                print_checks(name, outcome[name])
    except KeyboardInterrupt:
        print(f"interrupted; {len(outcome)} of {len(wanted)} cases were told", file=sys.stderr)
        raise typer.Exit(130) from None
    if as_json:
        print(json.dumps(outcome, indent=1, ensure_ascii=False))
    found = [entry["ok"] for table in outcome.values() for entry in table.values()]
    if not as_json:
        print_counts(found)
    if False in found:
        raise typer.Exit(1)


@app.command()
def doctor() -> None:
    """Show versions, processor, threads and the kernel cache: what to send with a bug report."""
    from panhead.cli.printing import print_table
    from panhead.doctor import findings

    print_table(f"panhead {__version__}", (), findings().items())


@app.command()
def report(
    result: Annotated[Path, typer.Argument(help="A result.nc written by panhead run.")],
    why: Annotated[bool, typer.Option("--why", help="Tell what made each peak; costs some nine runs.")] = False,
) -> None:
    """Write report.html again from a stored result."""
    if why:
        explain(result)
        return
    from panhead.files import results
    from panhead.reports import page_of
    from panhead.reports.render import write

    dataset = results.load(result)
    with results.told_of(result, "no report can be made of it"):
        page = page_of(dataset)
    print(f"report  {write(page, result.parent)}")


def _kind_of(error: PanheadError) -> str:
    return "run failed:" if isinstance(error, SimulationError) else "cannot do that:"
