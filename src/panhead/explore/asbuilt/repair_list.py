"""The shortest repair list after which a tension length complies, verified by runs.

The programme (``repair_programme``) works on effects of parts: by trial where a part was tried alone, else by gradient.
A part that is not named and is off by less than its standard deviation is left alone. The list is run. If a limit is
still broken, the margins grow by what was missed and the programme is solved again; after ``_ROUNDS`` of that, work is
added in the order of its gain, up to everything a crew can set, until a run complies. If none does, the notes name the
limit and the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.stats import norm

from panhead.explore.asbuilt.compliance import failure_probability, gradient_of_limit
from panhead.explore.asbuilt.dynamic_cost import BuiltTrack, LimitedQuantity, TensionLengthCost, TrainPassage, passages
from panhead.explore.asbuilt.parts import BuiltPart
from panhead.explore.asbuilt.repair_programme import (
    RepairAction,
    RepairItem,
    actions_of,
    cheapest,
    items_of,
    whole_work,
)
from panhead.explore.asbuilt.repair_reasons import reasons
from panhead.explore.asbuilt.repair_work import RepairWork

_ROUNDS: Final = 2  # of solving and verifying
_CANDIDATES: Final = 40  # parts looked at, those that cost most first
_SMALL: Final = 1e-9
_WORTH: Final = 0.05  # probability that more work must gain, where no work gains enough
_SHARES: Final = (0.15, 0.3, 0.5, 0.75, 1.0)  # of all work that are run until one complies


@dataclass(frozen=True, slots=True)
class RepairList:
    """Items in the order of what they gain, and what the line does after the first n of them."""

    items: tuple[RepairItem, ...]
    after: tuple[TrainPassage, ...]  #: after the first 1, 2 … items; some only, the last always
    after_count: tuple[int, ...]  #: number of items of each
    probability: float  #: of not complying after all of them
    enough: bool  #: verified by a run
    notes: tuple[str, ...] = ()  #: why it is not enough


@dataclass(frozen=True, slots=True)
class RepairTrial:
    """A list of items that was run."""

    items: list[RepairItem]
    passage: TrainPassage
    chance: float
    enough: bool


def limit_effects(cost: TensionLengthCost) -> tuple[list[LimitedQuantity], np.ndarray]:
    """All limits, and ∂(value towards the limit)/∂θ (limits, parts): secants of trials, else gradients, else 0."""
    limits = list(cost.built.limits)
    rows = np.zeros((len(limits), len(cost.costs)))
    for i, limit in enumerate(limits):
        known = gradient_of_limit(limit, cost.built)
        if known is not None:
            sign = 1.0 if limit.bound == "upper" else -1.0
            rows[i] = sign * known[1] * cost.gradient[known[0]]
        for k, one in enumerate(cost.costs):
            if one.by == "trial" and abs(one.part.deviation) > _SMALL and limit.key in one.gain:
                rows[i, k] = one.gain[limit.key] / one.part.deviation
    return limits, rows


def repair(
    track: BuiltTrack, cost: TensionLengthCost, crew: RepairWork, probability: float, must: Sequence[int] = ()
) -> RepairList:
    """The cheapest work after which every limit holds with the wanted probability; must: parts adjusted anyway."""
    before = failure_probability(cost.built, cost.gradient, track.covariance)
    if before <= 1.0 - probability and not must:
        return RepairList((), (), (), before, True)
    limits, rows = limit_effects(cost)
    parts, found = track.parts, track.deviations
    worth = (np.abs(rows) * np.abs(found)).max(axis=0, initial=0.0)
    doubtful = lambda k: abs(found[k]) <= parts[k].spread and not parts[k].alarm and k not in must
    ranked = [k for k in range(len(parts)) if not doubtful(k)]  # another pass costs less than work on a part in order
    ranked.sort(key=lambda k: (k not in must, not parts[k].alarm, -worth[k]))
    actions = actions_of(parts, ranked[: _CANDIDATES + len(must)], crew)
    tried: list[RepairTrial] = []
    spread = np.sqrt(np.einsum("li,ij,lj->l", rows, track.covariance, rows))
    wanted = float(norm.ppf(probability)) * spread
    excess = np.array([-limit.margin for limit in limits])
    for _ in range(_ROUNDS):
        chosen = cheapest(actions, parts, rows, excess + wanted, must)
        if chosen is None:
            chosen = cheapest(actions, parts, rows, excess, must)
        if chosen is None:
            break
        tried += _run(track, cost, [items_of(chosen, actions, parts, rows)], probability)
        if tried[-1].enough:
            break
        room = {limit.key: limit.margin for limit in tried[-1].passage.limits}
        missed = np.array([max(0.0, -room.get(limit.key, 0.0)) for limit in limits])
        wanted = wanted + missed + 0.02 * np.array([abs(limit.limit) for limit in limits])
    if not (tried and tried[-1].enough):
        tried += _added(track, cost, actions, rows, probability, must)
    return _listed(track, cost, tried, before, probability)


def _run(
    track: BuiltTrack, cost: TensionLengthCost, lists: Sequence[list[RepairItem]], probability: float
) -> list[RepairTrial]:
    """Run the line after each list."""
    found = []
    shown = passages([track.run_of(_deviations(track, items)) for items in lists])
    for items, passage in zip(lists, shown, strict=True):
        left = covariance_after(track.covariance, items, track.parts)
        chance = failure_probability(passage, cost.gradient, left)
        holds = all(limit.margin >= 0.0 for limit in passage.limits)
        found.append(RepairTrial(items, passage, chance, holds and chance <= 1.0 - probability))
    return found


def _deviations(track: BuiltTrack, items: Sequence[RepairItem]) -> np.ndarray:
    number = {id(p): k for k, p in enumerate(track.parts)}
    found = track.deviations
    for item in items:
        found[number[id(item.part)]] += item.change
    return found


def _added(
    track: BuiltTrack,
    cost: TensionLengthCost,
    actions: Sequence[RepairAction],
    rows: np.ndarray,
    probability: float,
    must: Sequence[int],
) -> list[RepairTrial]:
    """Lists with more and more of all work, named parts first, up to the first that complies; all of them if none."""
    every = whole_work(actions)
    if not every:
        return []
    broken = [limit.margin < 0.0 for limit in cost.built.limits]
    gain = lambda a: float(-(rows[broken, a.k] * a.direction * a.most).min(initial=0.0)) / a.work.cost
    first = lambda i: (actions[i].k in must, track.parts[actions[i].k].alarm, gain(actions[i]))
    every.sort(key=first, reverse=True)
    named = sum(track.parts[actions[i].k].alarm or actions[i].k in must for i in every)
    counts = sorted({named or 1, *(max(1, round(share * len(every))) for share in _SHARES)})
    lists = []
    for count in (c for c in counts if c >= named):
        chosen = np.zeros((2, len(actions)))
        for i in every[:count]:
            chosen[:, i] = 1.0, actions[i].most
        lists.append(items_of(chosen, actions, track.parts, rows))
    tried: list[RepairTrial] = []
    for items in lists:
        tried += _run(track, cost, [items], probability)
        if tried[-1].enough:
            break
    return tried


def _listed(
    track: BuiltTrack, cost: TensionLengthCost, tried: Sequence[RepairTrial], before: float, probability: float
) -> RepairList:
    """The last list if it is enough, else the one that breaks limits least; with runs of its first items."""
    if not tried:
        return RepairList((), (), (), before, False, tuple(reasons(track, cost, [], None, before, probability)))
    best = tried[-1] if tried[-1].enough else best_of(tried)
    counts = [n for n in (1, 2, 3) if n < len(best.items)]
    firsts = passages([track.run_of(_deviations(track, best.items[:n])) for n in counts]) if counts else []
    notes = [] if best.enough else reasons(track, cost, best.items, best.passage, best.chance, probability)
    return RepairList(
        tuple(best.items), (*firsts, best.passage), (*counts, len(best.items)), best.chance, best.enough, tuple(notes)
    )


def best_of(tried: Sequence[RepairTrial]) -> RepairTrial:
    """The shortest of the lists that break limits least and are about as sure as the surest; none is enough."""
    nearest = min(_beyond(t.passage) for t in tried)
    near = [t for t in tried if _beyond(t.passage) <= nearest]
    surest = min(t.chance for t in near)
    return min((t for t in near if t.chance <= surest + _WORTH), key=lambda t: (len(t.items), t.chance))


def _beyond(passage: TrainPassage) -> float:
    """How far the worst limit is broken, as a share of it; 0 if none is."""
    return max((max(0.0, -limit.margin) / max(abs(limit.limit), _SMALL) for limit in passage.limits), default=0.0)


def covariance_after(covariance: np.ndarray, items: Sequence[RepairItem], parts: Sequence[BuiltPart]) -> np.ndarray:
    """Covariance after the work: a part set as drawn is known as the crew sets it, one that is turned no better."""
    left = covariance.copy()
    for item in items:
        k = next(i for i, p in enumerate(parts) if p is item.part)
        own = (item.work.spread * (item.part.drawn if item.part.kind.endswith("tension") else 1.0)) ** 2
        if item.work.step is None:
            left[k], left[:, k] = 0.0, 0.0
        left[k, k] += own
    return left
