"""Checkpoints of a motion in the folder of its run, by the streams that runs under a line write."""

from __future__ import annotations

import time
from typing import final

import numpy as np

from panhead.errors import FileError
from panhead.files import door, results
from panhead.jobs import Job
from panhead.methods.checkpoints import Checkpoint
from panhead.runs.streams import Streams

EVERY = 2.0  # of the clock between checkpoints [s]


@final
class KeptMotion:
    """See ``panhead.methods.checkpoints``; without a folder none are kept."""

    def __init__(self, job: Job, description: object) -> None:
        self._streams, self._since = Streams(job.out), time.monotonic()
        self._inputs = results.input_hash({"motion": door.to_plain(description)})
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
