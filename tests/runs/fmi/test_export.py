"""Our sides as units: valid, self-contained, and with the in-process answer in an independent importer."""

import json
import subprocess
import sys
import zipfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from railway.line.builders import plain_line

from panhead.errors import FileError, ModelError, SimulationError
from panhead.railway.pantograph.pantograph_files import read_pantograph
from panhead.runs.fmi import exportable_units
from panhead.runs.fmi.exportable_units import LineUnit, PantographUnit
from panhead.runs.fmi.fmu_export import export
from panhead.runs.fmi.foreign_fmu import ForeignUnit
from panhead.runs.fmi.model_description import read_model_description

fmpy = pytest.importorskip("fmpy")
pytest.importorskip("pythonfmu")
pytest.importorskip("pythonfmu3")

VERSIONS = ("2.0", "3.0")
ROUND_OFF = 1e-12  # rates of inputs are divided by dt and multiplied again: an ulp or two of the inputs
SPEED, DT = 70.0, 1e-3
PANTOGRAPH = PantographUnit(pantograph=read_pantograph("en50318-2002"), speed=SPEED, strip=5.0, steps=2)
LINE = LineUnit(line=plain_line(spans=4), speed=SPEED, start=70.0, element_length=2.0)


@pytest.fixture(scope="module", params=VERSIONS)
def pantograph(request, tmp_path_factory):
    return export(PANTOGRAPH, tmp_path_factory.mktemp("fmu") / "p.fmu", fmi=request.param)


def contacts(n):
    """Force, lateral place and its rate, rough and smooth."""
    rng = np.random.default_rng(3)
    return np.stack([150 + 80 * rng.normal(size=n), 0.2 * rng.normal(size=n), np.zeros(n)], axis=1)


def test_description_is_valid_and_says_what_it_needs(pantograph):
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(pantograph)) == []
    d = read_model_description(pantograph)
    assert d.name == "EN 50318:2002 reference pantograph"
    assert "needs Python with panhead" in d.about
    assert d.keeps_state
    assert d.variable_step
    side = PANTOGRAPH.side()
    assert [(p.name, p.unit) for p in side.outputs] == [(v.name, v.unit) for v in d.by_causality("output")]
    own = [(v.name, v.unit) for v in d.by_causality("input") if not v.name.startswith("der(")]
    assert [(p.name, p.unit) for p in side.inputs] == own


def test_inputs_that_run_straight_give_the_in_process_answer(pantograph):
    u, side = contacts(30), PANTOGRAPH.side()
    with ForeignUnit(pantograph, trust=True) as there:
        np.testing.assert_array_equal(there.observe(u[0]), side.observe(u[0]))
        for a, b in pairwise(u):
            y = there.advance(DT, a, b)
            np.testing.assert_allclose(y, side.advance(DT, a, b), rtol=0, atol=ROUND_OFF)
    assert np.abs(y - [5.0, 0.0]).max() > 1e-3  # it has moved


SCRIPT = """
import json, sys
import fmpy, numpy as np
begin, paths = float(sys.argv[1]), sys.argv[2:]
given = json.loads(sys.stdin.read())
rows = [(begin + k * 1e-3, *row) for k, row in enumerate(given)]
kinds = [("time", float)] + [(n, float) for n in ("force_1", "lateral_1", "lateral_rate_1")]
found = [
    fmpy.simulate_fmu(
        path, start_time=begin, stop_time=begin + (len(given) - 1) * 1e-3, output_interval=1e-3,
        fmi_type="CoSimulation", input=np.array(rows, dtype=kinds), output=["height_1", "rate_1"],
    )
    for path in paths
]
print(json.dumps([[list(map(float, row)) for row in run] for run in found]))
"""


def test_fmpys_own_loop_in_another_process_gives_the_in_process_answer(tmp_path):
    """Its inputs are held over a step, as FMI has it for who sets no rates; and its clock may start anywhere."""
    u, side, begin = contacts(20), PANTOGRAPH.side(), 2.5
    paths = [str(export(PANTOGRAPH, tmp_path / f"p{v[0]}.fmu", fmi=v)) for v in VERSIONS]
    told = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(begin), *paths],
        input=json.dumps(u.tolist()), capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    expected = [side.observe(u[0])] + [side.advance(DT, a, a) for a in u[:-1]]
    for found in np.array(json.loads(told.stdout.splitlines()[-1])):  # fmpy prints a few words before
        np.testing.assert_allclose(found[:, 0], begin + DT * np.arange(20), atol=1e-12)
        np.testing.assert_allclose(found[:, 1:], expected, rtol=0, atol=ROUND_OFF)


