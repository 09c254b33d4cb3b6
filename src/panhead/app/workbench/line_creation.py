"""Creation of a line with a run under it: from a template, tables, a survey or another line."""

from __future__ import annotations

import dataclasses
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from starlette.requests import Request

from panhead.app.workbench import messages as ask
from panhead.app.workbench.project import Project
from panhead.desk.starter.prompts import QUESTIONS, default
from panhead.errors import FileError

_FIT_TIMEOUT: Final = 900.0  # for a survey of a long line [s]
_TYPES: Final = QUESTIONS["line"][0].choices

RunTask = Callable[..., Awaitable[Any]]
Handler = Callable[[Request], Awaitable[Any]]


def handlers(project: Project, run_task: RunTask, announce: Callable[[dict[str, Any]], None]) -> Mapping[str, Handler]:
    """Functions that answer the requests that create a line."""

    async def create(wanted: Any, task: str, timeout: float) -> Any:
        run = _run_file(project, wanted)
        asked = {k: v for k, v in dataclasses.asdict(wanted).items() if k not in ("to", "pantograph", "speed")}
        made = await run_task(task, asked | {"name": Path(wanted.to).stem}, timeout)
        return _written(made["text"], wanted.to, run) | {"notes": made["notes"]}

    async def new_line(request: Request) -> Any:
        return await create(await ask.read_message(request, ask.NewLine), "template", 120.0)

    async def import_tables(request: Request) -> Any:
        return await create(await ask.read_message(request, ask.ImportTables), "tables", 120.0)

    async def fit_survey(request: Request) -> Any:
        return await create(await ask.read_message(request, ask.FitSurvey), "survey", _FIT_TIMEOUT)

    async def copy_line(request: Request) -> Any:
        wanted = await ask.read_message(request, ask.CopyLine)
        run = _run_file(project, wanted)
        if project.read(wanted.path).kind != "line":
            raise FileError(wanted.path[:200], "is not a line; choose a line")
        return _written(renamed(project, wanted.path, wanted.to), wanted.to, run) | {"notes": []}

    def _written(text: str, to: str, run: dict[str, str]) -> dict[str, Any]:
        project.create({to: text} | run)
        announce({"event": "files", "path": to})
        return {"path": next(iter(run)), "line": to}

    return {"new_line": new_line, "import_tables": import_tables, "fit_survey": fit_survey, "copy_line": copy_line}


def _run_file(project: Project, wanted: Any) -> dict[str, str]:
    """Name and text of the run under a line that is to be created; refused before anything is computed or written."""
    from panhead.desk.starter.file_templates import new_text

    to = f"{wanted.to.removesuffix('.toml')}-run.toml"
    line, run = (project.require_new(name) for name in (wanted.to, to))
    if not line.stem.isprintable() or any(letter in line.stem for letter in '"\\'):  # it is written into the files
        raise FileError(wanted.to[:200], "a name must not contain quotes, backslashes or control characters")
    pantograph = _pantograph(project, wanted.pantograph, run.parent)
    return {to: new_text("run", run.stem, {"line": line.name, "speed": wanted.speed, "pantograph": pantograph})}


def _pantograph(project: Project, name: str, folder: Path) -> str:
    """The name of a pantograph, from the folder of the run that it is in."""
    if not name.endswith(".toml"):
        return name
    depth = len(folder.relative_to(project.folder).parts)
    return "../" * depth + project.place(name).relative_to(project.folder).as_posix()


def renamed(project: Project, path: str, to: str) -> str:
    """Text of a file with its comments, under the name of another, so that results of the two can be told apart."""
    from panhead.app.workbench.toml_edit import update_toml

    raw, text = dict(project.read(path).raw), project.text(path)
    if isinstance(raw.get("name"), str):
        raw["name"] = Path(to).stem
    return update_toml(text, raw)


def line_questions() -> dict[str, Any]:
    """Questions of ``panhead new line``: words, choices and the default for every type of line that needs an answer."""
    rows = [
        {
            "key": q.key,
            "words": q.words,
            "choices": list(q.choices),
            "defaults": {kind: default(q, {"type": kind}) for kind in _TYPES if q.asked_of({"type": kind})},
        }
        for q in QUESTIONS["line"]
    ]
    run = {q.key: q.default for q in QUESTIONS["run"]}
    return {"line": rows, "pantograph": run["pantograph"], "speed": run["speed"]}
