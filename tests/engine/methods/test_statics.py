"""Statics that find their way: thin beams, multipliers of large systems, limit points, buckling, relaxation."""

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import brentq

from panhead.engine.bodies import AncfBeam, Cable, PointMass, ground
from panhead.engine.bodies.measure import LineBetween
from panhead.engine.forces import Push, SpringDamper
from panhead.engine.joints import Held
from panhead.engine.methods.equilibrium import equilibrium
from panhead.engine.methods.linear_solvers import least_norm
from panhead.engine.methods.load_path import load_path
from panhead.engine.multibody import Model
from panhead.errors import ModelError, NotConverged

WIDE, HIGH, K = 1.0, 0.3, 1000.0  # half span, height [m], stiffness of a bar of the truss [N/m]


def truss(**spring):
    """Two springs that lean on each other, pressed down at their top by a force of t [N]."""
    top = PointMass(name="top", mass=1.0, position=(0.0, HIGH, 0.0), planar=True)
    bar = {"stiffness": K, "rest": float(np.hypot(WIDE, HIGH))} | spring
    bars = [
        SpringDamper(name=f"bar {k}", along=LineBetween(a=ground.at((x, 0.0, 0.0)), b=top.at()), **bar)
        for k, x in enumerate((-WIDE, WIDE))
    ]
    down = Push(name="down", at=top.at(), force=(0.0, -1.0, 0.0), course=lambda t: t)
    return Model(name="truss", items=(top, *bars, down), gravity=(0.0, 0.0, 0.0)).system()


def truss_load(y):
    """P = 2 k y (l₀ / l − 1)."""
    return 2 * K * y * (np.hypot(WIDE, HIGH) / np.hypot(WIDE, y) - 1)


def test_a_path_goes_through_both_limit_points_of_a_truss():
    """dP/dy = 0 where l³ = l₀ a²; the path is located to 1e-7 of a step, at the top of a parabola: 1e-9 of P."""
    system = truss()
    path = load_path(system, system.start.q, load="time", to=60.0)
    l0 = np.hypot(WIDE, HIGH)
    top = truss_load(np.sqrt((l0 * WIDE**2) ** (2 / 3) - WIDE**2))
    assert [p.kind for p in path.critical] == ["limit", "limit"]
    assert [p.load for p in path.critical] == pytest.approx([top, -top], rel=1e-8)
    np.testing.assert_allclose(path.load, truss_load(path.q[:, 1]), atol=1e-8 * top)
    assert path.load[-1] == pytest.approx(60.0, rel=1e-10)
    assert path.q[-1, 1] < -HIGH  # it has snapped through
    assert np.abs(path.critical[0].mode) == pytest.approx([0.0, 1.0], abs=1e-6)
    assert "limit at" in str(path)


def test_a_steep_truss_buckles_sideways_before_it_snaps():
    """The tangent across the load, 2 k (1 − l₀/l + (l₀/l) a²/l²), is zero where l² (l₀ − l) = l₀ a²: a bifurcation."""
    wide, high = 0.3, 1.0
    top = PointMass(name="top", mass=1.0, position=(0.0, high, 0.0), planar=True)
    l0 = float(np.hypot(wide, high))
    bars = [
        SpringDamper(name=f"bar {k}", along=LineBetween(a=ground.at((x, 0.0, 0.0)), b=top.at()), stiffness=K, rest=l0)
        for k, x in enumerate((-wide, wide))
    ]
    down = Push(name="down", at=top.at(), force=(0.0, -1.0, 0.0), course=lambda t: t)
    system = Model(name="steep", items=(top, *bars, down), gravity=(0.0, 0.0, 0.0)).system()
    path = load_path(system, system.start.q, load="time", to=800.0, stop=lambda P, q: q[1] < 0.5)
    length = brentq(lambda x: x**2 * (l0 - x) - l0 * wide**2, 0.7, l0)
    y = np.sqrt(length**2 - wide**2)
    found = path.first("bifurcation")
    assert found.load == pytest.approx(2 * K * y * (l0 / length - 1), rel=1e-6)
    assert np.abs(found.mode) == pytest.approx([1.0, 0.0], abs=1e-6)


