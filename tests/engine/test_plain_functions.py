"""Plain Python functions as forces, motions and constraints: closed forms, and the same models by expressions."""

import casadi as ca
import numpy as np
import pytest

import panhead as ph
from panhead.engine.methods.events import NamedState
from panhead.engine.plain_derivatives import ArgumentSizes, entries
from panhead.errors import ModelError, RunWarning, SimulationError

ALPHA = ph.GeneralizedAlpha()


def oscillator(law, **options):
    mass = ph.bodies.PointMass(name="mass", mass=2.0, position=(0.3, 0.0, 0.0))
    force = ph.forces.FunctionForce(name="pull", along="mass.x", law=law, **options)
    return ph.Model(name="oscillator", items=(mass, force), gravity=(0.0, 0.0, 0.0))


def cubic(e, rate, t):
    return 40.0 * e + 10.0 * e**3 + 0.3 * rate - np.sin(3.0 * t)


def written(function, sizes, order, x, **options):
    y = np.zeros(sizes.total(order))
    entries((function,), sizes, lambda f: f, **options)[order](np.array(x), y)
    return y


def test_derivatives_of_a_plain_function():
    x, y = 0.7, 1.3
    exact = [np.sin(x) * y**2, np.cos(x) * y**2, 2 * np.sin(x) * y]
    exact += [-np.sin(x) * y**2, 2 * np.cos(x) * y, 2 * np.cos(x) * y, 2 * np.sin(x)]
    found = written(lambda a, b: np.sin(a) * b**2, ArgumentSizes((0, 0), 1), 2, (x, y))
    np.testing.assert_allclose(found[:3], exact[:3], rtol=1e-14)  # the complex step rounds only
    np.testing.assert_allclose(found[3:], exact[3:], rtol=1e-8)


def test_a_complex_step_that_is_wrong_is_not_taken():
    """The size of a complex number has no slope along the imaginary axis: differences tell."""
    assert written(lambda a: np.abs(a) * 3.0, ArgumentSizes((0,), 1), 1, (-2.0,))[1] == pytest.approx(-3.0, rel=1e-9)


@pytest.mark.parametrize("method", [None, ALPHA])
def test_a_plain_force_moves_as_its_expression(method):
    options = {"duration": 0.1, "dt": 5e-3, "method": method}
    plain = oscillator(ph.PlainFunction(cubic)).simulate(**options)
    by_expression = oscillator(lambda e, rate, t: 40.0 * e + 10.0 * e**3 + 0.3 * rate - ca.sin(3.0 * t))
    expected = by_expression.simulate(**options)
    np.testing.assert_allclose(plain["q"], expected["q"], rtol=0, atol=1e-12)
    np.testing.assert_allclose(plain["balance"], expected["balance"], rtol=0, atol=1e-12)


def test_a_compiled_force_is_the_same():
    options = {"duration": 0.2, "dt": 5e-3, "method": ALPHA}
    compiled = oscillator(ph.PlainFunction(cubic, compiled=True)).simulate(**options)
    plain = oscillator(ph.PlainFunction(cubic)).simulate(**options)
    np.testing.assert_allclose(compiled["q"], plain["q"], rtol=0, atol=1e-12)


def test_given_slopes_are_used():
    """A wrong one shows: Newton's method with the tangent of another force takes more iterations or fails."""
    law = lambda e, rate, t: 40.0 * e
    right = ph.PlainFunction(law, slope=lambda e, rate, t: (40.0, 0.0, 0.0))
    system = oscillator(right).system()
    q, v, none = system.start.q, system.start.v, np.zeros(0)
    assert system.force_q(0.0, q, v, none)[0, 0] == -40.0
    wrong = oscillator(ph.PlainFunction(law, slope=lambda e, rate, t: (41.0, 0.0, 0.0))).system()
    assert wrong.force_q(0.0, q, v, none)[0, 0] == -41.0


def test_drag_on_a_falling_ball():
    """m v̇ = m g − c v²: v = v∞ tanh(g t / v∞); all drag is dissipated."""
    drag = ph.PlainFunction(lambda t, p, v: -0.5 * np.sqrt(v @ v) * v, outputs=3)
    ball = ph.bodies.PointMass(name="ball", mass=1.0, position=(0.0, 0.0, 0.0))
    push = ph.forces.FunctionPush(name="drag", at=ball.at(), law=drag, account="dissipated")
    motion = ph.Model(name="fall", items=(ball, push)).simulate(duration=1.0, dt=0.05)
    end = np.sqrt(9.81 / 0.5)
    assert -float(motion["v"][-1, 2]) == pytest.approx(end * np.tanh(9.81 / end), rel=1e-7)
    assert float(motion["dissipated"][-1]) > 0
    assert float(abs(motion["balance"]).max()) < 1e-7


