"""The CX pantograph as six rigid bodies on a carriage                        [Pappalardo16, tables 1, 2].

Geometry in the track frame (x, z), y = 0, closed to 1e-8 m from the printed positions and angles; the printed
list of joints lacks the guide of the pan-head on the plunger. The suspension of the head is that of the same
pantograph in [Ambrosio12, table 10]: two springs of 3600 N/m and 13 N·s/m, 0.12 m long without load.

            pan-head ⊥
             plunger ┼───────── upper link ─ ╮
                      ╲── upper arm ────────╲│ knee
                              lower arm ────╱│ ── lower link
            carriage ══════════●══════●═════
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from panhead.bodies import Carrier, RigidBody
from panhead.errors import require_finite, require_not_negative, require_positive
from panhead.forces import Actuator, Push, Slide, SpringDamper, Twist
from panhead.joints import Prismatic, Revolute, Spherical
from panhead.pantograph.roof import AlongTrack
from panhead.roles import Item, Marker
from panhead.rotations import Quaternion, about

HEAD = (12.5, 4.945)  #: (x, z) of the pan-head at the start, as printed [m]
_Y = (0.0, 1.0, 0.0)
#: name → mass [kg], (x, z) of the centre [m], pitch about y [rad], inertia about x, y, z [kg·m²]
_BODIES: dict[str, tuple[float, tuple[float, float], float, tuple[float, float, float]]] = {
    "lower arm": (32.18, (11.26924156, 3.84511275), 0.5528807212, (0.31, 10.43, 10.65)),
    "upper arm": (15.60, (11.45796454, 4.52440451), -0.2896816713, (0.15, 7.76, 7.86)),
    "lower link": (3.10, (10.96436876, 3.81940451), 0.6234559506, (0.05, 0.46, 0.46)),
    "upper link": (1.15, (11.58587608, 4.49940451), -0.3028168645, (0.05, 0.48, 0.48)),
    "plunger": (1.51, (12.5, 4.835), 0.0, (0.07, 0.05, 0.07)),
    "pan-head": (9.50, (12.5, 4.945), 0.0, (1.59, 0.21, 1.78)),
}
MASSES = {name: mass for name, (mass, *_) in _BODIES.items()}  #: [kg]
#: name → kind of joint, bodies ("carriage" for the car body), (x, z) [m]
_JOINTS: dict[str, tuple[type, str, str, tuple[float, float]]] = {
    "lower pivot": (Revolute, "carriage", "lower arm", (11.95005378, 3.42499999)),
    "knee": (Revolute, "lower arm", "upper arm", (10.58842934, 4.26522551)),
    "head hinge": (Revolute, "upper arm", "plunger", (12.5, 4.835)),
    "lower-link pivot": (Spherical, "carriage", "lower link", (11.51280844, 3.425)),
    "lower-link top": (Spherical, "upper arm", "lower link", (10.41592908, 4.21380902)),
    "upper-link front": (Spherical, "plunger", "upper link", (12.5, 4.785)),
    "upper-link rear": (Spherical, "lower arm", "upper link", (10.67175216, 4.21380902)),
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class CxPantograph:
    """The six bodies, their joints, the suspension of the head and what lifts it."""

    uplift: float = 1521.0  #: vertical force at the lower arm's centre of mass [N]
    moment: float = 0.0  #: constant moment on the lower arm, positive: raises the head [N·m]
    head_stiffness: float = 7200.0  #: of both springs together [N/m]
    head_damping: float = 26.0  #: [N·s/m]
    head_length: float = 0.12  #: without load [m]
    arm_damping: float = 0.0  #: of a vertical damper where the uplift acts [N·s/m]
    controlled: bool = False  #: an actuator between plunger and pan-head, control "head"
    x: float = HEAD[0]  #: of the pan-head at the start [m]

    def __post_init__(self) -> None:
        require_positive(self, "head_stiffness", "head_length")
        require_not_negative(self, "head_damping", "arm_damping")
        require_finite(self, "uplift", "moment", "x")

    def bodies(self, speed: float) -> dict[str, RigidBody]:
        """The six bodies, moving along the track at ``speed`` [m/s]."""
        shift = self.x - HEAD[0]
        return {
            name: RigidBody(
                name=name,
                mass=mass,
                inertia=inertia,
                position=(x + shift, 0.0, z),
                attitude=_pitch(angle),
                velocity=(speed, 0.0, 0.0),
            )
            for name, (mass, (x, z), angle, inertia) in _BODIES.items()
        }

    def items(self, carriage: Carrier, speed: float) -> tuple[Item, ...]:
        """Everything but the contact; ``carriage`` is where the car body's origin goes."""
        bodies = self.bodies(speed)
        head, plunger, arm = bodies["pan-head"], bodies["plunger"], bodies["lower arm"]
        along = self.head_travel(speed)
        items: list[Item] = [carriage, *bodies.values()]
        items += [self._joint(name, bodies, carriage) for name in _JOINTS]
        items += [
            Prismatic(name="head guide", a=plunger.at(), b=head.at()),
            SpringDamper(
                name="suspension",
                along=along,
                stiffness=self.head_stiffness,
                damping=self.head_damping,
                rest=self.head_length,
            ),
            Push(name="uplift", at=arm.at(), force=(0.0, 0.0, self.uplift)),
            Twist(name="preload", at=arm.at(), torque=(0.0, self.moment, 0.0)),
        ]
        if self.arm_damping:
            items.append(
                SpringDamper(name="arm damper", along="lower arm.z", damping=self.arm_damping)
            )
        if self.controlled:
            items.append(Actuator(name="actuator", along=along, control="head"))
        return tuple(items)

    def _joint(self, name: str, bodies: dict[str, RigidBody], carriage: Carrier) -> Item:
        kind, a, b, (x, z) = _JOINTS[name]
        point = (x + self.x - HEAD[0], 0.0, z)
        place = lambda body: bodies[body].at_world(point, axis=_Y)
        px, py, pz = (float(v) for v in np.array(point) - carriage.place(0.0))
        fixed = carriage.at((px, py, pz), axis=_Y)
        return kind(name=name, a=fixed if a == "carriage" else place(a), b=place(b))

    def head_travel(self, speed: float) -> Slide:
        """How far the pan-head stands above the plunger: along this the suspension works."""
        bodies = self.bodies(speed)
        return Slide(a=bodies["plunger"].at(), b=bodies["pan-head"].at())

    def contact_point(self, speed: float) -> Marker:
        """Where the pan-head touches the wire."""
        return self.bodies(speed)["pan-head"].at()


def carriage(speed: float) -> Carrier:
    """A car body with prescribed motion along the track."""
    return Carrier(name="carriage", position=AlongTrack(speed))


def _pitch(angle: float) -> Quaternion:
    """A turn about y."""
    return about(_Y, angle)
