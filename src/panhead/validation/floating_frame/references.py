"""Floating-frame bodies: conservation laws, independence of the frame, comparison with finite elements."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
import scipy.linalg

from panhead.engine.bodies import FloatingBody, VirtualBody, ground
from panhead.engine.forces import Push
from panhead.engine.joints import Rigid, RigidFlexible
from panhead.engine.methods.integrators import Adaptive, GeneralizedAlpha
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Trajectory
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.outline import positions
from panhead.engine.roles import Item
from panhead.engine.rotations import matrix_of
from panhead.engine.structures import (
    BeamMaterial,
    BodyFixed,
    JointMass,
    Member,
    PrincipalAxes,
    ReducedStructure,
    Section,
    Structure,
    frame,
    reduce_structure,
)
from panhead.engine.structures.reference_conditions import Reference
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, below, largest, listed, near
from panhead.validation.floating_frame.rotation import spinning_beam_checks

_TIGHT = Adaptive(rtol=1e-11, atol=1e-13)
_BY = "eighth-order steps by their error (DOP853), rtol 1e-11"
_VIBRATIONS, _RATES = 6, (0.6, -0.4, 0.5, 0.3, -0.5, 0.4)
_AMPLITUDE = 0.2  # of those rates, where frames are compared
_SPIN = (3.0, -5.0, 4.0)  # [rad/s]
_FEW = 4.0  # coefficients of second-order terms are of order one
_NOWHERE = (0.0, 0.0, 0.0)


def floating_frame() -> Sequence[Check]:
    """All rows: a bow of two tubes with an end mass, free and clamped; a rotating beam."""
    return [*_conservation(), *_references(), *_finite_elements(), *spinning_beam_checks()]


@functools.cache
def bow() -> Structure:
    """Two aluminium tubes at an angle in space, 0.5 kg at the end."""
    metal = BeamMaterial(young=70e9, poisson=0.33, density=2700.0)
    tube = Section.tube(diameter=0.02, thickness=0.002)
    bar = lambda begin, end, n: Member(begin=begin, end=end, section=tube, material=metal, elements=n)
    return frame(
        "bow",
        joints={"foot": _NOWHERE, "knee": (1.0, 0.0, 0.0), "tip": (1.2, 0.7, 0.3)},
        members=(bar("foot", "knee", 8), bar("knee", "tip", 6)),
        lumps=(JointMass(at="tip", mass=0.5, inertia=(1e-3, 1e-3, 2e-3)),),
    )


def _conservation() -> list[Check]:
    """A free body spins and vibrates: momenta by a sum over nodes, energy, mean axes."""
    s = reduce_structure(bow(), modes=_VIBRATIONS)
    body = FloatingBody(
        name="bow",
        structure=s,
        position=(1.0, 2.0, 3.0),
        velocity=(1.0, -2.0, 0.5),
        spin=_SPIN,
        deformation_rate=_RATES,
    )
    system = Model(name="free", items=(body,), gravity=_NOWHERE).system()
    motion = simulate(system, system.start, duration=0.15, dt=0.015, method=_TIGHT)
    P, L = (momenta(s, motion)[:, k : k + 3] for k in (0, 3))
    E = np.array([sum(system.energy(0.0, q, v)) for q, v in zip(motion.q, motion.v, strict=True)])
    drift = lambda x: float(np.abs(x - x[0]).max() / np.linalg.norm(x[0]))
    first, second, scale = _mean_axes(s, motion)
    counted = f"{_VIBRATIONS} free–free vibrations, 6 rigid motions left out, no static shapes; {_BY}"
    return [
        below("free body: change of momentum, relative", drift(P), 1e-10, "1", counted, by=BEFORE),
        below("free body: change of moment of momentum, relative", drift(L), 1e-10, "1", counted, by=BEFORE),
        below("free body: change of energy, relative", np.ptp(E) / E[0], 1e-8, "1", counted, by=BEFORE),
        below("mean axes with static corrections: momenta of deformation, relative", _corrections(), 1e-12, "1",
            "Σ m δ̇ = 0, Σ m x × δ̇ + μ θ̇ = 0 (Ambrosio 2011, eq. (5)), imposed on shapes that do not have it; to the "
            "sum of sizes", by=BEFORE),
        listed("mean axes: momenta of deformation along the motion, relative", first, 0.0, "1",
            "by construction: free–free vibrations have none"),
        listed("mean axes: Σ m δ × δ̇, what is left out, relative", second, 0.0, "1",
            f"of second order: never above the largest δ over the body's size, {scale:.2g}"),
    ]  # fmt: skip


def _corrections() -> float:
    """Momenta of every static correction shape at foot and tip, to the sum of sizes: the largest."""
    s = reduce_structure(bow(), interfaces=("foot", "tip"), modes=_VIBRATIONS)
    return largest(_momenta_of_shape(s, k) for k in range(s.displacements.shape[2]))


def _momenta_of_shape(s: ReducedStructure, k: int) -> float:
    rate, turning, m = s.displacements[:, :, k], s.rotations[:, :, k], s.nodal_mass[:, None]
    moment, spin = m * np.cross(s.points, rate), np.einsum("jab,jb->ja", s.nodal_inertia, turning)
    share = lambda x, of: float(np.linalg.norm(x.sum(axis=0)) / np.linalg.norm(of, axis=1).sum())
    return largest([share(m * rate, m * rate), share(moment + spin, moment)])


def momenta(s: ReducedStructure, motion: Trajectory) -> np.ndarray:
    """Momentum and angular momentum about the origin along a motion of one body, node by node, (n, 6)."""
    found = []
    for q, v in zip(motion.q, motion.v, strict=True):
        R, omega, w, w_dot = np.array(matrix_of(q[3:7])), spin_of(q, v), q[7:], v[7:]
        c = s.points + s.displacements @ w
        moving = v[:3] + (np.cross(omega, c) + s.displacements @ w_dot) @ R.T
        turning = np.einsum("jab,jb->a", s.nodal_inertia, omega + s.rotations @ w_dot)
        arms = np.cross(q[:3] + c @ R.T, moving)
        found.append([*(s.nodal_mass @ moving), *(s.nodal_mass @ arms + R @ turning)])
    return np.array(found)


def spin_of(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """w_WB_B = 2 L(e) ė, (3,) [rad/s]."""
    a, b, c, d = q[3:7]
    return 2 * np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]]) @ v[3:7]


def _mean_axes(s: ReducedStructure, motion: Trajectory) -> tuple[float, float, float]:
    """Momenta of deformation in the frame to the sum of sizes, of first and second order; δ to the body's size."""
    first = second = deflection = 0.0
    for q, v in zip(motion.q, motion.v, strict=True):
        delta, rate = s.displacements @ q[7:], s.displacements @ v[7:]
        turning = s.rotations @ v[7:]
        m, spin = s.nodal_mass[:, None], np.einsum("jab,jb->ja", s.nodal_inertia, turning)
        moment, left = m * np.cross(s.points, rate), m * np.cross(delta, rate)
        share = lambda x, of: float(np.linalg.norm(x.sum(axis=0)) / np.linalg.norm(of, axis=1).sum())
        first = largest([first, share(m * rate, m * rate), share(moment + spin, moment)])
        second = largest([second, share(left, moment)])
        deflection = largest([deflection, np.linalg.norm(delta, axis=1).max()])
    return first, second, deflection / float(np.linalg.norm(s.points, axis=1).max())


