"""ANCF cantilever in large deflection, rigid-body motion of a strained shape, waves on a taut wire."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from panhead.engine.bodies import AncfBeam, Cable
from panhead.engine.forces import Push
from panhead.engine.joints import Held
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.multibody_system import MultibodySystem
from panhead.engine.rotations import matrix_of
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, INDEPENDENT, PRINT, Check, at_least, below, near

_LENGTH, _SIDE, _YOUNG = 2.0, 0.1, 2.07e11
_EI = _YOUNG * _SIDE**4 / 12
_TIP = (-0.508537304326, -1.207239854550)
_ELASTICA = "extensible elastica, boundary value problem solved to 5e-13 m"
_PUBLISHED = "published with four cubic elements"
_TURN = np.array(matrix_of((0.5, 0.1, -0.7, 0.5)))  # length one


def ancf_cantilever() -> Sequence[Check]:
    """A bar clamped at one end under 3 EI / L² at the other, from a straight guess; rigid turns; a wave."""
    tips = {n: _cable_tip(n) for n in (4, 32, 64)}
    error = [math.hypot(*np.subtract(tips[n], _TIP)) for n in (32, 64)]
    beam = _beam_tip(16), _beam_tip(32)
    change = math.hypot(*np.subtract(beam[1], beam[0]))
    checks = []
    for k, axis in enumerate("xy"):
        checks += [
            near(
                f"tip {axis}, 4 elements",
                tips[4][k],
                (-0.5074287, -1.2055337)[k],
                tol=6e-8,  # as many digits as are printed
                unit="m",
                source=_PUBLISHED,
                by=PRINT,
            ),
            near(f"tip {axis}, 64 elements", tips[64][k], _TIP[k], "m", _ELASTICA, tol=5e-9, by=INDEPENDENT),
            near(
                f"tip {axis}, 32 elements with three slopes",
                beam[1][k],
                _TIP[k],
                # its own mesh, and shear and swelling: (side / length)² = 0.0025 of it
                tol=change + 2.5 * (_SIDE / _LENGTH) ** 2,
                unit="m",
                source=_ELASTICA,
                by=AFTER,
            ),
        ]  # fmt: skip
    return [
        *checks,
        at_least("order of the tip, 32 to 64 elements", math.log2(error[0] / error[1]), 3.9, "1",
            "cubic elements, energy of second derivatives: 4", reference=4.0, by=BEFORE),
        *_rigid_motions(),
        near("wave speed of a taut cable", _wave_speed(), math.sqrt(20e3 / 1.35), "m/s", "√(T/m)", rel=5e-3, by=BEFORE),
    ]  # fmt: skip


def _cable_tip(elements: int) -> tuple[float, float]:
    cable = Cable(
        name="bar",
        nodes=_straight(_LENGTH, elements),
        mass_per_length=78.0,
        axial_stiffness=_YOUNG * _SIDE**2,
        bending_stiffness=_EI,
    )
    clamp = Held(name="clamp", values={"bar.0x": 0.0, "bar.0y": 0.0, "bar.0'y": 0.0})
    pull = Push(name="pull", at=cable.at(_LENGTH), force=(0.0, -3 * _EI / _LENGTH**2, 0.0))
    return _tip(Model(name="clamped bar", items=(cable, clamp, pull)).system(), elements)


def _beam_tip(elements: int) -> tuple[float, float]:
    beam = _beam(elements)
    start = {f"bar.{c.name}": c.start for c in beam.coordinates()}
    clamp = Held(name="clamp", values={name: start[name] for name in beam.node_names(0)})
    pull = Push(name="pull", at=beam.at(_LENGTH), force=(0.0, -3 * _EI / _LENGTH**2, 0.0))
    model = Model(name="clamped bar", items=(beam, clamp, pull), gravity=(0.0, 0.0, 0.0))
    return _tip(model.system(), elements)


def _beam(elements: int) -> AncfBeam:
    return AncfBeam(
        name="bar",
        begin=(0.0, 0.0, 0.0),
        end=(_LENGTH, 0.0, 0.0),
        elements=elements,
        height=_SIDE,
        width=_SIDE,
        young=_YOUNG,
        density=7800.0,
        poisson=0.0,
        across=(0.0, 1.0, 0.0),
    )


def _tip(system: MultibodySystem, elements: int) -> tuple[float, float]:
    q, _ = equilibrium(system, system.start.q)
    x, y = (float(q[system.place(f"bar.{elements}{axis}")]) for axis in "xy")
    return x - _LENGTH, y


def _straight(length: float, elements: int, dimensions: int = 2) -> tuple[tuple[float, ...], ...]:
    level = (0.0,) * (dimensions - 1)
    return tuple((float(x), *level) for x in np.linspace(0.0, length, elements + 1))


def _rigid_motions() -> list[Check]:
    """A random strained shape, turned: the energy must stay, the forces must turn along."""
    cable = Cable(
        name="c", nodes=_straight(2.0, 2, 3), mass_per_length=1.0, axial_stiffness=300.0, bending_stiffness=20.0
    )
    checks = []
    for name, body, vectors in (("cable", cable, 2), ("beam", _beam(2), 4)):
        system = Model(name=name, items=(body,), gravity=(0.0, 0.0, 0.0)).system()
        q = system.start.q + 0.1 * np.random.default_rng(5).standard_normal(system.nq)
        moved = q.reshape(-1, vectors, 3) @ _TURN.T
        moved[:, 0] += (1.0, -2.0, 0.5)
        rest, none = np.zeros_like(q), np.zeros(0)
        f, f_moved = (system.force(0.0, x, rest, none) for x in (q, moved.ravel()))
        back = (f_moved.reshape(-1, 3) @ _TURN).ravel()
        V, V_moved = (system.energy(0.0, x, rest).potential for x in (q, moved.ravel()))
        source = "rigid-body motion causes no strain"
        checks += [
            below(f"change of force of a turned {name}, relative", float(np.abs(back - f).max() / np.abs(f).max()),
                1e-12, "1", source, by=CLOSED_FORM),
            below(f"change of energy of a turned {name}, relative", V_moved / V - 1, 1e-12, "1", source,
                by=CLOSED_FORM),
        ]  # fmt: skip
    return checks


def _wave_speed() -> float:
    """Speed of a wave crest between two nodes of a contact wire at 20 kN [m/s]."""
    T, m, length, n = 20e3, 1.35, 60.0, 120
    wire = Cable(name="c", nodes=_straight(length, n), mass_per_length=m, axial_stiffness=1e7, tension=T)
    ends = {"c.0x": 0.0, "c.0y": 0.0, f"c.{n}x": length, f"c.{n}y": 0.0}
    items = (wire, Held(name="ends", values=ends))
    system = Model(name="wave", items=items, gravity=(0.0, 0.0, 0.0)).system()
    z, c = (np.linspace(0.0, length, n + 1) - 15.0) / 2.0, math.sqrt(T / m)
    hump = 0.01 * np.exp(-(z**2))
    first, second = -z * hump, (z**2 - 0.5) * hump
    q, v = (x.reshape(n + 1, 2, 2) for x in (system.start.q, system.start.v))
    q[:, 0, 1], q[:, 1, 1], v[:, 0, 1], v[:, 1, 1] = hump, first, -c * first, -c * second
    q[[0, -1], 0, 1] = v[[0, -1], 0, 1] = 0.0
    motion = simulate(
        system,
        State(q=q.ravel(), v=v.ravel()),
        duration=0.25,
        dt=5e-4,
        method=GeneralizedAlpha(spectral_radius=1.0, factor="while it serves"),
    )
    passing = [_crest(motion.t, motion.q[:, system.place(f"c.{k}y")]) for k in (50, 80)]
    return 15.0 / (passing[1] - passing[0])


def _crest(t: np.ndarray, y: np.ndarray) -> float:
    """Time of the maximum of y, from a parabola through five values."""
    k = int(y.argmax())
    a, b, _ = np.polyfit(t[k - 2 : k + 3] - t[k], y[k - 2 : k + 3], 2)
    return float(t[k] - b / (2 * a))
