"""Names of the package itself, whatever was imported before."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("before", ["panhead", "panhead.runs.description", "panhead.reports.page"])
def test_rooms_that_are_verbs_can_be_called_and_imported_from(before):
    """``ph.run`` is the room and does the main job, whether the room was imported before or not."""
    code = (
        f"import {before}\n"
        "import panhead as ph\n"
        "assert callable(ph.run) and callable(ph.report)\n"
        "import panhead.runs.description as words\n"
        "assert words.Run is ph.Run\n"
        "try:\n    ph.run('no such thing')\n"
        "except ph.errors.FileError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "no such thing" in done.stdout, done.stderr
