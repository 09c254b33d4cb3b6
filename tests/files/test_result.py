"""The one type of result: it stays itself, shows itself and is kept whole."""

import numpy as np
import pytest
import xarray as xr

import panhead as ph
from panhead.errors import FileError, ModelError
from panhead.files import results


def pendulum() -> ph.Result:
    rod = ph.bodies.PlanarBody(name="rod", mass=2.0, inertia=0.5, position=(0.8, 0.0))
    hinge = ph.joints.Revolute(name="hinge", a=ph.bodies.ground.at(), b=rod.at_world((0.0, 0.0)))
    model = ph.Model(name="pendulum", items=(rod, hinge), gravity=(0.0, -9.81, 0.0))
    return model.simulate(duration=0.2, dt=1e-3, keep=0.01)


def test_a_motion_knows_its_model_and_shows_itself(tmp_path):
    """The rod falls from level: θ̈ = −m g l / (I + m l²) at first."""
    motion = pendulum()
    angle = motion["q"].sel(coordinate="rod.angle").to_numpy()
    early = motion["time"].to_numpy() <= 0.05
    expected = -0.5 * 2.0 * 9.81 * 0.8 / (0.5 + 2.0 * 0.8**2) * motion["time"].to_numpy() ** 2
    np.testing.assert_allclose(angle[early], expected[early], atol=2e-5)  # (θ̈ t²)³/6 at 0.05 s is 1e-7, sin 2e-5
    page = motion.report(tmp_path)
    assert "pendulum" in page.read_text(encoding="utf-8")
    assert "<strong>pendulum</strong>" in motion._repr_html_()
    assert "<iframe" in motion.page()._repr_html_()


def test_a_part_of_a_result_is_still_a_dataset_in_a_notebook():
    part = pendulum()[["kinetic"]]
    assert isinstance(part, ph.Result)
    assert "xr-wrap" in part._repr_html_()


def judged() -> ph.Result:
    """A force of two pantographs that swings by 40 N about 115 N: σ/Fm is 35 %, the limit 30 %."""
    times = np.arange(0.0, 4.0, 1e-3)
    force = 115.0 + 40.0 * np.sqrt(2.0) * np.cos(2 * np.pi * times + np.array([[0.0], [1.0]]))
    over = ("pantograph", "time")
    data = xr.Dataset(
        {"contact_force": (over, force), "contact_x": (over, 60.0 * times + 0 * force)},
        {"time": times, "pantograph": ["front", "rear"]},
        {"speed": 60.0, "judged_from": 1.0, "judged_to": 3.0, "inputs": "{}"},
    )
    return ph.judge(data)


def test_a_verdict_is_a_word_and_a_sentence_wherever_the_data_go():
    """Whatever xarray makes of a result has them by its accessor."""
    result = judged()
    sentence = result.verdict_sentence
    assert result.verdict == "not met"
    assert result.verdicts == {"contact quality": "not met", "setting": "met"}
    assert {c.key for c in result.criteria.select(group="setting")} == {"mean_force", "mean_force_lower"}
    assert sentence.startswith("Contact quality does not comply with EN 50367:2012")
    assert "σ/Fm 34.7" in sentence
    plain = xr.Dataset(result.data_vars, result.coords, result.attrs)
    merged = xr.merge([plain, xr.Dataset({"more": 1.0})], combine_attrs="override")
    assert type(merged) is xr.Dataset
    assert (merged.panhead.verdict, merged.panhead.verdict_sentence) == ("not met", sentence)
    assert merged.panhead.criteria == result.criteria
    assert pendulum().verdict == ""


