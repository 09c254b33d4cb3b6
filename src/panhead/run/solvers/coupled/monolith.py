"""The truth: line and pantograph as one system, one Newton iteration over all unknowns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from panhead.errors import Interrupted, ModelError, SimulationError
from panhead.jobs import Job
from panhead.methods.integrators import GeneralizedAlpha
from panhead.methods.trajectory import State
from panhead.run.solvers.coupled.dataset import contact_dataset
from panhead.run.solvers.coupled.encounter import Encounter
from panhead.run.solvers.coupled.joined import JoinedSystem
from panhead.run.solvers.coupled.joined_march import JoinedMarch
from panhead.run.solvers.coupled.methods import standing_line
from panhead.run.solvers.coupled.multibody_side import strip_motion
from panhead.system import Vector, no_controls

if TYPE_CHECKING:
    import xarray as xr

#: An error δq of a step is an acceleration δq/β dt² for its length, which adds up: hence the tolerance, near round-off.
#: Where droppers or contacts change a few more iterations are needed.
METHOD = GeneralizedAlpha(spectral_radius=1.0, tolerance=2.5e-17, max_iterations=60)


def monolithic(
    encounter: Encounter,
    *,
    duration: float,
    step: float,
    method: GeneralizedAlpha = METHOD,
    job: Job | None = None,
) -> xr.Dataset:
    """The encounter in one piece for ``duration`` [s] in steps of ``step`` [s].

    With spectral radius 1 this is the trapezoidal rule, Newmark's with β = ¼, γ = ½. A failure or Ctrl-C carries
    the run so far as ``partial``.
    """
    joined, start, drives = JoinedSystem(encounter), encounter.start, encounter.drives
    steps = round(duration / step)
    if steps < 1 or abs(steps * step - duration) > 1e-9 * duration:
        raise ModelError(f"{duration!r} s is not a whole number of steps of {step!r} s")
    t = start.t + step * np.arange(steps + 1)
    u = np.stack(
        [no_controls(joined) if drives is None else np.asarray(drives(float(x))) for x in t]
    )
    march = JoinedMarch(method, joined, _whole(joined, encounter), u[0])
    rows, tell = [_seen(joined, march, float(t[0]))], (job or Job()).progress
    try:
        for k in range(steps):
            if k % 20 == 0:
                tell(k / steps, f"t = {t[k]:.3g} s")
            march.step(float(t[k + 1]), u[k + 1])
            rows.append(_seen(joined, march, float(t[k + 1])))
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted at t = {t[len(rows) - 1]:.6g} s", partial=_dataset(t, rows)
        ) from None
    except SimulationError as error:
        error.partial = _dataset(t, rows)
        raise
    return _dataset(t, rows)


def _whole(joined: JoinedSystem, encounter: Encounter) -> State:
    """The line at rest, as it stands, and the pantograph where it starts."""
    e, nothing = encounter, np.zeros(joined.nl)
    u = nothing if e.standing is None else standing_line(e.line, e.passage, e.standing)
    return State(
        q=np.concatenate([u, e.start.q]), v=np.concatenate([nothing, e.start.v]), t=e.start.t
    )


def _seen(joined: JoinedSystem, march: JoinedMarch, t: float) -> tuple[Vector, Vector, Vector]:
    contact = joined.settle(t, march.q, march.v)
    q, v = march.q[joined.nl :], march.v[joined.nl :]
    strip = strip_motion(joined.strips, t, q, v, contact)
    balance = np.array([sum(joined.energy(t, march.q, march.v)), *march.work])
    return contact.ravel(), strip.ravel(), balance


def _dataset(t: Vector, rows: list[tuple[Vector, Vector, Vector]]) -> xr.Dataset:
    contact, strip, balance = (np.stack([row[i] for row in rows]) for i in range(3))
    data = contact_dataset(t[: len(rows)], contact, strip)
    E, drivers, controls, dissipated = balance.T
    data["energy"] = "time", E, {"units": "J", "long_name": "kinetic and potential"}
    error = E - E[0] - drivers - controls + dissipated
    data["balance"] = "time", error, {"units": "J", "long_name": "energy not accounted for"}
    return data
