"""A structure checks what it is given, and knows how its places move."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from engine.structures.builders import STEEL, TUBE, TURN, arm, beam, coordinates_of
from panhead.engine.structures import Member, Structure, frame, reduce_structure
from panhead.errors import ModelError


def test_rigid_motions_are_free_of_strain():
    """K R = 0 to the rounding of the row's own entries, for a body askew and far from the origin."""
    s = arm(turn=TURN, shift=(2.0, 1.0, -3.0))
    R = s.rigid_motions(np.zeros(3))
    assert np.max(np.abs(s.stiffness @ R) / (abs(s.stiffness) @ np.abs(R))) < 1e-13


def test_the_motion_of_a_group_is_rigid_when_the_body_is():
    s = arm(turn=TURN)
    for place in ("foot", "head"):
        point, P = s.motion(place)
        assert P @ s.rigid_motions(point) == pytest.approx(np.eye(6), abs=1e-12)


def test_the_mean_motion_of_two_nodes():
    """Lifting one end of a pair lifts its centre by its share of the mass."""
    s = arm()
    (i, j) = s.places["foot"]
    P = s.motion("foot")[1]
    u = np.zeros(s.stiffness.shape[0])
    u[6 * i + 0] = 1.0
    m = s.nodal_mass
    assert (P @ u)[0] == pytest.approx(m[i] / (m[i] + m[j]), rel=1e-12)


def test_work_of_a_load_at_a_group():
    """Pᵀ spreads a load over the nodes so that force and moment are the load's."""
    s = arm()
    point, P = s.motion("foot")
    load = np.array([1.0, -2.0, 3.0, 0.5, 0.2, -0.1])
    assert s.rigid_motions(point).T @ (P.T @ load) == pytest.approx(load, abs=1e-12)


SPRING = np.zeros((6, 6))
SPRING[np.ix_([0, 3], [0, 3])] = [[1.0, -1.0], [-1.0, 1.0]]


def two(name="two", **changes):
    """Two nodes of a solid on a spring along x."""
    values = {
        "points": np.array([[0.0, 0, 0], [1.0, 0, 0]]),
        "stiffness": sp.csr_array(SPRING),
        "nodal_mass": np.ones(2),
        "nodal_inertia": np.zeros((2, 3, 3)),
    }
    return Structure(name=name, **(values | changes))


def entry(i, j, value):
    K = SPRING.copy()
    K[i, j] += value
    return sp.csr_array(K)


@pytest.mark.parametrize("changes, words", [
    ({"points": np.zeros((2, 2))}, r"points must be finite and of shape \(2, 3\)"),
    ({"nodal_mass": np.array([1.0, np.nan])}, "nodal_mass must be finite"),
    ({"nodal_mass": np.array([1.0, -2.0])}, "node 1 has -2 kg"),
    ({"nodal_mass": np.zeros(2)}, "not all 0"),
    ({"nodal_inertia": -np.ones((2, 3, 3))}, "rotary inertia of node 0 is not positive"),
    ({"stiffness": sp.csr_array(np.eye(5))}, "must be 6 × 6, or 12 × 12 where nodes turn, got 5 × 5"),
    ({"stiffness": entry(0, 4, 0.5)}, "not symmetric, row 0 and column 4|not symmetric, row 4 and column 0"),
    ({"stiffness": entry(4, 4, 1.0)}, r"rigid-body motion produces forces, largest in row 4 \(node 1, coordinate 1\)"),
    ({"stiffness": entry(0, 0, np.inf)}, "not finite"),
    ({"places": {"tip": (2,)}}, r"place 'tip' names the nodes \[2\]; nodes are 0 … 1"),
    ({"places": {"tip": ()}}, "names the nodes none"),
    ({"places": {"both": (0, 1)}}, "'both' lie on a line"),
    ({}, "no inertia about one axis"),
])  # fmt: skip
def test_what_cannot_be_a_structure(changes, words):
    with pytest.raises(ModelError, match=words):
        two(**changes)


def test_unknown_places_are_named():
    with pytest.raises(ModelError, match="no place 'toe'; known: knee, pin"):
        arm().motion("toe")


def test_parts_that_are_not_joined_are_found():
    members = tuple(Member(begin=p, end=q, section=TUBE, material=STEEL, elements=3) for p, q in ("ab", "cd"))
    joints = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (0, 1, 0), "d": (1, 1, 1)}
    with pytest.raises(ModelError, match="can still move without strain"):
        reduce_structure(frame("pair", joints=joints, members=members), modes=1)


def test_a_cut_beam_is_found():
    s = beam(4)
    cut = s.stiffness.toarray()
    inner = coordinates_of(replace(s, places={"c": (3,)}), "c")
    others = np.setdiff1d(np.arange(len(cut)), inner)
    cut[np.ix_(inner, others)] = cut[np.ix_(others, inner)] = 0.0
    with pytest.raises(ModelError, match="rigid-body motion produces forces"):
        replace(s, stiffness=sp.csr_array(cut))
