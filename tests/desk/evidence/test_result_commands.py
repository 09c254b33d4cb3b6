"""Results compared, exported and shown: the numbers that come out are those that went in."""

import csv
import re

import numpy as np
import pytest
import xarray as xr
from scipy.io import loadmat
from typer.testing import CliRunner

from panhead.app.cli import app
from panhead.assess import Criterion, judgement
from panhead.desk.evidence import curves, result_export
from panhead.desk.evidence.result_comparison import compare_page, compare_results, difference
from panhead.desk.evidence.result_reader import read_run_results
from panhead.desk.reports.render import html
from panhead.errors import FileError, ModelError
from panhead.files import results


def invoke(*words):
    done = CliRunner().invoke(app, [str(word) for word in words])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.output


def numbers(path):
    with path.open(newline="") as file:
        heads, units, *rows = csv.reader(file)
    return heads, units, rows


def test_a_difference_adds_both_bars():
    a, b = (Criterion(key="k", name="n", value=v, unit="N", error=e) for v, e in ((100.0, 2.0), (105.0, 4.0)))
    apart = difference(b, a)
    assert (apart.value, apart.error, apart.significant) == (5.0, 6.0, False)
    assert apart.text("N") == "+5.0 ± 6.0 ~"
    assert difference(b, Criterion(key="k", name="n", value=1.0, unit="N")).significant is None


def test_results_side_by_side(stored, tmp_path):
    runs = read_run_results([stored["fast"], stored["slow"]])
    fast, slow = compare_results(runs)
    mean = {name: next(iter(judgement(run.result)[""].values()))[0].value for name, run in zip("fs", runs, strict=True)}
    assert slow.difference("mean_force").value == pytest.approx(mean["s"] - mean["f"])
    assert fast.difference("mean_force") is None
    page = html(compare_page(runs))
    assert page.count("<figure") == 2
    for speed in ("77.77", "69.44"):  # what differs, in m/s
        assert speed in page
    out = tmp_path / "c.html"
    said = invoke("compare", stored["fast"], stored["slow"], "--out", out)
    assert f"page    {out}" in said
    assert out.exists()


def test_what_cannot_be_compared(stored, tmp_path):
    with pytest.raises(ModelError, match="twice"):
        read_run_results([stored["fast"], stored["fast"]])
    with pytest.raises(ModelError, match="at least two"):
        invoke("compare", stored["fast"])
    with pytest.raises(FileError, match="no such file"):
        read_run_results([tmp_path / "none.nc"])


def test_tables_read_back(stored, tmp_path):
    result = results.load(stored["fast"])
    invoke("export", stored["fast"], "--csv", "--out", tmp_path / "t")
    heads, units, rows = numbers(tmp_path / "t" / "time.csv")
    column = next(k for k, head in enumerate(heads) if head.startswith("contact_force["))
    assert units[column] == "N"
    np.testing.assert_array_equal([float(row[column]) for row in rows], result["contact_force"].to_numpy()[0])
    heads, _, rows = numbers(tmp_path / "t" / "judgement.csv")
    (row,) = (row for row in rows if row[heads.index("key")] == "mean_force")
    criterion = next(iter(judgement(result)[""].values()))[0]
    assert float(row[heads.index("value")]) == criterion.value
    assert float(row[heads.index("error")]) == criterion.error


def test_excel_and_matlab_read_back(stored, tmp_path):
    from openpyxl import load_workbook

    result = results.load(stored["slow"])
    small = result[["contact_force", "dropper_force", "dropper_name", "support_uplift"]].isel(
        time=slice(50), sample=slice(20)
    )
    book = load_workbook(result_export.to_xlsx(small, tmp_path / "r.xlsx"), read_only=True)
    rows = list(book["sample"].values)
    column = rows[0].index(f"dropper_force[{result['dropper_name'].to_numpy()[3]}]")
    np.testing.assert_array_equal([row[column] for row in rows[2:]], small["dropper_force"].to_numpy()[:, 3])
    found = loadmat(result_export.to_mat(result, tmp_path / "r.mat"), simplify_cells=True)
    np.testing.assert_array_equal(found["contact_force"], result["contact_force"].to_numpy()[0])
    assert found["units"]["contact_force"] == "N"
    assert list(found["dropper_name"]) == list(result["dropper_name"].to_numpy())
    assert "mean_force" in list(found["judgement"]["key"])


