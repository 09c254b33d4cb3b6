"""What a survey cannot tell apart: parts of which only a combination is known, and parts it says nothing about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from panhead.explore.asbuilt.parts import BuiltPart

_ALIKE: Final = 0.9  # correlation from which two parts are not told apart


def indistinct(parts: Sequence[BuiltPart], covariance: np.ndarray) -> list[str]:
    """Sentences on what the data cannot tell apart: pairs of parts of which only a combination is known."""
    spread = np.sqrt(np.diag(covariance))
    rho = covariance / np.maximum(np.outer(spread, spread), 1e-300)
    rare = [k for k, p in enumerate(parts) if p.kind not in ("dropper length", "stagger")]
    pairs: dict[tuple[str, str, str], list[str]] = {}
    for k in rare:
        for j in range(len(parts)):
            if abs(rho[k, j]) > _ALIKE and (j > k or j not in rare) and j != k:
                what = "sum" if rho[k, j] < 0 else "difference"
                names = f"{parts[k].name} and {parts[j].name} (correlation {rho[k, j]:+.2f})"
                pairs.setdefault((parts[k].kind, parts[j].kind, what), []).append(names)
    told = [
        f"{first} and {second}: only their weighted {what} is known, of {_some(names, 2)}"
        for (first, second, what), names in pairs.items()
    ]
    unknown = [p.label for p in parts if not p.known and p.kind != "pre-sag"]
    if unknown:
        told.append(f"the readings say little about {_some(unknown, 6)}: there the drawing counts")
    return told


def _some(names: Sequence[str], most: int) -> str:
    """The first names of a list, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
