"""Monolithic reference solution: line and pantograph as one system, one Newton iteration over all unknowns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.integrators import GeneralizedAlpha
from panhead.engine.methods.trajectory import State
from panhead.engine.system import Vector, no_controls
from panhead.errors import Interrupted, ModelError, SimulationError
from panhead.runs.coupled.coupled_dataset import contact_dataset, units
from panhead.runs.coupled.coupled_problem import Clocks, CoupledProblem
from panhead.runs.coupled.joined_march import JoinedMarch
from panhead.runs.coupled.joined_system import JoinedSystem
from panhead.runs.coupled.multibody_side import strip_motion

if TYPE_CHECKING:
    import xarray as xr

#: An error δq that Newton's iteration leaves in a step acts as an acceleration δq/β dt² over it, and these add up; so
#: it is bounded by that acceleration [m/s²], not far above round-off: of heights of metres, or of small displacements.
_LEFT, _LEFT_LINEAR = 4e-8, 1e-10


def solve_monolithic(
    encounter: CoupledProblem, *, duration: float, clocks: Clocks | None = None, job: Job | None = None
) -> xr.Dataset:
    """Solve the coupled problem as one system for ``duration`` [s], with the line's steps and spectral radius.

    With spectral radius 1 this is the trapezoidal rule, Newmark's with β = ¼, γ = ½. A failure or Ctrl-C carries
    the run so far as ``partial``.
    """
    clocks = clocks or Clocks()
    joined, start, drives, step = (
        JoinedSystem(encounter), encounter.start, encounter.drives, clocks.step,
    )  # fmt: skip
    steps = round(duration / step)
    if steps < 1 or abs(steps * step - duration) > 1e-9 * duration:
        raise ModelError(
            f"the duration {duration!r} s is not a whole number of steps of {step!r} s; change one of them"
        )
    left = _LEFT if encounter.pantograph.constraints else _LEFT_LINEAR
    method = GeneralizedAlpha(  # where droppers or contacts change a few more iterations are needed
        spectral_radius=clocks.spectral_radius, tolerance=0.25 * step**2 * left, max_iterations=60
    )
    t = start.t + step * np.arange(steps + 1)
    u = np.stack([no_controls(joined) if drives is None else np.asarray(drives(float(x))) for x in t])
    nothing = np.zeros(joined.nl)
    whole = State(q=np.concatenate([encounter.line_start(), start.q]), v=np.concatenate([nothing, start.v]), t=start.t)
    march = JoinedMarch(method, joined, whole, u[0])
    rows, progress = [_row(joined, march, float(t[0]))], (job or Job()).progress
    try:
        for k in range(steps):
            if k % 20 == 0:
                progress(k / steps, f"in one piece, t = {t[k]:.3g} s")
            march.step(float(t[k + 1]), u[k + 1])
            rows.append(_row(joined, march, float(t[k + 1])))
    except KeyboardInterrupt:
        raise Interrupted(f"interrupted at t = {t[len(rows) - 1]:.6g} s", partial=_dataset(t, rows)) from None
    except SimulationError as error:
        error.partial = _dataset(t, rows)
        raise
    return _dataset(t, rows)


def _row(joined: JoinedSystem, march: JoinedMarch, t: float) -> tuple[Vector, Vector, Vector]:
    """Contacts, strips, and energy with works, at the end of a step."""
    contact = joined.settle(t, march.q, march.v)
    q, v = march.q[joined.nl :], march.v[joined.nl :]
    strip = strip_motion(joined.strips, t, q, v, contact)
    balance = np.array([sum(joined.energy(t, march.q, march.v)), *march.work])
    return contact.ravel(), strip.ravel(), balance


def _dataset(t: Vector, rows: list[tuple[Vector, Vector, Vector]]) -> xr.Dataset:
    contact, strip, balance = (np.stack([row[i] for row in rows]) for i in range(3))
    data = contact_dataset(t[: len(rows)], contact, strip)
    E, drivers, controls, dissipated = balance.T
    data["energy"] = "time", E, units("J", "kinetic and potential")
    error = E - E[0] - drivers - controls + dissipated
    data["balance"] = "time", error, units("J", "energy not accounted for")
    return data
