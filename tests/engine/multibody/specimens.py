"""One model for every kind of body, joint and force: what the laws are tried on."""

import importlib
import inspect
import pkgutil
from dataclasses import replace
from typing import NamedTuple

import casadi as ca
import numpy as np

import panhead.engine.bodies
import panhead.engine.forces
import panhead.engine.joints
from engine.multibody.structures import scattered
from panhead.engine.bodies import (
    AncfBeam,
    Beam,
    Cable,
    Carrier,
    EulerBernoulliBeam,
    FloatingBody,
    Ground,
    GuidedMass,
    PlanarBody,
    PointMass,
    RigidBody,
    VirtualBody,
    ground,
)
from panhead.engine.bodies.lumped_mass import Lump
from panhead.engine.bodies.weightless import Weightless
from panhead.engine.forces import (
    Actuator,
    Bearing,
    Bushing,
    DryFriction,
    FunctionForce,
    FunctionPush,
    LineBetween,
    LineLoad,
    Push,
    Slide,
    SmoothFriction,
    SpringDamper,
    Stop,
    Table,
    TabulatedSpringDamper,
    TensionOnly,
    Thrust,
    Twist,
)
from panhead.engine.forces.sliding_contact import Rubbing, SlidingContact
from panhead.engine.joints import (
    Coupled,
    Cylindrical,
    Distance,
    Driven,
    FunctionConstraint,
    Held,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    RevolutePrismatic,
    Rigid,
    RigidFlexible,
    Sliding,
    Spherical,
    Travel,
    Turn,
    Universal,
)
from panhead.engine.joints.free_joint import Free
from panhead.engine.joints.point_on_beam import Riding
from panhead.engine.roles import Body, Constraint, Force, Item
from panhead.engine.rotations import about
from panhead.engine.structures import BeamMaterial, GeneralSection, Section


class Specimen(NamedTuple):
    """An item in a model of its own."""

    item: Item
    others: tuple[Item, ...] = ()
    planar: bool = False
    indifferent: bool = False  #: to where the whole is and how it is turned
    pair: bool = False  #: it acts between two bodies and on nothing else
    gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    note: str = ""
    gives_back: bool = False  #: it keeps energy for a while that stands in no account

    def __str__(self):
        return f"{type(self.item).__name__} {self.note}".strip()


A = RigidBody(
    name="A", mass=2.0, inertia=(0.3, 0.4, 0.5, 0.02, -0.03, 0.01), position=(0.2, -0.1, 0.3),
    attitude=about((1, 2, -1), 0.4),
)  # fmt: skip
B = RigidBody(
    name="B", mass=1.5, inertia=(0.2, 0.1, 0.15), position=(0.9, 0.5, -0.2), attitude=about((-1, 1, 2), 0.6)
)  # fmt: skip
PA = PlanarBody(name="A", mass=2.0, inertia=0.3, position=(0.2, -0.1), angle=0.4)
PB = PlanarBody(name="B", mass=1.5, inertia=0.2, position=(0.9, 0.5), angle=-0.5)
AT_A = A.at((0.1, 0.2, -0.1), axis=(1.0, 0.5, -2.0), across=(1, 0, 0))
AT_B = B.at((-0.2, 0.1, 0.3), axis=(0.5, -1.0, -1.0), across=(0, 1, 0))
AT_PA = PA.at((0.1, 0.2), axis=(1.0, 0.5, 0.0))
AT_PB = PB.at((-0.2, 0.1), axis=(0.9, 1.0, 0.0))
IN_SPACE = {"a": AT_A, "b": AT_B}
IN_PLANE = {"a": AT_PA, "b": AT_PB}
LINE, SLIDE = LineBetween(**IN_SPACE), Slide(**IN_SPACE)
MATRIX = np.random.default_rng(5).uniform(-1, 1, (2, 6, 6))
K6, C6 = (tuple(map(tuple, 40 * X @ X.T)) for X in MATRIX)
SKEW6 = tuple(map(tuple, 40 * MATRIX[0] @ MATRIX[0].T + 5 * (MATRIX[1] - MATRIX[1].T)))
SWING = lambda t: 0.2 * ca.sin(3 * t) + t**2
TABLE = Table(((0.0, 0.0), (0.5, 3.0), (1.0, 4.0), (1.6, 30.0), (2.5, 31.0)))
DAMPER = Table(((-2.0, -3.0), (-0.3, -1.0), (0.0, 0.0), (0.4, 2.0), (3.0, 5.0)))
BRIDGE = EulerBernoulliBeam(name="W", begin=(0, 0), end=(2, 0), elements=2, mass_per_length=1.0, bending_stiffness=20.0)
WIRE2 = Cable(
    name="W", nodes=((0, 0), (1, 0.1), (2, 0)), mass_per_length=1.3, axial_stiffness=900.0, bending_stiffness=2.0,
    tension=50.0, stretch_damping=0.3, bend_damping=0.2, drag=0.1,
)  # fmt: skip
WIRE3 = Cable(
    name="W", nodes=((0, 0, 0), (1, 0.1, 0.2), (2, 0, 0.1)), mass_per_length=1.3, axial_stiffness=900.0,
    bending_stiffness=2.0,
)  # fmt: skip
POINT2 = PointMass(name="P", mass=1.0, position=(0.4, 0.06, 0.0), planar=True)
POINT3 = PointMass(name="P", mass=1.0, position=(0.4, 0.06, 0.1))
UNDER = PointMass(name="P", mass=1.0, position=(0.4, 0.06, 0.4))  # inside the wire, seen against its normal
BEAM = AncfBeam(
    name="bar", begin=(0, 0, 0), end=(1, 0.2, 0.1), elements=1, height=0.1, width=0.05, young=1e5, density=800.0,
    damping=0.01,
)  # fmt: skip

