"""A window that moves with the train beside a standing line, over as long a way as the ends of that line allow.

A wave that leaves the train at speed v when the run begins is back from the ends, x behind it and L − x before it,
after 2 x/(c − v) and 2 (L − x)/(c + v): with both equal the run is longest, and nothing in it knows of the ends.
Two dozen spans show what superelements change and what the ledger leaves; what the ends of the window send back shows
beside 200 spans, which takes minutes: `tests/interaction/test_moving_window.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr

from panhead.cases.checks import BEFORE, CLOSED_FORM, Check, below
from panhead.line import Line, read_line
from panhead.line.layout import Layout
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate

_SPEED = 250.0 / 3.6  # [m/s]
_ASKED = "asked for beside 200 spans before the window was made; 0.018 N there over 6.8 km"


def regular_line(spans: int) -> Line:
    """The line of EN 50318 with more spans."""
    line = read_line("en50318-2002")
    (length,) = line.tension_lengths
    return replace(line, tension_lengths=(replace(length, spans=(replace(length.spans[0], count=spans),)),))


def passage(line: Line) -> Run:
    """The longest run at 250 km/h that hears nothing of the line's ends."""
    wire, speed = line.wires.contact, _SPEED
    whole, c = float(Layout(line).mast_x[-1]), float(np.sqrt(wire.tension / wire.mu))
    start = whole * (c - speed) / (2.0 * c)
    stop = start + speed * 2.0 * start / (c - speed)
    return Run(
        line=line,
        speed=speed,
        train=(OnTrain(pantograph="en50318-2002"),),
        journey=Journey(start=start, stop=stop, judged_from=stop - 200.0, judged_to=stop, ramp=1.0),
    )


def apart(run: Run) -> tuple[float, xr.Dataset]:
    """Largest difference of contact force between a moving window and the line as a whole [N], and the former's run."""
    whole, moving = (simulate(replace(run, numerics=Numerics(window=w))) for w in ("whole", "moving"))
    return float(np.abs(moving["contact_force"].values - whole["contact_force"].values).max()), moving


def long_line() -> list[Check]:
    """Truncation under the damped line, and what the ledger leaves."""
    error, moving = apart(passage(regular_line(24)))
    turned = float(np.abs(moving["work_train"]).max() + np.abs(moving["work_uplift"]).max())
    off = float(np.abs(moving["balance"]).max())
    return [
        below("largest difference of contact force, window and 24 standing spans", error, 0.1, "N", _ASKED, by=BEFORE),
        below("energy not accounted for, of what was turned over", off / turned, 1e-9, "1", "identity", by=CLOSED_FORM),
    ]
