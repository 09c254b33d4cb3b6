"""Elimination of multipliers and dependent coordinates, and the arms that slide on a beam."""

from dataclasses import replace

import numpy as np
import pytest
from oracles.pendulum_on_beam import PENDULUM_ON_BEAM, stored, table
from oracles.pendulum_on_beam import Model as Oracle
from scipy.integrate import solve_ivp

from panhead.engine.bodies import PlanarBody, ground
from panhead.engine.joints import Revolute
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.formulations import Augmented, Eliminated, Embedded, Unstabilised
from panhead.engine.methods.integrators import Adaptive, GeneralizedAlpha, RungeKutta4
from panhead.engine.methods.integrators.first_order import FirstOrderForm
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import Problem, State
from panhead.engine.multibody import Model as Panhead
from panhead.engine.symbolic import SymbolicSystem
from panhead.errors import ModelError
from panhead.runs.library.pendulum_on_beam import pendulum_on_beam
from panhead.runs.scenarios.shipped_models import mechanism

COARSE = 6  # elements: the stiffest mode is some 70 times softer than of 50
NOTHING = np.zeros(0)


def dependent(elements):
    ends = (f"beam.{k}{field}" for k in (0, elements) for field in ("w", "w'"))
    return Eliminated(dependent=(*ends, "root.y"))


@pytest.fixture(scope="module")
def coarse():
    return pendulum_on_beam("riding", elements=COARSE, place=2.4)


def moving(system, start, form):
    """A state with speed, on the constraints."""
    rng = np.random.default_rng(1)
    t = np.array([0.0, 1.0])
    problem = Problem(system=system, start=start, t=t, u=np.zeros((2, 0)), formulation=form)
    motion = FirstOrderForm(problem)
    q, w = start.q + 0.01 * rng.normal(size=system.nq), motion.room.dependent
    q[w] = start.q[w]
    y = motion.project(0.0, np.concatenate([q, rng.normal(size=system.nq), np.zeros(3)]))
    return motion, y[: system.nq], y[system.nq : 2 * system.nq]


def test_elimination_is_the_augmented_system(coarse):
    """Accelerations and multipliers of eqs (26)–(31) against the saddle matrix: the same to round-off."""
    system, start = coarse
    motion, q, v = moving(system, start, dependent(COARSE))
    np.testing.assert_allclose(system.constraint(0.0, q), 0.0, atol=1e-15)
    np.testing.assert_allclose(system.constraint_q(0.0, q) @ v, 0.0, atol=1e-13)
    a, lam = accelerations(system, 0.0, q, v, NOTHING)
    found = motion.to_trajectory(np.concatenate([q, v, np.zeros(3)])[None, :], {})
    np.testing.assert_allclose(found.a[0], a, atol=1e-10 * np.abs(a).max())
    np.testing.assert_allclose(found.lam[0], lam, atol=1e-10 * np.abs(lam).max())


def test_jacobian_of_the_reduced_equations(coarse):
    """∂a/∂(q, v) with dependent coordinates following, against the seam's matrices: Zᵀ M Z ∂a_u = −Zᵀ (K Z, D Z)."""
    system, start = coarse
    motion, q, v = moving(system, start, dependent(COARSE))
    n, w = system.nq, motion.room.dependent
    u = np.setdiff1d(np.arange(n), w)
    J = motion.jacobian(0.0, np.concatenate([q, v, np.zeros(3)]))
    a, lam = accelerations(system, 0.0, q, v, NOTHING)
    G = system.constraint_q(0.0, q).toarray()
    Z = np.zeros((n, len(u)))
    Z[u] = np.eye(len(u))
    Z[w] = -np.linalg.solve(G[:, w], G[:, u])
    K = system.inertia_q(0.0, q, a) + system.reaction_q(0.0, q, lam)
    K = (K - system.force_q(0.0, q, v, NOTHING)).toarray()
    D = -system.force_v(0.0, q, v, NOTHING).toarray()
    M = system.mass(0.0, q).toarray()
    for block, columns in ((K, u), (D, n + u)):
        expected = -Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ block @ Z)
        np.testing.assert_allclose(J[n : 2 * n][:, columns], expected, atol=1e-9 * np.abs(expected).max())
    np.testing.assert_allclose(J[:n][:, n + u], Z, atol=1e-12)


