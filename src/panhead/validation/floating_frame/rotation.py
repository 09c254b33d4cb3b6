"""Rotating beam: error of a floating frame with linear modes, and its reduction by substructuring."""

from __future__ import annotations

import functools
import math

import numpy as np
import scipy.linalg
from numpy.polynomial import Legendre, Polynomial

from panhead.engine.bodies import Cable, PlanarBody, RigidBody, ground
from panhead.engine.joints import Driven, Held, Revolute, Rigid, Turn
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.linear_solvers import dense
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.multibody.outline import positions
from panhead.engine.structures import Section
from panhead.runs.library.spinning_beam import ALUMINIUM, beam_segment, chain, spun_up
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, below, near

_LENGTH = 2.0
_SECTION = Section.rectangle(width=0.02, height=0.03)  # width in the plane of the turning
_RIGID = 1.0  # [rad/s]: below it is the hub that turns, blurred by rounding
_LINE = ALUMINIUM.density * _SECTION.area  # [kg/m]
_EI = ALUMINIUM.young * _SECTION.inertia_z
_MIDDLING, _FAST = 0.1, 0.3  # Ω / ω of the first lag mode at rest
_SIX = "6 shapes: no vibrations, deflections under two forces and a moment in the plane at each of 2 ends"
_STIFFENED = "tensioned beam, ½ m Ω² (L² − x²), by Ritz's method in 10 polynomials"


def spinning_beam_checks() -> list[Check]:
    """Frequencies in steady rotation with 1, 2, 4, 8 bodies; the spin-up against absolute nodal coordinates."""
    still = lag_frequency(0.0)
    fast = _FAST * still
    found = {n: _lag(n, fast) for n in (1, 2, 4, 8)}
    exact = lag_frequency(fast)
    error = {n: abs(found[n] / exact - 1) for n in found}
    slow = _MIDDLING * still
    loss = 1 - _lag(1, slow) / lag_frequency(slow)
    return [
        near("first frequency at rest, 1 body", _lag(1, 0.0), still, "rad/s", _SIX, rel=1e-3, by=BEFORE),
        near(
            f"lag frequency, Ω = {_FAST:g} ω, 1 body: softened",
            found[1],
            math.sqrt(_lag(1, 0.0) ** 2 - fast**2),
            rel=1e-4,  # the rotary inertia of sections does not soften: I / A L² = 8e-6
            unit="rad/s",
            source="√(ω² − Ω²): linear shapes do not feel the tension; a known limit, not a goal",
            by=CLOSED_FORM,
        ),
        near(
            f"lag frequency, Ω = {_FAST:g} ω, 1 body: relative error",
            error[1],
            1.193 / 2 * _FAST**2,
            rel=0.05,  # the next term of the series is Ω² / 4 ω² of it
            unit="1",
            source=f"ω² + 0.193 Ω² (Southwell) against ω² − Ω²; {_STIFFENED}",
            by=CLOSED_FORM,
        ),
        *(
            at_least(f"order of convergence in the number of bodies, {n} to {2 * n}",
                math.log2(error[n] / error[2 * n]), 1.9, "1",
                "each body neglects the tension only over its own slope: order 2", reference=2.0, by=BEFORE)
            for n in (2, 4)
        ),
        below(f"lag frequency, Ω = {_FAST:g} ω, 8 bodies: relative error", error[8], 2e-3, "1", _STIFFENED, by=AFTER),
        near("largest Ω / ω with 1 body for 1 % of the frequency", _MIDDLING * math.sqrt(0.01 / loss),
            math.sqrt(2 * 0.01 / 1.193), "1", "ω² + 0.193 Ω² (Southwell) against ω² − Ω²", rel=0.02, by=AFTER),
        *_spin_up(slow),
    ]  # fmt: skip


def lag_frequency(omega: float, terms: int = 10) -> float:
    """First lag frequency of a clamped beam that turns at ``omega`` [rad/s], independent of this engine.

    ∫ EI v″² + N v′² − m Ω² v² dx = ω² ∫ m v² dx,   N = ½ m Ω² (L² − x²)
    """
    z, weight = np.polynomial.legendre.leggauss(60)
    x, weight = (z + 1) / 2 * _LENGTH, weight / 2 * _LENGTH
    span = [0.0, _LENGTH]
    held = Polynomial([0.0, 0.0, _LENGTH**-2]).convert(kind=Legendre, domain=span)
    shapes = [Legendre.basis(i, domain=span) * held for i in range(terms)]
    v, slope, bend = (np.array([f.deriv(n)(x) if n else f(x) for f in shapes]) for n in (0, 1, 2))
    N = _LINE * omega**2 * (_LENGTH**2 - x**2) / 2
    M = _LINE * (v * weight) @ v.T
    K = _EI * (bend * weight) @ bend.T + (slope * weight * N) @ slope.T - omega**2 * M
    return float(np.sqrt(scipy.linalg.eigvalsh(K, M)[0]))


@functools.cache
def _lag(pieces: int, omega: float) -> float:
    """First in-plane frequency of the clamped beam of floating bodies in steady rotation [rad/s]."""
    # so heavy that the beam's vibration does not move it
    hub = RigidBody(name="hub", mass=1e3, inertia=(1e6, 1e6, 1e6), spin=(0.0, 0.0, omega))
    structure = beam_segment(_LENGTH / pieces, _SECTION, of=pieces)
    bodies, welds = chain(hub, structure, pieces, spin=omega)
    items = (hub, *bodies, Revolute(name="axle", a=ground.at(), b=hub.at()), *welds)
    system = Model(name="steady", items=items, gravity=(0.0, 0.0, 0.0)).system()
    return float(min(w for w in _steady_frequencies(system, omega) if w > _RIGID))


