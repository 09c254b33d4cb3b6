"""Commands and options that other tests do not type: schema, study with show and rerun, validate with its exit code."""

import csv
import json
from pathlib import Path

import pytest

from panhead import validation
from panhead.assess import judgement
from panhead.files import results
from panhead.validation.checks import BEFORE, below

STUDY = """
kind = "study"
form = "speed"
base = "en50318-300"
about = "a trial"
[changes]
speed = 60.0
[changes.numerics]
step = 2e-3
[changes.journey]
judged_from = 100.0
judged_to = 150.0
stop = 160.0
ramp = 0.4
[changes.line_changes]
tension_lengths = [{ spans = [{ length = 50.0, count = 5, dropper_count = 6 }] }]
[[vary]]
input = "speed"
values = [58.0, 62.0]
"""


def test_schema_shows_the_keys_of_a_kind(panhead):
    told = panhead("schema", "run")
    assert told.returncode == 0, told.stderr
    for key in ("speed", "numerics", "element_length", "judged_from"):
        assert key in told.stdout
    refused = panhead("schema", "no-such-kind")
    assert refused.returncode == 2
    assert "run" in refused.stderr


@pytest.fixture
def one_row(monkeypatch):
    """A case of one row whose value can be chosen."""

    def of(value):
        monkeypatch.setattr(validation, "run", lambda name: [below("x", value, 1.0, "1", "by hand", by=BEFORE)])
        monkeypatch.setitem(validation.ROWS, "iftomm-a01", (1, 0))

    return of


@pytest.mark.parametrize(("value", "code"), [(0.5, 0), (1.5, 1), (float("nan"), 1)])
def test_the_exit_code_of_validate_is_the_judgement(panhead, one_row, value, code):
    one_row(value)
    assert panhead("validate", "iftomm-a01").returncode == code


def test_a_row_that_is_gone_fails_validation(panhead, one_row, monkeypatch):
    one_row(0.5)
    monkeypatch.setitem(validation.ROWS, "iftomm-a01", (2, 0))
    answer = panhead("validate", "iftomm-a01", "--json")
    assert answer.returncode == 1
    assert json.loads(answer.stdout)["iftomm-a01"]["rows that are judged"]["ok"] is False


def test_cases_by_two_processes_are_those_of_one(panhead):
    wanted = ("validate", "moving-load-beam", "moving-load-string", "--json")
    one, two = (json.loads(panhead(*wanted, *more).stdout) for more in ((), ("--jobs", "2")))
    assert list(two) == ["moving-load-beam", "moving-load-string"]
    assert one == two


def test_a_study_is_conducted_shown_and_one_sample_run_again(panhead, tmp_path):
    (tmp_path / "trial.toml").write_text(STUDY)
    done = panhead("study", "trial.toml", "--out", "s", "--workers", "1")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "s" / "index.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(row for row in table if not row.startswith("#")))
    assert len(rows) == 2
    shown = panhead("study", "show", "s")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.splitlines()[0] == done.stdout.splitlines()[0]
    again = panhead("study", "rerun", "s", "1")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "s" / "rerun-1" / "report.html").exists()
    refused = panhead("study", "rerun", "s", "7")
    assert refused.returncode == 2
    assert "numbered 0 to 1" in " ".join(refused.stderr.split())
    assert panhead("study", "show").returncode == 2


RUN = """
speed = 60.0
numerics = { step = 2e-3 }
journey = { judged_from = 90.0, judged_to = 120.0, stop = 130.0, ramp = 0.3, run_in = 10.0 }
"""
SPANS = """
line_changes = { tension_lengths = [{ name = "T", spans = [{ length = 50.0, count = 4, dropper_count = 5 }] }] }
"""
DESIGN = f"""
kind = "design"
about = "a trial"
iterations = 2
[[runs]]
run = "en50318-300"
name = "fast"
[runs.changes]{RUN}{SPANS}
[[change]]
parameter = "dropper.length"
by = ["-10 mm", "10 mm"]
tie = ["spans alike"]
[[want]]
of = "deviation"
"""


def test_a_design_is_conducted_and_its_line_runs_smoother(panhead, tmp_path):
    """The new line, run anew by the plain command, has a smaller σ than the old one."""
    (tmp_path / "trial.toml").write_text(DESIGN)
    done = panhead("design", "trial.toml", "--out", "d")
    assert done.returncode == 0, done.stderr
    (new,) = [line.split()[-1] for line in done.stdout.splitlines() if line.startswith("file")]
    sigma = []
    for line, more in (("en50318-2002", SPANS), (tmp_path / "d" / new, "")):
        (tmp_path / "r.toml").write_text(f'''kind = "run"\nline = "{line}"{RUN}{more}''')
        with (tmp_path / "r.toml").open("a") as file:
            file.write('train = [{ pantograph = "en50318-2002" }]\n')
        assert panhead("run", "r.toml", "--out", "r", "--no-why", "--no-error-bars").returncode == 0
        (criteria,) = judgement(results.load(tmp_path / "r" / "result.nc"))[""].values()
        sigma.append(next(c.value for c in criteria if c.key == "deviation"))
    assert sigma[1] < 0.99 * sigma[0]


def test_reproduce_lists_documents_and_writes_a_page_from_results(panhead, tmp_path):
    assert "ambrosio11" in panhead("reproduce").stdout
    recorded = Path(__file__).parents[3] / "docs" / "validation_results.json"
    page = tmp_path / "page.md"
    panhead("reproduce", "lipinski23", "--results", str(recorded), "--output", str(page), "--jobs", "1")
    assert "## Figure 4" in page.read_text(encoding="utf-8")
    empty = tmp_path / "empty.json"
    empty.write_text("{}", encoding="utf-8")
    answer = panhead("reproduce", "lipinski23", "--results", str(empty))
    assert answer.returncode == 2
    assert "has no results of pendulum-on-beam" in " ".join(answer.stderr.split())
    cases = json.loads(recorded.read_text(encoding="utf-8"))
    empty.write_text(json.dumps([*cases]), encoding="utf-8")
    answer = panhead("reproduce", "lipinski23", "--results", str(empty))
    assert (answer.returncode, "has no results of" in answer.stderr) == (2, True)
    empty.write_text(json.dumps({case: {"a row": {"value": "1"}} for case in cases}), encoding="utf-8")
    answer = panhead("reproduce", "lipinski23", "--results", str(empty))
    assert (answer.returncode, "is no table of rows" in " ".join(answer.stderr.split())) == (2, True)