def test_a_curve_at_a_mast_a_dropper_and_a_place(stored):
    result = results.load(stored["fast"])
    (mast,) = curves.curves_at(result, "uplift", mast="5")
    np.testing.assert_allclose(mast.y, 1e3 * result["support_history"].to_numpy()[:, 4])
    assert mast.name == "T1.mast5"
    (named,) = curves.curves_at(result, "uplift", mast="T1.mast5")
    np.testing.assert_array_equal(named.y, mast.y)
    (dropper,) = curves.curves_at(result, "dropper", dropper="T1.span4.dropper2")
    np.testing.assert_array_equal(dropper.y, result["dropper_force"].to_numpy()[:, 28])
    (place,) = curves.curves_at(result, "height", place=200.0)
    assert place.x.min() == pytest.approx(140.0, abs=0.1)
    assert place.x.max() == pytest.approx(260.0, abs=0.1)
    inside = (result["contact_x"].to_numpy()[0] >= 140.0) & (result["contact_x"].to_numpy()[0] <= 260.0)
    np.testing.assert_array_equal(place.y, result["contact_z"].to_numpy()[0][inside])


@pytest.mark.parametrize(
    "words, said",
    [
        (("uplift", "--mast", "99"), "no mast 99; masts of this result are 1 … 11"),
        (("lift",), "unknown quantity 'lift'"),
        (("dropper",), "give the dropper"),
        (("dropper", "--dropper", "T1.span4.droper2"), "did you mean 'T1.span4.dropper2'"),
        (("force", "--at", "9 km"), "no pantograph passes 9000.0 m"),
        (("force", "--at", "9 km", "--mast", "1"), "give one of"),
    ],
)
def test_what_is_not_there_is_named(stored, words, said):
    with pytest.raises(ModelError, match=re.escape(said)):
        invoke("show", stored["fast"], *words)


def test_show_writes_a_figure_or_numbers(stored, tmp_path):
    said = invoke("show", stored["fast"], "uplift", "--mast", "5", "--out", tmp_path / "u.svg")
    assert "T1.mast5: uplift at the support (mm)" in said
    assert (tmp_path / "u.svg").read_text().startswith("<svg")
    invoke("show", stored["fast"], "uplift", "--mast", "5", "--csv", "--out", tmp_path / "u.csv")
    heads, *rows = csv.reader((tmp_path / "u.csv").read_text().splitlines())
    assert heads == ["time (s)", "T1.mast5: uplift at the support (mm)"]
    assert len(rows) == results.load(stored["fast"]).sizes["sample"]


def test_of_a_motion_nothing_is_shown_along_a_line():
    """It used to blame the linear solver for what a mechanism never had."""
    motion = xr.Dataset({"q": ("time", np.zeros(3))})
    with pytest.raises(ModelError, match="no pantograph runs under a line in this result"):
        curves.curves_at(motion, "force")


def test_a_report_is_printed_with_the_title_block_of_its_options(stored, tmp_path):
    path = tmp_path / "result.nc"
    path.write_bytes(stored["slow"].read_bytes())
    said = invoke(
        "report", path, "--pdf", "--project", "Line 4", "--author", "A. B.", "--checker", "C. D.", "--revision", "2",
        "--date", "1 May",
    )  # fmt: skip
    assert "report.pdf" in said
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF-")
    page = (tmp_path / "report.html").read_text()
    for word in ("Line 4", "A. B.", "C. D.", "<dd>2</dd>", "1 May"):
        assert word in page
