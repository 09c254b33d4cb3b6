"""Laws that every body must obey; see ``laws`` for what they say and ``specimens`` for what is tried."""

import numpy as np
import pytest

from engine.multibody.laws import (
    check_constraint,
    check_invariance,
    check_lagrange,
    check_power,
    check_tangents,
    elements,
)
from engine.multibody.specimens import BODIES, WITHOUT_ROWS, kinds
from panhead.engine.bodies import Beam, FloatingBody, PlanarBody, PointMass, RigidBody, VirtualBody
from panhead.engine.multibody import Model
from panhead.engine.roles import Body
from panhead.engine.rotations import about, matrix_of

STRICT = [s for s in BODIES if s.indifferent]
WITH_PARAMETERS = (Beam, RigidBody, FloatingBody, VirtualBody)  # Euler parameters stay of length one


def test_no_body_slips_through():
    tried = {type(s.item) for s in BODIES} | set(WITHOUT_ROWS)
    assert kinds(Body) - tried == set(), "add them to BODIES in specimens.py"


@pytest.mark.parametrize("specimen", BODIES, ids=str)
@pytest.mark.parametrize("law", [check_tangents, check_lagrange, check_power], ids=lambda f: f.__name__)
def test_law(specimen, law):
    for e in elements(specimen):
        law(e)


@pytest.mark.parametrize("specimen", [s for s in BODIES if type(s.item) in WITH_PARAMETERS], ids=str)
def test_constraint(specimen):
    for e in elements(specimen):
        check_constraint(e)


@pytest.mark.parametrize("specimen", STRICT, ids=str)
def test_rigid_motion(specimen):
    for e in elements(specimen):
        check_invariance(specimen, e)


def test_energy_of_a_turning_body():
    """½ m v² + ½ wᵀ J w − m g·p by hand: ½·2·9 + ½ (0.3·1 + 0.4·4 + 0.5·0.25 + 2·0.1·1·2) + 2·9.81·3."""
    body = RigidBody(
        name="b", mass=2.0, inertia=(0.3, 0.4, 0.5, 0.1, 0.0, 0.0), position=(1.0, 2.0, 3.0),
        attitude=about((1, 1, 0), 0.7), velocity=(1.0, 2.0, 2.0), spin=(1.0, 2.0, 0.5),
    )  # fmt: skip
    system = Model(name="one", items=(body,)).system()
    T, V = system.energy(0.0, system.start.q, system.start.v)
    assert pytest.approx(9.0 + 0.5 * (0.3 + 1.6 + 0.125 + 0.4), rel=1e-14) == T
    assert pytest.approx(2.0 * 9.81 * 3.0, rel=1e-14) == V
    assert system.constraint(0.0, system.start.q)[0] == pytest.approx(0.0, abs=1e-15)
    assert (system.constraint_q(0.0, system.start.q) @ system.start.v)[0] == pytest.approx(0.0, abs=1e-15)


def test_energy_in_the_plane_and_of_a_point():
    """½·3·(4 + 1) + ½·0.5·16 = 11.5; ½·2·(1 + 4 + 4) = 9."""
    planar = PlanarBody(name="b", mass=3.0, inertia=0.5, velocity=(2.0, -1.0), spin=4.0)
    point = PointMass(name="p", mass=2.0, velocity=(1.0, 2.0, -2.0))
    for body, expected in ((planar, 11.5), (point, 9.0)):
        system = Model(name="one", items=(body,)).system()
        assert system.energy(0.0, system.start.q, system.start.v).kinetic == pytest.approx(expected)


def test_places_given_in_the_world():
    """A place given where it lies in the world is there at the start, whatever the attitude."""
    body = RigidBody(name="b", mass=1.0, inertia=(1, 1, 1), position=(1, 2, 3), attitude=about((1, -2, 1), 2.1))
    marker = body.at_world((4.0, 5.0, 6.0), axis=(0, 1, 0), across=(1, 0, 0))
    R = np.array(matrix_of(body.attitude))
    p = [marker.numbers[f"p.{i}"] for i in range(3)]
    axes = R @ np.reshape([marker.numbers[f"R.{i}"] for i in range(9)], (3, 3))
    np.testing.assert_allclose(R @ p + body.position, (4, 5, 6), atol=1e-14)
    np.testing.assert_allclose(axes, np.column_stack([(1, 0, 0), (0, 0, -1), (0, 1, 0)]), atol=1e-14)
