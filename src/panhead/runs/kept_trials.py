"""What a search has computed, point by point: one that goes on takes its own steps again and is answered at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import final

import numpy as np

from panhead.errors import FileError
from panhead.files import door, results
from panhead.jobs import Job
from panhead.runs import kept_march
from panhead.runs.kept_march import known_again
from panhead.runs.streams import Streams

FOLDERS = ".trials-"  #: then the name of what is searched


@final
class KeptTrials:
    """f(x) for x (n,) and f(x) (m,), each computed once and, with a folder, kept there.

    A search must be deterministic: then it asks for the same points in the same order, to the bit.
    """

    def __init__(self, job: Job, name: str, *descriptions: object) -> None:
        self._streams = Streams(None if job.out is None else job.out / f"{FOLDERS}{name}")
        inputs = {name: door.to_plain(descriptions)}
        self._inputs, job = results.input_hash(inputs), known_again(job, inputs)
        self._known: dict[bytes, np.ndarray] = {}
        self._since = time.monotonic()  # the last checkpoint
        found = self._streams.restore(inputs=self._inputs) if job.resume else None
        if found is None:
            self._streams.begin()
            return
        points, answers = (np.array(self._streams.table(which)) for which in ("point", "answer"))
        if len(points) != len(answers):
            raise FileError(str(self._streams.folder), "a trial has no answer; run without --resume")
        self._known = {x.tobytes(): f for x, f in zip(points, answers, strict=True)}

    def at(self, x: np.ndarray, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """f(x): known, or computed and kept."""
        key = np.ascontiguousarray(x, dtype=float).tobytes()
        if key not in self._known:
            self._known[key] = np.atleast_1d(np.asarray(compute(), dtype=float))
            self._streams.append("point", np.atleast_1d(x)[None])
            self._streams.append("answer", self._known[key][None])
            if self._streams.folder is not None and time.monotonic() - self._since >= kept_march.EVERY:
                self._streams.checkpoint({}, {"inputs": self._inputs})
                self._since = time.monotonic()
        return self._known[key]
