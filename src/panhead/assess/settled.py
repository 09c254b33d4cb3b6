"""Whether a run has settled: how σ changes from one pair of spans to the next, and how many spans were judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from panhead.assess.criteria import Criterion
from panhead.assess.quantities import Site

#: spread below which a run counts as settled: half of the ±20 % to which EN 50318 wants σ to agree
SETTLED: Final = 0.1


def settled_quantities(filtered: np.ndarray, judged: np.ndarray, site: Site) -> Iterator[Criterion]:
    """Number of whole spans judged, and the spread of the deviation over successive pairs of spans,

        s = (max σ_k − min σ_k) / σ,   σ_k over the spans k and k + 1

    of the force to 20 Hz (samples,) [N], from one span before the judged part to one span after it as far
    as they were passed: what would have been found a span earlier or later.
    """
    if site.contact_place is None or site.mast_place is None:
        return
    places, masts = site.contact_place, np.unique(site.mast_place)
    inside = _passed(masts, places[judged])
    spans = int(max(inside.sum() - 1, 0))
    yield Criterion(key="judged_spans", name="whole spans judged", value=float(spans), unit="")
    around = inside | np.append(inside[1:], False) | np.append(False, inside[:-1])
    edges = masts[around & _passed(masts, places)]
    if edges.size < 4:  # fewer than two pairs, or no whole span judged
        return
    pairs = [_deviation(filtered, places, a, b) for a, b in zip(edges[:-2], edges[2:], strict=True)]
    whole = _deviation(filtered, places, edges[0], edges[-1])
    spread = (max(pairs) - min(pairs)) / whole if whole > 0 else 0.0
    told = "settled" if spread <= SETTLED else "not settled, or the spans are not alike"
    yield Criterion(
        key="deviation_spread",
        name="spread of σ over successive pairs of spans",
        value=spread,
        unit="1",
        note=f"{told}: {min(pairs):.4g} … {max(pairs):.4g} N over {len(pairs)} pairs, {spans} spans judged",
    )


def _deviation(filtered: np.ndarray, places: np.ndarray, begin: float, end: float) -> float:
    return float(filtered[(places >= begin) & (places < end)].std())


def _passed(masts: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Which masts are passed within a part; one that ends on a mast holds it."""
    slack = 2.0 * abs(places[-1] - places[0]) / max(places.size - 1, 1)
    return np.asarray((masts >= places.min() - slack) & (masts <= places.max() + slack))
