"""Plausibility check of a lumped-mass pantograph (data/ranges/pantograph.toml), and missing damping.

f = √(k/m)/2π   of every mass on its own suspension, and of the head on the contact
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from panhead.files.assumed_defaults import Assumed
from panhead.files.plausibility import Derived, Implausible, implausible_keys, implausible_quantities
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph


def implausible_pantograph(pantograph: LumpedPantograph) -> Iterator[Implausible]:
    """Find every number outside its plausible range."""
    yield from implausible_keys("pantograph", pantograph)
    yield from implausible_quantities("pantograph", _frequencies(pantograph))


def has_no_damping(pantograph: LumpedPantograph) -> bool:
    """Return whether no stage has a damping key; if one has, stages without are taken as intended."""
    return all(isinstance(stage.damping, Assumed) for stage in pantograph.stages)


def _frequencies(pantograph: LumpedPantograph) -> Iterator[Derived]:
    head, last = pantograph.stages[0], len(pantograph.stages)
    for k, stage in enumerate(pantograph.stages, 1):
        of = "the head" if k == 1 else "the lowest mass" if k == last else "a frame"
        frequency = math.sqrt(stage.stiffness / stage.mass) / (2.0 * math.pi)
        if last > 1:
            yield Derived(f"stages.{k}", f"frequency of {of} on its suspension", frequency, "Hz")
    touching = math.sqrt(pantograph.contact_stiffness / head.mass) / (2.0 * math.pi)
    yield Derived("contact_stiffness", "frequency of the head on the contact", touching, "Hz")
