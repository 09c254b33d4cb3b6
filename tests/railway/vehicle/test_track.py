"""Tracks: closed forms of circles and clothoids, cant, spectra of irregularities, ends, refusals."""

import math

import numpy as np
import pytest
from scipy.integrate import quad

from panhead.errors import FileError, ModelError
from panhead.files import parse
from panhead.railway.vehicle import (
    MeasuredIrregularity,
    RandomIrregularity,
    Track,
    TrackSection,
    read_measured,
    read_spectrum,
)
from panhead.railway.vehicle.kernels.track_frame import on_track, place_on_track, rails_at, track_frame

CURVE = (
    TrackSection(length=100.0),
    TrackSection(length=80.0, transition=True),
    TrackSection(length=200.0, radius=400.0, cant=0.12),
    TrackSection(length=80.0, transition=True),
    TrackSection(length=100.0),
)


def frame(arrays, s):
    p, R = np.zeros(3), np.zeros((3, 3))
    inside = track_frame(arrays, s, p, R)
    return p, R, inside


def test_clothoid_and_circle():
    """Heading L/2R after a transition; its end by Fresnel's integrals; then a circle. Hermite cubics on
    0.5 m steps leave 1e-8 m."""
    arrays = Track(name="c", sections=CURVE).arrays()
    p, R, _ = frame(arrays, 180.0)
    assert math.atan2(R[1, 0], R[0, 0]) == pytest.approx(80.0 / 800.0, abs=1e-9)
    x = 100.0 + quad(lambda s: math.cos(s * s / (2 * 80 * 400)), 0, 80, epsabs=1e-12)[0]
    y = quad(lambda s: math.sin(s * s / (2 * 80 * 400)), 0, 80, epsabs=1e-12)[0]
    np.testing.assert_allclose(p[:2], [x, y], atol=1e-8)
    centre = p[:2] + 400.0 * np.array([-math.sin(0.1), math.cos(0.1)])
    for s in (200.0, 333.3, 379.9):
        assert np.hypot(*(frame(arrays, s)[0][:2] - centre)) == pytest.approx(400.0, abs=1e-7)
    _, R, _ = frame(arrays, 560.0)
    assert math.atan2(R[1, 0], R[0, 0]) == pytest.approx((80.0 + 200.0) / 400.0, abs=1e-9)


@pytest.mark.parametrize("radius", [400.0, -400.0])
def test_cant_raises_the_outer_rail(radius):
    """By the cant, the inner rail keeps its level."""
    sections = (*CURVE[:2], TrackSection(length=200.0, radius=radius, cant=0.12), *CURVE[3:])
    p, R, _ = frame(Track(name="c", sections=sections).arrays(), 280.0)
    left, right = p + R @ [0, 0.75, 0], p - R @ [0, 0.75, 0]
    outer, inner = (right, left) if radius > 0 else (left, right)
    assert outer[2] == pytest.approx(0.12, abs=1e-12)
    assert inner[2] == pytest.approx(0.0, abs=1e-12)


def test_frames_are_smooth_rotations_along_the_line():
    """RᵀR = 1 everywhere, the first axis is dp/ds within the interpolation, nothing jumps."""
    arrays = Track(name="c", sections=CURVE).arrays()
    h = 1e-4
    for s in np.random.default_rng(0).uniform(0.0, 559.0, 200):
        p, R, inside = frame(arrays, s)
        q, Q, _ = frame(arrays, s + h)
        assert inside
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-14)
        np.testing.assert_allclose((q - p) / h, R[:, 0], atol=2e-6)
        assert np.abs(Q - R).max() < 0.01 * h  # curvature 1/400, roll 0.08 in 80 m


def test_places_are_found_back():
    arrays = Track(name="c", sections=CURVE).arrays()
    for s in np.random.default_rng(1).uniform(0.0, 560.0, 50):
        p, R, _ = frame(arrays, s)
        q = p + 1.2 * np.array([-R[1, 0], R[0, 0], 0.0])  # level, to the left
        assert place_on_track(arrays, q[0], q[1], s + 5.0) == pytest.approx(s, abs=1e-6)
    beyond = frame(arrays, 560.0)[0] + 7.0 * frame(arrays, 560.0)[1][:, 0]
    assert place_on_track(arrays, beyond[0], beyond[1], 550.0) == pytest.approx(567.0, abs=1e-6)


