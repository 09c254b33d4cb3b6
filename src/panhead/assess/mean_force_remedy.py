"""Remedy for a mean contact force outside its limits: the static force that would meet them.

The mean force follows the static force nearly one to one, F_m = F_static + F_aerodynamic − k ⟨z⟩, where the lowest
spring k of the pantograph takes a few per cent of a change because the wire yields. ``mean_force`` of a run finds it
exactly.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from panhead.assess.criteria import Criterion, of_group
from panhead.files.variants import separate

if TYPE_CHECKING:
    import xarray as xr

_YIELD: Final = 1.05  # static force per newton of mean force, at most: the wire yields to the force that is added


@dataclass(frozen=True, slots=True)
class StaticForceChange:
    """Change of the static force that brings the mean contact force inside its limits."""

    mean: float  #: mean force to aim at, a whole newton inside the limit where there is room [N]
    change: float  #: of the static force [N]
    static: float | None  #: the static force then; None: the result does not tell the one it had [N]

    @property
    def words(self) -> str:
        """The change: "reduce the static force by about 0.4 N, to 69.6 N"."""
        verb = "reduce" if self.change < 0 else "raise"
        to = "" if self.static is None else f", to {self.static:.1f} N"
        return f"{verb} the static force by about {abs(self.change):.1f} N{to}"


def static_force_change(criteria: Sequence[Criterion], static: float | None) -> StaticForceChange | None:
    """The change that the mean force of one pantograph needs; None if it is inside its limits or cannot be judged."""
    limited = [c for c in of_group(criteria, "setting") if c.limit is not None and not c.unjudged]
    wrong = next((c for c in limited if c.verdict in ("not met", "undecided")), None)
    if wrong is None or wrong.limit is None or not math.isfinite(wrong.value):
        return None
    ends = {c.bound: float(c.limit or 0.0) for c in limited}
    room = wrong.error or 0.0
    low, high = ends.get("lower", 0.0) + room, ends.get("upper", math.inf) - room
    aim = float(math.floor(high) if wrong.bound == "upper" else math.ceil(low))
    if not low <= aim <= high:  # limits closer than a newton
        aim = 0.5 * (low + high) if math.isfinite(high) else low
    change = _YIELD * (aim - wrong.value)
    change = math.copysign(math.ceil(10.0 * abs(change)) / 10.0, change)
    return StaticForceChange(aim, change, None if static is None else static + change)


def static_forces(dataset: xr.Dataset, variant: str) -> dict[str, float]:
    """Static force of the pantographs of a variant by name, as the inputs stored in the result state it [N]."""
    one = separate(dataset).get(variant, dataset)
    found: dict[str, float] = {}
    for part, rows in json.loads(str(one.attrs.get("inventory", "{}"))).items():
        value = next((value for path, value, _ in rows if path == "static_force"), None)
        if part.startswith("Pantograph ") and isinstance(value, int | float):
            found[part.removeprefix("Pantograph ")] = float(value)
    return found
