"""The shortest repair list: which parts to adjust, by how many steps, so that a tension length complies.

    min   Σ cₐ yₐ + c′ₐ nₐ                       yₐ ∈ {0, 1} work a is done, nₐ steps of it
    s.t.  mₗ + Σ eₗₐ dₐ nₐ ≤ −z sₗ               every limit l, with a margin for what remains uncertain
          nₐ ≤ Nₐ yₐ,  Σ yₐ ≤ 1 at every part,  Σ y ≥ 1 at every part beyond a geometry limit

m is how far a quantity is beyond its limit, e the effect of a part (by trial where there is one, else by gradient), d
the direction and size of a step, z the quantile of the wanted probability. It is solved as a mixed-integer programme
[Huangfu18] and verified by runs; if a run contradicts the gradients, the margin grows by what was missed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.stats import norm

from panhead.explore.asbuilt.compliance import failure_probability, limit_rows
from panhead.explore.asbuilt.dynamic_cost import QUANTITIES, BuiltTrack, TensionLengthCost, TrainPassage, passages
from panhead.explore.asbuilt.parts import BuiltPart
from panhead.explore.asbuilt.repair_work import CrewWork, RepairWork

_ROUNDS: Final = 3  # of solving and verifying
_CANDIDATES: Final = 24  # parts looked at, those that cost most first
_SMALL: Final = 1e-9
_LESS: Final = (
    "no list of adjustments reaches the probability asked for; this one brings the line as fitted within limits"
)


@dataclass(frozen=True, slots=True)
class RepairItem:
    """One line of a work order."""

    part: BuiltPart
    work: CrewWork
    steps: int  #: with the sign of the change; 0: set as drawn
    change: float  #: of the part, in SI units
    cost: float

    @property
    def words(self) -> str:
        """What to do, for a crew."""
        if self.work.step is None:
            return f"{self.work.name}: {_amount(self.part.kind, self.part.drawn)} as drawn"
        many = "s" if abs(self.steps) > 1 and " " not in self.work.unit else ""
        way = {"dropper length": ("longer", "shorter"), "support height": ("up", "down")}
        longer, shorter = way.get(self.part.kind, ("to the left", "to the right"))
        return f"{self.work.name}: {abs(self.steps)} {self.work.unit}{many} {longer if self.steps > 0 else shorter}"


@dataclass(frozen=True, slots=True)
class RepairList:
    """Items in the order of what they gain, and what the line does after the first n of them."""

    items: tuple[RepairItem, ...]
    after: tuple[TrainPassage, ...]  #: after the first 1, 2 … items; some only, the last always
    after_count: tuple[int, ...]  #: number of items of each
    probability: float  #: of not complying after all of them
    enough: bool  #: verified by a run
    notes: tuple[str, ...] = ()

    @property
    def cost(self) -> float:
        return sum(item.cost for item in self.items)


def _amount(kind: str, value: float) -> str:
    return f"{value / 1e3:.1f} kN" if kind.endswith("tension") else f"{1e3 * value:.0f} mm"


@dataclass(frozen=True, slots=True)
class _Action:
    k: int  #: part
    work: CrewWork
    direction: float  #: change by one step, or whole
    most: int


def _actions(parts: Sequence[BuiltPart], chosen: Sequence[int], crew: RepairWork) -> list[_Action]:
    found = []
    for k in chosen:
        part = parts[k]
        for work in crew.work:
            if work.part != part.kind or abs(part.deviation) < _SMALL:
                continue
            if work.step is None:
                found.append(_Action(k, work, -part.deviation, 1))
                continue
            if part.slack:
                continue  # its length is not known: no number of turns can be told
            step = work.step * (part.drawn if part.kind.endswith("tension") else 1.0)
            most = min(work.most, int(abs(part.deviation) / step + 0.5))
            if most:
                found.append(_Action(k, work, -float(np.sign(part.deviation)) * step, most))
    return found


def effects(cost: TensionLengthCost) -> np.ndarray:
    """∂(quantity)/∂(part), (quantities, parts): secants of trials where there are any, else gradients."""
    found = cost.gradient.copy()
    for k, one in enumerate(cost.costs):
        if one.by == "trial" and abs(one.part.deviation) > _SMALL:
            found[:, k] = [one.share[q] / one.part.deviation for q in QUANTITIES]
    return found


def repair(
    track: BuiltTrack, cost: TensionLengthCost, crew: RepairWork, probability: float, must: Sequence[int] = ()
) -> RepairList:
    """The cheapest work after which every limit holds with the wanted probability; must: parts adjusted anyway."""
    parts, covariance = track.fit.parts, track.fit.covariance
    found = np.array([p.deviation for p in parts])
    secant = effects(cost)
    limits, rows = limit_rows(cost.built, secant)
    spread = np.sqrt(np.einsum("li,ij,lj->l", rows, covariance, rows))
    wanted = float(norm.ppf(probability)) * spread
    excess = np.array([-limit.margin for limit in limits])
    before = failure_probability(cost.built, cost.gradient, covariance)
    if before <= 1.0 - probability and not must:
        return RepairList((), (), (), before, True)
    worth = (np.abs(rows) * np.abs(found)).sum(axis=0)
    ranked = sorted(range(len(parts)), key=lambda k: (k not in must, not parts[k].alarm, -worth[k]))
    actions = _actions(parts, ranked[: _CANDIDATES + len(must)], crew)
    notes: list[str] = []
    for round_ in range(_ROUNDS):
        chosen, notes = _best(actions, parts, rows, excess, wanted, must)
        items = _items(chosen, actions, parts, rows)
        passage, counts = _verified(track, items, found)
        left = _after(covariance, items, parts)
        chance = failure_probability(passage[-1], cost.gradient, left) if items else before
        now = {limit.key: limit for limit in passage[-1].limits} if items else {}
        missed = np.array([max(0.0, -now[limit.key].margin) if limit.key in now else 0.0 for limit in limits])
        enough = bool(items) and not any(limit.margin < 0.0 for limit in now.values()) and chance <= 1.0 - probability
        if enough or round_ == _ROUNDS - 1:
            break
        wanted = wanted + missed + 0.02 * np.array([abs(limit.limit) for limit in limits])
    return RepairList(tuple(items), tuple(passage), tuple(counts), chance, enough, tuple(notes))


def _best(
    actions: Sequence[_Action],
    parts: Sequence[BuiltPart],
    rows: np.ndarray,
    excess: np.ndarray,
    margin: np.ndarray,
    must: Sequence[int],
) -> tuple[np.ndarray, list[str]]:
    """The cheapest list with the whole margin, with less of it, or everything that is named; and a word if less."""
    for share in (1.0, 0.5, 0.0):
        chosen = _solve(actions, parts, rows, excess + share * margin, must)
        if chosen is not None:
            return chosen, [] if share == 1.0 else [_LESS]
    return _everything(actions, parts), ["no list of adjustments is enough; this one sets all named parts as drawn"]


def _solve(
    actions: Sequence[_Action], parts: Sequence[BuiltPart], rows: np.ndarray, need: np.ndarray, must: Sequence[int]
) -> np.ndarray | None:
    """(2, actions) yₐ and nₐ, or None if no list is enough."""
    n = len(actions)
    if not n:
        return None
    effect = np.array([rows[:, a.k] * a.direction for a in actions]).T.reshape(rows.shape[0], n)
    eye = np.eye(n)
    most = np.array([a.most for a in actions], float)
    one_each = np.array([[float(a.k == k) for a in actions] for k in sorted({a.k for a in actions})])
    constraints = [
        LinearConstraint(np.hstack([-np.diag(most), eye]), -np.inf, 0.0),
        LinearConstraint(np.hstack([eye, -eye]), -np.inf, 0.0),  # work that is done makes a step
        LinearConstraint(np.hstack([one_each, np.zeros_like(one_each)]), 0.0, 1.0),
    ]
    if rows.size:
        constraints.append(LinearConstraint(np.hstack([np.zeros_like(effect), effect]), -np.inf, -need))
    forced = [k for k in must if any(a.k == k for a in actions)]
    if forced:
        wanted = np.array([[float(a.k == k) for a in actions] for k in forced])
        constraints.append(LinearConstraint(np.hstack([wanted, np.zeros_like(wanted)]), 1.0, np.inf))
        whole = np.array([[float(a.most if a.k == k else 0.0) for a in actions] for k in forced])
        steps = np.array([[float(a.k == k) for a in actions] for k in forced])
        constraints.append(LinearConstraint(np.hstack([-whole, steps]), 0.0, np.inf))  # all the way back
    price = np.concatenate([[a.work.cost for a in actions], [a.work.step_cost for a in actions]])
    answer = milp(
        price,
        constraints=constraints,
        bounds=Bounds(0.0, np.concatenate([np.ones(n), most])),
        integrality=np.ones(2 * n),
    )
    return None if answer.x is None else np.round(answer.x).reshape(2, n)


def _everything(actions: Sequence[_Action], parts: Sequence[BuiltPart]) -> np.ndarray:
    """All named parts set as drawn, as far as a crew can."""
    chosen = np.zeros((2, len(actions)))
    for k in {a.k for a in actions if parts[a.k].alarm}:
        best = max(
            (i for i, a in enumerate(actions) if a.k == k), key=lambda i: abs(actions[i].direction) * actions[i].most
        )
        chosen[:, best] = 1.0, actions[best].most
    return chosen


def _items(
    chosen: np.ndarray, actions: Sequence[_Action], parts: Sequence[BuiltPart], rows: np.ndarray
) -> list[RepairItem]:
    """Items, those with the largest gain for their cost first."""
    found = []
    for (done, steps), a in zip(chosen.T, actions, strict=True):
        if done < 0.5:
            continue
        change = a.direction * steps
        count = 0 if a.work.step is None else int(np.sign(a.direction) * steps)
        price = a.work.cost + a.work.step_cost * (0 if a.work.step is None else steps)
        gain = float(-(rows[:, a.k] * change).min(initial=0.0)) / price
        found.append((gain, RepairItem(parts[a.k], a.work, count, float(change), float(price))))
    return [item for _, item in sorted(found, key=lambda pair: -pair[0])]


def _verified(
    track: BuiltTrack, items: Sequence[RepairItem], found: np.ndarray
) -> tuple[list[TrainPassage], list[int]]:
    """Runs after the first n items: after all of them, and after up to three shorter lists."""
    if not items:
        return [], []
    number = {id(p): k for k, p in enumerate(track.fit.parts)}
    counts = sorted({*range(1, min(4, len(items) + 1)), len(items)})
    lines = []
    for count in counts:
        deviations = found.copy()
        for item in items[:count]:
            deviations[number[id(item.part)]] += item.change
        lines.append(track.run_of(deviations))
    return passages(lines), counts


def _after(covariance: np.ndarray, items: Sequence[RepairItem], parts: Sequence[BuiltPart]) -> np.ndarray:
    """Covariance after the work: a part set as drawn is known as the crew sets it, one that is turned no better."""
    left = covariance.copy()
    for item in items:
        k = next(i for i, p in enumerate(parts) if p is item.part)
        own = (item.work.spread * (item.part.drawn if item.part.kind.endswith("tension") else 1.0)) ** 2
        if item.work.step is None:
            left[k], left[:, k] = 0.0, 0.0
        left[k, k] += own
    return left