def _steady_frequencies(system: MultibodySystem, omega: float) -> np.ndarray:
    """Natural frequencies about a steady rotation about z, in co-rotating axes [rad/s].

    q = P(t) y with Ṗ = P W: P turns positions and Euler parameters, and as nothing depends on the heading,
        M ÿ + (C + 2 M W) ẏ + (K + C W + M W²) y + g_qᵀ lam = 0,   at v = W y, a = W² y.
    """
    W, none = _rotation_generator(system, omega), np.zeros(0)
    q, lam, nq = system.start.q.copy(), np.zeros(system.nc), system.nq
    for _ in range(20):
        v, a = W @ q, W @ W @ q
        M, G = dense(system.mass(0.0, q)), dense(system.constraint_q(0.0, q))
        C = -dense(system.force_v(0.0, q, v, none))
        K = dense(system.inertia_q(0.0, q, a)) - dense(system.force_q(0.0, q, v, none))
        K = K + dense(system.reaction_q(0.0, q, lam)) + C @ W + M @ W @ W
        r, scale = M @ a - system.force(0.0, q, v, none) + G.T @ lam, np.abs(K).max()
        A = np.block([[K / scale, G.T], [G, np.zeros((system.nc, system.nc))]])
        # the heading is free: the shortest correction leaves it alone
        step = np.linalg.lstsq(A, -np.concatenate([r / scale, system.constraint(0.0, q)]), rcond=1e-13)[0]
        q, lam = q + step[:nq], lam + scale * step[nq:]
        if np.abs(step[:nq]).max() < 1e-13:
            break
    Z = scipy.linalg.null_space(G)
    m, c, k = (Z.T @ X @ Z for X in (M, C + 2 * M @ W, K))
    top = np.hstack([np.zeros_like(m), np.eye(len(m))])
    A = np.vstack([top, -np.linalg.solve(m, np.hstack([k, c]))])
    return np.asarray(np.linalg.eigvals(A).imag)


def _rotation_generator(system: MultibodySystem, omega: float) -> np.ndarray:
    """Rotation generator W, (nq, nq): positions by ω × p, Euler parameters by ½ (0, ω) e, deformations not at all."""
    W = np.zeros((system.nq, system.nq))
    for i, name in enumerate(system.coordinates):
        last = name.rsplit(".", 1)[1]
        if last == "x":
            W[i, i + 1], W[i + 1, i] = -omega, omega
        elif last == "e0":
            W[i, i + 3], W[i + 3, i] = -omega / 2, omega / 2
            W[i + 1, i + 2], W[i + 2, i + 1] = -omega / 2, omega / 2
    return W


def _spin_up(omega: float, time: float = 1.0) -> list[Check]:
    """Lag of the tip during a slow spin-up: floating frames and a cable of cubic elements."""
    reference = _lag_of_cable(omega, time)
    size = np.abs(reference).max()
    source = f"absolute nodal coordinates, 8 cubic elements; {_SIX}"
    return [
        below(f"tip while spun up to Ω = {_MIDDLING:g} ω, {words}: relative difference",
            float(np.abs(_lag_of_floating(omega, time, mean) - reference).max() / size), 1e-2, "1", source, by=BEFORE)
        for words, mean in (("body-fixed frame", False), ("mean axes", True))
    ]  # fmt: skip


def _lag_of_floating(omega: float, time: float, mean_axes: bool) -> np.ndarray:
    hub = RigidBody(name="hub", mass=1.0, inertia=(1.0, 1.0, 1.0))
    (beam,), welds = chain(hub, beam_segment(_LENGTH, _SECTION, mean_axes=mean_axes), 1)
    turning = (
        Revolute(name="axle", a=ground.at(), b=hub.at()),
        Turn(name="turn", a=ground.at(), b=hub.at()),
        Driven(name="drive", coordinate="turn.angle", motion=spun_up(omega, time)),
    )
    system = Model(name="spun", items=(hub, beam, *turning, *welds), gravity=(0.0, 0.0, 0.0)).system()
    motion = simulate(system, system.start, duration=1.2 * time, dt=1e-3, method=GeneralizedAlpha())
    tip = positions(system, motion, [beam.at("tip")])[:, 0]
    return _across(tip, motion.q[:, system.place("turn.angle")])


def _lag_of_cable(omega: float, time: float, elements: int = 8) -> np.ndarray:
    nodes = tuple((float(x), 0.0) for x in np.linspace(0.0, _LENGTH, elements + 1))
    axial = ALUMINIUM.young * _SECTION.area
    cable = Cable(name="beam", nodes=nodes, mass_per_length=_LINE, axial_stiffness=axial, bending_stiffness=_EI)
    hub = PlanarBody(name="hub", mass=1.0, inertia=1.0)
    joints = (
        Held(name="axle", values={"hub.x": 0.0, "hub.y": 0.0}),
        Driven(name="drive", coordinate="hub.angle", motion=spun_up(omega, time)),
        Rigid(name="root", a=hub.at(axis=(1.0, 0.0, 0.0)), b=cable.at(0.0)),
    )
    system = Model(name="spun", items=(hub, cable, *joints), gravity=(0.0, 0.0, 0.0)).system()
    motion = simulate(system, system.start, duration=1.2 * time, dt=1e-3, method=GeneralizedAlpha())
    tip = positions(system, motion, [cable.at(_LENGTH)])[:, 0]
    return _across(tip, motion.q[:, system.place("hub.angle")])


def _across(p: np.ndarray, angle: np.ndarray) -> np.ndarray:
    return np.asarray(np.cos(angle) * p[:, 1] - np.sin(angle) * p[:, 0])
