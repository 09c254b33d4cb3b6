"""Axes of places: those of the body, unless told otherwise. References are worked out by hand."""

import numpy as np
import pytest

from panhead.engine.bodies import PlanarBody, RigidBody, ground
from panhead.engine.bodies.measure import at_start
from panhead.engine.forces import Bushing, Push
from panhead.engine.joints import Planar
from panhead.engine.multibody import Model
from panhead.engine.multibody.tree import in_joint_coordinates
from panhead.engine.roles import axes_along
from panhead.engine.rotations import about, matrix_of

NO_GRAVITY = (0.0, 0.0, 0.0)


def _body(**more):
    return RigidBody(name="b", mass=2.0, inertia=(1.0, 1.0, 1.0), **more)


def _axes_at_start(marker, q):
    """R of a place where its body starts, (3, 3)."""
    start = {name: (x, 0.0) for name, x in zip(marker.coordinates, q, strict=True)}
    write = lambda s: s.frames[0].R.reshape((9, 1))
    return at_start("axes of a place", (marker,), write, start)[0].reshape(3, 3).T


def test_place_without_axes_has_those_of_the_body():
    assert (axes_along((0.0, 0.0, 1.0)) == np.eye(3)).all()
    body = _body(attitude=about((1.0, 2.0, 3.0), 0.8))
    q = (*body.position, *body.attitude)
    # products of three rotations: a few roundings of numbers of size 1
    assert _axes_at_start(body.at(), q) == pytest.approx(np.array(matrix_of(body.attitude)), abs=1e-15)


@pytest.mark.parametrize("axis", [(0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 0.1), (-0.95, 0.1, 0.2)])
def test_place_by_the_world_has_the_axes_of_the_ground(axis):
    space, plane = _body(attitude=about((1.0, 2.0, 3.0), 0.8)), PlanarBody(name="b", mass=1, inertia=1, angle=0.7)
    wanted = _axes_at_start(ground.at((0.0, 0.0, 0.0), axis=axis), ())
    assert _axes_at_start(space.at_world((0.0, 0.0, 0.0), axis=axis), (*space.position, *space.attitude)) == (
        pytest.approx(wanted, abs=1e-15)
    )
    assert _axes_at_start(plane.at_world((0.0, 0.0), axis=axis), (0.0, 0.0, 0.7)) == pytest.approx(wanted, abs=1e-15)


def test_following_force_acts_along_the_axis_of_the_body_it_names():
    body = _body()
    push = Push(name="push", at=body.at(), force=(1.0, 0.0, 0.0), follows=True)
    system = Model(name="m", items=(body, push), gravity=NO_GRAVITY).system()
    force = system.force(0.0, system.start.q, system.start.v, np.zeros(0))
    assert force[:3] == pytest.approx([1.0, 0.0, 0.0], abs=1e-15)


def test_bushing_pulls_with_the_stiffness_of_its_direction():
    body = _body(position=(0.01, 0.0, 0.0))
    stiffness = tuple(tuple(k if i == j else 0.0 for j in range(6)) for i, k in enumerate((1000.0, 1.0, 1.0, 0, 0, 0)))
    bushing = Bushing(name="bushing", a=ground.at(), b=body.at(), stiffness=stiffness)
    system = Model(name="m", items=(body, bushing), gravity=NO_GRAVITY).system()
    force = system.force(0.0, system.start.q, system.start.v, np.zeros(0))
    assert force[:3] == pytest.approx([-10.0, 0.0, 0.0], abs=1e-12)


def test_body_on_a_plane_starts_at_its_coordinates_along_the_axes_of_the_ground():
    body = _body(position=(1.0, 2.0, 0.0))
    table = Planar(name="table", a=ground.at(), b=body.at())
    system = in_joint_coordinates(Model(name="m", items=(body, table), gravity=NO_GRAVITY)).system()
    start = dict(zip(system.coordinates, system.start.q, strict=True))
    assert (start["table.along x"], start["table.along y"]) == pytest.approx((1.0, 2.0), abs=1e-15)
