"""Nothing depends on the number of threads, which is promised: runs in processes with one and with two of them."""

import os
import subprocess
import sys

import pytest

from attack.processes import same, values

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("vehicle-curve", "--set", "duration=0.5 s"),
        ("sliding-mass-on-cable", "--set", "run.duration=0.5 s"),
        ("en50318-300", "--no-error-bars"),
    ],
    ids=lambda words: words[0],
)
def test_one_thread_or_two_give_the_same_bits(words, tmp_path):
    for threads in ("1", "2"):
        command = [sys.executable, "-m", "panhead", "run", *words, "--out", str(tmp_path / threads)]
        subprocess.run(command, env=os.environ | dict.fromkeys(THREADS, threads), check=True, capture_output=True)
    assert same(values(tmp_path / "1"), values(tmp_path / "2"))