def test_the_reaction_is_normal_to_the_beam(coarse):
    """∂Φ/∂(x, y) = (w′, −1) with w′ by a difference of the constraint: its error is of second order, 1e-9."""
    system, start = coarse
    _, q, _ = moving(system, start, dependent(COARSE))
    x, y = system.place("root.x"), system.place("root.y")
    k, h = system.constraints.index("slide.height"), 1e-5
    height = lambda s: system.constraint(0.0, q + s * np.eye(system.nq)[x])[k]
    G = system.constraint_q(0.0, q).toarray()[k]
    slope = (height(h) - height(-h)) / (2 * h)
    assert abs(slope) > 1e-2
    assert G[x] == pytest.approx(slope, abs=1e-8)
    assert G[y] == -1.0


FORMS = [dependent(COARSE), Augmented(), Embedded()]


def test_formulations_give_one_motion(coarse):
    """A method of eighth order at 1e-11: what is left between formulations is round-off of stiff forces."""
    system, start = coarse
    method = Adaptive(rtol=1e-11, atol=1e-12)
    runs = [simulate(system, start, duration=0.03, dt=0.01, method=method, formulation=form) for form in FORMS]
    for run in runs[1:]:
        np.testing.assert_allclose(run.q, runs[0].q, atol=1e-10)
        np.testing.assert_allclose(run.v, runs[0].v, atol=1e-7)
        np.testing.assert_allclose(run.lam, runs[0].lam, atol=1e-4)
    assert all(np.abs(run.g).max() < 1e-10 for run in runs)


def test_steps_of_every_form_are_the_same(coarse):
    """Generalized-α: arc length kept, arc length hidden, the paper's constraint, and the elimination.

    The steps are the same algebra, so that they differ by the tolerance of Newton alone.
    """
    method = GeneralizedAlpha(tolerance=1e-12, rates="free")
    found = []
    for form in ("riding", "embedded", "augmented"):
        system, start = pendulum_on_beam(form, elements=COARSE, place=2.4)
        run = simulate(system, start, duration=0.2, dt=1e-3, method=method)
        names = [k for k, c in enumerate(system.coordinates) if c != "slide.s"]
        found.append(run.q[:, names])
    system, start = coarse
    form = dependent(COARSE)
    run = simulate(system, start, duration=0.2, dt=1e-3, method=method, formulation=form)
    for q in found:
        np.testing.assert_allclose(q, run.q, atol=1e-10)
    assert np.abs(run.g).max() < 1e-14


def test_against_a_solution_by_modes():
    """The arms on the printed beam against the stored solution by modes: second order, 3e-7 m at 0.1 ms."""
    system, start = pendulum_on_beam("riding")
    oracle = stored()
    columns = {"root.x": "x", "root.y": "y", "root.angle": "theta1", "hinge.angle": "q4", "beam.16w": "w16"}
    errors = []
    for dt in (4e-4, 2e-4):
        run = simulate(system, start, duration=1.0, dt=dt, keep=0.01, method=GeneralizedAlpha(tolerance=1e-11))
        errors.append([np.abs(run.q[:, system.place(c)] - oracle[n]).max() for c, n in columns.items()])
        energy = np.array([sum(system.energy(0.0, q, v)) for q, v in zip(run.q, run.v, strict=True)])
        assert np.abs(run.g).max() < 1e-10
    assert np.max(errors[-1]) < 1e-5
    # root and hinge move smoothly: a quarter of the error at half the step
    assert np.array(errors)[0, 0] / np.array(errors)[1, 0] == pytest.approx(4.0, abs=0.3)
    assert np.abs(energy - energy[0]).max() < 1e-6 * abs(energy[0])


def drift(system, start, *, vertical_only):
    """Largest change of energy over 0.3 s, beside the largest kinetic energy."""
    x = system.place("root.x")
    slide, n = system.constraints.index("slide.height"), system.nq

    def rate(t, y):
        q, v = y[:n], y[n:]
        M, G = (z.toarray() for z in (system.mass(t, q), system.constraint_q(t, q)))
        push = G.copy()
        if vertical_only:
            push[slide, x] = 0.0
        A = np.block([[M, push.T], [G, np.zeros((len(G), len(G)))]])
        right = np.concatenate([system.force(t, q, v, NOTHING), system.constraint_bias(t, q, v)])
        return np.concatenate([v, np.linalg.solve(A, right)[:n]])

    y = np.concatenate([start.q, start.v])
    run = solve_ivp(rate, (0.0, 0.3), y, "Radau", rtol=1e-7, atol=1e-9, max_step=5e-3)
    energies = [system.energy(0.0, z[:n], z[n:]) for z in run.y.T]
    total = np.array([e.kinetic + e.potential for e in energies])
    return np.abs(total - total[0]).max() / max(e.kinetic for e in energies)


