"""Why no adjustment of a crew brings a tension length within its limits: the limit by name, and the reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from panhead.explore.asbuilt.compliance import limit_rows
from panhead.explore.asbuilt.dynamic_cost import BuiltTrack, TensionLengthCost, TrainPassage
from panhead.explore.asbuilt.repair_programme import RepairItem

_NAMED: Final = 3  # parts that are named


def reasons(
    track: BuiltTrack,
    cost: TensionLengthCost,
    items: Sequence[RepairItem],
    after: TrainPassage | None,
    chance: float,
    probability: float,
) -> list[str]:
    """Sentences on every limit that stays broken after ``items``, or on the probability that is not reached."""
    shown = cost.built if after is None else after
    broken = [limit for limit in shown.limits if limit.margin < 0.0]
    drawn = {limit.key for limit in cost.drawn.limits if limit.margin < 0.0}
    told = []
    for limit in broken:
        if limit.key in drawn:
            told.append(f"{limit.words}: the line as drawn breaks it too; no adjustment can help")
        else:
            told.append(f"{limit.words}: it stays broken with all that a crew can set; {_left(track, items)}")
    if not broken and chance > 1.0 - probability:
        told.append(
            f"the line as fitted complies, but with a probability of {100 * (1 - chance):.0f} % only; most uncertain: "
            f"{_uncertain(track, cost)}. Another pass of the measuring train makes them surer"
        )
    return told


def _left(track: BuiltTrack, items: Sequence[RepairItem]) -> str:
    """What stays as it is: parts that no listed work adjusts, farthest from the drawing first."""
    done = {id(item.part) for item in items}
    rest = [p for p in track.parts if id(p) not in done and abs(p.deviation) > 2.0 * p.spread]
    rest.sort(key=lambda p: -abs(p.deviation) / max(p.prior, 1e-12))
    names = ", ".join(p.label for p in rest[:_NAMED])
    return f"left as found: {names}" if names else "what is left are errors of neighbouring tension lengths"


def _uncertain(track: BuiltTrack, cost: TensionLengthCost) -> str:
    """Parts whose uncertainty moves the limited quantities most."""
    _, rows = limit_rows(cost.built, cost.gradient)
    moved = (np.abs(rows) * np.sqrt(np.diag(track.covariance))).max(axis=0, initial=0.0)
    return ", ".join(track.parts[k].label for k in np.argsort(-moved)[:_NAMED])
