"""Rank, inertia, assembly, statics and modes of systems too large to be made dense."""

import itertools

import numpy as np
import pytest

from panhead.engine.bodies import PlanarBody, PointMass, RigidBody, ground
from panhead.engine.forces import LineBetween, SpringDamper, TensionOnly
from panhead.engine.joints import Held, Revolute, Spherical
from panhead.engine.methods.equilibrium import assemble_configuration, consistent_rates, equilibrium, require_inertia
from panhead.engine.methods.linear_solvers import DENSE_UP_TO, least_norm, null_vectors
from panhead.engine.methods.modes import linearise, lowest_modes, modes
from panhead.engine.methods.rank import require_independent
from panhead.engine.methods.trajectory import State
from panhead.engine.multibody import Model
from panhead.errors import ConstraintError, ModelError

LINKS = 40


def chain(*further, links=LINKS):
    """Rods of 1 m hinged to one another, each held from above by a spring that carries about its weight."""
    rods = [RigidBody(name=f"b{k}", mass=1.0, inertia=(0.02, 0.1, 0.1), position=(k + 0.5, 0, 0)) for k in range(links)]
    balls = [Spherical(name="j0", a=ground.at(), b=rods[0].at((-0.5, 0, 0)))]
    balls += [
        Spherical(name=f"j{k}", a=rods[k - 1].at((0.5, 0, 0)), b=rods[k].at((-0.5, 0, 0))) for k in range(1, links)
    ]
    springs = [
        SpringDamper(
            name=f"s{k}", along=LineBetween(a=rod.at((0, 0, 0.1)), b=ground.at((k + 0.5, 0, 3))),
            stiffness=100.0, rest=2.85
        )
        for k, rod in enumerate(rods)
    ]  # fmt: skip
    again = (
        [Revolute(name="again", a=rods[30].at((0.5, 0, 0)), b=rods[31].at((-0.5, 0, 0)))] if "again" in further else []
    )
    return Model(name="chain", items=(*rods, *balls, *springs, *again)).system()


@pytest.fixture(scope="module")
def system():
    found = chain()
    assert found.nq + found.nc > DENSE_UP_TO
    return found


def test_rank_without_a_dense_matrix(system):
    report = require_independent(system, system.start.q)
    assert report.rank == 4 * LINKS
    assert "too many" in report.free[0]


def test_one_joint_too_many_is_found_among_hundreds():
    """A hinge where there is a ball already: three equations repeat, by name."""
    doubled = chain("again")
    with pytest.raises(ConstraintError) as error:
        require_independent(doubled, doubled.start.q)
    for axis in "xyz":
        assert f"j31.{axis} repeats what again.{axis}" in str(error.value) or (
            f"again.{axis} repeats what j31.{axis}" in str(error.value)
        )


def test_sparse_and_dense_ways_agree(system, monkeypatch):
    """The same system by both ways: assembly, rates and equilibrium to the accuracy of the sparse way's δ² = 1e-12."""
    random = np.random.default_rng(2)
    guess, wanted = (system.start.q + 0.01 * random.standard_normal(system.nq), random.standard_normal(system.nq))

    def found():
        q = assemble_configuration(system, guess)
        return q, consistent_rates(system, q, wanted), *equilibrium(system, system.start.q)

    sparse = found()
    monkeypatch.setattr("panhead.engine.methods.linear_solvers.DENSE_UP_TO", 10**6)
    for one, other in zip(sparse, found(), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8 * max(1.0, np.abs(other).max()))


def test_equilibrium_is_one(system):
    q, lam = equilibrium(system, system.start.q)
    rest = np.zeros(system.nq)
    left = system.force(0.0, q, rest, np.zeros(0)) - system.constraint_q(0.0, q).T @ lam
    assert np.abs(left).max() < 1e-9 * 9.81
    assert np.abs(system.constraint(0.0, q)).max() < 1e-10


def test_a_large_system_without_inertia_is_refused(system):
    """A rod that loses its inertia about its own axis, in a model of hundreds of coordinates."""
    require_inertia(system, system.start)
    hollow = system.changed({"b17.inertia.0": 0.0})
    with pytest.raises(ModelError, match=r"has inertia when b17\.e1 moves"):
        require_inertia(hollow, hollow.start)


