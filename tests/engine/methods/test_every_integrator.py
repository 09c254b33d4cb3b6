"""Laws for every integrator: observed order equals the label, drift stays away, energy is accounted for."""

import numpy as np
import pytest

from panhead.engine.methods.equilibrium import assemble_configuration, consistent_rates, project_onto_constraints
from panhead.engine.methods.formulations import Augmented, Baumgarte, Eliminated, Embedded, Projection, Unstabilised
from panhead.engine.methods.integrators import (
    BDF,
    Adaptive,
    ContactStepping,
    Euler,
    GeneralizedAlpha,
    MoreauJean,
    RungeKutta4,
    VariationalMidpoint,
)
from panhead.engine.methods.simulate import grid, simulate
from panhead.engine.methods.trajectory import State
from panhead.engine.symbolic import SymbolicSystem
from panhead.errors import ModelError, NotConverged, RunWarning, SimulationError
from panhead.runs import scenarios
from panhead.runs.scenarios.motion_kind import start_of, system_of
from panhead.runs.scenarios.shipped_models import mechanism

FORMULATIONS = [Augmented(), Augmented(solver="range-space"), Embedded()]


@pytest.fixture(scope="module")
def pantograph():
    system = SymbolicSystem(mechanism("planar-pantograph")).with_parameters(s0=-0.1, s1=0.07, s2=0.007)
    q = assemble_configuration(system, np.array([2.4, 2.5, -0.5, 0.1]))
    v = consistent_rates(system, q, np.array([0.0, 0.3, 0.0, 0.2]))
    return system, State(q=q, v=v)


def end_state(problem, method, dt, **options):
    system, start = problem
    motion = simulate(system, start, duration=0.4, dt=dt, keep=0.4, method=method, **options)
    return np.concatenate([motion.q[-1], motion.v[-1]])


ORDERS = [
    (Euler(), 1, 4e-4),
    (RungeKutta4(), 4, 5e-3),
    (GeneralizedAlpha(spectral_radius=0.8, tolerance=1e-13), 2, 4e-3),
    (MoreauJean(), 2, 4e-3),
    (ContactStepping(), 2, 4e-3),
    (VariationalMidpoint(), 2, 2e-2),
]


@pytest.mark.parametrize("method, order, coarse", ORDERS, ids=lambda x: type(x).__name__ if not np.isscalar(x) else "")
def test_observed_order(pantograph, method, order, coarse):
    """Errors against a tight adaptive run over four halvings; slope ± 0.1 of the label."""
    exact = end_state(pantograph, Adaptive(rtol=1e-13, atol=1e-14), 0.1)
    steps = coarse / 2.0 ** np.arange(4)
    errors = [np.abs(end_state(pantograph, method, dt) - exact).max() for dt in steps]
    observed = np.polyfit(np.log(steps), np.log(errors), 1)[0]
    assert observed == pytest.approx(order, abs=0.1), errors


IMPLICIT = [
    (GeneralizedAlpha(), {}),
    (GeneralizedAlpha(factor="while it serves"), {}),
    (GeneralizedAlpha(rates="projected"), {}),
    (GeneralizedAlpha(), {"formulation": Eliminated(dependent=("theta1", "theta3"))}),
    (MoreauJean(), {}),
]


@pytest.mark.parametrize("method, options", IMPLICIT, ids=["fresh", "kept", "projected", "eliminated", "MoreauJean"])
def test_halving_a_step_never_makes_an_answer_worse(pantograph, method, options):
    """Second order at the default tolerance, down to 6e-8: each four-fold step is 16 times better, ± 3 %.

    Kept factors used to end at 1.5e-4 with 25600 steps. Eliminated positions are settled to 1e-12 of themselves, which
    25600 steps would feel; Moreau and Jean's steps are slow.
    """
    exact = end_state(pantograph, Adaptive(rtol=1e-13, atol=1e-14), 0.1)
    finest = [25600] if isinstance(method, GeneralizedAlpha) and not options else []
    steps = 0.4 / np.array([400, 1600, 6400, *finest])
    errors = [np.abs(end_state(pantograph, method, dt, **options) - exact).max() for dt in steps]
    assert np.divide(errors[:-1], errors[1:]) == pytest.approx(16.0, rel=0.03), errors


