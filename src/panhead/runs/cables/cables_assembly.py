"""Assembly of a cable line, pantographs and contacts into one system with a smooth start."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import final

import numpy as np

from panhead.engine.bodies import Cable
from panhead.engine.forces import Actuator, SlidingContact
from panhead.engine.joints import Riding, Sliding
from panhead.engine.laws.gravity import downwards
from panhead.engine.methods.equilibrium import project_onto_constraints
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Item, Marker, Triple
from panhead.engine.system import Vector
from panhead.errors import ModelError
from panhead.files import parse
from panhead.railway.line import Line, string
from panhead.railway.pantograph.pantograph_protocol import (
    UP,
    HeadSuspension,
    Mechanics,
    Mount,
    Pantograph,
    TrainAxes,
    moving_marker,
)
from panhead.railway.vehicle import Standing
from panhead.runs.cables.cable_wires import cables_of
from panhead.runs.cables.cables_options import CableOptions, HeadLaw
from panhead.runs.cables.cables_statics import RestingLine, equilibrium_of_cables, hang
from panhead.runs.cables.head_damper import HeadDamper
from panhead.runs.description import Run
from panhead.runs.resolve import ResolvedRun, starts_settled

CONTACT = "contact point"
CONTROL = "head"  #: name of the control of a pan-head's actuator
_TOUCHING = 1e-3  # how deep a strip begins in a wire that only pushes: its contact is found closed [m]
_STRAIGHT = 1e-3  # stagger below which a wire counts as straight above the track [m]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class WireContact:
    """Contact of one strip with one wire."""

    name: str  #: of the item
    pantograph: int
    strip: Marker  #: where it is, in the axes of the line


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CableSystem:
    """Line and pantographs as one system, and a start at rest relative to the train."""

    resolved: ResolvedRun
    line: RestingLine
    mechanics: tuple[Mechanics, ...]
    contacts: tuple[WireContact, ...]
    model: Model
    system: MultibodySystem
    start: State
    lam: Vector  #: multipliers of the static equilibrium; NaN if there is none
    before: Vector = field(default_factory=lambda: np.zeros(0))  #: rates before they are moved onto ġ = 0
    roof: Marker | None = None  #: where the pantograph stands on a car body
    standing: Standing | None = None  #: the vehicle that carries it, at rest under the line

    @property
    def joint(self) -> bool:
        """True if strips slide on the wire and cannot leave it."""
        return self.resolved.run.contact.kind == "joint"

    def with_damper(self, numbers: Mapping[str, float]) -> CableSystem:
        """System with other damper parameters; the start stays, because a damper has no force at rest."""
        changes = {f"damper.{k}": x for k, x in numbers.items()}
        return replace(self, system=self.system.changed(changes))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Items collected before they become a system."""

    mechanics: tuple[Mechanics, ...]
    contacts: tuple[WireContact, ...]
    items: tuple[Item, ...]  #: line, pantographs, contacts, law of the head


def resting_line(resolved: ResolvedRun) -> RestingLine:
    """Line of the run as cables, at rest."""
    options = resolved.run.cables or CableOptions()
    text = json.dumps(parse.to_plain(resolved.line), sort_keys=True)
    bilateral = resolved.run.droppers == "bilateral"
    return _resting_line(text, resolved.run.numerics.element_length, bilateral, options)


@functools.lru_cache(maxsize=2)  # variants of a run share their line
def _resting_line(text: str, element_length: float, bilateral: bool, options: CableOptions) -> RestingLine:
    strung = string(parse.build(Line, json.loads(text), source="line"))
    cables = cables_of(
        strung,
        element_length=element_length,
        bilateral=bilateral,
        contact_held=options.contact_held,
        straight=options.straight,
        mast_elements=options.mast_elements,
        displaced=options.displaced,
    )
    return hang(cables, downwards(strung.line.gravity))


def assemble(resolved: ResolvedRun, line: RestingLine, law: HeadLaw | None) -> CableSystem:
    """Line and pantographs in static equilibrium, or the pantographs just under the wire before they are raised.

    Rates are then moved onto ġ = 0, nearest in the mass norm: the least change of momentum that lets the head
    follow the wire.
    """
    mount = TrainAxes(resolved.fastest, resolved.line.gravity)
    parts = assemble_items(resolved, line, mount, law, start=None)
    model = Model(name="pantograph under the line", items=parts.items, gravity=downwards(mount.gravity))
    system = model.system().changed(line.numbers)
    q, lam = guess(system, line, parts), np.full(len(system.constraints), np.nan)
    if starts_settled(resolved.run):
        q, lam = equilibrium_of_cables(system, q)
    v = system.start.v.copy()
    for contact in parts.contacts:
        if f"{contact.name}.s" in system.coordinates:  # an augmented joint counts its place on the wire
            v[system.place(f"{contact.name}.s")] = resolved.fastest
    start = project_onto_constraints(system, State(q=q, v=v))
    return CableSystem(
        resolved=resolved,
        line=line,
        mechanics=parts.mechanics,
        contacts=parts.contacts,
        model=model,
        system=system,
        start=start,
        lam=lam,
        before=v,
    )


def guess(system: MultibodySystem, line: RestingLine, parts: Parts) -> Vector:
    """Initial guess: the line at rest, pantographs by their statics or their items."""
    known = dict(line.places)
    for mechanics in parts.mechanics:
        known |= mechanics.places
    pairs = zip(system.coordinates, system.start.q, strict=True)
    return np.array([known.get(name, x) for name, x in pairs])


