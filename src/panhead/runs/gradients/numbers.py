"""Numbers a gradient can be asked of: their value, and ∂/∂ of everything the run records.

The filter of EN 50317 is linear, F̂ = H F, so that ∂J/∂F = Hᵀ ∂J/∂F̂; an extreme depends on the sample that attains it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from panhead.assess import low_pass
from panhead.errors import ModelError, alternatives
from panhead.kernels.interaction_slopes import Wanted
from panhead.runs.resolve import ResolvedRun
from panhead.runs.solvers.linear.adjoint import RunTape


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a run and what it depends on directly."""

    name: str
    value: float
    unit: str
    wanted: Wanted


def number(tape: RunTape, of: str, pantograph: int = 0) -> Number:
    """A judged number by its key: mean_force, deviation, … or uplift."""
    if of == "uplift":
        return _uplift(tape)
    check_number(of)
    model = tape.session.model
    if not 0 <= pantograph < len(model.names):
        raise ModelError(
            f"gradient: there is no pantograph {pantograph}; they are numbered 0 to {len(model.names) - 1}"
        )
    h = tape.session.sc.h
    wires = tape.force.shape[1] // len(model.names)
    mine = slice(pantograph * wires, (pantograph + 1) * wires)
    force = tape.force[:, mine].sum(axis=1)
    judged = judged_steps(model, tape.steps, pantograph)
    value, by_filtered = _FORCE[of](low_pass(force, h)[judged])
    bar = np.zeros(tape.steps)
    bar[judged] = by_filtered
    wanted = tape.no_wish()
    wanted.force[:, mine] = filter_transposed(bar, h)[:, None]
    return Number(of, value, "1" if of == "deviation_ratio" else "N", wanted)


def check_number(of: str) -> None:
    """ModelError unless a gradient of this number exists."""
    if of not in NUMBERS:
        raise ModelError(f"gradient: no gradient of {of!r} is known; {alternatives(of, NUMBERS)}")


def judged_steps(model: ResolvedRun, steps: int, pantograph: int) -> np.ndarray:
    """Which steps of a pantograph are judged, (steps,) bool; as ``assess`` has it."""
    times = (np.arange(steps) + 1) * model.run.numerics.step
    begin, end = model.judged_times(pantograph)
    slack = 1e-9 * abs(times[-1] - times[0])
    return np.asarray((times >= begin - slack) & (times <= end + slack))


def filter_transposed(bar: np.ndarray, step: float) -> np.ndarray:
    """Hᵀ of ``low_pass``, which is H₀ (x − x₀) + x₀ with H₀ causal: its transpose is H₀ on time reversed."""
    turned = np.concatenate([[0.0], bar[::-1]])  # a zero first: the filter starts at rest
    back = low_pass(turned, step)[1:][::-1].copy()
    back[0] += bar.sum() - back.sum()
    return back


def _mean(x: np.ndarray) -> tuple[float, np.ndarray]:
    return float(x.mean()), np.full(x.size, 1.0 / x.size)


def _deviation(x: np.ndarray) -> tuple[float, np.ndarray]:
    sigma = float(x.std())
    return sigma, (x - x.mean()) / (x.size * sigma)


def _deviation_ratio(x: np.ndarray) -> tuple[float, np.ndarray]:
    (mean, by_mean), (sigma, by_sigma) = _mean(x), _deviation(x)
    return sigma / mean, by_sigma / mean - sigma / mean**2 * by_mean


def _statistical(sign: float) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    def of(x: np.ndarray) -> tuple[float, np.ndarray]:
        (mean, by_mean), (sigma, by_sigma) = _mean(x), _deviation(x)
        return mean + sign * 3.0 * sigma, by_mean + sign * 3.0 * by_sigma

    return of


def _extreme(sign: float) -> Callable[[np.ndarray], tuple[float, np.ndarray]]:
    def of(x: np.ndarray) -> tuple[float, np.ndarray]:
        at = int(np.argmax(sign * x))
        return float(x[at]), np.eye(1, x.size, at)[0]

    return of


_FORCE: dict[str, Callable[[np.ndarray], tuple[float, np.ndarray]]] = {
    "mean_force": _mean,
    "deviation": _deviation,
    "deviation_ratio": _deviation_ratio,
    "statistical_max": _statistical(1.0),
    "statistical_min": _statistical(-1.0),
    "actual_max": _extreme(1.0),
    "actual_min": _extreme(-1.0),
}
NUMBERS = (*_FORCE, "uplift")  #: of which gradients exist


def _uplift(tape: RunTape) -> Number:
    """The largest uplift at a judged support, at the moment it occurs."""
    model = tape.session.model
    x = model.strung.layout.mast_x[[mast for mast, _ in tape.session.window.support_keys]]
    first, last = model.judged
    judged = (x >= first - 1e-6) & (x <= last + 1e-6)
    seen = np.where(judged, tape.support, -np.inf)
    at = np.unravel_index(int(np.argmax(seen)), seen.shape)
    wanted = tape.no_wish()
    wanted.support[at] = 1.0
    return Number("uplift", float(tape.support[at]), "m", wanted)
