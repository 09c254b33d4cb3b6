"""Worker pool of the server: queues of tasks, worker processes and the pages that listen to their events.

A task belongs to the server, not to a page: closing a page stops nothing, and a page that is reloaded finds its tasks
again. Quick tasks (a drawing) have a worker of their own, so that a long run never blocks editing.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import sys
from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from panhead.engine.jobs import ONE_THREAD
from panhead.errors import ModelError

_MAX_EVENT_BYTES: Final = 1 << 28  # longest event of a worker [bytes]
_DEFAULT_RUN_WORKERS: Final = 2  # runs at once, where nobody says how many
_MAX_FINISHED: Final = 60  # finished tasks remembered
_MAX_WAITING: Final = 40  # tasks that may wait at once
_QUICK_TASKS: Final = ("draw", "findings", "show", "export", "warm", "template", "tables")
_FINAL_STATES: Final = ("done", "refused", "failed")


@dataclass(slots=True)
class Task:
    """Task of a worker, its state and its result."""

    id: int
    name: str
    asked: Mapping[str, Any]
    page: str = ""  #: who asked; "" concerns everyone
    state: str = "waiting"  #: waiting, running, done, refused, failed
    last: dict[str, Any] = field(default_factory=dict)  #: progress told last
    answer: dict[str, Any] = field(default_factory=dict)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    hand: WorkerProcess | None = None
    replaced: bool = False  #: the page has asked for another run since: nobody waits for this one

    def plain(self) -> dict[str, Any]:
        """Plain data for a page that has just been loaded."""
        told = {"task": self.id, "name": self.name, "state": self.state, "page": self.page}
        return told | {"progress": self.last, "answer": self.answer, "title": str(self.asked.get("path", ""))}


class WorkerProcess:
    """One worker process."""

    def __init__(self, crew: WorkerPool, lane: str) -> None:
        self.crew, self.lane = crew, lane
        self.task: Task | None = None
        self.process: asyncio.subprocess.Process | None = None

    async def work(self) -> None:
        """Process the tasks of a lane until the pool closes; restart a process that has died."""
        try:
            if self.crew.warm and self.lane != "study":
                async with self.crew.warming[self.lane]:  # on a new machine the first compiles, the others load
                    await self._ensure_started()
                    await self._run_task(
                        Task(0, "warm", {"lane": self.lane})
                    )  # nobody waits for what can be loaded before
                self.crew.ready = self.crew.ready or self.lane == "long"
            while (task := await self.crew.next(self.lane)) is not None:
                await self._ensure_started()
                await self._run_task(task)
        finally:
            await self.end()

    async def _ensure_started(self) -> None:
        if self.process is not None and self.process.returncode is None:
            return
        words = [sys.executable, "-m", "panhead.app.workbench.worker"]
        words += [str(self.crew.folder), str(self.crew.aside), str(self.crew.hands or os.cpu_count() or 1)]
        pipe, env = asyncio.subprocess.PIPE, os.environ | ONE_THREAD
        self.process = await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, env=env, limit=_MAX_EVENT_BYTES
        )

    async def _run_task(self, task: Task) -> None:
        assert self.process is not None
        assert self.process.stdout is not None
        self.task, task.hand, task.state = task, self, "running"
        self.crew.tell(task, {"event": "started"})
        self.send({"id": task.id, "task": task.name, "asked": dict(task.asked)})
        while task.state == "running":
            line = await self.process.stdout.readline()
            if line:
                self.crew.handle_event(task, json.loads(line))
            else:  # it was killed, or fell
                code = await self.process.wait()
                self.crew.handle_event(
                    task,
                    {"event": "failed", "text": f"the worker process ended unexpectedly (exit code {code}); try again"},
                )
        self.task = None

    def send(self, message: Mapping[str, Any]) -> None:
        """Write to the worker; a dead worker is detected where its answer is awaited."""
        if self.process is not None and self.process.stdin is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):
                self.process.stdin.write(json.dumps(message).encode() + b"\n")

    async def end(self) -> None:
        """End the process."""
        if self.process is not None and self.process.returncode is None:
            self.process.kill()
            await self.process.wait()


class WorkerPool:
    """Worker pool of a server with its current and finished tasks, and the pages that listen.

    ``hands``: processes for runs and for the samples of a study; 0: two for runs, one per core for studies.
    """

    def __init__(self, folder: Path, aside: Path, *, hands: int, warm: bool = True) -> None:
        self.folder, self.aside, self.hands, self.warm = folder, aside, hands, warm
        self.tasks: OrderedDict[int, Task] = OrderedDict()
        self._numbers = itertools.count(1)
        self._queues: dict[str, asyncio.Queue[Task | None]] = {
            lane: asyncio.Queue() for lane in ("quick", "long", "study")
        }
        self.warming = {lane: asyncio.Lock() for lane in ("quick", "long")}
        self.ready = not warm  #: whether a run begins at once
        self._jobs: list[asyncio.Task[None]] = []
        self._listeners: set[asyncio.Queue[dict[str, Any] | None]] = set()

    def start(self) -> None:
        """Start the workers."""
        lanes = ["quick", *["long"] * (self.hands or _DEFAULT_RUN_WORKERS), "study"]
        self._jobs = [asyncio.create_task(WorkerProcess(self, lane).work()) for lane in lanes]

    def end_streams(self) -> None:
        """End every stream of events."""
        for listener in self._listeners:
            listener.put_nowait(None)

    async def close(self) -> None:
        """End every worker and every stream of events."""
        self.end_streams()
        for job in self._jobs:
            job.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)

    async def next(self, lane: str) -> Task | None:
        """Wait for the next task of a lane that has not been stopped."""
        while True:
            task = await self._queues[lane].get()
            if task is None or task.state == "waiting":
                return task

    def submit(self, name: str, asked: Mapping[str, Any], page: str = "") -> Task:
        """Queue a task."""
        lane = "quick" if name in _QUICK_TASKS else "study" if name == "study" else "long"
        if self._queues[lane].qsize() >= _MAX_WAITING:
            raise Busy(f"{_MAX_WAITING} tasks are already waiting; wait for them, or stop some")
        task = self._new(name, asked, page)
        self._queues[lane].put_nowait(task)
        return task

    def _new(self, name: str, asked: Mapping[str, Any], page: str) -> Task:
        task = Task(next(self._numbers), name, asked, page)
        self.tasks[task.id] = task
        alike = lambda t: (
            (t.name in _QUICK_TASKS) == (name in _QUICK_TASKS)
        )  # many drawings push out no run that a page shows
        ended = [t for t in self.tasks.values() if t.state in _FINAL_STATES and alike(t)]
        for old in ended[: max(0, len(ended) - _MAX_FINISHED)]:
            self._delete_result(self.tasks.pop(old.id))
        return task

    def _delete_result(self, task: Task) -> None:
        if "aside" in task.answer:
            (self.aside / task.answer["aside"]).unlink(missing_ok=True)

    def stop(self, task: Task) -> None:
        """Stop a task; a running one keeps its partial result."""
        if task.state == "waiting":
            self.handle_event(
                task, {"event": "done", "stopped": True, "sentence": "Stopped before it started.", "curves": []}
            )
        elif task.state == "running" and task.hand is not None:
            task.hand.send({"stop": task.id})

    def abort(self, task: Task) -> None:
        """End a task that does not answer, and kill its process."""
        if task.state == "waiting":
            task.state = "failed"
        elif task.hand is not None and task.hand.task is task and task.hand.process is not None:
            task.hand.process.kill()

    def replace(self, page: str, names: Sequence[str] = ("run", "gradient")) -> None:
        """Stop the earlier automatic runs of a page, and the gradients that it no longer waits for."""
        for task in self.tasks.values():
            if page and task.page == page and task.name in names and not task.asked.get("keep"):
                task.replaced = True
                self.stop(task)

    def handle_event(self, task: Task, event: dict[str, Any]) -> None:
        """Process an event from a worker."""
        kind = event["event"]
        content = {key: value for key, value in event.items() if key not in ("id", "event")}
        if kind == "progress":
            task.last = content
        if kind in ("verdict", *_FINAL_STATES):
            task.answer |= content
        if kind in _FINAL_STATES:
            task.state = kind
        self.tell(task, {"event": kind} | content)
        if kind in _FINAL_STATES:
            task.ended.set()

    def tell(self, task: Task, event: dict[str, Any]) -> None:
        """Send an event to every listening page; drawings and files are answered directly."""
        if task.name in _QUICK_TASKS and task.name != "show":
            return
        for listener in self._listeners:
            told = {"task": task.id, "name": task.name, "page": task.page, "replaced": task.replaced}
            listener.put_nowait(told | event)

    def announce(self, event: dict[str, Any]) -> None:
        """Send an event without a task to every page, such as a saved file."""
        for listener in self._listeners:
            listener.put_nowait({"task": 0, "name": "", "page": ""} | event)

    async def events(self, page: str) -> AsyncIterator[dict[str, Any]]:
        """Yield new events of the tasks of a page ("*": of all pages), and events for everyone."""
        mine: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._listeners.add(mine)
        try:
            while (event := await mine.get()) is not None:
                if page == "*" or event["page"] in ("", page):
                    yield event
        finally:
            self._listeners.discard(mine)


class Busy(ModelError):
    """Too many tasks are waiting."""