@pytest.mark.parametrize(
    "order, coarse, fine", [(1, 800, 3200), (2, 400, 1600), (3, 400, 1600), (4, 400, 1600), (5, 400, 1600)]
)
def test_order_of_backward_differences_down_to_rounding(pantograph, order, coarse, fine):
    """Fixed steps at the default tolerance: slope ± 0.1 of the label, for the fifth order down to 7e-12."""
    exact = end_state(pantograph, Adaptive(rtol=1e-13, atol=1e-14), 0.1)
    errors = [
        np.abs(end_state(pantograph, BDF(max_order=order, step=0.4 / n), 0.1) - exact).max() for n in (coarse, fine)
    ]
    assert np.log(errors[0] / errors[1]) / np.log(fine / coarse) == pytest.approx(order, abs=0.1), errors


@pytest.mark.parametrize("formulation", [*FORMULATIONS, Eliminated(dependent=("theta1", "theta3"))], ids=str)
@pytest.mark.parametrize("method", [Adaptive(method="Radau"), BDF()], ids=["Radau", "BDF"])
def test_implicit_methods_bear_every_formulation(pantograph, method, formulation):
    exact = end_state(pantograph, Adaptive(rtol=1e-13, atol=1e-14), 0.1)
    found = end_state(pantograph, method, 0.1, formulation=formulation)
    assert found == pytest.approx(exact, abs=1e-6)


def test_an_implicit_method_that_stops_says_where():
    """Radau with independent coordinates alone does not pass a position in which the loops can fold."""
    system = SymbolicSystem(mechanism("four-bars"))
    start = State(q=np.zeros(5), v=np.array([1.0, 1.0, 1.0, 0.0, 0.0]))
    with pytest.raises(NotConverged, match=r"Radau stopped at t = 0\.71\d+ s in 'four-bars': .*GeneralizedAlpha"):
        simulate(system, start, duration=2.0, dt=0.1, method=Adaptive(method="Radau"), formulation=Embedded())


def test_kept_factors_add_less_than_a_hundredth_of_the_error(pantograph):
    exact = end_state(pantograph, Adaptive(rtol=1e-13, atol=1e-14), 0.1)
    for steps in (100, 400, 3200):
        fresh, kept = (
            end_state(pantograph, GeneralizedAlpha(factor=factor), 0.4 / steps)
            for factor in ("each step", "while it serves")
        )
        assert np.abs(kept - fresh).max() < 0.01 * np.abs(fresh - exact).max()


def test_a_singular_position_is_passed_with_a_word():
    """IFToMM A02: adaptive steps stop where its loops can fold; the default goes on and says so."""
    scenario = scenarios.read("iftomm-a02").description
    system = system_of(scenario)
    with pytest.warns(RunWarning, match=r"generalized-α method \(second order\) in steps of 0.001 s instead"):
        motion = simulate(system, start_of(scenario, system), duration=1.0, dt=1e-3, keep=0.1)
    asked = simulate(system, start_of(scenario, system), duration=1.0, dt=1e-3, keep=0.1, method=RungeKutta4())
    assert motion.q[-1] == pytest.approx(asked.q[-1], abs=1e-4)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=str)
def test_order_in_every_formulation(pantograph, formulation):
    """Neither elimination nor projection may cost Runge–Kutta its order."""
    exact = end_state(pantograph, Adaptive(rtol=1e-13, atol=1e-14), 0.1)
    steps = 5e-3 / 2.0 ** np.arange(4)
    errors = [np.abs(end_state(pantograph, RungeKutta4(), dt, formulation=formulation) - exact).max() for dt in steps]
    assert np.polyfit(np.log(steps), np.log(errors), 1)[0] == pytest.approx(4, abs=0.1), errors


