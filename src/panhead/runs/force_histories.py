"""Prescribed force histories on the masses of pantographs (open-loop actuators)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from panhead.errors import ModelError
from panhead.files.units import Newtons, Seconds
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph


@dataclass(frozen=True, slots=True, kw_only=True)
class PushInTime:
    """Prescribed upward force on one mass of one pantograph, linear between the rows of its table, zero outside."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}

    table: tuple[tuple[Seconds, Newtons], ...]  #: time and force
    pantograph: int = 1  #: 1 is the first of the train
    stage: int = 1  #: 1 is the head

    def __post_init__(self) -> None:
        times = [t for t, _ in self.table]
        if len(times) < 2 or any(b <= a for a, b in pairwise(times)):
            raise ModelError(f"PushInTime: table needs at least two rows with increasing times, got {times[:6]}")
        if not all(math.isfinite(x) for row in self.table for x in row):
            raise ModelError("PushInTime: times and forces of its table must be finite")

    def weights(self, t: np.ndarray) -> np.ndarray:
        """Interpolation weights of the table's forces at times t; (t, rows)."""
        times, share = np.array([row[0] for row in self.table]), np.zeros((t.size, len(self.table)))
        inside = np.flatnonzero((t >= times[0]) & (t <= times[-1]))
        k = np.clip(np.searchsorted(times, t[inside], side="right") - 1, 0, times.size - 2)
        xi = (t[inside] - times[k]) / (times[k + 1] - times[k])
        share[inside, k], share[inside, k + 1] = 1.0 - xi, xi
        return share

    def at(self, t: np.ndarray) -> np.ndarray:
        """Force at times t [N]."""
        times, forces = np.array(self.table, dtype=float).T
        return np.interp(t, times, forces, left=0.0, right=0.0)

    def mass(self, pantographs: Sequence[LumpedPantograph]) -> int:
        """Index of the loaded mass among those of all pantographs; ModelError if there is none."""
        if not 1 <= self.pantograph <= len(pantographs):
            raise ModelError(f"pushes: there is no pantograph {self.pantograph}; the train has 1 … {len(pantographs)}")
        stages = len(pantographs[self.pantograph - 1].stages)
        if not 1 <= self.stage <= stages:
            name = pantographs[self.pantograph - 1].name
            raise ModelError(f"pushes: pantograph {name!r} has no stage {self.stage}; it has 1 … {stages}")
        mine = pantographs[self.pantograph - 1]
        if self.stage == 1 and mine.strips is not None:
            raise ModelError(
                f"pushes: the head of pantograph {mine.name!r} consists of strips; use stage 2, or remove `strips`"
            )
        return sum(p.size for p in pantographs[: self.pantograph - 1]) + mine.size - stages + self.stage - 1
