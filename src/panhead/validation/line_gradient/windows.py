"""Gradient of a run in a moving window against finite differences in the same window.

Four spans are passed in a window of 23, of which five have all their stations; waves fade at its ends. Spans come and
go: far ahead with modes of a narrow band, nearer with more, then with all stations, and behind as modes again.
Droppers go slack. What is changed is near and far, behind and ahead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.files import parse
from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.resolve import resolve_line
from panhead.validation.checks import BEFORE, Check, between, listed
from panhead.validation.line_gradient.differences import GradientCase, Parameter, agreement, compare, with_changes
from panhead.validation.line_gradient.rough import ROUGH

if TYPE_CHECKING:
    import xarray as xr

_CHANGED = (1, 3, 4, 5, 7)  # spans of which a dropper is changed
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


def moving_case() -> GradientCase:
    """Line, droppers and train in a moving window with superelements."""
    plain = scenarios.read("en50318-300", changes=_MOVING).with_contents().inputs()
    plain |= {"line": parse.to_plain(resolve_line(with_changes(plain, {}))), "line_changes": {}}
    none = [{"span": span, "dropper": 3, "error": 0.0} for span in _CHANGED]
    plain = parse.merge(plain, _tension_length({"dropper_errors": none}))
    return GradientCase("moving window", plain, (*_of_line(plain), *_of_droppers(), *_of_train(plain)))


def window_shift_count(result: xr.Dataset, run: Run) -> int:
    """Number of window shifts: masts the train has passed, unless the window covers the whole line."""
    first, last = result["contact_x"].to_numpy()[0, [0, -1]]
    passed = int(((result["mast_x"] > first) & (result["mast_x"] <= last)).sum())
    return passed if run.numerics.ahead + run.numerics.behind < result.sizes["span"] else 0


def moving_window() -> Sequence[Check]:
    """Rows of the case."""
    case = moving_case()
    found = compare(case)
    there = "the test is meaningful only if there are some"
    slack = 100 * float((found.result["dropper_min_force"] <= 0.0).mean())
    moved = window_shift_count(found.result, with_changes(case.plain, {}))
    return [
        listed(f"{case.name}: deviation of the contact force", found.deviation, None, "N", "the run"),
        between(f"{case.name}: droppers that go slack", slack, (1.0, 100.0), "%", there, by=BEFORE),
        between(f"{case.name}: times it moves", moved, (3, 100), "1", there, by=BEFORE),
        *agreement(case, found),
    ]


def _of_line(plain: dict[str, Any]) -> Iterator[Parameter]:
    line = plain["line"]
    for family, name in (
        ("tension",) * 2, ("mass", "mass_per_length"), ("bending", "bending_stiffness"), ("mass_damping",) * 2,
        ("stiffness_damping",) * 2,
    ):  # fmt: skip
        for k, role in enumerate(("contact", "messenger")):
            value = line["wires"][role][name]
            at = lambda h, role=role, name=name, value=value: {"line": {"wires": {role: {name: value + h}}}}
            yield Parameter(f"wire.{family}", k, 1e-3 * value or 1e-7, at)
    yield Parameter("presag", 0, np.inf, lambda h: {"line": {"presag": line["presag"] + h}})


def _of_droppers() -> Iterator[Parameter]:
    """Dropper lengths in spans that are behind at the end, passed, and ahead."""
    for k, span in enumerate(_CHANGED):
        error = lambda h, k=k: _tension_length({"dropper_errors": {str(k): {"error": h}}})
        yield Parameter("dropper.length", 6 * span - 4, 1e-5, error, weight=10.0)


def _of_train(plain: dict[str, Any]) -> Iterator[Parameter]:
    pressed = lambda h: {"train": {"0": {"changes": {"static_force": 120.0 + h}}}}
    yield Parameter("pantograph.static_force", 0, np.inf, pressed)
    stiffness = plain["train"][0]["pantograph"]["stages"][0]["stiffness"]
    stage = lambda h: {"train": {"0": {"pantograph": {"stages": {"0": {"stiffness": stiffness + h}}}}}}
    yield Parameter("pantograph.stiffness", 0, np.inf, stage)
    yield Parameter("contact.stiffness", 0, np.inf, lambda h: {"contact": {"stiffness": 50e3 + h}})
    yield Parameter("train.start", 0, 1e-5, lambda h: {"journey": {"start": 25.03 + h}})
    yield Parameter("speed", 0, 1e-5, lambda h: {"speed": 70.0 + h})


def _tension_length(change: dict[str, Any]) -> dict[str, Any]:
    return {"line": {"tension_lengths": {"0": change}}}
