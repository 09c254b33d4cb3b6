"""Units of others as a side: real native code of both versions, and every way in which they can be wrong."""

import gc
import os
import tempfile
import zipfile
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

from panhead.errors import FileError, ModelError, SimulationError
from panhead.runs.coupled.participant import Port
from panhead.runs.fmi.foreign_fmu import ForeignUnit
from panhead.runs.fmi.model_description import read_model_description

from .native import EVERY, XML2, Mass, needs_compiler, unit

pytest.importorskip("fmpy")
VERSIONS = ("2.0", "3.0")
ROUND_OFF = 1e-12  # the same arithmetic in another language: a few units in the last place per step


def forces(n=20):
    return 30.0 * np.random.default_rng(1).normal(size=n)


@pytest.mark.parametrize("version", VERSIONS)
@needs_compiler
def test_native_unit_gives_the_answer_of_the_same_equations_here(tmp_path, version):
    """A held input is the mean of both ends, which is all such a unit can take."""
    F, here = forces(), Mass()
    with ForeignUnit(unit(tmp_path / "mass.fmu", version), trust=True) as there:
        assert [p.name for p in there.inputs] == ["F"]
        assert [p.name for p in there.outputs] == ["x", "v"]
        np.testing.assert_array_equal(there.observe(np.array([0.0])), [0.0, 0.0])
        for k in range(len(F) - 1):
            mean = (F[k] + F[k + 1]) / 2
            y = there.advance(0.01, F[k : k + 1], F[k + 1 : k + 2])
            np.testing.assert_allclose(y, here.advance(0.01, mean, mean), rtol=0, atol=ROUND_OFF)
        assert there.time == pytest.approx(0.19)


@needs_compiler
def test_inputs_run_straight_where_the_unit_follows_them(tmp_path):
    path = unit(tmp_path / "mass.fmu", "2.0", options=EVERY + ' canInterpolateInputs="true"')
    F, here = forces(), Mass()
    with ForeignUnit(path, trust=True) as there:
        for k in range(len(F) - 1):
            y = there.advance(0.01, F[k : k + 1], F[k + 1 : k + 2])
            np.testing.assert_allclose(y, here.advance(0.01, F[k], F[k + 1]), rtol=0, atol=ROUND_OFF)


