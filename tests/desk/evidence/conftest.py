"""Short runs on the disk that the tests of this folder share."""

import warnings

import pytest

import panhead as ph
from panhead.errors import RunWarning

SHORT = {"start": "30 m", "stop": "330 m", "judged_from": "180 m", "judged_to": "300 m"}


@pytest.fixture(scope="session")
def stored(tmp_path_factory):
    """Result files of the reference run at two speeds: "slow" without error bars, "fast" with them."""
    folder = tmp_path_factory.mktemp("runs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        for name, speed, bars in (("slow", "250 km/h", "none"), ("fast", "280 km/h", "coarser")):
            changes = {"speed": speed, "journey": SHORT}
            ph.run("en50318-300", changes=changes, out=folder / name, error_bars=bars)
    return {name: folder / name / "result.nc" for name in ("slow", "fast")}
