"""The programme of a repair list: which work on which part, by how many steps, is the cheapest that is enough.

    min   Σ cₐ yₐ + c′ₐ nₐ                       yₐ ∈ {0, 1} work a is done, nₐ steps of it
    s.t.  mₗ + Σ eₗₐ dₐ nₐ ≤ −z sₗ               every limit l, with a margin for what remains uncertain
          nₐ ≤ Nₐ yₐ,  Σ yₐ ≤ 1 at every part,  Σ y ≥ 1 at every part beyond a geometry limit

m is how far a quantity is beyond its limit, e the effect of a part, d the direction and size of a step, z the quantile
of the wanted probability. It is solved as a mixed-integer programme [Huangfu18].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from panhead.explore.asbuilt.parts import BuiltPart
from panhead.explore.asbuilt.repair_work import CrewWork, RepairWork

_SMALL: Final = 1e-9


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
        unit = self.work.unit if abs(self.steps) == 1 else _plural(self.work.unit)
        way = {"dropper length": ("longer", "shorter"), "support height": ("up", "down")}
        longer, shorter = way.get(self.part.kind, ("to the left", "to the right"))
        return f"{self.work.name}: {abs(self.steps)} {unit} {longer if self.steps > 0 else shorter}"


def _amount(kind: str, value: float) -> str:
    return f"{value / 1e3:.1f} kN" if kind.endswith("tension") else f"{1e3 * value:.0f} mm"


def _plural(unit: str) -> str:
    """Several steps: turns, notches of 5 mm."""
    first, *rest = unit.split(" ", 1)
    return " ".join([first + ("es" if first.endswith(("ch", "sh", "s", "x")) else "s"), *rest])


@dataclass(frozen=True, slots=True)
class RepairAction:
    """One kind of work on one part."""

    k: int  #: part
    work: CrewWork
    direction: float  #: change by one step, or whole
    most: int


def actions_of(parts: Sequence[BuiltPart], chosen: Sequence[int], crew: RepairWork) -> list[RepairAction]:
    """All work that a crew can do on these parts to bring them nearer to the drawing."""
    found = []
    for k in chosen:
        part = parts[k]
        for work in crew.work:
            if work.part != part.kind or abs(part.deviation) < _SMALL:
                continue
            if work.step is None:
                found.append(RepairAction(k, work, -part.deviation, 1))
                continue
            if part.slack:
                continue  # its length is not known: no number of turns can be told
            step = work.step * (part.drawn if part.kind.endswith("tension") else 1.0)
            most = min(work.most, int(abs(part.deviation) / step + 0.5))
            if most:
                found.append(RepairAction(k, work, -float(np.sign(part.deviation)) * step, most))
    return found


def cheapest(
    actions: Sequence[RepairAction], parts: Sequence[BuiltPart], rows: np.ndarray, need: np.ndarray, must: Sequence[int]
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


def whole_work(actions: Sequence[RepairAction]) -> list[int]:
    """For every part the action that brings it nearest to the drawing."""
    reach = lambda i: abs(actions[i].direction) * actions[i].most
    return [max((i for i, a in enumerate(actions) if a.k == k), key=reach) for k in dict.fromkeys(a.k for a in actions)]


def items_of(
    chosen: np.ndarray, actions: Sequence[RepairAction], parts: Sequence[BuiltPart], rows: np.ndarray
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
