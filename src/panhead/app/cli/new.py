"""``panhead new``: write a commented input file, from questions on a terminal or from options."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from panhead.app.cli.help_groups import GroupedCommands
from panhead.desk.starter.prompts import QUESTIONS, Question, default
from panhead.errors import ModelError

app = typer.Typer(
    help="Write a commented, ready-to-run input file: line, pantograph, run or study.",
    no_args_is_help=True,
    cls=GroupedCommands,
)

_Name = Annotated[str, typer.Argument(help="Name of the file, with or without .toml.")]
_Replace = Annotated[bool, typer.Option("--replace", help="Overwrite an existing file.")]
_Design = Annotated[
    str | None,
    typer.Option(
        "--design",
        help='Design to string by its rules, such as C-350 (panhead list), or FILE.toml:NAME; then --spans "64 m x 20" '
        "lists the spans, and --tension-lengths repeats them.",
        show_default=False,
    ),
]
_Yes = Annotated[bool, typer.Option("--yes", help="Ask no questions; use defaults for options not given.")]


def _command(kind: str) -> Any:
    """Create the command for one kind of file; its options are the questions of that kind."""

    def command(name: str, replace: bool = False, yes: bool = False, **given: str | None) -> None:
        from panhead.desk.starter.file_templates import write_design_line, write_new

        design = given.pop("design", None)
        if design is not None:
            path = write_design_line(Path(name), design, given, replace=replace)
            print(f"wrote   {path}\nnext    {_next_command(kind, path)}")
            return
        if sys.stdin is not None and sys.stdin.isatty() and not yes:  # None: it was closed by whoever called
            for question in QUESTIONS[kind]:
                if given[question.key] is None and question.asked_of(given):
                    given[question.key] = _ask(question, default(question, given))
        path = write_new(kind, Path(name), given, replace=replace)
        print(f"wrote   {path}\nnext    {_next_command(kind, path)}")

    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    options = [inspect.Parameter(q.key, kinds[1], default=None, annotation=_option(q)) for q in QUESTIONS[kind]]
    if kind == "line":
        options.append(inspect.Parameter("design", kinds[1], default=None, annotation=_Design))
    own = [
        inspect.Parameter("name", kinds[0], annotation=_Name),
        inspect.Parameter("replace", kinds[1], default=False, annotation=_Replace),
        inspect.Parameter("yes", kinds[1], default=False, annotation=_Yes),
    ]
    parameters = [own[0], *options, *own[1:]]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what typer reads
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = f"Write a commented, ready-to-run {kind} file."
    return command


def _option(question: Question) -> Any:
    ways = f" ({', '.join(question.choices)})" if question.choices else ""
    words = f"{question.words}{ways}; default {question.default}."
    name = f"--{question.key.replace('_', '-')}"
    return Annotated[str | None, typer.Option(name, help=words[0].upper() + words[1:], show_default=False)]


def _ask(question: Question, otherwise: str) -> str:
    """Repeat the question until the answer is valid."""
    ways = f" [{', '.join(question.choices)}]" if question.choices else ""
    while True:
        try:
            return question.check(typer.prompt(question.words + ways, default=otherwise))
        except ModelError as error:
            from panhead.app.cli.terminal_output import print_error

            print_error(str(error))


def _next_command(kind: str, path: Path) -> str:
    return {
        "line": f"panhead line check {path}",
        "pantograph": f"panhead new run NAME --pantograph {path}",
        "run": f"panhead run {path}",
        "study": f"panhead study {path}",
    }[kind]


for _kind in QUESTIONS:
    app.command(_kind)(_command(_kind))
