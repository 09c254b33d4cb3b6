"""The scenario kind ``control``: choice of optimiser, restart, interrupt, errors, page."""

import numpy as np
import pytest

from panhead.desk.drawing import figures
from panhead.desk.reports import page_of
from panhead.desk.reports.page import Picture
from panhead.engine.control.control_comparison import our_numbers, printed_numbers
from panhead.engine.jobs import Job
from panhead.errors import FileError, ModelError, SimulationError
from panhead.files import results
from panhead.runs import scenarios

SHORT = ("run.duration=0.6 s", "run.step=4 ms", "optimiser.iterations=60")


def short(*more):
    return scenarios.read("planar-pantograph-control", [*SHORT, *more])


@pytest.fixture(scope="module")
def result():
    return short().simulate()


def test_both_motions_are_the_ones_the_cost_was_made_of(result):
    """The motion is run again by the public integrator: the same trapezoidal cost to round-off."""
    t = result["time"].to_numpy()
    cost = lambda force, u: np.trapezoid(0.5 * (force + 29.57) ** 2 + 0.05 * u**2, t)
    u = result["u"].to_numpy()[:, 0]
    with_control = cost(result["interaction_force"].to_numpy(), u)
    without = cost(result["uncontrolled_interaction_force"].to_numpy(), 0.0)
    assert with_control == pytest.approx(result.attrs["cost"], rel=1e-9)
    assert without == pytest.approx(result.attrs["cost_uncontrolled"], rel=1e-9)
    assert result["cost_history"].to_numpy()[0] == pytest.approx(without, rel=1e-9)
    assert sum(result.attrs["cost_parts"]) == pytest.approx(result.attrs["cost"])


@pytest.mark.parametrize("method", ["euler", "generalized-alpha"])
def test_every_integrator_agrees_with_its_own_gradient(method):
    """The cost that fell is that of the motion in the result, to Newton's tolerance."""
    few = ("run.duration=0.2 s", "run.step=4 ms", "optimiser.iterations=6")
    other = short(f"run.method={method}", "optimiser.method=l-bfgs", *few).simulate()
    t, u = other["time"].to_numpy(), other["u"].to_numpy()[:, 0]
    force = other["interaction_force"].to_numpy()
    cost = np.trapezoid(0.5 * (force + 29.57) ** 2 + 0.05 * u**2, t)
    assert cost == pytest.approx(other.attrs["cost"], rel=1e-6)
    assert cost < 0.9 * other.attrs["cost_uncontrolled"]
    assert (np.diff(other["cost_history"].to_numpy()) < 0).all()


def test_control_steadies_the_force_and_leaves_its_mean(result):
    """A wire that moves 7 cm against 300 N/m leaves much to cut; a tenth of the force weight holds back."""
    ours = our_numbers(result)
    assert ours.cut > 70
    assert ours.controlled[0] == pytest.approx(-29.57, rel=0.05)
    assert printed_numbers(result).cut == pytest.approx(82.064, abs=0.01)
    assert printed_numbers(result).moved == pytest.approx(1.036, abs=0.01)


@pytest.mark.parametrize("method", ["l-bfgs", "dai-yuan", "direct"])
def test_every_way_of_searching_ends_alike(result, method):
    """Within the tolerance of the gradient, 1e-5 of its start."""
    other = short(f"optimiser.method={method}").simulate()
    assert other.attrs["cost"] == pytest.approx(result.attrs["cost"], rel=1e-4)
    assert other.attrs["converged"]


def test_interrupt_keeps_the_best_and_a_result_can_be_gone_on_from(result, tmp_path):
    heard = []

    def impatient(fraction, message):
        heard.append(message)
        if len(heard) == 4:
            raise KeyboardInterrupt

    stopped = short().simulate(Job(progress=impatient))
    assert stopped.attrs["reason"] == "interrupted"
    assert "iteration 4: cost" in heard[-1]
    assert "gradient" in heard[-1]
    assert result.attrs["cost"] < stopped.attrs["cost"] < stopped.attrs["cost_uncontrolled"]
    path = results.save(stopped, tmp_path / "result.nc")
    again = short(f"optimiser.restart={path}").simulate()
    assert again["cost_history"].to_numpy()[0] == pytest.approx(stopped.attrs["cost"], rel=1e-9)
    assert again.attrs["cost"] == pytest.approx(result.attrs["cost"], rel=1e-4)


