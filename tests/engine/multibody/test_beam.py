"""Beams with three slopes: invariance, locking and its remedy, frequencies, large deflections."""

import math

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial.transform import Rotation

from panhead.engine.bodies import AncfBeam
from panhead.engine.forces import Push
from panhead.engine.joints import Held
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.modes import linearise
from panhead.engine.multibody import Model
from panhead.errors import ModelError

NOTHING = np.zeros(0)
E, SIDE, LENGTH = 2.07e11, 0.1, 2.0
EI = E * SIDE**4 / 12


def beam(elements, **more):
    values = {
        "name": "b",
        "begin": (0.0, 0.0, 0.0),
        "end": (LENGTH, 0.0, 0.0),
        "elements": elements,
        "height": SIDE,
        "width": SIDE,
        "young": E,
        "density": 7800.0,
        "across": (0.0, 1.0, 0.0),
    }
    return AncfBeam(**(values | more))


def free(elements, **more):
    return Model(name="free", items=(beam(elements, **more),), gravity=(0.0, 0.0, 0.0)).system()


def turned(q, R, shift):
    x = q.reshape(-1, 4, 3) @ R.T
    x[:, 0] += shift
    return x.ravel()


@pytest.mark.parametrize("elasticity", ["split", "continuum"])
def test_rigid_motion_of_a_strained_beam_changes_nothing(elasticity):
    system = free(2, elasticity=elasticity)
    R = Rotation.from_rotvec([0.9, -1.3, 0.5]).as_matrix()
    q = system.start.q + 0.1 * np.random.default_rng(3).standard_normal(system.nq)
    moved, rest = turned(q, R, np.array([1.0, 2.0, 3.0])), np.zeros(system.nq)
    V, V_moved = (system.energy(0.0, x, rest).potential for x in (q, moved))
    assert V_moved == pytest.approx(V, rel=1e-13)  # round-off of some hundred operations
    f, f_moved = (system.force(0.0, x, rest, NOTHING) for x in (q, moved))
    assert f_moved == pytest.approx(turned(f, R, 0.0), abs=1e-12 * np.abs(f).max())


def test_dampers_do_not_feel_a_rigid_rotation():
    system = free(1, damping=1e-3)
    q = system.start.q + 0.1 * np.random.default_rng(3).standard_normal(system.nq)
    spin = np.array([[0.0, -0.4, 1.1], [0.4, 0.0, 0.7], [-1.1, -0.7, 0.0]])
    idle, busy = (
        system.power(0.0, q, v, np.zeros_like(q), NOTHING, NOTHING).dissipated
        for v in (turned(q, spin, 0.0), np.random.default_rng(0).standard_normal(q.size))
    )
    assert busy > 1.0
    assert abs(idle) < 1e-20 * busy  # the square of round-off


def tip(elements, force, **more):
    """Displacement (x, y) of the end of a clamped beam under a force along −y."""
    b = beam(elements, **more)
    clamp = {name: c.start for name, c in zip(b.node_names(0), b.coordinates(), strict=False)}
    items = (b, Held(name="clamp", values=clamp), Push(name="pull", at=b.at(LENGTH), force=(0.0, -force, 0.0)))
    system = Model(name="bar", items=items, gravity=(0.0, 0.0, 0.0)).system()
    q, _ = equilibrium(system, system.start.q)
    x, y = (q[system.place(f"b.{elements}{axis}")] for axis in "xy")
    return np.array([x - LENGTH, y])


SMALL = 1e-4 * 3 * EI / LENGTH**2


def timoshenko(nu):
    """Deflection of a tip-loaded cantilever with shear."""
    return SMALL * LENGTH**3 / (3 * EI) + SMALL * LENGTH / (5 / 6 * E / (2 * (1 + nu)) * SIDE**2)


