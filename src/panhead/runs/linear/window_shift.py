"""Window shift: transfer of the state to a moved window, a linear map of the motion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from panhead.railway.line.line_matrices import LinearLine
from panhead.railway.line.superelements import Superelement
from panhead.runs.linear.step.dropper import hold_taut, set_in_mode
from panhead.runs.linear.step.step_arrays import LineState, Scheme, TrainArrays
from panhead.runs.linear.window import Window, remember_damping, resting_state

_DROPPER_MEMORY = ("mode", "p", "e", "N", "N_min", "N_max", "slack", "since", "bow")
_SAME = 1e-6  # between places that are one [m]

Modes = tuple[Superelement, slice]  #: a superelement and where its modes are in ``LineState.eta``


def shift_state(old: Window, state: LineState, new: Window, train: TrainArrays, sc: Scheme) -> LineState:
    """State in a moved window: common parts are transferred, the rest is at rest."""
    fresh = resting_state(new, train, state.element, state.z[0])
    fresh.z[:], fresh.element[:], fresh.ledger[:] = state.z, state.element, state.ledger
    _carry_motion(old, state, new, fresh)
    set_in_mode(fresh.drop, fresh.q)
    source, target = common(old.row_keys, new.row_keys)
    for name in _DROPPER_MEMORY:
        fresh.drop[name][target] = state.drop[name][source]
    hold_taut(fresh.drop)
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


def _carry_motion(old: Window, state: LineState, new: Window, fresh: LineState) -> None:
    """Transfer u, v, a of the common spans, as stations or superelement modes: one linear map for all three.

    Stations become modes by ``Superelement.modal_coordinates``, modes become stations by ``Superelement.inner_motion``
    and modes of another band by ``Superelement.change_band``.
    """
    here, there = old.linear, new.linear
    before, after = (s.q.reshape(4, w.ns, -1)[:3, :, : w.b] for w, s in ((here, state), (there, fresh)))
    modes_before, modes_after = _modes(old), _modes(new)
    first, stop = max(here.first_span, there.first_span), min(here.stop_span, there.stop_span)

    def same(number: int) -> bool:
        """True if a span is the same in both windows; one at the end may be held now."""
        source, target = (m.get(number, []) for m in (modes_before, modes_after))
        return first < number < stop - 1 and [id(s) for s, _ in source] == [id(s) for s, _ in target]

    for as_it_is, run in groupby(range(first, stop), same):
        numbers = list(run)
        if as_it_is:
            ends = numbers[0], numbers[-1]
            a, z = (slice(w.stations(ends[0]).start, w.stations(ends[1]).stop) for w in (here, there))
            after[:, z] = before[:, a]
            at, to = (_all_of(m, numbers) for m in (modes_before, modes_after))
            fresh.eta[:, to] = state.eta[:, at]
            continue
        for number in numbers:
            a, z = here.stations(number), there.stations(number)
            source, target = modes_before.get(number, []), modes_after.get(number, [])
            if bool(source) == bool(target):
                after[:, z] = before[:, a]
            else:
                after[:, [z.start, z.stop - 1]] = before[:, [a.start, a.stop - 1]]
            _carry_span(source, state.eta, before[:, a], target, fresh.eta, after[:, z], there.active[z])
    after[:, ~there.active] = 0.0  # the new end of the window may hold what was free


def _all_of(modes: dict[int, list[Modes]], numbers: list[int]) -> slice:
    """Indices of the modes of neighbouring spans."""
    found = [at for number in numbers for _, at in modes.get(number, [])]
    return slice(found[0].start, found[-1].stop) if found else slice(0, 0)


def _carry_span(
    source: list[Modes],
    eta: np.ndarray,
    before: np.ndarray,
    target: list[Modes],
    fresh: np.ndarray,
    after: np.ndarray,
    active: np.ndarray,
) -> None:
    """Transfer modes and inner stations of one span; before, after (3, stations, b) its motion, active (stations,
    b)."""
    own = [span.relative(eta[:, at], before) for span, at in source]
    for k, (span, to) in enumerate(target):
        told = span.change_band(source[k][0], own[k]) if source else span.modal_coordinates(before)
        fresh[:, to] = span.absolute(told, after * active)
    if source and not target:
        after[:, 1:-1] = sum(span.inner_motion(before, modes) for (span, _), modes in zip(source, own, strict=True))


def _modes(window: Window) -> dict[int, list[Modes]]:
    """Superelements of every span that is one, and the indices of their modes."""
    found: dict[int, list[Modes]] = {}
    for first, (part, span) in zip(window.line.far.first.tolist(), window.linear.far, strict=True):
        found.setdefault(part.number, []).append((span, slice(first, first + span.stiffness.size)))
    return found


def modes_of(line: LinearLine) -> dict[int, list[tuple[Superelement, int]]]:
    """Superelements of every span that is one, and their numbers."""
    found: dict[int, list[tuple[Superelement, int]]] = {}
    for k, (part, span) in enumerate(line.far):
        found.setdefault(part.number, []).append((span, k))
    return found


def common(old_keys: Sequence[object], new_keys: Sequence[object]) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the common keys in the old and in the new list."""
    place = {key: i for i, key in enumerate(old_keys)}
    pairs = [(place[key], i) for i, key in enumerate(new_keys) if key in place]
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return source, target
