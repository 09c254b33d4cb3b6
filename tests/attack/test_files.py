"""What is read from outside: two thousand mutated descriptions, damaged structures, units and results."""

import contextlib
import json
import random

import numpy as np
import pytest
from desk.reports import synthetic

from attack import damage, mutations
from panhead.assess import limits
from panhead.desk.reports import page_of
from panhead.errors import FileError, ModelError, PanheadError
from panhead.files import parse, results
from panhead.railway.line.line_files import read_line
from panhead.railway.line.strung_line import string
from panhead.runs import scenarios

SHARE = 8  # workers share the mutations


@pytest.mark.parametrize("part", range(SHARE))
def test_mutated_descriptions_are_read_or_refused(part, tmp_path):
    with mutations.bounded():
        found = [mutations.attempt(seed, tmp_path) for seed in range(part, 2000, SHARE)]
    assert [a for a in found if a.failure] == []
    assert sum(a.beyond for a in found) >= 0.2 * len(found)  # or the door alone is tried


@pytest.mark.parametrize(
    "make, read",
    [
        (damage.wrong_npz, damage.read_npz),
        (damage.wrong_market, damage.read_market),
        (damage.wrong_unit, damage.read_unit),
    ],
)
def test_damaged_numbers_are_read_or_refused(make, read, tmp_path):
    """Sizes that lie, indices out of range, text for numbers: some of it brought the process down."""
    with mutations.bounded():
        for seed in (*range(150), 10340):  # the last: names in a unit that are no UTF-8
            with contextlib.suppress(PanheadError):
                read(make(random.Random(seed)), tmp_path)


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    inputs = scenarios.read("en50318-300").inputs()
    result = results.with_provenance(synthetic.run(step=0.02), inputs)
    return results.save(result, tmp_path_factory.mktemp("sound") / "result.nc")


def test_damaged_results_are_read_or_refused(sound, tmp_path, monkeypatch):
    ignored = []
    monkeypatch.setattr("sys.unraisablehook", ignored.append)
    path = tmp_path / "result.nc"
    for seed in range(20):
        damage.wrong_result(sound, path, random.Random(seed))
        with mutations.bounded():
            try:
                if seed % 4:
                    scenarios.read(str(path))
                else:
                    read = results.load(path)
                    with results.damaged_file_error(path):
                        page_of(read)
            except FileError as error:
                assert str(path) in str(error)
    assert ignored == []


@pytest.mark.parametrize("text", ["{", "[]", "3", '{"a": ' * 3000, '{"kind": ' + "9" * 5000 + "}"])
def test_a_result_with_broken_inputs_names_them(text, sound, tmp_path):
    broken = results.save(results.load(sound).assign_attrs(inputs=text), tmp_path / "broken.nc")
    with pytest.raises(FileError, match=r"broken.nc\n.*inputs"):
        scenarios.read(str(broken))


def test_a_result_that_lacks_a_variable_names_it(sound, tmp_path):
    broken = results.save(results.load(sound).drop_vars("elasticity_x"), tmp_path / "broken.nc")
    with pytest.raises(FileError, match=r"broken.nc\n.*elasticity_x"), results.damaged_file_error(broken):
        page_of(results.load(broken))


LINE = """name = "own"
dropper = { stiffness = "100 kN/m" }
support = { encumbrance = "1.2 m" }
tension_lengths = [{ spans = [{ length = "60 m", count = COUNT, dropper_count = DROPPERS }] }]
[wires]
contact = { tension = "20 kN", mass_per_length = 1.35 }
messenger = { tension = "16 kN", mass_per_length = 1.07 }
"""


def own_line(folder, *, count="3", droppers="9", text=LINE):
    path = folder / "own.toml"
    path.write_text(text.replace("COUNT", count).replace("DROPPERS", droppers), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "words, message",
    [
        ({"count": "2000000000"}, "count must be at most 5000"),
        ({"droppers": "1000000000"}, "dropper_count must be at most 1000"),
        ({"droppers": "9, lenght = 3"}, "lenght: unknown key .* did you mean 'length'"),
        ({"droppers": "9, x = " + "9" * 4301}, "is not valid TOML"),
        ({"droppers": "9, x = " + "9" * 400}, "more than 64 bits"),
        ({"droppers": "9, x = " + "[" * 3000}, "nested more than 32"),
        ({"droppers": "9, x" + ".x" * 40 + " = 1"}, "nested more than 32"),
    ],
)
def test_sizes_have_limits(words, message, tmp_path):
    with pytest.raises(FileError, match=message):
        read_line(own_line(tmp_path, **words))


def test_droppers_to_an_auxiliary_wire_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match=r"span 1: auxiliary_positions are given, but there is no auxiliary wire"):
        read_line(own_line(tmp_path, droppers="9, auxiliary_positions = [10, 30]"))


