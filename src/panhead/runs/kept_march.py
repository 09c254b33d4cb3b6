"""Checkpoints of a march in the folder of its run, by the streams that the linear solver writes as well."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import final

import numpy as np

from panhead.errors import FileError
from panhead.files import door, results
from panhead.jobs import Job
from panhead.methods.checkpoints import Checkpoint
from panhead.runs.streams import Streams

EVERY = 2.0  # of the clock between checkpoints [s]


def known_again(job: Job, inputs: dict[str, object]) -> Job:
    """The same job; begun anew where a part is made in Python, for another one would look the same."""
    if not job.resume or results.can_repeat(inputs):
        return job
    job.begins_anew("a part that is made in Python")
    return replace(job, resume=False)


@final
class KeptMarch:
    """See ``panhead.methods.checkpoints``; without a folder none are kept."""

    def __init__(self, job: Job, *descriptions: object) -> None:
        self._streams, self._since = Streams(job.out), time.monotonic()
        inputs = {"march": door.to_plain(descriptions)}
        self._inputs, job = results.input_hash(inputs), known_again(job, inputs)
        self._found = self._streams.restore(inputs=self._inputs) if job.resume else None
        if self._found is None:
            self._streams.begin()

    def last(self) -> Checkpoint | None:
        """What the run before this one has left."""
        if self._found is None:
            return None
        state, facts = self._found
        rows = {name: np.array(self._streams.table(name)) for name in self._streams.rows}
        try:
            return Checkpoint(int(facts["step"]), state, rows)
        except (KeyError, TypeError, ValueError):
            raise FileError(self._streams.folder, "the checkpoint has no step; run without --resume") from None

    def due(self) -> bool:
        """Whether the last is old enough."""
        return self._streams.folder is not None and time.monotonic() - self._since >= EVERY

    def keep(self, here: Checkpoint) -> None:
        """The rows since the last one, then the state."""
        for name, rows in here.rows.items():
            self._streams.append(name, rows[self._streams.rows.get(name, 0) :])
        self._streams.checkpoint(here.state, {"inputs": self._inputs, "step": here.step})
        self._since = time.monotonic()
