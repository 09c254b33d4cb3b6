"""Moving force on a stretched wire of 100 elements, against Exudyn's sliding joint.

The same wire, step (1 ms) and method (spectral radius 0.9); processor time, runs in turn. The default iterates until
what is left is far below the step's own error, and projects rates; "as lines march" are the numbers of lines of cables.
"""

import numpy as np
from peers import exudyn_cable as peer
from timing import Marching, ratio, spread

from panhead.runs.scenarios.shipped_models import shipped_model

DT, REPEATS = 1e-3, 5
LINES = "augmented, as lines march"
STEPS = round((peer.LENGTH - 2 * peer.START) / peer.SPEED / DT)


def measure() -> dict[str, object]:
    forms = ("augmented", "embedded", LINES)
    options = {form: {} for form in forms} | {LINES: {"tolerance": 1e-9, "rates": "free"}}
    model = lambda form: shipped_model("moving-load", {"form": form.partition(",")[0]})
    marching = {
        form: Marching(model(form), STEPS * DT, DT, factor="while it serves", **options[form]) for form in forms
    }
    ours, theirs = {form: [] for form in forms}, []
    for _ in range(REPEATS):
        for form in forms:
            ours[form].append(marching[form].milliseconds())
        figures = peer.time_per_step(100, dt=DT)
        theirs.append(figures["cpu_ms_per_step"])
    found = {f"{form}, ms a step": spread(np.array(ours[form])) for form in forms}
    found |= {f"{form}, times faster than Exudyn": ratio(theirs, ours[form]) for form in forms}
    for form in forms:
        m = marching[form]
        lift = m.every_step().q[:, m.system.place("wire.50y")]
        found[f"{form}, largest lift of the middle, mm"] = 1e3 * float(lift.max())
        found[f"{form}, iterations a step"] = m.last.notes["iterations"] / STEPS
    return found | {
        "Exudyn, ms a step": spread(np.array(theirs)),
        "Exudyn, largest lift of the middle, mm": 1e3 * figures["lift_max"],
        "Exudyn, iterations a step": figures["newton_per_step"],
    }
