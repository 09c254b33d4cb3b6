"""Co-simulation of a linear line and any pantograph, exchanging values at every exchange step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, final

import numpy as np

from panhead.engine.jobs import Job
from panhead.errors import ModelError, SimulationError
from panhead.railway.line.line_matrices import LinearLine, linear_line
from panhead.runs.checkpoints import RunCheckpoints, run_inputs
from panhead.runs.coupled.coupled_dataset import units
from panhead.runs.coupled.coupled_options import Coupling
from panhead.runs.coupled.coupled_problem import Clocks, CoupledProblem
from panhead.runs.coupled.coupled_recorder import LineRecording, PantographRecording
from panhead.runs.coupled.exchange_loop import couple
from panhead.runs.coupled.exchange_schemes import Exchange
from panhead.runs.coupled.line_side import LineSide
from panhead.runs.coupled.monolith import solve_monolithic
from panhead.runs.coupled.participant import ForeignPantograph, Participant
from panhead.runs.coupled.placement import Placement, own_law, place_lifted, place_settled
from panhead.runs.linear.kernel_arrays import scheme
from panhead.runs.resolve import ResolvedRun, starts_settled

if TYPE_CHECKING:
    import xarray as xr

    from panhead.runs.coupled.head_control import HeadControl

_SHOWN = 50  # exchange steps between two looks at the contact force
_LIFT = "lift.torque.1"  # the number of a linkage that is the moment on its lower arm


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """Both codes at the start of a run, and their metadata."""

    line: LineSide
    pantograph: Participant
    recording: PantographRecording | None = None  #: None: it does not show what is inside
    truth: xr.Dataset | None = None
    control: HeadControl | None = None
    attributes: dict[str, float] = field(default_factory=dict)


def simulate(resolved: ResolvedRun, job: Job) -> xr.Dataset:
    """Co-simulate a run; a failure or Ctrl-C carries the result up to it."""
    run, coupling = resolved.run, resolved.run.coupling or Coupling()
    clocks = coupling.clocks(run.numerics.step, run.numerics.radius("coupled"))
    line = linear_line(resolved.strung, element_length=run.numerics.element_length, lateral=run.lateral)
    foreign = isinstance(resolved.pantographs[0], ForeignPantograph)
    sides = (_foreign_sides if foreign else _own_sides)(resolved, line, clocks, job)
    recording = LineRecording(resolved, sides.line)

    parts = {"notes": recording, "linkage": sides.recording, "control": sides.control}
    parts = {name: part for name, part in parts.items() if part is not None}
    passed: list[tuple[float, float]] = []

    def record(now: Exchange) -> None:
        picture = recording.note(now)
        passed.append((sides.line.time, float(now.contact[0::3].sum())))
        if len(passed) == _SHOWN:
            t, force = np.array(passed).T
            job.watch(resolved.places(t), force[:, None])
            passed.clear()
        if sides.recording is not None:
            sides.recording.note(picture)

    try:
        result = couple(
            sides.line,
            sides.pantograph,
            coupling.method(),
            duration=max(1, resolved.steps // clocks.every) * clocks.exchange_step,
            exchange_step=clocks.exchange_step,
            truth=sides.truth,
            record=record,
            parts=parts,
            checkpoints=RunCheckpoints(job, *run_inputs(resolved)),
            job=job,
        )
    except SimulationError as error:
        if error.partial is not None:
            error.partial = _dataset(resolved, sides, recording, error.partial)
        raise
    return _dataset(resolved, sides, recording, result)


def _own_sides(resolved: ResolvedRun, line: LinearLine, clocks: Clocks, job: Job) -> Sides:
    """Sides of a native pantograph: bodies on axes that move with the train."""
    run, pantograph = resolved.run, resolved.pantographs[0]
    begin = line, resolved.timetable, pantograph, run.contact
    g = resolved.line.gravity
    placed = (
        place_settled(*begin, gravity=g)
        if starts_settled(run)
        else place_lifted(*begin, ramp=run.journey.ramp, gravity=g)
    )
    placed, law = _with_law(resolved, placed, clocks)
    encounter = placed.encounter
    truth = _monolithic_reference(encounter, (run.coupling or Coupling()).truth, clocks, job)
    side = encounter.pantograph_side(clocks, control=law)
    moment = encounter.pantograph.parameters.get(_LIFT)
    return Sides(
        line=encounter.line_side(clocks),
        pantograph=side,
        recording=PantographRecording(side, placed.mechanics, pantograph),
        control=law,
        truth=truth,
        attributes={} if moment is None else {"moment": moment},
    )


def _with_law(resolved: ResolvedRun, placed: Placement, clocks: Clocks) -> tuple[Placement, HeadControl | None]:
    """Start with the control law in it, and its sampled controller if it needs one."""
    law, name = resolved.run.control, resolved.names[0]
    if law is None or law.kind == "none":
        return placed, None
    from panhead.runs.coupled.head_control import HeadControl, with_law

    placed, head = with_law(placed, law, name, resolved.line.gravity), placed.mechanics.head
    assert head is not None  # with_law has refused it
    feedback = law.controller(head.numbers())
    if feedback is None:
        return placed, None
    if resolved.run.coupling is not None and resolved.run.coupling.truth:
        raise ModelError("coupling.truth: the monolithic reference run supports no sampled controller; remove `truth`")
    system, period = placed.encounter.pantograph, clocks.exchange_step
    return placed, HeadControl(feedback, head, system, resolved.timetable, period=period)


def _monolithic_reference(encounter: CoupledProblem, duration: float, clocks: Clocks, job: Job) -> xr.Dataset | None:
    """Monolithic reference run of the first part; if stopped, nothing of the run is left."""
    if not duration:
        return None
    aside = Job(progress=lambda _, message: job.progress(0.0, message))
    try:
        return solve_monolithic(encounter, duration=duration, clocks=clocks, job=aside)
    except SimulationError as error:
        error.partial = None
        raise


def _foreign_sides(resolved: ResolvedRun, line: LinearLine, clocks: Clocks, job: Job) -> Sides:
    """Sides of a pantograph simulated by an external code, which defines its own initial state."""
    run, pantograph = resolved.run, resolved.pantographs[0]
    if run.coupling is not None and run.coupling.truth:
        raise ModelError(
            f"coupling.truth: {pantograph.name!r} is simulated by an external code, so there is no monolithic "
            "reference run; remove `truth`"
        )
    each = pantograph.static_force / len(pantograph.behind)
    side = LineSide(
        line,
        resolved.timetable,
        pantograph.behind,
        law=own_law(run.contact, pantograph),
        scheme=scheme(clocks.step, clocks.spectral_radius),
        preload=(each,) * len(pantograph.behind) if each else None,
    )
    return Sides(line=side, pantograph=pantograph.participant(side, trust=job.trust))


def _dataset(resolved: ResolvedRun, sides: Sides, recording: LineRecording, run: xr.Dataset) -> xr.Dataset:
    """Dataset with the variable names of every solver; positions are those of the first strip."""
    import xarray as xr

    t = run["time"].to_numpy()
    n = len(t)
    wire = np.array(recording.heights[:n])[:, 0]
    place, force = sides.line.places(t)[:, 0], run["contact_force"].to_numpy()
    lateral, strip = (run[name].to_numpy()[0] for name in ("contact_y", "strip_z"))
    curves: dict[str, Any] = {
        name: (("pantograph", "time"), values[None], units(unit, words))
        for name, values, unit, words in (
            ("contact_force", force, "N", "contact force, unfiltered"),
            ("contact_x", place, "m", "place of the contact along the track"),
            ("contact_y", lateral, "m", "place of the contact across the strip, + to the left"),
            ("contact_z", wire, "m", "height of the contact wire at the contact point"),
            ("strip_z", strip, "m", "height of the strip at the contact point"),
        )
    }
    each = run["strip_force"].to_numpy()[None], units("N", "contact force of each strip")
    curves["strip_force"] = ("pantograph", "strip", "time"), *each
    curves["speed_of_train"] = "time", resolved.timetable.speed(t), units("m/s", "speed")
    if sides.control is not None:
        forces = sides.control.forces or [0.0]  # stopped before its first step
        u = np.array([*forces, forces[-1]])[:n]
        words = units("N", "force of the actuator on the pan-head, upwards")
        curves["actuator_force"] = ("pantograph", "time"), u[None], words
    kept = {name: run[name] for name in ("interface_energy_error", "interface_energy", "iterations")}
    found: dict[str, Any] = recording.variables()
    if sides.recording is not None:
        found |= sides.recording.variables(n)
    names = np.array(resolved.names, dtype=str)
    return (
        xr.Dataset(curves | found, coords={"time": run["time"].variable, "pantograph": names})
        .assign(kept)
        .assign_attrs(run.attrs | sides.attributes)
    )
