"""Cache of function evaluations of a search: a resumed search repeats its steps from the cache."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.checkpoints import Checkpoint
from panhead.errors import FileError
from panhead.runs.checkpoints.disk import RunCheckpoints
from panhead.runs.streams import Streams

FOLDERS = ".trials-"  #: then the name of what is searched


@final
class EvaluationCache:
    """Cache of f(x) for x (n,) and f(x) (m,), each computed once and, with a folder, saved there.

    The search must be deterministic: it then evaluates the same points in the same order, bit for bit.
    """

    def __init__(self, job: Job, name: str, *descriptions: object) -> None:
        self._streams = Streams(None if job.out is None else job.out / f"{FOLDERS}{name}")
        self._checkpoints = RunCheckpoints(job, name, *descriptions, streams=self._streams)
        found = self._checkpoints.restore()
        points, answers = (() if found is None else np.array(self._streams.table(x)) for x in ("point", "answer"))
        if len(points) != len(answers):
            raise FileError(str(self._streams.folder), "the evaluation cache is incomplete; run without --resume")
        self._known = {x.tobytes(): f for x, f in zip(points, answers, strict=True)}

    def at(self, x: np.ndarray, compute: Callable[[], np.ndarray]) -> np.ndarray:
        """f(x) from the cache, or computed and saved."""
        key = np.ascontiguousarray(x, dtype=float).tobytes()
        if key not in self._known:
            self._known[key] = np.atleast_1d(np.asarray(compute(), dtype=float))
            self._streams.append("point", np.atleast_1d(x)[None])
            self._streams.append("answer", self._known[key][None])
            if self._checkpoints.due():
                self._checkpoints.save(Checkpoint(len(self._known), {}, {}))
        return self._known[key]