@pytest.mark.parametrize("loops", [float("inf"), float("nan"), 0.5, "4"])
def test_a_number_of_parts_that_is_none(loops):
    with pytest.raises(ModelError, match="parameter loops must be a whole number > 0"):
        scenarios.read("four-bar-n", changes={"parameters": {"loops": loops}})


def test_a_line_of_many_repeated_tension_lengths(tmp_path):
    many = LINE.replace("[{ spans", "[{ repeat = 90000, spans")
    with pytest.raises(FileError, match="at most 100000 spans, got 270000"):
        read_line(own_line(tmp_path, text=many))


def test_what_is_no_file(tmp_path):
    with pytest.raises(FileError, match="is not a file"):
        parse.read_toml("/dev/zero")
    with pytest.raises(FileError, match="did you mean 'en50318-2002'"):
        read_line("en50318-2022")
    with pytest.raises(FileError, match="neither a file nor"):
        read_line("x" * 10_000)
    large = tmp_path / "large.toml"
    large.write_bytes(b"#" * 16_000_001)
    with pytest.raises(FileError, match="larger than the limit of 16 MB"):
        parse.read_toml(large)


def test_a_byte_order_mark_is_read(tmp_path):
    path = own_line(tmp_path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_line(path).name == "own"


def test_a_study_is_no_single_run():
    with pytest.raises(FileError, match=r"use .panhead study x"):
        scenarios.from_plain({"kind": "study"}, source="x.toml")


def test_a_kind_that_is_a_list():
    with pytest.raises(FileError, match=r"kind: must be one of .* \(given \['run'\]\)"):
        scenarios.from_plain({"kind": ["run"]}, source="x.toml")


LIMITS = """name = "own"
about = "x"
INCLUDES
[[limit]]
quantity = "QUANTITY"
bound = "upper"
value = VALUE
clause = "1"
status = "quoted"
"""


@pytest.mark.parametrize(
    "words, message",
    [
        ({"VALUE": "nan"}, "value must be finite"),
        ({"VALUE": "1", "QUANTITY": "mean_forze"}, "did you mean 'mean_force'"),
        ({"VALUE": "1", "INCLUDES": 'includes = ["own.toml"]'}, "includes itself"),
        ({"VALUE": "1", "[[limit]]": "limit = [3]\n[x]"}, "limit"),
        ({"VALUE": "1", "[[limit]]": "limit = 3\n[x]"}, "limit"),
    ],
)
def test_limits_that_are_none(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = LIMITS
    for old, new in (
        words | {"INCLUDES": words.get("INCLUDES", ""), "QUANTITY": words.get("QUANTITY", "uplift")}
    ).items():
        text = text.replace(old, new)
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(FileError, match=message):
        limits.read("own.toml")


def test_an_unknown_standard_is_refused_before_the_run():
    from panhead.runs.resolve import resolve

    run = scenarios.read("en50318-300", ["standard=en50367-2021"]).description
    with pytest.raises(FileError, match="did you mean 'en50367-20"):
        resolve(run)


@pytest.mark.parametrize("encumbrance", ["1.4 mm", "0.3 m"])
def test_wires_that_meet_name_the_place(encumbrance, tmp_path):
    """Crossing wires made the stringing singular, without a word of why."""
    line = read_line(own_line(tmp_path, text=LINE.replace("1.2 m", encumbrance)))
    made = string(line)
    with pytest.raises(ModelError, match=r"span \d, .*dropper .* more encumbrance or more tension"):
        made.spans(made.layout.pieces[0])
    stitched = library_line("stitched-25kv", encumbrance)
    made = string(stitched)
    with pytest.raises(ModelError, match="more encumbrance or more tension"):
        made.spans(made.layout.pieces[0])


def library_line(name, encumbrance):
    from panhead.files import library
    from panhead.railway.line.line_description import Line

    return library.read(Line, "lines", name, {"support": {"encumbrance": encumbrance}})


def test_a_dropper_far_too_long(tmp_path):
    text = LINE.replace("dropper_count = DROPPERS", "droppers = [{ position = 30, length = 3 }]")
    made = string(read_line(own_line(tmp_path, text=text)))
    with pytest.raises(ModelError, match=r"length of 3 m is more than the .* is slack at rest"):
        made.spans(made.layout.pieces[0])


def test_pickles_and_paths_out_of_a_unit_are_refused(tmp_path):
    np.savez(tmp_path / "evil.npz", points=np.array([{}], dtype=object), stiffness=np.eye(3), mass=np.eye(3))
    with pytest.raises(FileError, match="cannot be read as NPZ"):
        damage.from_npz(tmp_path / "evil.npz")
    for text in (
        damage.DESCRIPTION.replace('modelIdentifier="m"', 'modelIdentifier="../m"'),
        "<!DOCTYPE x>" + damage.DESCRIPTION[21:],
    ):
        with pytest.raises(FileError):
            damage.read_unit(damage.zipped(text), tmp_path)


def test_json_of_inputs_is_what_was_given(sound):
    assert json.loads(results.load(sound).attrs["inputs"])["kind"] == "run"
