"""Flexible bodies in floating frames: energies node by node, conservation, limits, and what is fastened to them."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

from engine.multibody.structures import scattered
from panhead.engine.bodies import FloatingBody, RigidBody, ground
from panhead.engine.bodies.floating_terms import small_turn
from panhead.engine.joints import Rigid
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.integrators import Adaptive
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.engine.multibody.outline import marker_on, outline, positions
from panhead.engine.rotations import about, matrix_of
from panhead.engine.structures import BeamMaterial, Member, Mode, Section, frame, reduce_structure
from panhead.errors import ModelError
from panhead.validation.floating_frame.references import momenta
from panhead.validation.floating_frame.rotation import lag_frequency

GRAVITY = (0.3, -1.0, -9.0)
NOWHERE = (0.0, 0.0, 0.0)
STRUCTURE = scattered()
RATES = (0.4, -0.3, 0.5)


def one(body, gravity=NOWHERE):
    return Model(name="one", items=(body,), gravity=gravity).system()


def node_jacobians(s, q):
    """∂(ṗ_j, spin of node j in the body's axes)/∂v, (nodes, 6, nq), written node by node; q may be complex."""
    k = len(s.modes)
    a, b, c, d = e = q[3:7]
    R = np.array(matrix_of(e))
    L = 2 * np.array([[-b, a, d, -c], [-c, -d, a, b], [-d, c, -b, a]])
    found = np.zeros((len(s.points), 6, 7 + k), dtype=q.dtype)
    for j, x in enumerate(s.points):
        arm = x + s.displacements[j] @ q[7:]
        tilde = np.array([[0, -arm[2], arm[1]], [arm[2], 0, -arm[0]], [-arm[1], arm[0], 0]])
        found[j, :3, :3] = np.eye(3)
        found[j, :3, 3:7] = -R @ tilde @ L
        found[j, :3, 7:] = R @ s.displacements[j]
        found[j, 3:, 3:7], found[j, 3:, 7:] = L, s.rotations[j]
    return found


def mass_by_nodes(s, q):
    total = 0.0
    for j, J in enumerate(node_jacobians(s, q)):
        total = total + s.nodal_mass[j] * J[:3].T @ J[:3] + J[3:].T @ s.nodal_inertia[j] @ J[3:]
    return total


def potential_by_nodes(s, q):
    R, w = np.array(matrix_of(q[3:7])), q[7:]
    heights = [np.dot(GRAVITY, q[:3] + R @ (x + F @ w)) for x, F in zip(s.points, s.displacements, strict=True)]
    return w @ s.stiffness @ w / 2 - s.nodal_mass @ np.array(heights)


def along(f, q, direction, step=1e-30):
    """Exact directional derivative by a complex step."""
    return np.imag(f(q + 1j * step * direction)) / step


def random_state(system, seed=4):
    random = np.random.default_rng(seed)
    q = system.start.q + 0.3 * random.uniform(-1, 1, system.nq)
    q[3:7] /= np.linalg.norm(q[3:7])
    v = random.uniform(-1, 1, system.nq)
    v[3:7] -= q[3:7] * (q[3:7] @ v[3:7])
    return q, v


def test_mass_is_the_sum_over_nodes():
    system = one(FloatingBody(name="b", structure=STRUCTURE))
    q, v = random_state(system)
    M = mass_by_nodes(STRUCTURE, q)
    np.testing.assert_allclose(system.mass(0.0, q).toarray(), M, atol=1e-13 * np.abs(M).max())
    assert system.energy(0.0, q, v).kinetic == pytest.approx(v @ M @ v / 2, rel=1e-13)


def test_forces_are_those_of_the_nodes():
    """f = ½ ∂(vᵀM v)/∂q − Ṁ v − ∂V/∂q − C ẇ: every quadratic term, by complex steps of the sums over nodes.

    Along e itself forces differ, as energies may be continued to |e| ≠ 1 in any way; the multiplier of e·e = 1
    takes that part.
    """
    s, system = STRUCTURE, one(FloatingBody(name="b", structure=STRUCTURE), GRAVITY)
    q, v = random_state(system)
    mass = lambda x: mass_by_nodes(s, x)
    unit = np.eye(system.nq)
    quadratic = np.array([v @ along(mass, q, d) @ v for d in unit]) / 2 - along(mass, q, v) @ v
    elastic = np.array([along(lambda x: potential_by_nodes(s, x), q, d) for d in unit])
    expected = quadratic - elastic - np.concatenate([np.zeros(7), s.damping @ v[7:]])
    found = system.force(0.0, q, v, np.zeros(0))
    for f in (found, expected):
        f[3:7] -= q[3:7] * (q[3:7] @ f[3:7])
    np.testing.assert_allclose(found, expected, atol=1e-12 * np.abs(expected).max())
    V = system.energy(0.0, q, v).potential
    assert pytest.approx(potential_by_nodes(s, q), rel=1e-13) == V


def test_a_free_body_keeps_its_momenta_and_its_energy():
    s = replace(STRUCTURE, damping=np.zeros((3, 3)))
    body = FloatingBody(
        name="b", structure=s, position=(1, 2, 3), velocity=(1, -2, 0.5), spin=(2, -1, 1), deformation_rate=RATES
    )  # fmt: skip
    system = one(body)
    motion = simulate(system, system.start, duration=0.3, dt=0.1, method=Adaptive(rtol=1e-10, atol=1e-12))
    L = momenta(s, motion)
    np.testing.assert_allclose(L, np.tile(L[0], (4, 1)), atol=1e-9 * np.abs(L[0]).max())
    E = [sum(system.energy(0.0, q, v)) for q, v in zip(motion.q, motion.v, strict=True)]
    np.testing.assert_allclose(E, E[0], rtol=1e-8)
    assert np.ptp(motion.q[:, 7:], axis=0).min() > 1e-3, "nothing swings: the test would see nothing"


def test_damping_takes_out_what_it_says():
    """d(T + V)/dt = −ẇᵀ C ẇ at the start, from accelerations."""
    system = one(FloatingBody(name="b", structure=STRUCTURE, deformation_rate=RATES))
    start = system.start
    power = system.power(0.0, start.q, start.v, np.zeros(system.nq), np.zeros(1), np.zeros(0))
    assert power.dissipated == pytest.approx(np.array(RATES) @ STRUCTURE.damping @ RATES, rel=1e-14)


def test_without_shapes_it_is_a_rigid_body_whose_origin_lies_anywhere():
    """The same points and inertias as a RigidBody about its centre of mass: one motion."""
    none = {"displacements": np.zeros((5, 3, 0)), "rotations": np.zeros((5, 3, 0))}
    s = replace(STRUCTURE, stiffness=np.zeros((0, 0)), damping=np.zeros((0, 0)), modes=(), **none)
    centre = s.nodal_mass @ s.points / s.mass
    arms = s.points - centre
    J = np.einsum("j,jab->ab", s.nodal_mass, [x @ x * np.eye(3) - np.outer(x, x) for x in arms])
    J = J + s.nodal_inertia.sum(axis=0)
    inertia, spin = ((J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]), np.array([1.0, 2.0, -1.0]))
    rigid = RigidBody(
        name="r", mass=s.mass, inertia=inertia, position=tuple(centre), spin=tuple(spin),
        velocity=tuple(np.cross(spin, centre)),
    )  # fmt: skip
    body = FloatingBody(name="b", structure=s, spin=tuple(spin))
    system = Model(name="two", items=(body, rigid), gravity=GRAVITY).system()
    T = system.energy(0.0, system.start.q, system.start.v).kinetic
    moved = np.cross(spin, s.points)
    by_hand = s.nodal_mass @ (moved**2).sum(axis=1) / 2 + spin @ s.nodal_inertia.sum(axis=0) @ spin / 2
    assert pytest.approx(2 * by_hand, rel=1e-13) == T
    motion = simulate(system, system.start, duration=0.5, dt=0.1, method=Adaptive(rtol=1e-11, atol=1e-13))
    at = [body.at(body.node(2)), rigid.at(tuple(arms[2]))]
    p = positions(system, motion, at)
    np.testing.assert_allclose(p[:, 0], p[:, 1], atol=1e-9)


