"""``panhead run --converge``: halve time step and element length until the error bar of σ is small enough."""

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
    """Error bar of σ divided by σ, for the worst pantograph; ∞ without an error bar."""
    from panhead.assess import judgement

    every = [c for of in judgement(result).values() for criteria in of.values() for c in criteria]
    return max(
        math.inf if c.error is None else c.error / c.value for c in every if c.key == "deviation" and c.value > 0
    )


def numerics_of(scenario: Scenario) -> Numerics:
    """Numerical settings of a pantograph run; ModelError for any other scenario."""
    if scenario.kind.name != "run":
        raise ModelError(f"--converge: {scenario.name!r} is not a pantograph run and has no error bars")
    found: Numerics = scenario.description.numerics
    return found


def refined_settings(numerics: Numerics, times: int) -> list[str]:
    """Equivalent ``--set`` options: step and element length halved ``times`` times."""
    factor = 0.5**times
    return [
        f"numerics.step={factor * numerics.step!r}",
        f"numerics.element_length={factor * numerics.element_length!r}",
    ]


def halvings_needed(bar: float, wanted: float) -> int:
    """Halvings needed for an error bar that falls with the square of step and element length."""
    return 0 if bar <= wanted else math.ceil(math.log(bar / wanted, 4.0) - 1e-9)


def refine_until(wanted: float, numerics: Numerics, at: Callable[[int], xr.Dataset], say: Callable[[str], None]) -> int:
    """Number of halvings of step and mesh; ``at`` computes a result with error bars after that many."""
    times = 0
    while True:
        bar = relative_bar(at(times))
        step, element = (0.5**times * x for x in (1e3 * numerics.step, numerics.element_length))
        say(f"step {step:.3g} ms, elements {element:.3g} m: the error bar of σ is {100 * bar:.2g} % of σ")
        if bar <= wanted:
            return times
        if times == HALVINGS or not math.isfinite(bar):
            say(f"the requested {100 * wanted:.2g} % was not reached; this is the finest mesh that --converge tries")
            return times
        times = min(HALVINGS, times + max(1, halvings_needed(bar, wanted)))
