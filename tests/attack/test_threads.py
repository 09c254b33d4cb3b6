"""The command computes with one thread, as is promised: whatever the environment says, the bits are the same."""

import os
import subprocess
import sys

import pytest

from attack.processes import same, values
from panhead.engine.jobs import ONE_THREAD

_AFTER_A_COMMAND = """
import os, sys
from panhead.app import cli
sys.argv = ["panhead", "list"]
try:
    cli.main()
except SystemExit:
    import numpy, scipy.linalg
    print(len(os.listdir("/proc/self/task")))
"""
#: a ride, a ride under a run, both in one system, two codes with a flexible arm, a study
RUNS = {
    "vehicle-curve": ("duration=0.5 s",),
    "s1-train": ("journey.ramp=0.2 s", "journey.run_in=10 m", "journey.duration=1 s", "journey.judged_to=80 m"),
    "s1-coupled-train": ("journey.duration=0.1 s", "journey.judged_to=16 m"),
    "s4-cx": ("journey.duration=0.04 s", "journey.judged_from=51 m", "journey.judged_to=52 m", "coupling.truth=0"),
    "sliding-mass-on-cable": ("run.duration=0.5 s",),
    "en50318-300": (),
}
STUDY = """
kind = "study"
name = "two speeds"
about = "threads"
base = "en50318-300"
form = "speed"
vary = [{ input = "speed", first = "280 km/h", last = "300 km/h", steps = 2 }]
"""


def surroundings(threads):
    bare = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    return bare | dict.fromkeys(ONE_THREAD, threads) if threads else bare


@pytest.mark.skipif(sys.platform != "linux", reason="threads as Linux tells them")
@pytest.mark.parametrize("threads", ["2", ""], ids=["two", "unset"])
def test_the_libraries_below_have_one_thread(threads):
    """They start theirs when they are loaded, which no command does before it has said how many."""
    done = subprocess.run([sys.executable, "-c", _AFTER_A_COMMAND], env=surroundings(threads), check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert done.stdout.splitlines()[-1] == "1"


def assert_same_bits(words, folder, file="result.nc"):
    for threads in ("1", "2", ""):
        command = [sys.executable, "-m", "panhead", *words, "--out", str(folder / f"with{threads}")]
        subprocess.run(command, env=surroundings(threads), check=True, capture_output=True)
    one, *others = (values(folder / f"with{threads}", file) for threads in ("1", "2", ""))
    assert all(same(one, other) for other in others)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_a_run_has_the_same_bits(name, tmp_path):
    settings = [word for change in RUNS[name] for word in ("--set", change)]
    assert_same_bits(("run", name, *settings, "--no-error-bars"), tmp_path)


@pytest.mark.slow
def test_a_study_has_the_same_bits(tmp_path):
    (tmp_path / "two.toml").write_text(STUDY)
    assert_same_bits(("study", str(tmp_path / "two.toml"), "--workers", "1"), tmp_path, "index.nc")