EXACT = Beam(
    name="bar", begin=(0, 0, 0), end=(1, 0.2, 0.1), elements=1, height=0.1, width=0.05, young=1e5, density=800.0,
    damping=0.01, twist=0.4,
)  # fmt: skip
LUMPED = replace(EXACT, curve=lambda s: (s, 0.2 * s * s, 0.1), begin=None, end=None, damping=0.0, inertia="lumped")
COUPLED = replace(
    EXACT, height=None, width=None, young=None, density=None,
    section=GeneralSection.of(
        Section.rectangle(width=0.1, height=0.05), BeamMaterial(young=1e5, poisson=0.3, density=800.0),
        offset=(0.03, -0.02), angle=0.5,
    ),
)  # fmt: skip

FLEXIBLE = FloatingBody(
    name="F", structure=scattered(), position=(0.3, 0.2, -0.1), attitude=about((2, 1, -1), 0.5),
    deformation=(0.1, -0.2, 0.05),
)  # fmt: skip
AT_F = FLEXIBLE.at(FLEXIBLE.node(2), point=(0.1, -0.2, 0.3), axis=(1.0, 0.5, -2.0), across=(1, 0, 0))
VIRTUAL = VirtualBody(name="V", on=AT_F)

BODIES = [
    Specimen(A, indifferent=True),
    Specimen(A, gravity=(0.1, -9.0, 1.0), note="under gravity"),
    Specimen(PA, planar=True, indifferent=True),
    Specimen(Weightless(name="A", item=A), indifferent=True, gravity=(0.1, -9.0, 1.0)),
    Specimen(PointMass(name="P", mass=3.0), indifferent=True),
    Specimen(PointMass(name="P", mass=3.0, planar=True), planar=True, indifferent=True),
    Specimen(GuidedMass(name="G", mass=2.0, axis=(1, 2, 2), position=0.3), gravity=(0, 0, -9.81)),
    Specimen(Lump(name="clamp", at=AT_A, mass=0.7), (A,), indifferent=True),
    Specimen(WIRE2, planar=True, indifferent=True, note="in the plane"),
    Specimen(WIRE3, indifferent=True, note="in space"),
    Specimen(BEAM, indifferent=True),
    Specimen(EXACT, indifferent=True),
    Specimen(COUPLED, indifferent=True, note="coupled section"),
    Specimen(LUMPED, gravity=(0.1, -9.0, 1.0), note="curved, lumped"),
    Specimen(FLEXIBLE, indifferent=True),
    Specimen(FLEXIBLE, gravity=(0.1, -9.0, 1.0), note="under gravity"),
    Specimen(VIRTUAL, (FLEXIBLE,), indifferent=True),
    Specimen(
        EulerBernoulliBeam(
            name="bar", begin=(0, 0), end=(2, 0), elements=1, mass_per_length=1.0, bending_stiffness=20.0,
            tension=3.0, mass_damping=0.1, stiffness_damping=0.02,
        ),
        gravity=(0, -9.81, 0),
    ),
]  # fmt: skip