def test_restart_from_the_optimum_has_nothing_left_to_do(result, tmp_path):
    """The gradient is small beside that without control, which is what the tolerance means."""
    path = results.save(result, tmp_path / "result.nc")
    again = short(f"optimiser.restart={path}", "optimiser.tolerance=2e-5").simulate()
    assert again.attrs["converged"]
    assert again.sizes["iteration"] == 1


def test_restart_on_knots_finds_the_nearest_numbers(tmp_path):
    """Controls that lie on the knots come back as they were."""
    first = short("controls.knots=20", "optimiser.method=l-bfgs", "optimiser.iterations=5")
    path = results.save(first.simulate(), tmp_path / "knots.nc")
    again = short("controls.knots=20", f"optimiser.restart={path}").simulate()
    assert again["cost_history"].to_numpy()[0] == pytest.approx(results.load(path).attrs["cost"], rel=1e-9)


def test_parameters_are_tuned_with_the_controls(result):
    tuned = short("tuned={k2 = [50.0, 2000.0]}", "optimiser.method=l-bfgs").simulate()
    assert 50.0 <= float(tuned["tuned_value"][0]) <= 2000.0
    assert float(tuned["tuned_value"][0]) != pytest.approx(200.0, rel=1e-3)
    assert tuned.attrs["cost"] < result.attrs["cost"]
    t, u = tuned["time"].to_numpy(), tuned["u"].to_numpy()[:, 0]
    force = tuned["interaction_force"].to_numpy()
    cost = np.trapezoid(0.5 * (force + 29.57) ** 2 + 0.05 * u**2, t)
    assert cost == pytest.approx(tuned.attrs["cost"], rel=1e-9)


def test_what_cannot_be_is_refused(tmp_path):
    with pytest.raises(FileError, match="change the bounds"):
        short("controls.low=3.0", "controls.high=-3.0")
    with pytest.raises(FileError, match="is not an output"):
        short("judged=nonsense")
    with pytest.raises(FileError, match="reference"):
        short("cost=[{of = 'interaction_force', weight = 1.0, reference = '3 m'}]")
    with pytest.raises(FileError, match="rk4 or euler"):
        short("run.method=generalized-alpha", "optimiser.method=direct")
    with pytest.raises(ModelError, match="cannot be used in a cost"):
        short("cost=[{of = 'nonsense', weight = 1.0}]").simulate()
    with pytest.raises(ModelError, match="do not support bounds"):
        short("controls.low=-3.0").simulate()
    mechanism = scenarios.read("planar-pantograph", ["run.duration=0.01 s", "run.keep=1 ms"]).simulate()
    with pytest.raises(FileError, match="not the result of a control scenario"):
        short(f"optimiser.restart={results.save(mechanism, tmp_path / 'm.nc')}").simulate()


def test_a_diverging_run_keeps_the_controls_it_tried(result, tmp_path):
    """Controls of 1e200 N leave the range of numbers within a step; they can be looked at afterwards."""
    wild = result.copy()
    wild["u"] = 1e200 * (1 + wild["u"])
    path = results.save(wild, tmp_path / "wild.nc")
    with pytest.raises(SimulationError, match="failed after t") as caught:
        short(f"optimiser.restart={path}").simulate()
    assert np.abs(caught.value.partial["u"].to_numpy()).max() > 1e199


def test_page_shows_force_control_and_convergence(result):
    page = page_of(result)
    assert page.verdict.mood == "good"
    pictures = {b.name: b for s in page.sections for b in s.blocks if isinstance(b, Picture)}
    assert {"judged", "control", "convergence", "outputs", "coordinates", "rates"} <= set(pictures)
    assert {n: w for n, p in pictures.items() if (w := figures.without_unit(p.chart))} == {}
    half = result.assign_attrs(converged=0, reason="interrupted")
    assert page_of(half).verdict.mood == "warning"
