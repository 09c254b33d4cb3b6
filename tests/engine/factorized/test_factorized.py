"""The factorized form against the Lagrangian, against closed forms and against itself."""

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from panhead.engine.factorized.causality import FactorizedModel, finite_difference
from panhead.engine.factorized.noise import Sine, deviation, grid, readings, sample
from panhead.engine.kernels.factorized_steps import transport
from panhead.engine.methods.inverse import required_force
from panhead.engine.methods.simulate import simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.symbolic import (
    Gravity,
    Mechanism,
    Parameters,
    PlacedBody,
    SymbolicSystem,
    coordinates,
    rotation_x,
    rotation_z,
    time,
)
from panhead.errors import ModelError, NotConverged
from panhead.runs.scenarios import shipped_models

LOPSIDED = np.array([[0.30, 0.02, -0.01], [0.02, 0.28, 0.03], [-0.01, 0.03, 0.25]])
INERTIAS = {
    "diagonal": np.diag([0.30, 0.28, 0.25]),
    "lopsided": LOPSIDED,
    "lamina": np.diag([0.1, 0.2, 0.3]),  # I₃ = I₁ + I₂: Σ has a zero
}


def top(inertia):
    """A heavy top on a point, in z-x-z angles: three coordinates, full coupling."""
    p = Parameters(m=(2.0, "kg"), l=(0.3, "m"), g=(9.81, "m/s**2"))
    psi, theta, phi = q = coordinates("psi", "theta", "phi")
    R = rotation_z(psi) @ rotation_x(theta) @ rotation_z(phi)
    centre = R @ ca.vertcat(0, 0, p.l)
    return Mechanism(
        name="top", coordinates=q, units=("rad",) * 3, parameters=p, gravity=Gravity(acceleration=p.g),
        bodies=(PlacedBody(name="top", mass=p.m, position=tuple(ca.vertsplit(centre)), rotation=R, inertia=inertia),),
    )  # fmt: skip


def states(n, nq, seed=0):
    return np.random.default_rng(seed).uniform(0.3, 1.3, (3, n, nq))


MODELS = {
    "crank-rod": lambda: shipped_models.mechanism("crank-rod").with_parameters({"b_m": 0.01, "b_p": 2.0}),
    "two-link-robot": lambda: shipped_models.mechanism("two-link-robot"),
    **{f"top, {name}": lambda inertia=inertia: top(inertia) for name, inertia in INERTIAS.items()},
}


