"""Rough runs for gradient tests, and the changes of their parameters in the description.

All are short, and rough on purpose: droppers go slack and heads leave the wire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from panhead.files import parse
from panhead.runs import scenarios
from panhead.runs.resolve import resolve_line
from panhead.validation.line_gradient.differences import GradientCase, Parameter, with_changes

_ARM = {"length": 1.1, "mass": 1.0, "rise": 0.2}
_LOST = [[0.85, 0.0], [0.9, -500.0], [0.95, 0.0]]  # a pull that tears the head off the wire
ROUGH: dict[str, Any] = {
    "speed": 70.0,
    "line_changes": {
        "tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 4, "dropper_count": 6}]}],
        "support": {
            "encumbrance": 1.2,
            "stagger": 0.2,
            "steady_arm": _ARM,
            "contact_mass": 0.5,
            "contact_damping": 5.0,
            "contact_stiffness": 50.0,
        },
        "dropper": {"damping": 5.0, "mass_per_length": 0.1, "top_clamp_mass": 0.1, "bottom_clamp_mass": 0.2},
    },
    "train": {"0": {"changes": {"static_force": 170.0}}},
    "journey": {"start": 25.03, "judged_from": 80.0, "judged_to": 110.0, "stop": 120.0, "ramp": 0.3, "run_in": 0.0},
    "pushes": [{"table": _LOST}],
    "numerics": {"step": 2e-3, "element_length": 1.5},
}
_TABLE = [[0.2, 0.0], [0.5, 20.0], [0.8, -15.0], [1.1, 5.0]]
_HEAD = {"friction": 8.0, "friction_speed": 0.05, "stop_up": 0.001, "stop_down": 0.022, "static_force": 3.0}
_ROOF = [[0.0, 0.0], [0.3, 4e-3], [0.6, -3e-3], [1.0, 3e-3], [1.3, 0.0]]
_GAINS = {"head": 60.0, "plunger": -25.0}
_TRACK = [{"at": 0.0, "radius": 900.0, "cant": 0.1}, {"at": 200.0, "radius": 900.0, "cant": 0.1, "gradient": 0.004}]
_WIND = {"side_load": 6.0, "air_damping": 0.6}  # about what 20 m/s do
_CURVED = {"kind": "lankarani-nikravesh", "stiffness": 1e5, "exponent": 1.5, "restitution": 0.5}

_CUT = ((1, 3), (2, 5), (3, 1))  # spans and droppers that are cut otherwise

#: name of a rough run → what it changes of the first
CHANGES: dict[str, dict[str, Any]] = {
    "line": {"contact": {"stiffness": 50e3}},
    "stages": {
        "train": {"0": {"pantograph": {"stages": {"0": _HEAD, "1": {"aerodynamic": 1e-3}}, "aerodynamic": 2e-3}}},
        "pushes": [{"table": _TABLE}, {"table": _LOST}],
        "contact": {"damping": 20.0},
    },
    "curved": {"contact": {**_CURVED, "least_impact_speed": 0.5}},
    "two": {"train": {"1": {"behind": 20.0}}, "journey": {"start": 46.03, "stop": 150.1}},
    "roof": {"roof": _ROOF},
    "law": {"control": {"kind": "rates", "parameters": _GAINS}},
    "table": {"speed": None, "speed_table": [[0.0, 60.0], [1.0, 70.0], [2.0, 80.0]]},
    "lateral": {"lateral": True, "numerics": {"element_length": 3.0, "coarse": True}},
    "track": {"line_changes": {"alignment": _TRACK}},
    "wind": {"line_changes": {"wires": {"contact": _WIND, "messenger": _WIND}}},
    "gusts": {
        "lateral": True,
        "conditions": {"wind": {"speed": 10.0, "intensity": 0.1, "seed": 3}},
        "numerics": {"element_length": 3.0, "coarse": True},
    },
}


def of_line(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Line parameters, at least one of every family."""
    line = resolve_line(with_changes(plain, {}))
    for k, role in enumerate(("contact", "messenger")):
        wire = getattr(line.wires, role)
        for family, name, value, size in (
            ("wire.tension", "tension", wire.tension, 10.0),
            ("wire.mass", "mass_per_length", wire.mu, 1e-3),
            ("wire.bending", "bending_stiffness", wire.EI, 1.0),
            ("wire.mass_damping", "mass_damping", wire.mass_damping, 1e-3),
            ("wire.stiffness_damping", "stiffness_damping", wire.stiffness_damping, 1e-6),
        ):
            at = lambda h, role=role, name=name, value=value: {"line": {"wires": {role: {name: value + h}}}}
            if role == "contact" or family in ("wire.tension", "wire.mass"):
                yield Parameter(family, k, size, at)
    for k, (span, dropper) in enumerate(_CUT):
        error = lambda h, k=k: _tension_length({"dropper_errors": {str(k): {"error": h}}})
        # stringing finds lengths to 1e-10 m: changed ten times as much as that asks of the others
        yield Parameter("dropper.length", 6 * span + dropper - 7, 1e-5, error, weight=10.0)
    for mast in (1, 2):
        yield Parameter("support.height", mast, 1e-4, _mast(mast, "contact_height", line.contact_height))
    yield Parameter("support.stagger", 2, 3e-3, _mast(2, "stagger", 0.2))
    yield Parameter("presag", 0, 1e-4, lambda h: {"line": {"presag": line.presag + h}})


