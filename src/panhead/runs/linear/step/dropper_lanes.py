"""Droppers of a batch in lanes: which of them need individual treatment, by the operations of ``dropper`` in their
order.

All droppers of all lanes are looked at with vectors; one is looked at alone only where the free answer says that it
does not pull, or where a column of A⁻¹ reaches it. L lanes, nd droppers.
"""

from __future__ import annotations

from panhead.engine.jit.compiler import part
from panhead.engine.jit.lanes import fma, least, put, take, which_not_above
from panhead.runs.linear.step.active_set import connect
from panhead.runs.linear.step.dropper import give_slot, refresh_slot, stretch, would_slacken
from panhead.runs.linear.step.step_arrays import U, V
from panhead.runs.linear.step.unilateral import CLOSED

_DOUBT = 1e-6  # a pull that rounding may turn into none [N]


@part()
def _elongation(line, r, u):
    """e = Σ weight · u of dropper r, all lanes; u (ns, nt, 4) lanes."""
    i, dof = line.station[r], line.dof[r]
    e = take(line.weight, (r, 0)) * take(u, (i, dof[0] >> 2, dof[0] & 3))
    e = fma(take(line.weight, (r, 1)), take(u, (i, dof[1] >> 2, dof[1] & 3)), e)
    if line.lateral:
        e = fma(take(line.weight, (r, 2)), take(u, (i, dof[2] >> 2, dof[2] & 3)), e)
        e = fma(take(line.weight, (r, 3)), take(u, (i, dof[3] >> 2, dof[3] & 3)), e)
    return e


@part()
def load_slack(alpha_f, l, drop, w, y):
    """y −= α_f of the corrections of the old time in lane l; drop (nd,)."""
    for j in range(w.slack_count[l]):
        d = drop[w.slack[l, j]]
        if d.p != 0.0:
            load = alpha_f * d.p
            for k in range(4):
                y[d.station, d.dof[k] >> 2, d.dof[k] & 3, l] -= d.weight[k] * load


@part()
def load_dampers(line, sc, u, p, y):
    """y −= dropper corrections of the old time and what its dampers have of C s."""
    used = 4 if line.lateral else 2
    for r in range(line.station.shape[0]):
        i, dof = line.station[r], line.dof[r]
        load = take(p, (r,)) * sc.alpha_f
        for k in range(used):
            s = take(u, (i, dof[k] >> 2, dof[k] & 3)) * sc.C_u
            load = load - take(line.c, (r,)) * take(line.weight, (r, k)) * s
        for k in range(used):
            at = (i, dof[k] >> 2, dof[k] & 3)
            put(y, at, take(y, at) - take(line.weight, (r, k)) * load)


@part()
def find_loose(line, q, w):
    """Mask of droppers that may slacken in the free response q; ``would_slacken`` decides exactly."""
    for l in range(w.loose_count.shape[0]):
        w.loose_count[l] = 0
    for r in range(line.station.shape[0]):
        e = _elongation(line, r, q[U])
        if line.bilateral:
            continue
        pull = fma(take(line.k, (r,)), e, take(line.N0, (r,)))
        if line.viscous:
            pull = least(pull, fma(take(line.c, (r,)), _elongation(line, r, q[V]), pull))
        found = which_not_above(pull, _DOUBT)
        if found:
            for l in range(w.loose_count.shape[0]):
                if (found >> l) & 1:
                    w.loose[l, w.loose_count[l]] = r
                    w.loose_count[l] += 1


@part()
def _refresh(d, q):
    """Elongation and rate of a dropper in the free response q (2, ns, nt, 4) of its lane."""
    d.e_free, d.e_dot_free = stretch(d, q)


@part()
def open_slots(line, sight, speed, C_u, nc, m0, l, drop, q, small, w):
    """Open slots for the droppers of lane l that were not simply taut; (whether there was room, slots)."""
    m = m0 + small.count[0]
    for i in range(m0, m):
        d = drop[small.slot[i].ref]
        _refresh(d, q)
        refresh_slot(d, small.slot[i])
    for i in range(nc):
        connect(m, i, speed, C_u, small)
    for i in range(m):
        small.slot[i].g, small.slot[i].g_dot = small.slot[i].g_free, small.slot[i].g_dot_free
    for j in range(small.count[0], w.slack_count[l]):
        if m >= small.slot.shape[0]:
            return False, m
        d = drop[w.slack[l, j]]
        _refresh(d, q)
        give_slot(sight.F, d, w.slack[l, j], m, speed, C_u, small)
        m += 1
    return True, m


@part()
def add_slack(line, sight, speed, C_u, l, drop, q, m, small, w):
    """Add slots for droppers of lane l that would push while taken as taut; (whether there was room, slots)."""
    before = m
    low, high = _mark(line, drop, before, l, small, w)
    for r in range(low, high):
        if w.marked[r] == 0:
            continue
        w.marked[r] = 0
        if small.slot_of[r] >= 0:
            continue
        _refresh(drop[r], q)
        if would_slacken(drop[r], C_u, before, small):
            if m >= small.slot.shape[0]:
                w.marked[:] = 0
                return False, m
            w.slack[l, small.count[0]] = r
            give_slot(sight.F, drop[r], r, m, speed, C_u, small)
            m += 1
    w.slack_count[l] = small.count[0]
    return True, m


@part()
def _mark(line, drop, before, l, small, w):
    """Mark droppers that may not pull, in the free answer or where a column of A⁻¹ reaches them; first, last + 1."""
    low, high = drop.shape[0], 0
    for n in range(w.loose_count[l]):
        r = w.loose[l, n]
        w.marked[r] = 1
        low, high = min(low, r), max(high, r + 1)
    for j in range(0 if line.bilateral else before):
        s = small.slot[j]
        if s.lam != 0.0 and s.last > s.first:
            first, last = line.before[s.first], line.before[s.last]
            for r in range(first, last):
                w.marked[r] = 1
            if last > first:
                low, high = min(low, first), max(high, last)
    return low, high


@part()
def update_slack(drop, m0, m, l, small, w):
    """Store droppers; if one is simply taut again, the others get new slots in the next step, in their order."""
    kept, taut = 0, False
    for i in range(m0, m):
        s = small.slot[i]
        d = drop[s.ref]
        d.p, d.mode = s.lam, s.mode
        w.each_p[s.ref, l] = s.lam
        if s.mode == CLOSED and s.lam == 0.0:
            taut = True
    if not taut:
        return
    for i in range(m0, m):
        r = small.slot[i].ref
        small.slot_of[r] = -1
        if drop[r].mode != CLOSED or drop[r].p != 0.0:
            _insert_sorted(w.slack[l], kept, r)
            kept += 1
    small.count[0] = 0
    w.slack_count[l] = kept


@part()
def begin_chunk(l, w):
    """Reassign the slots of lane l in the order of the droppers, as ``empty_slots`` does for a single run."""
    slack = w.slack[l]
    for n in range(w.slack_count[l]):
        r = slack[n]
        w.slot_of[l, r] = -1
        _insert_sorted(slack, n, r)
    w.count[l, 0] = 0


@part()
def _insert_sorted(slack, count, r):
    """Insert r into the first ``count`` droppers, in increasing order."""
    at = count
    while at > 0 and slack[at - 1] > r:
        slack[at] = slack[at - 1]
        at -= 1
    slack[at] = r