def test_a_load_is_named_and_a_path_without_a_critical_point_says_so():
    system = truss()
    with pytest.raises(ModelError, match=r"has no load 'tim'.*time"):
        load_path(system, system.start.q, load="tim", to=1.0)
    with pytest.raises(ModelError, match="other than zero"):
        load_path(system, system.start.q, load="time", to=0.0)
    with pytest.raises(NotConverged, match="no bifurcation point up to a load of 1"):
        load_path(system, system.start.q, load="time", to=1.0).first("bifurcation")


def strip(elements, angle):
    """A thin cantilever with a dead force at an angle to its axes [Dowell75]: 0.508 m, 12.7 × 3.2 mm, 13.345 N."""
    bar = AncfBeam(
        name="b", begin=(0.0, 0.0, 0.0), end=(0.508, 0.0, 0.0), elements=elements, height=12.7e-3, width=3.2e-3,
        young=7.17e10, density=2700.0, poisson=0.31, across=(0.0, 1.0, 0.0),
    )  # fmt: skip
    clamp = {name: c.start for name, c in zip(bar.node_names(0), bar.coordinates(), strict=False)}
    force = (0.0, -13.345 * np.cos(angle), -13.345 * np.sin(angle))
    items = (bar, Held(name="clamp", values=clamp), Push(name="pull", at=bar.at(0.508), force=force))
    return Model(name="strip", items=items, gravity=(0.0, 0.0, 0.0)).system()


@pytest.mark.parametrize("elements", [8, 32])
@pytest.mark.parametrize("angle", [0.5, 1.2])
def test_thin_beams_do_not_stop_the_search(elements, angle):
    """Step halving alone stopped at residuals of 5 to 190 N in them."""
    system = strip(elements, angle)
    found = equilibrium(system, system.start.q)
    q, lam = found
    left = system.force(0.0, q, np.zeros(system.nq), np.zeros(0)) - system.constraint_q(0.0, q).T @ lam
    assert np.abs(left).max() < 1e-6 * 13.345
    assert found.iterations > 0
    assert str(found).startswith(f"found by {found.how}")


def test_relaxation_comes_to_the_stable_equilibrium():
    """From above its upper rest a truss under 150 N, more than it can bear, falls through to the lower one."""
    system = truss()
    found = equilibrium(system, system.start.q, t=150.0, relax=True)
    y = brentq(lambda y: truss_load(y) - 150.0, -3.0, -HIGH)
    assert found.q == pytest.approx([0.0, y], abs=1e-9)
    assert found.how == "relaxation"


def test_multipliers_of_a_large_system_are_of_the_size_of_its_forces():
    """A tall sparse system whose right-hand side lies mostly outside its range: lstsq is the witness."""
    random = np.random.default_rng(1)
    A = scipy.sparse.random_array((900, 300), density=0.01, rng=random, format="csr") + scipy.sparse.eye_array(900, 300)
    A = scipy.sparse.csr_array(A * 1e6)
    b = random.standard_normal(900)
    want = np.linalg.lstsq(A.toarray(), b, rcond=None)[0]
    np.testing.assert_allclose(least_norm(A, b), want, atol=1e-9 * np.abs(want).max())


def test_a_long_cable_is_hung_from_a_guess_without_tension():
    """300 elements from a straight shape: the elastic parabola w L² / 8 T, T = T₀ + EA (w L / T)² / 24, to its next
    term, (sag / L)² = 4e-5, ten times over."""
    n, span, w, T0, EA = 300, 50.0, 9.81, 10000.0, 1e7
    nodes = tuple((float(x), 0.0, 0.0) for x in np.linspace(0.0, span, n + 1))
    wire = Cable(name="w", nodes=nodes, mass_per_length=1.0, axial_stiffness=EA, tension=T0)
    ends = {f"w.{k}{axis}": x for k, p in ((0, nodes[0]), (n, nodes[-1])) for axis, x in zip("xyz", p, strict=True)}
    system = Model(name="wire", items=(wire, Held(name="ends", values=ends)), gravity=(0.0, 0.0, -w)).system()
    q, lam = equilibrium(system, system.start.q)
    T = brentq(lambda T: T0 + EA * (w * span / T) ** 2 / 24 - T, T0, 2 * T0)
    assert q[system.place(f"w.{n // 2}z")] == pytest.approx(-w * span**2 / (8 * T), rel=4e-4)
    assert np.abs(lam).max() == pytest.approx(T, rel=4e-4)
