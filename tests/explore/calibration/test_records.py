"""Bad records are found and named; good ones are filtered without phase."""

import numpy as np
import pytest

from panhead.errors import FileError
from panhead.explore.calibration.alignment import first_shift
from panhead.explore.calibration.data_checks import check_magnitude, checked, filtered_values
from panhead.explore.calibration.measured_channels import MeasuredChannel, read_channels
from panhead.explore.calibration.trace_filter import TraceFilter
from panhead.railway.line.line_places import MastPlaces

SPEED = 50.0
X = np.arange(0.0, 100.0, 0.25)
PLACES = MastPlaces(np.array([0.0, 50.0, 100.0]), (("1",), ("2",), ("3",)))


def force(x: np.ndarray) -> np.ndarray:
    """A trace that is not its own mirror image."""
    return 100.0 + 20.0 * np.sin(x**2 / 150.0) + 15.0 * np.sin(x / 7.0)


def channel(at: np.ndarray = X, values: np.ndarray | None = None, **given) -> MeasuredChannel:
    options = {"source": "a.csv", "quantity": "force", "by_time": False} | given
    return MeasuredChannel(at=at, values=force(at) if values is None else values, **options)


def test_a_good_record_needs_no_word():
    found = checked(channel(), SPEED, 20.0)
    assert (found.notes, found.gaps) == ((), ())
    assert found.at.size == X.size


def test_a_gap_is_named_and_left_out():
    at = X[(X < 40.0) | (X > 45.0)]
    found = checked(channel(at), SPEED, 20.0)
    assert "1 gaps, the longest of 5.5 m" in found.notes[0]
    assert found.covers(np.array([20.0, 39.0, 42.0, 60.0]), 2.0).tolist() == [True, False, False, True]


def test_outliers_are_named_and_left_out():
    values = force(X)
    values[[50, 200]] += 900.0
    found = checked(channel(values=values), SPEED, 20.0)
    assert "2 outliers left out, the first at 12.5 m" in found.notes[0]
    assert found.values.max() < 200.0


@pytest.mark.parametrize(
    "bad, words",
    [
        (channel(X[::-1]), "chainage falls along the record"),
        (channel(np.concatenate([X[:200], X[100:]])), "turns back at 49.75"),
        (channel(X[:10]), "too few"),
        (channel(X[::20]), "cannot hold 20 Hz"),
        (channel(seconds=X / 40.0), r"measured at 144 km/h, its run has 180 km/h; set changes = \{speed = 40\}"),
        (channel(values=np.where(X > 50, np.nan, 1.0)), "not finite"),
    ],
)
def test_what_cannot_be_fitted_is_refused(bad, words):
    with pytest.raises(FileError, match=words):
        checked(bad, SPEED, 20.0)


@pytest.mark.parametrize(
    "quantity, factor, words",
    [("force", 1e-3, "look like kN"), ("head_acceleration", 1 / 9.81, "look like g"), ("uplift", 1e3, "look like mm")],
)
def test_a_wrong_unit_is_named(quantity, factor, words):
    with pytest.raises(FileError, match=words):
        check_magnitude(channel(quantity=quantity), 100.0 * factor, 110.0)
    assert check_magnitude(channel(quantity=quantity), 100.0, 110.0) == []
    assert "may be wrong" in check_magnitude(channel(quantity=quantity), 20.0, 110.0)[0]


def test_alignment_finds_a_shift_and_names_a_reversed_or_stretched_record():
    times, model = X / SPEED, force(X)
    record = checked(channel(values=force(X + 1.5)), SPEED, 20.0)
    assert first_shift(record, times, model, X / SPEED, (-0.06, 0.06)) == pytest.approx(1.5 / SPEED, abs=0.0051)
    with pytest.raises(FileError, match="its chainage is reversed"):
        first_shift(checked(channel(values=force(X)[::-1]), SPEED, 20.0), times, model, X / SPEED, (-0.06, 0.06))
    slow = checked(channel(X / SPEED, force(0.9 * X), by_time=True), SPEED, 20.0)
    with pytest.raises(FileError, match="times the speed of the run"):
        first_shift(slow, times, model, X / SPEED, (-0.1, 0.1))


def test_a_missing_channel_and_a_missing_unit_are_named(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("place,force\nm,N\n1,100\n2,101\n")
    assert read_channels(path, PLACES)[0].values.tolist() == [100.0, 101.0]
    with pytest.raises(FileError, match="no channel 'head_acceleration'; it has force"):
        read_channels(path, PLACES, ["head_acceleration"])
    path.write_text("place,force\n1,100\n2,101\n")
    with pytest.raises(FileError, match="unit is missing"):
        read_channels(path, PLACES)


def test_channels_at_a_mast(tmp_path):
    path = tmp_path / "u.csv"
    path.write_text("mast,uplift\n,mm\n2,35\n3,40\n")
    found = read_channels(path, PLACES)
    assert [(c.mast, c.values[0], c.at.size) for c in found] == [(50.0, 0.035, 0), (100.0, 0.04, 0)]
    path.write_text("time,mast,uplift\ns,,mm\n0.0,2,1\n0.1,2,2\n")
    (history,) = read_channels(path, PLACES)
    assert history.by_time
    assert history.at.tolist() == [0.0, 0.1]


def test_the_filter_passes_its_band_without_phase_and_differentiates():
    filters, t = TraceFilter(20.0), np.arange(0.0, 2.0, 1e-3)
    at = np.arange(0.5, 1.5, filters.spacing)
    for f, gain in ((3.0, 1.0), (40.0, 0.0)):
        wave = np.sin(2 * np.pi * f * t)
        np.testing.assert_allclose(filters.rows(at, t) @ wave, gain * np.sin(2 * np.pi * f * at), atol=0.01)
    wave = np.sin(2 * np.pi * 3.0 * t)
    exact = -((2 * np.pi * 3.0) ** 2) * np.sin(2 * np.pi * 3.0 * at)
    np.testing.assert_allclose(filters.rows(at, t, 2) @ wave, exact, atol=0.01 * np.abs(exact).max())
    noise = np.random.default_rng(0).standard_normal(200_000)
    long = np.arange(noise.size) * 1e-3
    told = (filters.rows(np.arange(1.0, 190.0, filters.spacing), long) @ noise).std()
    assert told == pytest.approx(filters.noise_gain(1e-3), rel=0.03)


def test_filtered_values_of_a_record():
    record = checked(channel(), SPEED, 20.0)
    at = np.array([30.0, 50.0, 70.0])
    np.testing.assert_allclose(filtered_values(record, 1.0 / SPEED, at, TraceFilter(20.0)), force(at), atol=0.5)
