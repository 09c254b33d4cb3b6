"""The gradient of a run in a moving window beside new runs: many parameters changed at once, as in ``cables``.

Four spans are passed in a window of 23, of which five have all their stations; waves fade at its ends. Spans come and
go: far ahead with modes of a narrow band, nearer with more, then with all stations, and behind as modes again.
Droppers go slack. What is changed is near and far, behind and ahead.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from panhead import scenarios
from panhead.cases.checks import BEFORE, Check, below, between, listed
from panhead.cases.line_gradient.cables import Altered, CableCase, against_differences, altered
from panhead.cases.line_gradient.rough import ROUGH, changed
from panhead.errors import RunWarning
from panhead.files import door
from panhead.kernels.step.adjoint_arrays import KeptSteps
from panhead.runs.gradients.numbers import number
from panhead.runs.resolve import resolve, resolve_line
from panhead.runs.solvers.linear.adjoint import kept_run

_CHANGED = (1, 3, 4, 5, 7)  # spans of which a dropper is changed
_TOP, _NOISE = 3e-5, 5e-10  # [N] the remainder aimed at for the largest change, and what is not looked at
_SPANS = [{"length": 50.0, "count": 24, "dropper_count": 6}]
_MOVING: dict[str, Any] = {
    **ROUGH,
    "pushes": [],
    "line_changes": {**ROUGH["line_changes"], "tension_lengths": [{"name": "T", "spans": _SPANS}]},
    "contact": {"stiffness": 50e3},
    "train": {"0": {"changes": {"static_force": 120.0}}},
    "journey": {"start": 25.03, "judged_from": 150.0, "judged_to": 210.0, "stop": 215.0, "ramp": 0.3, "run_in": 0.0},
    "numerics": {
        "step": 2e-3, "element_length": 3.0, "coarse": True, "window": "moving", "ahead": 18, "behind": 4,
        "absorbing": 2, "near": 2,
    },
}  # fmt: skip


def moving_case() -> CableCase:
    """Line, droppers and train in a moving window with superelements."""
    plain = scenarios.read("en50318-300", changes=_MOVING).with_contents().inputs()
    plain |= {"line": door.to_plain(resolve_line(changed(plain, {}))), "line_changes": {}}
    none = [{"span": span, "dropper": 3, "error": 0.0} for span in _CHANGED]
    plain = door.merged(plain, _tension_length({"dropper_errors": none}))
    return CableCase("moving window", plain, (*_of_line(plain), *_of_droppers(), *_of_train(plain)))


def moving_window() -> Sequence[Check]:
    """What is asked of the case."""
    case = moving_case()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        run = resolve(changed(case.plain, {}))
        tape, kept = kept_run(run)
        sizes, slope, difference = against_differences(case, tape)
        order = _order(case, sizes, (number(tape, "deviation").value, slope), kept)
    why = f"new runs with {len(case.moved)} parameters changed at once in the description"
    there = "there must be some for the test to say anything"
    slack, moves = 100 * float((tape.pulls.least <= 0.0).mean()), len({mark.spans for mark in tape.states}) - 1
    held = f"{why}, every mode held as it was, four decades of the remainder"
    return [
        listed(f"{case.name}: deviation of the contact force", number(tape, "deviation").value, None, "N", "the run"),
        between(f"{case.name}: droppers that go slack", slack, (1.0, 100.0), "%", there, by=BEFORE),
        between(f"{case.name}: times it moves", moves, (3, 100), "1", there, by=BEFORE),
        below(f"{case.name}: against central differences", difference, 1e-6, "1", why, by=BEFORE),
        between(f"{case.name}: slope of Taylor's remainder", order, (1.98, 2.02), "1", held, by=BEFORE),
    ]


def _order(case: CableCase, sizes: np.ndarray, line: tuple[float, float], kept: list[KeptSteps]) -> float:
    """The slope of Taylor's remainder in the modes of the run itself; line: value and slope."""

    def value(share: float) -> float:
        return number(kept_run(resolve(changed(altered(case, sizes, share), {})), kept)[0], "deviation").value

    left = lambda share: abs(value(share) - line[0] - share * line[1])
    top = float(np.clip(3.0 * np.sqrt(_TOP / max(left(3.0), 1e-30)), 0.05, 100.0))
    steps = top * 10.0 ** (-np.arange(4) / 1.5)
    remainders = np.array([left(share) for share in steps])
    seen = remainders > _NOISE
    return float(np.polyfit(np.log10(steps[seen]), np.log10(remainders[seen]), 1)[0]) if seen.sum() > 2 else np.nan


def _of_line(plain: dict[str, Any]) -> Iterator[Altered]:
    line = plain["line"]
    for family, name in (
        ("tension",) * 2, ("mass", "mass_per_length"), ("bending", "bending_stiffness"), ("mass_damping",) * 2,
        ("stiffness_damping",) * 2,
    ):  # fmt: skip
        for k, role in enumerate(("contact", "messenger")):
            value = line["wires"][role][name]
            at = lambda h, role=role, name=name, value=value: {"line": {"wires": {role: {name: value + h}}}}
            yield Altered(f"wire.{family}", k, at, most=0.01 * value or 1e-6)
    yield Altered("presag", 0, lambda h: {"line": {"presag": line["presag"] + h}})


def _of_droppers() -> Iterator[Altered]:
    """Lengths in spans that are behind at the end, passed, and ahead."""
    for k, span in enumerate(_CHANGED):
        error = lambda h, k=k: _tension_length({"dropper_errors": {str(k): {"error": h}}})
        yield Altered("dropper.length", 6 * span - 4, error, most=1e-4)


def _of_train(plain: dict[str, Any]) -> Iterator[Altered]:
    yield Altered("pantograph.static_force", 0, lambda h: {"train": {"0": {"changes": {"static_force": 120.0 + h}}}})
    stiffness = plain["train"][0]["pantograph"]["stages"][0]["stiffness"]
    stage = lambda h: {"train": {"0": {"pantograph": {"stages": {"0": {"stiffness": stiffness + h}}}}}}
    yield Altered("pantograph.stiffness", 0, stage)
    yield Altered("contact.stiffness", 0, lambda h: {"contact": {"stiffness": 50e3 + h}})
    yield Altered("train.start", 0, lambda h: {"journey": {"start": 25.03 + h}}, most=1e-4)
    yield Altered("speed", 0, lambda h: {"speed": 70.0 + h}, most=1e-4)


def _tension_length(change: dict[str, Any]) -> dict[str, Any]:
    return {"line": {"tension_lengths": {"0": change}}}
