"""What a design may ask: names, bounds and ties; what it may not is refused with what exists."""

import pytest

from panhead.errors import ModelError
from panhead.explore.designs.problem import numbers_wanted, objective_terms
from panhead.explore.designs.run_design import read
from panhead.files import library

from .trial import DROPPERS, SHORT, asked


@pytest.mark.parametrize(
    ("tie", "count"),
    [([], 20), (["spans alike"], 5), (["spans alike", "symmetric"], 3), (["symmetric"], 12), (["all alike"], 1)],
)
def test_ties_share_a_variable(tie, count):
    """Four spans of five droppers."""
    found = asked([DROPPERS | {"tie": tie}])
    assert len(found.variables) == count
    assert sum(len(v.names) for v in found.variables) == 20


def test_a_pattern_chooses():
    found = asked([DROPPERS | {"names": "T, span 2, dropper [12]", "tie": []}])
    assert [v.title for v in found.variables] == ["T, span 2, dropper 1", "T, span 2, dropper 2"]


def test_a_tied_variable_is_named_by_what_its_names_share():
    assert asked().variables[2].title == "T, span 1–4, dropper 3"


def test_values_become_bounds_of_the_change():
    change = {"parameter": "pantograph.stiffness", "names": "*stage 1", "between": ["4 kN/m", "9 kN/m"]}
    (v,) = asked([change]).variables
    assert (v.low, v.high) == pytest.approx((-200.0, 4800.0))  # 4200 N/m now


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"change": [DROPPERS | {"parameter": "dropper.lenght"}]}, r"did you mean 'dropper.length'\? Known: dropper"),
        ({"change": [DROPPERS | {"parameter": "wire.bending"}]}, "has a gradient, but no input"),
        ({"change": [DROPPERS | {"names": "T9*"}]}, "matches no parameter. Available: T, span 1, dropper 1; .* 8 more"),
        ({"change": [DROPPERS | {"by": ["10 mm", "-10 mm"]}]}, "is above upper bound"),
        ({"change": [DROPPERS | {"by": ["0 mm", "0 mm"]}]}, "leave no room for a change"),
        ({"change": [DROPPERS | {"by": ["5 mm", "9 mm"]}]}, "excludes the current value"),
        ({"change": [DROPPERS | {"by": ["-1 kN", "1 kN"]}]}, "not a quantity in m"),
        ({"change": [DROPPERS, DROPPERS]}, "is in two changes"),
        ({"change": []}, "no parameter may change; give at least one change"),
        ({"change": [{"parameter": "pantograph.mass", "by": [-1, 1], "tie": ["symmetric"]}]}, "applies to droppers"),
        ({"want": [{"of": "arcing"}]}, "'arcing' is not an objective; Known: mean_force, deviation"),
        ({"want": [{"of": "deviation", "no_worse": True}]}, "there is no objective"),
        ({"want": [{"of": "deviation", "at_most": "3 mm", "weight": 1.0}]}, "not a quantity in N"),
        ({"runs": [{"run": "en50318-300", "changes": {"train": {"0": {"mean_force": 120.0}}}}]}, "sets mean_force"),
        ({"runs": [{"run": "en50318-300", "changes": {"solver": "cables"}}]}, "solver"),
        ({"runs": [{"run": "s1-low-uplift"}]}, "without variants"),
        ({"method": "l-bfgs-b", "standard": True}, "does not support limits"),
    ],
)  # fmt: skip
def test_bad_requests_are_refused_with_what_exists(given, words):
    with pytest.raises(ModelError, match=words):
        _with_numbers(asked(**given))


def _with_numbers(problem):
    objective_terms(problem, {key: 1.0 for key in numbers_wanted(problem)}, [])


def test_a_wish_for_a_run_that_is_not_there():
    problem = asked(want=[{"of": "deviation", "runs": "slow*"}])
    with pytest.raises(ModelError, match=r"no run is called 'slow\*'; Known: fast"):
        numbers_wanted(problem)


def test_lines_that_differ_cannot_change_together():
    runs = [{"run": "en50318-300", "name": "a", "changes": SHORT}, {"run": "en50318-300", "name": "b"}]
    with pytest.raises(ModelError, match="different line"):
        asked(runs=runs)


def test_in_weather_only_lengths_of_droppers_change():
    runs = [{"run": "en50318-300", "name": "a", "changes": SHORT | {"conditions": {"temperature": "0 °C"}}}]
    with pytest.raises(ModelError, match=r"wire\.tension changes, but 'a' has conditions"):
        asked(runs=runs, change=[{"parameter": "wire.tension", "by": ["-1 kN", "1 kN"]}])


@pytest.mark.parametrize("name", library.shipped("designs"))
def test_shipped_designs_can_be_read(name):
    problem = read(name)
    assert problem.variables
    assert numbers_wanted(problem)


def test_an_unknown_design_names_the_shipped_ones():
    with pytest.raises(ModelError, match="en50318-droppers"):
        read("en50318-dropper")


def test_a_design_does_not_write_over_a_line_that_no_design_has_written(tmp_path):
    """``panhead design mine.toml --out .`` wrote line.toml, perhaps the very line that it read."""
    from panhead.errors import FileError
    from panhead.explore.designs.design_files import check_free

    (tmp_path / "line.toml").write_text("# Kestrel: found by panhead design better.\n")
    check_free(tmp_path)
    (tmp_path / "pantograph-mine.toml").write_text('name = "mine"\n')
    with pytest.raises(FileError, match=r"pantograph-mine.toml\n  already exists and was not written by a design"):
        check_free(tmp_path)
