"""The gradient of runs of cables beside new runs: many parameters changed at once, along one direction of all of them.

The runs are short and coarse: three spans of cables, droppers that go slack, a contact or a joint that slides. Each
parameter of the direction moves the number by about as much as every other, so that none hides behind the rest.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panhead import scenarios
from panhead.cases.checks import AFTER, BEFORE, Check, below, between, listed
from panhead.cases.line_gradient.rough import ROUGH, changed
from panhead.errors import RunWarning
from panhead.files import door
from panhead.runs.gradients.gradient import gradient_of, recorded
from panhead.runs.gradients.numbers import number
from panhead.runs.resolve import resolve_line
from panhead.runs.solvers.cables.tape import CableTape
from panhead.runs.solvers.linear.adjoint import RunTape

_SPANS = [{"length": 50.0, "count": 3, "dropper_count": 6}]
_WIRES = {"contact": {"axial_stiffness": 1.5e7}, "messenger": {"axial_stiffness": 1e7}}
_ROUGH: dict[str, Any] = {
    **ROUGH,
    "solver": "cables",
    "pushes": [],
    "line_changes": {
        **ROUGH["line_changes"], "wires": _WIRES, "tension_lengths": [{"name": "T", "spans": _SPANS}],
    },
    "contact": {"stiffness": 50e3},
    "journey": {"start": 25.03, "judged_from": 55.0, "judged_to": 68.0, "stop": 72.0, "run_in": 0.0},
    "numerics": {"step": 4e-3, "element_length": 8.0, "coarse": True},
}  # fmt: skip
_STEPS = 10.0 ** (-np.arange(5) / 2.0)  # of the largest change: four decades of the remainder
_NOISE = 1e-8  # [N] remainders below are not looked at: what Newton's method leaves in the steps of 80 N
_SHARE = 1e-3  # [N] by which each parameter moves the number, in differences; up to three times that for the remainder
_AFTER = ("cables, lengths", "cables, embedded joint", "cables, augmented joint")
_CHOSEN = (
    "without stiffness_damping of the wires, with which slopes were 1.88 and 1.90: a damper of a wire's curvature in "
    "space lets go within 1e-6 of straightness, which no mode tells"
)


@dataclass(frozen=True, slots=True)
class Altered:
    """A parameter of a direction: where it is in the gradient, and the change of the description it means."""

    family: str
    index: int
    change: Callable[[float], dict[str, Any]]
    most: float = np.inf  #: largest size of a change


@dataclass(frozen=True, slots=True)
class CableCase:
    """A run, and what is changed in it."""

    name: str
    plain: dict[str, Any]
    moved: tuple[Altered, ...]


def cable_cases() -> Iterator[CableCase]:
    """Line and train under a contact; droppers by the lengths they are cut to; a sliding joint in both forms."""
    plain = scenarios.read("en50318-300", changes=_ROUGH).with_contents().inputs()
    plain |= {"line": _spelled_out(door.to_plain(resolve_line(changed(plain, {})))), "line_changes": {}}
    yield CableCase("cables, line", plain, tuple(_of_line(plain)))
    yield CableCase("cables, train", plain, (*_of_train(plain), _contact()))
    numbers = {"final": 120.0, "time": 0.4}
    law = {**plain, "control": {"kind": "exponential", "parameters": numbers}}
    yield CableCase("cables, gains", law, tuple(_of_law(numbers)))
    loose = door.merged(plain, {"line": {"wires": {role: {"stiffness_damping": 0.0} for role in _WIRES}}})
    yield CableCase("cables, lengths", *_cut(loose))
    for form in ("embedded", "augmented"):
        joined = door.merged(loose, {"line": {"support": {"stagger": 0.0, "steady_arm": None}}})
        joined = door.merged(joined, _tension_length({"masts": []}))
        joined["contact"] = {"kind": "joint", "form": form}
        yield CableCase(f"cables, {form} joint", joined, (*_of_wires(joined), *_of_train(joined)))


def _spelled_out(line: dict[str, Any]) -> dict[str, Any]:
    """The same line with a mast and a span's droppers in words of their own, so that each can be changed alone."""
    mast = {"at": 1, "contact_height": line["contact_height"], "stagger": -0.2, "support": line["support"]}
    droppers = [{"position": 50.0 * k / 7, "kind": line["dropper"]} for k in range(1, 7)]
    rest = {"length": 50.0, "count": 1, "dropper_count": 6}
    spans = [rest, {"length": 50.0, "count": 1, "droppers": droppers}, rest]
    return door.merged(line, {"tension_lengths": {"0": {"masts": [mast], "spans": spans}}})


