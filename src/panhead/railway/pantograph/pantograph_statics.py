"""Static equilibrium of a pantograph: its static contact force, or the moment for a required force."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np

from panhead.engine.bodies import ground
from panhead.engine.joints import Held, PointOnPlane
from panhead.engine.laws.gravity import GRAVITY, downwards
from panhead.engine.methods.equilibrium import consistent_rates, equilibrium
from panhead.engine.methods.linear_solvers import least_norm
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.roles import Triple
from panhead.engine.rotations import matrix_of
from panhead.engine.system import Vector, no_controls
from panhead.errors import ModelError, NotConverged
from panhead.railway.pantograph.linkage_closure import POSE
from panhead.railway.pantograph.linkage_pantograph import LinkagePantograph
from panhead.railway.pantograph.pantograph_protocol import Mechanics, Mount, Pantograph, TrainAxes
from panhead.railway.pantograph.strip import Strip

LIFT = "lift.torque.1"  #: the number of a linkage that is the moment on its lifted body
_STOP = "wire"  # the plane that stands in for the wire, or both over the virtual bodies of a head
_HEIGHT = ".0.p.2"  # where it is
_STEP = 0.1  # of the height from one equilibrium to the next: Newton's method follows it easily [m]
_PULL = 2e3  # at the plane; the weight of all is half of it: more means arms stretched out or folded [N]
_CLOSE = 1e-9  # of the force wanted, relative
_NUDGE = 100.0  # from the first moment to the second [N·m]
_MOST = 12  # secants; three or four are enough


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PantographEquilibrium:
    """Equilibrium under contact forces, in the axes of the mount."""

    system: MultibodySystem  #: with a control for every station of the strips
    mechanics: Mechanics
    state: State  #: at t = 0
    lam: Vector  # (nc,) reactions
    u: Vector  # (nu,) the contact forces as controls
    forces: tuple[float, ...]  #: it presses with, one per strip [N]

    @property
    def strips(self) -> tuple[Strip, ...]:
        """Strips of the pantograph."""
        return self.mechanics.strips

    @property
    def force(self) -> float:
        """Sum of the contact forces of all strips [N]."""
        return sum(self.forces)

    @property
    def moment(self) -> float:
        """Moment on the raised body of a linkage [N·m]."""
        return float(self.system.parameters[LIFT])


def equilibrium_with_strip_at(pantograph: Pantograph, mount: Mount, strip: Triple) -> PantographEquilibrium:
    """Equilibrium of any pantograph with its strip held at a place [m]; the holding forces are the contact forces."""
    mechanics = pantograph.on(mount, strip)
    stations = tuple(station for s in mechanics.strips for station in s.stations)
    system = Model(name=pantograph.name, items=(*mechanics.items, *stations), gravity=downwards(mount.gravity)).system()
    if mechanics.places:
        assert isinstance(pantograph, LinkagePantograph)
        q = np.array([mechanics.places[name] for name in system.coordinates])
        force = static_force_at_height(pantograph, mount.gravity).force
        forces = (force / len(mechanics.strips),) * len(mechanics.strips)
    else:
        q, forces = _held_by_planes(pantograph, mechanics, strip[2], mount.gravity)
    u = no_controls(system)
    for s, force in zip(mechanics.strips, forces, strict=True):
        s.on(system).push(u, 0.0, -force)
    v = consistent_rates(system, q, system.start.v)
    lam = least_norm(system.constraint_q(0.0, q).T, system.force(0.0, q, 0.0 * v, u))
    state = State(q=q, v=v)
    return PantographEquilibrium(system=system, mechanics=mechanics, state=state, lam=lam, u=u, forces=forces)


def equilibrium_at_height(
    pantograph: LinkagePantograph, *, height: float, force: float, base: Triple = (0.0, 0.0, 0.0)
) -> PantographEquilibrium:
    """Equilibrium of a linkage with its strip ``height`` [m] above its base and the contact force ``force`` [N]."""
    pressed = replace(pantograph, moment=None, static_force=force, height=height)
    head = pantograph.tables.body(pantograph.tables.head).position
    ahead = pantograph.strip_gap / 2 if pantograph.strips == 2 else 0.0
    strip = (base[0] + head[0] + ahead, base[1] + head[1], base[2] + height)
    return equilibrium_with_strip_at(pressed, TrainAxes(0.0), strip)


def _held_by_planes(
    pantograph: Pantograph, mechanics: Mechanics, height: float, gravity: float
) -> tuple[Vector, tuple[float, ...]]:
    """Equilibrium with the middle of every strip on a horizontal plane, and the reactions of the planes."""
    names = [f"{_STOP} {k}" for k in range(len(mechanics.strips))]
    planes = [
        PointOnPlane(name=name, a=ground.at((0.0, 0.0, height)), b=strip.middle)
        for name, strip in zip(names, mechanics.strips, strict=True)
    ]
    system = Model(name=pantograph.name, items=(*mechanics.items, *planes), gravity=downwards(gravity)).system()
    q, lam = equilibrium(system, system.start.q)
    forces = tuple(float(lam[system.constraints.index(f"{name}.apart")]) for name in names)
    if not min(forces) > 0.0:
        raise ModelError(
            f"pantograph {pantograph.name!r} presses with {', '.join(f'{f:.4g}' for f in forces)} N with its strip "
            f"at {height:g} m, so that it is not raised; increase its uplift force"
        )
    return q, forces


class HeldLinkage(NamedTuple):
    """A linkage in equilibrium with its strip held at its height, base at the origin."""

    moment: float  # on the lifted body [N·m]
    force: float  # its strip presses with [N]
    places: tuple[tuple[str, float], ...]  # every coordinate by name


@functools.lru_cache(maxsize=16)
def static_force_at_height(pantograph: LinkagePantograph, gravity: float = GRAVITY) -> HeldLinkage:
    """Static uplift force of a linkage at its ``height``; with a ``static_force``, the moment that gives it.

    The head is held at the height by a plane; its reaction F(M) is nearly linear in the moment M, so that
    secants find M with F(M) = force. A member that bends starts from the equilibrium of the rigid linkage: from
    the printed places, with joints open, the head may end up hanging under its springs.
    """
    force, height = pantograph.static_force, pantograph.strip_above_base
    bare = replace(pantograph, static_force=None, height=None)
    stiff = replace(bare, flexible="none", contact_acts_on="strip")
    held, q = _equilibrium_at_height(_model_under_plane(stiff, gravity), bare, height)
    moment, pressed, q = _moment_for_force(held, q, force)
    if bare.flexible != "none":
        bent = _at_height(_model_under_plane(bare, gravity), height).changed({LIFT: moment})
        moment, pressed, q = _moment_for_force(bent, _undeformed_configuration(bare, held, q, bent), force)
        held = bent
    if force is None and not pressed > 0.0:
        raise ModelError(
            f"pantograph {pantograph.name!r} presses with {pressed:.4g} N at {height:g} m above its base, so that "
            f"it is not raised; increase its moment of {moment:g} N·m or give a static_force"
        )
    return HeldLinkage(moment, pressed, tuple(zip(held.coordinates, map(float, q), strict=True)))


def _model_under_plane(pantograph: LinkagePantograph, gravity: float) -> MultibodySystem:
    """The model with its head on a horizontal plane where the contact force acts on it."""
    planes = [
        PointOnPlane(name=f"{_STOP} {k}", a=ground.at(), b=marker)
        for k, marker in enumerate(pantograph.parts().held_points())
    ]
    if pantograph.head_turns == "roll":
        return pantograph.model(*planes, stations=False, gravity=gravity).system()
    # nothing holds a pitching head: let it stand level
    level = Held(name="level", values={f"{pantograph.tables.head}.e2": 0.0})
    return pantograph.model(*planes, level, stations=False, gravity=gravity).system()


def _at_height(held: MultibodySystem, height: float) -> MultibodySystem:
    """The model with its planes at a height [m]."""
    names = [name for name in held.parameters if name.startswith(_STOP) and name.endswith(_HEIGHT)]
    return held.changed(dict.fromkeys(names, height))


def _plane_reactions(held: MultibodySystem, lam: Vector) -> float:
    """Sum of the reactions of the planes [N]."""
    rows = [k for k, name in enumerate(held.constraints) if name.startswith(_STOP) and name.endswith(".apart")]
    return float(lam[rows].sum())


def _undeformed_configuration(
    pantograph: LinkagePantograph, rigid: MultibodySystem, q: Vector, bent: MultibodySystem
) -> Vector:
    """The rigid model's configuration q for a model with a flexible member, undeformed: it closes every joint."""
    known = dict(zip(rigid.coordinates, q, strict=True))
    for name, member in pantograph.parts().bending.items():
        p, e = (np.array([known[f"{name}.{n}"] for n in names]) for names in ("xyz", ("e0", "e1", "e2", "e3")))
        R = np.array(matrix_of(e))
        for body, point in member.origins().items():
            pose = (*(p + R @ point), *e)
            known |= {f"{body}.{n}": x for n, x in zip(POSE, pose, strict=True)}
    return np.array([known.get(name, 0.0) for name in bent.coordinates])


