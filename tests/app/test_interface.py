"""The public interface: the stub and the page are what the table of names makes them, and the types are right."""

import ast
import importlib
import inspect
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

import panhead as ph

ROOT = Path(__file__).parents[2]
STUB = ROOT / "src" / "panhead" / "__init__.pyi"

#: each line with a comment is an error, of the kind the comment names; the others are none
TYPED = """\
import panhead as ph
from pathlib import Path
from typing import assert_type
result = ph.run("en50318-300", changes={"speed": "250 km/h"}, out=Path("out"))
assert_type(result, ph.Result)
assert_type(result.criteria, ph.CriteriaTable)
assert_type(result.criteria["deviation"].value, float)
part: ph.Result = result.sel(time=slice(0.0, 1.0))
text: str = result.verdict_sentence
line: ph.Line = ph.read_line("en50318-2002")
rod = ph.bodies.PlanarBody(name="rod", mass=2.0, inertia=0.5)
ph.run(42)  # arg-type
ph.run("en50318-300", error_bar="finer")  # call-arg
ph.run("en50318-300", error_bars="fine")  # arg-type
ph.simulat("en50318-300")  # attr-defined
ph.Journey(duration="3 s")  # arg-type
number: int = result.verdict_sentence  # assignment
"""


def places() -> dict[str, tuple[str, str]]:
    """Public name → module of the import in the stub, and its name there."""
    tree = ast.parse(STUB.read_text(encoding="utf-8"))
    imports = (n for n in tree.body if isinstance(n, ast.ImportFrom))
    return {a.asname or a.name: (str(n.module), a.name) for n in imports for a in n.names}


@pytest.mark.parametrize(("made", "path"), [("stub", STUB), ("page", ROOT / "docs" / "api.md")])
def test_what_the_table_makes_is_there(made, path):
    """After a change of the table, of a docstring or of what the documentation imports: scripts/interface."""
    assert path.read_text(encoding="utf-8") == runpy.run_path(str(ROOT / "scripts" / "interface"))[made]()
    assert (STUB.parent / "py.typed").exists()


def test_the_stub_names_what_there_is_when_it_runs():
    found = places()
    assert sorted(found) == sorted(ph.__all__)
    for name, (place, own) in found.items():
        module = importlib.import_module(place)
        there = getattr(module, own, None) or importlib.import_module(f"{place}.{own}")
        assert there is getattr(ph, name)


@pytest.mark.parametrize("name", ph.__all__)
def test_every_public_name_can_be_completed(name):
    """An editor shows a sentence, and a type for every argument and for what comes back."""
    found = getattr(ph, name)
    assert inspect.getdoc(found), "no docstring"
    if inspect.isfunction(found):
        signature = inspect.signature(found)
        types = [p.annotation for p in signature.parameters.values()] + [signature.return_annotation]
        assert inspect.Signature.empty not in types
    assert name in dir(ph)


def test_a_wrong_argument_fails_in_a_type_checker(tmp_path):
    """With the cache of the project's own mypy: seconds where that has run before, as in scripts/test.

    In a process of its own: mypy raises the limit of recursion of the one it runs in.
    """
    (tmp_path / "typed.py").write_text(TYPED)
    command = [sys.executable, "-m", "mypy", "--no-pretty", "--no-error-summary", str(tmp_path / "typed.py")]
    env = os.environ | {"MYPYPATH": "src"}
    run = subprocess.run(command, check=False, cwd=ROOT, env=env, capture_output=True, text=True)
    said, trouble = run.stdout, run.stderr
    found = {int(m[1]): m[2] for m in re.finditer(r"typed\.py:(\d+): error: .*\[([\w-]+)\]$", said, re.MULTILINE)}
    wanted = {k: line.partition("  # ")[2] for k, line in enumerate(TYPED.splitlines(), 1) if "  # " in line}
    assert found == wanted, said + trouble


@pytest.mark.slow
def test_mypys_own_test_of_stubs():
    """mypy.stubtest of the front door; it reads the whole package anew, which takes a minute."""
    from mypy import stubtest
    from mypy.options import Options

    options = Options()
    options.incremental, options.mypy_path, options.ignore_missing_imports = False, [str(ROOT / "src")], True
    stubtest.build_stubs(["panhead"], options)
    assert [e.get_description(concise=True) for e in stubtest.test_module("panhead")] == []
