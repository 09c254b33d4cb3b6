"""Read robots from URDF files: a model of rigid bodies and joints in the order of the file.

Links on fixed joints are one body with the link that moves them; what is fixed to the root stands on the ground. A
body's axes are those of the link it is called after, its frame lies at the centre of mass.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import numpy as np

from panhead.engine.bodies.ground import Ground, ground
from panhead.engine.bodies.rigid import RigidBody
from panhead.engine.forces.applied_force import Actuator
from panhead.engine.joints.free_joint import Free
from panhead.engine.joints.relative_coordinates import Travel, Turn
from panhead.engine.joints.rotation import Revolute, Spherical
from panhead.engine.joints.translation import Planar, Prismatic
from panhead.engine.laws.gravity import DOWN
from panhead.engine.multibody.model import Model
from panhead.engine.roles import Item, Marker, Triple, axes_along
from panhead.engine.rotations import about, matrix_of, quaternion_of
from panhead.errors import FileError, ModelError, RunWarning, alternatives
from panhead.files.urdf_file import Inertial, UrdfFile, UrdfJoint, combine, urdf_file

_JOINTS: dict[str, type[Any]] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "planar": Planar,
    "floating": Free,
    "ball": Spherical,  # of MJCF
}
_ONE_NUMBER = ("revolute", "continuous", "prismatic")


@final
@dataclass(frozen=True, slots=True)
class JointLimits:
    """Limits of the joints with one coordinate, in the order of the file; infinite: not limited."""

    names: tuple[str, ...]
    lower: tuple[float, ...]  #: [rad] or [m]
    upper: tuple[float, ...]
    effort: tuple[float, ...]  #: [N·m] or [N]
    velocity: tuple[float, ...]  #: [rad/s] or [m/s]


@final
@dataclass(frozen=True, slots=True)
class LinkPlace:
    """Pose of a link's frame on its body."""

    body: RigidBody | Ground
    p: np.ndarray  # (3,) [m], from the body's frame
    R: np.ndarray  # (3, 3)


@final
@dataclass(frozen=True, slots=True)
class Robot:
    """A robot from a URDF or MJCF file: the model, the limits of its joints and the poses of its links."""

    model: Model
    limits: JointLimits  #: kept as data; nothing in the model stops at them
    places: Mapping[str, LinkPlace]
    positions: tuple[float, ...]  #: at the start, in the order of ``limits.names``

    def at(self, link: str, point: Triple = (0.0, 0.0, 0.0), *, axis: Triple = (0.0, 0.0, 1.0)) -> Marker:
        """A marker on a link, given in the link's axes; links on fixed joints are included."""
        if link not in self.places:
            raise ModelError(f"robot {self.model.name!r} has no link {link!r}; {alternatives(link, self.places)}")
        place = self.places[link]
        return place.body.at(triple(place.p + place.R @ point), axis=triple(place.R @ axis))

    @property
    def measured(self) -> tuple[str, ...]:
        """Names of the joints' coordinates in ``driven()``, in the order of ``limits.names``."""
        return tuple(f"{x.name}.{x.coordinates()[0].name}" for x in self._measures())

    def driven(self) -> Model:
        """The model with each joint's position as a coordinate and a motor along it; controls are named as joints."""
        measures = self._measures()
        motors = [
            Actuator(name=f"motor of {joint}", along=along, control=joint)
            for joint, along in zip(self.limits.names, self.measured, strict=True)
        ]
        there = {item.name for item in self.model.items}
        more = [item for item in (*measures, *motors) if item.name not in there]
        return replace(self.model, items=(*self.model.items, *more))

    def _measures(self) -> list[Turn | Travel]:
        return measures_of(self.model, self.limits.names, self.positions)


def measures_of(model: Model, names: Sequence[str], positions: Sequence[float]) -> list[Turn | Travel]:
    """Turns of hinges and travels of guides, as coordinates."""
    joints: dict[str, Any] = {x.name: x for x in model.items}
    return [
        Turn(name=f"turn of {name}", a=joints[name].a, b=joints[name].b, near=near)
        if isinstance(joints[name], Revolute)
        else Travel(name=f"travel of {name}", a=joints[name].a, b=joints[name].b)
        for name, near in zip(names, positions, strict=True)
    ]


def read_urdf(
    path: str | Path,
    *,
    positions: Mapping[str, float] | None = None,
    rates: Mapping[str, float] | None = None,
    gravity: Triple = DOWN,
) -> Robot:
    """Read a robot from a URDF file, its root fixed to the ground; ``positions`` and ``rates`` by joint, default 0.

    Revolute, continuous, prismatic, fixed, planar and floating joints; signs of angles and travels as in the file.
    ``<mimic>`` is refused, ``<dynamics>`` is ignored with a warning. A moving body needs mass and inertia.
    """
    file = urdf_file(path)
    starts = [joint_numbers(file, what, given or {}) for what, given in (("position", positions), ("rate", rates))]
    try:
        return TreeAssembly(file, *starts).robot(gravity)
    except FileError:
        raise
    except ModelError as error:
        raise FileError(file.path, f"{error}; correct <inertial> of this link and of those fixed to it") from None