@pytest.mark.parametrize("name", ["RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA"])
def test_adaptive_methods_agree(pantograph, name):
    """Each of SciPy's methods at its tolerance meets the reference; multistep ones with Baumgarte.

    Global error of an adaptive method is the tolerance times a growth of the problem; 1e3 is generous.
    """
    multistep = name in ("BDF", "LSODA")
    exact = end_state(pantograph, Adaptive(rtol=1e-13, atol=1e-14), 0.1)
    found = end_state(
        pantograph,
        Adaptive(method=name, rtol=1e-8, atol=1e-10),
        0.1,
        stabilisation=Baumgarte() if multistep else Projection(),
    )
    np.testing.assert_allclose(found, exact, atol=1e-5)


def test_multistep_methods_refuse_projection(pantograph):
    with pytest.raises(ModelError, match="multistep method"):
        end_state(pantograph, Adaptive(method="BDF"), 0.1)


@pytest.mark.parametrize(
    "method",
    [Euler(), RungeKutta4(), GeneralizedAlpha(), Adaptive(rtol=1e-8), BDF(rtol=1e-6), MoreauJean()],
    ids=lambda m: type(m).__name__,
)
def test_constraints_hold(pantograph, method):
    """Positions to round-off (Newton's last step 1e-10 relative in generalized-α); rates too where projected."""
    system, start = pantograph
    motion = simulate(system, start, duration=0.5, dt=1e-3, keep=0.05, method=method)
    assert np.abs(motion.g).max() < 1e-10
    if isinstance(method, MoreauJean):
        assert np.abs(motion.g_dot).max() < 1e-9  # its tolerance of the rates, 1e-11 relative
    elif not isinstance(method, GeneralizedAlpha):
        assert np.abs(motion.g_dot).max() < 1e-12


def test_drift_without_stabilisation_is_real(pantograph):
    """The laws above can fail: Euler's method without stabilisation leaves the constraints visibly."""
    system, start = pantograph
    drift = {}
    for stabilisation in (Unstabilised(), Baumgarte(), Projection()):
        motion = simulate(system, start, duration=2.0, dt=1e-3, keep=1.0, method=Euler(), stabilisation=stabilisation)
        drift[type(stabilisation)] = np.abs(motion.g[-1]).max()
    assert drift[Unstabilised] > 1e-6
    assert drift[Projection] < 1e-13
    assert drift[Projection] < drift[Baumgarte] < drift[Unstabilised]


@pytest.mark.parametrize(
    "method, tolerance",
    [(RungeKutta4(), 1e-8), (Adaptive(rtol=1e-8, atol=1e-9), 1e-6), (GeneralizedAlpha(), 1e-2)],
    ids=lambda x: type(x).__name__ if not np.isscalar(x) else "",
)
def test_ledger_closes(pantograph, method, tolerance):
    """E − E₀ = drivers + controls − dissipated with all three at work; second order only for generalized-α."""
    system, start = pantograph
    motion = simulate(
        system, start, duration=1.0, dt=5e-4, keep=0.1, method=method, controls=lambda t: np.array([20 * np.sin(9 * t)])
    )
    E = system.energies(motion.t, motion.q, motion.v).sum(axis=0)
    balance = E - E[0] - motion.work[:, 0] - motion.work[:, 1] + motion.work[:, 2]
    assert np.abs(motion.work[-1]).min() > 1e-3  # each of them matters
    assert np.abs(balance).max() < tolerance * np.abs(E).max()


