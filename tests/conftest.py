"""Independent answers live in ``tests/oracles``; tests import them as ``oracles``."""

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


@dataclass
class Answer:
    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def panhead(tmp_path, monkeypatch, capsys):
    """Call the command's entry point in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")

    def call(*arguments):
        from panhead.app.cli import main

        monkeypatch.setattr(sys, "argv", ["panhead", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        return Answer(int(stopped.value.code or 0), said.out, said.err)

    return call