def test_criteria_are_a_table():
    table = judged().criteria
    assert (table.variants, table.pantographs) == ([""], ["front", "rear"])
    ratio = table.select(pantograph="rear")["deviation_ratio"]
    assert (ratio.pantograph, ratio.limit, ratio.verdict) == ("rear", 0.3, "not met")
    assert ratio.value == pytest.approx(40.0 / 115.0, rel=0.01)  # the filter takes a little of 1 Hz
    assert {c.pantograph for c in table} == {"front", "rear"}
    assert len(table) == 2 * len(table.select(pantograph="front"))
    frame = table.to_dataframe()
    assert list(frame.columns[:5]) == ["variant", "pantograph", "key", "name", "value"]
    assert frame["value"].dtype == float
    assert frame.set_index(["pantograph", "key"]).loc[("rear", "deviation_ratio"), "limit"] == 0.3
    assert "standard deviation over mean" in str(table)
    with pytest.raises(ModelError, match=r"2 criteria have the key 'deviation' \(front, rear\)"):
        table["deviation"]
    with pytest.raises(ModelError, match="no criterion has the key 'sigma'; there are mean_force"):
        table["sigma"]
    with pytest.raises(ModelError, match="no 'third' in this table; it has 'front', 'rear'"):
        table.select(pantograph="third")


def test_criteria_of_a_result_that_was_not_judged():
    with pytest.raises(ModelError, match="has not been assessed"):
        _ = pendulum().criteria


def test_a_notebook_shows_the_verdict_first_and_stays_small():
    """The whole report with its animation was 700 kB in every cell; 100 kB is the most it may be."""
    result = judged().assign_attrs(inventory="x" * 1_000_000)
    many = result.assign({f"v{k}": ("time", np.zeros(4000), {"long_name": f"variable {k}"}) for k in range(150)})
    for one in (result, many):
        shown = one._repr_html_()
        assert shown.startswith(f"<div><strong>{one.verdict_sentence}</strong>")
        assert len(shown.encode()) < 100_000
    assert "<code>v149</code>" in shown
    assert "<svg" in shown


def test_parts_of_a_judged_result_show_what_they_have():
    result = judged()
    assert "<svg" in result.isel(pantograph=[0])._repr_html_()
    for part in (result.isel(time=0), result[["contact_x"]], result.isel(time=slice(0, 3)), result.isel(pantograph=0)):
        assert part._repr_html_().startswith("<div><strong>Contact quality does not comply")


def test_a_kept_result_comes_back_as_one(tmp_path):
    kept = results.save(pendulum().assign_attrs(inputs="{}"), tmp_path / "result.nc")
    assert isinstance(ph.load(kept), ph.Result)


def test_a_folder_is_no_result(tmp_path):
    """It used to be told by its number: "cannot be read as netCDF-4: 21"."""
    with pytest.raises(FileError, match=r"cannot be read as netCDF-4: .*[a-z]{4}"):
        results.load(tmp_path)


def test_a_place_that_cannot_be_written_is_not_blamed_on_the_result(tmp_path):
    """``export --out file/x`` used to say of the result that it "cannot be exported: 20"."""
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError), results.damaged_file_error(tmp_path / "r.nc", "cannot be exported"):
        (tmp_path / "file" / "x").write_text("")


def test_numbers_that_a_disk_has_changed_are_found_out(tmp_path):
    """One bit of an array: it used to be read, and reported, without a word."""
    force = np.linspace(100.0, 140.0, 400_000).reshape(2, -1)  # more than one piece
    data = xr.Dataset({"force": (("pantograph", "time"), force)}, {"time": np.arange(200_000.0)})
    path = results.save(results.with_provenance(data, {"kind": "run"}), tmp_path / "result.nc")
    assert np.array_equal(results.load(path)["force"], force)
    whole = path.read_bytes()
    for values in (force[0, 777:787], np.arange(100.0, 110.0)):
        at = whole.index(values.tobytes())
        path.write_bytes(whole[: at + 3] + bytes([whole[at + 3] ^ 1]) + whole[at + 4 :])
        with pytest.raises(FileError, match=r"result\.nc"):
            results.load(path)


def test_inputs_that_are_not_those_of_the_run(tmp_path):
    data = results.with_provenance(xr.Dataset(), {"speed": "250 km/h"})
    path = results.save(data.assign_attrs(inputs=data.attrs["inputs"].replace("250", "350")), tmp_path / "result.nc")
    with pytest.raises(FileError, match="do not match their stored hash"):
        results.load(path)
