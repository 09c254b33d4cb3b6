"""Batch of linear runs in lanes: runs with the same mesh advance together, one per vector lane."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from panhead.engine.jit.lanes import in_lanes
from panhead.engine.kernels.block_tridiagonal import Paired
from panhead.runs.linear.run_driver import chunk_steps
from panhead.runs.linear.session import Session
from panhead.runs.linear.step.dropper import is_loose
from panhead.runs.linear.step.lane_arrays import LaneLine, LaneState, LaneTrain, LaneWay, LaneWork
from panhead.runs.linear.step.lane_step import run_lanes

WIDTH = 8  #: runs that share a matrix; more leave the cache
_OWN = 4  # runs with matrices of their own, for the same reason


def groups(sessions: Sequence[Session]) -> list[list[Session]]:
    """Sessions that can advance together: same mesh; with one common matrix, or few with their own."""
    by_layout: dict[Any, list[Session]] = {}
    for session in sessions:
        by_layout.setdefault(_layout(session), []).append(session)
    found = []
    for like in by_layout.values():
        by_matrix: dict[bytes, list[Session]] = {}
        for session in like:
            by_matrix.setdefault(_digest(session.window.line.F), []).append(session)
        alone = [s for same in by_matrix.values() if len(same) < _OWN for s in same]
        found += [part for same in by_matrix.values() if len(same) >= _OWN for part in _groups(same, WIDTH)]
        found += _groups(alone, _OWN)
    return found


def full(sessions: Sequence[Session]) -> bool:
    """True if there are as many sessions as fit side by side with their own matrices, and no two share one."""
    return len(sessions) == _OWN and len({_digest(s.window.line.F) for s in sessions}) == _OWN


def _groups(sessions: list[Session], size: int) -> list[list[Session]]:
    return [sessions[k : k + size] for k in range(0, len(sessions), size)]


def _digest(array: np.ndarray) -> bytes:
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).digest()


def _layout(session: Session) -> tuple[Any, ...]:
    """Common layout of sessions in lanes: step, stations, number and position of droppers and masses."""
    w, state = session.window, session.state
    parts = (w.line.x, w.drop["station"], w.drop["dof"], w.line.path, state.support["station"], state.support["dof"])
    places = tuple(_digest(part) for part in (*parts, w.line.M.place, w.line.C.place))
    bilateral = session.model.run.droppers
    return (*places, session.sc, state.z.shape, state.element.size, state.contact.size, bilateral)


def advance(sessions: Sequence[Session], most: int | None = None) -> tuple[np.ndarray, LaneState]:
    """Run one of the ``groups`` from its start to its end, or for ``most`` steps; the sessions are left unchanged.

    Returns force, height, place across and uplift of every contact, (steps, lanes, contacts, 4), and the last state.
    Lanes that are not needed repeat the first.
    """
    lanes = with_idle_lanes(sessions)
    steps = max(s.model.steps for s in sessions)
    steps = steps if most is None else min(steps, most)
    line, train, state, w = lane_arrays(lanes)
    record = np.zeros((steps, len(lanes), state.contact.shape[1], 4))
    track = _way(lanes, steps)
    track.steps[len(sessions) :] = 0
    sc = sessions[0].sc
    run_lanes(line, train, sc, state, track, chunk_steps(sessions[0].model, sc.h), w, record)
    return record, state


class LaneArrays(NamedTuple):
    """Sessions as the arrays of ``run_lanes``, copied from their present states."""

    line: LaneLine
    train: LaneTrain
    state: LaneState
    work: LaneWork


def with_idle_lanes(sessions: Sequence[Session]) -> list[Session]:
    """Sessions of one of the ``groups``, filled up to a register with repetitions of the first."""
    width = WIDTH if same_matrix(sessions) else _OWN
    return [*sessions, *[sessions[0]] * (width - len(sessions))]


def lane_arrays(lanes: Sequence[Session]) -> LaneArrays:
    """Arrays of as many sessions as a register holds."""
    return LaneArrays(_line(lanes), _train(lanes), _state(lanes), _work(lanes))


def same_matrix(sessions: Sequence[Session]) -> bool:
    """True if one factorisation serves all sessions."""
    first = sessions[0].window.line.F
    return all(s.window.line.F is first or np.array_equal(s.window.line.F, first) for s in sessions)


def _last(arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Lanes of the arrays, each a lane."""
    return in_lanes(np.ascontiguousarray(np.stack(arrays, axis=-1)))


