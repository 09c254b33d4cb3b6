"""Dask cluster as study workers; results are exchanged through files.

A task writes each of its results as soon as it is assessed, so that nothing written is lost with a worker or with the
scheduler (``dispatch``). All machines see the study's folder under the same path.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

from panhead.errors import ModelError, SimulationError

_PATIENCE = "20 s"  # for a scheduler to answer
_LOOK = "5 s"  # between two looks whether it is still there


class Cluster:
    """The workers of a Dask scheduler."""

    ahead = 3  # so that a worker has the next task before it asks

    def __init__(self, address: str) -> None:
        try:
            from dask.distributed import Client, KilledWorker
        except ImportError:
            raise ModelError("study: --cluster needs Dask; install it with: pip install 'panhead[cluster]'") from None
        self.lost: tuple[type[BaseException], ...] = (KilledWorker,)
        where = {"scheduler_file": address} if Path(address).suffix == ".json" else {"address": address}
        try:
            self._client = Client(timeout=_PATIENCE, **where)
            self.count = max(1, sum(self._client.nthreads().values()))
        except (OSError, TimeoutError, ValueError) as error:
            raise SimulationError(
                f"the cluster {address} does not respond ({error}); start `dask scheduler` and `dask worker`, or omit "
                "--cluster"
            ) from None

    def submit(self, task: Callable[..., int], *given: Any) -> Any:
        """Begin a task on any worker."""
        return self._client.submit(task, *given, pure=False, retries=2)

    def done(self, waiting: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Wait until at least one is done."""
        from dask.distributed import wait

        while self._client.status == "running":
            try:
                found = wait(list(waiting), timeout=_LOOK, return_when="FIRST_COMPLETED")
                return list(found.done), list(found.not_done)
            except TimeoutError:
                continue  # a long sample; is the scheduler still there?
            except (asyncio.CancelledError, CancelledError, OSError, RuntimeError):  # Dask raises either
                break
        raise SimulationError(
            "the connection to the cluster was lost. Computed samples are kept; repeat the command to continue"
        )

    def close(self) -> None:
        """Leave the cluster; what has not begun is dropped."""
        self._client.close(timeout="2 s")