def marched_by_the_seam(system, start, t, u, stages, stabilisation):
    """Explicit steps in plain NumPy through the seam: another road to the same numbers."""
    nq = len(system.coordinates)

    def rates(t, y, u):
        q, v = y[:nq], y[nq : 2 * nq]
        G, gamma = system.constraint_q(t, q), system.constraint_bias(t, q, v)
        if isinstance(stabilisation, Baumgarte):
            rate, keep = G @ v + system.constraint_t(t, q), stabilisation
            gamma = gamma - 2 * keep.alpha * rate - keep.beta**2 * system.constraint(t, q)
        A = np.block([[system.mass(t, q), G.T], [G, np.zeros((len(G), len(G)))]])
        z = np.linalg.solve(A, np.concatenate([system.force(t, q, v, u), gamma]))
        a, lam = z[:nq], z[nq:]
        return np.concatenate([v, a, system.power(t, q, v, a, lam, u)])

    y = np.concatenate([start.q, start.v, np.zeros(3)])
    found = [y]
    for k, h in enumerate(np.diff(t)):
        k1 = rates(t[k], y, u[k])
        if stages == 1:
            y = y + h * k1
        else:
            middle = (u[k] + u[k + 1]) / 2
            k2 = rates(t[k] + h / 2, y + h / 2 * k1, middle)
            k3 = rates(t[k] + h / 2, y + h / 2 * k2, middle)
            k4 = rates(t[k + 1], y + h * k3, u[k + 1])
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        if isinstance(stabilisation, Projection):
            state = project_onto_constraints(system, State(t=t[k + 1], q=y[:nq], v=y[nq : 2 * nq]))
            y = np.concatenate([state.q, state.v, y[2 * nq :]])
        found.append(y)
    return np.array(found)


@pytest.mark.parametrize("method", [Euler(), RungeKutta4()], ids=lambda m: type(m).__name__)
@pytest.mark.parametrize("stabilisation", [Projection(), Baumgarte(), Unstabilised()], ids=lambda s: type(s).__name__)
def test_kernels_do_what_plain_steps_do(pantograph, method, stabilisation):
    system, start = pantograph
    push = lambda t: np.array([np.cos(40 * t)])
    run = simulate(system, start, duration=0.02, dt=1e-3, method=method, stabilisation=stabilisation, controls=push)
    u = np.array([push(t) for t in run.t])
    plain = marched_by_the_seam(system, start, run.t, u, method.stages, stabilisation)
    marched = np.hstack([run.q, run.v, run.work])
    np.testing.assert_allclose(marched, plain, rtol=1e-9, atol=1e-11)


def test_switching_of_independent_coordinates():
    """A four-bar that turns over has no single good choice: the embedded form switches and stays exact."""
    system = SymbolicSystem(mechanism("four-bars"))
    start = State(q=np.zeros(5), v=np.array([1.0, 1.0, 1.0, 0.0, 0.0]))
    motion = simulate(system, start, duration=2.0, dt=1e-3, keep=0.1, method=RungeKutta4(), formulation=Embedded())
    plain = simulate(system, start, duration=2.0, dt=1e-3, keep=0.1, method=RungeKutta4())
    assert motion.notes["switches"] >= 1
    np.testing.assert_allclose(motion.q, plain.q, atol=1e-6)  # one passage through a singular configuration


def test_failure_keeps_the_run_so_far():
    """Free fall of Euler's method on a stiff spring explodes: the error carries what was computed."""
    system = SymbolicSystem(mechanism("planar-pantograph")).with_parameters(k3=1e9)
    q = assemble_configuration(system, np.array([2.4, 2.5, -0.5, 0.1]))
    with pytest.raises(SimulationError, match=r"'planar-pantograph'.*Halve the step") as caught:
        simulate(system, State(q=q, v=np.zeros(4)), duration=5.0, dt=1e-3, method=Euler())
    assert 1 < len(caught.value.partial.t) < 5000
    assert np.isfinite(caught.value.partial.q).all()


def test_interrupt_keeps_the_run_so_far(pantograph):
    system, start = pantograph

    def impatient(fraction, message):
        if fraction > 0.3:
            raise KeyboardInterrupt

    with pytest.raises(SimulationError, match="interrupted at t") as caught:
        simulate(system, start, duration=10.0, dt=1e-3, method=RungeKutta4(), progress=impatient)
    assert 2000 <= len(caught.value.partial.t) < 10000


