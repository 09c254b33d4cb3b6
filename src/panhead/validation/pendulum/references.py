"""Simple pendulum against its closed form: IFToMM benchmark A01."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.runs import scenarios
from panhead.validation.checks import BEFORE, Check, below, near
from panhead.validation.motions import BENCHMARK, CONSERVATION


def iftomm_a01() -> Sequence[Check]:
    """The simple pendulum at 5 and 10 s, and its period."""
    result = scenarios.read("iftomm-a01").simulate()
    at = lambda t: result["q"].sel(time=t, method="nearest").values
    reference = {5: (-0.942305435043757, -0.334754338414001), 10: (-0.275087462576117, -0.961419205099125)}
    checks = [
        near(f"{axis} at {t} s", at(t)[k], reference[t][k], "m", BENCHMARK, tol=1e-8, by=BEFORE)
        for t in (5, 10)
        for k, axis in enumerate("xy")
    ]
    return [
        *checks,
        near("period", _period(), 2.36784194757624, "s", "complete elliptic integral", tol=1e-8, by=BEFORE),
        below("energy balance, relative", float(np.abs(result["balance"]).max() / 9.81), 1e-8, "1", CONSERVATION,
            by=BEFORE),
        below(
            "constraint drift", float(result["constraint_residual"].max()), 1e-10, "m", "rod length",
            by=BEFORE,
        ),
    ]  # fmt: skip


def _period() -> float:
    """Time between two returns of the pendulum to its starting side, from roots of its horizontal rate."""
    scenario = scenarios.read("iftomm-a01", ["run.keep=1ms", "run.step=1ms"])
    result = scenario.simulate()
    t, rate, slope = result["time"].values, result["v"].values[:, 1], result["a"].values[:, 1]
    # the vertical rate is zero and falling when the mass hangs still at the height it started from
    falling = [i for i in range(1, len(t) - 1) if rate[i] > 0 >= rate[i + 1] and result["q"].values[i, 0] < 0]
    i = falling[-1]
    h, y0, y1, d0, d1 = t[i + 1] - t[i], rate[i], rate[i + 1], slope[i], slope[i + 1]
    cubic = np.array([2 * (y0 - y1) + h * (d0 + d1), -3 * (y0 - y1) - h * (2 * d0 + d1), h * d0, y0])
    root = next(r.real for r in np.roots(cubic) if abs(r.imag) < 1e-9 and -1e-9 <= r.real <= 1 + 1e-9)
    return float((t[i] + root * h) / len(falling))
