"""A long line in a moving window: time per kilometre and memory, for 10 km and for 100 km."""

import resource
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

from panhead import scenarios
from panhead.jobs import Job
from panhead.runs.resolve import resolve
from panhead.runs.solvers.linear.drive import drive
from panhead.runs.streams import Streams

DROPPERS = [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]


def measure() -> dict[str, object]:
    _run(2)  # compile and load
    figures: dict[str, object] = {}
    rates, memory = {}, {}
    for kilometres in (10, 100):
        seconds, marks = _run(kilometres)
        rates[kilometres] = seconds / kilometres
        memory[kilometres] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        parts = np.diff(np.interp(np.linspace(0, 1, 6), *np.array(marks).T))
        figures |= {
            f"{kilometres} km, s a km": rates[kilometres],
            f"{kilometres} km, slowest fifth over quickest fifth": float(parts.max() / parts.min()),
            f"{kilometres} km, peak memory so far, MB": memory[kilometres],
        }
    return figures | {
        "time per km, 100 km over 10 km": rates[100] / rates[10],
        "memory, 100 km over 10 km": memory[100] / memory[10],
    }


def _run(kilometres):
    """Seconds of a run at 300 km/h over a line of so many kilometres, and (share, seconds) marks."""
    count = round(kilometres * 1000 / 60)
    raw = {
        "kind": "run",
        "line": "en50318-2002",
        "speed": "300 km/h",
        "train": [{"pantograph": "en50318-2002"}],
        "line_changes": {
            "tension_lengths": [
                {"name": "T1", "spans": [{"length": 60.0, "count": count, "dropper_positions": DROPPERS}]}
            ]
        },
        "numerics": {"window": "moving"},
    }
    model = resolve(scenarios.from_plain(raw, source="bench").description)
    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        marks = [(0.0, 0.0)]
        note = lambda share, message="": marks.append((share, perf_counter() - start))
        _, failure = drive(model, Streams(Path(folder)), Job(progress=note, out=Path(folder)))
        assert failure is None
        return perf_counter() - start, marks
