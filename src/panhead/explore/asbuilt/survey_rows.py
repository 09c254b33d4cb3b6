"""Readings of one pass of a measuring train over the contact wire."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True, slots=True)
class TrainReadings:
    """What one pass saw of the contact wire, (n,) each, x along the line; and what was wrong with it."""

    x: np.ndarray  #: chainage [m]
    height: np.ndarray  #: [m]
    stagger: np.ndarray  #: + to the left; NaN: not measured [m]
    notes: tuple[str, ...] = ()
    name: str = ""

    def at(self, chosen: np.ndarray, *notes: str) -> TrainReadings:
        """Some of the rows."""
        x, z, y = (a[chosen] for a in (self.x, self.height, self.stagger))
        return replace(self, x=x, height=z, stagger=y, notes=(*self.notes, *notes))
