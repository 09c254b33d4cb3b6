"""The gradient of a run beside new runs: Taylor's remainder and central differences, parameter by parameter.

The run is short and rough on purpose: droppers go slack and the head leaves the wire. All changes are made in the
description, so that stringing, assembly, start, steps and filter are all in what is compared. Changes are so small that
every dropper and every contact is on and off at the same steps; a change that is not is made smaller.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panhead import scenarios
from panhead.cases.checks import BEFORE, Check, below, between, listed
from panhead.errors import RunWarning
from panhead.files import door
from panhead.line.description import Line
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import gradient
from panhead.runs.gradients.numbers import number
from panhead.runs.resolve import resolve
from panhead.runs.solvers.linear.adjoint import RunTape, record

ROUGH: dict[str, Any] = {
    "speed": 70.0,
    "line_changes": {
        "tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 4, "dropper_count": 6}]}],
        "support": {"encumbrance": 1.2, "stagger": 0.2},
    },
    "train": {"0": {"changes": {"static_force": 170.0}}},
    "journey": {"judged_from": 80.0, "judged_to": 110.0, "stop": 120.0, "ramp": 0.3, "run_in": 0.0},
    "numerics": {"step": 2e-3, "element_length": 1.5},
}
_STEPS = (1.0, 0.1, 0.01, 0.001)  # of Taylor's test, times the first change
_NOISE = 1e-9  # of a number: stringing leaves 1e-8 N of some 100 N
_WHY = "new runs with the parameter changed in the description"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter: where it is in the gradient, how it is changed, and by about how much."""

    family: str
    index: int
    size: float
    changes: Callable[[float], dict[str, Any]]


def base() -> dict[str, Any]:
    """The plain data of the rough run, everything in it."""
    return scenarios.read("en50318-300", changes=ROUGH).with_contents().inputs()


def changed(plain: dict[str, Any], changes: dict[str, Any]) -> Run:
    """The run with changes merged in."""
    found = scenarios.from_plain(door.merged(plain, changes), source="line-gradient").description
    assert isinstance(found, Run)
    return found


def parameters(line: Line, stages: Sequence[Any]) -> Iterator[Parameter]:
    """At least one parameter of every family; ``line`` and ``stages`` are those of the rough run."""
    w, tl = line.wires, lambda change: {"line_changes": {"tension_lengths": {"0": change}}}
    for k, role in enumerate(("contact", "messenger")):
        wire = getattr(w, role)
        for family, name, value, size in (
            ("wire.tension", "tension", wire.tension, 10.0),
            ("wire.mass", "mass_per_length", wire.mu, 1e-3),
            ("wire.bending", "bending_stiffness", wire.EI, 1.0),
            ("wire.mass_damping", "mass_damping", wire.mass_damping, 1e-3),
            ("wire.stiffness_damping", "stiffness_damping", wire.stiffness_damping, 1e-6),
        ):
            at = lambda h, role=role, name=name, value=value: {"line": {"wires": {role: {name: value + h}}}}
            yield Parameter(family, k, size, at)
    for span, dropper in ((1, 3), (2, 2), (2, 5), (3, 1)):
        error = lambda h, s=span, d=dropper: tl({"dropper_errors": [{"span": s, "dropper": d, "error": h}]})
        yield Parameter("dropper.length", 6 * span + dropper - 7, 1e-3, error)
    for mast in (1, 2):
        height = lambda h, m=mast: tl({"masts": [{"at": m, "contact_height": line.contact_height + h}]})
        yield Parameter("support.height", mast, 1e-4, height)
    # at mast 2 it matters ten times as much as elsewhere, and still little: it only stiffens the steady arm
    yield Parameter("support.stagger", 2, 3e-3, lambda h: tl({"masts": [{"at": 2, "stagger": 0.2 + h}]}))
    yield Parameter("presag", 0, 1e-4, lambda h: {"line": {"presag": line.presag + h}})
    for k, stage in enumerate(stages):
        for name, size in (("mass", 1e-3), ("stiffness", 1.0), ("damping", 1e-1)):
            value = getattr(stage, name)
            at = lambda h, k=k, name=name, value=value: _train({"stages": {str(k): {name: value + h}}})
            yield Parameter(f"pantograph.{name}", k, size, at)
    yield Parameter(
        "pantograph.static_force", 0, 1e-2, lambda h: {"train": {"0": {"changes": {"static_force": 170.0 + h}}}}
    )
    yield Parameter("contact.stiffness", 0, 10.0, lambda h: {"contact": {"stiffness": 50e3 + h}})


def _train(change: dict[str, Any]) -> dict[str, Any]:
    return {"train": {"0": {"pantograph": change}}}


def _modes(tape: RunTape) -> tuple[bytes, bytes]:
    """When each contact is lost and each dropper slack."""
    return (tape.force == 0.0).tobytes(), (tape.dropper == 0.0).tobytes()


def compared(of: str = "deviation") -> tuple[float, dict[str, list[tuple[float, float, float]]], RunTape]:
    """The number, and for every family (relative difference, slope of Taylor's remainder, gradient); and the run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        plain = base()
        run = changed(plain, {"contact": {"stiffness": 50e3}})
        plain |= {"contact": door.to_plain(run.contact)}
        model = resolve(run)
        tape = record(model)
        exact = gradient(run, of)
        value = float(exact.attrs["value"])
        found: dict[str, list[tuple[float, float, float]]] = {}
        for p in parameters(model.line, model.pantographs[0].stages):
            slope = float(exact[p.family].to_numpy()[p.index])
            found.setdefault(p.family, []).append((*_tried(plain, p, of, value, slope, _modes(tape)), slope))
    return value, found, tape


def _tried(
    plain: dict[str, Any], p: Parameter, of: str, value: float, slope: float, modes: tuple[bytes, bytes]
) -> tuple[float, float]:
    """Relative difference to central differences, and the slope of Taylor's remainder over the changes."""
    size = p.size
    for _ in range(4):
        tapes = {h: record(resolve(changed(plain, p.changes(h)))) for h in (size, -size)}
        if all(_modes(t) == modes for t in tapes.values()):
            break
        size *= 0.1
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
    return checks
