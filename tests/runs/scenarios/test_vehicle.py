"""The scenario kind ``vehicle``: from a file to a dataset and its page."""

import numpy as np
import pytest

from panhead.assess import judgement
from panhead.desk.drawing import figures
from panhead.desk.reports import page_of
from panhead.desk.reports.page import Picture
from panhead.errors import FileError, ModelError
from panhead.files import results
from panhead.files.variants import separate
from panhead.runs import scenarios


@pytest.fixture(scope="module")
def curve():
    """A tighter, shorter curve than the shipped one, at the speed its cant is made for."""
    sections = (
        "track.sections=[{length=30.0},{length=60.0,transition=true},"
        "{length=200.0,radius=-800.0,cant=0.15},{length=30.0,radius=-800.0,cant=0.15}]"
    )
    settings = [sections, "speed=20.0", "duration=12.0", "numerics.keep=0.02"]
    return scenarios.read("vehicle-curve", settings).simulate()


def test_wheels_carry_what_the_curve_asks_for(curve):
    """To the right, and slower than the cant is made for: the force points outward, to the left, 1 %."""
    needed = curve.attrs["curve_needed"]
    cant = np.arcsin(0.15 / 1.5)
    mass = curve.attrs["weight"] / 9.81
    rates = curve["v"].isel(time=-1).sel(coordinate=["car body.x", "car body.y"])
    speed = float(np.linalg.norm(rates))
    by_hand = mass * (-(speed**2) / 800.0 * np.cos(cant) + 9.81 * np.sin(cant))
    assert needed == pytest.approx(by_hand, rel=5e-3)  # the speed falls a little over the curve
    assert curve.attrs["curve_lateral"] == pytest.approx(needed, rel=0.01)
    assert needed > 0.0


def test_the_result_can_be_kept_and_shown(curve, tmp_path):
    kept = results.load(results.save(curve, tmp_path / "result.nc"))
    kind = scenarios.kind("vehicle")
    told = {row.quantity: row.value for row in kind.summarise(kept)}
    assert told["outcome"] == "on the track"
    assert {"bounce", "pitch", "roll", "yaw", "sway"} <= set(told)
    page = page_of(kept)
    assert page.verdict.mood == "good"
    pictures = [b for s in page.sections for b in s.blocks if isinstance(b, Picture)]
    assert {"wheels", "curve_balance", "watched"} <= {p.name for p in pictures}
    for picture in pictures:
        assert figures.without_unit(picture.chart) == [], picture.name


def test_a_vehicle_starts_on_straight_track():
    with pytest.raises(FileError, match="first straight ends at 10"):
        scenarios.read("vehicle-curve", ["track.sections.0.length=10.0"])


@pytest.fixture(scope="module")
def train():
    spans = "[{name='T1',spans=[{length='56.25 m',count=8,dropper_count=8}]}]"
    settings = [f"line_changes.tension_lengths={spans}", "journey.run_in=50.0"]
    return scenarios.read("s1-train", settings).simulate()


def test_rough_rails_reach_the_contact_wire(train):
    """The roof's motion adds to the deviation of the force, and leaves its mean alone."""
    found = judgement(train)
    moving, level = (
        next(c.value for c in next(iter(found[how].values())) if c.key == "mean_force")
        for how in ("roof moving", "roof level")
    )
    assert moving == pytest.approx(level, abs=0.5)
    difference = train["contact_force"].diff("variant").to_numpy()[0]
    assert 0.1 < difference.std() < 20.0
    # on even rails, the first 0.15 s, the roof only settles by micrometres: 90 N·s/m times 0.01 mm/s
    assert np.abs(difference[:, train["time"].to_numpy() < 0.15]).max() < 1e-2
    assert "roof_z" in separate(train)["roof moving"]


def test_a_track_too_short_for_the_line_is_refused():
    with pytest.raises(ModelError, match="lengthen the track"):
        scenarios.read("s1-train", ["vehicle.track.sections.0.length=500.0"]).simulate()
