"""Driver of the linear solver: chunks of steps, moving window, streams, checkpoints, progress."""

from __future__ import annotations

import numpy as np

from panhead.engine.jobs import Job
from panhead.engine.methods.checkpoints import Checkpoint, resume
from panhead.errors import Interrupted, SimulationError
from panhead.runs.checkpoints import RunCheckpoints, run_inputs
from panhead.runs.linear.frames import FrameRecorder
from panhead.runs.linear.session import (
    EVENTS,
    Session,
    ends_of,
    move_window,
    restore_state,
    room_for_record,
    room_for_states,
    save_state,
    start,
)
from panhead.runs.linear.step.active_set import NO_ANSWER, NOT_FINITE, OK, TOO_MANY
from panhead.runs.linear.step.dropper import is_slack
from panhead.runs.linear.step.march import RunOutput, run_plain
from panhead.runs.linear.step.step_arrays import LineState, Record
from panhead.runs.linear.window import Window
from panhead.runs.resolve import ResolvedRun
from panhead.runs.streams import Streams

_CHUNK = 0.5  # of a run computed in one call [s]
_CHECKPOINT = 10  # chunks between checkpoints
_HISTORY = 1200  # droppers up to which their whole history is kept, if the window stands still


def drive(model: ResolvedRun, streams: Streams, job: Job) -> tuple[Session, SimulationError | None]:
    """Run to the end, or to a failure, which is returned; all output until then is in the streams."""
    session = start(model)  # what cannot be started leaves the folder as it was
    checkpoints = RunCheckpoints(job, *run_inputs(model), streams=streams)
    found = checkpoints.restore()
    if found is not None:
        with resume(found, model.steps):
            restore_state(session, found.state)
            session.step = found.step
    camera = FrameRecorder.of(model)
    chunk = chunk_steps(model, session.sc.h)
    failure: SimulationError | None = None
    while session.step < model.steps and failure is None:
        if session.step and session.step % (chunk * _CHECKPOINT) == 0:
            checkpoints.save(Checkpoint(session.step, save_state(session), {}))
        if model.moving:
            window, state = session.window, session.state
            if move_window(session):
                _write_left_spans(session, window, state, streams)
        failure = _advance(session, min(chunk, model.steps - session.step), camera, streams, job)
        if failure is None:
            try:
                job.progress(session.step / model.steps, f"{session.time:.1f} s")
            except KeyboardInterrupt:  # a listener may interrupt the run here, between two chunks
                failure = Interrupted(f"interrupted at t = {session.time:.6g} s")
    _write_left_spans(session, session.window, session.state, streams, all_of_it=True)
    return session, failure


def chunk_steps(model: ResolvedRun, h: float) -> int:
    """Number of steps per call: at most a span's passage with a moving window."""
    span = np.diff(model.strung.layout.mast_x).min() / model.fastest if model.moving else _CHUNK
    return max(1, int(min(_CHUNK, float(span)) / h + 0.5))


def _advance(session: Session, steps: int, camera: FrameRecorder, streams: Streams, job: Job) -> SimulationError | None:
    """Compute one chunk and write its output."""
    w, state, number = session.window, session.state, session.number_droppers()
    every = max(1, round(session.model.run.numerics.keep / session.sc.h))
    samples = (session.step + steps) // every - session.step // every
    shapes = camera.count(session.step, steps)
    history = not session.model.moving and state.drop.size <= _HISTORY
    record = room_for_record(session, steps, samples, shapes, history=history)
    track = session.track(steps)
    out = RunOutput(record, every, camera.every, np.zeros(2, np.int64), room_for_states(session, 0), 0)
    status, done = run_plain(
        w.line, session.train, session.sc, ends_of(session), state, track, session.step, w.work, (), out
    )
    position = track.position[1 : done + 1]
    _write_chunk(session, record, position, number, streams, job)
    head = record.masses[:done, session.train.head["mass"]] + session.train.head["height"]
    place = pantograph_places(session, position)
    camera.write(w.linear, record, place, head[:, session.first_strip], session.step, session.sc.h, streams)
    session.step += done
    return None if status == OK else SimulationError(failure_message(session, status))


def failure_message(session: Session, status: int) -> str:
    """Message for a failed run: where it stopped, and why."""
    front = session.track(1).position[0, 0]
    where = f"the run stopped at t = {session.time:.4f} s with the first pantograph at {front:.2f} m"
    what = {
        NO_ANSWER: "contact forces, droppers and stops did not converge; halve numerics.step",
        TOO_MANY: "too many droppers went slack at once; check the line and the uplift forces",
        NOT_FINITE: "the contact force is not a number; halve numerics.step and check the data of the pantograph",
    }[status]
    return f"{where}: {what}"


