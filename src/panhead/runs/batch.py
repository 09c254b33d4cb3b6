"""Batch simulation of several runs at once; assessed results without energies and animation frames.

Runs of the linear solver under a line that stands still go side by side in lanes (``solvers/linear/lanes``); others are
computed one by one. A run gives the same bits in any company.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from panhead.errors import PanheadError, RunWarning, SimulationError
from panhead.runs import run_checks
from panhead.runs.capabilities import CapabilityQuery, falls_back_to_plain
from panhead.runs.description import Run
from panhead.runs.resolve import ResolvedRun, resolve
from panhead.runs.simulate import simulate
from panhead.runs.streams import Streams

if TYPE_CHECKING:
    import xarray as xr

    from panhead.railway.line.strung_line import Strung
    from panhead.runs.linear.session import Session
    from panhead.runs.linear.step.lane_arrays import LaneState
    from panhead.runs.linear.window import PackedLine


def simulate_batch(runs: Sequence[Run]) -> list[xr.Dataset | PanheadError]:
    """Assessed result of every run, or the error that stopped it.

    A result that was computed in lanes holds the contacts and the supports, no energies, droppers, pictures or
    inventory.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RunWarning)
        found = dict(iterate_batch(runs))
    return [found[k] for k in range(len(runs))]


def iterate_batch(runs: Sequence[Run]) -> Iterator[tuple[int, xr.Dataset | PanheadError]]:
    """Yield the number and result of each run as soon as it is done."""
    from panhead.runs.linear.run_lanes import full

    sessions: dict[int, Session] = {}
    for k, run in enumerate(runs):
        try:
            session = _start(run) if run.solver == "linear" else None
            alone = simulate(run) if session is None else None
        except PanheadError as error:
            yield k, error
            continue
        if session is not None:
            sessions[k] = session
            if full(list(sessions.values())):  # what is begun is soon done, and kept
                yield from _advance(sessions)
                sessions = {}
        elif alone is not None:
            yield k, alone
    yield from _advance(sessions)


_LINES: list[tuple[Strung, dict[Any, PackedLine]]] = []  # strung last, with their arrays
_CACHED_LINES = 2


def _start(run: Run) -> Session | None:
    """Session at the start of a run; None if the run cannot join a batch."""
    from panhead.runs.linear.session import packed_line, start

    model = resolve(run)
    if model.moving or falls_back_to_plain(CapabilityQuery(run, model.line, model.pantographs), "lanes"):
        return None
    known = next((one for one in _LINES if one[0].line == model.line), None)
    if known is None:
        known = model.strung, {}
        _LINES.insert(0, known)
        del _LINES[_CACHED_LINES:]
    model = replace(model, strung=known[0])
    key = run.numerics.element_length, run.numerics.step, run.lateral, run.droppers
    if key not in known[1]:
        known[1][key] = packed_line(model)
    return start(model, known[1][key])


def _advance(sessions: dict[int, Session]) -> Iterator[tuple[int, xr.Dataset | PanheadError]]:
    """Advance every session to its end; yield numbers and results."""
    from panhead.runs.linear.run_driver import failure_message
    from panhead.runs.linear.run_lanes import advance, groups

    number = {id(session): k for k, session in sessions.items()}
    for group in groups(list(sessions.values())):
        record, state = advance(group)
        for lane, session in enumerate(group):
            session.step = int(state.done[lane])
            try:
                if state.status[lane]:
                    raise SimulationError(failure_message(session, int(state.status[lane])))
                found: xr.Dataset | PanheadError = _judge_lane(session, record[: session.step, lane], state, lane)
            except PanheadError as error:
                found = error
            yield number[id(session)], found


def _judge_lane(session: Session, contact: np.ndarray, state: LaneState, lane: int) -> xr.Dataset:
    """Assessed result of one lane; contact (steps, nc, 4)."""
    import xarray as xr

    from panhead.assess.judge import judge
    from panhead.runs.linear.linear_dataset import contact_variables, support_variables
    from panhead.runs.linear.run_driver import write_contacts

    model: ResolvedRun = session.model
    x = session.window.linear.x[session.window.linear.masts]
    masts = np.array([mast for mast, _ in session.window.support_keys], dtype=np.int64)
    streams = Streams(None)
    streams.append("support", np.column_stack([masts, x[masts], state.uplift[:, lane], state.uplift_time[:, lane]]))
    session.step = 0
    write_contacts(session, contact, session.track(len(contact)).position[1:], streams)
    variables = dict(contact_variables(model, streams.table("contact").reshape(len(contact), -1, 5)))
    variables |= dict(support_variables(model, session.window, streams)) | model.variables()
    coords = {"time": variables.pop("time"), "pantograph": ("pantograph", np.array(model.names, dtype=str))}
    result = xr.Dataset(variables, coords)
    said = tuple(run_checks.warnings_after(model, result))
    told = replace(model, warnings=(*model.warnings, *said)).attributes(inventory=False)
    return judge(result.assign_attrs(told))
