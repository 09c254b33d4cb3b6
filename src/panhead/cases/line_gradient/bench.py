"""What a gradient costs, in runs: of the deviation by every parameter of the EN 50318 line, and of one alone."""

import resource

import numpy as np
from timing import interleaved, spread

from panhead import scenarios
from panhead.runs.gradients.gradient import gradient
from panhead.runs.resolve import resolve
from panhead.runs.simulate import simulate_one
from panhead.runs.solvers.linear.adjoint import record


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
        "peak memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