def test_the_end_of_the_track_is_told():
    arrays = Track(sections=(TrackSection(length=50.0),)).arrays()
    assert on_track(arrays, 50.0)
    assert not on_track(arrays, 50.001)
    assert not on_track(arrays, -0.001)
    p, _, inside = frame(arrays, 60.0)
    assert not inside
    np.testing.assert_allclose(p, [50.0, 0.0, 0.0], atol=1e-12)


def test_spectrum_comes_back():
    """Welch's estimate of 60 km of track against the density it was drawn from, averaged over octaves.

    One record of 240 averaged segments scatters by 1/√240 per bin, 2 % in an octave of ten bins: 6 %.
    """
    from scipy.signal import welch

    drawn = RandomIrregularity(seed=4, fade=0.0, shortest=2.0, longest=200.0)
    x, signals = drawn.signals(60000.0, 0.75)
    per_segment = int(250.0 / (x[1] - x[0]))
    f, S = welch(signals, 1.0 / (x[1] - x[0]), nperseg=per_segment, axis=1)
    W = 2 * np.pi * f
    reference = read_spectrum("erri-low").densities(W, 0.75)
    for low in (0.1, 0.2, 0.4, 0.8):
        band = (low <= W) & (2 * low > W)
        measured = (S / (2 * np.pi))[:, band].mean(axis=1)
        np.testing.assert_allclose(measured, reference[:, band].mean(axis=1), rtol=0.06)


def test_variance_is_the_integral_of_the_density():
    drawn = RandomIrregularity(seed=2, fade=0.0)
    _, signals = drawn.signals(40000.0, 0.75)
    spectrum = read_spectrum("erri-low")
    for k in range(4):
        density = lambda w, k=k: spectrum.densities(np.array([w]), 0.75)[k, 0]
        variance = quad(density, 2 * np.pi / 100, 2 * np.pi / 3, limit=200)[0]
        assert signals[k].var() == pytest.approx(variance, rel=0.05)  # a part of one period


def test_seeds():
    rails = lambda seed: RandomIrregularity(seed=seed).rails(300.0, 0.75)[1]
    np.testing.assert_array_equal(rails(3), rails(3))
    assert np.abs(rails(3) - rails(4)).max() > 1e-3
    low, high = (RandomIrregularity(seed=3, spectrum=f"erri-{k}").rails(300.0, 0.75)[1] for k in ("low", "high"))
    assert high.std() > 1.4 * low.std()


def test_a_longer_track_is_the_same_track():
    """Whatever lies beyond; the remedy for a track that ends too early is a longer one."""
    (x, short), (far, long) = (RandomIrregularity(seed=3).rails(length, 0.75) for length in (300.0, 517.3))
    np.testing.assert_array_equal(far[: x.size], x)
    np.testing.assert_array_equal(long[:, : x.size], short)
    assert 300.0 <= x[-1] < 300.25


def test_waves_left_out_leave_the_others_as_they_are():
    """Those of 3 to 100 m are those of 1 to 100 m and 1 to 3 m less: what a finer cut adds is short."""
    (x, some), (fine, all_) = (RandomIrregularity(seed=3, shortest=s, fade=0.0).rails(2000.0, 0.75) for s in (3.0, 1.0))
    more = np.array([np.interp(x, fine, a) for a in all_]) - some
    spectrum = np.abs(np.fft.rfft(more * np.hanning(x.size), axis=1))
    wavelength = 1.0 / np.maximum(np.fft.rfftfreq(x.size, x[1]), 1e-9)
    assert spectrum[:, wavelength > 3.3].max() < 0.02 * np.abs(np.fft.rfft(some * np.hanning(x.size), axis=1)).max()


def test_rails_rise_smoothly_and_rates_are_slopes_times_speed():
    arrays = Track(irregularity=RandomIrregularity(seed=7)).arrays()
    one, two = np.zeros((2, 2, 4))
    rails_at(arrays, 0.0, 50.0, one)
    np.testing.assert_allclose(one[:, :2], 0.0, atol=1e-15)
    np.testing.assert_allclose(one[:, 2:], 0.0, atol=1e-4)  # slope of the spline's first piece
    h = 1e-5
    for s in np.random.default_rng(3).uniform(20.0, 900.0, 50):
        rails_at(arrays, s, 50.0, one)
        rails_at(arrays, s + h, 50.0, two)
        np.testing.assert_allclose((two - one)[:, :2] / h * 50.0, one[:, 2:], atol=2e-5)


