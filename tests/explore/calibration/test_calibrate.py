"""A calibration from files to files, on a short line: values, intervals, channels, resumption, refusals."""

import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import panhead as ph
from panhead.errors import ModelError, RunWarning
from panhead.explore.calibration.calibration_description import Calibration, MeasuredPassage, UnknownParameter
from panhead.explore.calibration.calibration_problem import problem_of
from panhead.explore.calibration.command import calibrate_into, calibration_of_options, with_posterior
from panhead.explore.calibration.laplace import left_open
from panhead.explore.calibration.map_estimate import maximise
from panhead.files import parse
from panhead.runs.batch import simulate_batch
from panhead.validation.calibration.twins import INSTRUMENT, calibration_of, measure, true_runs

pytestmark = pytest.mark.filterwarnings("ignore::panhead.errors.RunWarning")
TRUE = np.array([0.5, -0.5, 0.8])


@pytest.fixture(scope="module")
def records(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        measure(simulate_batch(true_runs(calibration_of((60.0,)), TRUE)), folder, 3)
    return folder


def test_from_files_to_a_run_that_panhead_takes(records, tmp_path):
    given = calibration_of((60.0,), instrument=INSTRUMENT)
    done = calibrate_into("twin", given, records, tmp_path)
    assert done.page.verdict.mood == "good"
    found = parse.read_toml(tmp_path / "parameters.toml")
    assert found["trusted"]
    for one, true in zip(
        found["parameters"], (7.2 * np.exp(0.1), 120 * np.exp(-0.05), 20e3 * np.exp(0.04)), strict=True
    ):
        assert abs(one["value"] - true) < 3.0 * one["deviation"] < 0.05 * true
    run = ph.read_run(next(path for path in done.files if path.name.startswith("run-")))
    assert run.train[0].pantograph.stages[0].mass == pytest.approx(found["parameters"][0]["value"])
    assert run.line.wires.contact.tension == pytest.approx(found["parameters"][2]["value"])
    assert "noise explains the residuals" in done.report.read_text()
    # repeated, nothing differs; the Jacobians come from the folder
    assert calibrate_into("twin", given, records, tmp_path).page.verdict == done.page.verdict


def test_the_exact_gradient_of_every_channel_is_that_of_differences(tmp_path):
    """Force, head acceleration, uplift history, largest uplift; parameters of line, pantograph and contact."""
    given = calibration_of((60.0,))
    (run,) = true_runs(given, np.zeros(3))
    from panhead.explore.calibration.passage_model import series_of, tape_passage

    tape = tape_passage(run)
    series = series_of(tape, 0)
    t, x = series.times[::2], tape.model.timetable.position(series.times[::2])
    acceleration = np.gradient(np.gradient(series.head, 2e-3), 2e-3)[::2]
    rows = zip(x, 1.02 * series.force[::2], 0.95 * acceleration, strict=True)
    (tmp_path / "a.csv").write_text(
        "place,force,head_acceleration\nm,N,m/s**2\n" + "".join(f"{p},{f},{a}\n" for p, f, a in rows)
    )
    lift = 1.1 * series.support[::2, 2]
    (tmp_path / "u.csv").write_text(
        "time,place,uplift\ns,m,m\n" + "".join(f"{s},100,{u}\n" for s, u in zip(t, lift, strict=True))
    )
    (tmp_path / "m.csv").write_text(f"place,uplift\nm,mm\n100,{1.05e3 * series.support[:, 2].max()}\n")
    names = {
        "pantograph.mass": "*stage 1",
        "contact.stiffness": "*",
        "wire.tension": "contact",
        "wire.mass_damping": "*",
    }
    passage = replace(
        given.passages[0], measured=("a.csv", "u.csv", "m.csv"), instrument=None,
        noise={"force": "2 N", "head_acceleration": 1.0, "uplift": "1 mm"},
    )  # fmt: skip
    unknowns = tuple(
        UnknownParameter(parameter=family, names=name, within=0.1 if "damping" in family else "10 %")
        for family, name in names.items()
    )
    misfit = problem_of("all", replace(given, passages=(passage,), unknowns=unknowns), tmp_path).misfit
    assert [t.channel.quantity for t in misfit.traces] == ["force", "head_acceleration", "uplift", "uplift"]
    z = 0.1 * np.ones(misfit.size)
    exact = misfit.potential_and_gradient(z)[1]
    for k in range(misfit.size):
        by = 1e-4 * np.eye(misfit.size)[k]
        slope = (misfit.potential(z + by) - misfit.potential(z - by)) / 2e-4
        assert exact[k] == pytest.approx(slope, rel=2e-3, abs=0.02), k


def test_what_the_data_cannot_tell_apart_is_said(records):
    given = calibration_of((60.0,), instrument=INSTRUMENT)
    unknowns = (
        UnknownParameter(parameter="pantograph.static_force", within="10 %"),
        UnknownParameter(parameter="pantograph.aerodynamic", within=0.005),
    )
    problem = problem_of("two", replace(given, unknowns=unknowns), records)
    estimate = maximise(problem.misfit, 8, exact=False)
    (words, *_) = left_open(problem.coordinates, estimate)
    assert "do not determine" in words
    assert "static_force" in words
    assert "aerodynamic" in words


def test_options_and_refusals(tmp_path):
    record = tmp_path / "a.csv"
    _, found, _ = calibration_of_options(
        Path("en50318-300"), [record], ["pantograph.mass:*stage 1=10 %"], ["force=3 N"]
    )
    assert found.unknowns[0] == UnknownParameter(parameter="pantograph.mass", names="*stage 1", within="10 %")
    assert found.passages[0].noise == {"force": "3 N"}
    assert with_posterior(found, "hmc").posterior == "hmc"
    with pytest.raises(ModelError, match="NAME=VALUE"):
        calibration_of_options(Path("x"), [record], ["pantograph.mass"], [])
    with pytest.raises(ModelError, match="at least one record"):
        calibration_of_options(Path("x"), [], [], [])
    passage = MeasuredPassage(run="en50318-300", measured=("a.csv",))
    unknown = UnknownParameter(parameter="wire.tension")
    for wrong, words in (
        ({"passages": (), "unknowns": (unknown,)}, "no passage"),
        ({"passages": (passage,), "unknowns": ()}, "nothing is unknown"),
        ({"passages": (passage, passage), "unknowns": (unknown,)}, "unique names"),
    ):
        with pytest.raises(ModelError, match=words):
            Calibration(**wrong)


@pytest.mark.parametrize(
    "unknown, words",
    [
        ({"parameter": "wire.colour"}, "cannot be calibrated"),
        ({"parameter": "pantograph.mass", "names": "*stage 9"}, "is called '\\*stage 9'"),
        ({"parameter": "contact.damping"}, "of which no share can be given"),
        ({"parameter": "wire.tension", "within": "5 kg"}, "within of wire.tension"),
    ],
)
def test_unknowns_that_make_no_sense_are_refused(unknown, words, records):
    given = replace(calibration_of((60.0,)), unknowns=(UnknownParameter(**unknown),))
    with pytest.raises(ModelError, match=words):
        true_runs(given, np.zeros(1))
