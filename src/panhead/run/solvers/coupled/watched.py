"""A participant that is looked at after every exchange step; steps taken back are forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np

from panhead.run.solvers.coupled.participant import Participant
from panhead.system import Vector


class _Memory(NamedTuple):
    inner: Any
    rows: int


@final
class Watched:
    """``look`` gives a row of numbers at the start and after every step; a step of which None is told is skipped."""

    def __init__(self, inner: Participant, look: Callable[[], Vector | None]) -> None:
        self.inner, self.look = inner, look
        self.name, self.inputs, self.outputs = inner.name, inner.inputs, inner.outputs
        self.times: list[float] = []
        self.rows: list[Vector] = []
        self._note()

    @property
    def time(self) -> float:
        """Where it stands [s]."""
        return self.inner.time

    def observe(self, u: Vector) -> Vector:
        """As the participant itself."""
        return self.inner.observe(u)

    def advance(self, dt: float, u0: Vector, u1: Vector) -> Vector:
        """As the participant itself, then a look."""
        told = self.inner.advance(dt, u0, u1)
        self._note()
        return told

    def remember(self) -> _Memory:
        """The participant's memory, and how much has been seen."""
        return _Memory(self.inner.remember(), len(self.rows))

    def recall(self, memory: _Memory) -> None:
        """Back to where ``remember`` was called."""
        self.inner.recall(memory.inner)
        del self.rows[memory.rows :], self.times[memory.rows :]

    def seen(self) -> tuple[Vector, np.ndarray]:
        """Times (n,) [s] and rows (n, ·)."""
        return np.array(self.times), np.array(self.rows)

    def _note(self) -> None:
        row = self.look()
        if row is not None:
            self.times.append(self.inner.time)
            self.rows.append(row)
