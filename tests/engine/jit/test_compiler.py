"""Two ways to compile: the same answers, and the one that needs nothing of Numba's inner workings when in doubt."""

import ast
import sys

import numba
import numpy as np
import pytest

import panhead.engine.jit
from engine.jit.test_kernel_cache import FACTORY, MARCHES, SOURCE, answer, ask, copy_of_the_kernels, write
from panhead.engine.jit import compiler
from panhead.engine.jit.compiler import whole

PLAIN = """
import sys
from panhead.engine.jit import compiler, array_from_address
from panhead.engine.kernels.factory import *
print(compiler.MODE, *(march(3.0, 2) for march in [{}]))
inner = "fast_jit", "fingerprint", "struct_by_reference"
print(*(name for name in inner if "panhead.engine.jit." + name in sys.modules))
"""


def test_the_plain_way_gives_the_same_answers(tmp_path):
    """Kernels from a factory too; nothing that leans on Numba's inner workings is loaded."""
    place, cache = copy_of_the_kernels(tmp_path / "code"), str(tmp_path / "cache")
    write(place, "factory", FACTORY)
    for _ in range(2):  # compiled, then loaded
        asked = ask(place, PLAIN.format(", ".join(MARCHES)), PANHEAD_CACHE=cache, PANHEAD_JIT="plain")
        assert answer(asked) == ["plain", *map(str, MARCHES.values())]


def test_the_plain_way_imports_what_numba_documents():
    tree = ast.parse((SOURCE / "engine" / "jit" / "plain_jit.py").read_text(encoding="utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in modules if name.startswith("numba")} == {"numba", "numba.core", "numba.extending"}


@pytest.mark.parametrize(
    "version, tested", [("0.67.9", False), ("0.68.0", True), ("0.68.1", True), ("0.69.0rc1", False)]
)
def test_a_version_that_was_not_tested_is_used_the_plain_way(version, tested, monkeypatch):
    monkeypatch.delenv("PANHEAD_JIT", raising=False)
    monkeypatch.setattr(numba, "__version__", version)
    if tested:
        assert compiler._select_compiler().__name__ == "panhead.engine.jit.fast_jit"
        return
    with pytest.warns(RuntimeWarning, match=rf"Numba {version} .*=plain, which is slower; install numba>=0.68,<0.69"):
        assert compiler._select_compiler().__name__ == "panhead.engine.jit.plain_jit"
    monkeypatch.setenv("PANHEAD_JIT", "plain")
    assert compiler._select_compiler().__name__ == "panhead.engine.jit.plain_jit"  # it was asked for: nothing to say


def test_what_numba_has_lost_is_done_without(monkeypatch):
    monkeypatch.delenv("PANHEAD_JIT", raising=False)
    monkeypatch.delattr(panhead.engine.jit, "fast_jit", raising=False)
    monkeypatch.setitem(sys.modules, "panhead.engine.jit.fast_jit", None)
    with pytest.warns(RuntimeWarning, match="lacks an internal interface"):
        assert compiler._select_compiler().__name__ == "panhead.engine.jit.plain_jit"


def test_another_word_for_the_way_is_ignored_aloud(monkeypatch):
    monkeypatch.setenv("PANHEAD_JIT", "slow")
    with pytest.warns(RuntimeWarning, match="PANHEAD_JIT=slow is ignored; valid values are fast and plain"):
        assert compiler._select_compiler().__name__ == "panhead.engine.jit.fast_jit"


def test_the_bounds_are_those_of_the_package():
    """Read where it is a checkout."""
    project = SOURCE.parents[1] / "pyproject.toml"
    if project.exists():
        first, last = (".".join(map(str, each)) for each in compiler.TESTED)
        assert f'"numba>={first},<{last}"' in project.read_text(encoding="utf-8")


def _exchanged(A, b, i, j, k):
    """Elements read and written by indices of every kind: from the end, fixed, unsigned."""
    A[i, j], A[-1, k], A[0, 0] = A[-1, k], A[0, 0], A[i, j]
    A[1, -2] = b[i] + b[-1]
    b[k] = A[i, j] * b[0]
    return A[1, 1] + A[i, np.uint8(2)] + b[k]


@pytest.mark.parametrize("kind", ["float64", "int64", "float32", "complex128"])
@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_elements_of_arrays_are_those_of_numpy(kind, layout):
    """The reference is the same text run by Python, on NumPy's own arrays."""
    A = np.arange(1, 25).reshape(4, 6)[:, ::-1].astype(kind)
    A = np.repeat(A, 2, axis=1)[:, ::-2] if layout == "A" else np.array(A, order=layout)
    b = np.arange(7, 11).astype(kind)
    here, there = (A.copy(order="K"), b.copy()), (A, b)
    indices = 2, -3, 3
    expected = _exchanged(*here, *indices)
    assert whole(_exchanged)(*there, *indices) == expected
    for computed, wanted in zip(there, here, strict=True):
        np.testing.assert_array_equal(computed, wanted)


def test_truths_in_arrays():
    def turned(A, i):
        A[i] = not A[-1]
        return A[i]

    A = np.array([True, False, True])
    assert (whole(turned)(A, 0), A.tolist()) == (False, [False, False, True])


@pytest.mark.skipif(compiler.MODE == "plain" or numba.config.DISABLE_JIT, reason="nothing is compiled in parts")
def test_a_constant_is_no_type_of_its_own():
    """A part called with two constants and with a number is compiled once: each form costs the time of all it calls."""

    @compiler.part()
    def power(x, n):
        return x**n

    @whole
    def powers(x, n):
        return power(x, 2) + power(x, 3) + power(x, n)

    assert powers(2.0, 4) == 28.0
    assert len(power.overloads) == 1
