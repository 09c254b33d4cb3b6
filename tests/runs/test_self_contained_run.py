"""A result holds everything it was computed from: it is run again where none of its files are."""

import json

import numpy as np
import pytest

from panhead.errors import FileError
from panhead.files import parse, results
from panhead.railway.line import read_line
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs import scenarios
from panhead.runs.resolve import resolve_line
from panhead.runs.self_contained_run import run_with_contents

RUN = """
kind = "run"
line = "mine.toml"
speed = "200 km/h"
standard = "strict.toml"
train = [{ pantograph = "parts/chain.toml", changes = { static_force = "80 N" } }]
journey = { stop = "300 m", ramp = "0.5 s", run_in = "20 m", judged_from = "180 m", judged_to = "240 m" }
"""
LIMITS = """
name = "strict"
about = "none"
includes = ["parts/loss.toml"]
limit = [{ quantity = "mean_force", bound = "upper", value = "77 N", clause = "1", status = "quoted" }]
"""
LOSS = """
name = "loss"
about = "none"
limit = [{ quantity = "contact_loss", bound = "upper", value = 0.5, clause = "1", status = "quoted" }]
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A run in a folder of its own with its line, pantograph and limits beside it; we stand elsewhere."""
    place, elsewhere = tmp_path / "own", tmp_path / "elsewhere"
    (place / "parts").mkdir(parents=True)
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    line = parse.to_plain(read_line("en50318-2002"))
    line["tension_lengths"] = [{"spans": [dict(line["tension_lengths"][0]["spans"][0], count=6)]}]
    (place / "mine.toml").write_text(parse.write_toml(line))
    (place / "parts" / "chain.toml").write_text(parse.write_toml(read_pantograph("en50318-2002")))
    (place / "strict.toml").write_text(LIMITS)
    (place / "parts" / "loss.toml").write_text(LOSS)
    (place / "run.toml").write_text(RUN)
    return place


def test_a_result_is_run_again_without_its_files(own, tmp_path):
    """Line, pantograph, limits and what they include lie beside the file; with 26 kN the hash is another one."""
    first = scenarios.read(str(own / "run.toml")).simulate()
    path = results.save(first, tmp_path / "result.nc")
    limits = json.loads(first.attrs["criteria"])[""]["EN 50318:2002 reference pantograph"]
    assert {c["limit"] for c in limits if c["key"] in ("mean_force", "contact_loss")} == {77.0, 0.5}
    mine = (own / "mine.toml").read_text()
    (own / "mine.toml").write_text(mine.replace("tension = 20000.0", "tension = 26000.0", 1))
    other = scenarios.read(str(own / "run.toml"))
    assert results.input_hash(other.with_contents().inputs()) != first.attrs["input_sha256"]
    for file in own.rglob("*.toml"):
        file.unlink()
    again = scenarios.read(str(path)).simulate()
    np.testing.assert_array_equal(again["contact_force"], first["contact_force"])
    assert again.attrs["input_sha256"] == first.attrs["input_sha256"]
    assert again.attrs["criteria"] == first.attrs["criteria"]
    assert str(own) not in first.attrs["inputs"]


def test_a_missing_file_is_looked_for_beside_the_one_that_names_it(own):
    (own / "mine.toml").unlink()
    with pytest.raises(FileError, match=str(own / "mine.toml")):
        scenarios.read(str(own / "run.toml")).with_contents()


def test_a_variant_takes_its_own_line_whole_and_keeps_the_changes_of_the_run():
    """A line named in a variant replaces the run's, none of whose optional keys may show through."""
    scenario = scenarios.read(
        "en50318-300",
        changes={
            "line_changes": {"contact_height": "5.5 m"},
            "variants": [{"name": "other", "changes": {"line": "twin-3kv"}}, {"name": "same"}],
        },
    )
    plain = json.loads(json.dumps(parse.to_plain(run_with_contents(scenario.description))))
    stored = parse.build(type(scenario.description), plain, source="a result")
    for run in (scenario.description, stored):
        other, same = (resolve_line(run.variant(v)) for v in run.variants)
        assert other == parse.build(
            type(other), parse.to_plain(read_line("twin-3kv")) | {"contact_height": 5.5}, source="twin"
        )
        assert (same.name, same.contact_height) == (read_line("en50318-2002").name, 5.5)


@pytest.mark.parametrize("name", ["s4-cx", "s1-train", "vehicle-curve", "cx-modes", "two-pantographs"])
def test_what_is_stored_gives_the_same_again(name):
    """Linkages, vehicles, profiles, spectra: read once, written down, read again."""
    whole = scenarios.read(name).with_contents()
    text = json.dumps(whole.inputs(), sort_keys=True)
    again = scenarios.from_plain(json.loads(text), source="result").with_contents()
    assert json.dumps(again.inputs(), sort_keys=True) == text
    assert again.description == whole.description


def test_changes_of_rows_and_of_choices_reach_a_linkage_read_before():
    """Of a linkage given by itself they do what they do to one that is named."""
    from panhead.railway.pantograph.pantograph_files import resolve_pantograph

    changes = {"flexible": "top arm", "bodies": {"1": {"mass": 31.0}}}
    assert resolve_pantograph(read_pantograph("cx"), changes) == resolve_pantograph("cx", changes)


def test_a_setting_merges_deeply():
    run = scenarios.read("en50318-300", ['line_changes.wires.contact.tension="22 kN"']).description
    line, shipped = resolve_line(run), read_line("en50318-2002")
    assert line.wires.contact.tension == 22e3
    assert line.wires.contact.mass_per_length == shipped.wires.contact.mass_per_length
    assert line.wires.messenger == shipped.wires.messenger