@pytest.mark.parametrize("duration, dt", [(0.0, 1e-3), (1.0, 0.0), (1.0, float("nan")), (float("inf"), 1e-3)])
def test_bad_times(duration, dt):
    with pytest.raises(ModelError, match="must be finite and > 0 s"):
        grid(0.0, duration, dt, None)


def test_switching_with_a_single_constraint():
    """A pendulum x² + y² = 1 swings through both axes: neither coordinate can stay independent."""
    system = SymbolicSystem(mechanism("pendulum"))
    start = State(q=np.array([-1.0, 0.0]), v=np.zeros(2))
    options = {"duration": 3.0, "dt": 1e-3, "keep": 0.1, "method": RungeKutta4()}
    motion = simulate(system, start, formulation=Embedded(), **options)
    assert motion.notes["switches"] >= 2
    np.testing.assert_allclose(motion.q, simulate(system, start, **options).q, atol=1e-8)


def test_generalized_alpha_refuses_what_it_would_ignore(pantograph):
    with pytest.raises(ModelError, match="enforces the constraints itself"):
        end_state(pantograph, GeneralizedAlpha(), 0.1, formulation=Embedded())


def test_controls_and_kept_times_are_checked(pantograph):
    system, start = pantograph
    with pytest.raises(ModelError, match="must be 1 finite numbers"):
        simulate(system, start, duration=0.1, dt=1e-2, controls=lambda t: np.zeros(2))
    with pytest.raises(ModelError, match="must be 1 finite numbers"):
        simulate(system, start, duration=0.1, dt=1e-2, controls=lambda t: np.array([np.nan]))
    with pytest.raises(ModelError, match="not a whole number of intervals"):
        grid(0.0, 0.1, 1e-2, 0.03)


def test_coordinate_without_inertia_is_named():
    from panhead.engine.symbolic import Mechanism, PlacedBody, coordinates

    x, y = coordinates("x", "y")
    system = SymbolicSystem(
        Mechanism(
            name="light",
            coordinates=(x, y),
            units=("m", "m"),
            bodies=(PlacedBody(name="ball", mass=1.0, position=(x, 0.0)),),
        )
    )
    with pytest.raises(ModelError, match="nothing in 'light' has inertia when y moves"):
        simulate(system, State(q=np.zeros(2), v=np.zeros(2)), duration=0.1, dt=1e-2)


def test_options_act_or_are_refused(pantograph):
    """A factor kept over many steps is made less often; what eliminated steps do not have is said.

    An error δ of Newton's last step is an acceleration δ/β dt² for a step, which adds up: 1e-13 m become 3e-7 m.
    """
    system, start = pantograph
    options = {"duration": 0.2, "dt": 1e-3}
    fresh, kept = (
        simulate(system, start, method=GeneralizedAlpha(factor=factor, tolerance=1e-13), **options)
        for factor in ("each step", "while it serves")
    )
    assert kept.notes["factorisations"] < fresh.notes["factorisations"] / 2
    np.testing.assert_allclose(kept.q, fresh.q, atol=1e-6)
    form = Eliminated(dependent=tuple(system.coordinates[1:3]))
    for option in ({"factor": "while it serves"}, {"rates": "projected"}, {"local_error": 1e-6}):
        with pytest.raises(ModelError, match="not available with eliminated coordinates"):
            simulate(system, start, method=GeneralizedAlpha(**option), formulation=form, **options)


def test_steps_chosen_by_their_error_and_projected_rates(pantograph):
    """Both now serve mechanisms written as positions, too."""
    system, start = pantograph
    exact = simulate(system, start, duration=0.2, dt=0.1, method=Adaptive())
    method = GeneralizedAlpha(local_error=1e-9, rates="projected", tolerance=1e-13)
    run = simulate(system, start, duration=0.2, dt=0.1, method=method)
    np.testing.assert_allclose(run.q, exact.q, atol=1e-5)
    assert np.abs(run.g_dot).max() < 1e-12
