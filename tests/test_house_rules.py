"""The style guide as a test: what a reviewer should not have to look for."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import panhead

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "panhead"
MODULES = sorted(SOURCE.rglob("*.py"))
#: folders of kernels: compiled by Numba, arrays in and arrays out
KERNELS = ("engine/jit", "engine/kernels", "railway/vehicle/kernels", "runs/linear/step")
CITATION = re.compile(r"\[([A-Z][A-Za-z]+\d{2}[a-z]?)(?=[,\]])")


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    """src/panhead/railway/line/wires.py → panhead.railway.line.wires."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> set[str]:
    """Modules imported when the file is loaded (imports inside functions do not count)."""
    found: set[str] = set()
    for node in ast.parse(text_of(path)).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: write imports in full"
            whole = node.module == "panhead"  # from panhead import door: the module is the alias
            found |= {f"panhead.{a.name}" for a in node.names} if whole else {str(node.module)}
    return found


def test_kernels_know_nothing_of_models():
    """They may import laws: plain functions of numbers that know nothing of models either."""
    allowed = {"__future__", "gc", "llvmlite", "numba", "numpy", "math", "operator", "typing"}
    of_the_compiler = {
        "collections",
        "contextlib",
        "functools",
        "hashlib",
        "os",
        "pathlib",
        "pickle",
        "platform",
        "re",
        "shutil",
        "stat",
        "sys",
        "tempfile",
        "time",
        "types",
        "uuid",
        "warnings",
    }
    for path in (p for room in KERNELS for p in (SOURCE / room).rglob("*.py")):
        known = allowed | (of_the_compiler if path.parent.name == "jit" else set())
        others = {
            m
            for m in imported(path)
            if m.split(".")[0] not in known
            and not m.startswith(("panhead.engine.laws", *(f"panhead.{room.replace('/', '.')}" for room in KERNELS)))
        }
        assert others == set(), path.name


def test_numba_stays_in_the_kernels():
    outside = [p for p in MODULES if not p.relative_to(SOURCE).as_posix().startswith(KERNELS)]
    assert [name_of(p) for p in outside if any(m.split(".")[0] == "numba" for m in imported(p))] == []


def test_no_module_outgrows_a_reader():
    files = [*MODULES, *(ROOT / "tests").rglob("*.py"), *(ROOT / "bench").rglob("*.py")]
    sizes = {str(p.relative_to(ROOT)): len(text_of(p).splitlines()) for p in files}
    assert {name: size for name, size in sizes.items() if size > 500} == {}


def test_a_class_name_means_one_thing():
    places: dict[str, list[str]] = {}
    for path in MODULES:
        for node in ast.parse(text_of(path)).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(name_of(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_every_citation_is_in_the_bibliography():
    keys = set(re.findall(r"@\w+\{(\w+),", text_of(ROOT / "docs" / "references.bib")))
    files = [*MODULES, *SOURCE.rglob("*.toml"), *(ROOT / "tests").rglob("*.py")]
    missing = {
        str(p.relative_to(ROOT)): sorted(cited - keys)
        for p in files
        if not (cited := set(CITATION.findall(text_of(p)))) <= keys
    }
    assert missing == {}


@pytest.mark.parametrize("path", [p for p in MODULES if "__all__" in text_of(p)], ids=name_of)
def test_public_names_are_sorted_and_complete(path):
    module = importlib.import_module(name_of(path))
    names = list(module.__all__)
    by_kind = lambda n: (not n.isupper(), not n[0].isupper(), n)  # constants, classes, functions
    assert names == sorted(names, key=by_kind)
    assert [n for n in names if not hasattr(module, n)] == []
    tree = ast.parse(text_of(path))
    if path.name == "__init__.py":  # what a room brings in from its own modules, it shows
        own = [n for n in tree.body if isinstance(n, ast.ImportFrom) and str(n.module).startswith(name_of(path))]
        assert {a.asname or a.name for n in own for a in n.names} <= set(names)


def test_changelog_has_room_for_what_comes_and_then_this_version():
    heads = re.findall(r"^## \[?(\S+?)\]?(?: |$)", text_of(ROOT / "CHANGELOG.md"), re.MULTILINE)
    assert heads[:2] == ["Unreleased", panhead.__version__]
    assert f"version: {panhead.__version__}" in text_of(ROOT / "CITATION.cff")


def test_contributing_stays_short():
    assert len(text_of(ROOT / "CONTRIBUTING.md").splitlines()) < 60


def any_of(*backwards: str) -> str:
    """Alternatives, written backwards here so that this file passes its own test."""
    return "|".join(re.escape(word[::-1]) for word in backwards)


UNWANTED = {
    "an absolute path": rf"(?<![\w.~}}])/(?:{any_of('emoh', 'toor', 'pmt', 'krow', 'sresU')})/\w",
    "a registry address": any_of("lru-xedni", "gro.ipyp")
    + rf"|https?://[^\s/]*(?:{any_of('yrtsiger', 'rorrim', 'yxorp')})",
    "talk of how the project is made": rf"\b(?:{any_of('IA')})\b"
    + rf"|\b(?i:{any_of('MLL', 'edualc', 'TPGtahc', 'derohtua-oc', 'ledom egaugnal')})\b",
}


@pytest.mark.parametrize("what", UNWANTED)
def test_the_project_speaks_of_itself_alone(what):
    kinds = {".py", ".md", ".toml", ".bib", ".cff", ".js", ".css", ".j2", ""}
    folders = ("src", "tests", "docs", "bench", "examples", "scripts", ".ci")
    files = [p for f in folders for p in (ROOT / f).rglob("*") if p.is_file() and p.suffix in kinds]
    files += [p for p in ROOT.iterdir() if p.is_file() and p.suffix in kinds and p.name != ".git"]  # a work tree's
    built = {"_build", "__pycache__"}
    found = {
        str(p.relative_to(ROOT)): match[0]
        for p in files
        if not built & set(p.parts) and (match := re.search(UNWANTED[what], text_of(p)))
    }
    assert found == {}


LAWS = {
    "tests/engine/symbolic/test_every_force.py": ("panhead.engine.symbolic.forces", "StrokeForce"),
    "tests/engine/methods/test_every_integrator.py": ("panhead.engine.methods.integrators", None),
}


@pytest.mark.parametrize("laws", LAWS)
def test_every_member_of_a_role_is_in_its_law_list(laws):
    """Power balance for every force, order for every integrator: nobody slips through."""
    module_name, role = LAWS[laws]
    module = importlib.import_module(module_name)
    classes = [c for c in vars(module).values() if isinstance(c, type)]
    if role is None:
        members = [c.__name__ for c in classes if callable(getattr(c, "run", None))]
    else:
        base = getattr(module, role)
        members = [c.__name__ for c in classes if issubclass(c, base) and c is not base]
    assert members, "the room is empty: this test looks in the wrong place"
    text = text_of(ROOT / laws)
    assert [name for name in members if not re.search(rf"\b{name}\(", text)] == []
