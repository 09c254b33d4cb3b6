"""A window that moves with the train beside a standing line of 200 spans, over as long a way as its ends allow.

A wave that leaves the train at speed v when the run begins is back from the ends, x behind it and L − x before it,
after 2 x/(c − v) and 2 (L − x)/(c + v): with both equal the run is longest, and nothing in it knows of the ends.
The mesh is coarse and the step long, for both alike; `tests/interaction` has the slow comparison on the usual mesh.
"""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import xarray as xr

from panhead.cases.checks import BEFORE, CLOSED_FORM, Check, below
from panhead.line import Line, read_line
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate

SPANS = 200
COARSE = Numerics(step=2e-3, element_length=3.0, coarse=True)
_SPEED = 250.0 / 3.6  # [m/s]
_ASKED = "truncation under 0.1 N beside a standing line of 200 spans, asked for before the window was made"


def regular_line(spans: int) -> Line:
    """The line of EN 50318 with more spans."""
    line = read_line("en50318-2002")
    (length,) = line.tension_lengths
    return replace(line, tension_lengths=(replace(length, spans=(replace(length.spans[0], count=spans),)),))


def passage(line: Line, numerics: Numerics, share: float = 1.0) -> Run:
    """The longest run that hears nothing of the line's ends, or the first share of it."""
    wire, speed = line.wires.contact, _SPEED
    (length,) = line.tension_lengths
    whole, c = sum(span.length * span.count for span in length.spans), float(np.sqrt(wire.tension / wire.mu))
    start = whole * (c - speed) / (2.0 * c)
    stop = start + share * speed * 2.0 * start / (c - speed)
    return Run(
        line=line,
        speed=speed,
        train=(OnTrain(pantograph="en50318-2002"),),
        journey=Journey(start=start, stop=stop, judged_from=stop - 200.0, judged_to=stop, ramp=1.0),
        numerics=numerics,
    )


def apart(run: Run) -> tuple[float, xr.Dataset]:
    """Largest difference of contact force between a moving window and the line as a whole [N], and the former's run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the mesh is coarse on purpose
        whole, moving = (simulate(replace(run, numerics=replace(run.numerics, window=w))) for w in ("whole", "moving"))
    return float(np.abs(moving["contact_force"].values - whole["contact_force"].values).max()), moving


def long_line() -> list[Check]:
    """Truncation under the damped line, and what the ledger leaves."""
    error, moving = apart(passage(regular_line(SPANS), COARSE))
    turned = float(np.abs(moving["work_train"]).max() + np.abs(moving["work_uplift"]).max())
    off = float(np.abs(moving["balance"]).max())
    return [
        below("largest difference of contact force, window and 200 spans", error, 0.1, "N", _ASKED, by=BEFORE),
        below("energy not accounted for, of what was turned over", off / turned, 1e-9, "1", "identity", by=CLOSED_FORM),
    ]
