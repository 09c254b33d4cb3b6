"""Euler-Bernoulli beams in the plane and in space: statics, frequencies, damping, places on them."""

import math

import numpy as np
import pytest
import scipy.linalg

from panhead.engine.bodies import EulerBernoulliBeam
from panhead.engine.forces import Push
from panhead.engine.joints import Held
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.errors import ModelError

NOTHING = np.zeros(0)
CLAMPED = 4.730040744862704  # cosh β cos β = 1


def planar(**more):
    values = {
        "name": "b",
        "begin": (1.0, 2.0),
        "end": (4.0, 6.0),  # 5 m, not along an axis
        "elements": 8,
        "mass_per_length": 2.0,
        "bending_stiffness": 50.0,
    }
    return EulerBernoulliBeam(**(values | more))


def spatial(**more):
    values = {
        "begin": (1.0, 2.0, 0.0),
        "end": (4.0, 6.0, 0.0),
        "axial_stiffness": 1e4,
        "torsion_stiffness": 30.0,
        "turning_inertia": 0.1,
    }
    return planar(**(values | more))


def held(b, **ends):
    """{k: fields} of nodes that do not move."""
    values = {f"b.{k.removeprefix('n')}{f}": 0.0 for k, fields in ends.items() for f in fields}
    return Held(name="ends", values=values)


def build(*items, gravity=(0.0, 0.0, 0.0)):
    return Model(name="beam", items=items, gravity=gravity).system()


def test_clamped_beam_swings_as_the_closed_form_says():
    b = planar()
    system = build(b, held(b, n0=("w", "w'"), n8=("w", "w'")))
    found = 2 * np.pi * modes(linearise(system, system.start.q, np.zeros(4))).frequency[0]
    exact = CLAMPED**2 / 25 * math.sqrt(50.0 / 2.0)
    assert found == pytest.approx(exact, rel=2e-4)  # (β/n)⁴ / 720 of eight cubic elements


def test_free_beam_in_space_bends_both_ways_stretches_and_twists():
    system = build(spatial(other_bending_stiffness=200.0))
    linear = linearise(system, system.start.q, NOTHING)
    found = np.sqrt(np.abs(scipy.linalg.eigh(linear.K, linear.M, eigvals_only=True)))
    bend = CLAMPED**2 / 25 * math.sqrt(50.0 / 2.0)
    for wanted, slack in (
        (bend, 2e-4),
        (2 * bend, 2e-4),
        (math.pi / 5 * math.sqrt(1e4 / 2.0), 0.01),  # linear elements: (π/n)² / 24
        (math.pi / 5 * math.sqrt(30.0 / 0.1), 0.01),
    ):
        assert np.abs(found / wanted - 1).min() < slack
    assert found[5] < 1e-3 * bend  # six rigid motions
    assert found[6] > 0.9 * bend


def test_tension_makes_it_a_stiff_string():
    b = planar(tension=300.0)
    system = build(b, held(b, n0=("w",), n8=("w",)))
    found = 2 * np.pi * modes(linearise(system, system.start.q, np.zeros(2))).frequency[0]
    k = math.pi / 5
    assert found == pytest.approx(k * math.sqrt(300.0 / 2.0 + 50.0 * k**2 / 2.0), rel=1e-4)


def test_statics_of_cubic_elements_is_exact_at_the_nodes():
    """A tip load and the weight, seen across the beam; w turns to the left of the way from A to B."""
    b = planar(begin=(0.0, 0.0), end=(5.0, 0.0))
    pull = Push(name="pull", at=b.at(5.0), force=(0.0, -3.0, 0.0))
    system = build(b, held(b, n0=("w", "w'")), pull, gravity=(0.0, -9.81, 0.0))
    q, lam = equilibrium(system, system.start.q)
    line = 2.0 * 9.81
    exact = -3.0 * 125 / (3 * 50) - line * 625 / (8 * 50)
    assert q[system.place("b.8w")] == pytest.approx(exact, rel=1e-9)
    assert lam == pytest.approx([-(3.0 + 5 * line), -(15.0 + 12.5 * line)], rel=1e-9)


def test_beam_in_space_is_the_beam_of_the_plane():
    """The same load on both: e₃ is turned into the plane."""
    load = (2.0, -1.0, 0.0)
    flat, tall = planar(axial_stiffness=1e4), spatial(across=(-4.0, 3.0, 0.0))
    found = []
    for b, fields in ((flat, ("u", "w", "w'")), (tall, ("u", "v", "v'", "w", "w'", "turn"))):
        system = build(b, held(b, n0=fields), Push(name="p", at=b.at(3.1), force=load))
        q, _ = equilibrium(system, system.start.q)
        found.append([q[system.place(f"b.8{f}")] for f in ("u", "w", "w'")])
    assert found[1] == pytest.approx(found[0], rel=1e-10)
    across, along = np.array(load) @ [-0.8, 0.6, 0.0], np.array(load) @ [0.6, 0.8, 0.0]
    a = 3.1
    assert found[0][0] == pytest.approx(along * a / 1e4, rel=0.02)  # linear within an element
    assert found[0][1] == pytest.approx(across * a**2 * (3 * 5 - a) / (6 * 50), rel=1e-3)


def test_rayleigh_damping_of_a_mode():
    """ζ = (α / ω + β ω) / 2."""
    b = planar(mass_damping=0.3, stiffness_damping=0.01)
    system = build(b, held(b, n0=("w",), n8=("w",)))
    first = modes(linearise(system, system.start.q, np.zeros(2)))
    omega = 2 * np.pi * first.frequency[0]
    assert first.damping[0] == pytest.approx((0.3 / omega + 0.01 * omega) / 2, rel=1e-9)


def test_energy_lost_is_what_the_dampers_took():
    b = planar(stiffness_damping=0.1)
    system = build(b, held(b, n0=("w", "w'")))
    shape = modes(linearise(system, system.start.q, np.zeros(2))).shapes[:, 0].real
    q = 0.1 * shape
    method = GeneralizedAlpha(spectral_radius=1.0, tolerance=1e-12)
    motion = simulate(system, State(q=q, v=np.zeros_like(q)), duration=1.0, dt=1e-3, method=method)
    first, last = (sum(system.energy(0.0, motion.q[k], motion.v[k])) for k in (0, -1))
    assert last < 0.99 * first
    # the trapezoidal rule of the account: (ω dt)² / 12 of one mode
    assert motion.work[-1, 2] == pytest.approx(first - last, rel=1e-5)


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"end": (1.0, 2.0)}, "no length"),
        ({"end": (1.0, 2.0, 3.0)}, "both with 2 or both with 3 coordinates"),
        ({"bending_stiffness": 0.0}, "bending_stiffness"),
        ({"begin": (0.0, 0.0, 0.0), "end": (1.0, 0.0, 0.0)}, "axial_stiffness"),
    ],
)
def test_wrong_beams_are_refused_by_name(wrong, word):
    with pytest.raises(ModelError, match=word):
        planar(**wrong)


def test_a_place_beyond_the_end_is_refused():
    with pytest.raises(ModelError, match=r"'b' extends from 0 to 5 m"):
        planar().at(5.5)
