"""A beam that is spun up about one end: one floating body, or several pieces of it joined rigidly."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import casadi as ca

from panhead.engine.bodies import FloatingBody, RigidBody, ground
from panhead.engine.joints import Driven, Revolute, Rigid, Turn
from panhead.engine.multibody import Model
from panhead.engine.roles import Constraint, Expression
from panhead.engine.structures import (
    BeamMaterial,
    BodyFixed,
    MeanAxes,
    Member,
    ReducedStructure,
    Section,
    frame,
    reduce_structure,
)
from panhead.files.units import Metres, Pascals, RadiansPerSecond, Seconds

ALUMINIUM = BeamMaterial(young=70e9, poisson=0.33, density=2700.0)
#: Finite elements of the whole beam, and of a piece at least.
_ELEMENTS, _LEAST = 16, 4
_IN_PLANE = ("force along x", "force along y", "moment about z")


def spinning_beam(
    pieces: int = 4,
    *,
    length: Metres = 2.0,
    width: Metres = 0.03,
    height: Metres = 0.02,
    young: Pascals = 70e9,
    spin: RadiansPerSecond = 10.0,
    spin_up: Seconds = 1.0,
) -> Model:
    """A hub at the origin turns about z, from rest to ``spin`` in the time ``spin_up``; gravity does not act.

    ``width`` lies in the plane of the turning, ``height`` across it.
    """
    section = Section.rectangle(width=width, height=height)
    material = BeamMaterial(young=young, poisson=ALUMINIUM.poisson, density=ALUMINIUM.density)
    hub = RigidBody(name="hub", mass=1.0, inertia=(0.01, 0.01, 0.01))
    bodies, welds = chain(hub, beam_segment(length / pieces, section, material, pieces), pieces)
    joints: tuple[Constraint, ...] = (
        Revolute(name="axle", a=ground.at(), b=hub.at()),
        Turn(name="turn", a=ground.at(), b=hub.at()),
        Driven(name="drive", coordinate="turn.angle", motion=spun_up(spin, spin_up)),
    )
    items = (hub, *bodies, *joints, *welds)
    return Model(name="spinning beam", items=items, gravity=(0.0, 0.0, 0.0))


def beam_segment(
    length: float, section: Section, material: BeamMaterial = ALUMINIUM, of: int = 1, *, mean_axes: bool = False
) -> ReducedStructure:
    """One of ``of`` equal pieces in six shapes: its deflections under loads in the x–y plane at either end."""
    bar = Member(
        begin="root", end="tip", section=section, material=material, elements=max(_LEAST, _ELEMENTS // of)
    )  # fmt: skip
    joints = {"root": (0.0, 0.0, 0.0), "tip": (length, 0.0, 0.0)}
    structure = frame("piece", joints=joints, members=(bar,))
    reference = MeanAxes() if mean_axes else BodyFixed(("root",))
    return reduce_structure(structure, interfaces=("root", "tip"), modes=0, corrections=_IN_PLANE, reference=reference)


def chain(
    hub: RigidBody, structure: ReducedStructure, pieces: int, *, spin: float = 0.0
) -> tuple[tuple[FloatingBody, ...], tuple[Rigid, ...]]:
    """Pieces along x from the hub, turning with it about z, and the welds between them."""
    ends = structure.places["root"].point, structure.places["tip"].point
    length, first = float(ends[1][0] - ends[0][0]), float(structure.origin[0])
    bodies = tuple(
        FloatingBody(
            name=f"beam{i + 1}",
            structure=structure,
            position=(i * length + first, 0.0, 0.0),
            velocity=(0.0, spin * (i * length + first), 0.0),
            spin=(0.0, 0.0, spin),
        )
        for i in range(pieces)
    )
    welds = (Rigid(name="root", a=hub.at(), b=bodies[0].at("root")),) + tuple(
        Rigid(name=f"weld{i + 1}", a=a.at("tip"), b=b.at("root")) for i, (a, b) in enumerate(itertools.pairwise(bodies))
    )
    return bodies, welds


def spun_up(spin: float, time: float) -> Callable[[Expression], Expression]:
    """An angle whose rate grows smoothly to ``spin``: φ̇ = Ω (t/T − sin(2π t/T) / 2π), then φ̇ = Ω."""

    def angle(t: Expression) -> Expression:
        z = 2 * math.pi * t / time
        growing = spin / time * (t**2 / 2 + (time / (2 * math.pi)) ** 2 * (ca.cos(z) - 1))
        return ca.if_else(t < time, growing, spin * (t - time / 2))

    return angle
