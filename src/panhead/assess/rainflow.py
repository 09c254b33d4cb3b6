"""Rainflow counting of load cycles, and the damage-equivalent range."""

from __future__ import annotations

import numpy as np


def turning_points(record: np.ndarray) -> np.ndarray:
    """Peaks and valleys of a record (n,), including its ends."""
    x = np.asarray(record, float)
    x = x[np.append(True, np.diff(x) != 0.0)]
    if x.size < 3:
        return x
    turns = np.sign(np.diff(x))
    return np.asarray(x[np.concatenate([[True], turns[1:] != turns[:-1], [True]])])


def rainflow(record: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ranges (k,) in the unit of the record and counts (k,), 1 or ½, of its cycles by ASTM E1049, 5.4.4.

    A range that is not larger than the one after it is a whole cycle and is taken out, unless it holds the record's
    beginning: then, and at the end, ranges are half cycles.                                         [Matsuishi68]
    """
    ranges, counts, kept = [], [], []
    for point in turning_points(record):
        kept.append(float(point))
        while len(kept) >= 3:
            last, before = abs(kept[-1] - kept[-2]), abs(kept[-2] - kept[-3])
            if last < before:
                break
            ranges.append(before)
            if len(kept) == 3:
                counts.append(0.5)
                del kept[0]
            else:
                counts.append(1.0)
                del kept[-3:-1]
    rest = np.abs(np.diff(kept))
    return np.concatenate([ranges, rest]), np.concatenate([counts, np.full(rest.size, 0.5)])


def equivalent_range(ranges: np.ndarray, counts: np.ndarray, slope: float) -> float:
    """The range of one cycle that does the damage of all, Δ = (Σ n_i Δ_i^m)^(1/m), by Miner's rule with N ∝ Δ^−m."""
    return float(np.sum(counts * np.asarray(ranges) ** slope) ** (1.0 / slope)) if len(ranges) else 0.0
