"""The CX pantograph and the line as two codes: the scenario in small, and what its page shows."""

import numpy as np
import pytest

from panhead import scenarios
from panhead.errors import Interrupted, ModelError
from panhead.jobs import Job
from panhead.report import cosimulation as report
from panhead.report import figures
from panhead.report.page import Picture
from panhead.run.solvers.coupled.participant import Port
from panhead.run.solvers.coupled.watched import Watched

STEPS = 60  # of 1 ms: the pantograph passes five metres of line


@pytest.fixture(scope="module")
def result():
    settings = [
        'models=["none", "head"]',
        f"journey.duration={STEPS * 1e-3}",
        "journey.judged_from=0.01",
        "coupling.truth=0.01",
    ]
    return scenarios.read("s4-cx", settings).simulate()


def test_the_run_begins_in_equilibrium_under_the_static_force(result):
    # the law's damping feels the wire's slope at once: a share of it is there at the first moment
    assert result["contact_force"].to_numpy()[:, 0] == pytest.approx([157.3, 157.3], rel=0.02)


def test_co_simulation_meets_the_model_in_one_piece(result):
    assert result["distance_max"].to_numpy().max() < 1e-6  # [N]: asked of the iterated coupling


def test_exchange_makes_and_loses_no_energy(result):
    # forces agree to 1e-6 N and strips move with less than 1 m/s over 0.06 s
    assert np.abs(result["interface_energy_error"].to_numpy()).max() < 1e-7


def test_the_stagger_carries_the_contact_across_the_strip(result):
    lateral, x = result["lateral"].to_numpy()[0], result["contact_x"].to_numpy()
    assert np.ptp(lateral) > 0.01
    assert np.ptp(np.diff(lateral) / np.diff(x)) < 1e-3  # straight between masts


def test_a_flexible_head_bends_and_a_rigid_one_has_no_modes(result):
    assert np.abs(result["head deformation"]).max() > 1e-5  # [m]
    assert "top arm deformation" not in result


def test_the_page_names_units_and_judges_every_model(result):
    page = report.page(result)
    pictures = [b for s in page.sections for b in s.blocks if isinstance(b, Picture)]
    assert pictures
    assert [figures.without_unit(p.figure) for p in pictures] == [[]] * len(pictures)
    assert "rigid" in page.verdict.sentence
    assert len(report.criteria(result)) == 2


def test_models_must_differ():
    with pytest.raises(Exception, match="each once"):
        scenarios.read("s4-cx", ['models=["none", "none"]'])


def test_a_journey_must_reach_its_judged_part():
    with pytest.raises(Exception, match="judged_from"):
        scenarios.read("s4-cx", ["journey.duration=2"])


@pytest.mark.parametrize("settings", ["journey.duration=20", "journey.start=-1"])
def test_a_journey_that_leaves_the_line_is_refused_before_it_begins(settings):
    with pytest.raises(ModelError, match=r"the line goes from 0 m to 1089 m"):
        scenarios.read("s4-cx", [settings]).simulate()


class _Clock:
    """A participant that only counts."""

    name, inputs, outputs = "clock", (Port(name="u", unit="1"),), (Port(name="t", unit="s"),)
    time = 0.0

    def observe(self, u):
        return np.array([self.time])

    def advance(self, dt, u0, u1):
        self.time += dt
        return np.array([self.time])

    def remember(self):
        return self.time

    def recall(self, memory):
        self.time = memory


def test_what_was_seen_of_a_step_taken_back_is_forgotten():
    clock = _Clock()
    seen = Watched(clock, lambda: np.array([clock.time]))
    nothing = np.zeros(1)
    seen.advance(1.0, nothing, nothing)
    memory = seen.remember()
    seen.advance(1.0, nothing, nothing)
    seen.recall(memory)
    seen.advance(0.5, nothing, nothing)
    times, rows = seen.seen()
    assert times.tolist() == [0.0, 1.0, 1.5]
    assert rows[:, 0].tolist() == [0.0, 1.0, 1.5]


def test_a_run_that_is_stopped_keeps_the_models_done():
    settings = ["journey.duration=0.06", "journey.judged_from=0.01", "coupling.truth=0"]

    def impatient(share, text):
        if share > 0.6:  # the second model is under way
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        scenarios.read("s4-cx", ['models=["none", "head"]', *settings]).simulate(
            Job(progress=impatient)
        )
    kept = stopped.value.partial
    assert list(kept["model"].to_numpy()) == ["rigid", "flexible head"]
    assert 10 < kept.sizes["time"] <= 61