@pytest.mark.parametrize("nu", [0.0, 0.3])
def test_split_elasticity_does_not_lock(nu):
    """Curvature is constant in an element: the tip of a loaded cantilever lacks the share 1 / (4 n²)."""
    bend = SMALL * LENGTH**3 / (3 * EI)
    for n in (4, 8):
        lack = timoshenko(nu) + tip(n, SMALL, poisson=nu)[1]
        assert lack == pytest.approx(bend / (4 * n**2), rel=0.02)


def test_plain_continuum_locks_by_poissons_ratio():
    """A section that cannot swell bends as stiffly as a wide plate pressed from both sides."""
    nu = 0.3
    factor = (1 + nu) * (1 - 2 * nu) / (1 - nu)
    found = -tip(16, SMALL, poisson=nu, elasticity="continuum")[1]
    assert found == pytest.approx(factor * SMALL * LENGTH**3 / (3 * EI), rel=0.01)


def test_large_deflections_approach_the_elastica_with_second_order():
    """Beside the cable's answer only shear and the section's swelling, of order (side/length)² = 0.0025."""
    force = 3 * EI / LENGTH**2
    tips = [tip(n, force, poisson=0.0) for n in (8, 16, 32)]
    change = [np.linalg.norm(tips[k + 1] - tips[k]) for k in (0, 1)]
    assert math.log2(change[0] / change[1]) > 1.9
    assert tips[2] == pytest.approx([-0.508537, -1.207240], abs=2.5 * 0.0025)


def test_frequencies_of_a_free_beam():
    """Slender: bending of Euler and Bernoulli (shear and rotary inertia take (side/length)² of it)."""
    side, n = 0.02, 16
    system = free(n, height=side, width=side, poisson=0.3)
    q = system.start.q
    linear = linearise(system, q, NOTHING)
    found = np.sqrt(np.abs(scipy.linalg.eigh(linear.K, linear.M, eigvals_only=True)))
    bend = 4.730040744862704**2 / LENGTH**2 * math.sqrt(E * side**2 / 12 / 7800.0)
    assert found[5] < 1e-2 * bend  # six rigid motions
    assert found[6:8] == pytest.approx([bend, bend], rel=0.01)
    stretch = math.pi / LENGTH * math.sqrt(E / 7800.0)
    assert np.abs(found / stretch - 1).min() < 1e-3
    # torsion of a section that stays plane: both shear stiffnesses, each with its factor 5/6
    twist = math.pi / LENGTH * math.sqrt(5 / 6 * E / 2.6 / 7800.0)
    assert np.abs(found / twist - 1).min() < 2e-3


def test_a_section_carries_its_axes():
    """What is fastened to a turned and shifted beam turns and shifts with it."""
    b = beam(2)
    marker = b.at(0.7, offset=(0.03, -0.02), axis=(1.0, 0.0, 0.0))
    system = Model(
        name="one", items=(b, Push(name="p", at=marker, force=(1.0, 2.0, 3.0))), gravity=(0.0, 0.0, 0.0)
    ).system()
    f = system.force(0.0, system.start.q, system.start.v, NOTHING).reshape(-1, 4, 3)
    assert f[:, 0].sum(axis=0) == pytest.approx([1.0, 2.0, 3.0], abs=1e-12)
    moment = sum(
        np.cross(c, g) for q, h in zip(system.start.q.reshape(-1, 4, 3), f, strict=True)
        for c, g in zip(q, h, strict=True)
    )  # fmt: skip
    assert moment == pytest.approx(np.cross([0.7, 0.03, -0.02], [1.0, 2.0, 3.0]), abs=1e-12)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"end": (0.0, 0.0, 0.0)}, "two different points"),
        ({"poisson": 0.5}, "poisson"),
        ({"height": 0.0}, "height"),
        ({"across": (1.0, 0.0, 0.0)}, "parallel"),
    ],
)
def test_wrong_beams_are_refused_by_name(wrong, word):
    with pytest.raises(ModelError, match=word):
        beam(1, **wrong).coordinates()
