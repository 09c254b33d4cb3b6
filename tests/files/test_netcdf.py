"""netCDF-4 as h5netcdf writes it: the same datasets, dimensions, numbers and words, for every kind of variable."""

import h5netcdf
import h5py
import numpy as np
import pytest
import xarray as xr

from panhead.files import netcdf


@pytest.fixture
def dataset():
    words = np.array(["Seil", "Draht, über 5 m"], dtype=str)
    return xr.Dataset(
        {
            "force": (("wire", "time"), np.array([[1.0, np.nan, 3.0], [4.0, 5.0, -0.0]]), {"units": "N"}),
            "count": ("time", np.array([1, -2, 3])),
            "touches": ("time", np.array([True, False, True])),
            "single": ("time", np.array([1.5, 2.5, 3.5], dtype=np.float32)),
            "name": ("wire", words, {"long_name": "what it is called"}),
            "note": (("wire", "rank"), np.array([["a", ""], ["β", "c"]], dtype=str)),
            "events": ("event", np.zeros(0)),
            "called": ("event", np.zeros(0, dtype=str)),
            "alone": ((), 2.5),
            "long": ("row", np.arange(300_000.0)),
            "square": (("row_a", "row_b"), np.eye(3)),
        },
        {"time": ("time", [0.0, 0.1, 0.2], {"units": "m"}), "wire": ["left", "right"]},
        {
            "title": "Prüfung",
            "speed": 83.3,
            "count": 3,
            "places": [1.0, 2.0],
            "names": ["a", "ü"],
            "long": "x" * 100_000,
        },
    )


@pytest.fixture
def files(dataset, tmp_path):
    with (tmp_path / "own.nc").open("x+b") as file:
        netcdf.write(dataset, file)
    dataset.to_netcdf(tmp_path / "theirs.nc", engine="h5netcdf")
    return tmp_path / "own.nc", tmp_path / "theirs.nc"


def test_it_is_read_as_what_h5netcdf_writes(dataset, files):
    own, theirs = (xr.load_dataset(path, engine="h5netcdf") for path in files)
    xr.testing.assert_identical(own, theirs)
    assert list(own.variables) == list(theirs.variables)
    for name in dataset.variables:
        assert own[name].dtype == theirs[name].dtype
        assert own[name].to_numpy().tobytes() == theirs[name].to_numpy().tobytes() or own[name].dtype.kind == "O"


def test_its_dimensions_are_those_of_netcdf_4(files):
    """Scales, their numbers and what they are attached to, as they stand in the file."""

    def scales(path):
        with h5py.File(path) as file:
            found = {
                name: (d.is_scale, d.shape, d.maxshape, d.dtype, d.is_scale and int(d.attrs["_Netcdf4Dimid"]))
                for name, d in file.items()
            }
            attached = {
                name: [scale.name for k in range(d.ndim) for scale in d.dims[k].values()]
                for name, d in file.items()
                if not d.is_scale
            }
            return found, attached, {d.attrs["NAME"] for d in file.values() if d.is_scale}

    own, theirs = map(scales, files)
    assert own == theirs


def test_numbers_have_checksums_in_pieces_of_a_megabyte(files):
    with h5py.File(files[0]) as file:
        assert file["long"].chunks == (100_000,)
        assert {name for name, d in file.items() if d.fletcher32} == {
            "force", "count", "touches", "single", "long", "square", "time",
        }  # fmt: skip


def test_the_library_opens_it_without_a_word(files):
    with h5netcdf.File(files[0], "r") as file:
        assert file.dimensions["rank"].size == 2
        assert file.variables["force"].dimensions == ("wire", "time")