def _references() -> list[Check]:
    """One motion in three reference frames: differences of node positions, and their order in the amplitude."""
    frames: dict[str, Reference] = {"body-fixed axes": BodyFixed(("foot",)), "principal axes": PrincipalAxes()}
    base = reduce_structure(bow(), modes=_VIBRATIONS)
    others = {k: reduce_structure(bow(), modes=_VIBRATIONS, reference=r) for k, r in frames.items()}
    counted = f"mean axes; the same {_VIBRATIONS} vibrations in all frames"
    checks = []
    for name, s in others.items():
        # deformations of the second run are half those of the first: vibration by half, spin by √½
        (whole, deformation), (half, _) = (_gap(s, base, x) for x in (_AMPLITUDE, _AMPLITUDE / 2))
        checks += [
            below(f"{name}: motion of a spinning body's nodes, difference to its size", whole, _FEW * deformation**2,
                "1",
                f"{counted}; of second order: a few times (largest displacement / size)² = ({deformation:.2g})²",
                by=AFTER),
            at_least(f"{name}: order of the difference in the deformation", math.log2(whole / half), 1.9, "1",
                "turns of the frame are exact, displacements linear: 2", reference=2.0, by=BEFORE),
        ]  # fmt: skip
    return checks


def _gap(s: ReducedStructure, base: ReducedStructure, amplitude: float) -> tuple[float, float]:
    """Largest difference of node positions and largest displacement seen from a frame, to the body's size."""
    size = float(np.linalg.norm(np.ptp(base.points, axis=0)))
    one, two = _nodes(base, base, amplitude), _nodes(s, base, amplitude)
    return float(np.abs(one[0] - two[0]).max()) / size, two[1] / size


