"""Worker process: reads tasks from standard input and writes events to standard output, as lines of JSON.

It ends when its input ends, so that no worker outlives the server.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections import deque
from pathlib import Path
from typing import Any

from panhead.app.workbench.error_responses import error_json
from panhead.app.workbench.project import Project
from panhead.app.workbench.tasks import TASKS, TaskContext
from panhead.errors import PanheadError


class _Inbox:
    """Queue of tasks in order of arrival; a stop request reaches the running task."""

    def __init__(self) -> None:
        self._waiting: deque[dict[str, Any]] = deque()
        self._stopped: set[int] = set()
        self._news = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            message = json.loads(line)
            with self._news:
                if "stop" in message:
                    self._stopped.add(message["stop"])
                else:
                    self._waiting.append(message)
                    self._news.notify()
        os._exit(0)  # the server is gone

    def next(self) -> dict[str, Any]:
        """Wait for the next task."""
        with self._news:
            while not self._waiting:
                self._news.wait()
            return self._waiting.popleft()

    def stopped(self, task: int) -> bool:
        """True if a task was asked to stop."""
        return task in self._stopped


def main() -> None:
    """Serve until the input ends: ``python -m panhead.app.workbench.worker PROJECT ASIDE HANDS``."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever a library prints goes to the error stream
    inbox, project = _Inbox(), Project(Path(sys.argv[1]))
    os.chdir(project.folder)  # names of files count from here

    def serve(message: dict[str, Any]) -> None:
        task = message["id"]

        def tell(event: str, content: dict[str, Any]) -> None:
            out.write(json.dumps({"id": task, "event": event} | content, allow_nan=False) + "\n")
            out.flush()

        desk = TaskContext(project, Path(sys.argv[2]), int(sys.argv[3]), tell, lambda: inbox.stopped(task))
        try:
            tell("done", TASKS[message["task"]](desk, message["asked"]))
        except PanheadError as error:
            tell("refused", error_json(error))
        except OSError as error:
            words = f"{error.filename or 'a file'}: {error.strerror or error}"
            tell("refused", {"text": words, "problems": []})
        except KeyboardInterrupt:
            tell("done", {"stopped": True, "sentence": "Stopped.", "curves": []})
        except (MemoryError, RecursionError) as error:
            tell(
                "refused", {"text": f"the task is too large for this machine ({type(error).__name__})", "problems": []}
            )

    while True:
        serve(inbox.next())


if __name__ == "__main__":
    main()
