"""Gradients of cable runs against finite differences along random directions of many parameters.

The runs are short and coarse: three spans of cables, droppers that go slack, a contact or a joint that slides. Each
parameter of the direction changes the objective by about as much as every other, so that none is hidden by the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from panhead.files import parse
from panhead.runs import scenarios
from panhead.runs.cables.cables_tape import CableTape
from panhead.runs.gradients.gradient import tape_for_gradient
from panhead.runs.resolve import resolve_line
from panhead.validation.checks import BEFORE, Check, between, listed
from panhead.validation.line_gradient.differences import GradientCase, Parameter, agreement, compare, with_changes
from panhead.validation.line_gradient.rough import ROUGH

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


def cable_cases() -> Iterator[GradientCase]:
    """Line and train under a contact; droppers by the lengths they are cut to; a sliding joint in both forms."""
    plain = scenarios.read("en50318-300", changes=_ROUGH).with_contents().inputs()
    plain |= {"line": _written_out(parse.to_plain(resolve_line(with_changes(plain, {})))), "line_changes": {}}
    yield GradientCase("cables, line", plain, tuple(_of_line(plain)))
    yield GradientCase("cables, train", plain, (*_of_train(plain), _contact()))
    numbers = {"final": 120.0, "time": 0.4}
    law = {**plain, "control": {"kind": "exponential", "parameters": numbers}}
    yield GradientCase("cables, gains", law, tuple(_of_law(numbers)))
    loose = parse.merge(plain, {"line": {"wires": {role: {"stiffness_damping": 0.0} for role in _WIRES}}})
    yield GradientCase("cables, lengths", *_with_cut_droppers(loose))
    for form in ("embedded", "augmented"):
        joined = parse.merge(loose, {"line": {"support": {"stagger": 0.0, "steady_arm": None}}})
        joined = parse.merge(joined, _tension_length({"masts": []}))
        joined["contact"] = {"kind": "joint", "form": form}
        yield GradientCase(f"cables, {form} joint", joined, (*_of_wires(joined), *_of_train(joined)))


def _written_out(line: dict[str, Any]) -> dict[str, Any]:
    """Line with one mast and the droppers of one span written out, so that each can be changed alone."""
    mast = {"at": 1, "contact_height": line["contact_height"], "stagger": -0.2, "support": line["support"]}
    droppers = [{"position": 50.0 * k / 7, "kind": line["dropper"]} for k in range(1, 7)]
    rest = {"length": 50.0, "count": 1, "dropper_count": 6}
    spans = [rest, {"length": 50.0, "count": 1, "droppers": droppers}, rest]
    return parse.merge(line, {"tension_lengths": {"0": {"masts": [mast], "spans": spans}}})


def _of_wires(plain: dict[str, Any]) -> Iterator[Parameter]:
    wires = plain["line"]["wires"]
    for family, name in (("tension", "tension"), ("mass", "mass_per_length"), ("bending", "bending_stiffness")):
        for k, role in enumerate(("contact", "messenger")):
            value = wires[role][name]
            at = lambda h, role=role, name=name, value=value: {"line": {"wires": {role: {name: value + h}}}}
            yield Parameter(f"wire.{family}", k, np.inf, at)


def _of_line(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Parameters of wires, droppers, supports and their arms."""
    line = plain["line"]
    yield from _of_wires(plain)
    for name in ("mass_damping", "stiffness_damping"):
        value = line["wires"]["contact"][name]
        at = lambda h, name=name, value=value: {"line": {"wires": {"contact": {name: value + h}}}}
        yield Parameter(f"wire.{name}", 0, 1e-3 * value, at)
    for family, name in (("stiffness",) * 2, ("mass", "bottom_clamp_mass"), ("mass_per_length",) * 2):
        yield Parameter(f"dropper.{family}", 9, np.inf, _dropper_parameter(name, line["dropper"][name]))
    yield Parameter("presag", 0, np.inf, lambda h: {"line": {"presag": line["presag"] + h}})
    for family, name in (("stiffness", "contact_stiffness"), ("mass", "contact_mass"), ("encumbrance",) * 2):
        yield Parameter(f"support.{family}", 1, np.inf, _support_parameter(name, line["support"][name]))
    length = line["support"]["steady_arm"]["length"]
    longer = lambda h: _tension_length({"masts": {"0": {"support": {"steady_arm": {"length": length + h}}}}})
    yield Parameter("arm.length", 0, np.inf, longer)
    for family, name, value in (("height", "contact_height", line["contact_height"]), ("stagger", "stagger", -0.2)):
        mast = lambda h, name=name, value=value: _tension_length({"masts": {"0": {name: value + h}}})
        yield Parameter(f"support.{family}", 1, np.inf, mast)


