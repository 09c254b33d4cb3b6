"""What a gradient costs, in runs: of the deviation by every parameter of the EN 50318 line, and of one alone."""

import resource
import tracemalloc

import numpy as np
from timing import interleaved, spread

from panhead import scenarios
from panhead.runs.gradients.gradient import gradient
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one
from panhead.runs.solvers.linear.adjoint import record

DROPPERS = [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]


def long_memory(kilometres: float) -> float:
    """The most memory that a gradient by all parameters takes in a moving window over a line so long [MB]."""
    spans = [{"length": 60.0, "count": round(kilometres * 1000 / 60), "dropper_positions": DROPPERS}]
    raw = {
        "kind": "run",
        "line": "en50318-2002",
        "speed": "300 km/h",
        "train": [{"pantograph": "en50318-2002"}],
        "line_changes": {"tension_lengths": [{"name": "T1", "spans": spans}]},
        "numerics": {"window": "moving"},
    }
    run = scenarios.from_plain(raw, source="bench").description
    tracemalloc.start()  # arrays are told to it
    gradient(run)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def measure() -> dict[str, object]:
    run = scenarios.read("en50318-300").description
    seconds = interleaved(
        {"run": lambda: simulate_one(run), "all": lambda: gradient(run), "one": lambda: gradient(run, wrt="presag")}, 5
    )
    once, every, one = (float(np.median(seconds[name])) for name in ("run", "all", "one"))
    found = gradient(run)
    count = sum(found.sizes[d] for d in found.sizes if d.endswith(".names"))
    tape = record(resolve(run))
    kept = sum(state.q.nbytes + state.drop.nbytes for state in tape.states)
    return {
        "parameters": count,
        "run, s": spread(seconds["run"]),
        "gradient by all, s": spread(seconds["all"]),
        "gradient over run": every / once,
        "all parameters over one": every / one,
        "checkpoints, MB": kept / 1e6,
        "10 km in a moving window: memory of a gradient, MB": long_memory(10.0),
        "peak memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