def _line(lanes: Sequence[Session]) -> LaneLine:
    lines, drops = [s.window.line for s in lanes], [s.window.drop for s in lanes]
    first, drop = lines[0], drops[0]
    whole = [line.F for line in lines]
    same = same_matrix(lanes)
    before = np.searchsorted(drop["station"], np.arange(first.x.size + 1))
    return LaneLine(
        x=first.x,
        M=_pair_lanes([line.M for line in lines]),
        C=_pair_lanes([line.C for line in lines]),
        damped=any(line.damped for line in lines),
        F=whole[0] if same else _last(whole),
        whole_F=np.stack(whole[:1] if same else whole),
        path=first.path,
        shape=np.stack([line.shape for line in lines]),
        station=np.ascontiguousarray(drop["station"]),
        dof=np.ascontiguousarray(drop["dof"]),
        weight=_last([d["weight"] for d in drops]),
        k=_last([d["k"] for d in drops]),
        c=_last([d["c"] for d in drops]),
        N0=_last([d["N0"] for d in drops]),
        before=before.astype(np.int64),
        lateral=any(bool(d["weight"][:, 2:].any()) for d in drops),
        viscous=any(bool(d["c"].any()) for d in drops),
        bilateral=bool(drop.size and drop["bilateral"][0]),
    )


def _pair_lanes(matrices: Sequence[Paired]) -> Paired:
    """A matrix of all lanes."""
    pairs, place, value = zip(*matrices, strict=True)
    if all(np.array_equal(pair, pairs[0]) for pair in pairs):
        return Paired(pairs[0], place[0], np.ascontiguousarray(value[0]))
    return Paired(_last(pairs), place[0], _last(value))


def _train(lanes: Sequence[Session]) -> LaneTrain:
    fields = (np.stack([getattr(s.train, name) for s in lanes]) for name in LaneTrain._fields)
    return LaneTrain(*fields)


def _way(lanes: Sequence[Session], steps: int) -> LaneWay:
    tracks = [s.track(min(steps, s.model.steps)) for s in lanes]
    held = lambda a: np.concatenate([a, np.repeat(a[-1:], steps + 1 - len(a), axis=0)])
    position, speed, uplift = (
        np.stack([held(getattr(t, name)) for t in tracks], axis=1) for name in ("position", "speed", "uplift")
    )
    return LaneWay(position, speed, uplift, np.array([len(t.speed) - 1 for t in tracks]))


def _state(lanes: Sequence[Session]) -> LaneState:
    states = [s.state for s in lanes]
    support = states[0].support
    q = np.ascontiguousarray(np.stack([s.q[:2] for s in states], axis=-1))
    return LaneState(
        q=in_lanes(q),
        each_q=q,
        z=np.stack([s.z for s in states]),
        drop=np.stack([s.drop for s in states]),
        contact=np.stack([s.contact for s in states]),
        element=np.stack([s.element for s in states]),
        station=np.ascontiguousarray(support["station"]),
        dof=np.ascontiguousarray(support["dof"]),
        uplift=np.stack([s.support["uplift"] for s in states], axis=-1),
        uplift_time=np.stack([s.support["time"] for s in states], axis=-1),
        status=np.zeros(len(lanes), np.int64),
        done=np.zeros(len(lanes), np.int64),
    )


def _work(lanes: Sequence[Session]) -> LaneWork:
    works, first = [s.window.work for s in lanes], lanes[0].window.work
    ns, nt, _ = first.s.shape
    nd, m, reach = first.slot_of.size, first.slot.size, max(w.X.shape[1] for w in works)
    width = len(lanes)
    y = np.zeros((ns + 2, nt, 4, width))
    p = np.ascontiguousarray(np.stack([s.state.drop["p"] for s in lanes], axis=-1))
    slack = np.zeros((width, max(m, nd)), np.int64)
    counts = np.zeros(width, np.int64)
    for k, s in enumerate(lanes):
        rows = np.flatnonzero(is_loose(s.state.drop))
        slack[k, : rows.size], counts[k] = rows, rows.size
    stacked = {
        name: np.stack([getattr(w, name) for w in works]) for name in ("z", "f", "slot", "D", "P", "S", "R", "A", "r")
    }
    return LaneWork(
        y=in_lanes(y),
        each_y=y,
        scratch=in_lanes(np.zeros((1, 4, width))),
        p=in_lanes(p),
        each_p=p,
        marked=np.zeros(nd, np.int8),
        loose=np.zeros((width, nd), np.int64),
        loose_count=np.zeros(width, np.int64),
        slot_of=np.full((width, nd), -1, np.int64),
        count=np.zeros((width, 1), np.int64),
        slack=slack,
        slack_count=counts,
        X=np.zeros((width, m, reach, nt, 4)),
        load=np.zeros((2, nt, 4)),
        column=np.zeros((reach, nt, 4)),
        **stacked,
    )
