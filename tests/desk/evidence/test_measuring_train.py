"""Files of a measuring train: channels, relations between them, what is missing, conversion."""

import numpy as np
import pytest

from panhead.desk.evidence.measuring_train import contact_force, read_train_record, relations
from panhead.desk.evidence.train_record_csv import record_csv
from panhead.errors import FileError

HEAD = "Track;Location;Speed [km/h];AccZ 1.1 [m/s**2];AccZ 1.2 [m/s**2];AccZ 2.1 [m/s**2];AccZ 2.2 [m/s**2];"
HEAD += "F 1.1 [N];F 1.2 [N];F 2.1 [N];F 2.2 [N];FInt [N];FComp [N];FExt [N];Stagger [mm];Height [mm]\n"


def force_file(path, *, mass=5.0, rows=40, slip=None):
    """Rows whose sums are exact and whose FComp = FInt + FExt − m ā; the first row has the forces of a real one."""
    rng = np.random.default_rng(1)
    text = HEAD
    for k in range(rows):
        f = [11.70, 28.15, 19.75, 20.07] if k == 0 else list(np.round(20.0 + 5.0 * rng.standard_normal(4), 2))
        a = 2.55 / mass if k == 0 else float(np.round(rng.standard_normal(), 3))
        inner, outer = f[0] + f[1], f[2] + f[3]
        if slip == k:
            inner += 1.0
        cells = [
            160.0,
            a,
            a,
            a,
            a,
            *f,
            inner,
            inner + outer - mass * a - (1.0 if slip == k else 0.0),
            outer,
            120.0,
            1500.0,
        ]
        text += f"2;012+{0.25 * k:07.2f};" + ";".join(f"{x:.4f}" for x in cells) + "\n"
    path.write_text(text)
    return path


def test_channels_and_relations_of_a_force_file(tmp_path):
    record = read_train_record(force_file(tmp_path / "force.csv"), "force")
    assert record.missing == ()
    assert record.place[:3] == pytest.approx([12000.0, 12000.25, 12000.5])
    assert record.channels["speed"][0] == pytest.approx(160 / 3.6)
    assert record.channels["stagger"][0] == pytest.approx(0.12)
    inner, outer, inertia, step = relations(record)
    assert inner.holds
    assert outer.holds
    assert inertia.note.startswith("mass 5 kg")
    assert inertia.largest < 0.01  # four decimals of four forces
    assert step.largest < 1e-6
    assert contact_force(record)[1][0] == pytest.approx(77.12, abs=0.01)  # 39.85 + 39.82 − 2.55


def test_the_wrong_sign_of_the_inertia_term_is_noticed(tmp_path):
    record = read_train_record(force_file(tmp_path / "force.csv"), "force")
    (_, _, inertia, _) = relations(record, inertia_sign=1)
    assert "negative: try the other sign" in inertia.note


def test_a_sum_that_is_off_is_counted(tmp_path):
    record = read_train_record(force_file(tmp_path / "force.csv", slip=7), "force")
    inner = next(iter(relations(record)))
    assert (inner.holds, inner.beyond, inner.rows) == (False, 1, 40)
    assert inner.largest == pytest.approx(1.0, abs=1e-3)


def test_missing_channels_and_other_names(tmp_path):
    file = tmp_path / "force.csv"
    file.write_text("Paikka,Voima [N]\n001+010.00,71.5\n001+010.25,72.5\n")
    record = read_train_record(file, "force", {"Paikka": "location", "Voima": "fcomp"})
    assert "fint" in record.missing
    assert "speed" in record.missing
    assert [r.name for r in relations(record)] == ["equal distances of rows"]
    assert record_csv(record).splitlines()[1] == "1010.000,71.500"


def test_a_location_that_is_no_kilometre_is_refused(tmp_path):
    file = tmp_path / "force.csv"
    file.write_text("Location,FComp [N]\nsomewhere,71.5\n")
    with pytest.raises(FileError, match=r"row 2.*is not km\+m"):
        read_train_record(file, "force")


def test_geometry_becomes_a_survey_of_the_lower_wire(tmp_path):
    file = tmp_path / "geometry.csv"
    file.write_text(
        "Location,Stagger 1 [mm],Stagger 2 [mm],Height 1 [mm],Height 2 [mm],Pole\n"
        "001+000.00,200,-150,5300,5450,17\n001+000.25,201,-151,5301,,\n001+000.50,202,-152,5402,5302,\n"
    )
    record = read_train_record(file, "geometry")
    assert record.poles == ((1000.0, "17"),)
    assert record_csv(record).splitlines()[1:] == [
        "1000.000,5.3000,0.2000", "1000.250,5.3010,0.2010", "1000.500,5.3020,-0.1520",
    ]  # fmt: skip
