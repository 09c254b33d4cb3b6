"""Cost of a gradient in runs and in memory: all parameters of the EN 50318 line and one, over kilometres."""

import json
import resource
import subprocess
import sys
import tracemalloc
from time import process_time

from timing import interleaved, spread

from panhead.runs import scenarios
from panhead.runs.description import Run
from panhead.runs.gradients.gradient import gradient
from panhead.runs.linear.taped_run import tape_run
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one

_DROPPERS = [5, 10.5, 17, 23.5, 30, 36.5, 43, 49.5, 55]
_TIMED = 2.5  # [km] of line in a moving window that is timed


def moving_run(kilometres: float) -> Run:
    """EN 50318 line of a given length at 300 km/h in a moving window."""
    spans = [{"length": 60.0, "count": round(kilometres * 1000 / 60), "dropper_positions": _DROPPERS}]
    raw = {
        "kind": "run",
        "line": "en50318-2002",
        "speed": "300 km/h",
        "train": [{"pantograph": "en50318-2002"}],
        "line_changes": {"tension_lengths": [{"name": "T1", "spans": spans}]},
        "numerics": {"window": "moving"},
    }
    return scenarios.from_plain(raw, source="bench").description


def costs(run: Run, repeats: int) -> dict[str, object]:
    """Processor time of the run and of its gradient with respect to all parameters and to one; interleaved ratios."""
    of = {"run": lambda: simulate_one(run), "all": lambda: gradient(run), "one": lambda: gradient(run, wrt="presag")}
    found = gradient(run)
    once, every, one = interleaved(of, repeats, process_time).values()
    return {
        "parameters": sum(found.sizes[d] for d in found.sizes if d.endswith(".names")),
        "run, s": spread(once),
        "gradient by all, s": spread(every),
        "gradient over run": spread(every / once),
        "all parameters over one": spread(every / one),
    }


def memory(kilometres: float) -> dict[str, float]:
    """Memory of a gradient over n kilometres in a separate process, after libraries and kernels are loaded."""
    call = f"from line_gradient import _memory; _memory({kilometres!r})"
    path = json.dumps(sys.path)
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"import sys; sys.path[:] = {path}; {call}"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    return {name: float(value) for name, value in json.loads(told.splitlines()[-1]).items()}


def _memory(kilometres: float) -> None:
    """Print the peak of arrays and objects, the growth of the process and its size [MB]."""
    gradient(moving_run(1.0))
    run, before = moving_run(kilometres), _resident()
    tracemalloc.start()  # arrays are told to it
    gradient(run)
    found = {"traced": tracemalloc.get_traced_memory()[1] / 1e6, "grown": _peak() - before, "peak": _peak()}
    print(json.dumps(found))


def _resident() -> float:
    """Resident memory of the process [MB]."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 1e6


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def measure(long: bool = False) -> dict[str, object]:
    run = scenarios.read("en50318-300").description
    tape = tape_run(resolve(run))
    kept = sum(state.q.nbytes + state.drop.nbytes for state in tape.states)
    figures = {**costs(run, 5), "checkpoints, MB": kept / 1e6}
    figures |= {f"moving window, {_TIMED} km: {name}": value for name, value in costs(moving_run(_TIMED), 3).items()}
    for kilometres in (10.0, 20.0) if long else (10.0,):
        told = memory(kilometres)
        name = f"moving window, {kilometres:g} km"
        figures[f"{name}: memory of a gradient, MB"] = told["traced"]
        figures[f"{name}: growth of the process, MB"] = told["grown"]
        figures[f"{name}: peak of the process, MB"] = told["peak"]
    return figures
