"""FMUs of a rig: their descriptions are valid, and another tool's importer gets the run from them."""

import numpy as np
import pytest

from panhead.errors import ModelError
from panhead.runs.c_export.compiled_rig import compilers
from panhead.runs.c_export.native_fmu import VERSIONS, write_fmu
from panhead.runs.c_export.rig_export import INTERFACES, rig_sources, write_rig
from panhead.runs.simulate import simulate_one
from runs.features import example

fmpy = pytest.importorskip("fmpy")
pytestmark = pytest.mark.skipif(not compilers(), reason="no C compiler")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    found = tmp_path_factory.mktemp("rig")
    write_rig(rig_sources(example({})), found)
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_fmpy_gets_the_forces_of_the_run(folder, version):
    """The closed unit is the run: rounding of operations that are not fused, 1e-9 N."""
    from fmpy.validation import validate_fmu

    path = str(write_fmu(folder, "closed", version))
    assert validate_fmu(path) == []
    force = simulate_one(example({}))["contact_force"].to_numpy()[0]
    h, steps = 2e-3, 300
    found = fmpy.simulate_fmu(path, stop_time=steps * h, step_size=h, output_interval=h, output=["force_1", "flags"])
    assert found["force_1"][1 : steps + 1] == pytest.approx(force[:steps], abs=1e-9)
    assert found["flags"].max() == 0.0


@pytest.mark.parametrize("interface", INTERFACES)
def test_descriptions_are_valid(folder, interface):
    from fmpy.validation import validate_fmu

    if interface != "closed":
        assert validate_fmu(str(write_fmu(folder, interface, "3.0"))) == []


def test_an_unknown_version_is_refused(folder):
    with pytest.raises(ModelError, match=r"FMI version '1\.0'"):
        write_fmu(folder, "closed", "1.0")


def test_two_units_of_one_line_do_not_share_a_state(folder):
    """Every instance has a struct of its own, and a state taken earlier is given back to the bit."""
    from fmpy import extract, read_model_description
    from fmpy.fmi3 import FMU3Slave

    path = str(write_fmu(folder, "motion", "3.0"))
    d, there = read_model_description(path), extract(path)
    refs = {v.name: v.valueReference for v in d.modelVariables}
    units = [
        FMU3Slave(
            guid=d.guid, unzipDirectory=there, modelIdentifier=d.coSimulation.modelIdentifier, instanceName=f"u{k}"
        )
        for k in range(2)
    ]
    for unit in units:
        unit.instantiate()
        unit.enterInitializationMode()
        unit.exitInitializationMode()
    high = units[0].getFloat64([refs["height_1"]])[0] + 0.01
    units[0].setFloat64([refs["height_1"]], [high])
    found = []
    state = units[0].getFMUState()
    for _ in range(2):
        units[0].setFMUState(state)
        forces = []
        for n in range(20):
            for unit in units:
                unit.doStep(n * 2e-3, 2e-3)
            forces.append([unit.getFloat64([refs["force_1"]])[0] for unit in units])
        found.append(np.array(forces))
    np.testing.assert_array_equal(found[0][:, 0], found[1][:, 0])
    assert found[0][:, 0].max() > 10.0 + found[0][:, 1].max()
    units[0].freeFMUState(state)
    for unit in units:
        unit.terminate()
        unit.freeInstance()
