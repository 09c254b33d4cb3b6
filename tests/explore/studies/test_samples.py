"""Samples as files: computed once, the same whoever computes them, kept when they fail."""

from dataclasses import replace

import numpy as np
import pytest

from panhead.assess import judgement
from panhead.desk.drawing import figures
from panhead.desk.reports.page import Picture
from panhead.desk.reports.render import html
from panhead.errors import FileError, ModelError, PanheadError
from panhead.explore.studies.distributions import Distribution
from panhead.explore.studies.run_study import conduct, prepare, samples_of
from panhead.explore.studies.sample_plan import Plan, read
from panhead.explore.studies.sample_worker import InProcess, path_of
from panhead.explore.studies.scatter import AsBuilt
from panhead.explore.studies.study_description import Scatter, Study
from panhead.explore.studies.study_page import page
from panhead.files import parse
from panhead.railway.line import read_line, string
from panhead.railway.line.line_variants import with_cut_lengths, with_dropper_errors
from panhead.runs import scenarios
from panhead.runs.simulate import simulate

SHORT = {  # five spans, coarse: a tenth of a second a run
    "line_changes": {"tension_lengths": [{"spans": [{"length": 50.0, "count": 5, "dropper_count": 6}]}]},
    "numerics": {"step": 2e-3},
    "journey": {"judged_from": 100.0, "judged_to": 150.0, "stop": 160.0, "ramp": 0.4},
    "speed": 60.0,
}
LAW = {"kind": "normal", "mean": "0 mm", "deviation": "5 mm"}


def planned(**given) -> Plan:
    raw = {"base": "en50318-300", "changes": SHORT} | given
    return Plan.of("trial", parse.build(Study, raw, source="trial"))