@needs_compiler
def test_an_input_held_at_its_mean_errs_by_the_square_of_the_step(tmp_path):
    """F = cos 9t; the reference is the same native code, whose inputs run straight, in steps of 1/2048 s."""
    straight = unit(tmp_path / "s.fmu", "2.0", options=EVERY + ' canInterpolateInputs="true"')
    held = unit(tmp_path / "h.fmu", "3.0")

    def end(path, steps):
        F = np.cos(9.0 * np.arange(steps + 1) / steps)[:, None]
        with ForeignUnit(path, trust=True) as there:
            for a, b in pairwise(F):
                y = there.advance(1 / steps, a, b)
        return y

    errors = [np.abs(end(held, n) - end(straight, 2048)).max() for n in (64, 128)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("version", VERSIONS)
@needs_compiler
def test_goes_back_as_often_as_wanted_also_to_the_very_start(tmp_path, version):
    with ForeignUnit(unit(tmp_path / "mass.fmu", version), trust=True) as there:
        one = np.array([1.0])
        start = there.copy_state()
        first = [there.advance(0.01, one, one) for _ in range(3)]
        middle = there.copy_state()
        later = there.advance(0.01, one, one)
        for memory, wanted in ((start, first[0]), (middle, later), (start, first[0])):
            there.restore_copy(memory)
            np.testing.assert_array_equal(there.advance(0.01, one, one), wanted)
        assert there.time == 0.01


@pytest.mark.parametrize("version", VERSIONS)
@needs_compiler
def test_parameters_and_names_of_ports(tmp_path, version):
    path, here = unit(tmp_path / "mass.fmu", version), Mass(stiffness=200.0)
    names = {"inputs": {"force": "F"}, "outputs": {"speed": "v", "place": "x"}}
    with ForeignUnit(path, trust=True, parameters={"k": 200.0}, **names) as there:
        assert [p.name for p in there.outputs] == ["speed", "place"]
        y = there.advance(0.01, np.array([5.0]), np.array([5.0]))
        np.testing.assert_allclose(y, here.advance(0.01, 5.0, 5.0)[::-1], rtol=0, atol=ROUND_OFF)


@needs_compiler
def test_without_trust_nothing_is_unpacked_or_run(tmp_path, monkeypatch):
    path = unit(tmp_path / "mass.fmu", "2.0")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setattr(tempfile, "TemporaryDirectory", None)  # calling it would fail
    rights = r"native code that runs with your privileges.*trust=True"
    with pytest.raises(ModelError, match=rights):
        ForeignUnit(path)
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("version", VERSIONS)
@needs_compiler
def test_unpacked_files_go_when_it_is_closed_or_forgotten(tmp_path, version, monkeypatch):
    path = unit(tmp_path / "mass.fmu", version)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    there = ForeignUnit(path, trust=True)
    kept = there.copy_state()
    assert len(list(scratch.iterdir())) == 1
    there.close()
    there.close()
    assert list(scratch.iterdir()) == []
    with pytest.raises(SimulationError, match="closed or has failed"):
        there.advance(0.01, np.zeros(1), np.zeros(1))
    del kept
    there = ForeignUnit(path, trust=True)
    del there
    gc.collect()
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("version", VERSIONS)
@needs_compiler
def test_a_refused_step_is_told_with_the_units_own_words(tmp_path, version):
    with (
        ForeignUnit(unit(tmp_path / "mass.fmu", version), trust=True) as there,
        pytest.raises(SimulationError, match=r"failed to take the step of 2 s(.|\n)*too long"),
    ):
        there.advance(2.0, np.zeros(1), np.zeros(1))


@needs_compiler
def test_a_unit_that_ends_the_run_is_heard(tmp_path):
    with ForeignUnit(unit(tmp_path / "mass.fmu", "3.0"), trust=True) as there:
        for _ in range(5):
            there.advance(1.0, np.zeros(1), np.zeros(1))
        with pytest.raises(SimulationError, match="terminated the run at t = 6 s"):
            there.advance(1.0, np.zeros(1), np.zeros(1))


@pytest.mark.parametrize("version", VERSIONS)
@needs_compiler
def test_without_states_only_explicit_couplings(tmp_path, version):
    with ForeignUnit(unit(tmp_path / "mass.fmu", version, state=False), trust=True) as there:
        there.advance(0.01, np.zeros(1), np.zeros(1))
        with pytest.raises(ModelError, match="explicit coupling scheme: jacobi or gauss-seidel"):
            there.copy_state()


@needs_compiler
def test_equal_steps_where_the_unit_takes_no_others(tmp_path):
    with ForeignUnit(unit(tmp_path / "mass.fmu", "2.0", options=""), trust=True) as there:
        there.advance(0.01, np.zeros(1), np.zeros(1))
        with pytest.raises(ModelError, match="supports only a fixed step"):
            there.advance(0.02, np.zeros(1), np.zeros(1))


@pytest.mark.parametrize(
    "wishes, words",
    [
        ({"inputs": {"force": "G"}}, r"has no input 'G'; it has: F, n"),
        ({"outputs": {"y": "F"}}, r"has no output 'F'; it has: x, v"),
        ({"inputs": {"force": "n"}}, r"'n' \(Integer\) is not a single floating-point number"),
        ({"parameters": {"m": 1.0}}, r"has no parameter 'm'; it has: k"),
    ],
)
def test_a_variable_that_is_not_there_is_named_with_those_that_are(tmp_path, wishes, words):
    with pytest.raises(ModelError, match=words):
        ForeignUnit(unit(tmp_path / "mass.fmu", "2.0", library=False), trust=True, **wishes)


def bomb(path):
    head, rest = XML2.format(options="", interface="CoSimulation").split("\n", 1)
    doctype = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    return unit(path, "2.0", library=False, xml=f"{head}\n{doctype}\n{rest}")


def text(path):
    path.write_text("no zip")
    return path


def empty(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "nothing")
    return path


WRONG = {
    "missing": (lambda p: p, "no such file"),
    "not a zip": (text, "a zip archive"),
    "no description": (empty, "no modelDescription.xml"),
    "not XML": (lambda p: unit(p, "2.0", library=False, xml="<a>"), "is not XML"),
    "entities": (bomb, "declares a document type"),
    "FMI 1.0": (
        lambda p: unit(p, "2.0", library=False, xml='<fmiModelDescription fmiVersion="1.0"/>'),
        "FMI version '1.0'; supported are 2.0 and 3.0",
    ),
    "model exchange": (
        lambda p: unit(p, "2.0", library=False, interface="ModelExchange"),
        "no co-simulation interface .it offers ModelExchange.",
    ),
    "path as binary": (
        lambda p: unit(p, "2.0", library=False, xml=XML2.replace('Identifier="mass"', 'Identifier="../x"')
                       .format(options="", interface="CoSimulation")),
        "is not a valid binary name",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_no_unit_is_refused_in_words_before_anything_is_loaded(tmp_path, what):
    make, words = WRONG[what]
    with pytest.raises(FileError, match=words):
        read_model_description(make(tmp_path / "wrong.fmu"))


def test_another_machines_binary_and_a_broken_one(tmp_path):
    here = os.getcwd()
    with pytest.raises(FileError, match=r"no binary for this platform .*; it has: x86-amiga"):
        ForeignUnit(unit(tmp_path / "mass.fmu", "3.0", library=None), trust=True)
    with pytest.raises(FileError, match=r"no binary for this machine|its binary cannot be loaded"):
        ForeignUnit(unit(tmp_path / "mass.fmu", "2.0", library=False), trust=True)
    assert os.getcwd() == here


@needs_compiler
def test_a_unit_that_cannot_begin_says_why(tmp_path):
    xml = XML2.format(options=EVERY, interface="CoSimulation").replace("mass-token", "other")
    with pytest.raises(FileError, match=r"cannot be loaded(.|\n)*wrong token other"):
        ForeignUnit(unit(tmp_path / "mass.fmu", "2.0", xml=xml), trust=True)


def test_a_damaged_unit_is_read_or_refused_but_never_brings_the_reader_down(tmp_path):
    path = unit(tmp_path / "mass.fmu", "3.0", library=False)
    whole, rng = path.read_bytes(), np.random.default_rng(5)
    refused = 0
    for k in range(400):
        broken = bytearray(whole)
        for at in rng.integers(0, len(whole), size=1 + k % 5):
            broken[at] = rng.integers(0, 256)
        path.write_bytes(broken[: rng.integers(1, len(whole))] if k % 7 == 0 else broken)
        try:
            read_model_description(path)
        except FileError:
            refused += 1
    assert refused > 100


def test_units_of_measurement_with_a_factor_are_refused(tmp_path):
    units = '<UnitDefinitions><Unit name="kN"><BaseUnit kg="1" m="1" s="-2" factor="1e3"/></Unit></UnitDefinitions>'
    xml = XML2.format(options=EVERY, interface="CoSimulation")
    xml = xml.replace(" <ModelVariables>", f" {units}\n <ModelVariables>").replace('unit="N"', 'unit="kN"')
    path = unit(tmp_path / "mass.fmu", "2.0", library=False, xml=xml)
    with pytest.raises(ModelError, match=r"'F' is in 'kN'; ports are in SI units, so give a factor"):
        ForeignUnit(path, trust=True)


@needs_compiler
def test_an_output_that_is_no_number_ends_the_run(tmp_path):
    path = unit(tmp_path / "mass.fmu", "2.0")
    with (
        ForeignUnit(path, trust=True, parameters={"k": float("nan")}) as there,
        pytest.raises(SimulationError, match=r"output 'x' is nan, not a finite number"),
    ):
        there.advance(0.01, np.ones(1), np.ones(1))


def test_every_output_comes_from_somewhere_and_every_port_is_the_other_sides(tmp_path):
    path = unit(tmp_path / "mass.fmu", "2.0", library=False)
    with pytest.raises(ModelError, match="an output must come from a variable, not from None"):
        ForeignUnit(path, trust=True, outputs={"x": None})
    other = SimpleNamespace(inputs=(Port(name="x", unit="m"),), outputs=(Port(name="force", unit="N"),))
    with pytest.raises(ModelError, match="the other side has no port 'F'; it has: force"):
        ForeignUnit(path, trust=True, facing=other, inputs={"F": "F"})
    with pytest.raises(ModelError, match="has no input 'force'; it has: F, n"):
        ForeignUnit(path, trust=True, facing=other)
