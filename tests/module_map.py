"""Which test files exercise a module: by its place in the tree, by imports, or through the module that uses it.

    python tests/module_map.py line/balance        the tests of one module, nearest first
    python tests/module_map.py                     the whole table

Nothing here names a module: the table follows the tree and the imports as they are.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE, TESTS = ROOT / "src" / "panhead", ROOT / "tests"
FROM = re.compile(r"^[ \t]*from (panhead[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
PLAIN = re.compile(r"^[ \t]*import (panhead[\w.]*)", re.MULTILINE)
QUOTED = re.compile(r"[\"'](panhead\.[\w.]+)[\"']")


@dataclass(frozen=True)
class Found:
    """Test files of a module, nearest first, and the modules through which they reach it (none: they import it)."""

    tests: tuple[Path, ...]
    through: tuple[str, ...] = ()


def name_of(path: Path) -> str:
    """src/panhead/railway/line/wires.py → panhead.railway.line.wires."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> dict[str, Path]:
    """Every module by its name."""
    return {name_of(path): path for path in sorted(SOURCE.rglob("*.py"))}


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _imports(path: Path) -> list[tuple[str, str, str]]:
    """(module, name, name here) of everything that a file imports from a module of ours, anywhere in it."""
    found = []
    for module, names in FROM.findall(_text(path)):
        for one in re.sub(r"#.*|[()]", "", names).split(","):
            if words := one.split():
                found.append((module, words[0], words[-1]))
    return [each for each in found if each[0] in modules()]


@cache
def _given_on(package: str) -> dict[str, str]:
    """Name → module of what the file of a package imports from elsewhere and so hands on."""
    return {here: module for module, _, here in _imports(modules()[package])}


def _defining(module: str, name: str) -> str:
    """The module in which what is imported by a name stands."""
    if f"{module}.{name}" in modules():
        return f"{module}.{name}"
    if modules()[module].name == "__init__.py" and name in _given_on(module):
        return _defining(_given_on(module)[name], name)
    return module


@cache
def used(path: Path) -> frozenset[str]:
    """Modules that a file imports anywhere, or names in a text (what monkeypatch changes, what a process runs)."""
    found = {_defining(module, name) for module, name, _ in _imports(path)} | set(PLAIN.findall(_text(path)))
    for text in QUOTED.findall(_text(path)):
        found |= {text, text.rpartition(".")[0]}
    return frozenset(found & modules().keys())


@cache
def test_files() -> tuple[Path, ...]:
    return tuple(path for path in sorted(TESTS.rglob("test_*.py")) if path.name != "test_module_map.py")


def _mirrored(module: str, test: Path) -> bool:
    """tests/line/test_wires_….py is the mirror of panhead.railway.line.wires, at any depth of folders."""
    *folders, stem = module.split(".")[1:] or ["panhead"]
    of = test.relative_to(TESTS)
    return of.stem.startswith(f"test_{stem}") and set(of.parts[:-1]) <= set(folders)


@cache
def _users() -> dict[str, list[Path]]:
    """Module → files, of tests and of the package, that use it."""
    found: dict[str, list[Path]] = {}
    for path in (*test_files(), *modules().values()):
        for module in used(path):
            found.setdefault(module, []).append(path)
    return found


def _direct(module: str) -> list[Path]:
    """Test files that stand in its mirror or import it."""
    mirror = [test for test in test_files() if _mirrored(module, test)]
    return [*mirror, *(path for path in _users().get(module, []) if path.is_relative_to(TESTS))]


def _nearness(module: str, test: Path) -> tuple:
    """The mirror first, then tests of its folder, then those that import little else."""
    return not _mirrored(module, test), not set(module.split(".")) & set(test.parts[:-1]), len(used(test)), test


@cache
def tests_of(module: str) -> Found | None:
    """The nearest tests: direct, or of the modules that use it, or of their users; None: no test reaches it so."""
    seen, ring = {module}, (module,)
    while ring:
        direct = {other: _direct(other) for other in ring}
        tests = {test for found in direct.values() for test in found}
        if tests:
            through = tuple(other for other, found in direct.items() if found and other != module)
            return Found(tuple(sorted(tests, key=lambda test: _nearness(module, test))), through)
        users = (name_of(path) for other in ring for path in _users().get(other, []) if path.is_relative_to(SOURCE))
        ring = tuple(dict.fromkeys(user for user in users if user not in seen))
        seen |= set(ring)
    return None


def has_code(path: Path) -> bool:
    """Whether a module defines a function or a class: files of packages often hold a sentence only."""
    return re.search(r"^(class|def) ", _text(path), re.MULTILINE) is not None


def main(words: list[str]) -> None:
    wanted = [f"panhead.{word.removesuffix('.py').replace('/', '.')}" for word in words] or list(modules())
    for module in wanted:
        found = tests_of(module)
        if found is None:
            print(f"{module}: none")
            continue
        by = f" (through {', '.join(found.through[:3])})" if found.through else ""
        print(f"{module}{by}: " + ", ".join(str(test.relative_to(ROOT)) for test in found.tests[:5]))


if __name__ == "__main__":
    main(sys.argv[1:])
