"""Gust loads of a run on the wires of its window, over time."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from panhead.errors import ModelError
from panhead.railway.line.turbulence import INTERVAL, gust_loads, gust_places, gust_speeds
from panhead.runs.linear.step.step_arrays import Scheme
from panhead.runs.linear.window import Window
from panhead.runs.resolve import ResolvedRun

_MAX_BYTES = 2_000_000_000  # bytes of loads in time


def with_gusts(model: ResolvedRun, window: Window, sc: Scheme) -> Window:
    """Return the window with the gusts of the run's wind, if it has any."""
    wind = model.run.conditions.wind if model.run.conditions else None
    if wind is None or not wind.intensity or not wind.speed:
        return window
    instants = math.ceil(model.steps * sc.h / INTERVAL) + 2
    ns, tiles, _ = window.work.s.shape
    if 8 * instants * ns * tiles * 4 > _MAX_BYTES:
        raise ModelError(
            f"conditions.wind: gusts of {model.duration:.0f} s on {ns} stations need more than "
            f"{_MAX_BYTES // 10**9} GB of memory; shorten the line or the run"
        )
    aside, up = gust_loads(window.linear, wind)
    u, w = gust_speeds(wind, gust_places(window.linear), range(instants))
    loads = np.zeros((instants, ns, tiles * 4))
    loads[:, :, : window.linear.b] = (u @ aside.T + w @ up.T).reshape(instants, ns, -1)
    line = window.line._replace(gusts=loads.reshape(instants, -1), gust_steps=INTERVAL / sc.h, gust_first=0)
    return replace(window, line=line, work=window.work._replace(push=np.zeros(ns * tiles * 4)))
