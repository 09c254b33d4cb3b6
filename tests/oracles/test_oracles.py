"""The oracles themselves obey physics: energy, momentum, d'Alembert, closed forms."""

import numpy as np
import pytest

from oracles import crank_rod, double_pendulum, iftomm_a02, particles, robot, variator
from oracles import kinetic3d as k3
from oracles import planar_pantograph as pan
from oracles import planar_pantograph_motion as motion
from oracles.extrapolation import integrate

ROUND_OFF = 1e-12  # sums of a dozen products of order one to ten
RNG = np.random.default_rng(20)


def slope(f, h=1e-4):
    """f'(0) by the five-point rule: error h⁴ and round-off/h, both below 1e-10 for f ~ 1."""
    return (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)


# double pendulum


def pendulum_positions(t, q):
    """Weighted coordinates of the two bars: centres and angles."""
    p = double_pendulum.TABLE_I
    x = p.X0 * np.sin(p.Omega * t)
    s, c = np.sin(q), np.cos(q)
    return np.array(
        [x + p.L1 * c[0], p.L1 * s[0], q[0], x + 2.0 * p.L1 * c[0] + p.L2 * c[1], 2.0 * p.L1 * s[0] + p.L2 * s[1], q[1]]
    )


PENDULUM_INERTIA = np.array([3.0, 3.0, 0.01, 4.0, 4.0, 0.05333])


@pytest.mark.parametrize("seed", range(5))
def test_double_pendulum_is_dalembert(seed):
    rng = np.random.default_rng(seed)
    t, q, v = rng.uniform(0, 10), rng.uniform(-3, 3, 2), rng.uniform(-5, 5, 2)
    M = particles.mass_matrix(pendulum_positions, PENDULUM_INERTIA, t, q)
    Q = particles.inertia_force(pendulum_positions, PENDULUM_INERTIA, t, q, v)
    Q_v, Q_m = double_pendulum.quadratic_velocity_force(q, v), double_pendulum.driven_force(t, q)
    np.testing.assert_allclose(double_pendulum.mass_matrix(q), M, atol=ROUND_OFF)
    np.testing.assert_allclose(Q_v + Q_m, Q, atol=ROUND_OFF)