def _dropper_parameter(name: str, value: float) -> Callable[[float], dict[str, Any]]:
    """Parameter of the fourth dropper of the second span."""
    return lambda h: _tension_length({"spans": {"1": {"droppers": {"3": {"kind": {name: value + h}}}}}})


def _support_parameter(name: str, value: float) -> Callable[[float], dict[str, Any]]:
    """Parameter of the support at the second mast."""
    return lambda h: _tension_length({"masts": {"0": {"support": {name: value + h}}}})


def _of_train(plain: dict[str, Any]) -> Iterator[Parameter]:
    for k, stage in enumerate(plain["train"][0]["pantograph"]["stages"]):
        for name in ("mass", "stiffness", "damping"):
            at = lambda h, k=k, name=name, x=stage[name]: {
                "train": {"0": {"pantograph": {"stages": {str(k): {name: x + h}}}}}
            }
            yield Parameter(f"pantograph.{name}", k, np.inf, at)
    pressed = lambda h: {"train": {"0": {"changes": {"static_force": 170.0 + h}}}}
    yield Parameter("pantograph.static_force", 0, np.inf, pressed)
    yield Parameter("train.start", 0, np.inf, lambda h: {"journey": {"start": 25.03 + h}})
    yield Parameter("speed", 0, np.inf, lambda h: {"speed": 70.0 + h})


def _of_law(numbers: dict[str, float]) -> Iterator[Parameter]:
    """Both parameters of a damper that grows with time."""
    for k, (name, value) in enumerate(numbers.items()):
        at = lambda h, name=name, value=value: {"control": {"parameters": {name: value + h}}}
        yield Parameter("control.gain", k, 0.02 * value, at)


def _contact() -> Parameter:
    return Parameter("contact.stiffness", 0, np.inf, lambda h: {"contact": {"stiffness": 50e3 + h}})


def _with_cut_droppers(plain: dict[str, Any]) -> tuple[dict[str, Any], tuple[Parameter, ...]]:
    """Line with every dropper given by its computed length, and changes of some of them."""
    tape = tape_for_gradient(with_changes(plain, {}))
    assert isinstance(tape, CableTape)
    found = tape.whole.line.found.system.parameters
    lengths = [[found[f"dropper {s}-{k}.rest"] for k in range(1, 7)] for s in range(1, 4)]

    hung = lambda row: [{"position": 50.0 * k / 7, "length": x} for k, x in enumerate(row, 1)]
    spans = [{"length": 50.0, "count": 1, "droppers": hung(row)} for row in lengths]
    cut = parse.merge(plain, _tension_length({"spans": spans}))
    at = lambda k: (
        lambda h: _tension_length(
            {"spans": {str(k // 6): {"droppers": {str(k % 6): {"length": lengths[k // 6][k % 6] + h}}}}}
        )
    )
    return cut, tuple(Parameter("dropper.length", k, 1e-5, at(k)) for k in (3, 8, 10, 15))


def _tension_length(change: dict[str, Any]) -> dict[str, Any]:
    return {"line": {"tension_lengths": {"0": change}}}


def cable_gradient() -> Sequence[Check]:
    """All cable runs; of the two forms of the joint, which agree to rounding, only the first."""
    return rows_of(case for case in cable_cases() if "augmented" not in case.name)


def rows_of(cases: Iterable[GradientCase]) -> list[Check]:
    """Rows of each case."""
    checks: list[Check] = []
    for case in cases:
        found = compare(case)
        slack = 100 * float((found.result["dropper_min_force"] <= 0.0).mean())
        checks += [
            listed(f"{case.name}: deviation of the contact force of the rough run", found.deviation, None, "N",
                "the run itself"),
            between(f"{case.name}: droppers that go slack", slack, (1.0, 100.0), "%",
                "the test is meaningful only with slack droppers", by=BEFORE),
            *agreement(case, found),
        ]  # fmt: skip
    return checks
