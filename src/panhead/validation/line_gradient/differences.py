"""Gradients against finite differences of the plain, assessed run, along random directions of many parameters.

The reference runs nothing of what computes a gradient: descriptions are changed, ``simulate`` runs them as anyone's
run, σ is read from its judgement and the contact force F from its result. Along a direction v of parameters

    ⟨∇σ, v⟩ = dσ/dε,    ⟨Jᵀ w, v⟩ = ⟨w, J v⟩,    J v = dF/dε

with random weights w on every step: the right sides by central differences of two sizes, exact but for h⁴. Each
parameter of a direction changes σ by about as much as every other, so that none is hidden by the rest. Changes are so
small that every contact is lost and every dropper slack at the same steps; a change that is not is made smaller.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.assess import judgement
from panhead.errors import ModelError, RunWarning
from panhead.files import parse
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import gradient_of, tape_for_gradient
from panhead.runs.simulate import simulate
from panhead.validation.checks import AFTER, BEFORE, Check, below

if TYPE_CHECKING:
    import xarray as xr

_SHARE = 1e-3  # [N] by which each parameter moves σ
_SHORTER = 10.0 ** -np.arange(0.0, 3.1, 0.5)  # tried one after another until no mode changes
_AGREEMENT = 3e-5  # relative difference of differences by a change and its half: its square is left
_ROUNDING = 1e-8  # [N] of a run's contact force: what two ways of computing the same run differ by
_OF_DEVIATION, _OF_FORCE = 1e-5, 1e-6
_WIDEST = 10.0  # times the usual size of a parameter's change, where σ hardly depends on it


@dataclass(frozen=True, slots=True)
class Parameter:
    """Parameter: its place in the gradient, its typical change, and the change in the description."""

    family: str
    index: int
    size: float
    change: Callable[[float], dict[str, Any]]
    grain: float = 0.0  #: changes are multiples of this
    weight: float = 1.0  #: how much more than others it moves σ


@dataclass(frozen=True, slots=True)
class GradientCase:
    """Run as plain data and the parameters changed in it; changes of different parameters must merge."""

    name: str
    plain: dict[str, Any]
    parameters: tuple[Parameter, ...]
    directions: int = 1


@dataclass(frozen=True, slots=True)
class GradientComparison:
    """Outcome of a case: the plain run, and the worst of all directions."""

    deviation: float  #: σ as judged [N]
    result: xr.Dataset
    of_deviation: float  #: of ⟨∇σ, v⟩, relative to the change of σ if all parameters worked together
    of_force: float  #: of ⟨Jᵀ w, v⟩, relative to |J v|, its spread over weights


def with_changes(plain: dict[str, Any], changes: dict[str, Any]) -> Run:
    """The run with changes merged in."""
    found = scenarios.from_plain(parse.merge(plain, changes), source="line-gradient").description
    assert isinstance(found, Run)
    return found


def run_along(case: GradientCase, sizes: np.ndarray) -> xr.Dataset:
    """Assessed plain run with every parameter changed by its step."""
    plain = case.plain
    for one, size in zip(case.parameters, sizes, strict=True):
        plain = parse.merge(plain, one.change(float(size)))
    exactly = newton_to_rounding() if plain["solver"] == "cables" else nullcontext()
    with warnings.catch_warnings(), exactly:
        warnings.simplefilter("ignore", RunWarning)
        return simulate(with_changes(plain, {}))


@contextmanager
def newton_to_rounding() -> Iterator[None]:
    """Tighten Newton's tolerance from 1e-9 m (5e-5 N at 50 kN/m, too coarse for differences) to 1e-13 m."""
    from panhead.runs.cables import cables_march  # bodies and joints take long to load

    usual = cables_march.METHOD
    cables_march.METHOD = replace(usual, tolerance=1e-13)
    try:
        yield
    finally:
        cables_march.METHOD = usual


def deviation(result: xr.Dataset) -> float:
    """Assessed σ of the first pantograph [N]."""
    criteria = next(iter(judgement(result)[""].values()))
    return next(c.value for c in criteria if c.key == "deviation")


def active_set(result: xr.Dataset) -> tuple[bytes, ...]:
    """Active set: steps with contact loss and slack droppers."""
    steps = [np.rint(result[name].to_numpy() / result.attrs["step"]) for name in ("slack_start", "slack_end")]
    lost = result["contact_force"].to_numpy() <= 0.0
    return lost.tobytes(), result["slack_dropper"].to_numpy().tobytes(), *(s.tobytes() for s in steps)