@pytest.mark.parametrize("name", MODELS)
def test_both_forms_equal_the_lagrangian(name):
    """M = TᵀT and τ of both forms against the recursive Lagrangian, which knows nothing of T.

    1e-12: round-off of some hundred operations on numbers of order one.
    """
    mechanism = MODELS[name]()
    model, system = FactorizedModel(mechanism), SymbolicSystem(mechanism)
    q, v, a = states(20, len(mechanism.coordinates))
    wanted = np.array([required_force(system, 0.0, *x) for x in zip(q, v, a, strict=True)])
    scale = np.abs(wanted).max()
    np.testing.assert_allclose(model.mass(q[0]), system.mass(0.0, q[0]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(model.torques(q, v, a), wanted, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(model.torques(q, v, a, form="Euler–Lagrange"), wanted, rtol=0, atol=1e-12 * scale)


@pytest.mark.parametrize("name", MODELS)
def test_integral_causality_is_the_inverse(name):
    """Theorem 2: along the true acceleration d/dt(T ẋ) = T ẍ + Ṫ ẋ equals the ẏ it gives, and ẋ = T⁺ y."""
    mechanism = MODELS[name]()
    model, system = FactorizedModel(mechanism), SymbolicSystem(mechanism)
    (q,), (v,), _ = states(1, len(mechanism.coordinates), seed=4)
    u = np.zeros(len(system.controls))
    a = np.linalg.solve(system.mass(0.0, q), system.force(0.0, q, v, u))
    h = 1e-5  # central difference along the parabola of the motion: error h², about 1e-9
    along = lambda s: model.factor(q + s * v + s * s / 2 * a) @ (v + s * a)
    rate, y_dot = model.rates(0.0, q, model.factor(q) @ v)
    np.testing.assert_allclose(rate, v, rtol=1e-12)
    np.testing.assert_allclose(y_dot, (along(h) - along(-h)) / (2 * h), rtol=1e-6, atol=1e-6)


def test_impossible_inertia_is_refused():
    """0.1 + 0.1 < 0.3: no mass distribution has these principal inertias."""
    with pytest.raises(ModelError, match=r"'top'.*0\.1, 0\.1, 0\.3.*not physical"):
        FactorizedModel(top(np.diag([0.1, 0.1, 0.3])))


def test_what_has_no_factorized_form_is_refused():
    with pytest.raises(ModelError, match=r"four-bar closure.*independent coordinates"):
        FactorizedModel(shipped_models.mechanism("planar-pantograph"))
    with pytest.raises(ModelError, match=r"first rod.*prescribed motion"):
        FactorizedModel(shipped_models.mechanism("double-pendulum"))
    with pytest.raises(ModelError, match=r"slope.*no such parameter"):
        FactorizedModel(shipped_models.mechanism("variator"), ("slope",))
    (x,) = coordinates("x")
    swinging = Mechanism(name="s", coordinates=(x,), units=("rad",),
                         bodies=(PlacedBody(name="b", inertia=1.0, angle=x + ca.sin(time)),))  # fmt: skip
    with pytest.raises(ModelError, match=r"'b'.*prescribed motion"):
        FactorizedModel(swinging)


def test_dependent_columns_are_named():
    """Two coordinates that move the same thing: T has one direction for both."""
    x, y = coordinates("x", "y")
    twice = Mechanism(name="twice", coordinates=(x, y), units=("m", "m"),
                      bodies=(PlacedBody(name="b", mass=1.0, position=(x + y, 0 * x)),))  # fmt: skip
    with pytest.raises(NotConverged, match=r"'twice' stopped at t = 0 .*columns of T"):
        FactorizedModel(twice).march(grid(1.0, 0.1), np.zeros(2), np.ones(2))


# --- integral causality, step by step ---


def test_transport_is_the_smallest_rotation():
    """Planes in space: the smallest rotation turns one normal into the other about their cross product."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        Q0, Q1 = (np.linalg.qr(rng.standard_normal((3, 2)))[0] for _ in range(2))
        n0, n1 = np.cross(*Q0.T), np.cross(*Q1.T)
        if n0 @ n1 < 0:  # the angle between planes is at most a right angle
            n1 = -n1
        axis = np.cross(n0, n1)
        angle = np.arctan2(np.linalg.norm(axis), n0 @ n1)
        turn = Rotation.from_rotvec(axis / np.linalg.norm(axis) * angle).as_matrix()
        c, out = rng.standard_normal(2), np.empty(2)
        X, inverse, copy = np.empty((3, 2, 2))
        assert transport(Q0, Q1, c, X, inverse, copy, out)
        np.testing.assert_allclose(Q1 @ out, turn @ (Q0 @ c), atol=1e-12)
        assert np.linalg.norm(out) == pytest.approx(np.linalg.norm(c), rel=1e-14)


@pytest.mark.parametrize("start", [([0.1, 0.5], [1.0, 2.0]), ([0.0, -1.0], [-3.0, 5.0])])
def test_free_motion_keeps_its_energy(start):
    """A rotation keeps |y|; 2000 steps of round-off remain, however long the step is."""
    model = FactorizedModel(shipped_models.mechanism("two-link-robot"))
    q, v = model.march(grid(20.0, 1e-2), *map(np.array, start))
    y = np.einsum("smi,si->sm", model.factors(q), v)
    energy = np.square(y).sum(axis=1)
    np.testing.assert_allclose(energy, energy[0], rtol=1e-12)


@pytest.mark.parametrize("name", ["crank-rod", "two-link-robot", "top, lopsided"])
def test_march_has_order_two(name):
    """With dampers, gravity or torques, against the adaptive solution behind the seam (1e-10)."""
    mechanism = MODELS[name]()
    model, system = FactorizedModel(mechanism), SymbolicSystem(mechanism)
    nq, nu = len(mechanism.coordinates), len(system.controls)
    start = State(q=np.linspace(0.5, 0.9, nq), v=np.linspace(1.0, 2.0, nq))
    pull = np.array([0.2, -0.1])[:nu]
    wanted = simulate(system, start, duration=0.5, dt=0.01, controls=lambda _: pull).q[-1]
    steps = np.array([50, 100, 200, 400])
    for march in (model.march, model.march_euler_lagrange):
        errors = []
        for n in steps:
            q, _ = march(np.linspace(0, 0.5, n + 1), start.q, start.v, u=np.tile(pull, (n + 1, 1)))
            errors.append(np.abs(q[-1] - wanted).max())
        order = -np.polyfit(np.log(steps), np.log(errors), 1)[0]
        assert order == pytest.approx(2.0, abs=0.1)


# --- the variator: an external variable, and noise in it ---

SPEED = 2000 * np.pi / 30
TILT = [Sine(amplitude=1.22, frequency=3.0, noise_amplitude=12.2e-3, noise_frequency=3000.0)]


def inertia(tilt):
    """M(θ_t) written out from Table 1 and eqs (9), (11), apart from the description in the package."""
    b, d = 51.5 + 27.5 * np.sin(tilt), 51.5 - 27.5 * np.sin(tilt)
    return 0.026 + (17.2 / 34.3) ** 2 * (7.56e-4 + 0.0018 * (b / 27.5) ** 2 + 0.179 * (b / d) ** 2)


@pytest.fixture(scope="module")
def variator():
    return FactorizedModel(shipped_models.mechanism("variator"), ("tilt",))


def test_variator_without_noise(variator):
    """Both forms equal ω₀√(M₀/M): the factorized one to round-off, Heun and differences to 1e-6."""
    t = grid(2 * np.pi / 3, 5e-4)
    clean, _ = sample(TILT, t)
    exact = SPEED * np.sqrt(inertia(0.0) / inertia(clean[:, 0]))
    _, v = variator.march(t, np.zeros(1), np.array([SPEED]), w=clean)
    np.testing.assert_allclose(v[:, 0], exact, rtol=1e-13)
    _, v = variator.march_euler_lagrange(t, np.zeros(1), np.array([SPEED]), w=clean)
    np.testing.assert_allclose(v[:, 0], exact, rtol=1e-6)


def test_noise_does_not_accumulate(variator):
    """Ten periods of noisy tilt: the factorized form is still exact for the tilt of the moment.

    The Euler–Lagrange form has left it by more than its error after one period.
    """
    t = grid(20 * np.pi / 3, 5e-4)
    _, noisy = sample(TILT, t)
    exact = SPEED * np.sqrt(inertia(0.0) / inertia(noisy[:, 0]))
    _, v = variator.march(t, np.zeros(1), np.array([SPEED]), w=noisy)
    np.testing.assert_allclose(v[:, 0], exact, rtol=1e-12)
    _, v = variator.march_euler_lagrange(t, np.zeros(1), np.array([SPEED]), w=noisy)
    error = np.abs(v[:, 0] / exact - 1)
    assert error[-1000:].mean() > 2 * error[:4000].mean() > 0.01


def test_three_readings_of_noise(variator):
    """Factorized within 0.1 % in all three; Euler–Lagrange beyond 1 % on average, as in Table 2."""
    r = readings(variator, TILT, v0=SPEED, duration=2 * np.pi / 3, step=5e-4)
    forms = (r.same_factorized, r.averaged_factorized, r.rate_factorized)
    assert all(form.largest < 1e-3 for form in forms)
    others = (r.same_euler_lagrange, r.averaged_euler_lagrange, r.rate_euler_lagrange)
    assert all(form.mean > 1e-2 for form in others)
    assert 0.009 < r.ripple.largest < 0.011  # ½ M′/M · 12.2e-3 at the steepest tilt


def test_torques_from_samples_need_no_rate_of_the_signal(variator):
    """At constant speed under a moving tilt τ = ½ Ṁ ω; y = T ẋ differenced gives it to second order."""
    errors = []
    for h in (2e-3, 1e-3, 5e-4):
        t = grid(1.0, h)
        clean, _ = sample(TILT, t)
        v = np.full((len(t), 1), 10.0)
        tau = variator.torques_from_samples(t, t[:, None] * 10.0, v, w=clean)[:, 0]
        M_dot = (inertia(clean[:, 0] + 1e-6) - inertia(clean[:, 0] - 1e-6)) / 2e-6 * 3.66 * np.cos(3 * t)
        errors.append(np.abs(tau - 0.5 * M_dot * 10.0).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2, abs=0.15)


def test_torques_ask_for_the_rate_of_the_signal(variator):
    with pytest.raises(ModelError, match=r"tilt.*torques_from_samples"):
        variator.torques(np.zeros((3, 1)), np.ones((3, 1)), np.zeros((3, 1)), w=np.zeros(3))


def test_bad_samples_are_refused(variator):
    with pytest.raises(ModelError, match=r"tilt.*not finite"):
        variator.march(grid(1.0, 0.5), np.zeros(1), np.ones(1), w=np.array([0.0, np.nan, 0.0]))
    with pytest.raises(ModelError, match="must increase"):
        variator.march(np.zeros(3), np.zeros(1), np.ones(1))
    with pytest.raises(ModelError, match="backward, three-point or central"):
        finite_difference(np.arange(4.0), np.zeros((4, 1)), "sideways")


@pytest.mark.parametrize("scheme, order", [("backward", 1), ("three-point", 2), ("central", 2)])
def test_order_of_differences(scheme, order):
    errors = []
    for h in (2e-3, 1e-3):
        t = grid(1.0, h)
        rate = finite_difference(t, np.sin(3 * t)[:, None], scheme)[5:, 0]
        errors.append(deviation(10 + rate, 10 + 3 * np.cos(3 * t[5:])).largest)
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)