def test_a_state_survives_as_bytes_in_another_instance(pantograph):
    u = contacts(10)
    with ForeignUnit(pantograph, trust=True) as one, ForeignUnit(pantograph, trust=True) as other:
        for k in range(5):
            one.advance(DT, u[k], u[k + 1])
        native, fresh = one._loaded._unit, other._loaded._unit
        memory = one.copy_state()  # held: it is freed in the unit when nobody holds it
        text = native.serializeFMUState(memory.state)
        other.advance(DT, u[0], u[1])  # anywhere else
        kept = fresh.deserializeFMUState(text)
        fresh.setFMUState(kept)
        fresh.freeFMUState(kept)
        everything = [v.reference for v in one.description.variables if v.name != "time"]
        values = one._loaded.calls.get_floats(everything)
        assert other._loaded.calls.get_floats(everything) == values  # inputs and their rates as well
        other._time = one.time
        for k in range(5, 9):
            wanted = one.advance(DT, u[k], u[k + 1])
            np.testing.assert_array_equal(other.advance(DT, u[k], u[k + 1]), wanted)


def test_the_unit_is_data_and_a_few_lines_of_python(pantograph):
    """No pickle, no path of this machine, nothing left on ours."""
    with zipfile.ZipFile(pantograph) as archive:
        kinds = {name.rsplit(".", 1)[-1] for name in archive.namelist()}
        assert kinds <= {"py", "toml", "txt", "xml", "so", "dll", "hpp", "cpp"}
        text = archive.read("resources/unit.toml").decode()
        for name in archive.namelist():
            assert str(pantograph.parent).encode() not in archive.read(name), name
            assert b"panhead-fmu-" not in archive.read(name) or name.endswith(".py"), name
        assert any(name.startswith("documentation/licenses/pythonfmu") for name in archive.namelist())
    assert exportable_units.read(text, "unit.toml") == PANTOGRAPH
    assert not any("panhead-fmu-" in place for place in sys.path)
    assert not any(name.startswith("panhead_unit") for name in sys.modules)


def test_the_line_as_a_unit_and_what_it_says_at_its_end(tmp_path):
    """A strip that presses up by a centimetre; after the last mast the unit refuses, in our words."""
    path, side = export(LINE, tmp_path / "line.fmu"), LINE.side()
    z = float(side.contact[0, 3])
    with ForeignUnit(path, trust=True) as there:
        u0 = np.array([z, 0.0])
        for k in range(1, 40):
            u1 = np.array([z + 0.01 * min(1.0, k / 20), 0.0])
            expected = side.advance(DT, u0, u1)
            np.testing.assert_allclose(there.advance(DT, u0, u1), expected, rtol=ROUND_OFF, atol=1e-10)
            u0 = u1
        assert expected[0] > 10.0
        with pytest.raises(SimulationError, match=r"failed to take the step(.|\n)*outside the modelled line"):
            there.advance(10.0, u0, u0)


def test_what_cannot_be_written_is_said_and_leaves_nothing(tmp_path, monkeypatch):
    with pytest.raises(ModelError, match=r"FMI version '1.0' cannot be exported; available: 2.0, 3.0"):
        export(PANTOGRAPH, tmp_path / "p.fmu", fmi="1.0")
    with pytest.raises(FileError, match=r"must end in \.fmu"):
        export(PANTOGRAPH, tmp_path / "p.zip")
    whole = tmp_path / "p.fmu"
    whole.write_text("kept")

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError, match="cannot be written: disk full"):
        export(PANTOGRAPH, whole)
    assert whole.read_text() == "kept"
    assert [p.name for p in tmp_path.iterdir()] == ["p.fmu"]


@pytest.mark.parametrize("package, work", [
    ("fmpy", lambda p: ForeignUnit(p, trust=True)),
    ("pythonfmu3", lambda p: export(PANTOGRAPH, p.with_name("q.fmu"))),
    ("pythonfmu", lambda p: export(PANTOGRAPH, p.with_name("q.fmu"), fmi="2.0")),
])  # fmt: skip
def test_without_the_extra_it_is_asked_for(pantograph, monkeypatch, package, work):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ModelError, match=rf"package {package}.*pip install 'panhead\[fmi\]'"):
        work(pantograph)


def test_another_format_of_the_description_is_refused():
    text = exportable_units.write(PANTOGRAPH)
    with pytest.raises(FileError, match=r"in format 7; panhead .*export the FMU again"):
        exportable_units.read(text.replace("format = 2", "format = 7"), "unit.toml")
    with pytest.raises(FileError, match="kind 'boat' is not one of"):
        exportable_units.read(text.replace('kind = "pantograph"', 'kind = "boat"'), "unit.toml")
    with pytest.raises(FileError, match=r"steps: Input should be a valid integer"):
        exportable_units.read(text.replace("steps = 2", 'steps = "many"'), "unit.toml")
