"""The ceiling: descent within bounds in closed form, and the best force of a short run."""

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, lsq_linear, minimize

from panhead.assess import judgement
from panhead.desk.reports import page_of
from panhead.desk.reports.render import html
from panhead.engine.jobs import Job
from panhead.errors import ModelError
from panhead.explore.designs.actuator_bound import BEST, PASSIVE, Ceiling, FreeActuator, simulate, with_run
from panhead.explore.designs.projected_gradient import minimise_projected, nearest, steepest_room
from panhead.runs.resolve import resolve
from panhead.validation.line_gradient.differences import with_changes
from panhead.validation.line_gradient.rough import base

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
SIZE, SWING = 5.0, 1.5


def allowed(rng, count=30):
    """A random point within the bounds."""
    return nearest(rng.normal(scale=6.0, size=count), SIZE, SWING)


def test_the_nearest_point_within_bounds():
    """Beside the quadratic programme of SciPy, whose digits are some 1e-6 of the size; a point within stays."""
    x = np.random.default_rng(1).normal(scale=6.0, size=12)
    y = nearest(x, SIZE, SWING)
    assert np.abs(y).max() <= SIZE * (1 + 1e-9)
    assert np.abs(np.diff(y)).max() <= SWING * (1 + 1e-9)
    close = LinearConstraint(np.diff(np.eye(12), axis=0), -SWING, SWING)
    found = minimize(
        lambda v: 0.5 * float((v - x) @ (v - x)), np.zeros(12), jac=lambda v: v - x, method="SLSQP",
        bounds=[(-SIZE, SIZE)] * 12, constraints=[close], options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert y == pytest.approx(found.x, abs=1e-5)
    assert nearest(y, SIZE, SWING) == pytest.approx(y, abs=1e-6)


def test_no_point_within_bounds_is_lower_than_the_room_says():
    rng = np.random.default_rng(2)
    slope, x = rng.normal(size=30), allowed(rng)
    room = steepest_room(slope, x, SIZE, SWING)
    assert room >= max(float(slope @ (x - allowed(rng))) for _ in range(200)) - 1e-9
    assert steepest_room(slope, x, SIZE, None) == pytest.approx(slope @ (x + SIZE * np.sign(slope)))
    assert room <= steepest_room(slope, x, SIZE, None) + 1e-9


def test_a_convex_function_finds_its_least_value():
    """½|A x − b|² with |x| ≤ 5, beside SciPy's bounded least squares; the room left closes."""
    rng = np.random.default_rng(3)
    A, b = rng.normal(size=(40, 12)), 20.0 * rng.normal(size=40)
    value = lambda x: (0.5 * float(np.sum((A @ x - b) ** 2)), lambda: A.T @ (A @ x - b))
    end = minimise_projected(value, np.zeros(12), lambda x: nearest(x, 1.0, None), 1.0, 200)
    exact = lsq_linear(A, b, (-1.0, 1.0), tol=1e-12)
    assert end.value == pytest.approx(exact.cost, rel=1e-5)
    assert 0.0 <= steepest_room(end.slope, end.x, 1.0, None) < 1e-2 * end.value


@pytest.fixture(scope="module")
def run():
    return with_changes(base(), {})


@pytest.fixture(scope="module")
def ceiling(run):
    return Ceiling(run=run, force=20.0, rate=2000.0, interval=0.02, lead=0.2, iterations=4)


def test_its_gradient_is_that_of_new_runs(ceiling):
    """Central differences over ±0.1 mN at two nodes; 1e-4 leaves room for rounding of forces that small."""
    actuator = FreeActuator(ceiling, resolve(with_run(ceiling).run))
    u = np.zeros(actuator.times.size)
    exact = actuator.half_square(u)[1]()
    for k in (8, actuator.times.size // 2):
        step = 1e-4 * np.eye(u.size)[k]
        up, down = (actuator.half_square(u + sign * step)[0] for sign in (1.0, -1.0))
        assert exact[k] == pytest.approx((up - down) / 2e-4, rel=1e-4, abs=1e-6 * np.abs(exact).max())


def test_the_best_force_of_a_run(ceiling):
    """What the search says of it is what a run with that force as a table gives; it keeps its bounds."""
    result = simulate(ceiling, Job())
    sigma = {
        name: next(c.value for c in next(iter(found.values())) if c.key == "deviation")
        for name, found in judgement(result).items()
    }
    history, force = result["ceiling_history"].to_numpy(), result["ceiling_force"].to_numpy()
    assert sigma[PASSIVE] == pytest.approx(history[0], rel=1e-6)
    assert sigma[BEST] == pytest.approx(history.min(), rel=1e-6)
    assert sigma[BEST] < 0.9 * sigma[PASSIVE]
    assert float(result["ceiling_least"]) <= sigma[BEST]
    assert np.abs(force).max() <= 20.0 * (1 + 1e-9)
    step = float(np.diff(result["ceiling_time"].to_numpy())[0])
    assert np.abs(np.diff(force)).max() <= 2000.0 * step * (1 + 1e-9)
    assert "share of the possible" in html(page_of(result))


def test_travel_is_bounded_by_stops(run):
    stage = with_run(Ceiling(run=run, force=20.0, travel=0.05)).run.train[0].pantograph.stages[0]
    assert (stage.stop_up, stage.stop_down) == (0.05, 0.05)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"stage": 7}, "has stages 1 … 2, not 7"),
        ({"pantograph": 2}, "there is no pantograph 2; they are 1 … 1"),
        ({"run": "s1-low-uplift"}, "without variants"),
        ({"run": "en50318-300", "changes": {"solver": "coupled"}}, "is not differentiable"),
    ],
)
def test_what_cannot_be_is_refused(run, given, words):
    with pytest.raises(ModelError, match=words):
        with_run(Ceiling(**({"run": run, "force": 20.0} | given)))


def test_laws_need_names_of_their_own(run):
    from panhead.explore.designs.actuator_bound import ComparedLaw
    from panhead.runs.cables.cables_options import HeadLaw

    with pytest.raises(ModelError, match="must have unique names"):
        Ceiling(run=run, force=20.0, laws=(ComparedLaw(name=PASSIVE, control=HeadLaw()),))
