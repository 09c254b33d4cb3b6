"""The groups of the package: what may import what, how modules are called, an engine that knows no railway."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "panhead"
MODULES = sorted(SOURCE.rglob("*.py"))
GROUPS = ("engine", "files", "assess", "railway", "runs", "desk", "explore", "app")  #: each imports those before it
TOP = {"__init__.py", "__init__.pyi", "__main__.py", "errors.py", "py.typed"}
RAILWAY = re.compile(
    r"pantograph|catenar|contact.wire|dropper|railway|\brails?\b|\btrains?\b|wheel.?set|steady.arm|messenger|overhead"
    r"|\bEN ?50\d{3}|\bmasts?\b|stagger|bogie|locomotive|current collect",
    re.IGNORECASE,
)
#: Words in -ing and -ed that are nouns of the field, or end so by chance.
NOUNS = {
    *("buffeting", "bushing", "crossings", "damping", "form_finding", "line_drawing", "numba_lowering", "sampling"),
    *("stringing", "tensioning", "input_warnings", "table_warnings"),
    *("embed", "line_speed", "springs", "unilateral_spring"),
}


def place(path: Path) -> tuple[str, ...]:
    return path.relative_to(SOURCE).with_suffix("").parts


def imports(path: Path, *, inside: bool = False) -> set[str]:
    """Modules of the package that a file imports when it is loaded; with ``inside`` also in functions and for types."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in ast.walk(tree) if inside else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"panhead.{a.name}" for a in node.names} if node.module == "panhead" else {str(node.module)}
    return {name for name in found if name.startswith("panhead.")}


def inner_levels() -> dict[str, dict[str, int]]:
    """Group → room → level, read from the map in docs/architecture.md; "*" is whatever is not named."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    block = re.search(r"```text import-direction\n(.*?)```", text, re.DOTALL)[1]
    rooms = {}
    for line in block.splitlines():
        group, _, levels = line.partition(":")
        rooms[group.strip()] = {room: k for k, level in enumerate(levels.split("<")) for room in level.split()}
    return rooms


def test_the_package_has_ten_entries_and_a_few_files():
    found = {p.name for p in SOURCE.iterdir() if p.name != "__pycache__"}
    assert found - TOP == {*GROUPS, "validation", "data"}


def test_groups_import_in_one_direction():
    """Engine ← files ← assess ← railway ← runs ← desk ← explore ← app; imports inside functions are free."""
    wrong = []
    for path in MODULES:
        group = place(path)[0]
        if group not in GROUPS:
            continue
        for name in imports(path):
            other = name.split(".")[1]
            if other in GROUPS and GROUPS.index(other) > GROUPS.index(group):
                wrong.append(f"{'.'.join(place(path))} imports {name}")
    assert wrong == []


def test_the_map_names_every_group():
    assert tuple(inner_levels()) == GROUPS


@pytest.mark.parametrize("group", GROUPS)
def test_rooms_of_a_group_import_in_one_direction(group):
    """As the map in docs/architecture.md says: rooms before one's own, never of the same place or behind it."""
    level = inner_levels()[group]
    wrong = []
    for path in sorted((SOURCE / group).rglob("*.py")):
        room = place(path)[1]
        if room == "__init__" or not level:
            continue
        mine = level.get(room, level.get("*"))
        assert mine is not None, f"{group}/{room} is not on the map in docs/architecture.md: put it there"
        for name in imports(path):
            parts = name.split(".")
            if len(parts) < 3 or parts[1] != group or parts[2] == room:
                continue
            other = level.get(parts[2], level.get("*"))
            both_unnamed = parts[2] not in level and room not in level
            if not both_unnamed and not other < mine:
                wrong.append(f"{'.'.join(place(path))} imports {name}")
    assert wrong == []


def test_nothing_of_the_product_imports_validation():
    """It ships with the package; the command ``panhead validate`` loads it when it runs, and nothing else does."""
    loaded = [".".join(place(p)) for p in MODULES if place(p)[0] != "validation" and _validation(imports(p))]
    assert loaded == []
    inside = {place(p)[0] for p in MODULES if place(p)[0] != "validation" and _validation(imports(p, inside=True))}
    assert inside <= {"app"}


def _validation(names: set[str]) -> bool:
    return any(name.split(".")[1] == "validation" for name in names)


def test_the_engine_has_no_word_of_railways():
    found = {
        path.relative_to(SOURCE).as_posix(): sorted({m[0] for m in RAILWAY.finditer(path.read_text(encoding="utf-8"))})
        for path in (SOURCE / "engine").rglob("*.py")
    }
    assert {name: words for name, words in found.items() if words} == {}
    assert [p.name for p in (SOURCE / "engine").rglob("*") if RAILWAY.search(p.stem.replace("_", " "))] == []


@pytest.mark.parametrize("group", GROUPS)
def test_names_of_modules_are_unique_within_a_group(group):
    """Cases of ``validation`` each have their ``references``; everywhere else a name says which module is meant."""
    places: dict[str, list[str]] = {}
    for path in sorted((SOURCE / group).rglob("*.py")):
        if path.stem != "__init__":
            places.setdefault(path.stem, []).append("/".join(place(path)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_module_is_named_by_a_participle():
    found = {p.stem for p in MODULES if re.search(r"(ings?|ed)$", p.stem)}
    assert found - NOUNS == set()


def test_public_packages_keep_their_short_names():
    """``panhead.bodies`` and its like are those of the engine, however they are asked for."""
    import panhead.bodies
    import panhead.engine.bodies
    from panhead.symbolic import Mechanism

    assert panhead.bodies is panhead.engine.bodies
    assert panhead.engine.bodies.__spec__.name == "panhead.engine.bodies"
    assert Mechanism is panhead.Mechanism
    assert panhead.joints.__name__ == "panhead.engine.joints"
    with pytest.raises(ModuleNotFoundError):
        __import__("panhead.no_such_package")


def test_tests_mirror_the_groups():
    """Beside the groups: what crosses them."""
    found = {p.name for p in (ROOT / "tests").iterdir() if p.is_dir() and p.name != "__pycache__"}
    assert found - {"attack", "oracles"} == {*GROUPS, "validation"}
