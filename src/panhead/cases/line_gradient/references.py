"""The gradient of a run beside new runs: Taylor's remainder and central differences, parameter by parameter.

The run is short and rough on purpose: droppers go slack and the head leaves the wire. All changes are made in the
description, so that stringing, assembly, start, steps and filter are all in what is compared. Changes are so small that
every dropper and every contact is on and off at the same steps; a change that is not is made smaller.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from panhead.cases.checks import BEFORE, Check, below, between, listed
from panhead.cases.line_gradient.motions import model_rows
from panhead.cases.line_gradient.rough import PARAMETERS, Parameter, base, changed
from panhead.errors import RunWarning
from panhead.runs.gradients.gradient import gradient
from panhead.runs.gradients.numbers import number
from panhead.runs.resolve import resolve
from panhead.runs.solvers.linear.adjoint import RunTape, record

_STEPS = (1.0, 0.1, 0.01, 0.001)  # of Taylor's test, times the first change
_NOISE = 1e-9  # of a number: stringing leaves 1e-8 N of some 100 N
_WHY = "new runs with the parameter changed in the description"


def _modes(tape: RunTape) -> tuple[bytes, bytes]:
    """When each contact is lost and each dropper slack."""
    return (tape.force == 0.0).tobytes(), (tape.dropper == 0.0).tobytes()


def compared(
    case: str = "line", of: str = "deviation"
) -> tuple[float, dict[str, list[tuple[float, float, float]]], RunTape]:
    """The number, and for every family (relative difference, slope of Taylor's remainder, gradient); and the run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        plain = base(case)
        run = changed(plain, {})
        tape = record(resolve(run))
        exact = gradient(run, of)
        value = float(exact.attrs["value"])
        found: dict[str, list[tuple[float, float, float]]] = {}
        for p in PARAMETERS[case](plain):
            slope = float(exact[p.family].to_numpy()[p.index])
            found.setdefault(p.family, []).append((*_tried(plain, p, of, value, slope, _modes(tape)), slope))
    return value, found, tape


def _tried(
    plain: dict[str, Any], p: Parameter, of: str, value: float, slope: float, modes: tuple[bytes, bytes]
) -> tuple[float, float]:
    """Relative difference to central differences, and the slope of Taylor's remainder over the changes."""
    for size in p.size * np.array([1.0, 0.1, 0.01, 0.001]):
        tapes = {h: record(resolve(changed(plain, p.changes(h)))) for h in (size, -size)}
        if all(_modes(t) == modes for t in tapes.values()):
            break
    new = {h: number(t, of).value for h, t in tapes.items()}
    half = {h: number(record(resolve(changed(plain, p.changes(h)))), of).value for h in (0.5 * size, -0.5 * size)}
    wide, close = (new[size] - new[-size]) / (2 * size), (half[0.5 * size] - half[-0.5 * size]) / size
    difference = (4.0 * close - wide) / 3.0  # Richardson: exact but for h⁴
    remainders = [abs(new[size] - value - slope * size)]
    for share in _STEPS[1:]:
        tape = record(resolve(changed(plain, p.changes(share * size))))
        remainders.append(abs(number(tape, of).value - value - slope * share * size))
    use = [k for k, r in enumerate(remainders) if r > _NOISE * abs(value)]
    steps = np.log10(np.array(_STEPS)[use])
    fit = np.polyfit(steps, np.log10(np.array(remainders)[use]), 1)[0] if len(use) > 1 else np.nan
    return abs(slope - difference) / abs(slope), float(fit)


def line_gradient() -> Sequence[Check]:
    """Every family of parameters: the gradient against central differences, and the order of Taylor's remainder."""
    value, found, tape = compared()
    checks = [
        listed("deviation of the contact force of the rough run", value, None, "N", "the run itself"),
        between("steps without contact", 100 * float((tape.force == 0).mean()), (1.0, 50.0), "%",
            "there must be losses for the test to say anything", by=BEFORE),
        between("steps with a slack dropper", 100 * float((tape.dropper == 0).any(axis=1).mean()), (1.0, 100.0), "%",
            "there must be slack droppers for the test to say anything", by=BEFORE),
    ]  # fmt: skip
    for family, rows in found.items():
        checks.append(
            below(f"{family}: against central differences", max(r[0] for r in rows), 1e-6, "1", _WHY, by=BEFORE)
        )
        slopes = [r[1] for r in rows if np.isfinite(r[1])]
        if slopes:
            worst = max(slopes, key=lambda s: abs(s - 2.0))
            checks.append(between(f"{family}: slope of Taylor's remainder", worst, (1.98, 2.02), "1", _WHY, by=BEFORE))
    return [*checks, *model_rows()]
