"""HTTP routes of the workbench."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from panhead import __version__
from panhead.app.workbench import line_creation
from panhead.app.workbench import messages as ask
from panhead.app.workbench.auth import RequestTooLarge
from panhead.app.workbench.edits import apply_edit
from panhead.app.workbench.error_responses import error_json
from panhead.app.workbench.project import OUT, Conflict, Project, shipped
from panhead.app.workbench.workers import Busy, Task, WorkerPool
from panhead.errors import FileError, ModelError, PanheadError, alternatives
from panhead.files import schema

PAGE: Final = Path(__file__).parent / "page"
_QUICK_TIMEOUT: Final = 120.0  # for a drawing or a file [s]
_HEARTBEAT: Final = 15.0  # between signs of life in a stream of events [s]
_FORMS: Final = {"csv": "text/csv; charset=utf-8", "report": "text/html; charset=utf-8"}


class Workbench:
    """Server application for one project."""

    def __init__(self, project: Project, *, hands: int = 0) -> None:
        self.project = project
        self._folder = tempfile.TemporaryDirectory(prefix="panhead-workbench-")
        self.aside = Path(self._folder.name)
        self.crew = WorkerPool(project.folder, self.aside, hands=hands)

    def application(self) -> Starlette:
        """Starlette application, to be wrapped in ``Guard``."""
        get = {
            "/": self.index,
            "/api/project": self.listing,
            "/api/file": self.file,
            "/api/schema/{kind}": self.schema,
            "/api/messages": self.messages,
            "/api/questions": self.questions,
            "/api/tasks": self.tasks,
            "/api/task/{task:int}": self.task,
            "/api/events": self.events,
            "/api/download": self.download,
            "/api/frames": self.frames,
            "/api/study-report": self.study_report,
        }
        made = line_creation.handlers(self.project, self.run_task, self.crew.announce)
        post = {name: made.get(name) or getattr(self, name) for name in ask.MESSAGES}
        routes: list[Any] = [Route(path, _with_error_responses(do), methods=["GET"]) for path, do in get.items()]
        routes += [Route(f"/api/{name}", _with_error_responses(do), methods=["POST"]) for name, do in post.items()]
        routes += [Mount("/page", StaticFiles(directory=PAGE))]
        return Starlette(routes=routes, lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.crew.start()
        try:
            yield
        finally:
            await self.crew.close()
            self._folder.cleanup()

    async def index(self, request: Request) -> Response:
        """The page."""
        return FileResponse(PAGE / "index.html")

    async def listing(self, request: Request) -> Any:
        """List project files, stored results and shipped files."""
        files, results = list(self.project.files()), list(self.project.results())
        names = {"name": self.project.folder.name, "version": __version__}
        return names | {"files": files, "results": results, "shipped": shipped()}

    async def file(self, request: Request) -> Any:
        """One file with its content."""
        return dataclasses.asdict(self.project.read(request.query_params.get("path", "")))

    async def schema(self, request: Request) -> Any:
        """JSON Schema of a kind of file, as printed by ``panhead schema KIND --json``."""
        return schema.json_schema(request.path_params["kind"])

    async def messages(self, request: Request) -> Any:
        """JSON Schema of every request of the page."""
        from pydantic import TypeAdapter

        return {f"/api/{name}": TypeAdapter(cls).json_schema() for name, cls in ask.MESSAGES.items()}

    async def questions(self, request: Request) -> Any:
        """Questions of a new line, with their defaults by type of line."""
        return line_creation.line_questions()

    async def save(self, request: Request) -> Any:
        """Write a file."""
        wanted = await ask.read_message(request, ask.SaveFile)
        found = self.project.write(wanted.path, wanted.raw, wanted.mark)
        self.crew.announce({"event": "files", "path": wanted.path})
        return dataclasses.asdict(found)

    async def copy(self, request: Request) -> Any:
        """Copy a project file or a shipped file to a new file."""
        wanted = await ask.read_message(request, ask.CopyFile)
        source = self.project.read(wanted.path)
        self.project.check(source.raw, self.project.place(wanted.to))  # names of files may lead elsewhere from there
        (found,) = self.project.create({wanted.to: line_creation.renamed(self.project, wanted.path, wanted.to)})
        self.crew.announce({"event": "files", "path": wanted.to})
        return dataclasses.asdict(found)

    async def rename(self, request: Request) -> Any:
        """Rename a file."""
        wanted = await ask.read_message(request, ask.RenameFile)
        self.project.rename(wanted.path, wanted.to)
        self.crew.announce({"event": "files", "path": wanted.to})
        return dataclasses.asdict(self.project.read(wanted.to))

    async def edit(self, request: Request) -> Any:
        """Apply one edit to a line."""
        wanted = await ask.read_message(request, ask.EditLine)
        return {"line": apply_edit(wanted.line, wanted.edit)}

    async def check(self, request: Request) -> Any:
        """Validate a description and return its kind."""
        wanted = await ask.read_message(request, ask.CheckDescription)
        return {"kind": self.project.check(wanted.raw, self.project.folder / "description.toml")}

    async def draw(self, request: Request) -> Any:
        """Static shape of a line."""
        return await self.run_task("draw", ask.plain(await ask.read_message(request, ask.DrawLine)))

    async def findings(self, request: Request) -> Any:
        """Check the geometry of a line against limits."""
        return await self.run_task("findings", ask.plain(await ask.read_message(request, ask.CheckLine)))

    async def run(self, request: Request) -> Any:
        """Start a run."""
        wanted = await ask.read_message(request, ask.StartRun)
        if wanted.keep:
            self.project.place(f"{OUT}/{wanted.keep}", end="")
        else:
            self.crew.replace(wanted.page)
        return {"task": self.crew.submit("run", ask.plain(wanted), wanted.page).id, "ready": self.crew.ready}

    async def gradient(self, request: Request) -> Any:
        """Start a gradient."""
        wanted = await ask.read_message(request, ask.StartGradient)
        self.crew.replace(wanted.page, ("gradient",))
        return {"task": self.crew.submit("gradient", ask.plain(wanted), wanted.page).id}

    async def study(self, request: Request) -> Any:
        """Start a study."""
        wanted = await ask.read_message(request, ask.StartStudy)
        self.project.read(wanted.path)
        return {"task": self.crew.submit("study", ask.plain(wanted)).id}

    async def open(self, request: Request) -> Any:
        """Open a stored result."""
        wanted = await ask.read_message(request, ask.OpenResult)
        self.project.place(wanted.path, end=".nc")
        return await self.run_task("show", ask.plain(wanted))

    async def stop(self, request: Request) -> Any:
        """Stop a task."""
        task = self._task((await ask.read_message(request, ask.StopTask)).task)
        self.crew.stop(task)
        return {"task": task.id, "state": task.state}

    async def tasks(self, request: Request) -> Any:
        """List the tasks of a page, without their results."""
        page = request.query_params.get("page", "")
        found = (t.plain() for t in self.crew.tasks.values() if t.page in ("", page))
        return {"tasks": [{k: v for k, v in one.items() if k != "answer"} for one in found]}

    async def task(self, request: Request) -> Any:
        """A task with its result."""
        return self._task(request.path_params["task"]).plain()

    async def events(self, request: Request) -> Response:
        """Server-sent events of the tasks of a page; "*": of all pages, for the tab that relays them to the others."""
        page = request.query_params.get("page", "")

        async def lines() -> AsyncIterator[str]:
            yield ": here\n\n"
            stream = self.crew.events(page)
            waiting = asyncio.ensure_future(anext(stream))
            try:
                while True:
                    done, _ = await asyncio.wait({waiting}, timeout=_HEARTBEAT)
                    if not done:
                        yield ": beat\n\n"
                        continue
                    yield f"data: {json.dumps(waiting.result())}\n\n"
                    waiting = asyncio.ensure_future(anext(stream))
            except StopAsyncIteration:
                return
            finally:
                waiting.cancel()

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def download(self, request: Request) -> Response:
        """Download a result as netCDF, CSV or report."""
        form, source = request.query_params.get("form", ""), await self._result_file(request)
        if form == "nc":
            return FileResponse(source, media_type="application/x-netcdf", filename="result.nc")
        if form not in _FORMS:
            raise FileError(f"form {form[:40]}", alternatives(form, ("nc", *_FORMS)))
        found = await self.run_task("export", {"source": str(source), "form": form})
        path = self.aside / found["file"]
        content = path.read_bytes()
        path.unlink()
        name = "report.html" if form == "report" else "result.csv"
        words = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type=_FORMS[form], headers=words)

    async def frames(self, request: Request) -> Any:
        """Animation frames of a result."""
        return await self.run_task("export", {"source": str(await self._result_file(request)), "form": "frames"})

    async def study_report(self, request: Request) -> Response:
        """Report of a finished study."""
        path = self.project.place(request.query_params.get("path", ""), end="/report.html")
        if not path.is_file():
            raise FileError(path.name, "no such file")
        words = {"content-disposition": 'attachment; filename="report.html"'}
        return FileResponse(path, headers=words)

    async def _result_file(self, request: Request) -> Path:
        """File of a result: that of a task, once it is written, or a stored one."""
        kept = request.query_params.get("path", "")
        if not kept:
            task = self._task(_parse_task_number(request.query_params.get("task", "")))
            if task.answer:  # judged: the file follows
                await task.ended.wait()
            answer = task.answer
            kept = answer.get("kept", "")
            if "aside" in answer:
                return self.aside / str(answer["aside"])
        path = self.project.place(kept, end=".nc")
        if not path.is_file():
            raise FileError(kept or "result", "no such result; repeat the run")
        return path

    def _task(self, number: int) -> Task:
        if number not in self.crew.tasks:
            raise FileError(f"task {number}", "no longer exists; repeat the run")
        return self.crew.tasks[number]

    async def run_task(self, name: str, asked: dict[str, Any], timeout: float = _QUICK_TIMEOUT) -> Any:
        """Submit a task, wait for its result and return it; raise its error."""
        task = self.crew.submit(name, asked)
        while not task.ended.is_set():
            late = task.state == "running"  # one that waits for another to end is given its time afterwards
            try:
                await asyncio.wait_for(task.ended.wait(), timeout)
            except TimeoutError:
                if late:
                    self.crew.abort(task)
                    raise ModelError(f"{name}: no answer within {timeout:.0f} s; use fewer spans") from None
        if task.state != "done":
            raise WorkerError(task.answer)
        return task.answer


class WorkerError(PanheadError):
    """Error reported by a worker."""

    def __init__(self, said: dict[str, Any]) -> None:
        super().__init__(str(said.get("text", "")))
        self.said = {"text": str(said.get("text", "")), "problems": said.get("problems", [])}


def _parse_task_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else -1


def _with_error_responses(do: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    """Turn every PanheadError into an error response with its message."""

    async def answer(request: Request) -> Response:
        try:
            found = await do(request)
        except PanheadError as error:
            kinds = ((RequestTooLarge, 413), (Conflict, 409), (Busy, 429))
            status = next((code for kind, code in kinds if isinstance(error, kind)), 422)
            return JSONResponse(error.said if isinstance(error, WorkerError) else error_json(error), status)
        except OSError as error:
            return JSONResponse({"text": f"{error.strerror or error}", "problems": []}, 409)
        except ClientDisconnect:
            return Response(status_code=400)
        return found if isinstance(found, Response) else JSONResponse(found)

    return answer
