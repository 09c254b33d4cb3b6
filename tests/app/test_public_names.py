"""Names of the package itself, whatever was imported before."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("before", ["panhead", "panhead.runs.description", "panhead.desk.reports.page"])
def test_functions_of_the_front_door_are_no_rooms(before):
    """``ph.run`` does the main job, whatever room was imported before."""
    code = (
        f"import {before}\n"
        "import panhead as ph\n"
        "assert callable(ph.run) and callable(ph.report)\n"
        "import panhead.runs.description as words\n"
        "assert words.Run is ph.Run\n"
        "try:\n    ph.run('no such thing')\n"
        "except ph.files.parse.FileError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "no such thing" in done.stdout, done.stderr
