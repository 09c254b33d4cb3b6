"""What goes with what: every feature of a run on every path, or refused by name with the remedy.

A path is a way in which a run is computed: a solver, a moving window, a tape for gradients, lanes side by side. A
feature is a row of ``FEATURES``: how it is recognised, and which paths lack it. From this table come the refusals
(``require``), the page “what goes with what” of the documentation, and the test that holds every feature on every path
against the plain run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from panhead.engine.laws.gravity import GRAVITY
from panhead.errors import ModelError
from panhead.railway.line.bows import bows
from panhead.railway.line.line_description import Line
from panhead.railway.line.rods import dropper_kinds, inner_nodes
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph
from panhead.runs.coupled.participant import ForeignPantograph
from panhead.runs.description import Run
from panhead.runs.static_force_search import wants_mean_force

#: path → what it is called in messages
PATHS: Mapping[str, str] = {
    "linear": "solver 'linear'",
    "window": "a moving window (numerics.window)",
    "resumed": "a resumed run (--resume)",
    "lanes": "a batch of runs side by side",
    "taped": "a gradient with solver 'linear'",
    "frozen": "a run in given modes",
    "trials": "a trial of changed droppers (--why)",
    "cables": "solver 'cables'",
    "cable-taped": "a gradient with solver 'cables'",
    "coupled": "solver 'coupled'",
}
_GRADIENTS = ("taped", "frozen", "trials")
LINEAR, CABLES, COUPLED = "solver 'linear'", "solver 'cables'", "solver 'coupled'"


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run asks for: its description, its line before the weather, its pantographs."""

    run: Run
    line: Line
    pantographs: tuple[Any, ...]

    @property
    def wires(self) -> list[Any]:
        """All wires of all tension lengths."""
        sets = [tl.wires or self.line.wires for tl in self.line.tension_lengths]
        return [w for s in sets for w in (s.contact, s.messenger, s.auxiliary) if w is not None]

    @property
    def stages(self) -> list[Any]:
        """All stages of pantographs that are chains of masses."""
        return [s for p in self.pantographs if isinstance(p, LumpedPantograph) for s in p.stages]


@dataclass(frozen=True, slots=True)
class Feature:
    """One row of the table."""

    name: str
    key: str  #: where it is in a description
    words: str  #: what a path that lacks it does not carry
    used: Callable[[Asked], bool]
    lacking: Mapping[str, str] = field(default_factory=dict)  #: path that does not carry it → remedy
    instead: Mapping[str, str] = field(default_factory=dict)  #: path that another one is taken for → which


def _no(*paths: str, remedy: str) -> dict[str, str]:
    return dict.fromkeys(paths, remedy)


def _weather(asked: Asked, name: str) -> Any:
    conditions = asked.run.conditions
    return None if conditions is None else getattr(conditions, name)


def _gusts(asked: Asked) -> bool:
    wind = _weather(asked, "wind")
    return wind is not None and wind.intensity > 0.0 and wind.speed != 0.0


def _law(asked: Asked) -> bool:
    return asked.run.control is not None and asked.run.control.kind != "none"


_ALONE = {"lanes": "computed by itself"}