def test_axes_of_a_place_stay_orthogonal():
    """A(θ) is a rotation for any θ and agrees with I + θ̃ to first order [Ambrosio11, eq. (16)]."""
    turn = lambda theta: np.array(ca.DM(small_turn(ca.DM(theta))))
    A = turn([0.8, -1.5, 2.0])
    np.testing.assert_allclose(A.T @ A, np.eye(3), atol=1e-15)
    assert np.linalg.det(A) == pytest.approx(1.0)
    theta = 1e-4 * np.array([1.0, -2.0, 0.5])
    tilde = np.cross(theta, np.eye(3)).T
    np.testing.assert_allclose(turn(theta), np.eye(3) + tilde, atol=np.dot(theta, theta))


def test_places_by_hand():
    """p = p_WB + R (x + Φ w + A(θ) offset), for a named place, a node, and the frame itself."""
    s = replace(STRUCTURE, places={"hook": FloatingBody(name="b", structure=STRUCTURE).node(3)})
    w = np.array([0.1, -0.2, 0.05])
    body = FloatingBody(
        name="b", structure=s, position=(1, 2, 3), attitude=about((1, 1, 2), 0.7), deformation=tuple(w)
    )  # fmt: skip
    system, offset = one(body), np.array([0.1, -0.2, 0.3])
    markers = [body.at(), body.at("hook"), body.at(body.nearest(s.points[3])), body.at("hook", point=tuple(offset))]
    start = State(q=system.start.q[None], v=system.start.v[None], t=np.zeros(1))
    p = positions(system, start, markers)[0]
    R, node = np.array(matrix_of(body.attitude)), s.points[3] + s.displacements[3] @ w
    A = np.array(ca.DM(small_turn(ca.DM(s.rotations[3] @ w))))
    np.testing.assert_allclose(p[0], body.position, atol=1e-14)
    np.testing.assert_allclose(p[1], body.position + R @ node, atol=1e-14)
    np.testing.assert_allclose(p[2], p[1], atol=1e-15)
    np.testing.assert_allclose(p[3], body.position + R @ (node + A @ offset), atol=1e-14)


