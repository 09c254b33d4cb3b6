"""Capabilities: which features of a run each solver and computation path supports.

A path is a way in which a run is computed: a solver, a moving window, a tape for gradients, a batch in lanes. A feature
is a row of ``FEATURES``: how it is recognised, and which paths do not support it. This table produces the refusals with
their remedies (``require``), the page docs/capabilities.md, and the test that compares every feature on every path with
the plain run.
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

#: path → its name in messages
PATHS: Mapping[str, str] = {
    "linear": "solver 'linear'",
    "window": "a moving window (numerics.window)",
    "resumed": "a resumed run (--resume)",
    "lanes": "a batch of runs",
    "environment": "a control environment (panhead.env)",
    "taped": "a gradient with solver 'linear'",
    "frozen": "a run with frozen modes",
    "trials": "a dropper trial (--why)",
    "cables": "solver 'cables'",
    "cable-taped": "a gradient with solver 'cables'",
    "coupled": "solver 'coupled'",
    "c-export": "the C export (panhead export c)",
}
_GRADIENTS = ("taped", "frozen", "trials")
LINEAR, CABLES, COUPLED = "solver 'linear'", "solver 'cables'", "solver 'coupled'"


@dataclass(frozen=True, slots=True)
class CapabilityQuery:
    """A run with its line (before weather is applied) and its pantographs: input of the capability checks."""

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
        """All stages of the lumped pantographs."""
        return [s for p in self.pantographs if isinstance(p, LumpedPantograph) for s in p.stages]


@dataclass(frozen=True, slots=True)
class Feature:
    """A feature of a run: one row of the table."""

    name: str
    key: str  #: its key in a description
    words: str  #: its name in the message "… does not support …"
    used: Callable[[CapabilityQuery], bool]
    lacking: Mapping[str, str] = field(default_factory=dict)  #: path that does not support it → remedy
    instead: Mapping[str, str] = field(default_factory=dict)  #: path replaced by another → how it is computed


def _not_on(*paths: str, remedy: str) -> dict[str, str]:
    return dict.fromkeys(paths, remedy)


def _weather(asked: CapabilityQuery, name: str) -> Any:
    conditions = asked.run.conditions
    return None if conditions is None else getattr(conditions, name)


def _has_gusts(asked: CapabilityQuery) -> bool:
    wind = _weather(asked, "wind")
    return wind is not None and wind.intensity > 0.0 and wind.speed != 0.0


def _has_control_law(asked: CapabilityQuery) -> bool:
    return asked.run.control is not None and asked.run.control.kind != "none"


def _has_law_of_a_flexible_head(asked: CapabilityQuery) -> bool:
    return _has_control_law(asked) and any(_bends(p) for p in asked.pantographs)


def _bends(pantograph: Any) -> bool:
    """True for a linkage with a flexible head."""
    if isinstance(pantograph, LumpedPantograph | ForeignPantograph):
        return False
    from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph

    return isinstance(pantograph, LinkagePantograph) and pantograph.bends(pantograph.tables.head)


_SEPARATELY = {"lanes": "computed separately"}

FEATURES: tuple[Feature, ...] = (
    Feature("lateral motion", "lateral", "`lateral` (its wires always move sideways)", lambda a: a.run.lateral,
            _not_on("cables", "cable-taped", remedy="remove `lateral`")),
    Feature("several pantographs", "train", "more than one pantograph", lambda a: len(a.run.train) > 1,
            _not_on("cables", "cable-taped", "coupled", remedy=f"remove the others, or use {LINEAR}")),
    Feature("spectral radius below 1", "numerics.spectral_radius", "a spectral radius below 1",
            lambda a: a.run.numerics.radius("linear") < 1.0,
            _not_on("trials", remedy="remove numerics.spectral_radius"), _SEPARATELY),
    Feature("contact damping", "contact.damping", "contact damping", lambda a: bool(a.run.contact.damping)),
    Feature("Lankarani–Nikravesh contact", "contact.kind", "the contact law 'lankarani-nikravesh'",
            lambda a: a.run.contact.kind == "lankarani-nikravesh",
            _not_on("c-export", remedy="use contact.kind = 'linear'")
            | _not_on("cables", "cable-taped", remedy=f"use contact.kind = 'linear', or {LINEAR} or 'coupled'")),
    Feature("joint contact", "contact.kind", "a joint contact (cannot open)", lambda a: a.run.contact.kind == "joint",
            _not_on("c-export", remedy="use contact.kind = 'linear'")
            | _not_on("linear", "window", "resumed", "lanes", "environment", *_GRADIENTS, "coupled",
                remedy=f"use contact.kind = 'linear', or {CABLES}")),
    Feature("bilateral droppers", "droppers", "bilateral droppers (they push)", lambda a: a.run.droppers == "bilateral",
            _not_on("coupled", remedy=f"remove `droppers`, or use {LINEAR}")),
    Feature("dropper damping", "line.dropper.damping", "dropper damping",
            lambda a: any(kind.damping for kind in dropper_kinds(a.line))),
    Feature("rod droppers", "line.dropper.rod", "rod droppers", lambda a: bool(inner_nodes(a.line)),
            _not_on(*_GRADIENTS, "cables", "cable-taped", "coupled", remedy=f"remove `rod`, or run it with {LINEAR}")),
    Feature("droppers that bow", "line.dropper.bow", "droppers that bow", lambda a: bool(bows(a.line)),
            _not_on("c-export", remedy="remove `bow`")
            | _not_on(*_GRADIENTS, "cables", "cable-taped", "coupled", remedy=f"remove `bow`, or run it with {LINEAR}"),
            _SEPARATELY),
    Feature("wind", "conditions.wind", "wind", lambda a: _weather(a, "wind") is not None,
            _not_on("cables", "cable-taped", remedy=f"remove it, or use {LINEAR}")),
    Feature("gusts", "conditions.wind.intensity", "gusts", _has_gusts,
            _not_on("c-export", remedy="set intensity = 0")
            | _not_on("window", remedy="set numerics.window = 'whole'")
            | _not_on("trials", remedy="remove conditions.wind.intensity")
            | _not_on("cables", "cable-taped", "coupled", remedy=f"use {LINEAR}, or intensity = 0"), _SEPARATELY),
    Feature("given side load", "line.wires.*.side_load", "a side load on the wires (side_load)",
            lambda a: any(w.side_load or w.air_damping for w in a.wires),
            _not_on("cables", "cable-taped", remedy=f"remove it, or use {LINEAR}")),
    Feature("temperature", "conditions.temperature", "a change of temperature",
            lambda a: _weather(a, "temperature") is not None),
    Feature("ice", "conditions.ice", "ice", lambda a: bool(_weather(a, "ice"))),
    Feature("curve and cant", "line.alignment", "a curved, canted or sloping track", lambda a: bool(a.line.alignment),
            _not_on("cables", "cable-taped", remedy=f"remove `alignment`, or use {LINEAR}")),
    Feature("tunnels", "line.tunnels", "tunnels", lambda a: bool(a.line.tunnels),
            _not_on("c-export", remedy="remove `tunnels`")
            | _not_on(*_GRADIENTS, "cables", "cable-taped", "coupled",
                remedy=f"remove `tunnels`, or run it with {LINEAR}")),
    Feature("section insulators", "line.tension_lengths.insulators", "section insulators",
            lambda a: any(tl.insulators() for tl in a.line.tension_lengths),
            _not_on(*_GRADIENTS, "cables", "cable-taped", remedy=f"remove them, or run it with {LINEAR}")),
    Feature("overlaps", "line.tension_lengths", "more than one tension length",
            lambda a: len(a.line.tension_lengths) > 1,
            _not_on("cables", "cable-taped", remedy=f"use a line of one tension length, or {LINEAR}")),
    Feature("conductor rail", "line.wires", "a conductor rail (wires without messenger)",
            lambda a: any((tl.wires or a.line.wires).messenger is None for tl in a.line.tension_lengths),
            _not_on(*_GRADIENTS, "cables", "cable-taped", remedy=f"run it with {LINEAR}")),
    Feature("stitch wires", "line.wires.stitch", "stitch wires",
            lambda a: any((tl.wires or a.line.wires).stitch is not None for tl in a.line.tension_lengths),
            _not_on("cable-taped", remedy=f"use {LINEAR}")),
    Feature("moving roof", "roof", "a prescribed roof motion", lambda a: bool(a.run.roof),
            _not_on("c-export", remedy="remove `roof`; a rig moves its own")
            | _not_on("cables", "cable-taped", "coupled", remedy=f"use {LINEAR}, or a `vehicle` with {CABLES}")),
    Feature("vehicle", "vehicle", "a vehicle under the pantograph", lambda a: a.run.vehicle is not None,
            _not_on("c-export", remedy="remove `vehicle`")
            | _not_on("environment", *_GRADIENTS, remedy="remove `vehicle`, or prescribe its `roof` motion")
            | _not_on("coupled", remedy=f"use {LINEAR} (one-way coupling) or 'cables' (two-way)"), _SEPARATELY),
    Feature("speed table", "speed_table", "a varying speed", lambda a: bool(a.run.speed_table),
            _not_on("cables", "cable-taped", "coupled", remedy=f"give a constant `speed`, or use {LINEAR}")),
    Feature("law of the head", "control", "a control law of the head", _has_control_law),
    Feature("law of a flexible head", "control", "a control law on a flexible head", _has_law_of_a_flexible_head,
            _not_on("linear", "window", "resumed", "lanes", "environment", "c-export", *_GRADIENTS,
                remedy="use a lumped pantograph, or solver 'coupled' or 'cables'")),
    Feature("searched law", "control.search", "a control law with searched parameters",
            lambda a: _has_control_law(a) and a.run.control is not None and a.run.control.search is not None,
            _not_on("c-export", remedy="give `parameters`")
            | _not_on("linear", "window", "resumed", "lanes", "environment", *_GRADIENTS, "coupled",
                remedy=f"give `parameters`, or use {CABLES}")
            | _not_on("cable-taped", remedy="give `parameters`")),
    Feature("pushes", "pushes", "prescribed forces on pantograph masses", lambda a: bool(a.run.pushes),
            _not_on("c-export", remedy="remove `pushes`; a rig adds its own forces")
            | _not_on("cables", "cable-taped", "coupled", remedy=f"use {LINEAR}, or a control law (`control`)")),
    Feature("gravity", "line.gravity", "a changed gravity", lambda a: a.line.gravity != GRAVITY),
    Feature("friction", "stages.friction", "friction in a pantograph", lambda a: any(s.friction for s in a.stages)),
    Feature("stops", "stages.stop_up", "stops in a pantograph",
            lambda a: any(s.stop_up is not None or s.stop_down is not None for s in a.stages)),
    Feature("two strips", "pantograph.strips", "separate strips on a lumped pantograph",
            lambda a: any(isinstance(p, LumpedPantograph) and p.strips is not None for p in a.pantographs),
            _not_on("environment", *_GRADIENTS, "cables", "cable-taped", "coupled",
                remedy=f"remove `strips`, or run it with {LINEAR}")),
    Feature("bodies and joints", "pantograph", "a pantograph made of bodies and joints",
            lambda a: any(not isinstance(p, LumpedPantograph | ForeignPantograph) for p in a.pantographs),
            _not_on("c-export", remedy="use a lumped pantograph; interface 'motion' then carries any real one")
            | _not_on("linear", "window", "resumed", "lanes", "environment", *_GRADIENTS,
                remedy="use a lumped pantograph, or solver 'coupled' or 'cables'")),
    Feature("foreign pantograph", "pantograph", "a pantograph simulated by an external code",
            lambda a: any(isinstance(p, ForeignPantograph) for p in a.pantographs),
            _not_on("c-export", remedy="use a lumped pantograph")
            | _not_on(*(path for path in PATHS if path not in ("coupled", "c-export")), remedy=f"use {COUPLED}")),
    Feature("settled start", "journey.settled", "`settled = true` (it raises the pantographs over journey.ramp)",
            lambda a: bool(a.run.journey.settled),
            _not_on("c-export", remedy="remove `settled`")
            | _not_on("linear", "window", "resumed", "lanes", "environment", *_GRADIENTS,
                remedy="remove `settled`, or use another solver")),
    Feature("mean force", "train.mean_force", "mean_force, which needs a search over several runs",
            lambda a: wants_mean_force(a.run),
            _not_on("c-export", remedy="give a static_force instead")
            | _not_on("environment", *_GRADIENTS, "cable-taped", remedy="give a static_force instead"), _SEPARATELY),
    Feature("variants", "variants", "variants", lambda a: bool(a.run.variants),
            _not_on("c-export", remedy="export one of them as a run of its own")
            | _not_on("environment", *_GRADIENTS, "cable-taped",
                remedy="use one of them: run.variant(run.variants[0])"), _SEPARATELY),
    Feature("options of cables", "cables", "options of solver 'cables'", lambda a: a.run.cables is not None,
            _not_on("c-export", remedy="remove `cables`, and use solver 'linear'")
            | _not_on("linear", "window", "resumed", "lanes", "environment", *_GRADIENTS, "coupled",
                remedy="remove `cables`, or change the solver")),
    Feature("options of coupling", "coupling", "options of solver 'coupled'", lambda a: a.run.coupling is not None,
            _not_on("c-export", remedy="remove `coupling`, and use solver 'linear'")
            | _not_on("linear", "window", "resumed", "lanes", "environment", *_GRADIENTS, "cables", "cable-taped",
                remedy="remove `coupling`, or change the solver")),
)  # fmt: skip

#: pairs of features that no path supports together → remedy
PAIRS: Mapping[tuple[str, str], str] = {
    ("bilateral droppers", "rod droppers"): "remove `rod` or `droppers`",
    ("bilateral droppers", "droppers that bow"): "remove `bow` or `droppers`",
}
#: features that need another → remedy
NEEDS: Mapping[tuple[str, str], str] = {("gusts", "lateral motion"): "set lateral = true, or intensity = 0"}


def features_of(asked: CapabilityQuery) -> list[Feature]:
    """Features that a run uses."""
    return [feature for feature in FEATURES if feature.used(asked)]


def require(asked: CapabilityQuery, path: str) -> None:
    """ModelError, naming feature, path and remedy, if a run has a feature that a path does not support."""
    found = features_of(asked)
    names = {feature.name for feature in found}
    for feature in found:
        if path in feature.lacking:
            raise ModelError(f"{feature.key}: {PATHS[path]} does not support {feature.words}; {feature.lacking[path]}")
    for (one, other), remedy in PAIRS.items():
        if {one, other} <= names:
            raise ModelError(f"{_row(one).key}: {one} cannot be combined with {other}; {remedy}")
    for (one, other), remedy in NEEDS.items():
        if one in names and other not in names:
            raise ModelError(f"{_row(one).key}: {one} need {other}; {remedy}")


def falls_back_to_plain(asked: CapabilityQuery, path: str) -> bool:
    """True if a run is computed by the plain path although another one was requested."""
    return any(path in feature.lacking or path in feature.instead for feature in features_of(asked))


def _row(name: str) -> Feature:
    return next(feature for feature in FEATURES if feature.name == name)
