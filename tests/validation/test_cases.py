"""Cases: the tables name what stands in the folders, checks judge rightly, cheap cases are met."""

import ast
import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from panhead import validation
from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.line.layout import Layout
from panhead.runs import scenarios
from panhead.runs.scenarios import shipped_models
from panhead.validation import pins
from panhead.validation.checks import (
    AFTER,
    BEFORE,
    CLOSED_FORM,
    INDEPENDENT,
    PRINT,
    BoundBy,
    as_json,
    at_least,
    at_most,
    below,
    between,
    check_row_count,
    largest,
    listed,
    near,
)
from panhead.validation.en50318.references import EN50318
from panhead.validation.en50318.spread import inside, spread_variants
from panhead.validation.rows import ROWS

FOLDER = Path(validation.__file__).parent
LIBRARY = FOLDER.parent / "runs" / "library"
BENCH = Path(__file__).parents[2] / "bench"
FOLDERS = sorted(f for f in FOLDER.iterdir() if f.is_dir() and f.name != "__pycache__")


def functions(place: str, folder: Path) -> set[str]:
    """Names of the functions of a module in a folder, without loading it."""
    path = folder / (place.replace(".", "/") + ".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize(
    "table, folder", [(validation.CASES, FOLDER), (shipped_models.MODELS, LIBRARY)], ids=["cases", "models"]
)
def test_what_a_table_names_is_there(table, folder):
    split = {name: place.split(":") for name, place in table.items()}
    assert [n for n, (place, function) in split.items() if function not in functions(place, folder)] == []


def test_every_mechanism_is_built_by_its_module():
    assert [n for n, place in shipped_models.MECHANISMS.items() if "build" not in functions(place, LIBRARY)] == []


def test_every_bench_is_in_the_table():
    tree = ast.parse((BENCH / "run.py").read_text(encoding="utf-8"))
    (table,) = (n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "BENCHES")
    found = {path.stem for path in BENCH.glob("*.py")} - {"run", "timing"}
    assert {name.replace("-", "_") for name in ast.literal_eval(table)} == found
    assert [name for name in found if "measure" not in functions(name, BENCH)] == []


def test_every_reference_is_in_the_table():
    found = {folder.name for folder in FOLDERS if (folder / "references.py").exists()}
    assert {place.split(".")[0] for place in validation.CASES.values()} == found


def test_scenarios_have_names_of_their_own_and_a_known_kind():
    assert len(scenarios.shipped()) >= 28
    kinds = {name: parse.read_toml(path)["kind"] for name, path in scenarios.shipped().items()}
    assert {n: k for n, k in kinds.items() if k not in scenarios.kinds()} == {}


def test_an_unknown_case_is_refused_with_the_names_of_all():
    with pytest.raises(FileError, match=r"is not a validation case. Cases: .*iftomm-a01"):
        validation.run("no-such-case")


def test_a_check_is_right_inside_its_bounds():
    """A value outside its bounds is not ok, and neither is NaN."""
    assert near("x", 1.1, 1.0, "", "", rel=0.05, by=PRINT).ok is False
    assert near("x", 1.04, 1.0, "", "", rel=0.05, by=PRINT).ok is True
    assert below("x", float("nan"), 1.0, "", "", by=CLOSED_FORM).ok is False
    assert at_least("x", 0.9, 1.0, "", "", by=BEFORE).ok is False
    assert at_least("x", 1.1, 1.0, "", "", by=BEFORE).ok is True
    assert at_most("x", -3.0, 0.0, "", "", by=BEFORE).ok is True
    assert at_most("x", 0.1, 0.0, "", "", by=BEFORE).ok is False
    assert between("x", 1.1, (1.0, 1.2), "", "", by=PRINT).ok is True
    assert between("x", 1.3, (1.0, 1.2), "", "", by=PRINT).ok is False


def test_without_bounds_or_with_late_ones_a_quantity_is_only_listed():
    """Neither right nor wrong, unless it is no number."""
    assert listed("x", 1.1, 1.0, "", "").ok is None
    assert listed("x", float("inf"), 1.0, "", "").ok is False
    assert near("x", 1.0, 1.0, "", "", by=AFTER).ok is near("x", 2.0, 1.0, "", "", by=AFTER).ok is None
    told = json.loads(json.dumps(as_json([listed("x", 1.1, None, "", ""), near("y", 1.0, 1.0, "", "", by=AFTER)])))
    assert told["x"]["ok"] is told["y"]["ok"] is told["x"]["bound_by"] is None
    assert told["y"]["bound_by"] == "after seeing results"


def test_two_rows_of_one_name_are_refused():
    """The second would hide the first, which may have failed."""
    with pytest.raises(ModelError, match="two rows of a validation case have the name 'x'"):
        as_json([below("x", 2.0, 1.0, "", "", by=BEFORE), below("x", 0.5, 1.0, "", "", by=BEFORE)])


def test_a_row_that_vanishes_or_is_no_longer_judged_is_noticed():
    rows = [below("x", 0.5, 1.0, "", "", by=BEFORE), listed("y", 1.0, None, "", "")]
    assert check_row_count(rows, 1, 1) == rows
    for wrong in (rows[:1], rows[1:], [listed("x", 0.5, None, "", ""), rows[1]]):
        assert False in [row.ok for row in check_row_count(wrong, 1, 1)]


def test_every_case_has_its_rows_pinned():
    assert set(ROWS) == set(validation.names())
    assert {case: len(rows) for case, rows in pins.pins().items()} == {c: n for c, (_, n) in ROWS.items() if n}
    assert set(pins.WIDER_TOLERANCES) <= set(pins.pins())
    assert all(judged + listed > 0 <= min(judged, listed) for judged, listed in ROWS.values())


