"""One name installs what an office needs: extras in the project's file, in the script, and in what is refused."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from panhead.app.workbench.serve import project_and_file, serve
from panhead.desk.sheets.table_rows import write_excel
from panhead.errors import FileError, ModelError

ROOT = Path(__file__).parents[3]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def packages(extra: str) -> set[str]:
    """Names of the packages of an extra, with those of the extras of this project that it names."""
    found = set()
    for wanted in EXTRAS[extra]:
        name, inner = re.match(r"([\w-]+)(?:\[([\w,]+)\])?", wanted).groups()
        found |= set().union(*map(packages, inner.split(","))) if name == "panhead" else {name}
    return found


def test_desk_brings_the_workbench_views_and_excel():
    assert {"starlette", "uvicorn", "tomlkit", "openpyxl", "typst", "ezdxf"} <= packages("desk")
    for old in ("workbench", "view", "tables"):
        assert packages(old) <= packages("desk")


def test_the_script_installs_it():
    assert '/venv" desk\n' in (ROOT / "scripts" / "run").read_text()


def test_what_is_missing_is_refused_with_the_one_name(tmp_path, monkeypatch):
    for module in ("uvicorn", "openpyxl", "openpyxl.workbook"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModelError, match=r"panhead\[desk\]"):
        serve(tmp_path, browser=False)
    with pytest.raises(ModelError, match=r"panhead\[desk\]"):
        write_excel([], tmp_path / "x.xlsx")


def test_a_project_is_a_folder_a_new_one_or_that_of_a_file(tmp_path):
    (tmp_path / "line.toml").touch()
    assert project_and_file(tmp_path / "line.toml") == (tmp_path, "line.toml")
    assert project_and_file(tmp_path / "new") == (tmp_path / "new", "")
    assert (tmp_path / "new").is_dir()
    with pytest.raises(FileError, match="no such file"):
        project_and_file(tmp_path / "lime.toml")
