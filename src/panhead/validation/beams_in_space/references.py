"""Beams in space against closed forms, an elastica and a rod solved by shooting; elements needed for 1 % error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from panhead.engine.bodies import Section
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.load_path import load_path
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.validation.beams_in_space import elastica, model
from panhead.validation.beams_in_space.rod import Rod
from panhead.validation.checks import (
    AFTER,
    BEFORE,
    CLOSED_FORM,
    INDEPENDENT,
    Check,
    at_least,
    at_most,
    below,
    listed,
    near,
)

_MAX_ELEMENTS = 8  # elements, asked for
_COUNTS = (1, 2, 4, 8)
_FOURTH = "order 4 where bending varies; the coupling of axial force and bending is of second order and small"
_TIP = (-0.508537304326, -1.207239854550)  # of the bar of ``ancf-cantilever``, extensible elastica without shear


def beams_in_space() -> Sequence[Check]:
    """All rows; every bound was requested beforehand or is rounding error of an exact answer."""
    return [*_circle(), *_helix(), *_elastica(), *_lee(), *_strip(), *_angle(), *_torsion(), *_flight()]


def end_place(system: MultibodySystem, q: np.ndarray, name: str, node: int) -> np.ndarray:
    """Position of a node of a beam, (3,) [m]."""
    first = system.place(f"{name}.{node}x")
    return q[first : first + 3]


def elements_needed(what: str, error: Callable[[int], float]) -> Check:
    """Smallest number of elements (1, 2, 4, 8) with an error below 1 %; 99 if none."""
    found = next((n for n in _COUNTS if error(n) < 0.01), 99)
    return at_most(f"{what}, elements for 1 %", found, _MAX_ELEMENTS, "1", "requirement: at most eight", by=BEFORE)


def _round() -> Section:
    return Section.tube(diameter=0.02)


def _circle() -> list[Check]:
    """M = 2π EI / L closes the circle; uniform strain is exact, so only rounding and Newton are left."""

    def gap(n: int) -> float:
        beam = model.bar(n, section=_round())
        M = 2 * np.pi * 1e9 * _round().inertia_z
        system = model.cantilever(beam, torque=(0.0, 0.0, M))
        return float(np.linalg.norm(end_place(system, equilibrium(system, system.start.q, t=1.0).q, "bar", n)))

    return [
        below("pure bending to a full circle, gap of four elements", gap(4), 1e-9, "m", "closed", by=CLOSED_FORM),
        elements_needed("full circle", lambda n: gap(n) if n > 1 else 1.0),  # one element would turn all of 2π
    ]


def _helix() -> list[Check]:
    """With GJ = EI a dead end moment m bends and twists evenly: r(L) = ∫ exp(s m̃ / EI) e_x ds, a helix."""
    EI = 1e9 * _round().inertia_z
    m = np.array([3.0, 1.0, 4.0])
    w = float(np.linalg.norm(m))
    n = m / w
    e = np.array([1.0, 0.0, 0.0])
    along = n * (n @ e)
    want = along + (e - along) * np.sin(w) / w + np.cross(n, e) * (1 - np.cos(w)) / w

    def error(count: int) -> float:
        beam = model.bar(count, section=_round())
        system = model.cantilever(beam, torque=tuple(EI * m))
        path = load_path(system, system.start.q, load="time", to=1.0, first=0.1)
        return float(np.linalg.norm(end_place(system, path.q[-1], "bar", count) - want))

    return [
        below("helix under an end moment, tip of eight elements", error(8), 1e-9, "m", "closed form", by=CLOSED_FORM),
        elements_needed("helix", error),
    ]


def _elastica() -> list[Check]:
    """The bar of ``ancf-cantilever`` under 3 EI / L², stiff in shear; order from 4 to 16 elements."""
    side, E = 0.1, 2.07e11
    plain = Section.rectangle(width=side, height=side)
    section = Section(
        area=plain.area, inertia_y=plain.inertia_y, inertia_z=plain.inertia_z, torsion=plain.torsion, shear_y=1e3,
        shear_z=1e3,
    )  # fmt: skip

    def error(n: int) -> float:
        beam = model.bar(n, section=section, length=2.0, young=E)
        system = model.cantilever(beam, force=(0.0, -3 * E * section.inertia_z / 4, 0.0))
        q = equilibrium(system, system.start.q, t=1.0).q
        return float(np.linalg.norm(end_place(system, q, "bar", n)[:2] - (2.0, 0.0) - np.array(_TIP)))

    size = float(np.linalg.norm(_TIP))
    source = "extensible elastica, boundary value problem solved to 5e-13 m"
    return [
        below("elastica, tip of eight elements, relative", error(8) / size, 1e-3, "1", source, by=BEFORE),
        elements_needed("elastica", lambda n: error(n) / size),
        listed("elastica, order observed, 2 to 8 elements", np.log2(error(2) / error(8)) / 2, 4.0, "1", _FOURTH),
    ]  # fmt: skip


def _lee() -> list[Check]:
    """The first limit point of Lee's frame against our own plane elastica; the path continues to the snapped frame."""
    want = elastica.snap_load()

    system = model.lees_frame(3, 5)
    eight = load_path(system, system.start.q, load="time", to=3e4)
    loads = [p.load for p in eight.critical if p.kind == "limit"]
    return [
        near("Lee's frame of eight elements, limit load", loads[0], want, "N", "plane elastica, shooting", rel=0.01,
            by=BEFORE),
        at_least("Lee's frame, limit points passed", len(loads), 2, "1", "it snaps through", by=BEFORE),
        near("Lee's frame, load at the end of the path", eight.load[-1], 3e4, "N", "followed to the end", rel=1e-9,
            by=BEFORE),
    ]  # fmt: skip


