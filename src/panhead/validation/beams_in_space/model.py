"""Models of beams in space."""

from __future__ import annotations

from typing import Literal

import casadi as ca
import numpy as np

from panhead.engine.bodies import Beam, Section, ground
from panhead.engine.forces import Push, Twist
from panhead.engine.joints import Revolute, Rigid
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Expression, Item, Triple

WEIGHTLESS: Triple = (0.0, 0.0, 0.0)
LEE = (120.0, 24.0, 7.2e6, 6.0, 2.0)  #: legs, place of the load from the corner, E, A, I [cm, N/cm²] [Lee68]
ANGLE = (240.0, 30.0, 0.6, 71240.0, 0.31)  #: legs, height, width, E, ν of the right-angle frame [mm, N/mm²] [Simo86]


def clamp(beam: Beam) -> Rigid:
    """Clamp the start of a beam in its rest position."""
    x, y, z = (float(v) for v in beam.shape().places[0])
    return Rigid(name=f"clamp of {beam.name}", a=ground.at((x, y, z)), b=beam.at_world(0.0))


def weld(a: Beam, b: Beam) -> Rigid:
    """Weld the end of one beam to the start of the next."""
    return Rigid(name=f"corner of {a.name} and {b.name}", a=a.at_world(a.length), b=b.at_world(0.0))


def bar(elements: int, *, section: Section, length: float = 1.0, young: float = 1e9, poisson: float = 0.0) -> Beam:
    """A bar along x, y upright."""
    return Beam(
        name="bar", begin=(0.0, 0.0, 0.0), end=(length, 0.0, 0.0), elements=elements, section=section, young=young,
        density=1000.0, poisson=poisson, across=(0.0, 1.0, 0.0),
    )  # fmt: skip


def cantilever(beam: Beam, *, force: Triple = WEIGHTLESS, torque: Triple = WEIGHTLESS) -> MultibodySystem:
    """A clamped beam with a dead force and a dead torque at its end, which grow with t."""
    grows = lambda t: t
    items: tuple[Item, ...] = (beam, clamp(beam))
    if any(force):
        items += (Push(name="force", at=beam.at(beam.length), force=force, course=grows),)
    if any(torque):
        items += (Twist(name="torque", at=beam.at(beam.length), torque=torque, course=grows),)
    return Model(name="cantilever", items=items, gravity=WEIGHTLESS).system()


def lees_frame(column: int, top: int) -> MultibodySystem:
    """Two legs hinged at their ends in a plane, a dead load t down on the upper one [Lee68]; very stiff in shear."""
    leg, place, E, A, inertia = LEE
    section = Section(
        area=A, inertia_y=10 * inertia, inertia_z=inertia, torsion=10 * inertia, shear_y=1e4 * A, shear_z=1e4 * A
    )
    up = Beam(
        name="up", begin=(0.0, 0.0, 0.0), end=(0.0, leg, 0.0), elements=column, section=section, young=E,
        density=7.8e-3, across=(-1.0, 0.0, 0.0),
    )  # fmt: skip
    over = Beam(
        name="over", begin=(0.0, leg, 0.0), end=(leg, leg, 0.0), elements=top, section=section, young=E,
        density=7.8e-3, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    items = (
        up, over, weld(up, over),
        Revolute(name="foot", a=ground.at((0.0, 0.0, 0.0)), b=up.at_world(0.0)),
        Revolute(name="side", a=ground.at((leg, leg, 0.0)), b=over.at_world(leg)),
        Push(name="load", at=over.at(place), force=(0.0, -1.0, 0.0), course=lambda t: t),
    )  # fmt: skip
    return Model(name="Lee's frame", items=items, gravity=WEIGHTLESS).system()


def right_angle_frame(elements: int, *, load: Triple) -> MultibodySystem:
    """A thin frame in the x–y plane, clamped at one end, pulled in its plane at the other [Simo86]."""
    leg, height, width, E, nu = ANGLE
    section = Section.rectangle(width=height, height=width)
    across = Beam(
        name="along", begin=(0.0, 0.0, 0.0), end=(leg, 0.0, 0.0), elements=elements, section=section, young=E,
        density=2.7e-6, poisson=nu, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    down = Beam(
        name="down", begin=(leg, 0.0, 0.0), end=(leg, -leg, 0.0), elements=elements, section=section, young=E,
        density=2.7e-6, poisson=nu, across=(1.0, 0.0, 0.0),
    )  # fmt: skip
    items = (
        across, down, clamp(across), weld(across, down),
        Push(name="load", at=down.at(leg), force=load, course=lambda t: t),
    )  # fmt: skip
    return Model(name="right-angle frame", items=items, gravity=WEIGHTLESS).system()


def _half_a_second(t: Expression) -> Expression:
    return ca.if_else(t < 0.5, ca.sin(2 * np.pi * t) ** 2, 0)


def flying_angle(elements: int, inertia: Literal["consistent", "lumped"]) -> MultibodySystem:
    """An L of two soft legs of 1 m, pushed and twisted at one end for half a second, then free."""
    section = Section.rectangle(width=0.02, height=0.01)
    legs = [
        Beam(
            name=name,
            begin=a,
            end=b,
            elements=elements,
            section=section,
            young=5e8,
            density=1000.0,
            across=c,
            inertia=inertia,
        )
        for name, a, b, c in (
            ("one", (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
            ("two", (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (-1.0, 0.0, 0.0)),
        )
    ]
    items = (
        *legs, weld(*legs),
        Push(name="push", at=legs[0].at(0.0), force=(0.3, 0.2, 0.6), course=_half_a_second),
        Twist(name="twist", at=legs[0].at(0.0), torque=(0.05, 0.2, 0.1), course=_half_a_second),
    )  # fmt: skip
    return Model(name="flying angle", items=items, gravity=WEIGHTLESS).system()