IN_BOTH = (Spherical, Revolute, Prismatic, RevolutePrismatic, Rigid, PointOnLine, PointOnPlane, Turn, Travel)
JOINTS = [
    *(Specimen(kind(name="joint", **IN_SPACE), (A, B), indifferent=True, pair=True)
      for kind in (*IN_BOTH, Universal, Cylindrical, Planar)),
    *(Specimen(kind(name="joint", **IN_PLANE), (PA, PB), True, True, True, note="in the plane") for kind in IN_BOTH),
    Specimen(Distance(name="joint", length=1.1, **IN_SPACE), (A, B), indifferent=True, pair=True),
    Specimen(Revolute(name="joint", a=AT_A, b=AT_F), (A, FLEXIBLE), indifferent=True, pair=True, note="flexible"),
    Specimen(RigidFlexible(name="joint", a=AT_A, b=AT_F), (A, FLEXIBLE), indifferent=True, pair=True),
    Specimen(
        RigidFlexible(name="joint", a=VIRTUAL.on, b=VIRTUAL.at()), (VIRTUAL, FLEXIBLE), indifferent=True,
        note="virtual",
    ),
    Specimen(Distance(name="joint", length=1.1, **IN_PLANE), (PA, PB), True, True, True, note="in the plane"),
    Specimen(Held(name="joint", values={"A.y": 0.3}), (A,)),
    Specimen(Coupled(name="joint", ratios={"A.angle": 2.0, "B.angle": -3.0}, motion=0.4), (PA, PB)),
    Specimen(Coupled(name="joint", ratios={"A.angle": 2.0, "B.x": -3.0}, motion=SWING), (PA, PB), note="driven"),
    Specimen(Driven(name="joint", coordinate="A.angle", motion=SWING), (PA,)),
    Specimen(
        FunctionConstraint(
            name="joint", law=lambda t, x, phi: x - 0.3 * ca.sin(phi) - SWING(t), coordinate_names=("A.x", "A.angle")
        ),
        (PA,),
    ),
    Specimen(
        Revolute(name="joint", a=Carrier(name="cart", position=lambda t: ca.vertcat(SWING(t), 0, t)).at(), b=AT_B),
        (B,), note="on a carrier",
    ),
    Specimen(Riding(name="joint", point=POINT2.at(), wire=BRIDGE.track(0.4)), (BRIDGE, POINT2)),
    Specimen(Sliding(name="joint", point=POINT2.at(), wire=WIRE2.track(0.4)), (WIRE2, POINT2), note="embedded"),
    Specimen(Sliding(name="joint", point=POINT3.at(), wire=WIRE3.track(0.4)), (WIRE3, POINT3), note="embedded 3D"),
    Specimen(
        Sliding(name="joint", point=POINT2.at(), wire=WIRE2.track(0.4), form="augmented"), (WIRE2, POINT2),
        note="augmented",
    ),
]  # fmt: skip

ACROSS = [(LINE, (A, B), ""), (SLIDE, (A, B), "slide"), (LineBetween(**IN_PLANE), (PA, PB), "in the plane")]


def along(kind, **fields):
    """A force over every kind of measure."""
    found = [
        Specimen(kind(name="force", along=e, **fields), others, others[0] is PA, True, True, note=note)
        for e, others, note in ACROSS
    ]
    return [*found, Specimen(kind(name="force", along="A.angle", **fields), (PA,), note="on a coordinate")]


