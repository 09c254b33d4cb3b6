"""The discrete adjoint is the exact gradient of the discrete problem."""

import numpy as np
import pytest

from panhead.engine.control.cost import Term
from panhead.engine.control.feedback import closed_loop
from panhead.engine.control.problem import ControlProblem
from panhead.engine.control.variables import Shape, Variables
from panhead.engine.methods.integrators import Euler, GeneralizedAlpha, RungeKutta4
from panhead.errors import ModelError, SimulationError
from panhead.runs.scenarios import read
from panhead.runs.scenarios.motion_kind import start_of, system_of

COSTS = {
    "force": [Term(of="interaction_force", weight=1.0, reference=-29.57)],
    "mean-free force": [Term(of="interaction_force", weight=1.0, reference="mean")],
    "control": [Term(of="u", weight=0.1, reference=0.3)],
    "state": [Term(of="theta2", weight=100.0, reference=2.5), Term(of="rate x", weight=3.0)],
    "end": [Term(of="x", weight=50.0, when="end"), Term(of="rate theta2", weight=2.0, when="end")],
    "multiplier": [Term(of="four-bar closure x", weight=1e-3, reference=400.0)],
    "acceleration": [Term(of="acceleration x", weight=1e-2)],
}
# Newton's tolerance must not hide the differences it is compared with
METHODS = [RungeKutta4(), Euler(), GeneralizedAlpha(spectral_radius=0.7, tolerance=1e-14)]
FORCE_PARAMETERS = ("k2", "m4", "s1", "p1")  # they leave the closure alone


@pytest.fixture(scope="module")
def pantograph():
    description = read("planar-pantograph").description
    system = system_of(description)
    return system, start_of(description, system)


def wave(problem, size=5.0):
    return size * np.sin(12 * problem.t)[:, None] * np.ones((1, problem.nu))


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_gradient_against_central_differences(pantograph, cost, method):
    """Controls along a random direction, and every parameter; differences leave about 1e-8 relative."""
    chosen = FORCE_PARAMETERS if isinstance(method, GeneralizedAlpha) else (*FORCE_PARAMETERS, "L1", "H1")
    problem = ControlProblem(*pantograph, COSTS[cost], duration=0.1, dt=1e-3, method=method, parameters=chosen)
    u = wave(problem)
    g = problem.gradient(u)
    direction = np.random.default_rng(0).standard_normal(u.shape)
    h = 1e-2
    slope = (problem.evaluate(u + h * direction).cost - problem.evaluate(u - h * direction).cost) / (2 * h)
    assert (g.u * direction).sum() == pytest.approx(slope, rel=1e-7, abs=1e-9)
    values = problem.values()
    for i, name in enumerate(chosen):
        e = np.zeros(len(values))
        e[i] = 1e-6 * max(abs(values[i]), 0.1) * (1 if name in ("L1", "H1") else 100)
        slope = (problem.evaluate(u, values + e).cost - problem.evaluate(u, values - e).cost) / (2 * e[i])
        assert g.p[i] == pytest.approx(slope, rel=1e-6, abs=1e-7 * max(1.0, g.cost)), name


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("cost", COSTS, ids=str)
def test_taylor_remainder_falls_with_the_square(pantograph, cost, method):
    """|J(u + h d) − J(u) − h ∇J·d| ∝ h² over four decades of h."""
    problem = ControlProblem(*pantograph, COSTS[cost], duration=0.1, dt=1e-3, method=method)
    u = wave(problem)
    direction = np.cos(30 * problem.t)[:, None]
    g = problem.gradient(u)
    h = np.logspace(3, -1, 9)
    remainder = [abs(problem.evaluate(u + x * direction).cost - g.cost - x * (g.u * direction).sum()) for x in h]
    assert np.polyfit(np.log(h), np.log(remainder), 1)[0] == pytest.approx(2.0, abs=0.05), remainder


