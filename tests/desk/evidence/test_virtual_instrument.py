"""The virtual instrument: cells, corrections, noise, delay and its calibration."""

import numpy as np
import pytest
import xarray as xr

from panhead.desk.evidence.instrument_error import calibrate_instrument, error_on_run, filtered_noise, head_receptance
from panhead.desk.evidence.instrument_record import write_record
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import ModelError
from panhead.railway.pantograph.lumped_pantograph import read_pantograph

TIMES = np.arange(1, 4001) * 1e-3
SPEED = 50.0


def record(head: np.ndarray | float = 0.0, y: float = 0.0) -> xr.Dataset:
    """A force of 100 N with a sine of 2 Hz."""
    n = TIMES.size
    table = {
        "contact_force": ("time", 100.0 + 10.0 * np.sin(4 * np.pi * TIMES)),
        "contact_x": ("time", SPEED * TIMES),
        "contact_y": ("time", np.full(n, y)),
        "head_z": ("time", np.zeros(n) + head),
        "judged_from": 1.0,
        "judged_to": 3.0,
    }
    return xr.Dataset(table, {"time": TIMES})


def test_cells_share_the_force_and_add_up():
    cells = Instrument(sensor_spacing=0.8).cell_forces(record(y=0.2))
    np.testing.assert_allclose(cells.sum(axis=1), record()["contact_force"], rtol=1e-12)
    np.testing.assert_allclose(cells[:, 0] / cells[:, 1], (0.5 + 0.25) / (0.5 - 0.25))


def test_inertia_and_lift_stay_unless_they_are_corrected():
    moving = record(0.005 * np.sin(4 * np.pi * TIMES))
    error = lambda **given: error_on_run(Instrument(mass_above=3.0, lift_above=1e-3, **given), moving)
    assert error().rms < 1e-9
    assert error(lift_corrected=0.0).mean == pytest.approx(-1e-3 * SPEED**2, rel=1e-3)
    inertia = 3.0 * 0.005 * (4 * np.pi) ** 2 / np.sqrt(2.0)
    assert error(mass_corrected=0.0).rms == pytest.approx(inertia, rel=1e-2)


def test_gain_offset_and_place_show_in_the_steady_calibration():
    head = read_pantograph("en50318-2002")
    skew = calibrate_instrument(Instrument(cell_gain=(1.1, 0.9, 1.1, 0.9), cell_offset=(1.0, 0.0, 0.0, 1.0)), head)
    assert skew.gain == pytest.approx(1.0)
    assert skew.offset == pytest.approx(2.0)
    assert skew.worst == pytest.approx(300.0 * 0.1 * 0.8 + 2.0)
    assert not calibrate_instrument(Instrument(mass_above=4.0, mass_corrected=0.0), head).accepted
    assert calibrate_instrument(Instrument(mass_above=4.0), head).accepted


def test_the_receptance_is_the_static_one_at_low_frequency():
    head = read_pantograph("en50318-2002")
    stiffness = 1.0 / sum(1.0 / s.stiffness for s in head.stages)
    assert head_receptance(head, np.array([1e-4]))[0].real == pytest.approx(1.0 / stiffness, rel=1e-3)


def test_noise_is_repeatable_and_of_the_size_told():
    instrument = Instrument(cell_noise=2.0, seed=4)
    read = instrument.reads(record(), noisy=True)[1]
    np.testing.assert_array_equal(read, instrument.reads(record(), noisy=True)[1])
    rms = np.mean([error_on_run(Instrument(cell_noise=2.0, seed=k), record()).rms ** 2 for k in range(60)]) ** 0.5
    assert rms == pytest.approx(filtered_noise(instrument), rel=0.06)


def test_a_delay_puts_the_force_behind_its_place():
    late = error_on_run(Instrument(delay=0.05), record())
    shifted = np.interp(late.times - 0.05, late.times, late.true)
    np.testing.assert_allclose(late.read[40:], shifted[40:], atol=0.05)


def test_the_record_is_a_table_that_compare_and_calibrate_read(tmp_path):
    path = write_record(tmp_path / "a.csv", Instrument(), record(), shift=0.5)
    lines = path.read_text().splitlines()
    assert lines[:2] == ["time,place,force", "s,m,N"]
    assert float(lines[2].split(",")[1]) == pytest.approx(SPEED * TIMES[0] + 0.5)


def test_cells_need_one_number_each():
    with pytest.raises(ModelError, match="cell_gain needs 4 numbers"):
        Instrument(cell_gain=(1.0,))
