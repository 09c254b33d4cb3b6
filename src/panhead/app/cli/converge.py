"""``panhead run --converge``: step and mesh halved until the error bar of σ is as small as asked."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from panhead.errors import ModelError

if TYPE_CHECKING:
    import xarray as xr

    from panhead.runs.description import Numerics
    from panhead.runs.scenarios import Scenario

HALVINGS: Final = 3  #: at most; each costs four times as much as the one before


def relative_bar(result: xr.Dataset) -> float:
    """The error bar of σ over σ, of the worst pantograph; ∞ where there is none."""
    from panhead.assess import judgement

    every = [c for of in judgement(result).values() for criteria in of.values() for c in criteria]
    return max(
        math.inf if c.error is None else c.error / c.value for c in every if c.key == "deviation" and c.value > 0
    )


def numerics_of(scenario: Scenario) -> Numerics:
    """How finely a run is computed; ModelError if it is none under a line."""
    if scenario.kind.name != "run":
        raise ModelError(f"--converge: {scenario.name!r} is not a run under a line and has no error bars")
    found: Numerics = scenario.description.numerics
    return found


def refined_settings(numerics: Numerics, times: int) -> list[str]:
    """What ``--set`` would say."""
    factor = 0.5**times
    return [
        f"numerics.step={factor * numerics.step!r}",
        f"numerics.element_length={factor * numerics.element_length!r}",
    ]


def halvings_needed(bar: float, wanted: float) -> int:
    """How often both are halved before a bar that falls with their square is as small as wanted."""
    return 0 if bar <= wanted else math.ceil(math.log(bar / wanted, 4.0) - 1e-9)


def refine_until(wanted: float, numerics: Numerics, at: Callable[[int], xr.Dataset], say: Callable[[str], None]) -> int:
    """How often step and mesh are halved; ``at`` computes a result with error bars after so many."""
    times = 0
    while True:
        bar = relative_bar(at(times))
        step, element = (0.5**times * x for x in (1e3 * numerics.step, numerics.element_length))
        say(f"step {step:.3g} ms, elements {element:.3g} m: the error bar of σ is {100 * bar:.2g} % of it")
        if bar <= wanted:
            return times
        if times == HALVINGS or not math.isfinite(bar):
            say(f"the {100 * wanted:.2g} % asked for are not reached; this is the finest that --converge tries")
            return times
        times = min(HALVINGS, times + max(1, halvings_needed(bar, wanted)))