def of_droppers(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Place, stiffness, damping and masses of the fourth dropper in the second span."""
    hung = plain["line_changes"]["tension_lengths"][0]["spans"][1]["droppers"][3]
    span = lambda change: _tension_length({"spans": {"1": {"droppers": {"3": change}}}})
    yield Parameter("dropper.position", 9, 1e-4, lambda h: span({"position": hung["position"] + h}), grain=1e-6)
    for family, name, size in (
        ("stiffness", "stiffness", 100.0), ("damping", "damping", 0.3), ("mass", "bottom_clamp_mass", 1e-3),
        ("top_mass", "top_clamp_mass", 1e-3), ("mass_per_length", "mass_per_length", 1e-3),
    ):  # fmt: skip
        kind = lambda h, name=name: span({"kind": {name: hung["kind"][name] + h}})
        yield Parameter(f"dropper.{family}", 9, size, kind)


def of_supports(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Support of the third mast."""
    support = plain["line_changes"]["tension_lengths"][0]["masts"][1]["support"]
    held = lambda change: _tension_length({"masts": {"1": {"support": change}}})
    for family, name, size in (
        ("mass", "contact_mass", 1e-3), ("damping", "contact_damping", 1e-2), ("stiffness", "contact_stiffness", 1.0),
        ("encumbrance", "encumbrance", 1e-4),
    ):  # fmt: skip
        at = lambda h, name=name: held({name: support[name] + h})
        yield Parameter(f"support.{family}", 2, size, at)
    for name, size in (("mass", 1e-3), ("length", 1e-4)):
        arm = lambda h, name=name: held({"steady_arm": {name: _ARM[name] + h}})
        yield Parameter(f"arm.{name}", 1, size, arm)


def of_train(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Parameters of a pantograph as it is shipped."""
    for k, stage in enumerate(plain["train"][0]["pantograph"]["stages"]):
        for name, size in (("mass", 1e-3), ("stiffness", 1.0), ("damping", 1e-1)):
            yield Parameter(f"pantograph.{name}", k, size, _stage(k, name, stage[name]))
    yield Parameter(
        "pantograph.static_force", 0, 1e-2, lambda h: {"train": {"0": {"changes": {"static_force": 170.0 + h}}}}
    )
    yield Parameter("contact.stiffness", 0, 10.0, lambda h: {"contact": {"stiffness": 50e3 + h}})
    yield Parameter("train.start", 0, 3e-5, lambda h: {"journey": {"start": 25.03 + h}})
    yield _speed()


def of_stages(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Friction, stops, forces on stages and in time, damping of the contact."""
    for family, name, size in (
        ("friction", "friction", 1e-2), ("friction_speed", "friction_speed", 1e-4), ("stop_down", "stop_down", 3e-5),
        ("stop_stiffness", "stop_stiffness", 100.0), ("stage_force", "static_force", 1e-2),
    ):  # fmt: skip
        yield Parameter(f"pantograph.{family}", 0, size, _stage(0, name, _HEAD.get(name, 1e5)))
    yield Parameter("pantograph.stage_aerodynamic", 1, 1e-6, _stage(1, "aerodynamic", 1e-3))
    yield Parameter("pantograph.aerodynamic", 0, 1e-6, lambda h: _train({"aerodynamic": 2e-3 + h}))
    yield Parameter("contact.damping", 0, 1e-2, lambda h: {"contact": {"damping": 20.0 + h}})
    pushed = lambda h: {"pushes": {"0": {"table": [_TABLE[0], [0.5, 20.0 + h], *_TABLE[2:]]}}}
    yield Parameter("control.force", 1, 1e-2, pushed)


def of_curved(plain: dict[str, Any]) -> Iterator[Parameter]:
    """The contact law of Lankarani and Nikravesh, which remembers how each touch began."""
    for name, value, size in (
        ("stiffness", 1e5, 100.0), ("exponent", 1.5, 1e-5), ("restitution", 0.5, 1e-4),
        ("least_impact_speed", 0.5, 1e-4),
    ):  # fmt: skip
        at = lambda h, name=name, value=value: {"contact": {name: value + h}}
        yield Parameter(f"contact.{name}", 0, size, at)


def of_two(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Two pantographs: the distance between them."""
    yield Parameter("train.behind", 0, 1e-4, lambda h: {"train": {"1": {"behind": 20.0 + h}}})
    yield _speed()


def of_roof(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Parameters of a pantograph on a moving roof."""
    foot = plain["train"][0]["pantograph"]["stages"][1]
    for name in ("stiffness", "damping"):
        yield Parameter(f"pantograph.{name}", 1, 0.1, _stage(1, name, foot[name]))


def of_table(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Speed in the middle of a speed table."""
    yield Parameter("speed", 1, 1e-4, lambda h: {"speed_table": [[0.0, 60.0], [1.0, 70.0 + h], [2.0, 80.0]]})


def of_law(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Gains of a control law of the head, which make the damping matrix unsymmetric."""
    for k, (name, value) in enumerate(_GAINS.items()):
        at = lambda h, name=name, value=value: {"control": {"parameters": {name: value + h}}}
        yield Parameter("control.gain", k, 0.1, at)


def of_all(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Line, droppers, supports and train."""
    yield from (*of_line(plain), *of_droppers(plain), *of_supports(plain), *of_train(plain))


def of_gusts(plain: dict[str, Any]) -> Iterator[Parameter]:
    """Parameters in wind and weather that do not change the dropper lengths."""
    every = (*of_line(plain), *of_train(plain))
    return (p for p in every if p.family.endswith("damping") or p.family.startswith(("pantograph", "speed", "train")))


#: name of a rough run → its parameters
PARAMETERS: dict[str, Callable[[dict[str, Any]], Iterator[Parameter]]] = {
    "line": of_all,
    "stages": of_stages,
    "curved": of_curved,
    "two": of_two,
    "roof": of_roof,
    "law": of_law,
    "table": of_table,
    "lateral": of_all,
    "track": of_all,
    "wind": lambda plain: (p for p in of_all(plain) if p.family != "dropper.position"),  # known in calm air only
    "gusts": of_gusts,
}


def base(case: str = "line") -> dict[str, Any]:
    """Plain data of a complete rough run."""
    plain = scenarios.read("en50318-300", changes=ROUGH).with_contents().inputs()
    if case == "two":
        plain["train"] = [*plain["train"], {**plain["train"][0], "behind": 20.0}]
    return parse.merge(plain, CHANGES[case])


def rough_case(name: str = "line") -> GradientCase:
    """Rough run with masts, droppers and their errors written out, so that each can be changed independently."""
    plain = base(name)
    line = resolve_line(with_changes(plain, {}))
    mast = {"contact_height": line.contact_height, "support": parse.to_plain(line.support)}
    droppers = [{"position": round(50.0 * k / 7, 6), "kind": parse.to_plain(line.dropper)} for k in range(1, 7)]
    spans: list[dict[str, Any]] = [{"length": 50.0, "count": n, "dropper_count": 6} for n in (1, 1, 2)]
    spans[1] = {"length": 50.0, "count": 1, "droppers": droppers}
    told = {
        "masts": [{"at": 1, "stagger": -0.2, **mast}, {"at": 2, "stagger": 0.2, **mast}],
        "spans": spans,
        "dropper_errors": [{"span": s, "dropper": d, "error": 0.0} for s, d in _CUT],
    }
    plain = parse.merge(plain, _tension_length(told))
    return GradientCase(name, plain, tuple(PARAMETERS[name](plain)), directions=3 if name == "line" else 1)


def _tension_length(change: dict[str, Any]) -> dict[str, Any]:
    return {"line_changes": {"tension_lengths": {"0": change}}}


def _mast(mast: int, name: str, value: float) -> Callable[[float], dict[str, Any]]:
    return lambda h: _tension_length({"masts": {str(mast - 1): {name: value + h}}})


def _speed() -> Parameter:
    return Parameter("speed", 0, 1e-4, lambda h: {"speed": 70.0 + h})


def _stage(k: int, name: str, value: float) -> Callable[[float], dict[str, Any]]:
    return lambda h: _train({"stages": {str(k): {name: value + h}}})


def _train(change: dict[str, Any]) -> dict[str, Any]:
    return {"train": {"0": {"pantograph": change}}}
