"""Simulate a system from an initial state for a duration with a chosen integrator."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from panhead.engine.jobs import ignore_progress
from panhead.engine.methods.accelerations import accelerations
from panhead.engine.methods.checkpoints import NO_CHECKPOINTS, Checkpoints
from panhead.engine.methods.equilibrium import require_common_axes, require_consistent, require_inertia
from panhead.engine.methods.formulations import Augmented, Baumgarte, Formulation, Projection, Stabilisation
from panhead.engine.methods.integrators import Adaptive, ContactStepping, GeneralizedAlpha, Method, MoreauJean
from panhead.engine.methods.modes import tangent_motion
from panhead.engine.methods.rank import require_independent
from panhead.engine.methods.trajectory import Problem, State, Trajectory
from panhead.engine.plain_function import forget_failures, raise_failures
from panhead.engine.system import CollisionTerms, System, Vector
from panhead.errors import ModelError, NotConverged, RunWarning, SimulationError

_MANY = 60  # coordinates above which dense steps of eighth order cost more than they gain
_VERY_MANY = 300  # coordinates above which the frequencies at the start are not computed
_CONTROLLED = GeneralizedAlpha(local_error=1e-8)


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

    ``dt`` is the step; adaptive methods take shorter ones where they must, and end steps at the corners of given
    functions of time. ``keep`` is the time between kept states (default: every step), ``controls`` a function u(t).
    Ranks and the start are checked first.
    Without a ``method`` the one that suits the system is taken: see ``suitable_method``. ``checkpoints`` hold what a
    run that was stopped is resumed from.
    """
    problem = problem_of(
        system, start, duration=duration, dt=dt, keep=keep, controls=controls, formulation=formulation,
        stabilisation=stabilisation,
    )  # fmt: skip
    problem = replace(problem, progress=progress, checkpoints=checkpoints)
    chosen = method_of(problem, method)
    forget_failures()
    try:
        if method:
            motion = replace(chosen.run(problem), method=repr(chosen))
        else:
            used, motion = _run_with_fallback(chosen, problem)
            motion = replace(motion, method=f"{used!r}, chosen by default")
    except SimulationError:
        raise_failures()
        raise
    raise_failures()
    return motion


def problem_of(
    system: System,
    start: State,
    *,
    duration: float,
    dt: float,
    keep: float | None = None,
    controls: Callable[[float], Vector] | None = None,
    formulation: Formulation | None = None,
    stabilisation: Stabilisation | None = None,
) -> Problem:
    """The initial-value problem, with ranks and the start checked."""
    require_common_axes(system, start)
    require_independent(system, start.q, t=start.t)
    require_consistent(system, start)
    require_inertia(system, start)
    t, every = grid(start.t, duration, dt, keep)
    return Problem(
        system=system,
        start=start,
        t=t,
        u=sample_controls(system, controls, t),
        every=every,
        formulation=formulation or Augmented(),
        stabilisation=stabilisation or Projection(),
    )


def method_of(problem: Problem, method: Method | None) -> Method:
    """The method asked for, or a suitable one; ModelError if it does not support the system's contacts."""
    chosen, system = method or suitable_method(problem), problem.system
    if system.contacts is not None and not isinstance(chosen, MoreauJean | ContactStepping):
        meets = isinstance(system.contacts, CollisionTerms)
        raise ModelError(
            f"{system.name!r} has contacts with impacts ({', '.join(system.contacts.names)}), which "
            f"{type(chosen).__name__} does not support; use {'ContactStepping' if meets else 'MoreauJean'}, or "
            "omit the method"
        )
    return chosen


def _run_with_fallback(chosen: Method, problem: Problem) -> tuple[Method, Trajectory]:
    """Fall back to another method where the one that the user did not ask for stops; the method used and its motion.

    Adaptive steps of eighth order stop in singular positions, where the generalized-α method goes on; Newton's method
    stops where steps are too long, and steps chosen by their error are not.
    """
    try:
        return chosen, chosen.run(problem)
    except NotConverged as stop:
        other = {Adaptive: GeneralizedAlpha(), GeneralizedAlpha: _CONTROLLED}.get(type(chosen))
        if other is None or other == chosen or problem.formulation != Augmented():
            raise
        try:
            motion = other.run(problem)
        except SimulationError:
            raise stop from None
        step = "chosen by their error" if other == _CONTROLLED else f"of {problem.t[1] - problem.t[0]:g} s"
        warnings.warn(
            f"the default integrator stopped ({str(stop).rstrip('.')}). The motion of {problem.system.name!r} was "
            f"computed with the generalized-α method (second order) in steps {step} instead. "
            "Repeat with half of dt to estimate its error",
            RunWarning,
            stacklevel=3,
        )
        return other, motion


def suitable_method(problem: Problem) -> Method:
    """Adaptive steps of eighth order with a relative error of 1e-9, or the generalized-α method with steps dt.

    The latter where the former would be stuck: where an equation has no acceleration in it, where the fastest
    vibration or decay at the start is more than five times quicker than dt, ω dt > 10 π (wires, beams), and in systems
    of more than 300 coordinates. Slow systems of more than 60 coordinates take the generalized-α method in steps
    chosen by their error, 1e-8 m or rad each. Formulations and stabilisations other than the usual ones go with the
    adaptive steps. Contacts that may strike take Moreau and Jean's steps, shapes
    that may meet those of ``ContactStepping``.
    """
    system, start = problem.system, problem.start
    if system.contacts is not None:
        return ContactStepping() if isinstance(system.contacts, CollisionTerms) else MoreauJean()
    if problem.formulation != Augmented() or isinstance(problem.stabilisation, Baumgarte):
        return Adaptive()
    if len(system.coordinates) > _VERY_MANY:
        return GeneralizedAlpha()
    t, u = float(problem.t[0]), problem.u[0]
    _, lam = accelerations(system, t, start.q, start.v, u)
    linear = tangent_motion(system, start.q, lam, t=t, u=u)
    if not len(linear.M):
        return Adaptive()
    try:
        speeds = np.abs(np.linalg.eigvals(linear.state_matrices()[0]))
    except np.linalg.LinAlgError:
        return GeneralizedAlpha()
    fast = not speeds.max() * (problem.t[1] - problem.t[0]) <= 10 * np.pi
    if fast:
        return GeneralizedAlpha()
    return Adaptive() if len(system.coordinates) <= _MANY else _CONTROLLED


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
