"""Sample points of the unit cube, (samples, dimension), reproducible from the seed."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from panhead.errors import ModelError
from panhead.explore.studies.distributions import in_one_unit
from panhead.explore.studies.study_description import Sampling, Study, Vary

_STEPS = 11  # of an input with first and last and no number of steps


def unit_points(sampling: Sampling, samples: int, dimension: int, seed: int) -> np.ndarray:
    """Points strictly inside the unit cube, (samples, dimension)."""
    from scipy.stats import qmc

    rng = np.random.default_rng(seed)
    if sampling == "random":
        points = rng.random((samples, dimension))
    elif sampling == "sobol":
        # the first n of a sequence are those of any longer one: more samples keep what is computed
        whole = 1 << (samples - 1).bit_length()
        points = qmc.Sobol(dimension, rng=rng).random(whole)[:samples]
    elif sampling == "halton":
        points = qmc.Halton(dimension, rng=rng).random(samples)
    else:
        points = qmc.LatinHypercube(dimension, rng=rng).random(samples)
    tiny = 2.0**-53
    return np.clip(points, tiny, 1.0 - tiny)


def listed_values(vary: Vary) -> list[Any]:
    """The values of an input with a list or equal steps, as they are written into the run."""
    if vary.values:
        return list(vary.values)
    ends = {"first": _require_value(vary.first), "last": _require_value(vary.last)}
    numbers, unit = in_one_unit(f"vary {vary.input!r}", ends)
    spaced = np.linspace(numbers["first"], numbers["last"], vary.steps or _STEPS)
    return [with_unit(x, unit) for x in spaced]


def with_unit(number: float, unit: str) -> Any:
    """A number as a run reads it: with its unit, exactly."""
    return f"{float(number)!r} {unit}" if unit else float(number)


def draw_value(vary: Vary, p: float) -> Any:
    """The value of an uncertain input at the share p."""
    assert vary.distribution is not None
    _, unit = vary.distribution.numbers()
    return with_unit(float(vary.distribution.values(np.array(p))), unit)


def factors(study: Study) -> list[tuple[Any, ...]]:
    """Every value of each input with every value of the others."""
    return list(itertools.product(*(listed_values(v) for v in study.vary)))


def sensitivity_points(study: Study) -> np.ndarray:
    """The points SALib asks for, (n, inputs), each in 0 … 1."""
    n = study.samples
    if study.indices == "sobol" and n & (n - 1):
        raise ModelError(f"study: samples for Sobol indices must be a power of two, got {n}; use {1 << n.bit_length()}")
    tiny = 1e-9  # a trajectory of Morris touches the ends, where a normal distribution is infinite
    sampler = _salib("sample." + study.indices)
    points = sampler.sample(problem(study), n, seed=study.seed)
    return np.clip(points, tiny if study.indices == "sobol" else 1e-3, 1 - (tiny if study.indices == "sobol" else 1e-3))


def problem(study: Study) -> dict[str, Any]:
    """The inputs of a sensitivity study as SALib describes them."""
    names = [v.input for v in study.vary]
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def indices(study: Study, points: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
    """Sensitivity of values (n,) at the points: ``S1``, ``ST`` with confidences, or ``mu_star``, ``sigma``."""
    analyser = _salib("analyze." + study.indices)
    if study.indices == "sobol":
        found = analyser.analyze(problem(study), values, calc_second_order=True, seed=study.seed)
        return {k: np.asarray(found[k]) for k in ("S1", "S1_conf", "ST", "ST_conf")}
    found = analyser.analyze(problem(study), points, values, seed=study.seed)
    return {k: np.asarray(found[k], float) for k in ("mu_star", "mu_star_conf", "sigma")}


def _salib(module: str) -> Any:
    try:
        return importlib.import_module(f"SALib.{module}")
    except ImportError:
        raise ModelError(
            "study: sensitivity indices need SALib; install it with: pip install 'panhead[sensitivity]'"
        ) from None


def _require_value(value: float | str | None) -> float | str:
    assert value is not None  # Vary sees to it
    return value


def labels(values: Sequence[Any]) -> str:
    """Values of a sample in one line."""
    return ", ".join(str(v) for v in values)