FEATURES: tuple[Feature, ...] = (
    Feature("lateral motion", "lateral", "`lateral`, as its wires always move in space", lambda a: a.run.lateral,
            _no("cables", "cable-taped", remedy="leave `lateral` out")),
    Feature("several pantographs", "train", "more than one pantograph", lambda a: len(a.run.train) > 1,
            _no("cables", "cable-taped", "coupled", remedy=f"take the others off, or take {LINEAR}")),
    Feature("spectral radius below 1", "numerics.spectral_radius", "a spectral radius below 1",
            lambda a: a.run.numerics.radius("linear") < 1.0,
            _no("trials", remedy="leave numerics.spectral_radius out"), _ALONE),
    Feature("contact damping", "contact.damping", "damping in the contact", lambda a: bool(a.run.contact.damping)),
    Feature("Lankarani–Nikravesh contact", "contact.kind", "the contact law 'lankarani-nikravesh'",
            lambda a: a.run.contact.kind == "lankarani-nikravesh",
            _no("cables", "cable-taped", remedy=f"take contact.kind = 'linear', or {LINEAR} or 'coupled'")),
    Feature("joint contact", "contact.kind", "a joint that cannot open", lambda a: a.run.contact.kind == "joint",
            _no("linear", "window", "resumed", "lanes", *_GRADIENTS, "coupled",
                remedy=f"take contact.kind = 'linear', or {CABLES}")),
    Feature("bilateral droppers", "droppers", "droppers that push", lambda a: a.run.droppers == "bilateral",
            _no("coupled", remedy=f"leave `droppers` out, or take {LINEAR}")),
    Feature("dropper damping", "line.dropper.damping", "damping in droppers",
            lambda a: any(kind.damping for kind in dropper_kinds(a.line))),
    Feature("rod droppers", "line.dropper.rod", "rod droppers", lambda a: bool(inner_nodes(a.line)),
            _no(*_GRADIENTS, "cables", "cable-taped", "coupled", remedy=f"leave `rod` out, or run it with {LINEAR}")),
    Feature("droppers that bow", "line.dropper.bow", "droppers that bow", lambda a: bool(bows(a.line)),
            _no(*_GRADIENTS, "cables", "cable-taped", "coupled", remedy=f"leave `bow` out, or run it with {LINEAR}"),
            _ALONE),
    Feature("wind", "conditions.wind", "wind", lambda a: _weather(a, "wind") is not None,
            _no("cables", "cable-taped", remedy=f"leave it out, or take {LINEAR}")),
    Feature("gusts", "conditions.wind.intensity", "gusts", _gusts,
            _no("window", remedy="set numerics.window = 'whole'")
            | _no("trials", remedy="leave the intensity of conditions.wind out")
            | _no("cables", "cable-taped", "coupled", remedy=f"take {LINEAR}, or intensity = 0"), _ALONE),
    Feature("given side load", "line.wires.*.side_load", "wind on its wires (side_load)",
            lambda a: any(w.side_load or w.air_damping for w in a.wires),
            _no("cables", "cable-taped", remedy=f"leave it out, or take {LINEAR}")),
    Feature("temperature", "conditions.temperature", "another temperature",
            lambda a: _weather(a, "temperature") is not None),
    Feature("ice", "conditions.ice", "ice", lambda a: bool(_weather(a, "ice"))),
    Feature("curve and cant", "line.alignment", "a curved, canted or sloping track", lambda a: bool(a.line.alignment),
            _no("cables", "cable-taped", remedy=f"leave `alignment` out, or take {LINEAR}")),
    Feature("tunnels", "line.tunnels", "tunnels", lambda a: bool(a.line.tunnels),
            _no(*_GRADIENTS, "cables", "cable-taped", "coupled",
                remedy=f"leave `tunnels` out, or run it with {LINEAR}")),
    Feature("section insulators", "line.tension_lengths.insulators", "section insulators",
            lambda a: any(tl.insulators() for tl in a.line.tension_lengths),
            _no(*_GRADIENTS, "cables", "cable-taped", remedy=f"leave them out, or run it with {LINEAR}")),
    Feature("overlaps", "line.tension_lengths", "more than one tension length",
            lambda a: len(a.line.tension_lengths) > 1,
            _no("cables", "cable-taped", remedy=f"take a line of one tension length, or {LINEAR}")),
    Feature("conductor rail", "line.wires", "a conductor rail (wires without messenger)",
            lambda a: any((tl.wires or a.line.wires).messenger is None for tl in a.line.tension_lengths),
            _no(*_GRADIENTS, "cables", "cable-taped", remedy=f"run it with {LINEAR}")),
    Feature("stitch wires", "line.wires.stitch", "stitch wires",
            lambda a: any((tl.wires or a.line.wires).stitch is not None for tl in a.line.tension_lengths),
            _no("cable-taped", remedy=f"take {LINEAR}")),
    Feature("moving roof", "roof", "a given motion of the roof", lambda a: bool(a.run.roof),
            _no("cables", "cable-taped", "coupled", remedy=f"take {LINEAR}, or a `vehicle` with {CABLES}")),
    Feature("vehicle", "vehicle", "a vehicle under the pantograph", lambda a: a.run.vehicle is not None,
            _no(*_GRADIENTS, remedy="leave `vehicle` out, or give its `roof`")
            | _no("coupled", remedy=f"take {LINEAR} (the roof's motion is felt) or 'cables' (both ways)"), _ALONE),
    Feature("speed table", "speed_table", "a speed that changes", lambda a: bool(a.run.speed_table),
            _no("cables", "cable-taped", "coupled", remedy=f"give a constant `speed`, or take {LINEAR}")),
    Feature("law of the head", "control", "a law of the head", _law),
    Feature("searched law", "control.search", "a law whose numbers are searched",
            lambda a: _law(a) and a.run.control is not None and a.run.control.search is not None,
            _no("linear", "window", "resumed", "lanes", *_GRADIENTS, "coupled",
                remedy=f"give `parameters`, or take {CABLES}")
            | _no("cable-taped", remedy="give `parameters`")),
    Feature("pushes", "pushes", "forces in time on masses of a pantograph", lambda a: bool(a.run.pushes),
            _no("cables", "cable-taped", "coupled", remedy=f"take {LINEAR}, or a law of the head (`control`)")),
    Feature("gravity", "line.gravity", "another gravity", lambda a: a.line.gravity != GRAVITY),
    Feature("friction", "stages.friction", "friction in a pantograph", lambda a: any(s.friction for s in a.stages)),
    Feature("stops", "stages.stop_up", "stops in a pantograph",
            lambda a: any(s.stop_up is not None or s.stop_down is not None for s in a.stages)),
    Feature("two strips", "pantograph.strips", "strips of a chain of masses",
            lambda a: any(isinstance(p, LumpedPantograph) and p.strips is not None for p in a.pantographs),
            _no(*_GRADIENTS, "cables", "cable-taped", "coupled",
                remedy=f"leave `strips` out, or run it with {LINEAR}")),
    Feature("bodies and joints", "pantograph", "a pantograph made of bodies and joints",
            lambda a: any(not isinstance(p, LumpedPantograph | ForeignPantograph) for p in a.pantographs),
            _no("linear", "window", "resumed", "lanes", *_GRADIENTS,
                remedy="take a chain of masses, or solver 'coupled' or 'cables'")),
    Feature("foreign pantograph", "pantograph", "a pantograph that is a code of its own",
            lambda a: any(isinstance(p, ForeignPantograph) for p in a.pantographs),
            _no(*(path for path in PATHS if path != "coupled"), remedy=f"take {COUPLED}")),
    Feature("settled start", "journey.settled", "`settled = true`, as it lifts its pantographs over the ramp",
            lambda a: bool(a.run.journey.settled),
            _no("linear", "window", "resumed", "lanes", *_GRADIENTS,
                remedy="leave `settled` out, or take another solver")),
    Feature("mean force", "train.mean_force", "mean_force, whose static force is found by runs",
            lambda a: wants_mean_force(a.run), _no(*_GRADIENTS, "cable-taped", remedy="give that static_force instead"),
            _ALONE),
    Feature("variants", "variants", "variants", lambda a: bool(a.run.variants),
            _no(*_GRADIENTS, "cable-taped", remedy="take one of them, run.variant(run.variants[0])"), _ALONE),
    Feature("options of cables", "cables", "options of solver 'cables'", lambda a: a.run.cables is not None,
            _no("linear", "window", "resumed", "lanes", *_GRADIENTS, "coupled",
                remedy="leave `cables` out, or change the solver")),
    Feature("options of coupling", "coupling", "options of solver 'coupled'", lambda a: a.run.coupling is not None,
            _no("linear", "window", "resumed", "lanes", *_GRADIENTS, "cables", "cable-taped",
                remedy="leave `coupling` out, or change the solver")),
)  # fmt: skip

