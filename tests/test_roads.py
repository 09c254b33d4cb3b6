"""The table of independent roads: what it names exists, and nothing that is validated is missing."""

import tomllib
from pathlib import Path

from panhead import validation

ROOT = Path(__file__).parents[1]
TABLE = tomllib.loads((ROOT / "docs" / "roads.toml").read_text(encoding="utf-8"))


def test_every_case_is_on_a_road_and_every_road_leads_somewhere():
    named = [case for one in TABLE["capability"] for case in one.get("cases", [])]
    assert sorted(named) == sorted(validation.names())
    gone = [test for one in TABLE["capability"] for test in one["tests"] if not (ROOT / test).exists()]
    assert gone == []


def test_every_room_has_tests_that_a_newcomer_finds():
    """In the folder of its name, in a file of its name, or where the table says."""
    lost = []
    package = ROOT / "src" / "panhead"
    found = [*package.glob("*.py"), *package.glob("[a-z]*/"), *(p.parent for p in package.glob("*/*/__init__.py"))]
    for name in sorted(p.relative_to(package).with_suffix("").as_posix() for p in found):
        if name.startswith(("_", "validation/")):
            continue
        own = [ROOT / "tests" / name]
        where = [ROOT / test for test in TABLE["rooms"].get(name, [])] or own
        if not any(path.exists() for path in where):
            lost.append(name)
    assert lost == ALONE
    assert [t for tests in TABLE["rooms"].values() for t in tests if not (ROOT / t).exists()] == []


#: single modules that every test goes through
ALONE = ["errors"]
