"""Worker processes that never outlive the command that started them."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import connection, get_context, parent_process

from panhead.engine.jobs import ONE_THREAD

_PATIENCE = 2.0  # for a process to end [s]


def pool(count: int) -> ProcessPoolExecutor:
    """Processes that compute with one thread each, leave Ctrl-C to their parent and end when it ends.

    They are spawned, not forked: a worker shares no lock or thread with its parent.
    """
    return ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_begin)


def end(workers: ProcessPoolExecutor) -> None:
    """End processes at once: waiting tasks are dropped, running ones give no result."""
    processes = list((workers._processes or {}).values())
    workers.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
    for process in processes:
        process.join(_PATIENCE)  # so that it writes no more


def _begin() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.environ.update(ONE_THREAD)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End the worker when its parent is gone: a killed parent cannot, and the queue would wait forever."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)
