"""Cables of absolute nodal coordinates: invariance, closed forms, waves, energy, order."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

from panhead.engine.bodies import Cable
from panhead.engine.forces import Push
from panhead.engine.joints import Held
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.errors import ModelError
from panhead.runs.library.flexible_pendulum import flexible_pendulum

NOTHING = np.zeros(0)


def straight(length, elements, dimensions=2):
    return tuple((float(x), *(0.0,) * (dimensions - 1)) for x in np.linspace(0, length, elements + 1))


def loose(dimensions, **more):
    """A free cable of three elements, not under gravity."""
    cable = Cable(
        name="c",
        nodes=straight(3.0, 3, dimensions),
        mass_per_length=0.7,
        axial_stiffness=300.0,
        bending_stiffness=20.0,
        tension=15.0,
        **more,
    )
    return Model(name="free", items=(cable,), gravity=(0.0, 0.0, 0.0)).system()


def bent(system, seed=1):
    """A configuration far from straight."""
    q = system.start.q
    return q + 0.3 * np.random.default_rng(seed).standard_normal(q.size)


def turned(q, dimensions, turn, shift):
    """Nodes (r, r′) after a rigid motion."""
    x = q.reshape(-1, 2, dimensions) @ turn.T
    x[:, 0] += shift
    return x.ravel()


def turn_of(dimensions):
    if dimensions == 3:
        return Rotation.from_rotvec([0.9, -1.3, 0.5]).as_matrix()
    return Rotation.from_rotvec([0, 0, 2.1]).as_matrix()[:2, :2]


@pytest.mark.parametrize("dimensions", [2, 3])
def test_rigid_motion_of_a_strained_cable_changes_nothing(dimensions):
    system, R = loose(dimensions), turn_of(dimensions)
    q = bent(system)
    moved = turned(q, dimensions, R, np.arange(1.0, 1.0 + dimensions))
    rest = np.zeros_like(q)
    V, V_moved = (system.energy(0.0, x, rest).potential for x in (q, moved))
    assert V > 1.0
    assert V_moved == pytest.approx(V, rel=1e-13)  # round-off of some hundred operations
    f, f_moved = (system.force(0.0, x, rest, NOTHING) for x in (q, moved))
    assert f_moved == pytest.approx(turned(f, dimensions, R, 0.0), abs=1e-12 * np.abs(f).max())
    assert f.reshape(-1, 2, dimensions)[:, 0].sum(axis=0) == pytest.approx(0.0, abs=1e-11)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_dampers_do_not_feel_a_rigid_rotation(dimensions):
    """Any turn of a bent cable, also about its own tangents, must leave the dampers idle."""
    system = loose(dimensions, stretch_damping=2.0, bend_damping=3.0)
    q = bent(system)
    spin = np.zeros((3, 3))
    spin[np.triu_indices(3, 1)] = 0.7, -0.4, 1.1
    spin = (spin - spin.T)[:dimensions, :dimensions]
    turning = turned(q, dimensions, spin, 0.0)
    idle, busy = (
        system.power(0.0, q, v, np.zeros_like(q), NOTHING, NOTHING).dissipated
        for v in (turning, np.random.default_rng(0).standard_normal(q.size))
    )
    assert busy > 1.0
    assert abs(idle) < 1e-20 * busy  # the square of round-off


def cantilever(elements, end=2.0, E=2.07e11, side=0.1):
    EI = E * side**4 / 12
    cable = Cable(
        name="c", nodes=straight(end, elements), mass_per_length=78.0, axial_stiffness=E * side**2, bending_stiffness=EI
    )
    clamp = Held(name="clamp", values={"c.0x": 0.0, "c.0y": 0.0, "c.0'y": 0.0})
    pull = Push(name="pull", at=cable.at(end), force=(0.0, -3 * EI / end**2, 0.0))
    system = Model(name="bar", items=(cable, clamp, pull), gravity=(0.0, 0.0, 0.0)).system()
    q, _ = equilibrium(system, system.start.q)
    return q[system.place(f"c.{elements}x")] - end, q[system.place(f"c.{elements}y")]


def test_cantilever_bends_as_published_from_a_straight_guess():
    assert cantilever(4) == pytest.approx((-0.5074287, -1.2055337), abs=6e-8)  # as printed
    assert cantilever(32) == pytest.approx((-0.508537304326, -1.207239854550), abs=4e-8)


def test_cantilever_converges_with_the_order_of_cubic_elements():
    """Work of a load on cubic elements with an energy of second derivatives: order 2 (4 − 2) = 4."""
    error = [abs(cantilever(n)[1] + 1.207239854550) for n in (16, 32, 64)]
    order = np.log2(np.array(error[:-1]) / error[1:])
    assert (order > 3.9).all()


def test_stretched_cable_swings_as_a_string_with_stiffness():
    """ω = (nπ/L) √(T/m) √(1 + n²π² EI / (T L²)); 20 cubic elements: error of order (n/20)⁴ / 720."""
    L, T, m, EI = 10.0, 500.0, 0.8, 6.0
    cable = Cable(
        name="c", nodes=straight(L, 20), mass_per_length=m, axial_stiffness=1e6, bending_stiffness=EI, tension=T
    )
    ends = Held(name="e", values={"c.0x": 0.0, "c.0y": 0.0, "c.20x": L, "c.20y": 0.0})
    system = Model(name="string", items=(cable, ends), gravity=(0.0, 0.0, 0.0)).system()
    q, lam = equilibrium(system, system.start.q)
    found = 2 * np.pi * modes(linearise(system, q, lam)).frequency[:4]
    n = np.arange(1, 5)
    exact = n * np.pi / L * np.sqrt(T / m * (1 + n**2 * np.pi**2 * EI / (T * L**2)))
    assert found == pytest.approx(exact, rel=1e-5)


def test_hanging_cable_takes_the_shape_of_the_elastic_catenary():
    """Irvine's closed form for ends at one height; the element's natural length is L (1 − T₀/EA)."""
    L, EA, T0, m, g = 10.0, 2000.0, 60.0, 2.0, 9.81
    n = 16
    cable = Cable(name="c", nodes=straight(L, n), mass_per_length=m, axial_stiffness=EA, tension=T0)
    ends = Held(name="e", values={"c.0x": 0.0, "c.0y": 0.0, f"c.{n}x": L, f"c.{n}y": 0.0})
    system = Model(name="rope", items=(cable, ends), gravity=(0.0, -g, 0.0)).system()
    q, _ = equilibrium(system, system.start.q)
    share = 1 - T0 / EA
    L0, EA0, W = L * share, EA * share, m * g * L
    span = lambda H: H * L0 / EA0 + 2 * H * L0 / W * np.arcsinh(W / (2 * H)) - L
    H = float(fsolve(span, T0)[0])
    sag = W * L0 / (8 * EA0) + H * L0 / W * (math.sqrt(1 + (W / (2 * H)) ** 2) - 1)
    assert sag > 0.08 * L  # far from the parabola of small sags
    assert -q[system.place(f"c.{n // 2}y")] == pytest.approx(sag, rel=1e-6)


def test_a_wave_runs_along_a_stretched_cable_at_the_speed_of_strings():
    """Two places, the time between the passing of the crest: c = √(T/m) within 0.5 %."""
    T, m, L, n = 20e3, 1.35, 60.0, 120
    c, x = math.sqrt(T / m), np.linspace(0.0, L, n + 1)
    cable = Cable(name="c", nodes=straight(L, n), mass_per_length=m, axial_stiffness=1e7, tension=T)
    ends = Held(name="e", values={"c.0x": 0.0, "c.0y": 0.0, f"c.{n}x": L, f"c.{n}y": 0.0})
    system = Model(name="wave", items=(cable, ends), gravity=(0.0, 0.0, 0.0)).system()
    q, v = (z.reshape(n + 1, 2, 2).copy() for z in (system.start.q, system.start.v))
    y = lambda k: _hump(x - 15.0, 2.0, k)
    q[:, 0, 1], q[:, 1, 1] = y(0), y(1)
    v[:, 0, 1], v[:, 1, 1] = -c * y(1), -c * y(2)  # to the right only
    v[[0, -1], 0] = q[[0, -1], 0, 1] = 0.0
    motion = simulate(
        system,
        State(q=q.ravel(), v=v.ravel()),
        duration=0.25,
        dt=5e-4,
        method=GeneralizedAlpha(spectral_radius=1.0, factor="while it serves"),
    )
    passing = [_crest(motion.t, motion.q[:, system.place(f"c.{k}y")]) for k in (50, 80)]
    assert 15.0 / (passing[1] - passing[0]) == pytest.approx(c, rel=5e-3)


def _hump(x, width, order):
    """0.01 exp(−(x/w)²) and its derivatives."""
    z, e = x / width, 0.01 * np.exp(-((x / width) ** 2))
    return (e, -2 * z / width * e, (4 * z**2 - 2) / width**2 * e)[order]


def _crest(t, y):
    k = int(y.argmax())
    a, b, _ = np.polyfit(t[k - 2 : k + 3] - t[k], y[k - 2 : k + 3], 2)
    return t[k] - b / (2 * a)


def fall(dt, rho, duration=0.4):
    system = flexible_pendulum(4).system()
    method = GeneralizedAlpha(spectral_radius=rho, tolerance=1e-12)
    return system, simulate(system, system.start, duration=duration, dt=dt, method=method, keep=0.1)


@pytest.mark.parametrize("rho", [1.0, 0.8])
def test_second_order_in_time(rho):
    ends = [fall(dt, rho, duration=0.2)[1].q[-1] for dt in (2e-3, 1e-3, 5e-4)]
    change = [np.abs(a - b).max() for a, b in pairwise(ends)]
    assert math.log2(change[0] / change[1]) == pytest.approx(2.0, abs=0.1)


def test_energy_stays_without_numerical_damping():
    """It swings about its value with dt² and does not drift."""
    worst = []
    for dt in (2e-3, 1e-3):
        system, motion = fall(dt, 1.0, duration=1.0)
        energy = np.array([sum(system.energy(t, q, v)) for t, q, v in zip(motion.t, motion.q, motion.v, strict=True)])
        worst.append(np.abs(energy - energy[0]).max())
    fallen = 0.35 * 9.81 * 0.5  # weight times the drop of the centre: the energy exchanged [J]
    assert worst[1] < 1e-4 * fallen
    assert worst[0] / worst[1] > 3.0


def test_frame_of_a_cable_along_every_axis():
    """The frame from one slope has no hole, whichever way the cable runs."""
    for axis in np.eye(3):
        nodes = tuple(tuple(float(x) for x in s * axis) for s in (0.0, 1.0, 2.0))
        cable = Cable(name="c", nodes=nodes, mass_per_length=1.0, axial_stiffness=1e3)
        across = np.array([cable.at(0.5).numbers[f"across.{i}"] for i in range(3)])
        assert abs(across @ axis) < 0.5
        assert abs(np.array(cable.track(0.5).across) @ axis) < 0.5


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"nodes": ((0.0, 0.0), (0.0, 0.0))}, "no length"),
        ({"nodes": ((0.0, 0.0),)}, "two or more"),
        ({"nodes": ((0.0, 0.0), (1.0, float("nan")))}, "no length"),
        ({"axial_stiffness": -1.0}, "axial_stiffness"),
        ({"slope_rates": ((0.0, 0.0),)}, "slope_rates"),
    ],
)
def test_wrong_cables_are_refused_by_name(wrong, word):
    right = {"nodes": straight(1.0, 1), "mass_per_length": 1.0, "axial_stiffness": 1.0}
    with pytest.raises(ModelError, match=word) as told:
        Cable(name="the wire", **(right | wrong))
    assert "the wire" in str(told.value) or "Cable" in str(told.value)


def test_a_place_beyond_the_end_is_refused():
    cable = Cable(name="wire", nodes=straight(1.0, 1), mass_per_length=1.0, axial_stiffness=1.0)
    with pytest.raises(ModelError, match=r"'wire' extends from 0 to 1 m.*1\.5"):
        cable.at(1.5)
