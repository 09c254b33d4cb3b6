"""Checkpoints of a coupled run: both sides, their exchanged values and recordings."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import final

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.checkpoints import NO_CHECKPOINTS, Arrays, Checkpoint, Checkpoints, resume


class Resumable(ABC):
    """Part of a coupled run that can be stopped and resumed."""

    def save_rows(self) -> dict[str, np.ndarray]:
        """Rows recorded so far, (n, width) each; most parts have none."""
        return {}

    @abstractmethod
    def save_state(self) -> dict[str, np.ndarray]:
        """Arrays of the current state."""

    @abstractmethod
    def restore_state(self, state: Arrays, rows: Arrays) -> None:
        """Restore a saved state in a run that has just begun."""


@final
class ExchangeCheckpoints:
    """Parts of a run by name; names of arrays and rows begin with that of their part."""

    def __init__(self, parts: Mapping[str, Resumable], checkpoints: Checkpoints = NO_CHECKPOINTS) -> None:
        self.parts, self.checkpoints = dict(parts), checkpoints

    def restore(self, steps: int) -> int:
        """Restore every part; return the exchange steps of a run of ``steps`` already done."""
        found = self.checkpoints.restore()
        if found is None:
            return 0
        with resume(found, steps):
            for name, part in self.parts.items():
                part.restore_state(_of(name, found.state), _of(name, found.rows))
        return found.step

    def save_if_due(self, step: int) -> None:
        """Save a checkpoint if one is due."""
        if self.checkpoints.due():
            state = {f"{name}_{k}": x for name, part in self.parts.items() for k, x in part.save_state().items()}
            rows = {f"{name}_{k}": x for name, part in self.parts.items() for k, x in part.save_rows().items()}
            self.checkpoints.save(Checkpoint(step, state, rows))


def _of(name: str, arrays: Arrays) -> dict[str, np.ndarray]:
    return {key.removeprefix(f"{name}_"): x for key, x in arrays.items() if key.startswith(f"{name}_")}


def exchange_checkpoints(parts: Mapping[str, object], checkpoints: Checkpoints, job: Job) -> ExchangeCheckpoints:
    """Checkpoints of all parts; none if an external code is among them, which the job reports."""
    kept = {name: part for name, part in parts.items() if isinstance(part, Resumable)}
    if len(kept) == len(parts):
        return ExchangeCheckpoints(kept, checkpoints)
    job.restarts(f"a {' or '.join(parts.keys() - kept.keys())} that is a code of its own")
    return ExchangeCheckpoints({}, NO_CHECKPOINTS)
