"""The virtual instrument beside closed forms, and measurements beside what they were made of."""

import numpy as np
import pytest
import xarray as xr

from panhead.desk.evidence.instrument import Measurement, agreement, read_columns, read_measurement
from panhead.desk.evidence.virtual_instrument import Instrument
from panhead.errors import FileError, ModelError, RunWarning

TIMES = np.arange(1, 10001) * 1e-3


def record(force, head=0.0):
    """One pantograph at 50 m/s under a wire 0.2 m to the left."""
    zero = np.zeros(TIMES.size)
    return xr.Dataset(
        {
            "contact_force": ("time", force + zero),
            "head_z": ("time", head + zero),
            "contact_x": ("time", 50.0 * TIMES),
            "contact_y": ("time", 0.2 + zero),
            "support_x": ("support", [100.0, 160.0]),
            "support_uplift": ("support", [0.05, 0.06]),
        },
        {"time": TIMES},
        {"judged_from": 1.0, "judged_to": 9.0},
    )


@pytest.mark.parametrize("corrected, left", [(None, 0.0), (0.0, 3.0), (2.0, 1.0), (4.0, -1.0)])
def test_what_is_not_corrected_is_felt_as_inertia(corrected, left):
    """z = A sin ωt: F̂ = F − (m − m_c) A ω² sin ωt; the filter leaves 2 Hz as it is but for its lag."""
    omega, size = 2 * np.pi * 2.0, 0.02
    told = Instrument(mass_above=3.0, mass_corrected=corrected).reads(record(120.0, size * np.sin(omega * TIMES)))[1]
    late = told[told.size // 2 :]
    assert np.ptp(late) / 2 == pytest.approx(abs(left) * size * omega**2, rel=0.01, abs=1e-6)


def test_two_sensors_share_the_force_by_the_place_of_the_wire():
    assert Instrument(sensor_spacing=1.0).largest_on_a_sensor(record(100.0)) == pytest.approx(70.0)


def test_a_filter_needs_samples():
    with pytest.raises(ModelError, match="too low"):
        Instrument(sampling=30.0)


def files(folder, scale=1.0, lift="52"):
    force = 120.0 + 30.0 * np.sin(2 * np.pi * 1.5 * TIMES)
    rows = "".join(
        f"{50 * t:.3f};{scale * f:.4f}\n".replace(".", ",")
        for t, f in zip(TIMES[2000:8000:5], force[2000:8000:5], strict=True)
    )
    (folder / "force.csv").write_text("Place;Force\nm;N\n" + rows)
    (folder / "uplift.csv").write_text(f"uplift,place\nmm,m\n{lift},100.2\n61,160\n")
    (folder / "m.toml").write_text('name = "trip"\nspeed = "180 km/h"\nforce = "force.csv"\nuplift = "uplift.csv"\n')
    return force


def test_agreement_is_told_by_the_accuracy_of_the_standard(tmp_path):
    force = files(tmp_path)
    found = {a.name: a for a in agreement(record(force), read_measurement(tmp_path / "m.toml"), tmp_path)}
    assert found["standard deviation"].computed == pytest.approx(30.0 / np.sqrt(2.0), rel=0.01)
    assert found["standard deviation"].agrees
    assert found["mean force"].agrees is None
    assert found["uplift at 100.2 m"].measured == pytest.approx(0.052)
    assert all(found[name].agrees for name in ("uplift at 100.2 m", "uplift at 160.0 m"))
    files(tmp_path, scale=1.4, lift="80")
    worse = {a.name: a for a in agreement(record(force), read_measurement(tmp_path / "m.toml"), tmp_path)}
    assert worse["standard deviation"].agrees is False
    assert worse["uplift at 100.2 m"].agrees is False


def test_wrong_files_are_told_by_row_and_column(tmp_path):
    files(tmp_path, lift="many")
    with pytest.raises(FileError, match=r"row 3, column A \(uplift\)"):
        read_columns(tmp_path / "uplift.csv", "uplift")
    with pytest.raises(FileError, match="row 1: no column uplift"):
        read_columns(tmp_path / "force.csv", "uplift")
    (tmp_path / "uplift.csv").unlink()
    with pytest.raises(FileError, match="file not found beside it"):
        read_measurement(tmp_path / "m.toml")
    with pytest.raises(ModelError, match="give force, uplift"):
        Measurement(name="n", speed=50.0)


COMMAS = "place,force\nm,N\n" + "".join(f"{k},5,134,{k % 10}\n" for k in range(50))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (COMMAS, "row 3: 4 cells under 2 names; decimal commas need semicolons"),
        ("place,force\nm,N\n1.5,134\n2.5,\n", r"row 4, column B \(force\): is empty"),
        ("place,force\nm,N\n", "holds no numbers"),
        ("place,force\n1.5,134\n2.5,135\n", r"column force: its unit is missing; write it below, or force \[N\]"),
        ("place,force\nm,mm\n1.5,134\n", r"row 2, column B \(force\).*measures something else"),
        ('place,force\nm,N\n"1,500",134.5\n', "the decimal mark"),
        ("", "has no rows"),
        ("nothing here", "no column place, force"),
        ("place,force\nm,N\n1,nan\n", r"row 3, column B \(force\)"),
        ("place,force\nm,N\n1,1e400\n", r"row 3, column B \(force\).*not finite"),
    ],
)
def test_a_measured_file_is_refused_when_its_measurement_is_read(tmp_path, text, words):
    """Decimal commas between commas were a mean of 4.0 N instead of 134.8 N; an empty file a traceback."""
    (tmp_path / "force.csv").write_text(text)
    (tmp_path / "m.toml").write_text('name = "trip"\nspeed = "180 km/h"\nforce = "force.csv"\n')
    with pytest.raises(FileError, match=f"(?s)force.csv\n.*{words}"):
        read_measurement(tmp_path / "m.toml")


def test_a_measured_file_that_is_not_utf_8(tmp_path):
    (tmp_path / "force.csv").write_bytes("place,force,Gerät\nm,N,\n1,134,x\n".encode("latin-1"))
    (tmp_path / "m.toml").write_text('name = "trip"\nspeed = "180 km/h"\nforce = "force.csv"\n')
    with pytest.warns(RunWarning, match=r"Windows-1252"):
        read_measurement(tmp_path / "m.toml")


def test_other_columns_of_a_measured_file_do_not_matter(tmp_path):
    (tmp_path / "force.csv").write_text("time,place,force_raw,force,speed\ns,km,N,N,m/s\n0,0.1,120,134.8,50\n")
    place, force = read_columns(tmp_path / "force.csv", "place", "force")
    assert (place.tolist(), force.tolist()) == ([100.0], [134.8])


def test_a_measured_force_in_the_wrong_unit_is_doubted(tmp_path):
    (tmp_path / "force.csv").write_text("place,force\nm,N\n1,0.134\n2,0.135\n")
    with pytest.warns(RunWarning, match=r"column B \(force\): no number is larger than 0.135 N"):
        read_columns(tmp_path / "force.csv", "place", "force")
