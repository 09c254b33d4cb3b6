"""Bad data of a measuring train: each fault is named, and what is left is the wire."""

import numpy as np
import pytest

from panhead.errors import FileError
from panhead.explore.asbuilt.route_description import TrainPass
from panhead.explore.asbuilt.survey_files import clean, gaps, mirrored, read_pass
from panhead.explore.asbuilt.survey_rows import TrainReadings
from panhead.explore.asbuilt.survey_tracks import chainage_shift, drawn_stagger
from panhead.railway.line import read_line
from panhead.railway.line.layout import Layout

SPANS = {"tension_lengths": [{"name": "T", "spans": [{"length": 50.0, "count": 2, "dropper_count": 5}]}]}
LAYOUT = Layout(read_line("en50318-2002", SPANS | {"support": {"encumbrance": 1.2, "stagger": 0.2}}))
X = np.arange(0.0, 100.0, 0.25)
Z = 5.08 - 0.02 * np.sin(np.pi * X / 50.0) ** 2
Y = 0.2 * np.cos(np.pi * X / 50.0)


def readings(x=X, z=Z, y=Y):
    return TrainReadings(x.copy(), z.copy(), y.copy(), name="pass")


def test_a_clean_pass_stays_as_it_is():
    found = clean(readings(), LAYOUT)
    assert found.notes == ()
    np.testing.assert_array_equal(found.height, Z)


def test_heights_in_millimetres_become_metres_and_are_named():
    z = Z.copy()
    z[100:150] *= 1000.0
    found = clean(readings(z=z), LAYOUT)
    np.testing.assert_allclose(found.height, Z)
    assert "50 heights were in mm" in found.notes[0]


def test_metres_among_millimetres():
    z = Z.copy()
    z[7] /= 1000.0
    found = clean(readings(z=z), LAYOUT)
    np.testing.assert_allclose(found.height, Z)


def test_a_run_the_other_way_is_turned_and_its_stagger_mirrored():
    found = clean(readings(X[::-1], Z[::-1], -Y[::-1]), LAYOUT)
    turned = mirrored(found, Y)
    np.testing.assert_allclose(turned.stagger, Y)
    np.testing.assert_allclose(turned.x, X)
    assert any("the other way" in note for note in turned.notes)
    assert any("other sign" in note for note in turned.notes)


def test_chainage_that_jumps_back_is_seen_once():
    order = np.r_[0:200, 150:400]
    found = clean(readings(X[order], Z[order], Y[order]), LAYOUT)
    np.testing.assert_allclose(np.diff(found.x), 0.25)
    assert "50 rows" in found.notes[0]


def test_outliers_are_left_out_and_counted():
    z = Z.copy()
    z[[20, 90, 200]] += 0.4
    found = clean(readings(z=z), LAYOUT)
    assert found.x.size == X.size - 3
    assert "outliers: 3 of 400" in found.notes[0]


def test_rows_without_a_height_are_counted():
    z = Z.copy()
    z[5:9] = np.nan
    assert clean(readings(z=z), LAYOUT).notes == ("4 rows without chainage or height",)


def test_gaps_are_told_from_end_to_end():
    there = (X < 30.0) | (X > 60.0)
    assert gaps(X[there], 0.0, 99.75, 25.0) == [(29.75, 60.25)]


def test_the_finnish_layout_keeps_the_track_with_most_rows(tmp_path):
    seen = enumerate(zip(X, Z, Y, strict=True))
    rows = [f"{1 + (k % 5 == 0)};012+{x:07.2f};{1e3 * y:.1f};{1e3 * z:.1f}" for k, (x, z, y) in seen]
    (tmp_path / "train.csv").write_text("Track;Location;Stagger 1 [mm];Height 1 [mm]\n" + "\n".join(rows))
    found = read_pass(TrainPass(file="train.csv", layout="finnish"), tmp_path)
    assert found.x.size == 320
    assert found.notes == ("two tracks mixed: kept track 1, left out 80 of track 2",)
    assert found.x[0] == pytest.approx(12000.25)


def test_an_empty_survey_is_refused(tmp_path):
    (tmp_path / "empty.csv").write_text("chainage [m],height [m]\n")
    with pytest.raises(FileError):
        read_pass(TrainPass(file="empty.csv"), tmp_path)


def test_staggers_in_millimetres_and_a_file_in_feet():
    assert clean(readings(y=1e3 * Y), LAYOUT).notes == ("staggers were in mm",)
    found = clean(readings(z=Z / 0.3048, y=Y / 0.3048), LAYOUT)
    np.testing.assert_allclose(found.height, Z)
    np.testing.assert_allclose(found.stagger, Y)


def test_a_chainage_in_kilometres_is_told_by_the_line():
    found = clean(readings(x=X / 1e3), LAYOUT)
    np.testing.assert_allclose(found.x, X)
    assert found.notes == ("the chainage was in km",)


@pytest.mark.parametrize("rise", [0.0, 0.09])
def test_rows_of_a_second_track_between_those_of_the_first_are_left_out(rise):
    order = np.argsort(np.r_[X, X + 0.1], kind="stable")
    x, z, y = (np.r_[a, b][order] for a, b in ((X, X + 0.1), (Z, Z + rise), (Y, -Y)))
    found = clean(readings(x, z, y), LAYOUT)
    own = np.isin(found.x, X)
    # where both wires cross the same stagger nothing tells them apart, and rows of both are left out
    assert own.sum() > (0.8 if rise == 0.0 else 0.95) * X.size
    assert (~own).sum() < 0.02 * X.size
    assert "two tracks mixed" in found.notes[0]


def test_a_shifted_chainage_is_told_by_the_kinks_of_the_stagger():
    masts = drawn_stagger(LAYOUT, LAYOUT.pieces[0], X)
    assert chainage_shift(readings(y=masts), LAYOUT, LAYOUT.pieces[0]) == 0.0
    assert chainage_shift(readings(x=X + 6.0, y=masts), LAYOUT, LAYOUT.pieces[0]) == 6.0


def test_many_outliers_are_not_a_second_track():
    z, rng = Z.copy(), np.random.default_rng(0)
    odd = rng.choice(np.arange(5, X.size - 5), 12, replace=False)  # 3 % of the rows, two jumps each
    z[odd] += rng.choice([-0.3, 0.3], odd.size)
    found = clean(readings(z=z), LAYOUT)
    assert found.x.size >= X.size - 2 * odd.size  # but where several meet no good reading is lost
    assert "12 of 400 heights" in found.notes[0]


def test_a_mirrored_run_is_told_where_the_other_wire_is_read():
    other = np.where(X < 60.0, -Y, Y)  # the wire of the neighbour over more than half of the way
    found = mirrored(readings(y=-other), Y, np.where(X < 60.0, -Y + 0.05, np.nan))
    np.testing.assert_allclose(found.stagger, other)
    assert mirrored(readings(y=other), Y, np.where(X < 60.0, -Y + 0.05, np.nan)).notes == ()


def test_heights_in_feet_leave_a_stagger_that_is_in_metres():
    found = clean(readings(z=Z / 0.3048), LAYOUT)
    np.testing.assert_allclose(found.height, Z)
    np.testing.assert_array_equal(found.stagger, Y)
    both = clean(readings(z=Z / 0.3048, y=Y / 0.3048), LAYOUT)
    np.testing.assert_allclose(both.stagger, Y)