def assemble_items(
    resolved: ResolvedRun, line: RestingLine, mount: Mount, law: HeadLaw | None, start: Triple | None
) -> Parts:
    """Items of line, pantographs on a mount, contacts and control law.

    ``start``: where the first strip is in the mount's axes, x and y; None: at their origin.
    """
    mechanics, contacts, items = [], [], [*line.catenary.all_items()]
    for k, pantograph in enumerate(resolved.pantographs):
        x = resolved.timetable.start - float(resolved.behind[k])
        place = _place(resolved, line, pantograph, x)
        own = (0.0, 0.0) if start is None else start[:2]
        strip = (own[0] - float(resolved.behind[k]), own[1], place)
        part = _on(resolved, pantograph, mount, strip, label="" if k == 0 else f"{k + 1} ")
        # told in the mount's axes, carried to its place on the line
        by, velocity = (x - strip[0], 0.0, 0.0), (resolved.fastest - mount.velocity[0], 0.0, 0.0)
        made = [moving_marker(s.middle, by=by, velocity=velocity) for s in part.strips]
        found, touching = _contacts(resolved.run, line, pantograph, k, made, x)
        mechanics.append(part)
        contacts += touching
        items += [*part.items, *found]
    items += law_items(law, mechanics[0].head, resolved.names[0])
    return Parts(mechanics=tuple(mechanics), contacts=tuple(contacts), items=tuple(items))


def _place(resolved: ResolvedRun, line: RestingLine, pantograph: Pantograph, x: float) -> float:
    """Initial height of a strip [m]."""
    wire = line.catenary.contact
    first, last = wire.nodes[0][0], wire.nodes[-1][0]
    if not first < x < last:
        raise ModelError(
            f"the strip of {pantograph.name!r} starts at x = {x:.6g} m, but the wire extends from {first:.6g} to "
            f"{last:.6g} m; change journey.start or the position of the vehicle"
        )
    if pantograph.strip_height is not None:
        return pantograph.strip_height
    pressed = starts_settled(resolved.run) and resolved.run.contact.kind == "linear"
    return line.height(wire, x) + (_TOUCHING if pressed else 0.0)


def _on(resolved: ResolvedRun, pantograph: Pantograph, mount: Mount, strip: Triple, *, label: str) -> Mechanics:
    ramp = 0.0 if starts_settled(resolved.run) else resolved.run.journey.ramp
    rest = resolved.line.contact_height
    return pantograph.on(mount, strip, rest=rest, ramp=ramp, label=label)


def _contacts(
    run: Run, line: RestingLine, pantograph: Pantograph, k: int, strips: list[Marker], x: float
) -> tuple[list[Item], list[WireContact]]:
    """Contacts of every strip with every contact wire."""
    items: list[Item] = []
    touching: list[WireContact] = []
    wires = [w for name, w in line.catenary.cables.items() if name.startswith("contact")]
    if run.contact.kind == "joint":
        _check_joint(wires, strips, pantograph)
    for strip in strips:
        for wire in wires:
            number = "" if k == 0 and not items else f" {k + 1}-{len(items) + 1}"
            name = CONTACT + number
            items.append(_contact(run, name, pantograph, strip, wire, x))
            touching.append(WireContact(name=name, pantograph=k, strip=strip))
    return items, touching


def _check_joint(wires: list[Cable], strips: list[Marker], pantograph: Pantograph) -> None:
    """ModelError unless one strip meets one straight wire: a joint cannot follow a stagger."""
    aside = max(abs(float(y)) for wire in wires for _, y, _ in wire.nodes)
    if len(wires) * len(strips) > 1 or aside > _STRAIGHT:
        raise ModelError(
            f"contact: a joint ties the middle of one strip to one straight wire, but {pantograph.name!r} has "
            f"{len(strips)} strips under {len(wires)} contact wires with a stagger of up to {aside:.3g} m. "
            "Use contact.kind = 'linear'"
        )


def _contact(run: Run, name: str, pantograph: Pantograph, strip: Marker, wire: Cable, x: float) -> Item:
    law, track = run.contact, wire.track(x - wire.nodes[0][0])
    if law.kind == "joint" and run.vehicle is not None:  # the roof sways, and a strip lets the wire go sideways
        return Riding(name=name, point=strip, wire=track, up=UP)
    if law.kind == "joint":
        return Sliding(name=name, point=strip, wire=track, form=law.form)
    own = pantograph.contact_stiffness, pantograph.contact_damping
    return SlidingContact(
        name=name,
        point=strip,
        wire=track,
        stiffness=own[0] if law.stiffness is None else law.stiffness,
        damping=own[1] if law.damping is None else law.damping,
        normal=(0.0, 0.0, -1.0),
    )


def law_items(law: HeadLaw | None, head: HeadSuspension | None, name: str) -> list[Item]:
    """Damper of a control law, or actuator of a sampled one."""
    if law is None or law.kind == "none":
        return []
    if head is None:
        raise ModelError(
            f"control: pantograph {name!r} has no plunger and pan-head between which a control law can act; "
            "remove `control`, or use a lumped pantograph or a linkage"
        )
    if law.controller() is not None:
        return [Actuator(name="actuator", along=head.travel, control=CONTROL)]
    damper = law.damper()
    assert damper is not None
    return [HeadDamper(name="damper", along=head.travel, law=damper, limit=law.limit or 1e9)]