def test_double_pendulum_tip_lies_beyond_the_second_centre():
    """B − G₂ has the length L₂ and the direction of θ₂."""
    t, q = 0.7, np.array([0.4, 2.1])
    beyond = double_pendulum.tip(t, q) - pendulum_positions(t, q)[3:5]
    assert beyond == pytest.approx([0.2 * np.cos(2.1), 0.2 * np.sin(2.1)], abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_double_pendulum_power(seed):
    """d(T + U)/dt along the motion is the drive's power."""
    rng = np.random.default_rng(seed)
    t, q, v = rng.uniform(0, 10), rng.uniform(-3, 3, 2), rng.uniform(-5, 5, 2)
    a = double_pendulum.acceleration(t, q, v)

    def energy(h):
        q_h, v_h = q + h * v + 0.5 * h**2 * a, v + h * a
        return double_pendulum.kinetic_energy(t + h, q_h, v_h) + double_pendulum.potential_energy(q_h)

    power = double_pendulum.drive_power(t, q, v)
    # energies reach 30 J, so round-off/h is 1e-10; the parabola's error enters with h⁴
    assert slope(energy) == pytest.approx(power, abs=1e-7)


def test_double_pendulum_reference_motions():
    """Extrapolation in doubles meets the multiprecision tables."""
    times = np.array([0.0, *double_pendulum.HANGING])
    x = integrate(double_pendulum.rate, times, double_pendulum.START_HANGING, 0.04)
    # 300 steps of round-off 1e-15 times the sensitivity 20
    np.testing.assert_allclose(x[1:], list(double_pendulum.HANGING.values()), atol=1e-11)

    times = np.array([0.0, 1.0, 2.0])
    x = integrate(double_pendulum.rate, times, double_pendulum.START_UPRIGHT, 0.005)
    for t, state in zip(times[1:], x[1:], strict=True):
        tolerance = double_pendulum.UPRIGHT_TOLERANCE[t]
        np.testing.assert_allclose(state, double_pendulum.UPRIGHT[t], atol=tolerance)


# planar pantograph


def pantograph_positions(t, q):
    """Centres and angles of the four bars, and the pan-head."""
    p = pan.TABLE_II
    e = lambda a: np.array([np.cos(a), np.sin(a)])
    A = 2.0 * p.L1 * e(q[0])
    B = A + 2.0 * p.L2 * e(q[1])
    upper = e(q[1] - p.beta)
    centres = [p.L1 * e(q[0]), A + p.L2 * e(q[1]), B + p.L3 * e(q[2]), B + p.L4 * upper]
    head = B + 2.0 * p.L4 * upper + np.array([0.0, 1.0]) * q[3]
    return np.concatenate([*centres, head, [q[0], q[1], q[2], q[1]]])


def pantograph_inertia():
    p = pan.TABLE_II
    m = np.array([p.m1, p.m2, p.m3, p.m4])
    inertia = m * np.array([p.L1, p.L2, p.L3, p.L4]) ** 2 / 3.0
    return np.concatenate([np.repeat([*m, p.m5], 2), inertia])


def pantograph_state(seed):
    rng = np.random.default_rng(seed)
    return rng.uniform(-3, 3, 4), rng.uniform(-3, 3, 4), *rng.uniform(-0.5, 0.5, 2)


@pytest.mark.parametrize("seed", range(5))
def test_pantograph_is_dalembert(seed):
    q, v, _, _ = pantograph_state(seed)
    n = pantograph_inertia()
    M = particles.mass_matrix(pantograph_positions, n, 0.0, q)
    Q = particles.inertia_force(pantograph_positions, n, 0.0, q, v)
    np.testing.assert_allclose(pan.mass_matrix(q), M, atol=10 * ROUND_OFF)
    # values up to 500
    np.testing.assert_allclose(pan.quadratic_velocity_force(q, v), Q, atol=100 * ROUND_OFF)


@pytest.mark.parametrize("seed", range(5))
def test_pantograph_forces_account_for_their_energy(seed):
    """v·(Q_g + Q_k + Q_r) + ṡ·(pull of the support) = −dV/dt − D."""
    q, v, s, s_dot = pantograph_state(seed)
    forces = pan.gravity_force(q) + pan.elastic_force(q, s) + pan.damping_force(q, v, s_dot)
    on_support = pan.interaction_force(q, v, s, s_dot)
    V_dot = slope(lambda h: pan.potential_energy(q + h * v, s + h * s_dot))
    power = v @ forces + s_dot * on_support
    # energies of some 1e3 J: round-off/h = 1e-9
    assert power == pytest.approx(-V_dot - pan.dissipation(q, v, s_dot), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_pantograph_closure(seed):
    q, v, _, _ = pantograph_state(seed)
    path = lambda z: particles_of_closure(q + v * z)
    np.testing.assert_allclose(pan.constraint_jacobian(q) @ v, particles.taylor(path, 1, 0.1), atol=1e-11)
    np.testing.assert_allclose(pan.constraint_bias(q, v), -particles.taylor(path, 2, 0.1), atol=1e-10)


def particles_of_closure(q):
    p = pan.TABLE_II
    L = 2.0 * np.array([p.L1, p.L2, p.L3])
    return np.array([L @ np.cos(q[:3]) - p.H1, L @ np.sin(q[:3]) - p.H2])


def test_pantograph_equilibrium_and_modes():
    """The figures every derivation with these data has to meet."""
    q = motion.equilibrium()
    assert np.round(q, 4) == pytest.approx([2.4346, 2.5602, -0.5511, 0.1430])
    assert pan.head_height(q)[0] == pytest.approx(2.5233, abs=5e-5)
    assert pan.interaction_force(q, np.zeros(4), 0.0, 0.0) == pytest.approx(-33.50, abs=5e-3)
    a, _ = pan.acceleration(q, np.zeros(4), 0.0, 0.0)
    np.testing.assert_allclose(a, 0.0, atol=1e-10)  # forces of 1e3 N, inertias of 0.1
    frequency, damping = motion.modes()
    assert frequency == pytest.approx([0.792, 5.063], abs=5e-4)
    assert damping == pytest.approx([0.018, 0.159], abs=5e-4)


def test_pantograph_minimal_coordinates_equal_the_augmented_system():
    state = np.array([2.6, 0.12, 0.3, -0.4])
    q, v = motion.expand(state)
    np.testing.assert_allclose(pan.constraint(q), 0.0, atol=1e-15)
    np.testing.assert_allclose(pan.constraint_jacobian(q) @ v, 0.0, atol=1e-14)
    support = motion.support_motion(*motion.CALIBRATED)
    a, _ = pan.acceleration(q, v, *support(0.3))
    np.testing.assert_allclose(motion.reduced_rate(0.3, state, support)[2:], a[[1, 3]], rtol=1e-11)


def test_pantograph_calibrated_support_gives_table_iii():
    """Mean −29.570 N and standard deviation 15.602 N over 10 s."""
    support = motion.support_motion(*motion.CALIBRATED)
    q = motion.equilibrium(motion.CALIBRATED[0])
    times = np.linspace(0.0, 10.0, 501)
    rate = lambda t, x: motion.reduced_rate(t, x, support)
    x = integrate(rate, times, np.array([q[1], q[3], 0.0, 0.0]), 0.02, columns=4)
    force = motion.force_along(times, x, support)
    # 20 ms samples instead of 1 ms: the end points weigh 20 times more, (F − mean)/501 < 0.02 N
    assert force.mean() == pytest.approx(-29.570, abs=0.02)
    assert force.std() == pytest.approx(15.602, abs=0.02)
    for t, (state, F) in motion.CALIBRATED_RUN.items():
        i = round(50 * t)
        # order 8 at 20 ms under an 8.9 Hz excitation: measured 4e-8
        np.testing.assert_allclose(x[i], state, atol=1e-6)
        assert force[i] == pytest.approx(F, abs=1e-4)


# IFToMM A02


def test_a02_closed_form():
    position, velocity = iftomm_a02.B0(10.0)
    assert position == pytest.approx(iftomm_a02.REFERENCE_10S[0], abs=5e-11)
    assert velocity == pytest.approx(iftomm_a02.REFERENCE_10S[1], abs=5e-11)
    t = np.linspace(0.0, 10.0, 101)
    phi, phi_dot = iftomm_a02.angle(t)
    inertia, weight = iftomm_a02.constants()
    energy = 0.5 * inertia * phi_dot**2 + weight * np.cos(phi)
    np.testing.assert_allclose(energy, iftomm_a02.energy(), rtol=1e-13)
    # the closed form solves I φ̈ = W sin φ
    for t in (0.3, 4.0, 9.7):
        acceleration = slope(lambda h, t=t: iftomm_a02.angle(t + h)[1])
        assert acceleration == pytest.approx(weight / inertia * np.sin(iftomm_a02.angle(t)[0]), abs=1e-8)
    assert iftomm_a02.angle(iftomm_a02.turn_time())[0] == pytest.approx(2.0 * np.pi, abs=1e-12)


@pytest.mark.parametrize("phi", [0.4, 1.5, 1.5707, 2.5, 4.0])
def test_a02_coupler_force_grows_as_the_tangent(phi):
    """Saddle-point solve in the coordinates of B₀, B₁, B₂ with five unit-length closures."""
    inertia, weight = iftomm_a02.constants()
    M = np.kron(np.array([[4.0, 1.0, 0.0], [1.0, 6.0, 1.0], [0.0, 1.0, 4.0]]) / 6.0, np.eye(2))
    f = -iftomm_a02.GRAVITY * np.kron([1.0, 1.5, 1.0], [0.0, 1.0])
    r, d = np.array([np.sin(phi), np.cos(phi)]), np.array([1.0, 0.0])
    speed2 = 2.0 * (iftomm_a02.energy() - weight * np.cos(phi)) / inertia
    C_q = np.zeros((5, 6))
    for i in range(3):
        C_q[i, 2 * i : 2 * i + 2] = r
    for i in range(2):
        C_q[3 + i, 2 * i : 2 * i + 4] = np.concatenate([-d, d])
    K = np.block([[M, C_q.T], [C_q, np.zeros((5, 5))]])
    x = np.linalg.solve(K, np.concatenate([f, [-speed2] * 3, [0.0, 0.0]]))
    # round-off grows with the condition, 1/cos²φ: 1e8 at 1.5707
    assert x[9] == pytest.approx(iftomm_a02.coupler_force(phi), rel=1e-6)


# factorized formulation


def test_crank_rod():
    theta = np.linspace(0.0, 6.0, 13)
    h = 1e-30
    p = crank_rod
    np.testing.assert_allclose(p.ratio(theta), p.piston(theta + 1j * h).imag / h, atol=1e-15)
    np.testing.assert_allclose(p.ratio_slope(theta), p.ratio(theta + 1j * h).imag / h, atol=1e-15)
    np.testing.assert_allclose(p.mass(theta), np.sum(p.factor(theta) ** 2, axis=0), rtol=1e-14)
    # the torque's power is the rate of ½Mω²
    energy = lambda h: 0.5 * p.mass(1.1 + 9.0 * h + 2.0 * h**2) * (9.0 + 4.0 * h) ** 2
    assert p.torque(1.1, 9.0, 4.0) * 9.0 == pytest.approx(slope(energy), abs=1e-10)
    # free motion: 500 rad/s and back to the start after the time of one turn
    rate = lambda t, x: np.array([x[1], -p.coriolis(x[0], x[1]) * x[1] / p.mass(x[0])])
    turn = p.turn_time(0.0, 500.0)
    x = integrate(rate, np.array([0.0, 0.3 * turn, turn]), np.array([0.0, 500.0]), turn / 40)
    assert x[1, 1] == pytest.approx(p.free_speed(x[1, 0], 0.0, 500.0), rel=1e-12)
    assert x[2] == pytest.approx([2.0 * np.pi, 500.0], rel=1e-11)


def test_variator():
    theta = np.linspace(-1.22, 1.22, 11)
    M_theta = variator.mass(theta + 1e-30j).imag / 1e-30
    np.testing.assert_allclose(variator.coriolis(theta, 1.0), 0.5 * M_theta, rtol=1e-13)
    assert pytest.approx(209.43951, abs=1e-5) == variator.OMEGA_START  # 2000 rpm
    # noise-free Euler–Lagrange form meets the exact speed
    rate = lambda t, w: (
        -variator.coriolis(variator.tilt(t), variator.tilt_rate(t)) / variator.mass(variator.tilt(t)) * w
    )
    times = np.linspace(0.0, 2.0, 5)
    w = integrate(rate, times, np.array([variator.OMEGA_START]), 0.05)[:, 0]
    np.testing.assert_allclose(w, variator.exact_speed(variator.tilt(times)), rtol=1e-11)


def test_variator_noise():
    """What the docstring says of each reading, one tilt period at 0.1 ms, in per cent."""
    dt, n = 1e-4, 20944
    t = dt * np.arange(n + 1)
    exact = variator.exact_speed(variator.tilt(t))
    percent = lambda w: (100 * np.abs(w / exact - 1).mean(), 100 * np.abs(w / exact - 1).max())
    noisy = percent(variator.exact_speed(variator.noisy_tilt(t)))
    assert noisy == pytest.approx(variator.NOISY_FACTOR_PERCENT, rel=0.01)
    assert percent(variator.differenced_speed(dt, n, noisy_mass=False)) == pytest.approx((1.39, 2.81), abs=0.01)
    assert percent(variator.literal_speed(dt, n, noisy_factor=False))[1] < 0.1
    assert percent(variator.literal_speed(dt, n, noisy_factor=True))[1] > 1.0


def test_robot():
    for t in np.linspace(0.0, 5.0, 11):
        x, v, a = robot.motion(t)
        np.testing.assert_allclose(v, slope(lambda h, t=t: robot.motion(t + h)[0]), atol=1e-10)
        np.testing.assert_allclose(a, slope(lambda h, t=t: robot.motion(t + h)[1]), atol=1e-10)
        T = robot.factor(x)
        T_dot = slope(lambda h, x=x, v=v: robot.factor(x + h * v))
        np.testing.assert_allclose(robot.mass_matrix(x), T.T @ T, atol=1e-15)
        np.testing.assert_allclose(robot.coriolis_matrix(x, v), T.T @ T_dot, atol=1e-10)
        torque = robot.torque(x, v, a)
        np.testing.assert_allclose(torque, robot.factorized_torque(x, v, a), atol=1e-14)
        power = slope(lambda h, x=x, v=v, a=a: robot.energy(x + h * v + 0.5 * h**2 * a, v + h * a))
        assert v @ torque == pytest.approx(power, abs=1e-9)
    for t, torque in robot.TORQUES.items():
        assert robot.torque(*robot.motion(t)) == pytest.approx(torque, abs=1e-13)


def test_robot_free_motion_keeps_energy_and_momentum():
    def rate(t, s):
        x, v = s[:2], s[2:]
        a = np.linalg.solve(robot.mass_matrix(x), -robot.coriolis_matrix(x, v) @ v)
        return np.concatenate([v, a])

    s = integrate(rate, np.array([0.0, 2.0]), np.array([0.1, 0.5, 2.0, -3.0]), 0.05)
    for kept in (robot.energy, robot.base_momentum):
        assert kept(s[1, :2], s[1, 2:]) == pytest.approx(kept(s[0, :2], s[0, 2:]), rel=1e-10)


# three dimensions


def rotation(q):
    """R_z(φ) R_x(θ) R_z(ψ)."""
    z = lambda a: np.array([[np.cos(a), -np.sin(a), 0], [np.sin(a), np.cos(a), 0], [0, 0, 1]])
    x = np.array([[1, 0, 0], [0, np.cos(q[1]), -np.sin(q[1])], [0, np.sin(q[1]), np.cos(q[1])]])
    return z(q[0]) @ x @ z(q[2])


def shaken(t):
    return k3.PIVOT_AMPLITUDE * np.sin(k3.PIVOT_RATE * t)


def top_particles():
    """Six points of the top about its pivot: ∫x² = ∫y² = C/2, ∫z² = A − C/2 − ml²."""
    p = k3.TOP
    moments = np.array([p.C / 2, p.C / 2, p.A - p.C / 2 - p.m * p.l**2])
    points, masses = particles.six_particles(moments, p.m)
    return points + np.array([0.0, 0.0, p.l]), np.repeat(masses, 3)


@pytest.mark.parametrize("seed", range(4))
def test_top_is_dalembert(seed):
    rng = np.random.default_rng(seed)
    t, q, v = rng.uniform(0, 5), rng.uniform(-2, 2, 3), rng.uniform(-4, 4, 3)
    points, n = top_particles()
    P = lambda t, q: (shaken(t) + points @ rotation(q).T).ravel()
    Q = k3.top_quadratic_velocity_force(q, v) + k3.top_driven_force(q, k3.pivot(t)[2])
    np.testing.assert_allclose(k3.top_mass(q), particles.mass_matrix(P, n, t, q), atol=ROUND_OFF)
    np.testing.assert_allclose(Q, particles.inertia_force(P, n, t, q, v), atol=ROUND_OFF)


def test_top_invariants():
    rest = np.zeros(3)
    rate = lambda t, s: np.concatenate([s[3:], k3.top_acceleration(s[:3], s[3:], rest)])
    s = integrate(rate, np.array([0.0, 1.0]), np.array([0.0, 0.6, 0.0, 0.5, 0.2, 60.0]), 0.01)
    before, after = (k3.top_invariants(x[:3], x[3:]) for x in s)
    assert abs(s[1, 1] - 0.6) > 1e-3  # it nutates
    np.testing.assert_allclose(after, before, rtol=1e-10)


@pytest.mark.parametrize("root", [0, 1])
def test_top_precesses_steadily(root):
    theta, spin = 0.7, 60.0
    rate = k3.steady_precession(theta, spin)[root]
    v = np.array([rate, 0.0, spin - rate * np.cos(theta)])
    a = k3.top_acceleration(np.array([0.3, theta, 1.0]), v, np.zeros(3))
    # terms of 1e4 rad/s² cancel
    np.testing.assert_allclose(a, 0.0, atol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_gyroscope_on_a_turntable(seed):
    """α(t) = 1.2 sin 2t turns the table: a driven angular velocity."""
    rng = np.random.default_rng(seed)
    t, q, v = rng.uniform(0, 5), rng.uniform(-2, 2, 2), rng.uniform(-4, 4, 2)
    points, n = top_particles()
    P = lambda t, q: (points @ rotation([1.2 * np.sin(2.0 * t), *q]).T).ravel()
    alpha_dot, alpha_ddot = 2.4 * np.cos(2.0 * t), -4.8 * np.sin(2.0 * t)
    Q = k3.gyroscope_driven_force(q, v, alpha_dot, alpha_ddot)
    np.testing.assert_allclose(k3.gyroscope_mass(), particles.mass_matrix(P, n, t, q), atol=1e-12)
    np.testing.assert_allclose(Q, particles.inertia_force(P, n, t, q, v), atol=ROUND_OFF)
    # the table's torque is the z moment of the particles' inertia
    a = rng.uniform(-4, 4, 2)
    path = lambda z: P(t + z, q + v * z + 0.5 * a * z**2)
    r, r_ddot = path(0.0).reshape(6, 3), particles.taylor(path, 2, 0.1).reshape(6, 3)
    moment = np.sum(n[::3] * (r[:, 0] * r_ddot[:, 1] - r[:, 1] * r_ddot[:, 0]))
    assert k3.turntable_torque(q, v, a, alpha_dot, alpha_ddot) == pytest.approx(moment, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_spherical_pendulum(seed):
    rng = np.random.default_rng(seed)
    t, q, v = rng.uniform(0, 5), rng.uniform(0.3, 2.5, 2), rng.uniform(-3, 3, 2)
    p = k3.PENDULUM
    P = lambda t, q: (
        shaken(t) + p.l * np.array([np.sin(q[0]) * np.cos(q[1]), np.sin(q[0]) * np.sin(q[1]), -np.cos(q[0])])
    )
    n = np.full(3, p.m)
    _, p_dot, p_ddot = k3.pivot(t)
    Q = k3.pendulum_quadratic_velocity_force(q, v) + k3.pendulum_driven_force(q, p_ddot)
    M = k3.pendulum_mass(q)
    np.testing.assert_allclose(M, particles.mass_matrix(P, n, t, q), atol=ROUND_OFF)
    np.testing.assert_allclose(Q, particles.inertia_force(P, n, t, q, v), atol=10 * ROUND_OFF)
    a = k3.pendulum_acceleration(q, v, p_ddot)
    energy = lambda h: k3.pendulum_energy(t + h, q + h * v + 0.5 * h**2 * a, v + h * a)
    power = k3.pendulum_drive_force(q, v, a, p_ddot) @ p_dot
    assert slope(energy) == pytest.approx(power, abs=1e-7)


def test_conical_pendulum_and_circling_pivot():
    q = np.array([0.8, 0.2])
    a = k3.pendulum_acceleration(q, np.array([0.0, k3.conical_rate(0.8)]), np.zeros(3))
    np.testing.assert_allclose(a, 0.0, atol=1e-13)
    # tan θ = Ω²(ρ + l sin θ)/g: choose θ and Ω, find ρ
    p, rate = k3.PENDULUM, 3.0
    radius = p.g * np.tan(0.8) / rate**2 - p.l * np.sin(0.8)
    inward = -radius * rate**2 * np.array([np.cos(0.2), np.sin(0.2), 0.0])
    a = k3.pendulum_acceleration(q, np.array([0.0, rate]), inward)
    np.testing.assert_allclose(a, 0.0, atol=1e-13)