def cantilever(modes):
    bar = Member(
        begin="root", end="tip", section=Section.rectangle(width=0.02, height=0.02), elements=16,
        material=BeamMaterial(young=70e9, poisson=0.3, density=2700.0),
    )  # fmt: skip
    beam = frame("beam", joints={"root": NOWHERE, "tip": (1.0, 0.0, 0.0)}, members=(bar,))
    return reduce_structure(beam, interfaces=("root",), modes=modes, corrections=("force along z", "moment about y"))


def test_sag_under_its_own_weight():
    """ρA g L⁴ / 8 EI of a clamped beam; one vibration, deflections under a force and a moment at the root.

    The weight is spread like the mass, so force and moment of the clamp balanced by inertia bend the free beam just
    so: the static shapes are exact up to the lumping of the mass.
    """
    s = cantilever(1)
    body = FloatingBody(name="beam", structure=s, position=tuple(s.origin))
    items = (body, Rigid(name="clamp", a=ground.at(), b=body.at("root")))
    system = Model(name="sag", items=items, gravity=(0.0, 0.0, -9.81)).system()
    q, _ = equilibrium(system, system.start.q)
    tip = positions(system, State(q=q[None], v=q[None], t=np.zeros(1)), [body.at("tip")])[0, 0]
    expected = 2700 * 4e-4 * 9.81 / (8 * 70e9 * 0.02**4 / 12)
    assert -tip[2] == pytest.approx(expected, rel=1e-3)


def test_bodies_with_any_number_of_shapes_share_their_laws():
    """One row for the frame, one for each shape, one for each pair of shapes; laws do not depend on how many."""
    plain = [replace(scattered(shapes=k), damping=np.eye(k)) for k in (2, 3, 5)]
    bodies = [FloatingBody(name=n, structure=s) for n, s in zip("abc", plain, strict=True)]
    system = Model(name="many", items=tuple(bodies)).system()
    assert [len(f.rows) for f in system.packed.families] == [3, 2 + 3 + 5, 1 + 3 + 10]


def test_a_body_is_drawn_through_its_nodes():
    body = FloatingBody(name="b", structure=STRUCTURE)
    model = Model(name="drawn", items=(body,))
    system = model.system()
    start = State(q=system.start.q[None], v=system.start.v[None], t=np.zeros(1))
    way = body.drawn()
    assert set(way) == set(range(5))
    np.testing.assert_allclose(outline(model, system, start)["b"][0], STRUCTURE.points[way])
    there = positions(system, start, [marker_on(model, "b", tuple(STRUCTURE.points[2]))])[0, 0]
    np.testing.assert_allclose(there, STRUCTURE.points[2])


@pytest.mark.parametrize(
    "fields, words",
    [({"deformation": (0.1,)}, "deformation must be 3 numbers"), ({"attitude": (1.0, 1.0, 0.0, 0.0)}, "length 1")],
)
def test_descriptions_that_cannot_be(fields, words):
    with pytest.raises(ModelError, match=words):
        FloatingBody(name="b", structure=STRUCTURE, **fields)


@pytest.mark.parametrize("name", ["stiffness", "damping"])
@pytest.mark.parametrize("change", [np.triu(np.ones((3, 3)), 1), -1e3 * np.eye(3)], ids=["skew", "active"])
def test_a_structure_that_gives_energy_is_refused(name, change):
    wrong = replace(STRUCTURE, **{name: getattr(STRUCTURE, name) + change})
    with pytest.raises(ModelError, match=f"{name} of structure 'scattered' must be symmetric"):
        FloatingBody(name="b", structure=wrong)


def test_shapes_that_move_the_whole_body_are_refused():
    shapes = STRUCTURE.displacements.copy()
    shapes[:, :, 0] = (1.0, 0.0, 0.0)
    turns = STRUCTURE.rotations.copy()
    turns[:, :, 0] = 0.0
    with pytest.raises(ModelError, match="without inertia"):
        FloatingBody(name="b", structure=replace(STRUCTURE, displacements=shapes, rotations=turns))


def test_an_unknown_place_is_told():
    with pytest.raises(ModelError, match="has no place 'elbow'; it has none"):
        FloatingBody(name="b", structure=STRUCTURE).at("elbow")


def test_southwell_of_the_independent_beam():
    """ω² = ω₀² + 0.193 Ω² in the plane for slow spin: the oracle of the spinning beam itself."""
    still, spin = lag_frequency(0.0), 1.0
    assert lag_frequency(spin) ** 2 - still**2 == pytest.approx(0.193 * spin**2, abs=5e-4)


def test_modes_are_told():
    assert all(isinstance(m, Mode) and m.words for m in cantilever(1).modes)
