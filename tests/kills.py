"""Kill a run at random instants and let it go on: what comes out must be the same, bit for bit.

    python tests/kills.py [KILLS [SEED]]

kills that many times and prints how many differed; ``survived`` is what it and the tests share.
"""

import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from panhead.files import results

#: slow enough for five checkpoints, coarse enough for a second or two of work
ARGUMENTS = ("run", "en50318-300", "--set", "speed=60 km/h", "--set", "numerics.step=2 ms")


def panhead(*arguments: str, folder: Path) -> subprocess.Popen[str]:
    """The command as a process of its own."""
    command = [sys.executable, "-m", "panhead", *arguments, "--out", str(folder)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def survived(folder: Path, kills: int, chance: random.Random, arguments: tuple[str, ...] = ARGUMENTS) -> int:
    """Kill a run in a folder up to so many times, each time going on from what it left; how often it was killed."""
    done = 0
    for _ in range(kills):
        process = panhead(*arguments, "--resume", folder=folder)
        while process.poll() is None and not any(folder.glob(".run/checkpoint-?")):
            time.sleep(0.01)  # nothing to lose before there is something
        _wait(process, 2.0 * chance.random())
        if process.poll() is not None:
            break
        process.send_signal(signal.SIGKILL)
        process.communicate()
        done += 1
    last = panhead(*arguments, "--resume", folder=folder)
    _, said = last.communicate()
    if last.returncode != 0:
        raise AssertionError(said)
    return done


def _wait(process: subprocess.Popen[str], seconds: float) -> None:
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def differing(one: Path, two: Path) -> list[str]:
    """Variables of two results that are not the same, bit for bit."""
    a, b = results.load(one / "result.nc"), results.load(two / "result.nc")
    names = set(a.variables) | set(b.variables)
    same = lambda n: n in a and n in b and np.array_equal(a[n], b[n], equal_nan=a[n].dtype.kind == "f")
    return sorted(str(n) for n in names if not same(n))


def main(kills: int = 100, seed: int = 1) -> int:
    """Number of results that differ after this many kills."""
    chance, killed, runs, wrong = random.Random(seed), 0, 0, 0
    with tempfile.TemporaryDirectory() as place:
        panhead(*ARGUMENTS, folder=Path(place) / "plain").communicate()
        while killed < kills:
            folder, runs = Path(place) / str(runs), runs + 1
            killed += survived(folder, min(3, kills - killed), chance)
            wrong += bool(differing(Path(place) / "plain", folder))
    print(f"{killed} kills in {runs} runs: {wrong} results differ")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main(*map(int, sys.argv[1:]))))
