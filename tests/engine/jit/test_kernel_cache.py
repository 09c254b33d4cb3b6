"""Compiled code on disk: nothing stale is run, and nothing has to be writable."""

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import panhead
from panhead.engine.jit import compiler, kernel_cache
from panhead.engine.jit.fingerprint import Unknown as Unkept
from panhead.engine.jit.fingerprint import fingerprint as fingerprint_of

SOURCE = Path(panhead.__file__).parent
ASK = """
import numpy as np
from panhead.engine.kernels import dense
from panhead.engine.jit import kernel_cache
A, b = np.array([[2.0]]), np.array([[4.0]])
dense.lu_solve(A, b)
print(b[0, 0], kernel_cache.folder())
"""


def copy_of_the_kernels(place):
    """A package with kernels and laws alone, and a kernel whose answer hangs on a callee in another file."""
    for room in ("engine/jit", "engine/kernels", "engine/laws"):
        shutil.copytree(SOURCE / room, place / "panhead" / room, ignore=shutil.ignore_patterns("__pycache__"))
    for package in (place / "panhead", place / "panhead" / "engine"):
        (package / "__init__.py").write_text("")
    write(
        place,
        "caller",
        "from panhead.engine.kernels.callee import twice\n\n\n@whole\ndef ask(x):\n    return twice(x)\n",
    )
    return place


def write(place, name, text):
    head = "from panhead.engine.jit.compiler import part, whole\n"
    (place / "panhead" / "engine" / "kernels" / f"{name}.py").write_text(head + text)


def ask(place, text=ASK, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("PANHEAD_CACHE", "XDG_CACHE_HOME")}
    command = [sys.executable, "-c", text]
    return subprocess.Popen(
        command,
        cwd=place,
        env=environment | {"PYTHONPATH": str(place), "PANHEAD_JIT": "fast", **variables},
        stdout=-1,
        stderr=-1,
        text=True,
    )


def answer(process):
    out, err = process.communicate()
    assert process.returncode == 0, err
    return out.split()


def test_a_changed_callee_answers_anew(tmp_path):
    place, cache = copy_of_the_kernels(tmp_path / "code"), str(tmp_path / "cache")
    question = "from panhead.engine.kernels.caller import ask\nprint(ask(3.0))\n"
    for factor in (2.0, 7.0):
        write(place, "callee", f"\n\n@part()\ndef twice(x):\n    return {factor} * x\n")
        os.utime(place / "panhead" / "engine" / "kernels" / "callee.py", (1e9, 1e9))  # as wheels have it
        for _ in range(2):  # compiled, then loaded
            assert answer(ask(place, question, PANHEAD_CACHE=cache)) == [str(3.0 * factor)]
    assert len(os.listdir(cache)) == 2


FACTORY = """

@part()
def add_one(x):
    return x + 1.0


@part()
def times_ten(x):
    return 10.0 * x


def make_march(solve, factor, shift=0.0):
    @whole
    def march(x, count):
        for _ in range(count):
            x = factor * solve(x) + shift
        return x

    return march


def make_twice(solve):
    @part()
    def twice(x):
        return solve(solve(x))

    return twice
"""
MARCHES = {  # how one is made → its answer from 3, after two steps
    "make_march(add_one, 1.0)": 5.0,
    "make_march(times_ten, 1.0)": 300.0,
    "make_march(add_one, 2.0)": 18.0,
    "make_march(add_one, 2.0, 1.0)": 21.0,
    "make_march(make_twice(add_one), 1.0)": 7.0,
    "make_march(make_twice(times_ten), 1.0)": 30000.0,
}
ASK_MARCH = """
from panhead.engine.kernels.factory import *
for march in [{}]:
    print(march(3.0, 2), sum(march._cache_hits.values()))
"""


def test_kernels_made_by_a_factory_are_kept_apart(tmp_path):
    """One name, one place in the source, one signature: only what they are bound to differs.

    Each is compiled in a process of its own, where Numba gives all of them the same number, and loaded with the others.
    """
    place, cache = copy_of_the_kernels(tmp_path / "code"), str(tmp_path / "cache")
    write(place, "factory", FACTORY)
    for made, value in MARCHES.items():
        assert answer(ask(place, ASK_MARCH.format(made), PANHEAD_CACHE=cache)) == [str(value), "0"], made
    told = answer(ask(place, ASK_MARCH.format(", ".join(MARCHES)), PANHEAD_CACHE=cache))
    assert told == [word for value in MARCHES.values() for word in (str(value), "1")]


def test_what_a_kernel_is_bound_to_must_be_known(tmp_path):
    """A free variable whose value cannot be told: compiled, never kept; a named tuple is known by its fields."""
    place, cache = copy_of_the_kernels(tmp_path / "code"), str(tmp_path / "cache")
    text = """
from collections import namedtuple
from panhead.engine.jit.fingerprint import Unknown, fingerprint, type_text
from numba import typeof
def bound(value):
    return lambda x: x + value
def refused(function):
    try:
        return bool(fingerprint(function)) and "known"
    except Unknown:
        return "refused"
print(refused(bound(object())), refused(bound({1: (2.0, "x")})))
one, other = (namedtuple("Pair", names)(1.0, 2.0) for names in ("a b", "b a"))
print(str(typeof(one)) == str(typeof(other)), type_text(typeof(one)) == type_text(typeof(other)))
"""
    assert answer(ask(place, text, PANHEAD_CACHE=cache)) == ["refused", "known", "True", "False"]


def test_two_processes_may_compile_at_once(tmp_path):
    place = copy_of_the_kernels(tmp_path / "code")
    both = [ask(place, PANHEAD_CACHE=str(tmp_path / "cache")) for _ in range(2)]
    assert [answer(each)[0] for each in both] == ["2.0", "2.0"]
    assert answer(ask(place, PANHEAD_CACHE=str(tmp_path / "cache")))[0] == "2.0"


