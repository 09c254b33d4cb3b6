"""Flexible bodies in floating frames beside Exudyn's, which derives the same equations in matrices of its own.

Both codes get one structure: nodes, masses, stiffness. Both march by the generalized-α method with steps of h, h/2 and
h/4 and are extrapolated to h → 0, so that what is left of the steps is below the gaps that are asked for. Where the
codes differ is told in ``oracles.exudyn_floating``.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from panhead.engine.bodies import FloatingBody, ground
from panhead.engine.joints import Revolute, Spherical
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.modes import linearise, modes
from panhead.engine.methods.simulate import simulate
from panhead.engine.multibody import Model
from panhead.engine.multibody.outline import positions
from panhead.engine.roles import axes_along
from panhead.engine.structures import (
    BeamMaterial,
    BodyFixed,
    JointMass,
    MeanAxes,
    Member,
    Section,
    frame,
    from_matrices,
    reduce_structure,
)

pytest.importorskip("exudyn")
skfem = pytest.importorskip("skfem")

from oracles import exudyn_floating as peer  # noqa: E402
from skfem.models.elasticity import lame_parameters, linear_elasticity  # noqa: E402

NOWHERE, GRAVITY = (0.0, 0.0, 0.0), (0.0, 0.0, -9.81)
LENGTH = 1.0
SPIN, VELOCITY = (3.0, -5.0, 4.0), (1.0, -2.0, 0.5)
RATES = np.array([0.3, -0.2, 0.25, 0.15, -0.25, 0.2])
AXIS = tuple(np.array([0.3, 1.0, 0.2]) / np.sqrt(1.13))
TIMES = np.linspace(0.0, 0.2, 11)


@cache
def bow():
    """A bent, tapered bar of soft plastic in hexahedra of 27 nodes: nothing about it is symmetric."""
    grid = [np.linspace(0, size, n) for size, n in ((LENGTH, 9), (0.03, 2), (0.02, 2))]
    straight = skfem.MeshHex.init_tensor(*grid)
    x, y, z = straight.p
    mesh = skfem.MeshHex(np.array([x, y + 0.3 * x * (1 - x), z * (1 - 0.3 * x)]), straight.t)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementHex2()), intorder=4)
    K = linear_elasticity(*lame_parameters(3e8, 0.4)).assemble(basis)
    mass = skfem.BilinearForm(lambda u, v, w: 920.0 * sum(u[k] * v[k] for k in range(3)))
    nodes = np.hstack([basis.nodal_dofs, basis.edge_dofs, basis.facet_dofs, basis.interior_dofs]).T
    points, order = basis.doflocs[:, nodes[:, 0]].T, nodes.ravel()
    K, M = (sp.csr_array(A)[order][:, order] for A in (K, mass.assemble(basis)))
    ends = {
        name: tuple(np.flatnonzero(np.isclose(points[:, 0], at)).tolist())
        for name, at in (("left", 0.0), ("right", LENGTH))
    }
    return from_matrices("bow", points=points, stiffness=K, mass=M, places=ends, mass_model="diagonal")


@cache
def held(reference):
    """Six vibrations of the bow with its left end clamped, seen from one frame or another."""
    return reduce_structure(bow(), modes=6, interfaces=("left",), method="craig-bampton", reference=reference)


def watched():
    left, right = bow().places["left"], bow().places["right"]
    return (left[0], right[0], len(bow().points) // 2)


def told(s, **options):
    """The bow as Exudyn gets it: in the frame of s, with the shapes of s."""
    return peer.Body(
        points=s.points,
        nodal_mass=s.nodal_mass,
        stiffness=bow().stiffness,
        shapes=s.displacements.reshape(-1, len(s.modes)),
        watched=watched(),
        **{"rates": np.zeros(len(s.modes))} | options,
    )


def hinged(s, joint, gravity, **start):
    body = FloatingBody(name="bow", structure=s, **start)
    items = [body]
    if joint is not None:
        at = ground.at(tuple(s.places["left"].point), axis=AXIS)
        items.append(joint(name="joint", a=at, b=body.at("left", axis=AXIS)))
    return body, Model(name="one", items=tuple(items), gravity=gravity).system()


def ours(body, system, dt, rho, nodes):
    motion = simulate(
        system, system.start, duration=TIMES[-1], dt=dt, keep=TIMES[1],
        method=GeneralizedAlpha(tolerance=1e-11, spectral_radius=rho),
    )  # fmt: skip
    return positions(system, motion, [body.at(body.node(j)) for j in nodes])


def extrapolated(run, dt):
    """Terms in h² and h⁴ taken away, and the order that the three runs show."""
    a, b, c = (run(dt / k) for k in (1, 2, 4))
    first, second = b + (b - a) / 3, c + (c - b) / 3
    order = np.log2(np.abs(a - b).max() / np.abs(b - c).max())
    return second + (second - first) / 15, order


def gap(body, system, theirs, dt, rho=1.0):
    """Largest distance of the watched nodes between the codes [m]."""
    a, order = extrapolated(lambda h: ours(body, system, h, rho, theirs.watched), dt)
    b, their_order = extrapolated(lambda h: theirs.run(h, TIMES, rho), dt)
    assert 1.8 < order < 2.2, "our steps are too long to extrapolate"
    assert 1.8 < their_order < 2.2, "Exudyn's steps are too long to extrapolate"
    return np.abs(a - b).max()


def test_free_vibrations_are_exudyn_s():
    """The same pair K, M in two eigenvalue solvers: rounding of a stiffness that is 1e7 times its first eigenvalue."""
    s = reduce_structure(bow(), modes=8)
    _, frequencies = peer.own_shapes(told(s), 8)
    assert frequencies[:8] == pytest.approx([m.frequency for m in s.modes], rel=1e-8)


@pytest.mark.parametrize("joint", [None, Spherical, Revolute], ids=["free", "ball", "hinge"])
def test_vibrations_of_the_body_in_its_joint_are_exudyn_s(joint):
    """Exudyn differentiates its equations numerically: eight digits are what that leaves for sure."""
    s = held(MeanAxes())
    _, system = hinged(s, joint, NOWHERE)
    found = modes(linearise(system, system.start.q, np.zeros(system.nc))).frequency
    axis = axes_along(AXIS) if joint is Revolute else None
    fixed = bow().places["left"] if joint else ()
    mbs, *_ = told(s, held=fixed, axis=axis).build()
    theirs = np.sqrt(np.abs(mbs.ComputeODE2Eigenvalues()[0])) / (2 * np.pi)
    elastic = [np.sort(f[f > 1.0]) for f in (found, theirs)]  # [Hz]; the others are zero
    assert len(elastic[0]) == 6
    assert elastic[0] == pytest.approx(elastic[1], rel=1e-8)


def test_a_free_body_spins_and_vibrates_as_exudyn_s():
    """With shapes that Exudyn finds itself: the same motions are possible in both, coordinates differ.

    All inertial couplings take part: nodes move by 1.3 cm in the frame, and without J1, J2 or H1 they would be 2.4, 1.0
    or 3.1 mm elsewhere. The gap is what the steps leave.
    """
    s = reduce_structure(bow(), modes=6)
    body, system = hinged(s, None, NOWHERE, velocity=VELOCITY, spin=SPIN, deformation_rate=tuple(RATES))
    X, _ = peer.own_shapes(told(s), 6)
    rates = X.T @ (np.repeat(s.nodal_mass, 3) * (s.displacements @ RATES).ravel())
    theirs = replace(told(s, velocity=VELOCITY, spin=SPIN), shapes=X, rates=rates)
    assert gap(body, system, theirs, 1e-4) < 1e-8 * LENGTH


CASES = {
    "ball, mean axes, Exudyn's gravity": (Spherical, MeanAxes(), False),
    "ball, body-fixed": (Spherical, BodyFixed(("left",)), True),
    "hinge, body-fixed": (Revolute, BodyFixed(("left",)), True),
}


@pytest.mark.parametrize("case", CASES)
def test_a_pendulum_falls_and_bends_as_exudyn_s(case):
    """From rest, in space: the far end falls by 20 to 30 cm, 1 to 3 cm of which it lags behind the clamped frame."""
    joint, reference, weighted = CASES[case]
    s = held(reference)
    body, system = hinged(s, joint, GRAVITY)
    axis = axes_along(AXIS) if joint is Revolute else None
    theirs = told(s, gravity=GRAVITY, weighted=weighted, held=bow().places["left"], axis=axis)
    assert gap(body, system, theirs, 5e-4, rho=0.9) < 1e-9 * LENGTH


def test_a_hinge_that_turns_in_the_frame_differs_by_second_order():
    """In mean axes the hinge turns by θ = 0.06 relative to the frame; Exudyn's reaction is wrong by a share of θ.

    So the displacement, itself of the order of θ times the size, differs by θ² times the size at most. That it is not
    ours which errs is seen from the energy, which our steps keep to second order.
    """
    s = held(MeanAxes())
    body, system = hinged(s, Revolute, GRAVITY)
    theirs = told(s, gravity=GRAVITY, held=bow().places["left"], axis=axes_along(AXIS))
    motions = [
        simulate(system, system.start, duration=0.2, dt=h, keep=0.02, method=GeneralizedAlpha()) for h in (5e-4, 2.5e-4)
    ]
    theta = np.linalg.norm(motions[1].q[:, 7:] @ s.places["left"].shape[3:].T, axis=1).max()
    assert theta > 0.03, "the hinge does not turn: the test would see nothing"
    fine = 2.5e-4  # [s], leaves 1e-6 m
    apart = ours(body, system, fine, 0.9, watched()) - theirs.run(fine, TIMES, 0.9)
    assert np.abs(apart).max() < theta**2 * LENGTH
    start = sum(system.energy(0.0, system.start.q, system.start.v))
    lost = [sum(system.energy(0.0, m.q[-1], m.v[-1])) - start for m in motions]
    assert lost[0] / lost[1] == pytest.approx(4.0, rel=0.1)


@pytest.mark.parametrize("reference", [MeanAxes(), BodyFixed(("left",))], ids=["mean", "fixed"])
def test_a_free_body_falls_as_one(reference):
    """Gravity on a free body adds ½ g t² to every node and nothing else, whatever the frame.

    What the steps leave differs a little with and without the fall: 3e-6 m of 0.2 m, and a factor for other machines.
    """
    s = held(reference)
    start = {"spin": SPIN, "deformation_rate": tuple(RATES / 2)}
    with_, without = (ours(*hinged(s, None, g, **start), 1.25e-4, 0.9, watched()) for g in (GRAVITY, NOWHERE))
    fall = np.array(GRAVITY) * TIMES[:, None, None] ** 2 / 2
    np.testing.assert_allclose(with_ - without, np.broadcast_to(fall, with_.shape), atol=1e-5)


def test_exudyn_s_body_falls_as_one_if_all_nodes_carry_the_weight():
    """The remedy of ``oracles.exudyn_floating`` is one; without it, `weighted=False`, 1.13 is 0.17 m off."""
    s = held(BodyFixed(("left",)))
    with_, without = (
        told(s, gravity=g, spin=SPIN, rates=RATES / 2).run(1.25e-4, TIMES, 0.9) for g in (GRAVITY, NOWHERE)
    )
    fall = np.array(GRAVITY) * TIMES[:, None, None] ** 2 / 2
    np.testing.assert_allclose(with_ - without, np.broadcast_to(fall, with_.shape), atol=1e-5)


def angle():
    """Two thick beams at an angle with a lump that has inertia about all axes: nodes that turn."""
    plastic = BeamMaterial(young=3e8, poisson=0.4, density=920.0)
    bar = Section.rectangle(width=0.06, height=0.04)
    link = lambda a, b: Member(begin=a, end=b, section=bar, material=plastic, elements=6)
    return frame(
        "angle",
        joints={"a": (0, 0, 0), "b": (0.6, 0.1, 0.0), "c": (0.7, 0.5, 0.3)},
        members=(link("a", "b"), link("b", "c")),
        lumps=(JointMass(at="c", mass=0.3, inertia=(4e-3, 3e-3, 5e-3)),),
    )


def scattered(s):
    """Every node as six points at the ends of a cross that turns with it: the same mass and rotary inertia."""
    points, masses, shapes = [], [], []
    for x, m, mu, F, P in zip(s.points, s.nodal_mass, s.nodal_inertia, s.displacements, s.rotations, strict=True):
        moments, axes = np.linalg.eigh(mu)
        arms = np.sqrt(3 * (moments.sum() / 2 - moments).clip(min=0.0) / m) * axes
        for arm in (*arms.T, *-arms.T):
            points.append(x + arm)
            masses.append(m / 6)
            shapes.append(F + np.cross(P, arm, axis=0))
    return np.array(points), np.array(masses), np.array(shapes)


def test_nodes_that_turn_against_points_that_move():
    """Beams of `frame` with rotary inertia, in Exudyn as points on crosses.

    Points carry the rotary inertia along with the node's turn θ, ours keeps μ in the frame's axes
    [Ambrosio11, eq. (2)]: of the moment of inertia a share θ Σμ/J differs, and the motion by no more than that
    share of the way turned. With the same points in ours, nothing differs.
    """
    s = reduce_structure(angle(), modes=6)
    points, masses, shapes = scattered(s)
    start = {"velocity": VELOCITY, "spin": SPIN, "deformation_rate": tuple(RATES)}
    flat = shapes.reshape(-1, 6)
    stiffness = scipy.linalg.pinv(flat).T @ s.stiffness @ scipy.linalg.pinv(flat)
    theirs = peer.Body(
        points=points, nodal_mass=masses, shapes=flat, stiffness=stiffness, rates=RATES,
        velocity=VELOCITY, spin=SPIN, watched=(0, 6, 12),
    )  # fmt: skip
    as_points = replace(
        s, points=points, nodal_mass=masses, displacements=shapes,
        nodal_inertia=np.zeros((len(points), 3, 3)), rotations=np.zeros_like(shapes), places={},
    )  # fmt: skip
    body, system = hinged(as_points, None, NOWHERE, **start)
    assert gap(body, system, theirs, 1e-4) < 1e-8 * LENGTH
    turning, other = hinged(s, None, NOWHERE, **start)
    nodes = [
        ours(turning, other, 1e-4, 1.0, (0, 1, 2)),
        ours(body, system, 1e-4, 1.0, range(18)).reshape(len(TIMES), 3, 6, 3).mean(axis=2),
    ]
    motion = simulate(other, other.start, duration=0.2, dt=1e-4, keep=0.002)
    theta = np.abs(np.einsum("jak,tk->tja", s.rotations, motion.q[:, 7:])).max()
    J = np.einsum("j,jab->ab", s.nodal_mass, np.einsum("ja,jb->jab", s.points, s.points))
    share = theta * np.trace(s.nodal_inertia.sum(axis=0)) / np.trace(J)
    way = np.linalg.norm(SPIN) * TIMES[-1] * LENGTH
    assert 1e-8 < np.abs(nodes[0] - nodes[1]).max() < share * way
