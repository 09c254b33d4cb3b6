"""Every example runs and gives what it says; every piece of Python in the documents runs."""

import importlib.util
import math
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(page: Path) -> list[str]:
    return [] if "_build" in page.parts else BLOCK.findall(page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_gives_the_number_it_states(path):
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    low, high = example.EXPECTED
    value = example.main()
    assert math.isfinite(value)
    assert low <= value <= high


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example_fits_on_a_screen(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 60


@pytest.mark.parametrize("page", [p for p in PAGES if blocks(p)], ids=lambda p: p.stem)
def test_python_in_the_documents_runs(page, tmp_path, monkeypatch):
    """The blocks of a page run one after the other, in an empty folder, as a reader would do."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names: dict[str, object] = {"__name__": f"page_{page.stem}"}
    for block in blocks(page):
        exec(compile(block, os.fspath(page), "exec"), names)  # our own documents