def test_nothing_has_to_be_writable(tmp_path):
    """A file where a folder should be: nobody, root included, can write below it."""
    place = copy_of_the_kernels(tmp_path / "code")
    nowhere = tmp_path / "file"
    nowhere.write_text("")
    assert answer(ask(place, PANHEAD_CACHE=str(nowhere / "cache"))) == ["2.0", "None"]


def test_old_folders_go(tmp_path, monkeypatch):
    monkeypatch.setenv("PANHEAD_CACHE", str(tmp_path))
    for age in range(8):
        old = tmp_path / f"{age:016x}"
        old.mkdir()
        os.utime(old, (1e9 - age, 1e9 - age))
    (tmp_path / "mine").mkdir()
    kernel_cache.folder.cache_clear()
    try:
        assert kernel_cache.folder() == tmp_path / kernel_cache.key()
        left = {path.name for path in tmp_path.iterdir()}
    finally:
        kernel_cache.folder.cache_clear()
    assert left == {kernel_cache.key(), "mine", *(f"{age:016x}" for age in range(3))}


def test_damaged_code_is_compiled_anew(tmp_path):
    """Cut short when the machine went down; a bit that a disk lost, which used to end in a segmentation fault."""
    place, cache = copy_of_the_kernels(tmp_path / "code"), str(tmp_path / "cache")
    write(place, "callee", "\n\n@part()\ndef twice(x):\n    return 2.0 * x\n")
    question = "from panhead.engine.kernels.caller import ask\nprint(ask(3.0), sum(ask._cache_hits.values()))\n"
    assert answer(ask(place, question, PANHEAD_CACHE=cache)) == ["6.0", "0"]
    (path,) = Path(cache).glob("*/*")
    sound = path.read_bytes()
    for damaged in (sound[: len(sound) // 2], struck(sound, 1)):
        path.write_bytes(damaged)
        assert answer(ask(place, question, PANHEAD_CACHE=cache)) == ["6.0", "0"]
        assert answer(ask(place, question, PANHEAD_CACHE=cache)) == ["6.0", "1"]


def struck(content, seed):
    """One bit changed."""
    rng, changed = random.Random(seed), bytearray(content)
    changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache of this process."""
    monkeypatch.setenv("PANHEAD_CACHE", str(tmp_path))
    for known in (kernel_cache.folder, kernel_cache._warn_untrusted):
        known.cache_clear()
    yield tmp_path
    for known in (kernel_cache.folder, kernel_cache._warn_untrusted):
        known.cache_clear()


def test_a_file_is_what_was_written_or_nothing(cache):
    """Any bit changed, any length, any other file under its name: not loaded."""
    kernel_cache.write("one", b"1234")
    kernel_cache.write("other", b"5678")
    path = kernel_cache.folder() / "one"
    sound = path.read_bytes()
    assert kernel_cache.read("one") == b"1234"
    wrong = [struck(sound, seed) for seed in range(300)] + [sound[:n] for n in range(len(sound))] + [sound + b"x"]
    for content in (*wrong, (kernel_cache.folder() / "other").read_bytes()):
        path.write_bytes(content)
        assert kernel_cache.read("one") is None
    kernel_cache.write("one", b"new")
    assert (kernel_cache.read("one"), kernel_cache.read("none")) == (b"new", None)
    assert sorted(os.listdir(kernel_cache.folder())) == ["one", "other"]


def spoiled(path):
    """Makes a path one that others could have written, in every way this user has."""
    mode = path.stat().st_mode
    for more in (0o020, 0o002):
        path.chmod(mode | more)
        yield
    path.chmod(mode)
    if os.geteuid() == 0:
        os.chown(path, 12345, 12345)
        yield
        os.chown(path, 0, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows guards a user's folders itself")
def test_what_others_can_write_is_not_loaded(cache):
    """A folder or a file: said once, with what to do."""
    kernel_cache.write("one", b"1234")
    folder = kernel_cache.folder()
    for path, asked in ((folder, kernel_cache.folder), (folder / "one", lambda: kernel_cache.read("one"))):
        for _ in spoiled(path):
            kernel_cache.folder.cache_clear()
            kernel_cache._warn_untrusted.cache_clear()
            with pytest.warns(
                RuntimeWarning, match=r"other users could have written .*chmod -R go-w.*PANHEAD_CACHE"
            ) as told:
                assert (asked(), asked()) == (None, None)
            assert len(told) == 1
        kernel_cache.folder.cache_clear()
        assert (kernel_cache.folder(), kernel_cache.read("one")) == (folder, b"1234")


def test_folders_are_closed_to_others_under_any_umask(cache):
    before = os.umask(0)
    try:
        kernel_cache.write("one", b"1234")
    finally:
        os.umask(before)
    assert kernel_cache.read("one") == b"1234"


@pytest.mark.skipif(compiler.MODE != "fast", reason="the plain way leaves caching to Numba")
def test_every_kernel_can_be_kept():
    """A kernel without a fingerprint is compiled anew in every process, which nobody would notice but by waiting."""
    import importlib
    import pkgutil

    rooms = ("panhead.engine.kernels", "panhead.railway.vehicle.kernels", "panhead.runs.linear.step")
    unknown = []
    for found in (m for r in rooms for m in pkgutil.walk_packages(importlib.import_module(r).__path__, r + ".")):
        for name, value in vars(importlib.import_module(found.name)).items():
            if type(value).__name__ == "_Function":
                try:
                    fingerprint_of(value.py_func)
                except Unkept as error:
                    unknown.append(f"{found.name}.{name}: {error}")
    assert unknown == []