def test_measured_irregularities(tmp_path):
    """A file's values come back at its places, zero outside, and the rails are not mixed up."""
    path = tmp_path / "m.csv"
    rows = [(10.0 + k, 1e-3, 2e-3 * math.sin(k), -3e-3, 4e-3) for k in range(20)]
    head = "position,left_lateral,left_vertical,right_lateral,right_vertical"
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]))
    arrays = Track(sections=(TrackSection(length=100.0),), irregularity=read_measured(path)).arrays()
    out = np.zeros((2, 4))
    for row in rows[1:-1]:
        rails_at(arrays, row[0], 0.0, out)
        np.testing.assert_allclose(out[:, :2].ravel(), row[1:], atol=1e-12)
    rails_at(arrays, 60.0, 0.0, out)
    np.testing.assert_allclose(out, 0.0, atol=1e-12)


def test_tracks_from_files():
    raw = {
        "name": "curve",
        "sections": [
            {"length": "100 m"},
            {"length": "60 m", "transition": True},
            {"length": "0.2 km", "radius": "-600 m", "cant": "90 mm"},
        ],
        "irregularity": {"spectrum": "erri-high", "seed": 5},
    }
    track = parse.build(Track, raw, source="test")
    assert track.length == pytest.approx(360.0)
    assert track.irregularity == RandomIrregularity(spectrum="erri-high", seed=5)
    with pytest.raises(FileError, match="radios: unknown key"):
        parse.build(Track, {"sections": [{"length": 1.0, "radios": 3.0}]}, source="test")


def test_refusals(tmp_path):
    with pytest.raises(ModelError, match="jumps from section 1 to 2"):
        Track(name="t", sections=(TrackSection(length=10.0), TrackSection(length=10.0, radius=300.0)))
    with pytest.raises(ModelError, match="a straight cannot have cant"):
        TrackSection(length=10.0, cant=0.1)
    with pytest.raises(ModelError, match="too small for a railway"):
        TrackSection(length=10.0, radius=20.0)
    with pytest.raises(ModelError, match="at least one section"):
        Track(sections=())
    with pytest.raises(ModelError, match="must exceed shortest"):
        RandomIrregularity(shortest=10.0, longest=5.0)
    five = (0.0, 1.0, 2.0, 3.0)
    with pytest.raises(ModelError, match="positions must increase, position 3"):
        MeasuredIrregularity(
            position=(0.0, 1.0, 1.0, 3.0),
            left_lateral=five,
            left_vertical=five,
            right_lateral=five,
            right_vertical=five,
        )
    bad = tmp_path / "bad.csv"
    bad.write_text("position,left_lateral\n0,1\n")
    with pytest.raises(FileError, match="no column left_vertical"):
        read_measured(bad)
    with pytest.raises(FileError, match="no such file"):
        read_measured(tmp_path / "none.csv")


def test_measured_irregularities_with_decimal_commas_between_commas(tmp_path):
    """0,25,0,001 …: the third of ten cells was taken for the second of five, without a word."""
    heads = "position,left_lateral,left_vertical,right_lateral,right_vertical\n"
    path = tmp_path / "rails.csv"
    path.write_text(heads + "".join(f"{k},{25 * k},0,{k},0,{k},0,{k},0,{k}\n" for k in range(1, 6)))
    with pytest.raises(FileError, match="row 2: 10 cells under 5 names"):
        read_measured(path)
    path.write_bytes(heads.encode("utf-8-sig") + b"".join(b"%d,0,0,0,0\n" % k for k in range(5)))
    assert read_measured(path).position == (0.0, 1.0, 2.0, 3.0, 4.0)
    path.write_text(heads + "0,0,0,0,0\n1,0,0,0,\n")
    with pytest.raises(FileError, match=r"row 3, column E \(right_vertical\): is empty"):
        read_measured(path)