def test_gradient_of_a_feedback_law(pantograph):
    """u = −γ(t) ẋ with γ on a few knots: the gains are the controls of the closed loop."""
    system, start = pantograph
    closed = closed_loop(system, lambda m: {"u": -m.gain["damping"] * m.v["x"] - 3.0 * m.q["x"]}, ("damping",))
    problem = ControlProblem(closed, start, COSTS["mean-free force"], duration=0.2, dt=1e-3, parameters=("k2",))
    for shape in (
        Shape(knots=1),
        Shape(knots=5, between="hold"),
        Shape(knots=5),
        Shape(knots=5, between="spline"),
        Shape(),
    ):
        variables = Variables(problem, shape)
        theta = variables.start() + np.random.default_rng(1).uniform(1, 2, variables.start().size)
        g = variables.pull(problem.gradient(*variables.split(theta)))
        d = np.random.default_rng(2).standard_normal(theta.size)
        h = 1e-4
        cost = lambda x: problem.evaluate(*variables.split(x)).cost  # noqa: B023
        slope = (cost(theta + h * d) - cost(theta - h * d)) / (2 * h)
        assert g @ d == pytest.approx(slope, rel=1e-7)


def test_gradient_with_respect_to_the_start(pantograph):
    """∂J/∂x₀ along a direction the constraints allow."""
    from panhead.engine.methods.trajectory import State

    system, start = pantograph
    cost = COSTS["force"]
    g = ControlProblem(system, start, cost, duration=0.1, dt=1e-3)
    bar = g.gradient(wave(g)).x0
    h = 1e-5
    moved = [
        ControlProblem(system, State(q=start.q + s * h * np.eye(4)[3], v=start.v), cost, duration=0.1, dt=1e-3)
        for s in (1, -1)
    ]
    slope = (moved[0].evaluate(wave(g)).cost - moved[1].evaluate(wave(g)).cost) / (2 * h)
    assert bar[3] == pytest.approx(slope, rel=1e-7)


def test_memory_grows_like_the_root(pantograph):
    system, start = pantograph
    problem = ControlProblem(system, start, COSTS["control"], duration=1000.0, dt=1e-3)
    assert problem.steps == 1_000_000
    assert problem.memory() < 2e6  # bytes: 0.06 MB of kept states and 0.5 MB of tape, instead of 0.5 GB


def test_bad_problems_are_refused(pantograph):
    system, start = pantograph
    with pytest.raises(ModelError, match="cannot be used in a cost"):
        ControlProblem(system, start, [Term(of="theta9", weight=1.0)], duration=0.1, dt=1e-3)
    with pytest.raises(ModelError, match="weight must be finite"):
        Term(of="x", weight=float("nan"))
    with pytest.raises(ModelError, match="at least one cost term"):
        ControlProblem(system, start, [], duration=0.1, dt=1e-3)
    with pytest.raises(ModelError, match="is not a parameter"):
        ControlProblem(system, start, COSTS["force"], duration=0.1, dt=1e-3, parameters=("nope",))
    with pytest.raises(ModelError, match="change the bounds"):
        Shape(low=1.0, high=-1.0)
    with pytest.raises(ModelError, match="exactly the controls u"):
        closed_loop(system, lambda m: {"w": 0.0})
    with pytest.raises(ModelError, match="changing L1 violates the constraints"):
        ControlProblem(
            system, start, COSTS["force"], duration=0.1, dt=1e-3, method=GeneralizedAlpha(), parameters=("L1",)
        )
    problem = ControlProblem(system, start, COSTS["force"], duration=0.5, dt=1e-3)
    with pytest.raises(SimulationError, match="failed after t"):
        problem.evaluate(np.full((501, 1), 1e200))


@pytest.mark.parametrize("rule, order", [("runge-kutta", 2.0), ("euler", 1.0)])
def test_continuous_adjoint_approaches_the_discrete_one(pantograph, rule, order):
    """First order by Euler's rule, else second: states are averaged between grid points."""
    from panhead.engine.control.continuous_adjoint import continuous_gradient

    cost = [
        Term(of="interaction_force", weight=1.0, reference="mean"),
        Term(of="x", weight=50.0, when="end"),
        Term(of="u", weight=0.1),
    ]
    apart = []
    for dt in (4e-3, 2e-3, 1e-3):
        problem = ControlProblem(*pantograph, cost, duration=0.2, dt=dt)
        u = wave(problem)
        exact = problem.gradient(u).u / problem.weights.time[:, None]
        rough = continuous_gradient(problem, u, rule) / problem.weights.time[:, None]
        apart.append(np.abs(rough - exact)[2:-2].max() / np.abs(exact).max())
    assert apart[-1] < (1e-3 if rule == "runge-kutta" else 0.1)
    assert np.polyfit(np.log([4e-3, 2e-3, 1e-3]), np.log(apart), 1)[0] == pytest.approx(order, abs=0.3), apart
