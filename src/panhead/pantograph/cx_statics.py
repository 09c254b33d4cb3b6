"""A pantograph at rest under the wire: the moment that presses with a wanted force at a wanted height."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from panhead.bodies import ground
from panhead.errors import ModelError, NotConverged
from panhead.joints import Held, PointOnPlane
from panhead.methods.equilibrium import consistent_rates, equilibrium
from panhead.methods.linear_solvers import least_norm
from panhead.methods.trajectory import State
from panhead.multibody.system import MultibodySystem
from panhead.pantograph.cx_assembly import POSE
from panhead.pantograph.cx_model import CxModel
from panhead.rotations import matrix_of
from panhead.system import Vector, no_controls

LIFT = "lift.torque.1"  #: the number of the model that is the moment on the lower arm
_STOP = "wire"  # the plane that stands in for the wire
_HEIGHT = f"{_STOP}.0.p.2"  # where it is
_STEP = 0.1  # of the height from one equilibrium to the next: Newton's method follows it easily [m]
_PULL = 2e3  # at the plane; the weight of all is half of it: more means arms stretched out or folded [N]
_CLOSE = 1e-9  # of the force wanted, relative
_NUDGE = 100.0  # from the first moment to the second [N·m]
_MOST = 12  # secants; three or four are enough


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Equilibrium under a contact force, moving with the train."""

    system: MultibodySystem  #: with the moment set
    state: State  #: at t = 0; all parts move at the train's speed
    lam: Vector  # (nc,) reactions
    u: Vector  # (nu,) the contact force as controls
    moment: float  #: on the lower arm [N·m]
    height: float  #: of the strip's middle above the base [m]
    force: float  #: contact force [N]


def settled(description: CxModel, *, height: float, force: float) -> Settled:
    """Statics at a given height of the strip with a given contact force; the moment follows.

    The strip is held at the height by a plane; its reaction F(M) is nearly linear in the moment M, so that
    secants find M with F(M) = force. ``height`` [m] is above the base, ``force`` [N] presses down on the head.
    """
    standing = replace(description, speed=0.0)  # dampers at the roof must not see it run away
    rigid = replace(standing, flexible="none")
    held, q = _raised(_held(rigid), description, height)
    moment, q = _calibrated(held, q, force)
    if description.flexible != "none":
        bent = _held(standing).changed({_HEIGHT: description.base[2] + height, LIFT: moment})
        moment, q = _calibrated(bent, _stiff(standing, held, q, bent), force)
    system = description.model().system().changed({LIFT: moment})
    u = no_controls(system)
    strips = description.parts().strips()
    for strip in strips:
        strip.on(system).push(u, 0.0, -force / len(strips))
    v = np.zeros(len(q))
    v[[k for k, name in enumerate(system.coordinates) if name.endswith(".x")]] = description.speed
    v = consistent_rates(system, q, v)
    lam = least_norm(system.constraint_q(0.0, q).T, system.force(0.0, q, v, u))
    return Settled(
        system=system,
        state=State(q=q, v=v),
        lam=lam,
        u=u,
        moment=moment,
        height=height,
        force=force,
    )


def _held(description: CxModel) -> MultibodySystem:
    """The model with the middle of its head on a horizontal plane."""
    plane = PointOnPlane(name=_STOP, a=ground.at(), b=description.parts().middle())
    if description.head_turns == "roll":
        return description.model(plane).system()
    # nothing holds a pitching head: let it stand level
    level = Held(name="level", values={"head.e2": 0.0})
    return description.model(plane, level).system()


def _stiff(
    description: CxModel, rigid: MultibodySystem, q: Vector, bent: MultibodySystem
) -> Vector:
    """The rigid model's configuration q for a model with a flexible member, undeformed: it closes every joint."""
    member = description.parts().bending
    if member is None:
        return q
    known = dict(zip(rigid.coordinates, q, strict=True))
    p, e = (
        np.array([known[f"{member.member}.{n}"] for n in names])
        for names in ("xyz", ("e0", "e1", "e2", "e3"))
    )
    R = np.array(matrix_of(e))
    for body, point in member.origins().items():
        pose = (*(p + R @ point), *e)
        known |= {f"{body}.{n}": x for n, x in zip(POSE, pose, strict=True)}
    return np.array([known.get(name, 0.0) for name in bent.coordinates])


def _raised(
    held: MultibodySystem, description: CxModel, height: float
) -> tuple[MultibodySystem, Vector]:
    """Equilibrium at the height, by way of those between it and the printed one."""
    base = description.base[2]
    printed = description.linkage.body("head").position[2]
    count = max(1, int(np.ceil(abs(height - printed) / _STEP)))
    moment = description.linkage.printed_moment
    q, row = held.start.q, held.constraints.index(f"{_STOP}.apart")
    for h in np.linspace(printed, height, count + 1):
        system = held.changed({_HEIGHT: float(base + h), LIFT: moment})
        try:
            q, lam = equilibrium(system, q)
            pull = abs(float(lam[row]))
        except NotConverged:
            pull = np.inf
        if not pull < _PULL:
            raise ModelError(
                f"{description.linkage.name!r} cannot stand with its strip {h:g} m above the base; choose a "
                f"height nearer to {printed:g} m"
            )
    return system, q


def _calibrated(held: MultibodySystem, q: Vector, force: float) -> tuple[float, Vector]:
    """M with F(M) = force, and the configuration then."""
    row = held.constraints.index(f"{_STOP}.apart")

    def pressed(moment: float, q: Vector) -> tuple[float, Vector]:
        q, lam = equilibrium(held.changed({LIFT: moment}), q)
        return float(lam[row]), q

    first = held.parameters[LIFT]
    moments, (f, q) = [first, first + _NUDGE], pressed(first, q)
    forces = [f]
    for _ in range(_MOST):
        f, q = pressed(moments[-1], q)
        forces.append(f)
        if abs(f - force) <= _CLOSE * max(1.0, abs(force)):
            return moments[-1], q
        slope = (forces[-1] - forces[-2]) / (moments[-1] - moments[-2])
        moments.append(moments[-1] + (force - f) / slope)
    raise NotConverged(f"no moment was found that presses with {force:g} N; last {forces[-1]:g} N")