def _of_wires(plain: dict[str, Any]) -> Iterator[Altered]:
    wires = plain["line"]["wires"]
    for family, name in (("tension", "tension"), ("mass", "mass_per_length"), ("bending", "bending_stiffness")):
        for k, role in enumerate(("contact", "messenger")):
            value = wires[role][name]
            at = lambda h, role=role, name=name, value=value: {"line": {"wires": {role: {name: value + h}}}}
            yield Altered(f"wire.{family}", k, at)


def _of_line(plain: dict[str, Any]) -> Iterator[Altered]:
    """Wires, droppers, supports and their arms."""
    line = plain["line"]
    yield from _of_wires(plain)
    for name in ("mass_damping", "stiffness_damping"):
        value = line["wires"]["contact"][name]
        at = lambda h, name=name, value=value: {"line": {"wires": {"contact": {name: value + h}}}}
        yield Altered(f"wire.{name}", 0, at, most=0.01 * value)
    for family, name in (("stiffness",) * 2, ("mass", "bottom_clamp_mass"), ("mass_per_length",) * 2):
        yield Altered(f"dropper.{family}", 9, _kind(name, line["dropper"][name]))
    yield Altered("presag", 0, lambda h: {"line": {"presag": line["presag"] + h}})
    for family, name in (("stiffness", "contact_stiffness"), ("mass", "contact_mass"), ("encumbrance",) * 2):
        yield Altered(f"support.{family}", 1, _held(name, line["support"][name]))
    length = line["support"]["steady_arm"]["length"]
    longer = lambda h: _tension_length({"masts": {"0": {"support": {"steady_arm": {"length": length + h}}}}})
    yield Altered("arm.length", 0, longer)
    for family, name, value in (("height", "contact_height", line["contact_height"]), ("stagger", "stagger", -0.2)):
        mast = lambda h, name=name, value=value: _tension_length({"masts": {"0": {name: value + h}}})
        yield Altered(f"support.{family}", 1, mast)


def _kind(name: str, value: float) -> Callable[[float], dict[str, Any]]:
    """A number of the fourth dropper of the second span."""
    return lambda h: _tension_length({"spans": {"1": {"droppers": {"3": {"kind": {name: value + h}}}}}})


def _held(name: str, value: float) -> Callable[[float], dict[str, Any]]:
    """A number of the second mast's support."""
    return lambda h: _tension_length({"masts": {"0": {"support": {name: value + h}}}})


def _of_train(plain: dict[str, Any]) -> Iterator[Altered]:
    for k, stage in enumerate(plain["train"][0]["pantograph"]["stages"]):
        for name in ("mass", "stiffness", "damping"):
            at = lambda h, k=k, name=name, x=stage[name]: {
                "train": {"0": {"pantograph": {"stages": {str(k): {name: x + h}}}}}
            }
            yield Altered(f"pantograph.{name}", k, at)
    yield Altered("pantograph.static_force", 0, lambda h: {"train": {"0": {"changes": {"static_force": 170.0 + h}}}})
    yield Altered("train.start", 0, lambda h: {"journey": {"start": 25.03 + h}})
    yield Altered("speed", 0, lambda h: {"speed": 70.0 + h})


def _of_law(numbers: dict[str, float]) -> Iterator[Altered]:
    """Both numbers of a damper that grows with time."""
    for k, (name, value) in enumerate(numbers.items()):
        at = lambda h, name=name, value=value: {"control": {"parameters": {name: value + h}}}
        yield Altered("control.gain", k, at, most=0.2 * value)


def _contact() -> Altered:
    return Altered("contact.stiffness", 0, lambda h: {"contact": {"stiffness": 50e3 + h}})