def kept(value, *, unit="N", **row):
    """What becomes of one listed row that is pinned at 40, in a case without wider tolerances."""
    check = near("σ", value, row.pop("reference", 41.0), unit, "", rel=0.5, by=AFTER)
    return pins.check_pins("a case", [check], {"σ": row.pop("pin", 40.0)})


def test_a_listed_row_that_drifts_is_noticed_and_stays_listed():
    """One part in ten thousand, or 0.1 mN; then it fails with both values and what to do."""
    assert [row.ok for row in kept(40.003)] == [None]
    listed_row, failed = kept(40.01)
    assert listed_row.ok is None
    assert failed.ok is False
    assert failed.quantity == (
        "listed row 'σ' changed from 40 to 40.01 N: "
        "update the pin if intended (python -m panhead.validation.pins a case)"
    )
    assert [row.ok for row in kept(float("nan"))] == [False, False]


def test_an_error_among_listed_rows_may_be_smaller_but_not_ten_times_larger():
    """Its own late bound, if it has one, counts instead: 0.5 · |0| here."""
    for value, ok in ((1e-6, [None]), (0.0, [None]), (9e-6, [None]), (1.1e-5, [None, False])):
        assert [row.ok for row in kept(value, pin=1e-6, reference=0.0)] == ok


def test_a_listed_row_that_is_new_or_gone_is_noticed():
    new, gone = (
        pins.check_pins("a case", [listed("x", 1.0, None, "", "")], {}),
        pins.check_pins("a case", [], {"x": 1.0}),
    )
    assert [row.ok for row in new] == [None, False]
    assert [row.ok for row in gone] == [False]
    assert "'x' is not pinned" in new[1].quantity
    assert "'x' is gone" in gone[0].quantity
    judged = [near("x", 3.0, 1.0, "", "", by=BEFORE)]
    assert pins.check_pins("a case", judged, {}) == judged


def test_pins_are_written_anew_for_the_cases_that_are_given(tmp_path, monkeypatch):
    monkeypatch.setattr(pins, "FILE", tmp_path / "pins.toml")
    table = as_json([listed("σ, „as it was“", 1.0 / 3.0, None, "N", ""), below("y", 0.1, 1.0, "", "", by=BEFORE)])
    (tmp_path / "v.json").write_text(json.dumps({"variator": table, "chain": table}))
    pins.main(["--read", str(tmp_path / "v.json")])
    assert pins.pins() == {case: {"σ, „as it was“": 0.3333333333} for case in ("variator", "chain")}
    monkeypatch.setattr(validation, "run", lambda name: [listed(name, 2.0, None, "", "")])
    pins.main(["two-link-robot"])
    assert list(pins.pins()) == ["variator", "two-link-robot", "chain"]  # in the order of the cases
    assert pins.pins()["two-link-robot"] == {"two-link-robot": 2.0}


def test_the_largest_of_errors_is_no_number_if_one_is_none():
    """Python's ``max`` drops NaN unless it comes first."""
    assert np.isnan(largest([1.0, float("nan"), 0.5]))
    assert np.isnan(largest([]))
    assert largest([1.0, 3.0]) == 3.0


def test_bounds_that_numpy_computed_are_told_like_any_others():
    told = as_json([near("x", 1.0, np.float64(1.0), "", "", by=INDEPENDENT)])
    assert json.loads(json.dumps(told))["x"]["ok"] is True


@pytest.mark.parametrize(
    "case", ["double-pendulum", "planar-pantograph", "iftomm-a01", "iftomm-a02", "line-statics", "vehicle-statics"]
)
def test_cheap_cases(case):
    ((_, table),) = validation.tables([case])
    assert [name for name, check in table.items() if check["ok"] is False] == []
    assert json.loads(json.dumps(table)) == table


def test_every_bounded_row_says_who_set_its_bound():
    """By a word at the call: a bound without one would not even be built."""
    with pytest.raises(TypeError, match="by"):
        near("x", 1.0, 1.0, "", "")
    assert {b.value for b in BoundBy} == {
        "print", "closed form", "independent computation", "choice before the run", "after seeing results"
    }  # fmt: skip


def test_what_is_varied_of_the_reference_model():
    """One change at a time from the shipped run, within the line it runs under."""
    shipped, *others = spread_variants()
    run = scenarios.read("en50318-250").description
    for variant in others:
        changed = [f.name for f in dataclasses.fields(variant) if getattr(variant, f.name) != getattr(shipped, f.name)]
        assert len(changed) == 3 + 1 * (variant.group == "settled"), changed  # group, words and the change itself
        journey = variant.run(run).journey
        assert journey.judged_to < journey.stop <= 60.0 * variant.line_spans
    assert {v.group for v in others} == {"pre-sag", "start", "ramp", "judged spans", "mesh and step", "settled"}


def test_a_line_of_ten_spans_has_ten() -> None:
    shipped = scenarios.read("en50318-300").description
    for variant in spread_variants():
        assert Layout(variant.run(shipped).line).n_spans == variant.line_spans


def test_inside_all_ranges():
    middle = {key: sum(r[1]) / 2 for key, (_, _, r) in EN50318.items()}
    assert inside(middle, 1)
    assert not inside(middle | {"deviation": 40.1}, 1)


def test_long_cases_are_cases():
    """They are begun first when several are computed at once; a name that is gone would do nothing."""
    assert set(validation.names()) > set(validation.SLOW_CASES)