def _equilibrium_at_height(
    held: MultibodySystem, pantograph: LinkagePantograph, height: float
) -> tuple[MultibodySystem, Vector]:
    """Equilibrium at the height, reached through intermediate heights from the printed one."""
    printed = pantograph.printed_height
    count = max(1, int(np.ceil(abs(height - printed) / _STEP)))
    q = held.start.q
    for h in np.linspace(printed, height, count + 1):
        system = _at_height(held, float(h))
        try:
            q, lam = equilibrium(system, q)
            pull = abs(_plane_reactions(system, lam))
        except NotConverged:
            pull = np.inf
        if not pull < _PULL:
            raise ModelError(
                f"{pantograph.name!r} has no equilibrium with its strip {h:g} m above the base; choose a "
                f"height nearer to {printed:g} m"
            )
    return system, q


def _moment_for_force(held: MultibodySystem, q: Vector, force: float | None) -> tuple[float, float, Vector]:
    """M with F(M) = force, or F of the moment it has; and the configuration then."""

    def pressed(moment: float, q: Vector) -> tuple[float, Vector]:
        q, lam = equilibrium(held.changed({LIFT: moment}), q)
        return _plane_reactions(held, lam), q

    first = held.parameters[LIFT]
    moments, (f, q) = [first, first + _NUDGE], pressed(first, q)
    if force is None:
        return first, f, q
    forces = [f]
    for _ in range(_MOST):
        f, q = pressed(moments[-1], q)
        forces.append(f)
        if abs(f - force) <= _CLOSE * max(1.0, abs(force)):
            return moments[-1], force, q
        slope = (forces[-1] - forces[-2]) / (moments[-1] - moments[-2])
        moments.append(moments[-1] + (force - f) / slope)
    raise NotConverged(
        f"no moment gives a static force of {force:g} N (last iterate {forces[-1]:g} N); choose another static_force"
    )
