"""Validation as the documentation shows it: every case of the registry, the pinned rows, the line of README."""

import importlib.util
import re
import tomllib
from pathlib import Path

from panhead import validation

ROOT = Path(__file__).parents[1]
REMEDY = "panhead validate NAME --json > FILE && scripts/validation_record FILE"


def page_tools():
    """The Sphinx extension that writes the tables."""
    spec = importlib.util.spec_from_file_location("validation_pages", ROOT / "docs" / "_extensions" / "validation.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOLS = page_tools()
RECORD = TOOLS.record()


def test_every_case_is_described_and_recorded():
    described = tomllib.loads((ROOT / "docs" / "validation_cases.toml").read_text(encoding="utf-8"))
    assert sorted(described) == sorted(validation.names()), "docs/validation_cases.toml"
    assert sorted(RECORD) == sorted(validation.names()), REMEDY


def test_the_record_has_the_pinned_rows():
    """A row that was added, lost or is no longer judged makes the record stale."""
    found = {name: TOOLS.counts(RECORD[name])[::2] for name in validation.ROWS}
    assert found == validation.ROWS, REMEDY


def test_the_line_of_readme_is_the_one_of_the_record():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.search(r"<!-- validation -->\n(.*?)\n<!-- /validation -->", text, re.DOTALL)
    assert found, "README.md has lost its marks <!-- validation --> … <!-- /validation -->"
    assert found[1] == TOOLS.line(), "run scripts/validation_record"


def test_differences_are_counted():
    """Each table of the page of known differences counts; a title or a table in another form would not."""
    text = (ROOT / "docs" / "unmet.md").read_text(encoding="utf-8")
    assert TOOLS.differences() == sum(line.startswith("| ") for line in text.splitlines()) - text.count(
        "| published | here "
    )
