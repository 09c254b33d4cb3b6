"""Control law of the pan-head in a coupled run: a damper among the items, or a controller called every exchange
step."""

from __future__ import annotations

from dataclasses import replace
from typing import final

import casadi as ca
import numpy as np

from panhead.engine.laws.gravity import downwards
from panhead.engine.methods.checkpoints import Arrays
from panhead.engine.multibody import Model
from panhead.engine.roles import Expression, Marker, Symbols
from panhead.engine.system import System, Vector, no_controls
from panhead.railway.pantograph.pantograph_protocol import HeadSuspension
from panhead.runs.cables.cables_assembly import CONTROL, law_items
from panhead.runs.cables.cables_options import HeadLaw
from panhead.runs.cables.head_laws import HeadFeedback, Measurements, Replayed
from panhead.runs.coupled.coupled_checkpoints import Resumable
from panhead.runs.coupled.placement import Placement
from panhead.runs.timetable import Timetable


def with_law(placed: Placement, law: HeadLaw, name: str, gravity: float) -> Placement:
    """Start with the items of a control law in the pantograph ``name``; ``gravity`` [m/s²]."""
    met, mechanics = placed.encounter, placed.mechanics
    stations = [station for strip in mechanics.strips for station in strip.stations]
    items = (*mechanics.items, *stations, *law_items(law, mechanics.head, name))
    system, drives = Model(name=met.pantograph.name, items=items, gravity=downwards(gravity)).system(), met.drives
    places = [system.controls.index(control) for control in met.pantograph.controls]

    def widened(t: float) -> Vector:
        u = no_controls(system)
        if drives is not None:
            u[places] = drives(t)
        return u

    changed = replace(
        met,
        pantograph=system,
        strips=tuple(strip.on(system) for strip in mechanics.strips),
        drives=None if drives is None else widened,
    )
    return Placement(encounter=changed, mechanics=mechanics)


@final
class HeadControl(Resumable):
    """Sampled control law: called at the beginning of an exchange step, its output holds over it.

    A step that is repeated begins where it began, so that it is asked once.
    """

    def __init__(
        self, law: HeadFeedback, head: HeadSuspension, system: System, timetable: Timetable, *, period: float
    ) -> None:
        self.controller = Replayed(law.begin(period))
        self.timetable, self.place = timetable, system.controls.index(CONTROL)
        self._motion = _heights((head.head, head.plunger), system)

    @property
    def forces(self) -> list[float]:
        """Control forces so far [N]."""
        return self.controller.answers

    def force(self, t: float, q: Vector, v: Vector, contact: float) -> float:
        """Force between plunger and head over the step from t, positive raises the head [N]."""
        if not self.controller.seen or t > self.controller.seen[-1][0]:
            (head, plunger), (head_rate, plunger_rate) = (x.full().ravel() for x in self._motion(t, q, v))
            seen = Measurements(
                head=float(head),
                plunger=float(plunger),
                head_rate=float(head_rate),
                plunger_rate=float(plunger_rate),
                force=contact,
                x=float(self.timetable.position(np.asarray(t))),
            )
            self.controller(t, seen)
        return self.forces[-1]

    def save_state(self) -> dict[str, np.ndarray]:
        """Empty: a resumed controller is replayed instead."""
        return {}

    def save_rows(self) -> dict[str, np.ndarray]:
        """Recorded inputs and outputs."""
        return self.controller.tables()

    def restore_state(self, state: Arrays, rows: Arrays) -> None:
        """Replay the recorded inputs."""
        self.controller.show(rows)


def _heights(markers: tuple[Marker, ...], system: System) -> ca.Function:
    """(t, q, v) → heights of the markers and their rates, (n,) each."""
    n, index = len(system.coordinates), {c: k for k, c in enumerate(system.coordinates)}
    t, q, v = ca.SX.sym("t"), ca.SX.sym("q", n), ca.SX.sym("v", n)
    z: list[Expression] = []
    for marker in markers:
        at = [index[name] for name in marker.coordinates]
        p = {name: ca.SX(value) for name, value in marker.numbers.items()}
        own = Symbols(t, q[at], v[at], q[at], v[at], ca.SX(0, 1), p, ())
        z.append(marker.frame(own).p[2])
    e = ca.vertcat(*z)
    return ca.Function("heights", [t, q, v], [e, ca.jtimes(e, q, v) + ca.jacobian(e, t)])
