"""Random runs: line, tensions, pantograph, speed, second pantograph, length of the assessed section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from panhead.railway.line import Line, read_line, string
from panhead.railway.line.line_speed import check_speed
from panhead.runs.description import Journey, OnTrain, Run

LINES: Final = ("en50318-2002", "stitched-25kv", "compound-25kv", "twin-3kv")
PANTOGRAPHS: Final = ("en50318-2002", "benchmark-2015", "dsa380")
_SPANS = 14  # of a line whose spans are all alike
_RAMP, _RUN_IN = 2.0, 120.0  # [s], [m]


def draw_runs(seed: int) -> Iterator[Run]:
    """Yield random runs endlessly, reproducible for a given seed."""
    rng = np.random.default_rng(seed)
    while True:
        yield _run(rng)


def _run(rng: np.random.Generator) -> Run:
    line = _line(rng)
    waves = check_speed(line, 1.0)
    assert waves is not None  # every line here has wires
    speed = round(rng.uniform(0.45, 0.7) * waves.wave_speed, 1)
    pantograph = PANTOGRAPHS[rng.integers(len(PANTOGRAPHS))]
    behind = round(rng.uniform(60.0, 200.0), 1) if rng.random() < 0.3 else 0.0
    spans = int(rng.integers(2, 5))
    lateral = bool(rng.random() < 0.15)
    train = (OnTrain(pantograph=pantograph), OnTrain(pantograph=pantograph, behind=behind))
    return Run(
        line=line,
        train=train if behind else train[:1],
        speed=speed,
        lateral=lateral,
        journey=_journey(line, speed, behind, spans),
    )


def _line(rng: np.random.Generator) -> Line:
    """Shipped line with random tensions, ± 15 %."""
    line = read_line(LINES[rng.integers(len(LINES))])
    contact, messenger = line.wires.contact, line.wires.messenger
    assert messenger is not None  # every line here has one
    contact = replace(contact, tension=contact.tension * rng.uniform(0.85, 1.15))
    messenger = replace(messenger, tension=messenger.tension * rng.uniform(0.85, 1.15))
    (only,) = line.tension_lengths
    spans = tuple(replace(span, count=_SPANS) for span in only.spans) if len(only.spans) == 1 else only.spans
    return replace(
        line,
        wires=replace(line.wires, contact=contact, messenger=messenger),
        tension_lengths=(replace(only, spans=spans),),
    )


def _journey(line: Line, speed: float, behind: float, spans: int) -> Journey:
    """Journey over a number of whole spans after a run-in."""
    masts = string(line).layout.mast_x
    start = round(float(0.5 * (masts[0] + masts[1])) + behind, 1)
    first = min(int(np.searchsorted(masts, start + _RAMP * speed + _RUN_IN)), len(masts) - 3 - spans)
    begin, end = float(masts[first]), float(masts[first + spans])
    stop = min(end + 20.0 + behind, float(masts[-1]) - 5.0)
    return Journey(start=start, judged_from=begin, judged_to=min(end, stop - behind), stop=stop, ramp=_RAMP)