def _write_chunk(
    session: Session, record: Record, position: np.ndarray, number: np.ndarray, streams: Streams, job: Job
) -> None:
    done = position.shape[0]
    job.watch(*write_contacts(session, record.contact[:done], position, streams))
    streams.append("masses", record.masses[:done])
    every = max(1, round(session.model.run.numerics.keep / session.sc.h))
    first = session.step // every
    samples = (session.step + done) // every - first
    times = (np.arange(first, first + samples) + 1) * every * session.sc.h
    streams.append("energy", np.column_stack([times, record.energy[:samples]]))
    if record.dropper.shape[1]:
        streams.append("support_history", record.support[:samples])
        shown = session.window.shown
        streams.append("dropper_history", record.dropper[:samples, shown] - session.window.residual[shown])
    events = record.slack[: min(int(record.events[0]), EVENTS)]
    events = events[number[events[:, 0].astype(np.int64)] >= 0]
    if len(events):
        events[:, 0] = number[events[:, 0].astype(np.int64)]
        streams.append("slack", events)


def write_contacts(
    session: Session, contact: np.ndarray, position: np.ndarray, streams: Streams
) -> tuple[np.ndarray, np.ndarray]:
    """Write the contact of each pantograph and, if there are several, each strip; position (steps, strips).

    Returns place [m] and force [N] of the pantographs (steps, np).
    """
    strips, first = len(session.train.head), session.first_strip
    per_wire = contact.reshape(len(position), strips, contact.shape[1] // strips, 4)
    place = pantograph_places(session, position)
    found = _of_pantographs(per_wire, first)
    streams.append("contact", np.concatenate([place[:, :, None], found], axis=2))
    if strips > first.size:
        streams.append("strips", _of_pantographs(per_wire, np.arange(strips))[..., [0, 2]])
    return place, found[..., 0]


def pantograph_places(session: Session, position: np.ndarray) -> np.ndarray:
    """Positions of the pantographs for strips at ``position`` (steps, strips) [m]."""
    first = session.first_strip
    return np.asarray(position[:, first] + (session.behind[first] - session.model.behind))


def _of_pantographs(per_wire: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Force, height, lateral position, uplift of each pantograph: of the strip and wire with the largest force, or the
    lowest.

    per_wire (steps, strips, nw, 4) → (steps, np, 4); the force is the sum over strips and wires. first: the first strip
    of each pantograph.
    """
    steps, strips, _wires, _ = per_wire.shape
    if first.size < strips:
        parts = np.split(per_wire, first[1:], axis=1)
        return np.concatenate([_of_pantographs(p.reshape(steps, 1, -1, 4), first[:1]) for p in parts], axis=1)
    force = per_wire[..., 0]
    height = np.where(np.isnan(per_wire[..., 1]), np.inf, per_wire[..., 1])
    chosen = np.where(force.any(axis=2), force.argmax(axis=2), height.argmin(axis=2))
    result = np.take_along_axis(per_wire, chosen[:, :, None, None], axis=2)[:, :, 0]
    result[..., 0] = force.sum(axis=2)
    return result


def _write_left_spans(
    session: Session, window: Window, state: LineState, streams: Streams, *, all_of_it: bool = False
) -> None:
    """Write the droppers and supports that a window has left behind, or all of them at the end."""
    stay = set() if all_of_it else set(session.window.dropper_keys)
    gone = [i for i in window.shown.tolist() if window.row_keys[i] not in stay]
    if gone:
        d, number = (state.drop[gone], np.array([session.ids.get(window.row_keys[i], -1) for i in gone]))
        span = [window.row_keys[i][0] for i in gone]
        columns = [*(d[name] - window.residual[gone] for name in ("N0", "N_min", "N_max")), d["slack"]]
        streams.append("dropper", np.column_stack([number, span, window.row_x[gone], *columns]))
        loose = is_slack(d)
        if loose.any():
            until = np.full(int(loose.sum()), session.time)
            streams.append("slack", np.column_stack([number[loose], d["since"][loose], until]))
    stay = set() if all_of_it else set(session.window.support_keys)
    gone = [i for i, key in enumerate(window.support_keys) if key not in stay]
    if gone:
        masts = [window.support_keys[i][0] for i in gone]
        s, mast_x = state.support[gone], session.model.strung.layout.mast_x
        streams.append("support", np.column_stack([masts, mast_x[masts], s["uplift"], s["time"]]))