#: pairs of features that no path carries together → remedy
PAIRS: Mapping[tuple[str, str], str] = {
    ("bilateral droppers", "rod droppers"): "leave out `rod` or `droppers`",
    ("bilateral droppers", "droppers that bow"): "leave out `bow` or `droppers`",
}
#: features that need another → remedy
NEEDS: Mapping[tuple[str, str], str] = {("gusts", "lateral motion"): "set lateral = true, or intensity = 0"}


def features_of(asked: Asked) -> list[Feature]:
    """The features a run has."""
    return [feature for feature in FEATURES if feature.used(asked)]


def require(asked: Asked, path: str) -> None:
    """ModelError, naming feature, path and remedy, if a run has a feature that a path does not carry."""
    found = features_of(asked)
    names = {feature.name for feature in found}
    for feature in found:
        if path in feature.lacking:
            raise ModelError(f"{feature.key}: {PATHS[path]} does not carry {feature.words}; {feature.lacking[path]}")
    for (one, other), remedy in PAIRS.items():
        if {one, other} <= names:
            raise ModelError(f"{_row(one).key}: {one} cannot be combined with {other}; {remedy}")
    for (one, other), remedy in NEEDS.items():
        if one in names and other not in names:
            raise ModelError(f"{_row(one).key}: {one} need {other}; {remedy}")


def falls_back_to_plain(asked: Asked, path: str) -> bool:
    """Whether a run is computed by the plain path where another one is asked for."""
    return any(path in feature.lacking or path in feature.instead for feature in features_of(asked))


def _row(name: str) -> Feature:
    return next(feature for feature in FEATURES if feature.name == name)
