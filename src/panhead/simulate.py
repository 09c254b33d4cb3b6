"""The front door to dynamics: a system, a start, a duration, a method."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from panhead.equilibrium import require_consistent
from panhead.errors import ModelError
from panhead.formulations import Augmented, Formulation, Projection, Stabilisation
from panhead.integrators import Adaptive, Method
from panhead.jobs import silent
from panhead.rank import require_independent
from panhead.system import System, Vector
from panhead.trajectory import Problem, State, Trajectory


def simulate(
    system: System,
    start: State,
    *,
    duration: float,
    dt: float,
    method: Method | None = None,
    keep: float | None = None,
    controls: Callable[[float], Vector] | None = None,
    formulation: Formulation | None = None,
    stabilisation: Stabilisation | None = None,
    progress: Callable[[float, str], None] = silent,
) -> Trajectory:
    """Integrate ``system`` from ``start`` for ``duration`` seconds.

    ``dt`` is the step (adaptive methods choose their own below the kept grid), ``keep`` the time between
    kept states (default: every step), ``controls`` a function u(t). Ranks and the start are checked first.
    """
    require_independent(system, start.q, t=start.t)
    require_consistent(system, start)
    t, every = grid(start.t, duration, dt, keep)
    nu = len(system.controls)
    u = (
        np.zeros((len(t), nu))
        if controls is None
        else np.array([controls(x) for x in t]).reshape(len(t), nu)
    )
    problem = Problem(
        system=system,
        start=start,
        t=t,
        u=u,
        every=every,
        progress=progress,
        formulation=formulation or Augmented(),
        stabilisation=stabilisation or Projection(),
    )
    return (method or Adaptive()).run(problem)


def grid(start: float, duration: float, dt: float, keep: float | None) -> tuple[Vector, int]:
    """Times of all steps, and how many steps lie between kept states."""
    for name, value in (
        ("duration", duration),
        ("step", dt),
        ("time between kept states", keep or dt),
    ):
        if not (value > 0 and math.isfinite(value)):
            raise ModelError(f"the {name} must be finite and > 0 s, got {value!r}")
    every = max(1, round((keep or dt) / dt))
    steps = max(1, math.ceil(duration / (dt * every) - 1e-9)) * every
    if steps > 1e9:
        raise ModelError(
            f"{duration:g} s in steps of {dt:g} s are {steps:.3g} steps; that is more than a machine bears"
        )
    return start + duration * np.arange(steps + 1) / steps, every