def _cut(plain: dict[str, Any]) -> tuple[dict[str, Any], tuple[Altered, ...]]:
    """The same line with every dropper cut to the length it was found to have, and changes of some of them."""
    tape = recorded(changed(plain, {}))
    assert isinstance(tape, CableTape)
    found = tape.whole.line.found.system.parameters
    lengths = [[found[f"dropper {s}-{k}.rest"] for k in range(1, 7)] for s in range(1, 4)]

    hung = lambda row: [{"position": 50.0 * k / 7, "length": x} for k, x in enumerate(row, 1)]
    spans = [{"length": 50.0, "count": 1, "droppers": hung(row)} for row in lengths]
    cut = door.merged(plain, _tension_length({"spans": spans}))
    at = lambda k: (
        lambda h: _tension_length(
            {"spans": {str(k // 6): {"droppers": {str(k % 6): {"length": lengths[k // 6][k % 6] + h}}}}}
        )
    )
    return cut, tuple(Altered("dropper.length", k, at(k), most=1e-4) for k in (3, 8, 10, 15))


def _tension_length(change: dict[str, Any]) -> dict[str, Any]:
    return {"line": {"tension_lengths": {"0": change}}}


def altered(case: CableCase, sizes: np.ndarray, share: float) -> dict[str, Any]:
    """The run with every parameter changed by its size times a share."""
    plain = case.plain
    for one, size in zip(case.moved, sizes, strict=True):
        plain = door.merged(plain, one.change(float(share * size)))
    return plain


def _value(case: CableCase, sizes: np.ndarray, share: float) -> tuple[float, bytes]:
    """σ of it; and every mode at every step."""
    tape = recorded(changed(altered(case, sizes, share), {}))
    return number(tape, "deviation").value, _modes(tape)


def _modes(tape: CableTape | RunTape) -> bytes:
    return tape.modes.tobytes() if isinstance(tape, CableTape) else tape.modes


def compared(case: CableCase) -> tuple[float, float, float, float]:
    """σ, the relative difference to central differences, the slope of the remainder, slack droppers as a share."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        tape = recorded(changed(case.plain, {}))
        begin = number(tape, "deviation").value
        sizes, slope, difference = against_differences(case, tape)
        order = _order(case, sizes, begin, slope, _modes(tape))
    return begin, difference, order, float((tape.pulls.least <= 0.0).mean())


def against_differences(case: CableCase, tape: CableTape | RunTape) -> tuple[np.ndarray, float, float]:
    """How much of each parameter is changed, the derivative along all of that, and how far differences are from it."""
    exact, modes = gradient_of(tape, "deviation"), _modes(tape)
    slopes = np.array([float(exact[one.family].to_numpy()[one.index]) for one in case.moved])
    most = np.array([one.most for one in case.moved])
    sizes = np.clip(_SHARE / slopes, -most, most)  # each moves σ by _SHARE if it can, all the same way
    for shorter in 10.0 ** -np.arange(0.0, 2.6, 0.5):
        pair = [_value(case, sizes, s * shorter) for s in (1.0, -1.0)]
        if all(found[1] == modes for found in pair):
            break
    half = [_value(case, sizes, s * shorter)[0] for s in (0.5, -0.5)]
    wide, close = (pair[0][0] - pair[1][0]) / (2.0 * shorter), (half[0] - half[1]) / shorter
    slope = float(slopes @ sizes)
    return sizes, slope, float(abs(slope / ((4.0 * close - wide) / 3.0) - 1.0))


def _order(case: CableCase, sizes: np.ndarray, begin: float, slope: float, modes: bytes) -> float:
    """The slope of Taylor's remainder over changes that leave every mode as it was."""
    for top in 10.0 ** np.arange(0.5, -1.1, -0.5):
        if _value(case, sizes, top)[1] == modes:
            break
    steps = top * _STEPS
    left = np.array([abs(_value(case, sizes, s)[0] - begin - s * slope) for s in steps])
    seen = left > _NOISE
    return float(np.polyfit(np.log10(steps[seen]), np.log10(left[seen]), 1)[0]) if seen.sum() > 2 else np.nan


def cable_gradient() -> Sequence[Check]:
    """Every run of cables; of the joint's two forms, which agree to rounding, the first."""
    return rows_of(case for case in cable_cases() if "augmented" not in case.name)


def rows_of(cases: Iterable[CableCase]) -> list[Check]:
    """What is asked of each case."""
    checks: list[Check] = []
    for case in cases:
        value, difference, order, slack = compared(case)
        why = f"new runs with {len(case.moved)} parameters changed at once in the description"
        by, told = (AFTER, f"; {_CHOSEN}") if case.name in _AFTER else (BEFORE, "")
        checks += [
            listed(f"{case.name}: deviation of the contact force of the rough run", value, None, "N", "the run itself"),
            between(f"{case.name}: droppers that go slack", 100 * slack, (1.0, 100.0), "%",
                "there must be slack droppers for the test to say anything", by=BEFORE),
            below(f"{case.name}: against central differences", difference, 1e-6, "1", why, by=BEFORE),
            between(f"{case.name}: slope of Taylor's remainder", order, (1.98, 2.02), "1",
                f"{why}, by less than what would change a mode{told}", by=by) if np.isfinite(order) else
            listed(f"{case.name}: remainders of Taylor's series above the noise", 0.0, None, "1",
                f"no slope can be told: none is above {_NOISE:g} N for changes that leave every mode as it was"),
        ]  # fmt: skip
    return checks