def _nodes(s: ReducedStructure, base: ReducedStructure, amplitude: float) -> tuple[np.ndarray, float]:
    """Positions of three places over time, (n, 3, 3), and the largest displacement of a node [m].

    It starts undeformed, with the velocities that ``base`` starts with.
    """
    rate, spin = amplitude * np.array(_RATES), np.sqrt(amplitude / _AMPLITUDE) * np.array(_SPIN)
    # what the frames see differently is a rigid motion d + φ × x: the frame takes it over
    R = np.zeros((len(base.points), 3, 6))
    R[:, :, :3] = np.eye(3)
    for axis in range(3):
        R[:, :, 3 + axis] = np.cross(np.eye(3)[axis], base.points)
    seen = ((s.displacements - base.displacements) @ rate).ravel()
    d, phi = np.split(np.linalg.lstsq(R.reshape(-1, 6), seen, rcond=None)[0], 2)
    offset, omega = s.origin - base.origin, spin - phi
    body = FloatingBody(
        name="bow",
        structure=s,
        position=tuple(offset),
        velocity=tuple(np.cross(omega, offset) - d),
        spin=tuple(omega),
        deformation_rate=tuple(rate),
    )
    system = Model(name="seen", items=(body,), gravity=_NOWHERE).system()
    motion = simulate(system, system.start, duration=0.05, dt=0.005, method=_TIGHT)
    displacement = np.linalg.norm(np.einsum("jak,nk->nja", s.displacements, motion.q[:, 7:]), axis=2)
    places = [body.at(place) for place in ("foot", "knee", "tip")]
    return positions(system, motion, places), float(displacement.max())


def _finite_elements() -> list[Check]:
    """Clamped bow: reduced body against the full finite-element model."""
    s = reduce_structure(bow(), interfaces=("foot", "tip"), modes=0)
    body = FloatingBody(name="bow", structure=s, position=tuple(s.origin))
    clamp = Rigid(name="clamp", a=ground.at(), b=body.at("foot"))
    system = Model(name="clamped", items=(body, clamp), gravity=_NOWHERE).system()
    found = modes(linearise(system, system.start.q, np.zeros(system.nc))).frequency
    K, M = bow().stiffness.toarray(), bow().mass_matrix().toarray()
    foot, tip = (6 * bow().places[place][0] for place in ("foot", "tip"))
    kept = np.setdiff1d(np.arange(len(K)), foot + np.arange(6))
    squares, shapes = scipy.linalg.eigh(K[np.ix_(kept, kept)], M[np.ix_(kept, kept)])
    whole = np.sqrt(squares) / (2 * np.pi)
    full = f"all {len(kept)} coordinates of the finite elements"
    counted = f"{full}; 12 shapes: no vibrations, deflections under 6 loads at foot and at tip"
    force = np.array([0.03, -0.02, 0.05])
    load = np.zeros(len(K))
    load[tip : tip + 3] = force
    motions = [_step_response(body, clamp, tuple(force)), _step_response(body, None, tuple(force))]
    t = motions[0][0]
    u = np.zeros((len(K), len(t)))
    swing = 1 - np.cos(np.sqrt(squares)[:, None] * t)
    u[kept] = (shapes * (shapes.T @ load[kept] / squares)) @ swing
    exact = u[tip : tip + 3].T
    gap = float(np.abs(motions[0][1] - exact).max() / np.abs(exact).max())
    return [
        *(
            near(f"clamped bow, frequency {k + 1}", found[k], whole[k], "Hz", counted, rel=1e-3, by=BEFORE)
            for k in range(4)
        ),
        below(
            "tip under a step force: relative difference", gap, 1e-2, "1", f"{full}, in closed form",
            by=BEFORE,
        ),
        below("clamped through a virtual body: change of the tip's motion",
            float(np.abs(motions[1][1] - motions[0][1]).max() / np.abs(exact).max()), 1e-9, "1",
            "the same joint and force attached directly to the body", by=CLOSED_FORM),
    ]  # fmt: skip


def _step_response(body: FloatingBody, clamp: Rigid | None, force: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Times and tip displacement after a step force; without ``clamp`` all is fastened to virtual bodies."""
    push = (force[0], force[1], force[2])
    if clamp is not None:
        items: tuple[Item, ...] = (body, clamp, Push(name="push", at=body.at("tip"), force=push))
    else:
        foot, tip = (VirtualBody(name=n, on=body.at(n)) for n in ("foot", "tip"))
        items = (
            body,
            foot,
            tip,
            Rigid(name="clamp", a=ground.at(), b=foot.at()),
            *(RigidFlexible(name=f"{x.name} held", a=x.on, b=x.at()) for x in (foot, tip)),
            Push(name="push", at=tip.at(), force=push),
        )
    system: MultibodySystem = Model(name="pushed", items=items, gravity=_NOWHERE).system()
    method = GeneralizedAlpha(spectral_radius=1.0)
    motion = simulate(system, system.start, duration=0.3, dt=2e-4, method=method, keep=1e-3)
    p = positions(system, motion, [body.at("tip")])[:, 0]
    return motion.t, p - p[0]