def joint_numbers(file: UrdfFile, what: str, given: Mapping[str, float]) -> dict[str, float]:
    """One value per joint with one coordinate; warn if a start lies outside its limits."""
    known = {j.name: j for j in file.joints if j.kind in _ONE_NUMBER}
    for name, value in given.items():
        if name not in known:
            raise ModelError(
                f"{file.path.name}: no joint with one {what} is called {name!r}; {alternatives(name, known)}"
            )
        if isinstance(value, bool | str) or not math.isfinite(value):
            raise ModelError(f"{file.path.name}, joint {name!r}: {what} must be a finite number, got {value!r}")
    found = {name: float(given.get(name, 0.0)) for name in known}
    for name, x in found.items():
        lower, upper, _, fastest = known[name].limits
        least, most = (lower, upper) if what == "position" else (-fastest, fastest)
        if not least <= x <= most:
            text = f"{file.path.name}, joint {name!r} starts with the {what} {x:g}, outside {least:g} … {most:g}"
            warnings.warn(text, RunWarning, stacklevel=3)
    return found


@final
@dataclass(frozen=True, slots=True)
class _Moving:
    """Pose and rates of a link's frame in the world, at the start."""

    p: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray


@final
class TreeAssembly:
    """Traverses the joints from the root: which links form one body, its initial pose and velocity."""

    def __init__(self, file: UrdfFile, q: Mapping[str, float], v: Mapping[str, float]) -> None:
        self.file, self.q, self.v = file, q, v
        carried = {j.child for j in file.joints}
        self.root = next(link for link in file.links if link not in carried)
        self.heads = {self.root: (self.root, np.zeros(3), np.eye(3))}  # link → link its body is called after, p, R
        self.starts = {self.root: _Moving(np.zeros(3), np.eye(3), np.zeros(3), np.zeros(3))}
        waiting = list(file.joints)
        while waiting:
            joint = next(j for j in waiting if j.parent in self.heads)
            waiting.remove(joint)
            self._follow(joint)

    def _frame(self, joint: UrdfJoint) -> tuple[str, np.ndarray, np.ndarray]:
        """Frame of a joint on its parent body, in the axes of the link after which that body is named."""
        head, p, R = self.heads[joint.parent]
        return head, p + R @ joint.p, R @ joint.R

    def _follow(self, joint: UrdfJoint) -> None:
        """p_B = p_A + R_A (p + R n q), R_B = R_A R R(n, q): the turn of a hinge or the travel of a guide."""
        head, p, R = self._frame(joint)
        if joint.kind == "fixed":
            self.heads[joint.child] = (head, p, R)
            return
        A, (q, v) = self.starts[head], (x.get(joint.name, 0.0) for x in (self.q, self.v))
        slides = joint.kind == "prismatic"
        n = A.R @ R @ joint.axis
        arm = A.R @ p + (q * n if slides else 0.0)
        turn = np.eye(3) if slides else np.array(matrix_of(about(joint.axis, q)))
        velocity = A.v + np.cross(A.w, arm) + (v * n if slides else 0.0)
        spin = A.w + (0.0 if slides else v * n)
        self.starts[joint.child] = _Moving(A.p + arm, A.R @ R @ turn, velocity, spin)
        self.heads[joint.child] = (joint.child, np.zeros(3), np.eye(3))

    def robot(self, gravity: Triple) -> Robot:
        bodies: dict[str, RigidBody | Ground] = {self.root: ground}
        centres = {self.root: np.zeros(3)}
        for head in self.starts:
            if head != self.root:
                whole = self._whole(head)
                bodies[head], centres[head] = self._body(head, whole), whole.centre
        places = {link: LinkPlace(bodies[h], p - centres[h], R) for link, (h, p, R) in self.heads.items()}
        moving = [j for j in self.file.joints if j.kind != "fixed"]
        items: list[Item] = [b for b in bodies.values() if b is not ground]
        items += [self._add_joint(j, places) for j in moving]
        one = [j for j in moving if j.kind in _ONE_NUMBER]
        limits = JointLimits(tuple(j.name for j in one), *(tuple(j.limits[k] for j in one) for k in range(4)))
        model = Model(name=self.file.name, items=tuple(items), gravity=gravity)
        return Robot(model, limits, places, tuple(self.q[j.name] for j in one))

    def _whole(self, head: str) -> Inertial:
        """Mass, centre and J = Σ R Jᵢ Rᵀ + mᵢ (dᵢ·dᵢ I − dᵢ dᵢᵀ) of the links that are one body."""
        parts = [
            Inertial(x.mass, p + R @ x.centre, R @ x.J @ R.T)
            for link, (h, p, R) in self.heads.items()
            if h == head and (x := self.file.links[link]) is not None
        ]
        whole = combine(parts)
        if whole is None:
            raise FileError(
                self.file.path, f"link {head!r} moves but has no mass; give it <inertial>, or make its joint fixed"
            )
        return whole

    def _body(self, head: str, whole: Inertial) -> RigidBody:
        B, J = self.starts[head], whole.J
        arm = B.R @ whole.centre
        return RigidBody(
            name=head,
            mass=whole.mass,
            inertia=tuple(float(J[i, k]) for i, k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))),
            position=triple(B.p + arm),
            attitude=quaternion_of(B.R),
            velocity=triple(B.v + np.cross(B.w, arm)),
            spin=triple(B.R.T @ B.w),
        )

    def _add_joint(self, joint: UrdfJoint, places: Mapping[str, LinkPlace]) -> Item:
        """Add a joint with equal axes on both sides at position 0, so that its coordinate is that of the file."""
        axes = axes_along(triple(joint.axis))
        before, after = places[joint.parent], places[joint.child]
        A, B = before.R @ joint.R @ axes, axes
        a = before.body.at(triple(before.p + before.R @ joint.p), axis=triple(A[:, 2]), across=triple(A[:, 0]))
        b = after.body.at(triple(after.p), axis=triple(B[:, 2]), across=triple(B[:, 0]))
        joined: Item = _JOINTS[joint.kind](name=joint.name, a=a, b=b)
        return joined


def triple(x: Any) -> Triple:
    a, b, c = (float(y) for y in x)
    return a, b, c