FRICTION = {"slip_force": 2.0, "stick_force": 3.0, "stribeck_rate": 0.5, "bristle_stiffness": 300.0}
FORCES = [
    Specimen(LineLoad(name="load", on=EXACT, force=(0.3, -2.0, 0.7)), (EXACT,)),
    Specimen(
        LineLoad(name="load", on=EXACT, force=(0.3, -2.0, 0.7), course=SWING, follows=True), (EXACT,), note="follows"
    ),
    *along(SpringDamper, stiffness=70.0, damping=4.0, rest=0.4, preload=5.0),
    *along(TabulatedSpringDamper, spring=TABLE, damper=DAMPER),
    *along(TensionOnly, stiffness=70.0, damping=4.0, rest=-2.0),
    *along(TensionOnly, stiffness=70.0, damping=4.0, rest=-2.0, onset=3.0),
    *along(Stop, limit=4.0, stiffness=70.0, side="lower", damping=4.0),
    *along(Thrust, force=3.0, course=SWING),
    *along(Actuator, gain=2.0),
    *along(FunctionForce, law=lambda e, rate, t: 7.0 * e**3 + 0.4 * rate + SWING(t)),
    Specimen(FunctionPush(name="force", at=AT_A, law=lambda t, p, v: ca.vertcat(-p[0], SWING(t), 2.0) - 0.3 * v), (A,)),
    *along(DryFriction, bristle_damping=20.0, viscous=0.4, **FRICTION),
    *along(SmoothFriction, force=3.0, speed=0.4),
    Specimen(Bushing(name="force", stiffness=K6, damping=C6, **IN_SPACE), (A, B), False, True, True),
    Specimen(Bushing(name="force", stiffness=SKEW6, **IN_SPACE), (A, B), False, True, True, note="with a skew part"),
    Specimen(Bushing(name="force", stiffness=K6, damping=C6, **IN_PLANE), (PA, PB), True, True, True, note="planar"),
    Specimen(
        Bearing(name="force", stiffness=50.0, damping=3.0, cross_stiffness=7.0, axial_stiffness=20.0, axial_damping=1.0,
                tilt_stiffness=9.0, tilt_damping=0.5, **IN_SPACE), (A, B), False, True, True,
    ),
    Specimen(
        Bearing(name="force", stiffness=50.0, damping=3.0, clearance=0.1, **IN_SPACE), (A, B), False, True, True,
        note="with clearance",
    ),
    Specimen(Push(name="force", at=AT_A, force=(1.0, -2.0, 3.0), course=SWING), (A,)),
    Specimen(
        Push(name="force", at=AT_A, force=(1.0, -2.0, 3.0), follows=True), (A,), indifferent=True, note="follower"
    ),
    Specimen(
        Bushing(name="force", stiffness=K6, damping=C6, a=AT_A, b=AT_F), (A, FLEXIBLE), False, True, True,
        note="on a flexible body",
    ),
    Specimen(Twist(name="force", at=AT_A, torque=(1.0, -2.0, 3.0), course=TABLE), (A,)),
    Specimen(
        Twist(name="force", at=AT_A, torque=(1.0, -2.0, 3.0), follows=True), (A,), indifferent=True, note="follower"
    ),
    Specimen(Twist(name="force", at=AT_PA, torque=(0.0, 0.0, 3.0)), (PA,), True, True, note="planar"),
    Specimen(
        SpringDamper(name="force", along=LineBetween(a=ground.at((0, 0, 1)), b=AT_B), stiffness=9.0, damping=1.0), (B,),
        note="to the ground",
    ),
    Specimen(
        SlidingContact(name="force", point=POINT2.at(), wire=WIRE2.track(0.4), stiffness=80.0, damping=2.0),
        (WIRE2, POINT2), note="held from all sides",
    ),
    Specimen(
        SlidingContact(name="force", point=UNDER.at(), wire=WIRE3.track(0.4), stiffness=80.0, damping=2.0,
                       normal=(0.0, 0.2, -1.0)), (WIRE3, UNDER), note="from one side",
    ),
    Specimen(
        SlidingContact(name="force", point=UNDER.at(), wire=WIRE3.track(0.4), stiffness=80.0, damping=2.0,
                       normal=(0.0, 0.2, -1.0), friction=Rubbing(slip=0.3, stick=0.4)),
        (WIRE3, UNDER), note="with friction", gives_back=True,
    ),
]  # fmt: skip

WITHOUT_ROWS = (Ground, Carrier, Free)  # nothing to derive


def kinds(role):
    """Every class of a role in the library, found by looking, not by a list."""
    rooms = (panhead.engine.bodies, panhead.engine.joints, panhead.engine.forces)
    modules = [
        importlib.import_module(f"{room.__name__}.{m.name}")
        for room in rooms
        for m in pkgutil.iter_modules(room.__path__)
    ]
    found = {c for m in modules for c in vars(m).values() if inspect.isclass(c) and issubclass(c, role)}
    return {c for c in found if not inspect.isabstract(c) and c not in (Body, Force, Constraint, Item)}
