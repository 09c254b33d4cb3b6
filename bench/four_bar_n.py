"""N four-bar linkages in a row (IFToMM A02): time per step over N, against Exudyn.

Both take steps of 1 ms by the generalized-α method with the same spectral radius (0.9) and a factor
for every step; Newton to 1e-8 m here, to a relative 1e-8 there. Processor time, runs in turn.
"""

import numpy as np
from peers import exudyn_four_bars as peer
from timing import Marching, ratio, spread

from panhead.runs.scenarios.shipped_models import shipped_model

SIZES, DT, DURATION, REPEATS = (20, 40, 80), 1e-3, 10.0, 2
PEER = {40: 10.0, 80: 2.0}  # [s]; with N = 80 Exudyn stops later, near a singular position


def measure() -> dict[str, object]:
    marching = {n: Marching(shipped_model("four-bars", {"loops": n}), DURATION, DT, tolerance=1e-8) for n in SIZES}
    ours = {n: [] for n in SIZES}
    theirs = {n: [] for n in PEER}
    ends = {}
    for _ in range(REPEATS):
        for n in SIZES:
            ours[n].append(marching[n].milliseconds())
            if n in theirs:
                figures = peer.time_per_step(n, dt=DT, duration=PEER[n])
                theirs[n].append(figures["cpu_ms_per_step"])
                ends[n] = figures["B0"]
    found = {f"N = {n}, ms a step": spread(np.array(ours[n])) for n in SIZES}
    found |= {f"N = {n}, Exudyn, ms a step": spread(np.array(theirs[n])) for n in theirs}
    found |= {f"N = {n}, times faster than Exudyn": ratio(theirs[n], ours[n]) for n in theirs}
    middle = {n: np.median(ours[n]) for n in SIZES}
    run = marching[40].last
    at = [marching[40].system.place(f"upright0.{k}") for k in ("x", "y")]
    return found | {
        "N = 80 against N = 40, time": float(middle[80] / middle[40]),
        "N = 40 against N = 20, time": float(middle[40] / middle[20]),
        "N = 40, iterations a step": run.notes["iterations"] / (DURATION / DT),
        "B₀ at 10 s from Exudyn's, N = 40, mm": 1e3 * float(np.linalg.norm(2 * run.q[-1, at] - np.array(ends[40]))),
    }
