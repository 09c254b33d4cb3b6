"""Limits as data: standing of every number, completeness, comparison, gaps named in a verdict."""

import numpy as np
import pytest
import xarray as xr

from panhead.assess import judge, limits, verdict_sentence
from panhead.assess.criteria import DEFAULT_EDITION
from panhead.assess.limits_overview import comparison_rows, core_gaps, limit_rows
from panhead.errors import FileError


def result(edition: str, supply: str = "25 kV AC") -> xr.Dataset:
    """A steady force of 100 N with a little ripple, 4 s at 300 km/h."""
    t = np.arange(0.0, 4.0, 1e-3)
    force = 100.0 + 5.0 * np.sin(2.0 * np.pi * t)
    return xr.Dataset(
        {"contact_force": (("time", "pantograph"), force[:, None])},
        {"time": t, "pantograph": ["p"]},
        {"speed": 300 / 3.6, "supply": supply, "edition": edition},
    )


def test_the_default_is_the_newest_complete_edition():
    tables = {name: limits.read(name) for name in limits.editions()}
    complete = [(t.year or 0, name) for name, t in tables.items() if t.region == "Europe" and not core_gaps(t)]
    assert max(complete)[1] == DEFAULT_EDITION
    assert core_gaps(limits.read(DEFAULT_EDITION)) == []
    assert "deviation ratio" in core_gaps(limits.read("en50367-2020"))  # of every supply: said once
    assert "mean force (3 kV DC, 1.5 kV DC)" in core_gaps(limits.read("cn-tbt3271"))


@pytest.mark.parametrize("name", limits.editions())
def test_every_shipped_limit_shows_its_standing(name):
    rows = list(limit_rows(limits.read(name)))
    assert rows
    assert {row.standing for row in rows} <= {*limits.STANDINGS, "missing"}
    assert all(row.clause for row in rows)


@pytest.mark.parametrize("edition", ["es-ife-2023", "en50119-2009", "en50367-2012"])
def test_the_maximum_steps_at_200_and_320_kmh(edition):
    """Of 25 kV: 300, 350 and 400 N; a speed on the step belongs to the range below."""
    table = limits.read(edition)
    found = {v: table.find("statistical_max", "upper", v / 3.6, "25 kV AC").value for v in (200, 201, 320, 321)}
    assert found == {200: 300.0, 201: 350.0, 320: 350.0, 321: 400.0}


def test_gradients_of_the_spanish_instruction_are_halved_for_their_change():
    table = limits.read("es-ife-2023")
    for v in (40, 55, 90, 110, 150, 190, 240, 300):
        slope, change = (
            table.find(q, "upper", v / 3.6, "25 kV AC").value for q in ("wire_gradient", "gradient_change")
        )
        assert change == pytest.approx(0.5 * slope)


def test_survey_limits_are_chosen_by_the_nominal_height():
    table = limits.read("no-trv")
    assert table.survey_limit("contact_height", 5.1).maintenance == (5.07, 5.13)
    assert table.survey_limit("contact_height", 5.6).of == "S20 and others"
    assert limits.read("en50367-2012").survey_limit("stagger", 5.1) is None


def test_a_survey_range_must_lie_inside_the_critical_one(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'name = "x"\nabout = ""\n[[survey]]\nof = "a"\nquantity = "stagger"\nmaintenance = [-0.5, 0.5]\n'
        'critical = [-0.4, 0.4]\nclause = "1"\nstatus = "law"\n'
    )
    with pytest.raises(FileError, match="must contain the maintenance range"):
        limits.read(str(file))


def test_editions_are_compared_with_what_is_missing():
    tables = [limits.read(name) for name in ("en50367-2012", "en50367-2020", "cn-tbt3271")]
    rows = {row[0]: row[1:] for row in comparison_rows(tables, 300 / 3.6, "25 kV AC") if "≤" in row[1]}
    assert rows["mean force"] == ("≤ 157.3 N (quoted)", "missing", "≤ 157.3 N (transcribed)")


def test_gaps_of_a_completed_file_are_named_in_the_verdict(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'name = "EN 50367:2020"\nabout = "completed"\nincludes = ["en50367-2020"]\n'
        + "".join(
            f'[[limit]]\nquantity = "{q}"\nbound = "{b}"\nvalue = {v}\nclause = "EN 50367:2020"\nstatus = "quoted"\n'
            for q, b, v in (
                ("mean_force", "upper", '"160 N"'), ("mean_force", "lower", '"90 N"'),
                ("deviation_ratio", "upper", 0.3), ("actual_max", "upper", '"350 N"'),
            )
        )
    )  # fmt: skip
    said = verdict_sentence(judge(result(str(file))))
    assert said.startswith("Contact quality complies with EN 50367:2020")
    missing = "the file of limits has no number for it: upper limit of arcing (EN 50367:2020)"
    assert f"Not assessed, because {missing}" in said
    assert "upper limit of mean force" not in said  # it was completed
    assert "Not judged" not in verdict_sentence(judge(result("en50367-2012")))
    assert "lower limit of mean force" in verdict_sentence(judge(result("en50367-2012", "3 kV DC")))
