"""Statistics of a study: mean, quantiles, probability of violating limits, influence of inputs, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from panhead.assess.criteria import group_of
from panhead.explore.studies.intervals import Z95, Control, Share, mean_interval, quantiles, share, wilson

if TYPE_CHECKING:
    import xarray as xr


@dataclass(frozen=True, slots=True)
class Spread:
    """Distribution of one assessed quantity over the samples, in SI units."""

    key: str
    name: str
    unit: str
    mean: float
    mean_error: float  #: half of its 95 % interval
    deviation: float
    quantiles: tuple[float, float, float]  #: at 5, 50 and 95 %
    intervals: tuple[tuple[float, float], ...]  #: 95 % intervals of these
    limit: float | None
    worst: float  #: the sample nearest to its limit, or farthest beyond it; the largest where there is no limit
    failing: Share


def good(index: xr.Dataset) -> np.ndarray:
    """True for each computed sample, (n,)."""
    return index["verdict"].to_numpy() != "failed"


def judged(index: xr.Dataset) -> np.ndarray:
    """Verdict of every sample on what the study judges, (n,): its contact quality, or all limits together."""
    of_all = index.attrs.get("judged") == "all limits" or "quality" not in index
    return np.asarray(index["verdict" if of_all else "quality"].to_numpy())


def judged_criteria(index: xr.Dataset) -> np.ndarray:
    """True for each criterion that counts in ``judged``, (criteria,)."""
    keys = [str(k) for k in index["criterion"].to_numpy()]
    of_all = index.attrs.get("judged") == "all limits"
    return np.array([of_all or group_of(key) == "contact quality" for key in keys], bool)


def spreads(index: xr.Dataset, pantograph: int = 0, seed: int = 0) -> list[Spread]:
    """Distribution of every assessed quantity of one pantograph."""
    use = good(index)
    found = []
    for k, key in enumerate(index["criterion"].to_numpy()):
        x = index["value"].to_numpy()[use, pantograph, k]
        limits = index["limit"].to_numpy()[use, pantograph, k]
        missed = index["failed"].to_numpy()[use, pantograph, k] > 0
        known = limits[np.isfinite(limits)]
        limit = float(known[0]) if known.size else None
        control = None if pantograph else control_of(index, k, float("nan") if limit is None else limit)
        deviation = float(x.std(ddof=1)) if x.size > 1 else float("nan")
        found.append(
            Spread(
                str(key),
                str(index["criterion_name"].to_numpy()[k]),
                str(index["criterion_unit"].to_numpy()[k]),
                *mean_interval(x, control),
                deviation,
                *quantiles(x, seed, control),
                limit,
                _worst(x, str(index["criterion_bound"].to_numpy()[k])),
                share(missed, control),
            )
        )
    return found


def _worst(x: np.ndarray, bound: str) -> float:
    return float("nan") if not x.size else float(x.min() if bound == "lower" else x.max())


def control_of(index: xr.Dataset, criterion: int, limit: float) -> Control | None:
    """The control variate of one judged number of the first pantograph, if the index has it."""
    if "control" not in index:
        return None
    c = index["control"].to_numpy()[good(index), criterion]
    of = lambda name: index[name].to_numpy()[..., criterion]
    if not np.isfinite(c).all():
        return None
    mean, deviation, beyond = (float(of(f"control_{name}")) for name in ("mean", "deviation", "share"))
    return Control(c, mean, deviation, of("control_quantiles"), limit, beyond)


def variates_text(index: xr.Dataset) -> str:
    """Sentence on the effect of the control variates; empty without any."""
    keys = [str(k) for k in index["criterion"].to_numpy()]
    control = control_of(index, keys.index("deviation"), float("nan")) if "deviation" in keys else None
    y = index["value"].to_numpy()[good(index), 0, keys.index("deviation")] if control is not None else np.zeros(0)
    if control is None or y.size < 2:
        return ""
    square = float(np.corrcoef(control.c, y)[0, 1] ** 2)
    return (
        f" Gradients serve as control variates: they explain {100 * square:.0f} % of the variance of σ, which "
        "shortens the confidence intervals."
    )


def not_compliant(index: xr.Dataset) -> Share:
    """The probability that a sample misses a limit of what is judged, with any pantograph.

    By the control variates, where there are any, as every single limit's.
    """
    return _not_compliant(index, int(good(index).sum()))


def running_estimate(index: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """The estimate of ``not_compliant`` over the number of samples, with its interval: n (m,), (m, 3)."""
    count = max(1, int(good(index).sum()))
    at = np.unique(np.linspace(1, count, min(200, count)).astype(int))
    shares = [_not_compliant(index, int(n)) for n in at]
    return at, np.array([[s.low, s.value, s.high] for s in shares])


def _not_compliant(index: xr.Dataset, count: int) -> Share:
    """From the first samples; the control is whether a tangent misses its limit."""
    use = good(index)
    missed = (judged(index)[use] == "not met")[:count]
    if "control_missed" not in index:
        return wilson(int(missed.sum()), missed.size)
    nan = float("nan")
    c, beyond = index["control_missed"].to_numpy()[use][:count].astype(float), float(index["control_missed_share"])
    return share(missed, Control(c, nan, nan, np.full(3, nan), 0.5, beyond))


def by_span(index: xr.Dataset, pantograph: int = 0) -> tuple[np.ndarray, list[Share]]:
    """Numbers of the judged spans, and the probability that the force leaves its limits in each."""
    use = good(index)
    keys = [str(k) for k in index["criterion"].to_numpy()]
    limits = {}
    for key in ("actual_max", "actual_min"):
        column = index["limit"].to_numpy()[use, pantograph, keys.index(key)] if key in keys else np.array([np.nan])
        limits[key] = column[0] if column.size else np.nan
    high = index["span_max"].to_numpy()[use, pantograph] > limits["actual_max"]
    low = index["span_min"].to_numpy()[use, pantograph] < limits["actual_min"]
    missed = high | low
    return index["span"].to_numpy(), [wilson(int(c), int(use.sum())) for c in missed.sum(axis=0)]


def ranks(inputs: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rank correlation of each input (n, m) with values (n,): (m,), by Spearman."""
    from scipy.stats import rankdata

    x = rankdata(inputs, axis=0)
    y = rankdata(values)
    x, y = x - x.mean(axis=0), y - y.mean()
    scale = np.sqrt((x**2).sum(axis=0) * (y**2).sum())
    return np.asarray(np.divide(x.T @ y, scale, out=np.zeros(x.shape[1]), where=scale > 0))


def significant(n: int) -> float:
    """The rank correlation that n unrelated samples exceed in one case of twenty, 1.96/√(n − 1)."""
    return float(Z95 / np.sqrt(max(1, n - 1)))
