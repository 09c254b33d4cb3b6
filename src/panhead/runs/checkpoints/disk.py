"""Checkpoints of a run on disk, in its output folder."""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING, Any, final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.checkpoints import Checkpoint
from panhead.errors import FileError
from panhead.files import parse, results
from panhead.runs.streams import Streams

if TYPE_CHECKING:
    from panhead.runs.resolve import ResolvedRun

INTERVAL = 2.0  # of the clock between checkpoints [s]


def resumable(job: Job, inputs: dict[str, object]) -> bool:
    """True if the job wants to resume and its inputs are complete; parts made in Python are known by name only."""
    if job.resume and not results.can_repeat(inputs):
        job.restarts("a part that is made in Python")
        return False
    return job.resume


def run_inputs(model: ResolvedRun) -> tuple[object, ...]:
    """Inputs that must be equal for one pantograph run to continue another, including the roof motion."""
    digest, roof = hashlib.sha256(), model.timetable.roof
    for table in () if roof is None else (roof.times, roof.height, roof.rate):
        digest.update(np.ascontiguousarray(table).tobytes())
    return model.run, model.line, model.pantographs, digest.hexdigest()


@final
class RunCheckpoints:
    """Implements ``panhead.engine.methods.checkpoints.Checkpoints``; without a folder nothing is saved or restored.

    descriptions: the inputs; a checkpoint of others is refused. streams: to which the march itself appends its rows;
    they are then cut back to the checkpoint and handed over as they are on the disk, not read into memory.
    """

    def __init__(self, job: Job, *descriptions: object, streams: Streams | None = None) -> None:
        self._mapped, self._streams = streams is not None, Streams(job.out) if streams is None else streams
        self._since, self._inputs = time.monotonic(), ""
        self._found: tuple[dict[str, np.ndarray], dict[str, Any]] | None = None
        if self._streams.folder is None:
            return
        inputs: dict[str, object] = {"march": parse.to_plain(descriptions)}
        self._inputs = results.input_hash(inputs)
        if resumable(job, inputs):
            self._found = self._streams.restore(inputs=self._inputs)
        if self._found is None:
            self._streams.begin()

    def restore(self) -> Checkpoint | None:
        """Checkpoint that the interrupted run left."""
        if self._found is None:
            return None
        state, facts = self._found
        tables = {name: self._streams.table(name) for name in self._streams.rows}
        rows = tables if self._mapped else {name: np.array(table) for name, table in tables.items()}
        folder = str(self._streams.folder)
        try:
            return Checkpoint(int(facts["step"]), state, rows, folder)
        except (KeyError, TypeError, ValueError):
            raise FileError(folder, "the checkpoint has no step number; run without --resume") from None

    def due(self) -> bool:
        """True if the last checkpoint is old enough."""
        return self._streams.folder is not None and time.monotonic() - self._since >= INTERVAL

    def save(self, here: Checkpoint) -> None:
        """Save the rows since the last checkpoint, then the state."""
        if self._streams.folder is None:
            return
        for name, rows in here.rows.items():
            self._streams.append(name, rows[self._streams.rows.get(name, 0) :])
        self._streams.save(here.state, {"inputs": self._inputs, "step": here.step})
        self._since = time.monotonic()