def masses(count, damping=0.0):
    """Equal masses on a string of equal springs between two walls, hanging along x."""
    points = [PlanarBody(name=f"m{k}", mass=2.0, inertia=1.0, position=(k + 1.0, 0)) for k in range(count)]
    held = Held(name="guide", values={f"m{k}.{x}": 0.0 for k in range(count) for x in ("y", "angle")})
    ends = [ground.at(), *(p.at() for p in points), ground.at((count + 1.0, 0, 0))]
    springs = [
        SpringDamper(name=f"s{k}", along=LineBetween(a=a, b=b), stiffness=50.0, rest=0.9, damping=damping)
        for k, (a, b) in enumerate(itertools.pairwise(ends))
    ]  # fmt: skip
    return Model(name="string", items=(*points, held, *springs), gravity=(0, 0, 0)).system()


def test_lowest_modes_against_the_closed_form():
    """ω_j = 2 √(k/m) sin(jπ / 2(n+1)); dampers in proportion give ζ_j = c ω_j / 2k."""
    n, c = 200, 0.5
    string = masses(n, damping=c)
    assert string.nq + string.nc > DENSE_UP_TO
    q, lam = equilibrium(string, string.start.q)
    found = lowest_modes(string, q, lam, count=6, near=0.05)
    omega = 2 * np.sqrt(25.0) * np.sin(np.arange(1, 7) * np.pi / (2 * (n + 1)))
    np.testing.assert_allclose(found.frequency * 2 * np.pi, omega, rtol=1e-8)
    np.testing.assert_allclose(found.damping, c * omega / 100.0, rtol=1e-6)


def test_lowest_modes_are_the_first_of_all():
    string = masses(12, damping=0.3)
    q, lam = equilibrium(string, string.start.q)
    everything, few = modes(linearise(string, q, lam)), lowest_modes(string, q, lam, count=4)
    np.testing.assert_allclose(few.eigenvalues, everything.eigenvalues[:4], rtol=1e-9)
    turned = np.abs(np.sum(few.shapes.conj() * everything.shapes[:, :4], axis=0))
    lengths = np.linalg.norm(few.shapes, axis=0) * np.linalg.norm(everything.shapes[:, :4], axis=0)
    np.testing.assert_allclose(turned, lengths, rtol=1e-8)


def test_null_vectors_and_least_norm_of_a_matrix_with_known_ones():
    """A string of differences has constants in its null space; the shortest solution has none of them."""
    import scipy.sparse

    n = 700
    A = scipy.sparse.csc_array(
        scipy.sparse.diags_array([-np.ones(n - 1), np.ones(n - 1)], offsets=[0, 1], shape=(n - 1, n))
    )
    A = A / np.sqrt(2)
    Z = null_vectors(A, tolerance=1e-9)
    assert Z.shape == (n, 1)
    np.testing.assert_allclose(np.abs(Z[:, 0]), 1 / np.sqrt(n), rtol=1e-8)
    x = np.random.default_rng(0).standard_normal(n)
    np.testing.assert_allclose(least_norm(A, A @ x), x - x.mean(), atol=1e-6)


def test_a_point_hangs_where_ropes_hold_it():
    """Two ropes in a V of 3-4-5 carry 10 N each of 16 N: elongation 10/1000 m; symmetric, so z follows from length."""
    point = PointMass(name="p", mass=1.6, position=(0.0, 0.0, -4.0))
    ropes = [
        TensionOnly(name=n, along=LineBetween(a=ground.at((x, 0, 0)), b=point.at()), stiffness=1e6, rest=5.0)
        for n, x in (("left", -3.0), ("right", 3.0))
    ]  # fmt: skip
    still = Held(name="aside", values={"p.y": 0.0})
    model = Model(name="v", items=(point, *ropes, still), gravity=(0, 0, -10.0)).system()
    guess = State(q=np.array([0.0, 0.0, -4.001]), v=np.zeros(3)).q
    q, _ = equilibrium(model, guess)
    # 2 k (√(9 + z²) − 5) |z| / √(9 + z²) = 16 N, solved to first order: k δ = 10 N, δ = 0.8 Δz
    assert q[2] == pytest.approx(-4.0 - 1e-5 / 0.8, abs=1e-9)
