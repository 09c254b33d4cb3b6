"""The state of a window that has moved: a linear map of the motion, and the memory of what both windows have."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panhead.kernels.interaction_arrays import LineState, Scheme, TrainArrays, U, V
from panhead.kernels.unilateral import CLOSED
from panhead.line.linear import LinearLine
from panhead.line.superelements import SuperSpan
from panhead.runs.solvers.linear.window import Window, remember_damping, resting_state

_DROPPER_MEMORY = ("mode", "p", "e", "N", "N_min", "N_max", "slack", "since", "bow")
_SAME = 1e-6  # between places that are one [m]


def carried_over(old: Window, state: LineState, new: Window, train: TrainArrays, sc: Scheme) -> LineState:
    """The state of a window that has moved: what both have in common is carried over, the rest is at rest."""
    fresh = resting_state(new, train, state.element, state.z[0])
    fresh.z[:], fresh.element[:], fresh.ledger[:] = state.z, state.element, state.ledger
    _carry_motion(old.linear, state, new.linear, fresh)
    _stretch(fresh)
    source, target = common(old.row_keys, new.row_keys)
    for name in _DROPPER_MEMORY:
        fresh.drop[name][target] = state.drop[name][source]
    _hold_taut(fresh.drop)
    source, target = common(old.support_keys, new.support_keys)
    for name in ("uplift", "time"):
        fresh.support[name][target] = state.support[name][source]
    heads = range(train.head.size)
    source, target = common(
        [(p, key) for p in heads for key in old.path_keys], [(p, key) for p in heads for key in new.path_keys]
    )
    fresh.contact[target] = state.contact[source]
    places = old.linear.x[fresh.contact["station"][target]]
    fresh.contact["station"][target] = np.searchsorted(new.linear.x, places - _SAME)
    remember_damping(new, fresh, sc)
    return fresh


def _carry_motion(old: LinearLine, state: LineState, new: LinearLine, fresh: LineState) -> None:
    """u, v, a of the spans both windows have, as stations or as modes of superelements.

    Stations become modes by ``SuperSpan.told``, modes become stations by ``SuperSpan.shown`` and modes of another
    band by ``SuperSpan.taken``.
    """
    before, after = (s.q.reshape(4, w.ns, -1)[:3, :, : w.b] for w, s in ((old, state), (new, fresh)))
    modes_before, modes_after = modes_of(old), modes_of(new)
    for number in range(max(old.first_span, new.first_span), min(old.stop_span, new.stop_span)):
        a, z = old.stations(number), new.stations(number)
        source, target = modes_before.get(number, []), modes_after.get(number, [])
        if bool(source) == bool(target):
            after[:, z] = before[:, a]
        else:
            after[:, [z.start, z.stop - 1]] = before[:, [a.start, a.stop - 1]]
        for (was, at), (span, to) in zip(source, target, strict=False):
            fresh.eta[:, to, : span.stiffness.size] = span.taken(was, state.eta[:, at, : was.stiffness.size])
        for span, to in () if source else target:
            fresh.eta[:, to, : span.stiffness.size] = span.told(before[:, a])
        for k, (was, at) in enumerate(() if target else source):
            shown = was.shown(before[:, a], state.eta[:, at, : was.stiffness.size])
            after[:, z.start + 1 : z.stop - 1] = shown + (after[:, z.start + 1 : z.stop - 1] if k else 0.0)
    after[:, ~new.active] = 0.0  # the new end of the window may hold what was free


def modes_of(line: LinearLine) -> dict[int, list[tuple[SuperSpan, int]]]:
    """Superelements of every span that is one, and their numbers."""
    found: dict[int, list[tuple[SuperSpan, int]]] = {}
    for k, (part, span) in enumerate(line.far):
        found.setdefault(part.number, []).append((span, k))
    return found


def _stretch(state: LineState) -> None:
    """Give droppers the elongation and pull of the motion, as those of a superelement have them: taut as at rest."""
    drop, q = state.drop, state.q.reshape(4, state.q.shape[1], -1)
    e, e_dot = ((drop["weight"] * q[k][drop["station"][:, None], drop["dof"]]).sum(axis=1) for k in (U, V))
    more, taut = drop["k"] * e + drop["c"] * e_dot, (drop["mode"] == CLOSED) | (drop["bows"] == 1)
    drop["e"], drop["N"] = e, np.where(taut, drop["N0"] + more, 0.0)
    drop["p"] = np.where(taut, 0.0, -np.maximum(drop["N0"], 0.0) - more)
    for name, extreme in (("N_min", np.minimum), ("N_max", np.maximum)):
        drop[name] = extreme(drop[name], drop["N"])


def _hold_taut(drop: np.ndarray) -> None:
    """Droppers that push are taut, whatever they were before."""
    now = (drop["bilateral"] == 1) & ((drop["mode"] != CLOSED) | (drop["p"] != 0.0))
    drop["mode"][now], drop["p"][now] = CLOSED, 0.0
    drop["bow"][now] = 0.0
    drop["bow"][now, 0] = drop["bow_rest"][now]
    drop["N"][now] = (drop["N0"] + drop["k"] * drop["e"])[now]


def common(old_keys: Sequence[object], new_keys: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
    """Where the keys both have are in the old and in the new list."""
    place = {key: i for i, key in enumerate(old_keys)}
    pairs = [(place[key], i) for i, key in enumerate(new_keys) if key in place]
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return source, target
