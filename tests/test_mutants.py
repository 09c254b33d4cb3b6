"""``scripts/mutants`` notices what a test would miss, in functions that are made in functions too."""

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def mutants():
    loader = SourceFileLoader("mutants_script", str(ROOT / "scripts" / "mutants"))
    made = module_from_spec(spec_from_loader("mutants_script", loader))
    loader.exec_module(made)
    return made


SOURCE = """
def counter(start):
    step = 2

    def count(n):
        n = n + start
        n = n * step
        return n

    return count
"""


def versions(mutants, source):
    """Every version of the only function of a text with one statement deleted: the statement, its code."""
    (text,) = mutants.ast.parse(source).body
    for place in mutants.statements(mutants.ast.Module(text.body, [])):
        made, what = mutants.changed(text, place)
        yield what, mutants.code_of(made, ROOT / "x.py")


def test_a_function_that_was_made_before_is_changed_as_well(mutants):
    """A deleted statement leaves closures as they are, else the code would not fit: the march is made at import."""
    (text,) = mutants.ast.parse(SOURCE).body
    found = {}
    for what, code in versions(mutants, SOURCE):
        names: dict = {}
        exec(compile(mutants.ast.Module([text], []), str(ROOT / "x.py"), "exec"), names)
        counter = names["counter"]
        count = counter(10)
        assert count(1) == 22
        assert mutants.same_frame(counter.__code__, code)
        mutants.exchange(counter, code)
        found[what.partition(": ")[2]] = count(1)
    assert found["n = n + start  →  deleted"] == 2
    assert found["n = n * step  →  deleted"] == 11
    assert found["return n  →  deleted"] is None


def test_the_command_finds_no_survivor_where_tests_are_good(tmp_path):
    """Two deleted statements of the rainflow count, with its own tests."""
    words = ["assess/rainflow", "--delete", "--count", "2", "--least", "1", "--tests", "tests/assess/test_rainflow.py"]
    command = [sys.executable, "scripts/mutants", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "mutants of assess/rainflow: 100 % noticed" in done.stdout