def test_a_motion_with_an_if():
    """CasADi takes no ``if``; the multiplier is the inertia force of a = ½ 9 cos 3 t."""
    until = np.pi / 3
    rise = ph.PlainFunction(lambda t: 0.5 * (1.0 - np.cos(3.0 * t)) if t < until else 1.0, corners=(until,))
    mass = ph.bodies.PointMass(name="mass", mass=2.0, position=(0.0, 0.0, 0.0))
    driven = ph.joints.Driven(name="drive", coordinate="mass.x", motion=rise)
    model = ph.Model(name="driven", items=(mass, driven), gravity=(0.0, 0.0, 0.0))
    motion = model.simulate(duration=1.5, dt=0.05)
    t = motion["time"].values
    expected = np.where(t < until, 0.5 * (1 - np.cos(3 * t)), 1.0)
    np.testing.assert_allclose(motion["q"][:, 0], expected, rtol=0, atol=1e-9)
    away = np.abs(t - until) > 0.01
    force = -2.0 * np.where(t < until, 4.5 * np.cos(3 * t), 0.0)
    np.testing.assert_allclose(motion["lam"][away, 0], force[away], rtol=0, atol=2e-5)  # 1e-6 of differences


def test_a_constraint_by_a_function_of_places():
    """A bead on the parabola z = x²: the pendulum of the same equation by SciPy."""
    from scipy.integrate import solve_ivp

    bead = ph.bodies.PointMass(name="bead", mass=0.5, position=(1.0, 0.0, 1.0))
    on = ph.PlainFunction(lambda t, p: (p[2] - p[0] ** 2, p[1]), outputs=2)
    wire = ph.joints.FunctionConstraint(name="wire", law=on, places=(bead.at(),), labels=("parabola", "plane"))
    motion = ph.Model(name="bead", items=(bead, wire)).simulate(duration=0.5, dt=0.02, method=ALPHA)

    def rates(t, y):  # (1 + 4 x²) ẍ + 4 x ẋ² + 2 g x = 0
        return y[1], -(4 * y[0] * y[1] ** 2 + 2 * 9.81 * y[0]) / (1 + 4 * y[0] ** 2)

    expected = solve_ivp(rates, (0.0, 0.5), (1.0, 0.0), rtol=1e-11, atol=1e-12, method="DOP853").y[0, -1]
    assert float(motion["q"][-1, 0]) == pytest.approx(expected, abs=2e-3)  # second order
    assert float(motion["constraint_residual"].max()) < 1e-9


def test_what_a_plain_function_raises_is_told():
    def law(e, rate, t):
        if t > 0.1:
            raise RuntimeError("no map beyond")
        return 40.0 * e

    with pytest.raises(SimulationError, match=r"plain function 'law' failed: RuntimeError: no map beyond"):
        oscillator(ph.PlainFunction(law)).simulate(duration=0.2, dt=5e-3, method=ALPHA)


def test_what_numba_cannot_compile_runs_in_python():
    law = ph.PlainFunction(lambda e, rate, t: float(f"{e:.17g}") * 40.0, compiled=True)
    with pytest.warns(RunWarning, match="cannot be compiled"):
        force = oscillator(law).system().force(0.0, np.array([0.3, 0, 0]), np.zeros(3), np.zeros(0))
    assert force[0] == -12.0


def test_outside_a_model_a_plain_function_is_refused():
    with pytest.raises(ModelError, match="items of a Model only"):
        ph.PlainFunction(np.sin)(ca.SX.sym("x"))
    with pytest.raises(ModelError, match="must be a function"):
        ph.PlainFunction(3.0)


def test_states_have_names():
    system = oscillator(lambda e, rate, t: e).system()
    state = NamedState(system, 0.0, np.array([1.0, 2.0, 3.0]), np.zeros(3))
    assert (state["mass.y"], state.rate("mass.x")) == (2.0, 0.0)
    with pytest.raises(ModelError, match="no coordinate"):
        state["mass.w"]
