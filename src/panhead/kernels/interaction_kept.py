"""The steps of ``interaction`` with every state kept, so that they can be taken back (``interaction_adjoint``)."""

from __future__ import annotations

from panhead.kernels.compiling import part, whole
from panhead.kernels.interaction import fade, gust_load, step
from panhead.kernels.interaction_slots import OK, empty_slots


@part()
def keep_state(state, q, n, kept):
    """Row n of ``kept`` is the state as it is, its line in q (4, ns, nt, 4)."""
    for j in range(3):
        for i in range(q.shape[1]):
            for r in range(q.shape[2]):
                for k in range(4):
                    kept.q[n, j, i, r, k] = q[j, i, r, k]
        for k in range(state.z.shape[1]):
            kept.z[n, j, k] = state.z[j, k]
    eta = state.eta.reshape((3, state.eta.size // 3))
    for j in range(3):
        for k in range(eta.shape[1]):
            kept.eta[n, j, k] = eta[j, k]
    for i in range(state.contact.shape[0]):
        kept.contact[n, i] = state.contact[i]
    for i in range(state.element.shape[0]):
        kept.element[n, i] = state.element[i]
    for i in range(state.drop.shape[0]):
        kept.drop[n, i] = state.drop[i]


@whole
def run_kept(line, train, sc, ends, state, track, first, w, record, kept):
    """The steps of ``track``, every state kept, and those after fading; the arithmetic of ``run_chunk``."""
    at = 0
    empty_slots(w)
    q0, f0, q1, f1 = state.q, state.flat, w.q, w.flat
    keep_state(state, q0, 0, kept)
    for n in range(track.speed.shape[0] - 1):
        gust_load(line, sc, first + n + 1, w.push)
        status = step(
            line, train, sc, state, q0, f0, q1, f1, track.position[n + 1], track.speed[n + 1], track.uplift[n],
            track.uplift[n + 1], (first + n + 1) * sc.h, w, record,
        )  # fmt: skip
        if status != OK:
            return status
        q0, f0, q1, f1 = q1, f1, q0, f0
        at += 1
        keep_state(state, q0, at, kept)
        if ends.every > 0 and (first + n + 1) % ends.every == 0:
            where = track.position[n + 1]
            fade(
                line, sc, ends, where[0], where[-1], q0, f0, state.eta, state.drop, (first + n + 1) * sc.h, w, record
            )  # fmt: skip
            at += 1
            keep_state(state, q0, at, kept)
    if (track.speed.shape[0] - 1) % 2 == 1:
        for j in range(state.flat.shape[0]):
            for k in range(state.flat.shape[1]):
                state.flat[j, k] = f0[j, k]
    return OK
