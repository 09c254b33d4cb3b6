"""Two arms that hang from a point sliding on an elastic beam [Lipinski23]."""

from __future__ import annotations

from typing import Literal

import numpy as np

from panhead.engine.bodies import EulerBernoulliBeam, PlanarBody, ground
from panhead.engine.bodies.weightless import Weightless
from panhead.engine.forces import Push
from panhead.engine.joints import Held, Revolute, Sliding
from panhead.engine.joints.free_joint import Free
from panhead.engine.joints.point_on_beam import Riding
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.tree import in_joint_coordinates
from panhead.engine.roles import Item
from panhead.files.units import Metres, PerSecond, Seconds
from panhead.runs.scenarios.shipped_models import ShippedModel

Form = Literal["riding", "embedded", "augmented"]
Ends = Literal["clamped", "pinned"]
LENGTH, STIFFNESS, LINE_MASS = 5.0, 2.1e11 * 2.81e-9, 7860.0 * 1.5e-4  #: [m], [N·m²], [kg/m]
ARMS, MASS, INERTIA = (1.5, 1.0), 20.0, 2.0  #: [m], [kg] and [kg·m²] of each
GRAVITY = 9.81


def pendulum_on_beam(
    form: Form = "riding", *, elements: int = 50, ends: Ends = "clamped", place: Metres = LENGTH / 2
) -> tuple[MultibodySystem, State]:
    """The beam and the arms in joint coordinates (x, y, angle of the first arm, angle between the arms), at rest.

    x along the beam, y upward, angles from straight down. ``riding`` is the paper's constraint, ``embedded`` and
    ``augmented`` those of the sliding joint. The beam has no weight of its own, as printed. The start is the pose
    that 100 N·m between the arms hold at most: the second arm level, the centre of mass under the sliding point.
    """
    made = shipped_model(form, elements=elements, ends=ends, place=place)
    return made.system, made.start


def shipped_model(
    form: Form = "riding",
    *,
    elements: int = 50,
    ends: Ends = "clamped",
    place: Metres = LENGTH / 2,
    mass_damping: PerSecond = 0.0,
    stiffness_damping: Seconds = 0.0,
) -> ShippedModel:
    """Pendulum on a beam with the bodies and the tree it was made of.

    The beam's dampers are α M + β K [Lipinski23, eq. (18)]; their numbers are not printed, and none is the default.
    """
    beam = printed_beam(elements, mass_damping, stiffness_damping)
    items = beam_items(beam, ends)
    shape = sag(items, beam, place)
    height = deflection(shape, elements, place)
    model = Model(
        name="pendulum on a beam", items=(*items, *_arms(beam, form, (place, height))), gravity=(0.0, -GRAVITY, 0.0)
    )
    return at_rest(model, shape)


def printed_beam(elements: int, mass_damping: float = 0.0, stiffness_damping: float = 0.0) -> EulerBernoulliBeam:
    """The beam of section 5, with dampers α [1/s] and β [s]."""
    return EulerBernoulliBeam(
        name="beam",
        begin=(0.0, 0.0),
        end=(LENGTH, 0.0),
        elements=elements,
        mass_per_length=LINE_MASS,
        bending_stiffness=STIFFNESS,
        mass_damping=mass_damping,
        stiffness_damping=stiffness_damping,
    )


def beam_items(beam: EulerBernoulliBeam, ends: Ends) -> tuple[Item, ...]:
    """The beam without weight, and what holds its ends."""
    return Weightless(name="beam", item=beam), Held(name="ends", values=_support_coordinates(beam.elements, ends))


def at_rest(model: Model, shape: np.ndarray) -> ShippedModel:
    """The model in joint coordinates, its beam in this shape (nodes' deflections and slopes)."""
    tree = in_joint_coordinates(model)
    system = tree.system()
    q = system.start.q.copy()
    first = system.place("beam.0w")
    q[first : first + len(shape)] = shape
    return ShippedModel(model, system, State(q=q, v=np.zeros(system.nq)), tree)


def _support_coordinates(elements: int, ends: Ends) -> dict[str, float]:
    fields = ("w", "w'") if ends == "clamped" else ("w",)
    return {f"beam.{k}{field}": 0.0 for k in (0, elements) for field in fields}


def sag(items: tuple[Item, ...], beam: EulerBernoulliBeam, place: float) -> np.ndarray:
    """Deflections and slopes of the nodes under the weight of both arms."""
    weight = (0.0, -2 * MASS * GRAVITY, 0.0)
    load = Push(name="load", at=beam.at(place), force=weight)
    system = Model(name="beam", items=(*items, load)).system()
    return equilibrium(system, system.start.q).q


def deflection(shape: np.ndarray, elements: int, place: float) -> float:
    """w at the place, by the cubic of its element."""
    h = LENGTH / elements
    k = min(int(place / h), elements - 1)
    z = place / h - k
    N = [1 - 3 * z**2 + 2 * z**3, h * (z - 2 * z**2 + z**3), 3 * z**2 - 2 * z**3, h * (z**3 - z**2)]
    return float(np.dot(N, shape[2 * k : 2 * k + 4]))


def _arms(beam: EulerBernoulliBeam, form: Form, point: tuple[float, float]) -> tuple[Item, ...]:
    """The arms, their hinge, and what keeps them on the beam."""
    first, *rest = arms(point)
    top, track = first.at((0.0, ARMS[0] / 2)), beam.track(point[0])
    on_beam: Item = (
        Riding(name="slide", point=top, wire=track)
        if form == "riding"
        else Sliding(name="slide", point=top, wire=track, form=form)
    )
    return first, *rest, on_beam


def arms(point: tuple[float, float]) -> tuple[PlanarBody, PlanarBody, Free, Revolute]:
    """Both arms below the point, the second one level, the coordinates of the first one's top, and the hinge."""
    a, b = ARMS
    lean = -float(np.arcsin(b / 2 / (a / 2 + a)))
    down = np.array([np.sin(lean), -np.cos(lean)])
    level = np.array([1.0, 0.0])
    centre, end = np.array(point) + a / 2 * down, np.array(point) + a * down
    first, second = (
        PlanarBody(name=name, mass=MASS, inertia=INERTIA, position=(p[0], p[1]), angle=angle)
        for name, p, angle in (("first", centre, lean), ("second", end + b / 2 * level, np.pi / 2))
    )
    root = Free(name="root", a=ground.at(), b=first.at((0.0, a / 2)))
    hinge = Revolute(name="hinge", a=first.at((0.0, -a / 2)), b=second.at((0.0, b / 2)))
    return first, second, root, hinge
