"""Moving window against a complete line, over the longest distance without reflections from its ends.

A wave that leaves the train at speed v when the run begins is back from the ends, x behind it and L − x before it,
after 2 x/(c − v) and 2 (L − x)/(c + v): with both equal the run is longest, and nothing in it knows of the ends.
Windows of 15, 22 and 33 of 40 spans move along with the train, so that spans come and go. What the ends of the usual
window of 89 spans send back shows beside 200 spans, which takes minutes: `tests/runs/linear/test_moving_window.py`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import xarray as xr

from panhead.railway.line import Line, read_line
from panhead.railway.line.layout import Layout
from panhead.runs.description import Journey, Numerics, OnTrain, Run
from panhead.runs.simulate import simulate
from panhead.validation.checks import AFTER, BEFORE, CLOSED_FORM, Check, at_least, below, listed

_SPEED = 250.0 / 3.6  # [m/s]
_SPANS = 40
# spans ahead and behind, each half as large again; waves fade over a quarter of those behind, as in the usual window
_WINDOWS = ((8, 6), (12, 9), (18, 14))
_SMALL = "no bound: window deliberately too small, to show how the difference decreases"
_ASKED = "required against 200 spans before the window was implemented; 0.018 N there over 6.8 km"


def regular_line(spans: int) -> Line:
    """The line of EN 50318 with more spans."""
    line = read_line("en50318-2002")
    (length,) = line.tension_lengths
    return replace(line, tension_lengths=(replace(length, spans=(replace(length.spans[0], count=spans),)),))


def passage(line: Line) -> Run:
    """Longest run at 250 km/h without reflections from the ends of the line."""
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


def largest_difference(run: Run, *windows: Numerics) -> tuple[list[float], xr.Dataset]:
    """Largest difference of contact force between each window and the line as a whole [N]; the last window's run."""
    whole = simulate(replace(run, numerics=Numerics(window="whole")))["contact_force"].values
    found = []
    for numerics in windows:
        moving = simulate(replace(run, numerics=replace(numerics, window="moving")))
        found.append(float(np.abs(moving["contact_force"].values - whole).max()))
    return found, moving


def long_line() -> list[Check]:
    """Truncation error of moving windows on the damped line, and residual of the energy balance."""
    run = passage(regular_line(_SPANS))
    errors, moving = largest_difference(run, *(Numerics(ahead=a, behind=b, absorbing=b // 4) for a, b in _WINDOWS))
    turned = float(np.abs(moving["work_train"]).max() + np.abs(moving["work_uplift"]).max())
    off, left = float(np.abs(moving["balance"]).max()), float(moving["dissipated_window"][-1])
    passed = float(np.ptp(moving["contact_x"].values)) / 60.0
    names = [f"{a} spans ahead, {b} behind" for a, b in _WINDOWS]
    rows = [listed(f"{n}: largest difference from the line as a whole", e, 0.0, "N", _SMALL)
        for n, e in zip(names[:-1], errors[:-1], strict=True)]  # fmt: skip
    return [
        *rows,
        below(f"{names[-1]}: largest difference from the line as a whole", errors[-1], 0.1, "N",
            f"{_ASKED}; the length over which waves fade was chosen with the result in view", by=AFTER),
        at_least("a window half as large again: the difference falls by", float(np.min(np.divide(errors[:-1],
            errors[1:]))), 1.0, "1", "a larger window truncates less", by=BEFORE),
        at_least("spans by which the window moves", passed, 20.0, "1", "meaningful only if the window moves",
            by=BEFORE),
        at_least("energy that left the window, of what was turned over", left / turned, 1e-3, "1",
            "waves leave a window that is shorter than the line", by=BEFORE),
        below("energy not accounted for, of what was turned over", off / turned, 1e-9, "1", "identity", by=CLOSED_FORM),
    ]  # fmt: skip
