"""The one type of result: it stays itself, shows itself and is kept whole."""

import numpy as np
import pytest
import xarray as xr

import panhead as ph
from panhead.errors import FileError
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
    shown = motion._repr_html_()
    assert "<iframe" in shown
    assert "xr-wrap" in shown


def test_a_part_of_a_result_is_still_a_dataset_in_a_notebook():
    part = pendulum()[["kinetic"]]
    assert isinstance(part, ph.Result)
    assert "xr-wrap" in part._repr_html_()
    assert "<iframe" not in part._repr_html_()


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
    with pytest.raises(NotADirectoryError), results.told_of(tmp_path / "r.nc", "cannot be exported"):
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
    with pytest.raises(FileError, match="hash is another"):
        results.load(path)
