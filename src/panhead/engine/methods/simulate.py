"""Simulate a system from an initial state for a duration with a chosen integrator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np

from panhead.engine.jobs import ignore_progress
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.checkpoints import NO_CHECKPOINTS, Checkpoints
from panhead.engine.methods.equilibrium import require_consistent, require_inertia
from panhead.engine.methods.formulations import Augmented, Baumgarte, Formulation, Projection, Stabilisation
from panhead.engine.methods.integrators import Adaptive, GeneralizedAlpha, Method, MoreauJean
from panhead.engine.methods.modes import linearise
from panhead.engine.methods.rank import require_independent
from panhead.engine.methods.trajectory import Problem, State, Trajectory
from panhead.engine.system import System, Vector
from panhead.errors import ModelError, NotConverged, RunWarning, SimulationError

_MANY = 60  # coordinates


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
    progress: Callable[[float, str], None] = ignore_progress,
    checkpoints: Checkpoints = NO_CHECKPOINTS,
) -> Trajectory:
    """Integrate ``system`` from ``start`` for ``duration`` seconds.

    ``dt`` is the step (adaptive methods choose their own below the kept grid), ``keep`` the time between
    kept states (default: every step), ``controls`` a function u(t). Ranks and the start are checked first.
    Without a ``method`` the one that suits the system is taken: see ``suitable_method``. ``checkpoints`` hold what a
    run that was stopped is resumed from.
    """
    require_independent(system, start.q, t=start.t)
    require_consistent(system, start)
    require_inertia(system, start)
    t, every = grid(start.t, duration, dt, keep)
    u = sample_controls(system, controls, t)
    problem = Problem(
        system=system,
        start=start,
        t=t,
        u=u,
        every=every,
        progress=progress,
        checkpoints=checkpoints,
        formulation=formulation or Augmented(),
        stabilisation=stabilisation or Projection(),
    )
    chosen = method or suitable_method(problem)
    if system.contacts is not None and not isinstance(chosen, MoreauJean):
        raise ModelError(
            f"{system.name!r} has contacts with impacts ({', '.join(system.contacts.names)}), which "
            f"{type(chosen).__name__} does not support; use MoreauJean, or omit the method"
        )
    return chosen.run(problem) if method else _run_with_fallback(chosen, problem)


def _run_with_fallback(chosen: Method, problem: Problem) -> Trajectory:
    """Fall back to fixed steps where adaptive ones, which the user did not ask for, stop in a singular position."""
    try:
        return chosen.run(problem)
    except NotConverged as stop:
        if not isinstance(chosen, Adaptive) or problem.formulation != Augmented():
            raise
        try:
            motion = GeneralizedAlpha().run(problem)
        except SimulationError:
            raise stop from None
        warnings.warn(
            f"adaptive integration stopped ({stop}). The motion of {problem.system.name!r} was computed "
            f"with the generalized-α method (second order) in steps of {problem.t[1] - problem.t[0]:g} s "
            "instead. Repeat with half of dt to estimate its error",
            RunWarning,
            stacklevel=3,
        )
        return motion


def suitable_method(problem: Problem) -> Method:
    """Adaptive steps of eighth order with a relative error of 1e-9, or the generalized-α method with steps dt.

    The latter where the former would be stuck: in systems of more than 60 coordinates (wires, beams), where an
    equation has no acceleration in it, and where the fastest vibration or decay at the start is more than five
    times quicker than dt, ω dt > 10 π. Formulations and stabilisations other than the usual ones go with the former.
    Contacts that may strike take Moreau and Jean's steps.
    """
    system, start = problem.system, problem.start
    if system.contacts is not None:
        return MoreauJean()
    if problem.formulation != Augmented() or isinstance(problem.stabilisation, Baumgarte):
        return Adaptive()
    if len(system.coordinates) > _MANY:
        return GeneralizedAlpha()
    t, u = float(problem.t[0]), problem.u[0]
    _, lam = accelerations(system, t, start.q, start.v, u)
    linear = linearise(system, start.q, lam, t=t, u=u)
    if not len(linear.M):
        return Adaptive()
    try:
        speeds = np.abs(np.linalg.eigvals(linear.state_matrices()[0]))
    except np.linalg.LinAlgError:
        return GeneralizedAlpha()
    fast = not speeds.max() * (problem.t[1] - problem.t[0]) <= 10 * np.pi
    return GeneralizedAlpha() if fast else Adaptive()


def grid(start: float, duration: float, dt: float, keep: float | None) -> tuple[Vector, int]:
    """Times of all steps, and how many steps lie between kept states."""
    for name, value in (("duration", duration), ("step", dt), ("time between kept states", keep or dt)):
        if not (value > 0 and math.isfinite(value)):
            raise ModelError(f"the {name} must be finite and > 0 s, got {value!r}")
    every = max(1, round((keep or dt) / dt))
    kept = duration / (keep or dt)
    if keep and abs(kept - round(kept)) > 1e-6 * kept:
        raise ModelError(
            f"{duration:g} s is not a whole number of intervals of {keep:g} s between kept states; change one of them"
        )
    steps = max(1, math.ceil(kept - 1e-6)) * every
    if steps > 1e9:
        raise ModelError(
            f"{duration:g} s in steps of {dt:g} s are {steps:.3g} steps, which is too many; choose a "
            "longer step or a shorter duration"
        )
    return start + duration * np.arange(steps + 1) / steps, every


def sample_controls(system: System, controls: Callable[[float], Vector] | None, t: Vector) -> Vector:
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
