"""The front door to dynamics: a system, a start, a duration, a method."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from panhead.errors import ModelError
from panhead.jobs import silent
from panhead.methods.equilibrium import require_consistent, require_inertia
from panhead.methods.formulations import Augmented, Formulation, Projection, Stabilisation
from panhead.methods.integrators import Adaptive, Method
from panhead.methods.rank import require_independent
from panhead.methods.trajectory import Problem, State, Trajectory
from panhead.system import System, Vector


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
    require_inertia(system, start)
    t, every = grid(start.t, duration, dt, keep)
    u = sampled(system, controls, t)
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
    kept = duration / (keep or dt)
    if keep and abs(kept - round(kept)) > 1e-6 * kept:
        raise ModelError(
            f"{duration:g} s is not a whole number of intervals of {keep:g} s between kept states; "
            "change one of them"
        )
    steps = max(1, math.ceil(kept - 1e-6)) * every
    if steps > 1e9:
        raise ModelError(
            f"{duration:g} s in steps of {dt:g} s are {steps:.3g} steps; that is more than a machine bears"
        )
    return start + duration * np.arange(steps + 1) / steps, every


def sampled(system: System, controls: Callable[[float], Vector] | None, t: Vector) -> Vector:
    """u on the grid, (n, nu): zeros without controls; finite numbers of the right count with them."""
    nu = len(system.controls)
    if controls is None:
        return np.zeros((len(t), nu))
    rows = [np.atleast_1d(np.asarray(controls(float(x)), dtype=float)) for x in t]
    for x, row in zip(t, rows, strict=True):
        if row.shape != (nu,) or not np.isfinite(row).all():
            raise ModelError(
                f"controls at t = {x:g} s must be {nu} finite numbers ({', '.join(system.controls)}), "
                f"got {row.tolist()}"
            )
    return np.array(rows)
