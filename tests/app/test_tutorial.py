"""The tutorial as it is printed: files written and commands given in its order, in an empty folder."""

import re
import shlex
import warnings
from pathlib import Path

import pytest
from desk.evidence.test_result_commands import invoke

from panhead.errors import RunWarning

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(toml|console)\n(.*?)^```", re.DOTALL | re.MULTILINE)
#: a shorter line with the same things on it, for every day
SHORT = {
    "--spans 36": "--spans 10",
    "1650 m": "300 m",
    "1800 m": "360 m",
    "2700 m": "720 m",
    "2850 m": "780 m",
    "1700 m": "240 m",
    "1980 m": "540 m",
    "2220 m": "600 m",
    "2460 m": "810 m",
    "2070 m": "560 m",
    "--mast 36": "--mast 10",
}


def follow(text: str, *, leave: str = "") -> list[str]:
    """Do what the page says; returns the commands given."""
    given = []
    for kind, content in BLOCK.findall(text):
        if kind == "toml":
            name = re.match(r"# ([\w.]+)", content)[1]
            with Path(name).open("a", encoding="utf-8") as file:
                file.write("\n" + content)
            continue
        for command in re.findall(r"^\$ panhead (.*)$", content, re.MULTILINE):
            if leave and command.startswith(leave):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RunWarning)
                invoke(*shlex.split(command))
            given.append(command)
    return given


def test_the_tutorial_in_short(tmp_path, monkeypatch):
    """Everything but the last step, on a line of a kilometre; the pack has tests of its own."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    for long, short in SHORT.items():
        assert long in text
        text = text.replace(long, short)
    assert len(follow(text, leave="evidence")) == 13
    for made in (
        "out/calm/report.pdf",
        "compare.html",
        "out/windy/uplift-mast-10.svg",
        "out/windy/maintain.html",
        "out/windy/result/time.csv",
    ):
        assert (tmp_path / made).is_file(), made


@pytest.mark.slow
def test_the_whole_tutorial(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    follow(PAGE.read_text(encoding="utf-8"))
    assert "within all ranges" in (tmp_path / "evidence" / "evidence.html").read_text(encoding="utf-8")