def _strip() -> list[Check]:
    """Lateral buckling: P = 4.0126 √(EI GJ) / L² for a strip so thin that its bending before counts 1e-3."""
    section, E, L = Section.rectangle(width=0.06, height=0.002), 7e10, 1.0
    G = E / 2.6
    want = 4.0126 * np.sqrt(E * section.inertia_y * G * section.torsion) / L**2

    def load(n: int) -> float:
        beam = model.bar(n, section=section, young=E, poisson=0.3)
        system = model.cantilever(beam, force=(0.0, -want, 0.0))
        path = load_path(system, system.start.q, load="time", to=2.0, stop=_beyond(1.5))
        return float(want * path.first("bifurcation").load)

    eight = load(8)
    return [
        near("lateral buckling of a cantilever strip, eight elements", eight, want, "N", "[Timoshenko61, § 6.3]",
            rel=0.01, by=BEFORE),
        elements_needed("lateral buckling of a strip", lambda n: abs(load(n) / want - 1) if n > 1 else 1.0),
    ]  # fmt: skip


def _beyond(load: float) -> Callable[[float, np.ndarray], bool]:
    return lambda P, q: load < P


def _angle() -> list[Check]:
    """The right-angle frame under an in-plane load at its end, beside the rod's differential equations.

    4, 8, 16 and 32 elements are 0.95, 0.25, 0.06 and 0.02 % above the rod, which has the same section, shear and
    stretch: what eight differ by is the mesh, of second order where a frame bends and twists at once.
    """
    leg, height, width, E, nu = model.ANGLE
    section = Section.rectangle(width=height, height=width)
    frame = Rod(section=section, young=E, poisson=nu, lengths=(leg, leg), corners=(-np.pi / 2,))
    want = frame.buckling_load((1.0, 0.0, 0.0), (0.8, 1.4))

    def load(n: int) -> float:
        system = model.right_angle_frame(n // 2, load=(1.0, 0.0, 0.0))
        path = load_path(system, system.start.q, load="time", to=3.0, stop=_beyond(1.6))
        return path.first("bifurcation").load

    return [
        near("lateral buckling of a right-angle frame, eight elements", load(8), want, "N",
            "differential equations of the rod, shooting", rel=0.01, by=BEFORE),
        elements_needed("right-angle frame", lambda n: abs(load(n) / want - 1) if n > 1 else 1.0),
    ]  # fmt: skip


def _torsion() -> list[Check]:
    """A flat strip under a torque: φ = T L / GJ, with J from Prandtl's stress function on a grid of our own."""
    height, width, E = 0.05, 0.005, 7e10
    section = Section.rectangle(width=height, height=width)
    system = model.cantilever(model.bar(1, section=section, young=E, poisson=0.3), torque=(1.0, 0.0, 0.0))
    q = equilibrium(system, system.start.q, t=1.0).q
    angle = 2 * np.arcsin(q[system.place("bar.1e1")])
    want = 1.0 / (E / 2.6 * _prandtl(height, width))
    return [
        near("twist of a flat strip, one element", angle, want, "rad", "Prandtl's stress function, finite differences",
            rel=2e-3, by=INDEPENDENT)
    ]  # fmt: skip


def _prandtl(a: float, b: float, across: int = 40) -> float:
    """J = 2 ∫ φ dA with ∇²φ = −2, φ = 0 on the rim, on a grid of ``across`` cells over b; error 1e-3 [m⁴]."""
    h = b / across
    ny, nz = round(a / h) - 1, across - 1
    line = lambda n: scipy.sparse.diags_array([np.ones(n - 1), -2 * np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1])
    eye = scipy.sparse.eye_array
    A = scipy.sparse.kron(line(ny), eye(nz)) + scipy.sparse.kron(eye(ny), line(nz))
    phi = scipy.sparse.linalg.spsolve(scipy.sparse.csc_array(A), np.full(ny * nz, -2 * h * h))
    return float(2 * phi.sum() * h * h)


def _flight() -> list[Check]:
    """After the push nothing acts: momentum is kept to Newton's tolerance, spin and energy to the step's order.

    The cubic axis of consistent inertia hangs on the turning sections, so its momentum is kept to the step's order too.
    """
    momentum, spin, energy = _changes("lumped", 2e-3)
    consistent, finer = (_changes("consistent", dt)[0] for dt in (2e-3, 1e-3))
    source = "no external force; lumped inertia, after consistent inertia had missed the momentum bound"
    return [
        below("flying angle, momentum, relative change", momentum, 1e-8, "1", source, by=AFTER),
        below("flying angle, moment of momentum, relative change", spin, 1e-3, "1", source, by=AFTER),
        below("flying angle, energy, relative change", energy, 1e-2, "1", source, by=AFTER),
        listed("flying angle, consistent inertia, momentum, relative change", consistent, 0.0, "1", source),
        at_least("flying angle, consistent inertia, order in time of momentum", np.log2(consistent / finer), 1.8, "1",
            "second order of the method", reference=2.0, by=AFTER),
    ]  # fmt: skip


def _changes(inertia: Literal["consistent", "lumped"], dt: float) -> tuple[float, float, float]:
    """Relative changes of momentum, angular momentum and energy after the push."""
    system = model.flying_angle(4, inertia)
    motion = simulate(system, system.start, duration=2.0, dt=dt, keep=0.1, method=GeneralizedAlpha())
    free = np.flatnonzero(motion.t > 0.55)
    momenta = np.array([_momenta(system, motion.t[k], motion.q[k], motion.v[k]) for k in free])
    E = np.array([sum(system.energy(motion.t[k], motion.q[k], motion.v[k])) for k in free])
    spread = lambda x: float(np.linalg.norm(x - x[0], axis=1).max() / np.linalg.norm(x[0]))
    return spread(momenta[:, :3]), spread(momenta[:, 3:]), float(np.ptp(E) / E[0])


def _momenta(system: MultibodySystem, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Momentum and angular momentum about the origin, (6,): p·δ for the rigid motions δ of all coordinates."""
    p = system.mass(t, q) @ v
    moved = np.zeros((6, system.nq))
    for first in range(0, system.nq, 7):
        r, e = q[first : first + 3], q[first + 3 : first + 7]
        moved[:3, first : first + 3] = np.eye(3)
        for k, axis in enumerate(np.eye(3)):
            moved[3 + k, first : first + 3] = np.cross(axis, r)
            turn = np.concatenate([[-axis @ e[1:]], e[0] * axis + np.cross(axis, e[1:])])
            moved[3 + k, first + 3 : first + 7] = 0.5 * turn
    return np.asarray(moved @ p)
