"""A line of cables, a pantograph of bodies and a contact between them: one system, and a start without a kick."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, final

import numpy as np

from panhead.errors import ModelError, require_finite, require_not_negative, require_positive
from panhead.forces import SlidingContact
from panhead.joints import Sliding
from panhead.methods.equilibrium import projected
from panhead.methods.trajectory import State
from panhead.multibody import Model
from panhead.multibody.system import MultibodySystem
from panhead.pantograph.cx import CxPantograph, carriage
from panhead.roles import Item, Triple
from panhead.run.solvers.cables.laws import DampingLaw, HeadDamper
from panhead.run.solvers.cables.statics import Hung, at_rest
from panhead.system import Vector

GRAVITY: Triple = (0.0, 0.0, -9.81)
CONTACT = "contact point"
ContactForm = Literal["embedded", "augmented", "elastic"]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Ride:
    """A pantograph on a carriage with prescribed motion, and what works at its head."""

    pantograph: CxPantograph
    speed: float  #: along the track [m/s]
    contact: ContactForm = "embedded"
    contact_stiffness: float = 50e3  #: of the elastic form [N/m]
    contact_damping: float = 0.0  #: of the elastic form [N·s/m]
    damper: DampingLaw | None = None  #: between plunger and pan-head, integrated implicitly
    damper_limit: float = 1e9  #: its largest force [N]
    settled: bool = True  #: starts in static equilibrium; else both line and pantograph as if apart

    def __post_init__(self) -> None:
        require_finite(self, "speed")
        require_positive(self, "contact_stiffness", "damper_limit")
        require_not_negative(self, "contact_damping")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Assembled:
    """The system and a start at rest with respect to the carriage."""

    hung: Hung
    ride: Ride
    model: Model
    system: MultibodySystem
    start: State
    lam: Vector  #: multipliers of the static equilibrium

    @property
    def static_force(self) -> float:
        """Contact force with the carriage standing [N]."""
        if self.ride.contact == "elastic":
            return float("nan")
        return float(contact_force(self.system, self.lam[None, :])[0])

    def with_damper(self, numbers: Mapping[str, float]) -> Assembled:
        """The same with other numbers of the damper, which does nothing at rest: the start stays."""
        return replace(
            self, system=self.system.changed({f"damper.{k}": x for k, x in numbers.items()})
        )


def assembled(hung: Hung, ride: Ride) -> Assembled:
    """Line and pantograph in static equilibrium, the carriage's speed given to every body on it.

    Rates are then moved onto ġ = 0, nearest in the mass norm: the least change of momentum that lets the head
    follow the wire.
    """
    if hung.catenary.planar:
        raise ModelError("a pantograph of bodies needs a line in space; leave out planar")
    model = Model(name="pantograph under the line", items=_items(hung, ride), gravity=GRAVITY)
    system = model.system().changed(hung.numbers)
    q = system.start.q.copy()
    for k, name in enumerate(system.coordinates):
        q[k] = hung.places.get(name, q[k])
    lam = np.full(len(system.constraints), np.nan)
    if ride.settled:
        q, lam = at_rest(system, q)
    v = system.start.v.copy()
    if ride.contact == "augmented":
        v[system.place(f"{CONTACT}.s")] = ride.speed
    start = projected(system, State(q=q, v=v))
    return Assembled(hung=hung, ride=ride, model=model, system=system, start=start, lam=lam)


def _items(hung: Hung, ride: Ride) -> tuple[Item, ...]:
    pantograph, wire = ride.pantograph, hung.catenary.contact
    items = [*hung.catenary.all_items(), *pantograph.items(carriage(ride.speed), ride.speed)]
    start = pantograph.x - wire.nodes[0][0]
    if not 0 < start < wire.breaks[-1]:
        raise ModelError(
            f"the pan-head starts at x = {pantograph.x:.6g} m, the wire reaches from {wire.nodes[0][0]:.6g} to "
            f"{wire.nodes[-1][0]:.6g} m"
        )
    point, track = pantograph.contact_point(ride.speed), wire.track(start)
    if ride.contact == "elastic":
        items.append(
            SlidingContact(
                name=CONTACT,
                point=point,
                wire=track,
                stiffness=ride.contact_stiffness,
                damping=ride.contact_damping,
                normal=(0.0, 0.0, -1.0),
            )
        )
    else:
        items.append(Sliding(name=CONTACT, point=point, wire=track, form=ride.contact))
    if ride.damper is not None:
        items.append(
            HeadDamper(
                name="damper",
                along=pantograph.head_travel(ride.speed),
                law=ride.damper,
                limit=ride.damper_limit,
            )
        )
    return tuple(items)


def contact_force(system: MultibodySystem, lam: np.ndarray) -> np.ndarray:
    """Size of the force normal to the wire, positive when head and wire are pressed together [N]; lam (n, nc)."""
    columns = [k for k, name in enumerate(system.constraints) if name.startswith(f"{CONTACT}.")]
    mine = lam[:, columns]
    pressed = mine[:, 2] if len(columns) == 3 else -mine[:, 0]
    return np.asarray(np.copysign(np.linalg.norm(mine, axis=1), pressed))
