"""Every module has tests that a newcomer finds: ``python tests/module_map.py railway/line/balance`` names them."""

from fnmatch import fnmatch

import module_map as tables

#: pattern of modules that no test reaches by imports → where they are run instead
LISTED = {
    "panhead.validation.*": "loaded by name: tests/validation/test_cases.py and panhead validate",
    "panhead.runs.library.*": "loaded by name: scenarios that name them, tests/runs/scenarios/test_shipped_models.py",
    "panhead.runs.fmi.fmu_server": "loaded by an exported unit in a process of its own: tests/runs/fmi/test_export.py",
    "panhead.runs.fmi.unit_*": "loaded by an exported unit in a process of its own: tests/runs/fmi/test_export.py",
}


def listed(module):
    return any(fnmatch(module, pattern) for pattern in LISTED)


def test_every_module_is_reached_by_a_test_or_listed():
    lost = [m for m, path in tables.modules().items() if tables.has_code(path) and tables.tests_of(m) is None]
    assert [m for m in lost if not listed(m)] == []
    assert [pattern for pattern in LISTED if not any(fnmatch(m, pattern) for m in lost)] == []


def test_most_modules_are_imported_by_a_test_of_their_own():
    """Not only through what uses them. The share is that of the day this was written: let it grow."""
    found = [tables.tests_of(m) for m, path in tables.modules().items() if tables.has_code(path) and not listed(m)]
    assert sum(not one.through for one in found) >= 0.6 * len(found)


def test_the_tests_named_first_are_those_of_the_module():
    """The mirror, then the folder; through a package's front name to where a function stands."""
    first = tables.tests_of("panhead.assess.rainflow").tests[0]
    assert first.name == "test_rainflow.py"
    assert "panhead.railway.line.strung_line" in tables.used(tables.TESTS / "railway" / "line" / "test_stringing.py")