@pytest.fixture(scope="module")
def tolerance(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tolerance")
    plan = planned(
        form="tolerance", samples=4, scatter=[{"of": "dropper length", "distribution": LAW}],
        vary=[{"input": "train.0.changes.static_force", "distribution": LAW | {"mean": "120 N", "deviation": "3 N"}}],
    )  # fmt: skip
    return plan, folder, conduct(plan, folder, InProcess())


def test_every_sample_is_a_file_and_the_index_holds_them(tolerance):
    _plan, folder, index = tolerance
    assert len(list((folder / "samples").glob("*.nc"))) == 4
    assert dict(index.sizes)["sample"] == 4
    assert "met" in str(index["verdict"].to_numpy())
    rows = (folder / "index.csv").read_text().splitlines()
    assert len(rows) == 5
    assert rows[0].startswith(
        "sample,train.0.changes.static_force,pantograph,verdict,contact quality,setting,mean_force (N)"
    )


def test_the_lift_of_a_sample_reaches_its_force(tolerance):
    """Beside the plain run of the same droppers with 120 N: 1/(1 + k e) of what the lift differs.

    The frame's spring of 50 N/m gives way by the line's elasticity of some 0.5 mm/N: 0.975; 0.03 for one span.
    """
    plan, _folder, index = tolerance
    force = index["value"].sel(criterion="mean_force").to_numpy()[:, 0]
    more, lifted = [], index["number"].to_numpy()[:, 0] - 120.0
    for sample, found in zip(plan.samples(), force, strict=True):
        run = plan.run_of(sample)
        (pantograph,) = run.train
        level = replace(run, train=(replace(pantograph, changes={**pantograph.changes, "static_force": 120.0}),))
        (criteria,) = judgement(simulate(level))[""].values()
        more.append(found - next(c.value for c in criteria if c.key == "mean_force"))
    assert np.ptp(lifted) > 3.0
    np.testing.assert_allclose(more, 0.975 * lifted, atol=0.03 * np.abs(lifted).max())


def test_resuming_is_knowing_which_files_exist(tolerance):
    plan, folder, index = tolerance
    again = Plan.read_stored(folder)
    key = plan.key(plan.samples()[2])
    path = path_of(folder, key)
    before = {p.name: p.stat().st_mtime_ns for p in (folder / "samples").iterdir()}
    old = path.read_bytes()
    path.unlink()
    found = conduct(again, folder, InProcess())
    after = {p.name: p.stat().st_mtime_ns for p in (folder / "samples").iterdir()}
    assert {n for n in before if before[n] != after[n]} == {path.name}
    assert found["value"].equals(index["value"])  # the same bits
    assert len(path.read_bytes()) == len(old)


def test_a_handful_that_is_lost_costs_what_was_not_written_yet(tmp_path, monkeypatch):
    """Lines with tensions of their own go four at a time: the first four stay, only the rest is done again."""
    from panhead.runs.linear import run_lanes

    pulls = {"of": "contact tension", "distribution": LAW | {"mean": 0.0, "deviation": "0.3 kN"}}
    plan, advance, calls = planned(form="tolerance", samples=6, scatter=[pulls]), run_lanes.advance, []

    def lost_in_the_second(group):
        calls.append(len(group))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return advance(group)

    monkeypatch.setattr(run_lanes, "advance", lost_in_the_second)
    with pytest.raises(KeyboardInterrupt):
        conduct(plan, tmp_path, InProcess())
    assert len(list((tmp_path / "samples").glob("*.nc"))) == 4
    conduct(plan, tmp_path, InProcess())
    assert calls == [4, 2, 2]


def test_a_sample_can_be_run_again_in_full(tolerance):
    """The full run of a sample gives the number the study has for it, but for the rounding of another order of sums."""
    from panhead.assess import judgement
    from panhead.runs.simulate import simulate

    plan, _, index = tolerance
    result = simulate(plan.run_of(plan.samples()[1]))
    criteria = next(iter(next(iter(judgement(result).values())).values()))
    sigma = next(c.value for c in criteria if c.key == "deviation")
    assert sigma == pytest.approx(float(index["value"].sel(criterion="deviation").to_numpy()[1, 0]), abs=1e-9)


def test_the_page_tells_its_answer_with_units(tolerance):
    _, _, index = tolerance
    made = page(index, "folder")
    for section in made.sections:
        for block in section.blocks:
            if isinstance(block, Picture):
                labels = [p for p in figures.without_unit(block.chart) if p != "(1)"]
                assert labels == [], block.name
    text = html(made)
    assert "of 4 samples miss a limit of contact quality" in text
    names = {b.name for section in made.sections for b in section.blocks if isinstance(b, Picture)}
    assert "force_by_span" in names
    missed = bool((index["quality"] == "not met").any())
    assert ({"convergence", "spans"} <= names) is missed  # else they show nothing but an interval
    assert "panhead study rerun folder" in text
    (worst,) = next(section.blocks for section in made.sections if section.heading == "Worst samples")
    assert len(worst.headings) == 4 + min(index.sizes["varied"], 3)  # a number alone names no run
    assert worst.rows[0][1] == str(index["input"].to_numpy()[int(worst.rows[0][0]), 0])


def test_a_failed_sample_is_kept_with_its_reason(tmp_path):
    plan = planned(form="compare", vary=[{"input": "speed", "values": [60.0, "900 km/h"]}])
    index = conduct(plan, tmp_path, InProcess())
    assert list(index["verdict"].to_numpy())[1] == "failed"
    assert "wave speed in the contact wire" in str(index["message"].to_numpy()[1])
    made = page(index)
    assert made.verdict.mood == "bad"
    assert "50 % of the samples failed" in made.verdict.sentence
    assert "wave speed in the contact wire" in html(made)


def test_a_study_of_nothing_that_can_be_is_refused_before_it_begins(tmp_path):
    plan = planned(form="compare", vary=[{"input": "sped", "values": [60.0]}])
    with pytest.raises(PanheadError, match="sped"):
        conduct(plan, tmp_path, InProcess())
    assert not (tmp_path / "samples").exists()
    with pytest.raises(ModelError, match="use a run under a line"):
        Plan.of("trial", Study(base="double-pendulum", vary=planned(
            form="compare", vary=[{"input": "speed", "values": [1.0]}]).study.vary))  # fmt: skip


def test_a_study_goes_into_no_file(tmp_path):
    (tmp_path / "taken").write_text("")
    with pytest.raises(FileError, match="is not writable: is a file; choose another --out"):
        prepare(read("speed-curve"), tmp_path / "taken")


def test_other_studies_in_the_same_folder_do_not_mix(tolerance, tmp_path):
    plan = planned(form="compare", vary=[{"input": "speed", "values": [55.0, 60.0]}])
    conduct(plan, tmp_path, InProcess())
    other = planned(form="compare", vary=[{"input": "speed", "values": [60.0, 62.0]}])
    index = conduct(other, tmp_path, InProcess())
    assert index["number"].to_numpy()[:, 0].tolist() == [60.0, 62.0]
    assert len(list((tmp_path / "samples").glob("*.nc"))) == 3  # 60 m/s was there already
    assert len(samples_of(Plan.read_stored(tmp_path), tmp_path)) == 2


def test_names_follow_every_input():
    plan = planned(form="compare", vary=[{"input": "speed", "values": [60.0]}])
    other = replace(plan, base=dict(plan.base) | {"lateral": True})
    sample = plan.samples()[0]
    assert plan.key(sample) != other.key(sample)
    assert plan.key(sample) == Plan(plan.name, plan.study, dict(reversed(plan.base.items()))).key(sample)


@pytest.mark.parametrize("deviation", [0.0, 5e-3])
def test_a_line_of_cut_lengths_hangs_as_drawn(deviation):
    """Strung by the lengths cut for it, errors in them once, the line is the same: to the tolerance of stringing."""
    line = with_dropper_errors(read_line("en50318-2002"), deviation=deviation, seed=3)
    drawn, cut = string(line), string(with_cut_lengths(line))
    for a, b in zip(drawn.layout.pieces, cut.layout.pieces, strict=True):
        for one, two in zip(drawn.spans(a), cut.spans(b), strict=True):
            assert two.tension == pytest.approx(one.tension, abs=1e-4)
            assert two.shape["contact"][:, 0] == pytest.approx(one.shape["contact"][:, 0], abs=1e-8)


def test_errors_of_length_are_those_of_the_line():
    """The same errors by another road: a list of dropper errors on the line of heights."""
    line = read_line("en50318-2002")
    known = with_dropper_errors(line, deviation=5e-3, seed=3)
    scatter = Scatter(of="dropper length", distribution=Distribution(mean=0.0, deviation=5e-3))
    built = AsBuilt.of(line, [scatter], 1.0)
    rng = np.random.default_rng(3)
    from scipy.stats import norm

    errors = rng.normal(0.0, 5e-3, built.dimension)
    mine = string(built.line(norm.cdf(errors / 5e-3)))
    theirs = string(known)
    for a, b in zip(mine.layout.pieces, theirs.layout.pieces, strict=True):
        for one, two in zip(mine.spans(a), theirs.spans(b), strict=True):
            assert one.tension == pytest.approx(two.tension, abs=1e-4)


def test_masts_and_tensions_scatter_where_they_stand():
    line = read_line("en50318-2002")
    law = Distribution(kind="uniform", low="5 mm", high="5.0001 mm")
    pull = Distribution(kind="uniform", low="1 kN", high="1.0001 kN")
    parts = [Scatter(of="contact height", distribution=law), Scatter(of="stagger", distribution=law),
             Scatter(of="contact tension", distribution=pull)]  # fmt: skip
    built = AsBuilt.of(line, parts, 1.0)
    made = built.line(np.full(built.dimension, 0.5))
    assert all(m.contact_height == pytest.approx(5.085, abs=1e-3) for m in made.tension_lengths[0].masts)
    assert made.tension_lengths[0].wires.contact.tension == pytest.approx(line.wires.contact.tension + 1e3, rel=1e-4)
    lifted = string(made).spans(string(made).layout.pieces[0])[0].shape["contact"][0, 0]
    assert lifted == pytest.approx(
        string(line).spans(string(line).layout.pieces[0])[0].shape["contact"][0, 0] + 5e-3, abs=1e-6
    )


@pytest.mark.slow
def test_workers_give_the_same_bits(tmp_path):
    from panhead.explore.studies.sample_worker import local_workers

    plan = planned(form="compare", vary=[{"input": "speed", "values": [50.0, 55.0, 60.0, 65.0]}])
    alone = conduct(plan, tmp_path / "one", InProcess())
    with local_workers(2) as crew:
        both = conduct(plan, tmp_path / "two", crew)
    assert both["value"].equals(alone["value"])


def test_a_range_without_length_is_refused():
    with pytest.raises(PanheadError, match="give different values"):
        planned(vary=[{"input": "speed", "first": "60 m/s", "last": "60 m/s"}])


def test_a_scatter_that_pulls_no_wire_is_refused_before_anything_is_computed(tmp_path):
    wide = {"of": "contact tension", "distribution": LAW | {"mean": 0.0, "deviation": "30 kN"}}
    plan = planned(form="tolerance", samples=8, scatter=[wide])
    with pytest.raises(ModelError, match=r"contact tension.*of 8 samples the wire would be slack.*truncated"):
        conduct(plan, tmp_path, InProcess())
    assert not (tmp_path / "samples").exists()


def test_the_file_of_a_sample_is_netcdf_that_xarray_reads(tolerance):
    import xarray as xr

    plan, folder, index = tolerance
    with xr.open_dataset(path_of(folder, plan.key(plan.samples()[1])), engine="scipy") as one:
        assert np.array_equal(one["value"].to_numpy(), index["value"].to_numpy()[1])
        assert one.attrs["sample"] == "1"


def test_a_damaged_sample_is_told(tolerance, tmp_path):
    from panhead.explore.studies.sample_file import load

    plan, folder, _ = tolerance
    whole = path_of(folder, plan.key(plan.samples()[1])).read_bytes()
    other = whole[:-9] + bytes([whole[-9] ^ 1]) + whole[-8:]  # a bit of a number
    for k, content in enumerate((b"", whole[:100], whole[: len(whole) // 2], other, b"not netCDF at all")):
        path = tmp_path / f"{k}.nc"
        path.write_bytes(content)
        with pytest.raises(FileError, match="cannot be read"):
            load(path)


def test_a_name_that_no_part_knows_is_refused_before_anything_is_computed(tmp_path):
    """Also one that is read late, inside the changes of a pantograph; a value that only some samples have is not."""
    plan = planned(form="compare", vary=[{"input": "train.0.changes.static_forse", "values": ["110 N", "120 N"]}])
    with pytest.raises(PanheadError, match=r"static_forse: unknown key.*did you mean 'static_force'"):
        conduct(plan, tmp_path, InProcess())
    assert not (tmp_path / "samples").exists()
    planned(form="compare", vary=[{"input": "speed", "values": [-1.0, 60.0]}]).check()


def test_a_drawing_that_varies_is_not_built_with_errors():
    """The line is built from one drawing: a varied part of it would be forgotten without a word."""
    plan = planned(
        form="tolerance", samples=4, scatter=[{"of": "dropper length", "distribution": LAW}],
        vary=[{"input": "line.presag", "distribution": LAW}],
    )  # fmt: skip
    with pytest.raises(ModelError, match=r"vary 'line.presag' changes the nominal line that scatter is applied to"):
        plan.check()


def test_a_sample_run_again_from_its_data_is_the_same_run(tolerance):
    plan, _, _ = tolerance
    sample = plan.samples()[2]
    again = scenarios.from_plain(plan.inputs(sample), source="memory").description
    assert again == plan.run_of(sample)


def test_a_misspelt_study_is_told_the_shipped_ones():
    with pytest.raises(
        FileError, match=r"neither a file nor the name of a shipped study; did you mean 'erection-tolerances'"
    ):
        read("erection-tolerance")
