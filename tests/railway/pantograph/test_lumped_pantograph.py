"""Lumped pantographs: matrices against energies, forces, files, and refusals."""

import math
import tomllib

import numpy as np
import pytest
import scipy.linalg

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.pantograph.lumped_pantograph import LumpedPantograph, Stage, read_pantograph, shipped_pantographs


@pytest.mark.parametrize("name", shipped_pantographs())
def test_shipped_pantographs_round_trip_and_say_where_their_numbers_come_from(name):
    pantograph = read_pantograph(name)
    text = parse.write_toml(pantograph)
    assert parse.build(LumpedPantograph, tomllib.loads(text), source="p.toml") == pantograph
    assert pantograph.sources


def test_matrices_come_from_the_energy_of_the_springs():
    """½ zᵀ K z = Σ ½ kᵢ dᵢ², dᵢ the stretch between neighbours, the last to the roof."""
    stages = tuple(Stage(mass=m, stiffness=k, damping=c) for m, k, c in [(7, 9e3, 3), (6, 1e4, 5), (5, 80, 70)])
    M, C, K = LumpedPantograph(name="p", stages=stages, static_force=70.0).matrices()
    z = np.array([0.03, -0.02, 0.05])
    d = z - np.append(z[1:], 0.0)
    assert z @ K @ z == pytest.approx(sum(s.stiffness * x**2 for s, x in zip(stages, d, strict=True)))
    assert z @ C @ z == pytest.approx(sum(s.damping * x**2 for s, x in zip(stages, d, strict=True)))
    assert M.tolist() == np.diag([7.0, 6.0, 5.0]).tolist()


def test_frequencies_of_the_reference_pantograph():
    """Two masses by hand: λ from the quadratic m₁m₂λ² − (m₁(k₁+k₂) + m₂k₁)λ + k₁k₂ = 0."""
    M, _, K = read_pantograph("en50318-2002").matrices()
    m1, m2, k1, k2 = 7.2, 15.0, 4200.0, 50.0
    a, b, c = m1 * m2, -(m1 * (k1 + k2) + m2 * k1), k1 * k2
    roots = sorted((-b + s * math.sqrt(b * b - 4 * a * c)) / (2 * a) for s in (-1, 1))
    np.testing.assert_allclose(scipy.linalg.eigh(K, M, eigvals_only=True), roots, rtol=1e-9)


def test_uplift_grows_with_the_square_of_the_speed():
    """70 N + 0.00097 v² with v in km/h: 157.3 N at 300 km/h (EN 50367, AC)."""
    for name in ("dsa380", "benchmark-2015"):
        pantograph = read_pantograph(name)
        assert pantograph.total_uplift(0.0) == 70.0
        assert pantograph.total_uplift(300 / 3.6) == pytest.approx(157.3, rel=1e-6)
    assert read_pantograph("dsa380").uplift(300 / 3.6) == pytest.approx([0.0, 87.3, 70.0])


WRONG = {
    "mass": lambda: Stage(mass=0.0, stiffness=1.0),
    "stiffness": lambda: Stage(mass=1.0, stiffness=-1.0),
    "friction": lambda: Stage(mass=1.0, stiffness=1.0, friction=float("nan")),
    "stop_up": lambda: Stage(mass=1.0, stiffness=1.0, stop_up=-0.1),
    "aerodynamic": lambda: Stage(mass=1.0, stiffness=1.0, aerodynamic=float("inf")),
    "no mass": lambda: LumpedPantograph(name="p", stages=(), static_force=70.0),
    "static_force": lambda: LumpedPantograph(
        name="p", stages=(Stage(mass=1.0, stiffness=1.0),), static_force=float("nan")
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_nonsense_is_refused_by_name(what):
    with pytest.raises(ModelError, match=what):
        WRONG[what]()


def test_an_unknown_name_lists_what_is_shipped():
    with pytest.raises(FileError, match="en50318-2002"):
        read_pantograph("dsa400")
