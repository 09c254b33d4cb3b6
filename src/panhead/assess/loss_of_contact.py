"""Contact losses and the arcing they would cause.

A loss is a stretch of time in which the unfiltered contact force is zero. If every loss draws an
arc for as long as it lasts, the share of arcing is

    NQ = Σ t_loss / t_total
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panhead.files.units import Dimensionless, Metres, Newtons, Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Losses:
    """Contact losses of one record."""

    starts: np.ndarray  #: (losses,) [s]
    durations: np.ndarray  #: (losses,) [s]
    total: Seconds
    longest: Seconds
    share: Dimensionless  #: of the record's time; 0.01 is 1 %
    arcing: Dimensionless  #: NQ, losses of at least the shortest arc only
    length: Metres  #: track passed without contact

    @property
    def count(self) -> int:
        """Number of losses."""
        return int(self.durations.size)


def contact_losses(
    force: np.ndarray, times: np.ndarray, speed: float, *, threshold: Newtons = 0.0, shortest_arc: Seconds = 0.0
) -> Losses:
    """Losses in an unfiltered force (samples,) [N]; each sample stands for one step of time.

    ``speed`` [m/s] turns time into track. ``threshold`` is the force up to which contact counts as
    lost. By default every loss arcs, however short, which overestimates NQ.
    """
    force, times = np.asarray(force, float), np.asarray(times, float)
    step = (times[-1] - times[0]) / (times.size - 1)
    lost = np.concatenate(([False], force <= threshold, [False]))
    edges = np.flatnonzero(np.diff(lost.astype(np.int8)))
    first, past = edges[::2], edges[1::2]
    durations = (past - first) * step
    total, whole = float(durations.sum()), force.size * step
    return Losses(
        starts=times[first],
        durations=durations,
        total=total,
        longest=float(durations.max(initial=0.0)),
        share=total / whole,
        arcing=float(durations[durations >= shortest_arc].sum()) / whole,
        length=total * speed,
    )
