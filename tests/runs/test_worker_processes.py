"""Worker processes and the command they work for."""

import os
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes as Linux tells them")

_PARENT = """
import os, time
from panhead.runs.worker_processes import pool
if __name__ == "__main__":
    hands = pool(1)
    print(hands.submit(os.getpid).result(), flush=True)
    time.sleep(60)
"""


def test_a_worker_ends_with_a_parent_that_was_killed(tmp_path):
    """It used to wait for ever: its own end of the queue kept the queue open."""
    (tmp_path / "parent.py").write_text(_PARENT)
    with subprocess.Popen([sys.executable, tmp_path / "parent.py"], stdout=subprocess.PIPE, text=True) as parent:
        worker = int(parent.stdout.readline())
        os.kill(worker, 0)
        parent.kill()
    assert _ends(worker)


def _ends(process: int) -> bool:
    for _ in range(200):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        with open(f"/proc/{process}/stat") as state:  # nobody may have taken leave of it yet
            if state.read().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("command", [("study", "speed-curve"), ("design", "en50318-droppers")])
def test_sigterm_is_told_like_ctrl_c(panhead, monkeypatch, command):
    """A batch system ends a job so; a study used to die without a word and leave its workers behind."""
    from panhead.explore.designs import run_design as designs
    from panhead.explore.studies import run_study as studies

    def stopped(*given):
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(studies, "conduct_into", stopped)
    monkeypatch.setattr(designs, "conduct", stopped)
    answer = panhead(*command, "--out", "o")
    assert answer.returncode == 130
    assert "Repeat the same command to resume" in answer.stderr


def test_a_log_says_how_far_it_is(monkeypatch, capsys):
    """Without a terminal nothing at all was said until the end."""
    from panhead.app.cli import progress_display

    monkeypatch.setattr(progress_display, "_LOG_INTERVAL", 0.01)
    with progress_display.progress_bar("study") as progress:
        progress(0.0, "0 of 256 samples")
        progress(0.25, "64 of 256 samples")
        time.sleep(0.2)
    # nothing was reported for longer than the time left by the rate so far, so only the time taken is told
    assert "study 64 of 256 samples 25 %, 0 s so far" in capsys.readouterr().err
