"""A design that changes the gains of a law of the head."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.explore.designs.design_files import read_parts, round_values, write_parts
from panhead.explore.designs.evaluate import DesignEvaluations, Evaluator

from .trial import SHORT, asked

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")

GAINS = {"parameter": "control.gain", "between": ["-200 N*s/m", "200 N*s/m"]}
LAW = {"control": {"kind": "rates", "parameters": {"head": 20.0, "plunger": 0.0}}}


def run(changes):
    return {"run": "en50318-300", "name": str(len(changes)), "changes": SHORT | changes}


@pytest.fixture(scope="module")
def trial():
    return asked([GAINS], runs=[run(LAW)])


def test_gains_are_variables_with_exact_gradients(trial):
    """Central differences of ±1e-4 of the bounds: h² and rounding together below 1e-5."""
    x, key = np.array([0.1, -0.05]), (0, "deviation", 0)
    exact = Evaluator(trial, DesignEvaluations(None, "")).slopes(x, [key])[key]
    for k, step in enumerate(1e-4 * np.eye(2)):
        up, down = (
            Evaluator(trial, DesignEvaluations(None, "")).numbers(x + s * step, [key])[key] for s in (1.0, -1.0)
        )
        assert exact[k] == pytest.approx((up - down) / 2e-4, rel=1e-5)


def test_the_law_is_written_and_reads_back(trial, tmp_path):
    """The head's gain, 220 above its lower bound, by a tenth of that; to five figures, with the change on top."""
    parts = round_values(trial, trial.parts_at(np.array([0.1, -0.0500001])))
    (path,) = write_parts(trial, parts, tmp_path)
    assert "# control.gain, head: 20 N*s/m before, +22 N*s/m" in path.read_text()
    assert read_parts(trial.parts, [path]) == parts
    assert trial.runs[0].of(parts).control.numbers() == {"head": 42.0, "plunger": -10.0}


def test_runs_without_the_same_law_are_refused():
    with pytest.raises(ModelError, match="no law of the head that is differentiable"):
        asked([GAINS], runs=[run({})])
    other = {"control": {"kind": "derivative", "parameters": {"damping": 5.0}}, "about": "x"}
    with pytest.raises(ModelError, match="has a different control law from"):
        asked([GAINS], runs=[run(LAW), run(other)])


HISTORY = {
    "variants": [],
    "train": [{"pantograph": "pan-head-plunger"}],
    "control": {"kind": "history", "interval": 0.02, "parameters": {"r0": 200.0, "r1": 900.0, "r2": 400.0}},
    "line_changes": {"tension_lengths": [{"name": "T1", "spans": [{"length": 56.25, "count": 2, "dropper_count": 8}]}]},
    "journey": {"duration": 0.05, "judged_from": 12.5, "judged_to": 15.2},
}


def test_the_adjoint_finds_the_slope_by_a_damping_history():
    """r(t) under cables [Pappalardo16, eqs (20)–(25)], every value of it: differences are good to h² and what Newton's
    method leaves in a run, 1e-9 m under 50 kN/m over 50 steps, 1e-4 of a slope of some 0.1 N per range."""
    trial = asked(
        [{"parameter": "control.gain", "between": ["0 N*s/m", "2000 N*s/m"]}],
        runs=[{"run": "s1-low-uplift", "name": "history", "changes": HISTORY}],
    )
    x, key = np.zeros(3), (0, "deviation", 0)
    one = lambda: Evaluator(trial, DesignEvaluations(None, ""))
    exact = one().slopes(x, [key])[key]
    for k, step in enumerate(1e-2 * np.eye(3)):
        up, down = (one().numbers(x + s * step, [key])[key] for s in (1.0, -1.0))
        assert exact[k] == pytest.approx((up - down) / 2e-2, rel=1e-3, abs=1e-4)
    assert np.abs(exact).max() > 1e-3
