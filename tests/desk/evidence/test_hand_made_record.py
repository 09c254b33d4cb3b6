"""A record made by hand, whose content is known: what judge, upkeep and instrument say of it, beside sums on paper.

No function and no constant of the package makes a reference here: amplitudes, turning points and the numbers of the
laws are typed, filters are SciPy's.
"""

import math

import numpy as np
import pytest
import xarray as xr
from scipy import signal

from panhead.assess import judge, judgement
from panhead.desk.evidence.maintenance import DropperFatigue, Upkeep, dropper_lives, wear_along
from panhead.desk.evidence.virtual_instrument import Instrument

STEP, SPEED = 2e-3, 50.0  # [s], [m/s]
TIMES = STEP * np.arange(5001)
#: amplitude [N] and frequency [Hz], whole periods in the eight seconds judged: two below 2 Hz, one below 5, two to 20,
#: one above
SINES = ((20.0, 0.5), (8.0, 1.5), (12.0, 3.5), (9.0, 7.0), (5.0, 15.0), (10.0, 35.0))
MEAN = 130.0
#: N of each dropper at its turning points, straight in between
DROPPERS = (
    (80.0, 20.0, 180.0, 100.0, 120.0, 60.0, 140.0, 80.0),
    (50.0, 90.0, 50.0, 90.0, 50.0, 90.0, 50.0, 90.0),
    (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
)
#: cycles of each by ASTM E1049, 5.4.4, counted on paper, range → count: 80–20 is left behind by 20–180, ½ of 60;
#: 100–120 is closed by 120–60, 1 of 20; 20–180, 180–60, 60–140 and 140–80 are left, ½ each
CYCLES = ({20.0: 1.0, 60.0: 0.5 + 0.5, 80.0: 0.5, 120.0: 0.5, 160.0: 0.5}, {40.0: 3.5}, {})


def force() -> np.ndarray:
    return MEAN + sum(a * np.sin(2 * math.pi * f * TIMES) for a, f in SINES)


@pytest.fixture(scope="module")
def record() -> xr.Dataset:
    """One pantograph at 50 m/s, judged from 1 s to 9 s: 50 m to 450 m."""
    corners = 1.4 * np.arange(8)  # each on a sample; then it rests
    pulls = np.stack([np.interp(TIMES, corners, points) for points in DROPPERS], axis=1)
    return xr.Dataset(
        {
            "contact_force": (("pantograph", "time"), force()[None]),
            "contact_x": (("pantograph", "time"), SPEED * TIMES[None]),
            "head_z": (("pantograph", "time"), 5.0 + 0.0 * TIMES[None]),
            "dropper_force": (("sample", "dropper"), pulls),
            "dropper_x": ("dropper", [100.0, 200.0, 300.0]),
            "dropper_name": ("dropper", ["a", "b", "c"]),
            "slack_dropper": ("slackening", [2, 0, 2]),
        },
        {"time": TIMES, "pantograph": ["one"]},
        {"solver": "linear", "speed": SPEED, "supply": "25 kV AC", "edition": "en50367-2012", "judged_from": 1.0,
         "judged_to": 9.0},
    )  # fmt: skip


def judged() -> np.ndarray:
    return (TIMES >= 1.0 - 1e-9) & (TIMES < 9.0 - 1e-9)


def as_measured() -> np.ndarray:
    """By SciPy: sixth-order Butterworth at 20 Hz, at rest in the first sample."""
    sections = signal.butter(6, 20.0, fs=1.0 / STEP, output="sos")
    values = force()
    return signal.sosfilt(sections, values, zi=signal.sosfilt_zi(sections) * values[0])[0]


def test_the_judge_tells_what_was_put_in(record):
    """0.02 N: the window has both its ends, one sample more than whole periods; bands by amplitudes alone."""
    found = {c.key: c.value for c in judgement(judge(record))[""]["one"]}
    within = lambda low, high: math.sqrt(sum(a * a / 2 for a, f in SINES if low <= f < high))
    for key, low, high in (("0_2", 0, 2), ("0_5", 0, 5), ("5_20", 5, 20), ("0_20", 0, 20)):
        assert found[f"deviation_{key}"] == pytest.approx(within(low, high), abs=0.02), key
    measured = as_measured()[judged()]
    assert found["mean_force"] == pytest.approx(MEAN, abs=0.02)
    assert found["deviation"] == pytest.approx(measured.std(), abs=0.02)
    assert found["deviation"] == pytest.approx(within(0, 20), rel=0.005)  # the filter takes a little of 15 Hz
    assert found["actual_max"] == pytest.approx(measured.max(), abs=1e-6)
    assert found["actual_min"] == pytest.approx(measured.min(), abs=1e-6)
    assert found["statistical_max"] == pytest.approx(MEAN + 3 * measured.std(), abs=0.08)
    assert found["contact_loss"] == 0.0


def test_an_instrument_reads_what_scipy_filters(record):
    """Sampled at 200 Hz from steps of 2 ms, between which it interpolates."""
    at, told = Instrument().reads(record.isel(pantograph=0))
    np.testing.assert_allclose(told, np.interp(at, TIMES, as_measured()), atol=1e-6)


def test_lives_of_droppers_whose_cycles_were_counted_on_paper(record):
    """Miner with N = 2·10⁶ (150 MPa/Δσ)⁴ on 10 mm², as the page of the laws prints it."""
    lives = {life.name: life for life in dropper_lives(record, DropperFatigue())}
    for name, cycles in zip("abc", CYCLES, strict=True):
        damage = sum(n / (2e6 * (150e6 / (span / 10e-6)) ** 4) for span, n in cycles.items())
        life = lives[name]
        assert life.cycles == sum(cycles.values())
        assert life.largest == pytest.approx(max(cycles, default=0.0))
        assert life.passages == (pytest.approx(1.0 / damage) if damage else math.inf)
        assert life.equivalent == pytest.approx(sum(n * span**4 for span, n in cycles.items()) ** 0.25)
    assert [life.name for life in dropper_lives(record, DropperFatigue())] == ["a", "b", "c"]  # shortest life first
    assert [lives[name].slackenings for name in "abc"] == [1, 0, 2]


def test_wear_where_the_force_is_known(record):
    """Cells of 5 m, 0.1 s each: 120 N, none at all from 250 m to 255 m, 60 N behind; 250 A of 500 A, v₀ = 55 m/s.

    w = 0.6 (F/120) (0.75)^−½ + 0.4 · 0.25 · (120/F)^½ · 1.1 in contact, 20 · 0.5 · 1.1 without.
    """
    steps = np.where(TIMES < 5.0 - 1e-9, 120.0, np.where(TIMES < 5.1 - 1e-9, 0.0, 60.0))
    stepped = record.assign(contact_force=(("pantograph", "time"), steps[None]))
    x, wear = wear_along(stepped, Upkeep(current=250.0, cell=5.0))
    np.testing.assert_allclose(x, 52.5 + 5.0 * np.arange(80), atol=1e-9)
    before = 0.6 / math.sqrt(0.75) + 0.4 * 0.25 * 1.1
    behind = 0.6 * 0.5 / math.sqrt(0.75) + 0.4 * 0.25 * math.sqrt(2.0) * 1.1
    # a cell has 50 samples; where rounding puts the one on its edge decides a fiftieth of the step of wear
    np.testing.assert_allclose(wear[:39], before, rtol=1e-12)
    np.testing.assert_allclose(wear[42:], behind, rtol=1e-12)
    assert wear[40] == pytest.approx(20.0 * 0.5 * 1.1, rel=0.02)
    assert wear.sum() == pytest.approx(40 * before + 39 * behind + 11.0, rel=0.003)