def test_a_vertical_reaction_would_not_keep_energy():
    """The test of energy, 1e-6, can fail: a reaction along y alone moves a third of the kinetic energy."""
    system, start = pendulum_on_beam("riding", elements=2, place=2.0)
    right, wrong = (drift(system, start, vertical_only=x) for x in (False, True))
    assert right < 1e-6
    assert wrong > 0.1


def test_closed_loops_of_a_symbolic_mechanism():
    """The same formulation through the seam of a system that knows nothing of tables."""
    system = SymbolicSystem(mechanism("planar-pantograph"))
    from panhead.engine.methods.equilibrium import assemble_configuration

    q = assemble_configuration(system, np.array([2.4, 2.5, -0.5, 0.1]))
    start = State(q=q, v=np.zeros(len(q)))
    form = Eliminated(dependent=tuple(system.coordinates[1:3]))
    runs = [
        simulate(system, start, duration=0.1, dt=2e-3, method=RungeKutta4(), formulation=f, stabilisation=s)
        for f, s in ((form, Unstabilised()), (Embedded(), Unstabilised()))
    ]
    # both integrate independent coordinates; the choice of them matters at the method's error, 1e-9
    np.testing.assert_allclose(runs[0].q, runs[1].q, atol=1e-8)
    assert np.abs(runs[0].g).max() < 1e-13


def test_order_of_runge_kutta_is_kept():
    """Two rods in absolute coordinates, every place put out: the method keeps its order, ± 0.1."""
    one = PlanarBody(name="one", mass=1.0, inertia=0.1, position=(0.5, 0.0))
    two = PlanarBody(name="two", mass=2.0, inertia=0.2, position=(1.5, 0.0))
    joints = (
        Revolute(name="A", a=ground.at(), b=one.at((-0.5, 0.0))),
        Revolute(name="B", a=one.at((0.5, 0.0)), b=two.at((-0.5, 0.0))),
    )
    system = Panhead(name="rods", items=(one, two, *joints), gravity=(0.0, -9.81, 0.0)).system()
    form = Eliminated(dependent=("one.x", "one.y", "two.x", "two.y"))

    def end(method, dt, form):
        run = simulate(system, system.start, duration=0.4, dt=dt, keep=0.4, method=method, formulation=form)
        return np.concatenate([run.q[-1], run.v[-1]])

    exact = end(Adaptive(rtol=1e-12, atol=1e-13), 0.4, Augmented())
    steps = 0.4 / np.array([20, 40, 80])
    errors = [np.abs(end(RungeKutta4(), dt, form) - exact).max() for dt in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(4, abs=0.1), errors


def test_pinned_ends():
    """The sag of a pinned beam under a weight in the middle is W L³/(48 EI); clamped, a quarter of it."""
    clamped, pinned = (pendulum_on_beam(elements=4, ends=ends)[1].q.min() for ends in ("clamped", "pinned"))
    W, EI = 2 * 20.0 * 9.81, 2.1e11 * 2.81e-9
    assert clamped == pytest.approx(-W * 125 / (192 * EI), rel=1e-9)
    assert pinned == pytest.approx(-W * 125 / (48 * EI), rel=1e-9)


def test_what_cannot_be_eliminated_is_said(coarse):
    system, start = coarse
    with pytest.raises(ModelError, match=r"5 constraints .* needs as many different dependent coordinates, got root.y"):
        simulate(system, start, duration=0.1, dt=0.01, formulation=Eliminated(dependent=("root.y",)))
    form = dependent(COARSE)
    other = replace(form, dependent=(*form.dependent[:-1], "root.z"))
    with pytest.raises(ModelError, match=r"it has no coordinate root.z"):
        simulate(system, start, duration=0.1, dt=0.01, formulation=other)


def test_a_fresh_run_of_the_oracle_agrees():
    """A coarse beam computed by modes now, not read from the table; clamped ends, no crossing of a border."""
    p = replace(PENDULUM_ON_BEAM, elements=4, shown_nodes=(2,))
    times = np.linspace(0.0, 0.1, 6)
    x = table(Oracle(p), times)[:, 1]
    system, start = pendulum_on_beam("riding", elements=4)
    run = simulate(system, start, duration=0.1, dt=1e-4, keep=0.02, method=GeneralizedAlpha(tolerance=1e-12))
    np.testing.assert_allclose(run.q[:, system.place("root.x")], x, atol=1e-8)
