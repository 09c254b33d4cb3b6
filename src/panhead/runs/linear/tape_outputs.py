"""Records of a taped run: time series, extremes, and the margin of each step to a kink."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panhead.runs.linear.session import Session
from panhead.runs.linear.step.adjoint_arrays import KeptSteps
from panhead.runs.linear.step.dropper import note_droppers
from panhead.runs.linear.step.unilateral import OPEN, STOP

_SERIES = 64e6  # bytes that the series of all supports and droppers may take; of longer runs only extremes are kept
Key = tuple[int, str]  #: number of a mast or span, and a name


@dataclass(frozen=True, slots=True)
class Peaks:
    """Extremes of several series over a run, each with its row."""

    most: np.ndarray
    most_at: np.ndarray
    least: np.ndarray
    least_at: np.ndarray

    @staticmethod
    def of(series: np.ndarray) -> Peaks:
        """Extremes of the columns of a table (steps, n)."""
        at, low, n = series.argmax(axis=0), series.argmin(axis=0), np.arange(series.shape[1])
        return Peaks(series[at, n], at, series[low, n], low)


class TapeOutputs:
    """Records of a run, stretch by stretch: series that are short enough, and extremes of all of them."""

    def __init__(self, session: Session, steps: int) -> None:
        window = session.window
        self.moving = session.model.moving
        self.whole = not self.moving and 8 * steps * (len(window.row_keys) + len(window.support_keys)) <= _SERIES
        self.rows: list[tuple[np.ndarray, ...]] = []
        self.done = 0
        self.keys: tuple[dict[Key, int], dict[Key, int]] = {}, {}
        self.peaks: list[list[np.ndarray]] = [[np.zeros(0)] * 4, [np.zeros(0)] * 4]
        self.modes = hashlib.blake2b(digest_size=16)

    def add(self, session: Session, kept: KeptSteps, row: np.ndarray) -> None:
        """Add the steps that begin in these rows."""
        force, height, *tables, margin, of_droppers = _outputs(session, kept, row + 1)
        for modes in (kept.contact["mode"][row + 1], of_droppers, kept.element["mode"][row + 1]):
            self.modes.update(modes.astype(np.uint8).tobytes())
        window = session.window
        for which, keys in enumerate((window.support_keys, window.row_keys)):
            self._note(which, keys, tables[which])
        if self.moving:
            force = force.reshape(len(row), len(session.model.names), -1).sum(axis=2)
            height = height[:, :0].copy()  # a view would keep all of it
        if not self.whole:
            tables = [table[:, :0].copy() for table in tables]
        self.rows.append((force, height, *tables, margin))
        self.done += len(row)

    def _note(self, which: int, keys: Sequence[Key], table: np.ndarray) -> None:
        known, old = self.keys[which], self.peaks[which]
        for key in keys:
            known.setdefault(key, len(known))
        more = len(known) - old[0].size
        if more:
            fresh = np.full(more, -np.inf), np.zeros(more, int), np.full(more, np.inf), np.zeros(more, int)
            old[:] = [np.concatenate(pair) for pair in zip(old, fresh, strict=True)]
        if not len(keys):
            return
        at, found = np.array([known[key] for key in keys]), Peaks.of(table)
        for k, higher in ((0, found.most > old[0][at]), (2, found.least < old[2][at])):
            value, row = (found.most, found.most_at) if k == 0 else (found.least, found.least_at)
            old[k][at[higher]], old[k + 1][at[higher]] = value[higher], row[higher] + self.done

    def columns(self) -> tuple[Any, ...]:
        """Columns in the order of ``RunTape``."""
        series = [np.concatenate(part) for part in zip(*self.rows, strict=True)]
        return *series, *self.keys, *(Peaks(*each) for each in self.peaks), self.modes.digest()


def _outputs(session: Session, kept: KeptSteps, rows: np.ndarray) -> tuple[np.ndarray, ...]:
    """Forces, heights, uplifts and dropper forces in the stored rows, margin of each to a kink, modes."""
    consecutive, support = len(rows) == rows[-1] - rows[0] + 1, session.state.support
    at = slice(int(rows[0]), int(rows[-1]) + 1) if consecutive else rows  # a slice copies nothing
    c, shape = kept.contact[at], (len(rows), kept.drop.shape[1])
    pull, modes, least = np.zeros(shape), np.zeros(shape, np.uint8), np.zeros(len(rows))
    note_droppers(kept.drop, rows, pull, modes, least)
    dof = np.tile(session.window.line.path["dof_w"], session.train.head.size)
    n, lifted = rows[:, None], np.zeros(c.shape)
    for k in range(4):
        d = dof + (k & 1)
        lifted -= c["weight"][:, :, k] * kept.q[n, 0, c["station"] + (k >> 1), d >> 2, d & 3]
    height = np.where(c["on"] == 1, c["z"] + lifted, np.nan)
    uplift = kept.q[n, 0, support["station"], support["dof"] >> 2, support["dof"] & 3]
    margin = np.minimum(least, _margin(session, c, kept.element[at]))
    return c["F"].copy(), height, uplift, pull, margin, modes


def _margin(session: Session, c: np.ndarray, element: np.ndarray) -> np.ndarray:
    """Smallest force margin to a mode change of contacts and stops, per step; (steps,) [N]."""
    k = np.repeat(session.train.head["k"], c.shape[1] // session.train.head.size)
    by_contact = np.where(c["mode"] == OPEN, np.where(c["on"] == 1, k * np.abs(c["g"]), np.inf), c["F"])
    open_stop = element["k"] * np.abs(element["g"])
    by_stop = np.where(element["kind"] == STOP, np.where(element["mode"] == OPEN, open_stop, element["force"]), np.inf)
    return np.concatenate([by_contact, by_stop], axis=1).min(axis=1, initial=np.inf)
