"""A whole design: gradients of tied variables, stop and resume, files that say what was changed."""

import re

import numpy as np
import pytest

from panhead.desk.drawing import figures
from panhead.desk.reports.page import Picture
from panhead.desk.reports.render import html
from panhead.explore.designs.design_page import page
from panhead.explore.designs.evaluate import DesignEvaluations, Evaluator
from panhead.explore.designs.run_design import conduct, numbers_of
from panhead.railway.line.line_files import read_line

from .trial import DROPPERS, asked

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")

HEAD = {"parameter": "pantograph.stiffness", "names": "*stage 1", "between": ["4 kN/m", "9 kN/m"]}
TWO = [DROPPERS | {"tie": ["spans alike", "symmetric"]}, HEAD]


def evaluator(problem, ledger=None):
    return Evaluator(problem, ledger or DesignEvaluations(None, ""))


@pytest.fixture(scope="module")
def trial():
    return asked(TWO, [{"of": "deviation"}, {"of": "uplift", "no_worse": True}], starts=1, iterations=4)


@pytest.fixture(scope="module")
def outcome(trial, tmp_path_factory):
    return conduct(trial, tmp_path_factory.mktemp("design"))


def test_gradients_of_tied_variables_beside_new_runs(trial):
    """Central differences of ±1e-5 of the bounds: h² and rounding together below 1e-5."""
    x, keys = np.array([0.1, -0.2, 0.05, 0.1]), [(0, "deviation", 0), (0, "statistical_min", 0)]
    exact = evaluator(trial).slopes(x, keys)
    for k in range(x.size):
        step = 1e-5 * np.eye(x.size)[k]
        up, down = (evaluator(trial).numbers(x + s * step, keys) for s in (1.0, -1.0))
        for key in keys:
            assert exact[key][k] == pytest.approx((up[key] - down[key]) / 2e-5, rel=1e-5, abs=1e-5)


def test_it_is_better_and_keeps_its_limits(outcome):
    """By new runs from the files, on both meshes."""
    (one,) = outcome.passages
    for mesh in ("own", "finer"):
        old, new = (numbers_of(one.results[when, mesh]) for when in ("before", "after"))
        assert new["deviation"].value < 0.97 * old["deviation"].value
    limit = numbers_of(one.results["before", "own"])["uplift"].value
    assert numbers_of(one.results["after", "own"])["uplift"].value <= limit * (1 + 1e-3)  # lengths are rounded


def test_files_say_what_was_changed_and_read_back(outcome):
    line = next(path for path in outcome.files if path.name == "line.toml")
    assert [p.name for p in outcome.files] == ["line.toml", "pantograph-EN-50318-2002-reference-pantograph.toml"]
    told = re.findall(
        r"# dropper.length, T, span (\d), dropper (\d): ([\d.]+) m before, ([+-][\d.e-]+) m", line.read_text()
    )
    spans = [s for s in read_line(line).tension_lengths[0].spans for _ in range(s.count)]
    assert len(told) == 20
    for span, dropper, before, change in told:
        length = spans[int(span) - 1].droppers[int(dropper) - 1].length
        assert length == pytest.approx(float(before) + float(change), abs=1e-6)


def test_a_search_that_was_stopped_goes_on(trial, outcome, tmp_path):
    """Stopped in the middle and begun again it takes the same way, and computes nothing twice."""
    seen: list[float] = []

    def stop(share, words):
        seen.append(share)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        conduct(trial, tmp_path, stop)
    known = len(DesignEvaluations(tmp_path / "search.json", "").values), (tmp_path / "search.json").stat().st_size
    assert known[1] > 100
    again = conduct(trial, tmp_path)
    assert again.x.tolist() == outcome.x.tolist()
    assert 0 < again.runs < outcome.runs


def test_another_design_does_not_use_its_numbers(outcome, tmp_path):
    folder = outcome.files[0].parent
    assert not DesignEvaluations(folder / "search.json", "another").values


def test_the_page_tells_what_matters(outcome):
    found = page(outcome)
    text = html(found)
    assert found.verdict.beside[0][1].startswith(("Contact quality", "At "))  # of the runs with the new files
    assert found.sections[0].blocks[0].rows[0][-1].partition(";")[0] in ("met", "not met", "undecided")
    for words in ("falls by", "no worse than the original", "Multiplier", "Stopping reason", "line.toml"):
        assert words in text
    for section in found.sections:
        for block in section.blocks:
            if isinstance(block, Picture):
                assert not figures.without_unit(block.chart)


def test_a_run_that_fails_is_no_answer():
    """A dropper twice as long as its place cannot be strung: the point is left alone, and told."""
    problem = asked([DROPPERS | {"by": [-3.0, 3.0]}])
    judge = evaluator(problem)
    x = np.ones(5)
    assert judge.numbers(x, [(0, "deviation", 0)]) is None
    assert judge.ledger.failures[x.tobytes().hex()]