@dataclass(frozen=True, slots=True)
class _Slope:
    """Derivatives from runs with ± a change and ± half of it.

    Where both central differences agree to rounding, their mean weighted by the inverse of the variance that rounding
    gives them, 4 : 1; extrapolation to order h⁴, (4 close − wide) / 3, would carry three times its noise.
    """

    runs: tuple[xr.Dataset, ...]

    def pair(self, get: Callable[[xr.Dataset], Any]) -> tuple[Any, Any]:
        """Central differences with the full change and with half of it."""
        up, down, half_up, half_down = map(get, self.runs)
        return 0.5 * (up - down), half_up - half_down

    def of(self, get: Callable[[xr.Dataset], Any]) -> Any:
        wide, close = self.pair(get)
        force_wide, force_close = self.pair(_force)
        if np.abs(force_wide - force_close).max() < _ROUNDING:
            return (4.0 * wide + close) / 5.0
        return (4.0 * close - wide) / 3.0

    def doubt(self, get: Callable[[xr.Dataset], Any]) -> float:
        """Difference of the two, relative to the derivative."""
        wide, close = self.pair(get)
        return float(np.abs(wide - close).max() / np.abs(close).max())


def _force(result: xr.Dataset) -> np.ndarray:
    return result["contact_force"].to_numpy().T


def compare(case: GradientCase) -> GradientComparison:
    """Compare gradients along random directions with differences of plain runs."""
    rng = np.random.default_rng(7)
    begin = run_along(case, np.zeros(len(case.parameters)))
    weights = rng.standard_normal(_force(begin).shape)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        tape = tape_for_gradient(with_changes(case.plain, {}))
        by_deviation = _slopes(case, gradient_of(tape, "deviation"))
        by_weights = _slopes(case, gradient_of(tape, {"contact_force": weights}))
    found = []
    for _ in range(case.directions):
        signs = rng.choice([-1.0, 1.0], len(case.parameters)) * rng.uniform(0.5, 1.0, len(case.parameters))
        v, slope = _differences(case, signs * _sizes(case, by_deviation), active_set(begin))
        along = slope.of(_force)
        of_deviation = (by_deviation @ v - slope.of(deviation)) / np.linalg.norm(by_deviation * v)
        of_force = (by_weights @ v - (weights * along).sum()) / np.linalg.norm(along)
        found.append((of_deviation, of_force))
    worst = np.abs(found).max(axis=0)  # NaN stays NaN
    return GradientComparison(deviation(begin), begin, *map(float, worst))


def _slopes(case: GradientCase, found: xr.Dataset) -> np.ndarray:
    return np.array([float(found[p.family].to_numpy()[p.index]) for p in case.parameters])


def _sizes(case: GradientCase, slopes: np.ndarray) -> np.ndarray:
    widest = _WIDEST * np.array([p.size for p in case.parameters])
    share = _SHARE * np.array([p.weight for p in case.parameters])
    return np.minimum(share / np.maximum(np.abs(slopes), 1e-300), widest)


def _differences(case: GradientCase, sizes: np.ndarray, wanted: tuple[bytes, ...]) -> tuple[np.ndarray, _Slope]:
    """Changes that leave the active set as it was, and the derivative along them of any quantity or series of a run.

    Modes that a result does not tell (friction that sticks, a stop that is reached) show as differences that do not
    agree with those of half the change.
    """
    grain = np.array([2.0 * p.grain for p in case.parameters])
    for shorter in _SHORTER:
        step = shorter * sizes
        whole = np.maximum(np.rint(np.abs(step) / np.where(grain, grain, 1.0)), 1.0) * grain * np.sign(step)
        step = np.where(grain, whole, step)
        runs: list[xr.Dataset] = []
        for share in (1.0, -1.0, 0.5, -0.5):
            runs.append(run_along(case, share * step))
            if active_set(runs[-1]) != wanted:
                break
        else:
            slope = _Slope(tuple(runs))
            if slope.doubt(_force) < _AGREEMENT:
                return step, slope
    raise ModelError(f"{case.name}: every step of the differences changes the active set")


def agreement(case: GradientCase, found: GradientComparison) -> list[Check]:
    """Rows of both identities."""
    many = len(case.parameters)
    told = f"differences of plain runs with {many} parameters changed at once in the description"
    return [
        below(f"{case.name}: gradient of σ along random directions", found.of_deviation, _OF_DEVIATION, "1",
            f"{told}, σ by the judge; σ moves by 1e-4 N and more, stringing to 1e-10 m leaves 1e-9 N of it; "
            "a bound of 1e-6 was missed by other directions", by=AFTER),
        below(f"{case.name}: ⟨Jᵀ w, v⟩ against ⟨w, J v⟩, relative to |J v|", found.of_force, _OF_FORCE, "1",
            f"{told}, random weights w on every step of the contact force", by=BEFORE),
    ]  # fmt: skip
