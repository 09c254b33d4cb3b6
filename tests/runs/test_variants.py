"""Several results in one dataset: what goes in comes out, in memory and from a file."""

import numpy as np
import pytest
import xarray as xr

from panhead.files import results
from panhead.files.variants import join, separate


def one(scale: float, n: int = 4) -> xr.Dataset:
    time = np.arange(n) * 0.1
    return xr.Dataset(
        {
            "force": ("time", scale * np.arange(n), {"units": "N"}),
            "static": ("x", [1.0, 2.0]),
            "label": ("x", ["a", "b"]),
        },
        {"time": time},
        {"speed": 83.3, "moment": scale},
    )


def same(a: xr.Dataset, b: xr.Dataset) -> None:
    xr.testing.assert_identical(a.drop_attrs(), b.drop_attrs())
    assert a.attrs == b.attrs


def test_what_is_equal_is_stored_once_and_what_differs_has_a_dimension():
    joined = join({"first": one(1.0), "second": one(2.0)})
    assert joined["force"].dims == ("variant", "time")
    assert joined["static"].dims == ("x",)
    assert joined.attrs["speed"] == 83.3
    assert "moment" not in joined.attrs


def test_variants_come_apart_as_they_went_in():
    given = {"first": one(1.0), "second": one(2.0)}
    for name, found in separate(join(given)).items():
        same(found, given[name])


def test_variants_of_other_lengths_and_names_keep_them():
    """One was interrupted, the other has a curve of its own."""
    given = {"whole": one(1.0).assign(bend=("mode", [1.0, 2.0])), "short": one(2.0, n=2)}
    joined = join(given)
    assert joined["force@whole"].dims == ("time@whole",)
    for name, found in separate(joined).items():
        same(found, given[name])


def test_a_file_keeps_them(tmp_path):
    given = {"whole": one(1.0), "short": one(2.0, n=2)}
    kept = results.save(join(given).assign_attrs(inputs="{}"), tmp_path / "result.nc")
    found = separate(results.load(kept))
    for name, expected in given.items():
        np.testing.assert_array_equal(found[name]["force"], expected["force"])
        assert found[name].attrs["moment"] == expected.attrs["moment"]


@pytest.mark.parametrize("dataset", [one(1.0)])
def test_a_result_without_variants_is_its_own(dataset):
    assert list(separate(dataset)) == [""]
